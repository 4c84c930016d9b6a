/* INIT to all that are wanted, one wait, then STARTUP to one after the other (SDM vol. 3A 8.4.4; MP
 * specification 1.4, B.4). Only one starts at a time, so that what answers is known, and drivers that probe
 * may keep what they like.
 */
#include "kernel/ap_sequence.h"
#include "kernel/fpu.h"
#include "kernel/hw.h"
#include "kernel/mtrr.h"
#include "kernel/paging.h"
#include "kernel/pat.h"
#include "kernel/processor_block.h"
#include "kernel/x86.h"
#include <string.h>

extern const uint8_t ap_page[], ap_page_end[]; /* kernel/ap_start.S */

/* For that. */
extern uint32_t ap_cr0, ap_cr4, ap_efer;
uint32_t ap_cr0, ap_cr4, ap_efer;

/* What the boot processor has, and each one gets. */
static struct {
    uintptr_t cr0, cr3, cr4;
    uint64_t pat;
    struct mtrr_state mtrrs;
    void (*identify)(struct cpu *cpu);
} same;
static struct processor *starting;

/* ---- the processor's side ---- */

/* Caches are still off after INIT, or as the firmware had them (SDM vol. 3A table 9-1). What another type of
 * memory may have left in them is written back before they are used. */
static void same_memory_types(struct cpu *cpu)
{
    cpu->mtrrs_differed = mtrr_differ(&cpu->id, &same.mtrrs);
    if (cpu->mtrrs_differed) {
        WRITE_CR(0, (READ_CR(0) | CR0_CD) & ~(uintptr_t)CR0_NW);
        hw_flush_caches();
        mtrr_load(&same.mtrrs);
        hw_flush_caches();
    }
    cpu->pat_differed = pat_load(&cpu->id, same.pat);
    hw_flush_tlbs();
}

static void join(struct processor *p)
{
    struct cpu *cpu = &p->cpu;
    cpu_unlimit();
    cpu_identify(&cpu->id);
    same_memory_types(cpu);
#ifndef __x86_64__
    p->percpu.tss.cr3 = p->percpu.df_tss.cr3 = same.cr3;
#endif
    WRITE_CR(4, same.cr4);
    if (same.cr0 & CR0_PG) WRITE_CR(3, same.cr3);
    WRITE_CR(0, same.cr0);
    fpu_init();
    apic_init(&cpu->id, &cpu->apic, true);
    apic_restore_smi(&cpu->apic, &cpu->machine->cpu[0]->apic);
    p->percpu.strays = 0; /* counted in cpu->apic.left */
}

static void serve(void *p) { processor_serve(p); }

void ap_main(void);
void ap_main(void)
{
    struct processor *p = starting;
    struct trap_guard g;
    percpu_load(&p->percpu);
    idt_load();
    if (trap_guard_arm(&g) == 0) {
        join(p);
        trap_guard_disarm(&g);
        p->state = PROCESSOR_UP;
        stack_switch(p->cpu.stack.top, serve, p);
    }
    p->percpu.trap = g.trap;
    p->state = PROCESSOR_FAULTED;
    for (;;) __asm__ volatile("cli; hlt");
}

/* ---- the boot processor's side ---- */

static size_t stack_bytes; /* for the code that each one measures */

static size_t block_bytes(void) { return PROCESSOR_BYTES + stacks_memory(stack_bytes); }

static struct processor *lay_out(struct machine *m, uint8_t *at, enum rest rest)
{
    struct processor *p = (struct processor *)at;
    memset(p, 0, offsetof(struct processor, guard0));
    p->percpu.stack = (struct stacks){
        .main = p->main + sizeof p->main,
        .df = p->df + sizeof p->df,
        .nmi = p->nmi + sizeof p->nmi,
        .trap = p->trap + sizeof p->trap,
        .guard = {p->guard0, p->guard1, p->guard2, p->guard3},
    };
    p->percpu.apic = &p->cpu.apic;
    p->percpu.boot_id = m->cpu[0]->apic.id;
    p->percpu.index = p->cpu.index = m->cpus;
    p->cpu.machine = m;
    p->cpu.pmu = (struct pmu *)p->pmu;
    p->cpu.strays = &p->percpu.strays;
    p->cpu.cancelled = m->cpu[0]->cancelled;
    p->rest = rest;
    for (unsigned i = 0; m->paging && i < 4; i++) paging_unmap(p->percpu.stack.guard[i]);
    stacks_give(m, &p->cpu, at + PROCESSOR_BYTES, stack_bytes);
    return p;
}

/* Its first instructions are in the start page only meanwhile: the page may be somebody's, a module's for
 * instance.
 */
#define AP_PAGE_MAX 256
static enum processor_state start_in_page(const struct machine *m, struct processor *p, uint32_t id,
                                          uint32_t answer_us)
{
    static uint8_t was[AP_PAGE_MAX];
    uint8_t *const page = (uint8_t *)(uintptr_t)m->start_page;
    const size_t bytes = (size_t)(ap_page_end - ap_page);
    enum processor_state s = PROCESSOR_NO_PAGE;
    if (!page || bytes > sizeof was) return s;
    memcpy(was, page, bytes);
    memcpy(page, ap_page, bytes);
    if (memcmp(page, ap_page, bytes) == 0)
        s = ap_start(&m->cpu[0]->apic, &m->clock, id, m->start_page,
                     (uint32_t)(uintptr_t)p->percpu.stack.main, answer_us, &p->state);
    memcpy(page, was, bytes);
    return s;
}

