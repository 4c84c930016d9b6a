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
#include "measure/settle.h"
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

bool cpu_unmodelled(const struct cpu *cpu, unsigned counter)
{
    return cpu_lacks(cpu, counter) ||
           (cpu->machine->modelled && model_counts_clocks(cpu->pmu->rdpmc_index[counter]));
}

void run_find_unmodelled(struct run *run, const struct cpu *cpu)
{
    run->count[0].unmodelled = cpu->machine->modelled;
    for (unsigned k = 1; k < run->n; k++) {
        run->count[k].lacking = cpu_lacks(cpu, run->count[k].counter);
        run->count[k].unmodelled = cpu_unmodelled(cpu, run->count[k].counter);
    }
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
REPEATED static void measure_overhead(struct run *run, const struct execution *x)
{
    uint64_t overhead[1 + BRACKET_COUNTERS] = {0};
    const unsigned n = run->n;
    for (unsigned i = 0; i < OVERHEAD_WARMUP + OVERHEAD_REPS; i++) {
        execute(x, empty_payload, NULL);
        for (unsigned k = 0; k < n; k++) {
            const uint64_t value = k ? execution_count(x, k - 1) : execution_ticks(x);
            overhead[k] = least(overhead[k], value, i > OVERHEAD_WARMUP);
        }
    }
    for (unsigned k = 0; k < n; k++) run->count[k].overhead = overhead[k];
}

/* For the calibration of markers, which also needs the bracket's counts. */
REPEATED_BEHIND static void call_once(const void *ctx, payload_fn *payload, void *arg, uint64_t *raw)
{
    const struct execution *x = ctx;
    execute(x, payload, arg);
    raw[0] = execution_ticks(x);
    for (unsigned i = 0; i < x->counters; i++) raw[1 + i] = execution_count(x, i);
}

/* Without program.before: the calibration makes its own states of the caches. */
static void calibrate_regions(struct regions *regions, const struct execution *x)
{
    struct execution plain = *x;
    plain.before = NULL;
    watchdog_pause();
    regions_calibrate(regions, &(struct region_runner){&plain, call_once, &regions->states});
    watchdog_resume();
}

/* First entries with cold caches, after the repetitions, which stay as warm as those of any benchmark. */
static void measure_first(struct run *run, const struct execution *x)
{
    regions_reset(run->regions);
    hw_flush_caches();
    execute(x, run->bench.payload, run->bench.arg);
    regions_gather_first(run->regions);
}

enum repeated { REPEATS_DONE, REPEATS_CANCELLED, REPEATS_TOO_LONG /* or too many, for fast readings */ };

/* All that is used between two repetitions, but for the values, the reading and what is REPEATED_DATA: on the
 * stack, since the run and the processor lie where the linker puts them. */
struct repeats {
    uint64_t *raw[1 + BRACKET_COUNTERS];
    uint8_t *flags;
    struct regions *regions;
    void *arg;
    const volatile uint32_t *strays;
    bool (*cancelled)(void); /* NULL: never */
    bool smi_counter, upper; /* upper: the values' bits above 31 are looked at */
    unsigned n, left, reps;
    uint64_t longest;             /* more ticks than that are too many for a counter's width */
    uint32_t wrapped, upper_bits; /* bit k: of count[k] */
};

static struct repeats repeats_begin(const struct run *run, const struct options *opt, const struct cpu *cpu,
                                    const struct execution *x)
{
    struct repeats r = {.flags = run->flags,
                        .regions = run->regions,
                        .arg = run->bench.arg,
                        .strays = cpu->strays,
                        .cancelled = cpu->cancelled,
                        .smi_counter = cpu->smi_counter,
                        .upper = !x->fast && cpu->pmu->fast_rdpmc,
                        .n = run->n,
                        .left = opt->warmup + run->reps,
                        .reps = run->reps,
                        .longest = x->mask >> MOST_A_TICK_LOG2};
    for (unsigned k = 0; k < run->n; k++) r.raw[k] = run->count[k].raw;
    return r;
}

static void repeats_end(struct run *run, const struct repeats *r)
{
    for (unsigned k = 1; k < run->n; k++) {
        run->count[k].wrapped |= r->wrapped >> k & 1;
        run->count[k].upper_bits |= r->upper_bits >> k & 1;
    }
}

/* Finds values that are no counts. True: one of a counter, which full readings may show to be true if these
 * are fast; then nothing is kept. */
static bool find_impossible(struct run *run, const struct execution *x)
{
    bool any = false;
    for (unsigned k = 0; k < run->n; k++) {
        struct counted *c = &run->count[k];
        for (unsigned i = 0; i < run->reps; i++) {
            if (c->raw[i] <= (k ? execution_most(x) : TICKS_MOST)) continue;
            if (!k || !x->fast) c->impossible = c->raw[i];
            any |= k != 0;
        }
    }
    return any;
}

/* Warm-ups are repetitions whose values the first real one overwrites. So the same code runs before every
 * repetition that is kept, and evicts the same lines and branches. */
REPEATED static enum repeated repeat(struct repeats *r, const struct execution *x, payload_fn *payload)
{
    for (unsigned i = 0; r->left; r->left--) {
        const bool kept = r->left <= r->reps;
        if (r->cancelled && r->cancelled()) return REPEATS_CANCELLED;
        if (r->regions) regions_reset(r->regions);
        uint32_t smis = r->smi_counter ? smi_counter_read() : 0, strays = strays_so_far(r->strays);
        execute(x, payload, r->arg);
        r->flags[i] = strays_so_far(r->strays) != strays ? REP_STRAY : 0;
        if (r->smi_counter && smi_counter_read() != smis) r->flags[i] |= REP_SMI;
        const uint64_t ticks = r->raw[0][i] = execution_ticks(x);
        const bool round = ticks > r->longest;
        if (x->fast && round) return REPEATS_TOO_LONG;
        for (unsigned k = 1; k < r->n; k++) {
            const uint64_t value = r->raw[k][i] = execution_count(x, k - 1);
            r->wrapped |= (uint32_t)(kept & round) << k;
            r->upper_bits |= (uint32_t)(kept & r->upper & (value >> 32 != 0)) << k;
        }
        if (r->regions && kept) regions_gather(r->regions);
        i += kept;
    }
    return REPEATS_DONE;
}

/* The repetitions follow the overhead at once, so that both begin in the settled state. From there on all
 * branches have fixed addresses. */
REPEATED_BEHIND static enum repeated settle_and_repeat(struct run *run, struct repeats *r,
                                                       const struct execution *x, payload_fn *payload,
                                                       bool history)
{
    settle(history);
    if (!run->base_flags) measure_overhead(run, x);
    return repeat(r, x, payload);
}

/* Events whose counts depend on what was executed before: on caches, TLBs and predictors. The others need no
 * flush, which takes milliseconds on a large cache and disturbs other processors. */
static bool depends_on_history(const struct run *run, const struct options *opt)
{
    static const char *const never[] = {"instructions", "cycles", "branches"};
    unsigned independent = 0;
    for (unsigned k = 1; k < run->n; k++) {
        const size_t name = strcspn(run->count[k].event, ":");
        for (unsigned i = 0; i < sizeof never / sizeof *never; i++)
            independent += strlen(never[i]) == name && !strncmp(run->count[k].event, never[i], name);
    }
    return independent + 1 < run->n && !opt->n_with && !opt->together;
}

/* False: a repetition took too long for fast readings, or counted more than they can tell from less than
 * nothing. */
static bool measure_reps(struct run *run, const struct options *opt, const struct cpu *cpu,
                         const struct execution *x, payload_fn *payload)
{
    const bool history = depends_on_history(run, opt);
    if (run->regions) {
        settle(history);
        calibrate_regions(run->regions, x);
    }
    struct repeats r = repeats_begin(run, opt, cpu, x);
    enum repeated end = settle_and_repeat(run, &r, x, payload, history);
    if (end == REPEATS_DONE && find_impossible(run, x) && x->fast) end = REPEATS_TOO_LONG;
    repeats_end(run, &r);
    if (end == REPEATS_CANCELLED) run->status = RUN_CANCELLED;
    if (end == REPEATS_DONE && run->regions) measure_first(run, x);
    return end != REPEATS_TOO_LONG;
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

/* Refuses a run with a value that is no count. What the model lacks is none anyway. */
static void refuse_impossible(struct run *run, const struct execution *x)
{
    for (unsigned k = 0; run->status == RUN_OK && k < run->n; k++) {
        const struct counted *c = &run->count[k];
        const uint64_t value = c->impossible ? c->impossible : run->regions ? run->regions->impossible[k] : 0;
        if (value && !c->lacking)
            run_refuse_count(run, k ? c->event : "the time stamp", value, k ? x->mask : UINT64_MAX);
    }
}

/* A series times itself: it is one call, and the differences of its stamps are the repetitions. It counts no
 * events. */
static void measure_series(struct run *run, const struct cpu *cpu, struct execution *x)
{
    uint32_t smis = cpu->smi_counter ? smi_counter_read() : 0, strays = strays_so_far(cpu->strays);
    run->n = 1;
    execution_no_bracket(x);
    execute(x, run->bench.payload, run->bench.arg);
    if (cpu->smi_counter) run->smis = smi_counter_read() - smis;
    run->strays = strays_so_far(cpu->strays) - strays;
    for (unsigned i = 0; i < run->reps; i++) {
        const uint64_t ticks = run->count[0].raw[i] = run->bench.stamps[i + 1] - run->bench.stamps[i];
        if (ticks > TICKS_MOST) run->count[0].impossible = ticks;
    }
    refuse_impossible(run, x);
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
    struct measuring here = *(const struct measuring *)ctx; /* in its part of the stack: kernel/repeated.h */
    struct measuring *const t = &here;
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
        run_find_unmodelled(run, cpu);
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
        run_find_unmodelled(run, cpu);
        refuse_impossible(run, &t->x);
        if (run->status == RUN_OK && !arm_unmoved(t))
            run_refuse(
                run, RUN_PMU,
                "Linux moved a counter during the run, since another program uses some; measure again");
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
        run->count[run->n].errata = opt->event[group->event[i]].errata;
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
    if (run->n > 1 || run->counts_smis) pmu_stop(t.cpu->pmu);
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
