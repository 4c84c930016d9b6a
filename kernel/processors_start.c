/* INIT to all, one wait, then STARTUP to one after the other (SDM vol. 3A 8.4.4; MP specification 1.4, B.4).
 * Only one starts at a time, so that what answers is known, and drivers that probe may keep what they like. */
#include "kernel/fpu.h"
#include "kernel/hw.h"
#include "kernel/mtrr.h"
#include "kernel/paging.h"
#include "kernel/pat.h"
#include "kernel/processor_block.h"
#include "kernel/x86.h"
#include <string.h>

#define INIT_US     10000u   /* MP specification: from INIT to STARTUP */
#define STARTUP_US  200u     /* and from one STARTUP to the next */
#define ANSWER_US   1000000u /* emulators give each processor its turn only now and then */
#define IMPATIENT_US 100000u /* when some have not answered already */
#define SILENT_FEW  3u
#define READY_US    10000000u

extern const uint8_t ap_page[], ap_page_end[]; /* kernel/ap_start.S */

/* For that. Below 4 GiB. */
extern volatile uint32_t ap_stack, ap_uninvited;
extern uint32_t ap_cr0, ap_cr4, ap_efer;
volatile uint32_t ap_stack;     /* of the one that starts; whoever takes it leaves 0 */
volatile uint32_t ap_uninvited; /* how many found none */
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
    p->percpu.strays = 0; /* counted in cpu->apic.left */
}

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
        processor_serve(p);
    }
    p->percpu.trap = g.trap;
    p->state = PROCESSOR_FAULTED;
    for (;;) __asm__ volatile("cli; hlt");
}

/* ---- the boot processor's side ---- */

/* Without a clock, readings of port 80h of about 1 us each. */
static uint64_t ticks_of(const struct machine *m, uint32_t us) { return m->clock.tsc_hz / 1000000 * us; }

/* Wait until *word is `value`, or for so long. */
static bool wait_for(const struct machine *m, const volatile uint32_t *word, uint32_t value, uint32_t us)
{
    const uint64_t ticks = ticks_of(m, us), from = hw_rdtsc();
    for (uint32_t reads = 0; ticks ? hw_rdtsc() - from < ticks : reads < us; reads++) {
        if (*word == value) return true;
        if (ticks)
            __asm__ volatile("pause");
        else
            hw_inb(0x80);
    }
    return *word == value;
}

static void wait(const struct machine *m, uint32_t us)
{
    static const volatile uint32_t never;
    wait_for(m, &never, 1, us);
}

static void init(const struct apic *a, uint32_t id)
{
    apic_ipi(a, id, IPI_INIT);
    if (a->mode == APIC_XAPIC) apic_ipi(a, id, IPI_INIT_DEASSERT);
}

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
    return p;
}

static enum processor_state start(const struct machine *m, struct processor *p, struct processor_found *f,
                                  uint32_t patience)
{
    const struct apic *a = &m->cpu[0]->apic;
    const uint32_t page = IPI_STARTUP | AP_START_PAGE >> 12, uninvited = ap_uninvited;
    starting = p;
    ap_stack = (uint32_t)(uintptr_t)p->percpu.stack.main;
    apic_ipi(a, f->apic_id, page);
    if (!wait_for(m, &ap_stack, 0, STARTUP_US)) apic_ipi(a, f->apic_id, page);
    if (!wait_for(m, &ap_stack, 0, patience)) {
        init(a, f->apic_id); /* so that it does not come later */
        return ap_stack ? PROCESSOR_SILENT : PROCESSOR_STUCK;
    }
    const uint64_t from = hw_rdtsc(), ticks = ticks_of(m, READY_US);
    for (uint32_t reads = 0; p->state == PROCESSOR_LISTED; reads++) {
        if (ticks ? hw_rdtsc() - from > ticks : reads > READY_US) return PROCESSOR_STUCK;
        if (!ticks) hw_inb(0x80);
        __asm__ volatile("pause");
    }
    if (p->state == PROCESSOR_FAULTED) f->answered = p->percpu.trap.vector;
    if (p->state != PROCESSOR_UP) return p->state;
    if (ap_uninvited != uninvited) return PROCESSOR_TWICE;
    f->answered = p->cpu.apic.id;
    return f->answered == f->apic_id ? PROCESSOR_UP : PROCESSOR_OTHER_ID;
}

