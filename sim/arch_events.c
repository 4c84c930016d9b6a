/* The events of the processors with architectural performance monitoring, and how a select is turned into
 * what its counter adds up. Architectural events: facts 4.2, under the names that libpfm4 gives them; others:
 * libpfm4's tables of the CPUs (facts 8). */
#include "sim/arch.h"
#include <stdio.h>
#include <string.h>

/* clang-format off */

/* Rows without terms are not modelled. The first row of a code on a model is the one that resolves it. */
#define ALL(code, name, ...) {name, code, {__VA_ARGS__}, 0, 0}
#define OF(models, code, name, ...) {name, code, {__VA_ARGS__}, 0, models}
#define UNMODELLED 0
#define NEAR_TAKEN T_COND_TAKEN, T_CALL, T_RET, T_JUMP
#define BRANCHES NEAR_TAKEN, T_COND_NOT_TAKEN, T_FAR
#define CONDITIONAL T_COND_TAKEN, T_COND_NOT_TAKEN

enum {
    BRIDGE = ARCH_SANDYBRIDGE | ARCH_HASWELL | ARCH_SKYLAKE,
    LAKE = ARCH_ICELAKE | ARCH_TIGERLAKE,
    NEW = BRIDGE | LAKE,
    RETIRED_LOADS = ARCH_SKYLAKE | LAKE /* before, D0h and D1h count micro-operations */
};


const struct sim_event arch_events[ARCH_EVENTS] = {
    /* Architectural, in the order of their bits in CPUID.0AH:EBX. */
    ALL(0x003c, "UNHALTED_CORE_CYCLES", T_CYCLES),
    ALL(0x00c0, "INSTRUCTION_RETIRED", T_INSN),
    ALL(0x013c, "UNHALTED_REFERENCE_CYCLES", T_CYCLES),
    ALL(0x4f2e, "LLC_REFERENCES", T_LLC_REFERENCE),
    ALL(0x412e, "LLC_MISSES", T_LLC_MISS),
    ALL(0x00c4, "BRANCH_INSTRUCTIONS_RETIRED", BRANCHES),
    ALL(0x00c5, "MISPREDICTED_BRANCH_RETIRED", UNMODELLED),
    OF(LAKE, 0x01a4, "TOPDOWN_SLOTS", UNMODELLED),

    OF(ARCH_CORE2, 0x01c0, "INST_RETIRED:LOADS", T_LOADS),
    OF(ARCH_CORE2, 0x02c0, "INST_RETIRED:STORES", T_STORES),
    OF(ARCH_CORE2, 0x0cc4, "BR_INST_RETIRED:TAKEN", NEAR_TAKEN, T_FAR),
    OF(ARCH_CORE2, 0x0f45, "L1D_REPL", T_L1D_IN),
    OF(ARCH_CORE2, 0x0081, "L1I_MISSES", T_L1I_IN),
    OF(ARCH_CORE2, 0x1fc7, "SIMD_INST_RETIRED:ANY", T_SSE),
    OF(ARCH_CORE2, 0x00c8, "HW_INT_RCV", T_INTERRUPT),
    OF(ARCH_CORE2, 0x01cb, "MEM_LOAD_RETIRED:L1D_MISS", T_BEYOND_L1),
    OF(ARCH_CORE2, 0x04cb, "MEM_LOAD_RETIRED:L2_MISS", T_BEYOND_L2),

    OF(BRIDGE, 0x01c4, "BR_INST_RETIRED:CONDITIONAL", CONDITIONAL),
    OF(LAKE, 0x01c4, "BR_INST_RETIRED:COND_TAKEN", T_COND_TAKEN),
    OF(NEW, 0x02c4, "BR_INST_RETIRED:NEAR_CALL", T_CALL),
    OF(BRIDGE, 0x04c4, "BR_INST_RETIRED:ALL_BRANCHES", BRANCHES),
    OF(NEW, 0x08c4, "BR_INST_RETIRED:NEAR_RETURN", T_RET),
    OF(BRIDGE, 0x10c4, "BR_INST_RETIRED:NOT_TAKEN", T_COND_NOT_TAKEN),
    OF(LAKE, 0x10c4, "BR_INST_RETIRED:COND_NTAKEN", T_COND_NOT_TAKEN),
    OF(LAKE, 0x11c4, "BR_INST_RETIRED:COND", CONDITIONAL),
    OF(NEW, 0x20c4, "BR_INST_RETIRED:NEAR_TAKEN", NEAR_TAKEN),
    OF(NEW, 0x40c4, "BR_INST_RETIRED:FAR_BRANCH", T_FAR),
    OF(NEW, 0x0151, "L1D:REPLACEMENT", T_L1D_IN),
    OF(ARCH_SKYLAKE, 0x01cb, "HW_INTERRUPTS:RECEIVED", T_INTERRUPT),
    OF(RETIRED_LOADS, 0x81d0, "MEM_INST_RETIRED:ALL_LOADS", T_LOADS, T_PREFETCH),
    OF(RETIRED_LOADS, 0x82d0, "MEM_INST_RETIRED:ALL_STORES", T_STORES),
    OF(RETIRED_LOADS, 0x01d1, "MEM_LOAD_RETIRED:L1_HIT", T_FROM_L1, T_PREFETCH),
    OF(RETIRED_LOADS, 0x02d1, "MEM_LOAD_RETIRED:L2_HIT", T_FROM_L2),
    OF(RETIRED_LOADS, 0x04d1, "MEM_LOAD_RETIRED:L3_HIT", T_FROM_L3),
    OF(RETIRED_LOADS, 0x08d1, "MEM_LOAD_RETIRED:L1_MISS", T_BEYOND_L1),
    OF(RETIRED_LOADS, 0x10d1, "MEM_LOAD_RETIRED:L2_MISS", T_BEYOND_L2),
    OF(RETIRED_LOADS, 0x20d1, "MEM_LOAD_RETIRED:L3_MISS", T_FROM_MEMORY),
};
/* clang-format on */

