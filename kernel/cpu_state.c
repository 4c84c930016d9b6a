#include "kernel/cpu_state.h"
#include "kernel/fpu.h"
#include "kernel/selectors.h"
#include "kernel/x86.h"

#define READ_DR(n)                                         \
    ({                                                     \
        uintptr_t v_;                                      \
        __asm__ volatile("mov %%dr" #n ", %0" : "=r"(v_)); \
        v_;                                                \
    })
#define WRITE_DR(n, v) __asm__ volatile("mov %0, %%dr" #n ::"r"(v))

static void restore_debug(const struct cpu_state *s)
{
    if (READ_DR(7) != s->dr7) WRITE_DR(7, s->dr7); /* first: no breakpoint is to hit what follows */
    if (READ_DR(0) != s->dr[0]) WRITE_DR(0, s->dr[0]);
    if (READ_DR(1) != s->dr[1]) WRITE_DR(1, s->dr[1]);
    if (READ_DR(2) != s->dr[2]) WRITE_DR(2, s->dr[2]);
    if (READ_DR(3) != s->dr[3]) WRITE_DR(3, s->dr[3]);
}

#ifdef __x86_64__

#define MSR_FS_BASE       0xc0000100
#define MSR_OTHER_GS_BASE 0xc0000102

#define READ_SEGMENT(name)                                  \
    ({                                                      \
        uint16_t v_;                                        \
        __asm__ volatile("mov %%" #name ", %0" : "=r"(v_)); \
        v_;                                                 \
    })
#define RESTORE_SEGMENT(s, name) \
    if (READ_SEGMENT(name) != (s)->name) __asm__ volatile("mov %0, %%" #name ::"r"((s)->name))

static void save_segments(struct cpu_state *s)
{
    s->ds = READ_SEGMENT(ds);
    s->es = READ_SEGMENT(es);
    s->fs = READ_SEGMENT(fs);
    s->gs = READ_SEGMENT(gs);
    s->fs_base = rdmsr(MSR_FS_BASE);
    s->gs_base = rdmsr(MSR_GS_BASE);
    s->other_gs_base = rdmsr(MSR_OTHER_GS_BASE);
}

/* Loading a selector also loads its base. */
static void restore_segments(const struct cpu_state *s)
{
    RESTORE_SEGMENT(s, ds);
    RESTORE_SEGMENT(s, es);
    RESTORE_SEGMENT(s, fs);
    RESTORE_SEGMENT(s, gs);
    if (rdmsr(MSR_FS_BASE) != s->fs_base) wrmsr(MSR_FS_BASE, s->fs_base);
    if (rdmsr(MSR_GS_BASE) != s->gs_base) wrmsr(MSR_GS_BASE, s->gs_base);
    if (rdmsr(MSR_OTHER_GS_BASE) != s->other_gs_base) wrmsr(MSR_OTHER_GS_BASE, s->other_gs_base);
}

#else
static void save_segments(struct cpu_state *s) { (void)s; }

/* Here they are always the same (kernel/vectors.S). */
static void restore_segments(const struct cpu_state *s)
{
    (void)s;
    __asm__ volatile("mov %0, %%ds\n\tmov %0, %%es\n\tmov %0, %%fs\n\tmov %1, %%gs" ::"r"(SEL_DATA),
                     "r"(SEL_CPU)
                     : "memory");
}
#endif

void cpu_state_save(struct cpu_state *s)
{
    s->cr0 = READ_CR(0);
    s->cr4 = READ_CR(4);
    s->dr[0] = READ_DR(0);
    s->dr[1] = READ_DR(1);
    s->dr[2] = READ_DR(2);
    s->dr[3] = READ_DR(3);
    s->dr7 = READ_DR(7);
    save_segments(s);
}

void cpu_state_restore(const struct cpu_state *s)
{
    cpu_state_plain_flags();
    restore_debug(s);
    if (READ_CR(0) != s->cr0) WRITE_CR(0, s->cr0);
    if (READ_CR(4) != s->cr4) WRITE_CR(4, s->cr4);
    restore_segments(s);
    fpu_init();
}
