#include "measure/run.h"
#include "kernel/core_clock.h"
#include "kernel/hw.h"
#include "kernel/model.h"
#include "kernel/repeated.h"
#include "kernel/smi.h"
#include "measure/arm.h"
#include "measure/elsewhere.h"
#include "measure/neighbour.h"
#include "measure/preset.h"
#include "measure/region_reps.h"
#include "measure/trace.h"
#include "measure/watchdog.h"
#include <stdio.h>
#include <string.h>

#define OVERHEAD_REPS   100
#define OVERHEAD_WARMUP 4

PAYLOAD static void empty_payload(void *arg) { (void)arg; }

bool cpu_lacks(const struct cpu *cpu, unsigned counter)
{
    return cpu->machine->modelled && model_lacks(cpu->pmu->rdpmc_index[counter]);
}

/* b if it is less than a or a is not to be kept; without a branch. */
static inline uint64_t least(uint64_t a, uint64_t b, bool stays)
{
    const uint64_t take = -(uint64_t)((b < a) | !stays);
    return a ^ ((a ^ b) & take);
}

/* The cost of the bracket itself: the least of many empty brackets, for each event separately. It is the
 * least, so that no result goes below zero because one overhead was disturbed. Warm-ups come first: for
 * events that count more when warm (hits) a cold bracket would be the least. The same branches precede every
 * bracket, also those of the warm-up: a branch that a Pentium meets for the first time can evict the
 * bracket's own from its buffer. */
static void measure_overhead(struct run *run, const struct execution *x)
{
    for (unsigned i = 0; i < OVERHEAD_WARMUP + OVERHEAD_REPS; i++) {
        execute(x, empty_payload, NULL);
        for (unsigned k = 0; k < run->n; k++) {
            const uint64_t value = k ? execution_count(x, k - 1) : execution_ticks(x);
            run->count[k].overhead = least(run->count[k].overhead, value, i > OVERHEAD_WARMUP);
        }
    }
}

/* For the calibration of markers, which also needs the bracket's counts. */
static void call_once(const void *ctx, payload_fn *payload, void *arg, uint64_t *raw)
{
    const struct execution *x = ctx;
    execute(x, payload, arg);
    raw[0] = execution_ticks(x);
    for (unsigned i = 0; i < x->counters; i++) raw[1 + i] = execution_count(x, i);
}

/* Without program.before: the calibration makes its own states of the caches. A separate function, so that it
 * takes no line of the repeated code. */
static __attribute__((noinline)) void calibrate_regions(struct regions *regions, const struct execution *x)
{
    struct execution plain = *x;
    plain.before = NULL;
    watchdog_pause();
    regions_calibrate(regions, &(struct region_runner){&plain, call_once, &regions->states});
    watchdog_resume();
}

static bool cancelled(const struct cpu *cpu) { return cpu->cancelled && cpu->cancelled(); }

/* First entries with cold caches, after the repetitions, which stay as warm as those of any benchmark. */
static void measure_first(struct run *run, const struct execution *x)
{
    regions_reset(run->regions);
    hw_flush_caches();
    execute(x, run->bench.payload, run->bench.arg);
    regions_gather_first(run->regions);
}

/* Warm-ups are repetitions whose values the first real one overwrites. So the same code runs before every
 * repetition that is kept, and evicts the same lines and branches. False: one took too long for fast
 * readings.
 */
