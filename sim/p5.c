/* The PMU of the Pentium and the Pentium with MMX: CESR, two 40-bit counters, their modes and pins
 * (SDM 18.23). */
#include "sim/p5.h"

#define MSR_CESR 0x11
#define MSR_CTR0 0x12
#define MSR_CTR1 0x13

/* CESR, the half of counter 0; counter 1's is 16 bits further up. */
#define CESR_ES        0x3Fu
#define CESR_CC_KERNEL (1u << 6) /* CPL 0-2 */
#define CESR_CC_USER   (1u << 7) /* CPL 3 */
#define CESR_CC_CLOCKS (1u << 8)
#define CESR_PC        (1u << 9)
#define CESR_HALF      0x3FFu
#define CESR_DEFINED   (CESR_HALF | CESR_HALF << 16)

#define COUNTER_BITS ((UINT64_C(1) << 40) - 1)

/* CPUID.1:EDX */
#define FPU_VME_DE_PSE_TSC_MSR 0x3Fu
#define MCE                    (1u << 7)
#define CX8                    (1u << 8)
#define APIC                   (1u << 9)
#define MMX                    (1u << 23)
#define P54C_FEATURES          (FPU_VME_DE_PSE_TSC_MSR | MCE | CX8 | APIC)

/* Facts 7.4. The P5's two ways use true LRU, the P55C's four the tree. */
const struct p5_traits sim_traits_p5 = {
    .icache = {8192, 32, 2, .lru = true},
    .dcache = {8192, 32, 2, .lru = true, .write_allocate = false},
    .itlb_ways = 4,
    .dtlb_ways = 4,
    .features = P54C_FEATURES,
};
const struct p5_traits sim_traits_p55c = {
    .icache = {16384, 32, 4, .lru = false},
    .dcache = {16384, 32, 4, .lru = false, .write_allocate = false},
    .itlb_ways = 32,
    .dtlb_ways = 64,
    .mmx = true,
    .features = P54C_FEATURES | MMX,
};

static const char *const errata[] = {"misaligned-misses", "misaligned-fst", "io-reads",
                                     NULL}; /* enum p5_errata */

/* ---- programming ---- */

static void program(struct sim *s)
{
    struct p5 *p = s->state;
    p->unsure = 0;
    for (unsigned k = 0; k < 2; k++) {
        struct p5_counter *c = &p->counter[k];
        uint32_t half = p->cesr >> (16 * k);
        bool clocks = half & CESR_CC_CLOCKS;
        const struct sim_event *e = p5_find_event(s, k, half & CESR_ES, clocks);
        c->levels = (half & CESR_CC_KERNEL ? 1 : 0) | (half & CESR_CC_USER ? 2 : 0);
        c->pin_overflow = half & CESR_PC;
        c->modelled = e && sim_event_modelled(s, e);
        c->term[0] = c->modelled ? e->terms[0] : T_END; /* no event of the P5 has more than two terms */
        c->term[1] = c->modelled ? e->terms[1] : T_END;
        if (c->levels) sim_activate(s);
    }
}

static void p5_count(struct sim *s)
{
    struct p5 *p = s->state;
    unsigned level = s->cpl == 3 ? 2 : 1;
    for (unsigned k = 0; k < 2; k++) {
        struct p5_counter *c = &p->counter[k];
        uint64_t n = s->tally.count[c->term[0]] + s->tally.count[c->term[1]];
        if (!n || !(c->levels & level)) continue;
        bool overflow = c->value + n > COUNTER_BITS; /* carry out of bit 39 */
        c->value = (c->value + n) & COUNTER_BITS;
        /* Several increments at once are one pulse (SDM 18.23.3). */
        if (overflow || !c->pin_overflow) sim_pin(s, k, c->pin_overflow);
    }
}

/* A pin shows the instruction at which it happened; a breakpoint matches an instruction. The erratum depends
 * on the instruction of the access. */
static bool p5_exact(const struct sim *s, uint64_t happenings)
{
    const struct p5 *p = s->state;
    if (p->breakpoints || s->errata & E_MISALIGNED_FST) return true;
    for (unsigned k = 0; s->host.pin && k < 2; k++) {
        const struct p5_counter *c = &p->counter[k];
        if (!c->levels || !c->modelled) continue;
        if (!c->pin_overflow || c->value + 2 * happenings > COUNTER_BITS) return true;
    }
    return false;
}

/* It counts matches of code of which it is not known whether they were seen. */
static bool is_unsure(const struct p5 *p, const struct p5_counter *c)
{
    return c->term[0] >= T_DR0 && c->term[0] <= T_DR3 && p->unsure >> (c->term[0] - T_DR0) & 1;
}

static unsigned p5_unmodelled(const struct sim *s, unsigned n, const char **names, unsigned max)
{
    const struct p5 *p = s->state;
    const uint32_t half = p->cesr >> (16 * n);
    if (!p->counter[n].levels || !max) return 0;
    if (p->counter[n].modelled && !is_unsure(p, &p->counter[n])) return 0;
    const struct sim_event *e = p5_find_event(s, n, half & CESR_ES, false);
    *names = e ? e->name : "RESERVED";
    return 1;
}