static enum processor_state start(const struct machine *m, struct processor *p, struct processor_found *f,
                                  uint32_t answer_us)
{
    starting = p;
    const enum processor_state s = start_in_page(m, p, f->apic_id, answer_us);
    f->answered = s == PROCESSOR_FAULTED ? p->percpu.trap.vector : p->cpu.apic.id;
    if (s != PROCESSOR_UP || f->answered == f->apic_id) return s;
    ap_stop(&m->cpu[0]->apic, f->answered);
    return PROCESSOR_OTHER_ID;
}

static void identify(void *cpu) { same.identify(cpu); }

/* It says by itself what it is. One that traps on that, or does not come back, is not used. */
static enum processor_state identified(struct cpu *cpu, struct processor_found *f)
{
    const enum processor_end end = processor_call(cpu, identify, cpu);
    if (end == PROCESSOR_RETURNED) return PROCESSOR_UP;
    ap_stop(&cpu->machine->cpu[0]->apic, f->apic_id);
    if (end != PROCESSOR_TRAPPED) return PROCESSOR_STUCK;
    f->answered = processor_trap(cpu)->vector;
    return PROCESSOR_FAULTED;
}

/* Blocks for n of them, fewer where the pool is too small, in pages of 4 KiB, so that nothing need be where
 * guards are. What is left of the pool stays in large pages wherever it is large itself: the part of one that
 * blocks share is nobody's. Before there are fewer, stacks become smaller. */
#define XAPIC_LAST 254u /* 255 is all of them */
#define LARGE_PAGE (4u << 20)
#define ROOMY      (8 * LARGE_PAGE)
static uint8_t *take_blocks(struct machine *m, unsigned *n)
{
    struct memory *pool = &m->memory;
    const size_t room = pool->pool_bytes / 2;
    if (!*n) return NULL;
    stack_bytes = m->stacks.bytes;
    while (room / *n < block_bytes() && stack_bytes > STACK_LEAST) stack_bytes -= PAGE_SIZE;
    if (*n > room / block_bytes()) *n = (unsigned)(room / block_bytes());
    if (!*n) return NULL;
    const size_t blocks = (size_t)*n * block_bytes();
    uint8_t *const end = pool->pool + (pool->pool_bytes & -(size_t)PAGE_SIZE);
    uint8_t *start = end - blocks;
    if (m->paging) {
        start -= paging_tables(start - LARGE_PAGE, blocks + LARGE_PAGE) * PAGE_SIZE;
        paging_split(start, (size_t)(end - start), start);
    }
    const uintptr_t base = (uintptr_t)pool->pool, cut = (uintptr_t)start & -(uintptr_t)LARGE_PAGE;
    pool->pool_bytes = (m->paging && (uintptr_t)start - base >= ROOMY ? cut : (uintptr_t)start) - base;
    return end - blocks;
}

/* What cannot be started, and how many others there are. */
static unsigned startable(const struct apic *a, struct processors_found *f)
{
    unsigned n = 0;
    for (unsigned i = 0; i < f->n; i++) {
        struct processor_found *p = &f->p[i];
        if (p->apic_id == a->id)
            p->state = PROCESSOR_BOOT;
        else if (p->state == PROCESSOR_LISTED && a->mode == APIC_XAPIC && p->apic_id > XAPIC_LAST)
            p->state = PROCESSOR_BEYOND;
        n += p->state == PROCESSOR_LISTED;
    }
    return n;
}

static void remember(const struct cpu *booted, void (*fn)(struct cpu *cpu))
{
    same.cr0 = READ_CR(0);
    same.cr3 = READ_CR(3);
    same.cr4 = READ_CR(4);
    same.identify = fn;
    same.pat = pat_read(&booted->id);
    mtrr_save(&booted->id, &same.mtrrs);
    ap_cr0 = (uint32_t)same.cr0 & (CR0_PG | CR0_MP);
    ap_cr4 = (uint32_t)same.cr4 & (CR4_PAE | CR4_OSFXSR | CR4_OSXMMEXCPT);
#ifdef __x86_64__
    ap_efer = (uint32_t)rdmsr(MSR_EFER) & (EFER_LME | EFER_NXE);
#endif
}

void processors_start(struct machine *m, unsigned most, enum rest rest, void (*fn)(struct cpu *cpu))
{
    struct cpu *booted = m->cpu[0];
    struct processors_found *f = &m->found;
    const uint64_t from = hw_rdtsc();
    if (booted->apic.mode < APIC_XAPIC) return;
    m->rest = rest;
    unsigned wanted = startable(&booted->apic, f), silent = 0, ready = 0;
    if (wanted > most - 1) wanted = most - 1;
    unsigned room = wanted;
    uint8_t *block = take_blocks(m, &room);
    remember(booted, fn);
    for (unsigned i = 0; i < f->n && m->cpus <= wanted; i++) {
        if (f->p[i].state != PROCESSOR_LISTED) continue;
        if (!block || m->cpus > room) {
            f->p[i].state = PROCESSOR_NO_MEMORY;
            continue;
        }
        if (i >= ready) ready = ap_init(&booted->apic, &m->clock, f, i, room + 1 - m->cpus);
        struct processor *p = lay_out(m, block, rest);
        f->p[i].state = start(m, p, &f->p[i], silent < SILENT_FEW ? ANSWER_US : IMPATIENT_US);
        silent += f->p[i].state == PROCESSOR_SILENT;
        if (f->p[i].state != PROCESSOR_UP) continue;
        m->cpu[m->cpus++] = &p->cpu;
        f->p[i].state = identified(&p->cpu, &f->p[i]);
        if (f->p[i].state == PROCESSOR_UP)
            block += block_bytes();
        else
            m->cpus--;
    }
    m->start_ticks = hw_rdtsc() - from;
}
