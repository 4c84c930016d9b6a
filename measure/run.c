#include "measure/run.h"
#include "kernel/hw.h"
#include "measure/bracket.h"
#include <stdio.h>
#include <string.h>

#define OVERHEAD_REPS 100
#define MSR_SMI_COUNT 0x34

PAYLOAD static void empty_payload(void *arg) { (void)arg; }

/* SDM vol. 4: MSR_SMI_COUNT from Nehalem on and from Silvermont on, not on Bonnell and Saltwell (1Ch, 26h,
 * 27h, 35h, 36h). Under a hypervisor it reads what the hypervisor makes up. */
bool smi_counter_present(const struct cpu_id *id)
{
    static const uint8_t without[] = {0x1c, 0x1d, 0x26, 0x27, 0x35, 0x36};
    uint64_t v;
    if (strcmp(id->vendor, "GenuineIntel") != 0 || id->family != 6 || id->model < 0x1a) return false;
    if (id->has_hypervisor || memchr(without, (int)id->model, sizeof without)) return false;
    return rdmsr_safe(MSR_SMI_COUNT, &v);
}

uint32_t smi_counter_read(void)
{
    uint64_t v = 0;
    rdmsr_safe(MSR_SMI_COUNT, &v);
    return (uint32_t)v;
}

/* The least of many empty brackets, warm: what the bracket itself costs. The least, so that no result goes
 * below zero because one overhead was disturbed. */
static uint64_t measure_overhead(bracket_fn *bracket)
{
    struct reading r;
    uint64_t least = UINT64_MAX;
    for (unsigned i = 0; i < OVERHEAD_REPS; i++) {
        bracket(empty_payload, NULL, &r);
        if (r.tsc[1] - r.tsc[0] < least) least = r.tsc[1] - r.tsc[0];
    }
    return least;
}

static bool cancelled(const struct machine *m) { return m->cancelled && m->cancelled(); }

static void measure_reps(struct run *run, const struct options *opt, const struct machine *m)
{
    bracket_fn *bracket = brackets[opt->serialize].run;
    struct reading r;
    run->overhead = measure_overhead(bracket);
    /* After the overhead, which trains the call's prediction for the empty payload. */
    for (unsigned i = 0; i < opt->warmup; i++) bracket(run->bench.payload, run->bench.arg, &r);
    for (unsigned i = 0; i < run->reps; i++) {
        if (cancelled(m)) {
            run->status = RUN_CANCELLED;
            return;
        }
        uint32_t smis = m->smi_counter ? smi_counter_read() : 0, strays = *m->strays;
        bracket(run->bench.payload, run->bench.arg, &r);
        if (m->smi_counter && smi_counter_read() != smis) run->flags[i] |= REP_SMI;
        if (*m->strays != strays) run->flags[i] |= REP_STRAY;
        run->raw[i] = r.tsc[1] - r.tsc[0];
    }
}

/* A series times itself: one call, the differences of its stamps are the repetitions. */
static void measure_series(struct run *run, const struct machine *m)
{
    uint32_t smis = m->smi_counter ? smi_counter_read() : 0, strays = *m->strays;
    run->bench.payload(run->bench.arg);
    if (m->smi_counter) run->smis = smi_counter_read() - smis;
    run->strays = *m->strays - strays;
    for (unsigned i = 0; i < run->reps; i++) run->raw[i] = run->bench.stamps[i + 1] - run->bench.stamps[i];
}

static bool prepare(struct run *run, const struct options *opt, const struct machine *m, struct arena *arena)
{
    const struct bench *b = run->item->bench;
    struct bench_run *br = &run->bench;
    memset(br, 0, sizeof *br);
    memcpy(br->param, run->item->param, sizeof br->param);
    br->caches = m->caches;
    br->tsc_hz = m->tsc_hz;
    br->arena = arena;
    br->payload = b->variant[run->item->variant].payload;
    br->ops = 1;
    br->arg = arena_alloc(arena, BENCH_ARG_BYTES, BENCH_ARG_BYTES);
    if (!br->arg) {
        run->status = RUN_MEMORY;
        return false;
    }
    if (b->prepare && !b->prepare(br)) {
        run->status = RUN_PREPARE;
        return false;
    }
    run->reps = br->stamp_count ? (unsigned)br->stamp_count : opt->reps;
    run->raw = arena_alloc(arena, run->reps * sizeof *run->raw, 64);
    run->flags = arena_alloc(arena, run->reps, 64);
    if (!run->raw || !run->flags) {
        run->status = RUN_MEMORY;
        snprintf(br->error, sizeof br->error, "%u repetitions do not fit into the memory that is left",
                 run->reps);
        return false;
    }
    memset(run->raw, 0, run->reps * sizeof *run->raw); /* touched before the first repetition */
    memset(run->flags, 0, run->reps);
    return true;
}

void run_item(const struct plan_item *item, const struct options *opt, const struct machine *m,
              struct arena *arena, struct run *run)
{
    struct trap_guard guard;
    memset(run, 0, sizeof *run);
    run->item = item;
    arena->used = 0;
    if (trap_guard_arm(&guard) != 0) {
        run->status = RUN_TRAP;
        run->trap = guard.trap;
        return;
    }
    if (prepare(run, opt, m, arena)) {
        if (run->bench.stamp_count)
            measure_series(run, m);
        else
            measure_reps(run, opt, m);
    }
    trap_guard_disarm(&guard);
}