REPEATED static bool measure_reps(struct run *run, const struct options *opt, const struct cpu *cpu,
                                  const struct execution *x, payload_fn *payload)
{
    const uint64_t longest = x->mask >> MOST_A_TICK_LOG2;
    const bool upper = !x->fast && cpu->pmu->fast_rdpmc;
    if (!run->base_flags) measure_overhead(run, x);
    if (run->regions) calibrate_regions(run->regions, x);
    /* After the overhead, which trains the call's prediction for the empty payload. */
    for (unsigned left = opt->warmup + run->reps, i = 0; left; left--) {
        const bool kept = left <= run->reps;
        if (cancelled(cpu)) {
            run->status = RUN_CANCELLED;
            return true;
        }
        if (run->regions) regions_reset(run->regions);
        uint32_t smis = cpu->smi_counter ? smi_counter_read() : 0, strays = *cpu->strays;
        execute(x, payload, run->bench.arg);
        run->flags[i] = *cpu->strays != strays ? REP_STRAY : 0;
        if (cpu->smi_counter && smi_counter_read() != smis) run->flags[i] |= REP_SMI;
        const uint64_t ticks = run->count[0].raw[i] = execution_ticks(x);
        const bool round = ticks > longest;
        if (x->fast && round) return false;
        for (unsigned k = 1; k < run->n; k++) {
            const uint64_t value = run->count[k].raw[i] = execution_count(x, k - 1);
            run->count[k].wrapped |= kept & round;
            run->count[k].upper_bits |= kept & upper & (value >> 32 != 0);
        }
        if (run->regions && kept) regions_gather(run->regions);
        i += kept;
    }
    if (run->regions) measure_first(run, x);
    return true;
}

/* The baseline's values take the places of the payload's, and back. */
static void swap_baseline(struct run *run)
{
    uint8_t *flags = run->flags;
    run->flags = run->base_flags;
    run->base_flags = flags;
    for (unsigned k = 0; k < run->n; k++) {
        uint64_t *raw = run->count[k].raw;
        run->count[k].raw = run->count[k].base;
        run->count[k].base = raw;
    }
}

/* As measure_reps(), with the baseline first where there is one. */
static bool measure_payloads(struct run *run, const struct options *opt, const struct cpu *cpu,
                             const struct execution *x)
{
    if (run->bench.baseline) {
        swap_baseline(run);
        const bool short_enough = measure_reps(run, opt, cpu, x, run->bench.baseline);
        swap_baseline(run);
        if (!short_enough || run->status != RUN_OK) return short_enough;
    }
    return measure_reps(run, opt, cpu, x, run->bench.payload);
}

/* A series times itself: it is one call, and the differences of its stamps are the repetitions. It counts no
 * events. */
static void measure_series(struct run *run, const struct cpu *cpu, struct execution *x)
{
    uint32_t smis = cpu->smi_counter ? smi_counter_read() : 0, strays = *cpu->strays;
    run->n = 1;
    execution_no_bracket(x);
    execute(x, run->bench.payload, run->bench.arg);
    if (cpu->smi_counter) run->smis = smi_counter_read() - smis;
    run->strays = *cpu->strays - strays;
    for (unsigned i = 0; i < run->reps; i++)
        run->count[0].raw[i] = run->bench.stamps[i + 1] - run->bench.stamps[i];
}

static bool take_values(struct run *run, const struct options *opt, struct arena *arena)
{
    char what[32];
    run->reps = run->bench.stamp_count ? (unsigned)run->bench.stamp_count : opt->reps;
    snprintf(what, sizeof what, "%u repetitions", run->reps);
    run->flags = run_alloc(run, arena, run->reps, 64, what);
    for (unsigned k = 0; k < run->n; k++)
        run->count[k].raw = run_alloc(run, arena, run->reps * sizeof(uint64_t), 64, what);
    if (!run->bench.baseline) return run->status == RUN_OK;
    run->base_flags = run_alloc(run, arena, run->reps, 64, what);
    for (unsigned k = 0; k < run->n; k++)
        run->count[k].base = run_alloc(run, arena, run->reps * sizeof(uint64_t), 64, what);
    return run->status == RUN_OK;
}