#define ARCHITECTURAL 8

/* What the fixed counters count (SDM 18.2.2): rows of the table. */
static const uint8_t fixed_event[ARCH_FIXED] = {1, 0, 2, 7};

/* None of these events happens sixteen times in one clock (LX has instructions under CMASK=16 and INV count
 * every clock). */
#define MOST 15

static const struct sim_event *event_of(const struct sim *s, unsigned code)
{
    for (unsigned i = 0; i < ARCH_EVENTS; i++) {
        const struct sim_event *e = &arch_events[i];
        if (e->code == code && (!e->models || e->models & s->model_bit)) return e;
    }
    return NULL;
}

/* Said to be missing by CPUID.0AH:EBX. */
static bool unavailable(const struct arch_traits *t, const struct sim_event *e)
{
    const unsigned bit = (unsigned)(e - arch_events);
    return bit < ARCHITECTURAL && bit < LEAF_A_EVENTS(t) && LEAF_A_UNAVAILABLE(t) >> bit & 1;
}

/* In one clock; delivery takes many. */
static bool qualify(const struct sim *s, struct sim_counter *c)
{
    const bool apart = c->terms[0] == T_INTERRUPT;
    return sim_counter_qualify(s, c, c->terms[0] == T_CYCLES || apart ? 1 : MOST, apart);
}

/* A name for a code that is in no table; it stays as long as the model. */
static const char *raw_name(struct arch *p, unsigned code)
{
    char name[sizeof p->raw[0]];
    snprintf(name, sizeof name, "r%04x", code);
    for (unsigned i = 0; i < ARCH_RAW_NAMES; i++) {
        if (!p->raw[i][0]) memcpy(p->raw[i], name, sizeof name);
        if (strcmp(p->raw[i], name) == 0) return p->raw[i];
    }
    return "RESERVED";
}

void arch_resolve(struct sim *s, unsigned n)
{
    struct arch *p = s->state;
    struct sim_counter *c = &p->counter[n];
    const bool fixed = n >= ARCH_GENERAL;
    const struct sim_event *e =
        fixed ? &arch_events[fixed_event[n - ARCH_GENERAL]] : event_of(s, SEL_CODE(c->select));
    bool modelled = e && sim_event_modelled(e) && (fixed || !unavailable(p->traits, e));
    if (modelled) memcpy(c->terms, e->terms, sizeof c->terms);
    if (modelled && !fixed) modelled = qualify(s, c);
    if (modelled && !fixed && !arch_counter_takes(s, n, SEL_CODE(c->select)))
        memset(c->terms, 0, sizeof c->terms); /* this counter does not see the event */
    sim_counter_resolved(c, modelled, e ? e->name : raw_name(p, SEL_CODE(c->select)));
}