static void identify(void *cpu) { same.identify(cpu); }

/* Blocks for n of them, fewer where the pool is too small, in pages of 4 KiB, so that nothing need be where
 * guards are. What is left of the pool stays in large pages wherever it is large itself: the part of one that
 * blocks share is nobody's. */
#define LARGE_PAGE (4u << 20)
#define ROOMY      (8 * LARGE_PAGE)
static uint8_t *take_blocks(struct machine *m, unsigned *n)
{
    struct memory *pool = &m->memory;
    const size_t room = pool->pool_bytes / 2 / PROCESSOR_BYTES;
    if (*n > room) *n = (unsigned)room;
    if (!*n) return NULL;
    const size_t blocks = (size_t)*n * PROCESSOR_BYTES;
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

void processors_start(struct machine *m, unsigned most, enum rest rest, void (*fn)(struct cpu *cpu))
{
    const struct apic *a = &m->cpu[0]->apic;
    struct processors_found *f = &m->found;
    unsigned wanted = 0, silent = 0;
    const uint64_t from = hw_rdtsc();
    if (a->mode < APIC_XAPIC) return;
    for (unsigned i = 0; i < f->n; i++) {
        struct processor_found *p = &f->p[i];
        if (p->apic_id == a->id)
            p->state = PROCESSOR_BOOT;
        else if (p->state == PROCESSOR_LISTED && a->mode == APIC_XAPIC && p->apic_id >= 0xff)
            p->state = PROCESSOR_BEYOND;
        else
            wanted += p->state == PROCESSOR_LISTED;
    }
    if (wanted > most - 1) wanted = most - 1;
    uint8_t *block = take_blocks(m, &wanted);
    m->rest = rest;
    same.cr0 = READ_CR(0);
    same.cr3 = READ_CR(3);
    same.cr4 = READ_CR(4);
    same.identify = fn;
    same.pat = pat_read(&m->cpu[0]->id);
    mtrr_save(&m->cpu[0]->id, &same.mtrrs);
    ap_cr0 = (uint32_t)same.cr0 & (CR0_PG | CR0_MP);
    ap_cr4 = (uint32_t)same.cr4 & (CR4_PAE | CR4_OSFXSR | CR4_OSXMMEXCPT);
#ifdef __x86_64__
    ap_efer = (uint32_t)rdmsr(MSR_EFER) & (EFER_LME | EFER_NXE);
#endif
    memcpy((void *)(uintptr_t)AP_START_PAGE, ap_page, (size_t)(ap_page_end - ap_page));
    for (unsigned i = 0; i < f->n; i++)
        if (f->p[i].state == PROCESSOR_LISTED) init(a, f->p[i].apic_id);
    wait(m, INIT_US);
    for (unsigned i = 0; i < f->n && m->cpus <= wanted; i++) {
        if (f->p[i].state != PROCESSOR_LISTED) continue;
        struct processor *p = lay_out(m, block, rest);
        f->p[i].state = start(m, p, &f->p[i], silent < SILENT_FEW ? ANSWER_US : IMPATIENT_US);
        silent += f->p[i].state == PROCESSOR_SILENT;
        if (f->p[i].state != PROCESSOR_UP) continue;
        m->cpu[m->cpus++] = &p->cpu;
        processor_call(&p->cpu, identify, &p->cpu);
        block += PROCESSOR_BYTES;
    }
    m->start_ticks = hw_rdtsc() - from;
}