static void measure(void *ctx)
{
    struct measuring *t = ctx;
    struct run *run = t->run;
    const struct cpu *cpu = t->cpu;
    struct core_clock from, to;
    arm_choose(t);
    if (!execution_prepare(run, cpu, t->opt, t->arena) || !take_values(run, t->opt, t->arena)) return;
    if (!execution_open(&t->x, run, t->opt->ring, t->arena)) return;
    if (cpu->core_clock) core_clock_read(&from);
    if (run->bench.stamp_count) {
        execution_watch(&t->x, run, t->opt, cpu);
        measure_series(run, cpu, &t->x);
    } else if (arm(t) && (!presets_wanted(t) || presets_calibrate(t))) {
        execution_watch(&t->x, run, t->opt, cpu);
        if (run->bench.presets) presets_begin(t);
        if (run->bench.once) execute(&t->x, run->bench.once, run->bench.arg);
        while (!measure_payloads(run, t->opt, cpu, &t->x)) arm_change_width(t);
        if (run->status == RUN_OK && run->trace && run->trace->asked) trace_call(run->trace, &t->x);
        cpu_state_restore(&t->state); /* at once: what follows computes */
        if (run->bench.presets) presets_end(t);
        if (run->counts_smis) run->smis = (unsigned)cpu->pmu->ops->read(cpu->pmu, run->smi_counter);
        const char *fault = run->bench.fault && run->status == RUN_OK ? run->bench.fault(&run->bench) : NULL;
        if (fault) run_refuse(run, RUN_PREPARE, "%s", fault);
        for (unsigned k = 1; k < run->n; k++) /* the counters still run */
            run->count[k].unmodelled = cpu_lacks(cpu, run->count[k].counter);
        if (run->status == RUN_OK && run->regions && !region_reps_complete(run->regions))
            arm_refuse_reps(run, region_reps_regions(run->regions));
    }
    if (cpu->core_clock) {
        core_clock_read(&to);
        run->core_per_tsc = core_clock_ratio(&from, &to);
    }
}

void run_name_events(struct run *run, const struct options *opt, const struct group *group)
{
    run->n = 1;
    run->count[0].event = "tsc";
    for (unsigned i = 0; group && i < group->n; i++, run->n++) {
        run->count[run->n].event = opt->event[group->event[i]].name;
        run->count[run->n].counter = group->counter[i];
        run->count[run->n].overcounts = opt->event[group->event[i]].overcounts;
    }
}

/* What is executed on the measured processor, but for its payload's policy. */
static void on_its_processor(void *ctx)
{
    const struct measuring *of = ctx;
    struct measuring t = *of; /* in no line that the processor which waits uses */
    struct run *run = t.run;
    cpu_state_save(&t.state);
    run_guarded(run, measure, &t);
    watchdog_end();
    run_judge_end(run);
    cpu_state_restore(&t.state); /* after a trap, too */
    if (run->n > 1 || run->counts_smis) t.cpu->pmu->ops->stop(t.cpu->pmu);
}

/* run: empty except for the plan item. */
static void run_any(const struct options *opt, const struct cpu *cpu, const struct group *group,
                    struct arena *arena, struct run *run)
{
    struct measuring t = {.run = run, .opt = opt, .cpu = cpu, .group = group, .arena = arena};
    run_name_events(run, opt, group);
    run->bench.fence = serializers[opt->serialize].fence;
    run->bench.fence_bytes = serializers[opt->serialize].fence_bytes;
    arena->used = 0;
    if (!neighbours_begin(run, opt, cpu, arena)) return;
    run_elsewhere(cpu, run, on_its_processor, &t);
    neighbours_end(run, opt);
}

void run_program(const struct program *program, const struct options *opt, const struct cpu *cpu,
                 const struct group *group, struct arena *arena, struct run *run)
{
    memset(run, 0, sizeof *run);
    run->program = *program;
    run_any(opt, cpu, group, arena, run);
}

void run_item(const struct plan_item *item, const struct options *opt, const struct cpu *cpu,
              const struct group *group, struct arena *arena, struct run *run)
{
    memset(run, 0, sizeof *run);
    run->program = bench_program(item->bench, item->variant);
    run->item = item;
    run_any(opt, cpu, group, arena, run);
}