static bool p5_counts_clocks(const struct sim *s, unsigned n)
{
    const struct p5_counter *c = &((const struct p5 *)s->state)->counter[n];
    return c->levels && sim_has_clocks(s, c->term, 2);
}

/* ---- registers ---- */

static int p5_rdmsr(struct sim *s, uint32_t msr, uint64_t *value)
{
    const struct p5 *p = s->state;
    switch (msr) {
    case MSR_CESR:
        *value = p->cesr;
        return 1;
    case MSR_CTR0:
    case MSR_CTR1:
        *value = p->counter[msr - MSR_CTR0].value;
        return 1;
    default:
        return -1;
    }
}

/* Setting a reserved bit is #GP (SDM volume 2, WRMSR); a counter has 40 bits, and higher ones are ignored. */
static int p5_wrmsr(struct sim *s, uint32_t msr, uint64_t value)
{
    struct p5 *p = s->state;
    switch (msr) {
    case MSR_CESR:
        if (value & ~(uint64_t)CESR_DEFINED) return 0;
        p->cesr = (uint32_t)value;
        program(s);
        return 1;
    case MSR_CTR0:
    case MSR_CTR1:
        p->counter[msr - MSR_CTR0].value = value & COUNTER_BITS;
        return 1;
    default:
        return -1;
    }
}

static enum sim_rdpmc p5_rdpmc(struct sim *s, uint32_t ecx, uint64_t *value)
{
    const struct p5 *p = s->state;
    if (!p->traits->mmx) return SIM_RDPMC_UD;
    if (ecx > 1) return SIM_RDPMC_GP;
    *value = p->counter[ecx].value;
    return SIM_RDPMC_OK;
}

static void p5_cpuid(const struct sim *s, uint32_t leaf, uint32_t subleaf, uint32_t regs[4])
{
    const struct p5_traits *t = s->model->traits;
    (void)subleaf;
    regs[0] = regs[1] = regs[2] = regs[3] = 0; /* leaves from 2 on do not exist */
    if (leaf == 0) {
        regs[0] = 1;
        regs[1] = 0x756E6547; /* GenuineIntel */
        regs[3] = 0x49656E69;
        regs[2] = 0x6C65746E;
    } else if (leaf == 1) {
        regs[0] = s->model->signature;
        regs[3] = t->features;
    }
}

static void p5_debug_registers(struct sim *s, const uint64_t dr[4], uint32_t dr7)
{
    struct p5 *p = s->state;
    for (unsigned k = 0; k < 4; k++) p->dr[k] = dr[k];
    p->dr7 = dr7;
    p->breakpoints = (dr[0] | dr[1] | dr[2] | dr[3]) != 0;
}

/* ---- life ---- */

static void p5_fini(struct sim *s)
{
    struct p5 *p = s->state;
    sim_cache_free(p->icache);
    sim_cache_free(p->dcache);
    sim_tlb_free(p->itlb);
    sim_tlb_free(p->dtlb);
}

static bool p5_init(struct sim *s)
{
    const struct p5_traits *t = s->model->traits;
    struct p5 *p = s->state;
    p->traits = t;
    p->icache = sim_cache_new(&t->icache);
    p->dcache = sim_cache_new(&t->dcache);
    p->itlb = sim_tlb_new(32, t->itlb_ways);
    p->dtlb = sim_tlb_new(64, t->dtlb_ways);
    return p->icache && p->dcache && p->itlb && p->dtlb;
}

static void p5_reset(struct sim *s)
{
    struct p5 *p = s->state;
    p->cesr = 0;
    p->counter[0].value = p->counter[1].value = 0;
    program(s);
    p5_btb_reset(&p->btb, p->traits->mmx);
    sim_cache_invalidate_all(p->icache);
    sim_cache_invalidate_all(p->dcache);
    p->code_block = P5_NONE;
    p5_tlb_flush(s);
    p->breakpoints = false;
    p->dr7 = 0;
    for (unsigned k = 0; k < 4; k++) p->dr[k] = 0;
    p->mmx_state = MMX_NEITHER;
}

const struct sim_family sim_p5_family = {
    .name = "p5",
    .errata = errata,
    .events = p5_events,
    .n_events = P5_N_EVENTS,
    .clocks = {.running = T_RUN, .halted = T_HALT},
    .tallies = P5_TALLIES,
    .state_size = sizeof(struct p5),
    .init = p5_init,
    .fini = p5_fini,
    .reset = p5_reset,
    .instruction = p5_instruction,
    .accesses = p5_accesses,
    .batch = p5_batch,
    .exact = p5_exact,
    .exception = p5_exception,
    .interrupt = p5_interrupt,
    .tlb_flush = p5_tlb_flush,
    .tlb_invalidate = p5_tlb_invalidate,
    .cache_flush = p5_cache_flush,
    .snoop = p5_snoop,
    .debug_registers = p5_debug_registers,
    .count = p5_count,
    .rdmsr = p5_rdmsr,
    .wrmsr = p5_wrmsr,
    .rdpmc = p5_rdpmc,
    .cpuid = p5_cpuid,
    .unmodelled = p5_unmodelled,
    .counts_clocks = p5_counts_clocks,
    .general = 2,
    .predicts = true,
    .translates = true,
};
