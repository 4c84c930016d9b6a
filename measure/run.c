#include "measure/run.h"
#include "kernel/core_clock.h"
#include "kernel/hw.h"
#include "kernel/model.h"
#include "kernel/repeated.h"
#include "kernel/smi.h"
#include "kernel/user.h"
#include "measure/bracket.h"
#include "measure/reading.h"
#include <stdio.h>
#include <string.h>

#define OVERHEAD_REPS   100
#define OVERHEAD_WARMUP 4
#define USER_STACK      16384

/* A counter of n bits cannot have gone round unseen in less than 2^(n - 4) ticks: no event adds more than 15
 * a clock (on NetBurst a threshold has four bits, SDM vol. 3B 18.15.3; elsewhere that is more than retires).
 */
#define MOST_A_TICK_LOG2 4

_Static_assert(BRACKET_COUNTERS == PMU_COUNTERS && READING_COUNTERS == PMU_COUNTERS,
               "a group's counters are read by one bracket");

PAYLOAD static void empty_payload(void *arg) { (void)arg; }

bool cpu_lacks(const struct cpu *cpu, unsigned counter)
{
    return cpu->machine->modelled && model_lacks(cpu->pmu->rdpmc_index[counter]);
}

/* How this run's brackets are executed. */
struct exec {
    bracket_fn *bracket;
    struct reading *reading;                     /* in the arena, where ring 3 can write it */
    void *user_stack;                            /* its top; NULL: ring 0 */
    unsigned counters;                           /* that are read */
    uint64_t mask;                               /* of the counters' width */
    bool fast;                                   /* only their low 32 bits are read */
    unsigned many;                               /* counters of bracket_many, which wants sums; else 0 */
    void (*before)(const struct bench_run *run); /* of the benchmark, */
    const struct bench_run *run;                 /* and its argument */
};

/* The lines that a bracket writes: of its reading, of the stack below, and of that at CPL 3. Where writes
 * fill no cache (a Pentium's do not) they would hit or miss by what else had run since, and other things run
 * between the brackets of the overhead than between repetitions. */
static inline __attribute__((always_inline)) void fetch_written(const struct exec *x)
{
    const volatile uint32_t *stack = __builtin_frame_address(0), *user = x->user_stack;
    const volatile struct reading *r = x->reading;
    (void)(stack[-8], stack[-16], stack[-24]);
    if (user) (void)(user[-1], user[-9], user[-17]);
    (void)(r->tsc[0], r->start[0], r->start[1], r->end[0], r->end[1]);
}

REPEATED static void bracket_once(const struct exec *x, payload_fn *payload, void *arg)
{
    if (x->before) x->before(x->run);
    fetch_written(x);
    if (x->many) /* start[] is zero from the beginning */
        memset(x->reading->end, 0, x->many * sizeof x->reading->end[0]);
    if (x->user_stack)
        user_call(x->user_stack, (user_fn *)x->bracket, (void *)payload, arg, x->reading);
    else
        x->bracket(payload, arg, x->reading);
}

/* What a reading has come to: the time stamp, and the counters in the order in which they were read. Inlined:
 * each call would take three entries of a branch target buffer.
 */
static inline __attribute__((always_inline)) uint64_t ticks_of(const struct exec *x)
{
    return x->reading->tsc[1] - x->reading->tsc[0];
}
static inline __attribute__((always_inline)) uint64_t count_of(const struct exec *x, unsigned i)
{
    return (x->reading->end[i] - x->reading->start[i]) & x->mask;
}

/* The least of many empty brackets, warm: what the bracket itself costs, for every event by itself. The
 * least, so that no result goes below zero because one overhead was disturbed. */
static void measure_overhead(struct run *run, const struct exec *x)
{
    /* Warm first: events that count more when warm (hits) would take a cold bracket for the least. */
    for (unsigned i = 0; i < OVERHEAD_WARMUP; i++) bracket_once(x, empty_payload, NULL);
    for (unsigned k = 0; k < run->n; k++) run->count[k].overhead = UINT64_MAX;
    for (unsigned i = 0; i < OVERHEAD_REPS; i++) {
        bracket_once(x, empty_payload, NULL);
        for (unsigned k = 0; k < run->n; k++) {
            const uint64_t value = k ? count_of(x, k - 1) : ticks_of(x);
            if (value < run->count[k].overhead) run->count[k].overhead = value;
        }
    }
}

/* For the calibration of markers: what the bracket has counted, too. */
static void call_once(const void *ctx, payload_fn *payload, void *arg, uint64_t *raw)
{
    const struct exec *x = ctx;
    bracket_once(x, payload, arg);
    raw[0] = ticks_of(x);
    for (unsigned i = 0; i < x->counters; i++) raw[1 + i] = count_of(x, i);
}

/* Without what the benchmark does before each bracket: the calibration makes its own states of the caches.
 * Apart, so that it takes no line of what is repeated. */
static __attribute__((noinline)) void calibrate_regions(struct regions *regions, const struct exec *x)
{
    struct exec plain = *x;
    plain.before = NULL;
    regions_calibrate(regions, &(struct region_runner){&plain, call_once, &regions->states});
}

static bool cancelled(const struct cpu *cpu) { return cpu->cancelled && cpu->cancelled(); }

/* First entries with cold caches, after the repetitions, which stay as warm as those of any benchmark. */
static void measure_first(struct run *run, const struct exec *x)
{
    regions_reset(run->regions);
    hw_flush_caches();
    bracket_once(x, run->bench.payload, run->bench.arg);
    regions_gather_first(run->regions);
}

/* From full readings by RDPMC to fast ones, or back. */
static void change_width(struct run *run, const struct pmu *pmu, struct exec *x)
{
    x->fast = !x->fast;
    x->mask = UINT64_MAX >> (64 - (x->fast ? 32 : pmu->width));
    run->read = x->fast ? "fast rdpmc" : "rdpmc";
    for (unsigned i = 0; i + 1 < run->n; i++) x->reading->select[i] ^= PMU_RDPMC_FAST;
}

/* False: it took too long for fast readings. */
REPEATED static bool measure_reps(struct run *run, const struct options *opt, const struct cpu *cpu,
                                  const struct exec *x)
{
    const uint64_t longest = x->mask >> MOST_A_TICK_LOG2;
    const bool upper = !x->fast && cpu->pmu->fast_rdpmc;
    measure_overhead(run, x);
    if (run->regions) calibrate_regions(run->regions, x);
    /* After the overhead, which trains the call's prediction for the empty payload. Warm-ups are repetitions
     * that the first one overwrites: what runs between two brackets is then the same before all that stay,
     * and evicts the same lines. */
    for (unsigned i = 0, warm = opt->warmup; i < run->reps; i += warm == 0, warm -= warm != 0) {
        if (cancelled(cpu)) {
            run->status = RUN_CANCELLED;
            return true;
        }
        if (run->regions) regions_reset(run->regions);
        uint32_t smis = cpu->smi_counter ? smi_counter_read() : 0, strays = *cpu->strays;
        bracket_once(x, run->bench.payload, run->bench.arg);
        run->flags[i] = *cpu->strays != strays ? REP_STRAY : 0;
        if (cpu->smi_counter && smi_counter_read() != smis) run->flags[i] |= REP_SMI;
        const uint64_t ticks = run->count[0].raw[i] = ticks_of(x);
        const bool round = ticks > longest;
        if (x->fast && round) return false;
        for (unsigned k = 1; k < run->n; k++) {
            const uint64_t value = run->count[k].raw[i] = count_of(x, k - 1);
            run->count[k].wrapped |= round;
            run->count[k].upper_bits |= upper & (value >> 32 != 0);
        }
        if (run->regions && !warm) regions_gather(run->regions);
    }
    if (run->regions) measure_first(run, x);
    return true;
}

/* A series times itself: one call, the differences of its stamps are the repetitions. No bracket, no events.
 */
static void measure_series(struct run *run, const struct cpu *cpu, void *user_stack)
{
    uint32_t smis = cpu->smi_counter ? smi_counter_read() : 0, strays = *cpu->strays;
    run->n = 1;
    if (user_stack)
        user_call(user_stack, (user_fn *)(uintptr_t)run->bench.payload, run->bench.arg, NULL, NULL);
    else
        run->bench.payload(run->bench.arg);
    if (cpu->smi_counter) run->smis = smi_counter_read() - smis;
    run->strays = *cpu->strays - strays;
    for (unsigned i = 0; i < run->reps; i++)
        run->count[0].raw[i] = run->bench.stamps[i + 1] - run->bench.stamps[i];
}

/* Memory that is written before the first repetition; NULL marks the run. */
static void *take(struct run *run, struct arena *arena, size_t bytes, size_t align)
{
    void *p = arena_alloc(arena, bytes, align);
    if (p) {
        memset(p, 0, bytes);
        return p;
    }
    run->status = RUN_MEMORY;
    snprintf(run->bench.error, sizeof run->bench.error, "%u repetitions do not fit into the free memory",
             run->reps);
    return NULL;
}

bool run_prepare(struct run *run, const struct options *opt, const struct cpu *cpu, struct arena *arena)
{
    const struct bench *b = run->item->bench;
    struct bench_run *br = &run->bench;
    memcpy(br->param, run->item->param, sizeof br->param);
    br->caches = &cpu->caches;
    br->tsc_hz = cpu->machine->clock.tsc_hz;
    br->arena = arena;
    br->payload = b->variant[run->item->variant].payload;
    br->ops = 1;
    if (!(br->arg = take(run, arena, BENCH_ARG_BYTES, BENCH_ARG_BYTES))) return false;
    if (b->regions) {
        if (!(run->regions = take(run, arena, sizeof *run->regions, 64))) return false;
        br->regions = run->regions->table = take(run, arena, sizeof *br->regions, 4096);
        if (!br->regions) return false;
    }
    if (b->prepare && !b->prepare(br)) {
        run->status = RUN_PREPARE;
        return false;
    }
    run->reps = br->stamp_count && !opt->sample ? (unsigned)br->stamp_count : opt->reps;
    run->flags = take(run, arena, run->reps, 64);
    for (unsigned k = 0; k < run->n; k++)
        run->count[k].raw = take(run, arena, run->reps * sizeof(uint64_t), 64);
    return run->status == RUN_OK;
}

/* With ring=3 its stack in *top, else NULL. False: no memory. */
static bool user_stack(struct run *run, const struct options *opt, struct arena *arena, void **top)
{
    uint8_t *stack = opt->ring == 3 ? take(run, arena, USER_STACK, 4096) : NULL;
    *top = stack ? stack + USER_STACK : NULL;
    return stack || opt->ring != 3;
}

/* Program the group's counters and choose the bracket that reads them. */
static bool arm(struct run *run, const struct options *opt, const struct cpu *cpu, const struct group *group,
                struct arena *arena, struct exec *x)
{
    const struct pmu_code *code[PMU_COUNTERS] = {NULL};
    enum reader reader = READER_NONE;
    *x = (struct exec){.mask = UINT64_MAX,
                       .reading = take(run, arena, sizeof *x->reading, 512),
                       .counters = run->n - 1,
                       .before = run->item->bench->before,
                       .run = &run->bench};
    if (!x->reading || !user_stack(run, opt, arena, &x->user_stack)) return false;
    if (run->n > 1) {
        bool by_rdpmc = opt->ring == 3 ? cpu->pmu->user_rdpmc : cpu->pmu->rdpmc;
        reader = by_rdpmc ? READER_RDPMC : opt->ring == 3 ? READER_GATE : READER_RDMSR;
        x->mask = UINT64_MAX >> (64 - cpu->pmu->width);
        run->read = by_rdpmc ? "rdpmc" : "rdmsr";
        for (unsigned i = 0; i < group->n; i++) {
            code[group->counter[i]] = &opt->event[group->event[i]];
            x->reading->select[i] =
                (by_rdpmc ? cpu->pmu->rdpmc_index : cpu->pmu->counter_msr)[group->counter[i]];
        }
        /* Not with regions, which add up many readings, nor without a serialising instruction between the
         * two: the second one may read less than the first then (SDM vol. 2, RDPMC), and LFENCE is none. */
        if (by_rdpmc && cpu->pmu->fast_rdpmc && !run->regions && opt->serialize == SERIALIZE_CPUID)
            change_width(run, cpu->pmu, x);
        if (!cpu->pmu->ops->program(cpu->pmu, code, run->bench.error, sizeof run->bench.error)) {
            run->status = RUN_PMU;
            return false;
        }
    }
    x->bracket = bracket_find(opt->serialize, reader, run->n - 1);
    if (!x->bracket || (run->regions && !regions_arm(run->regions, opt->serialize, reader, x->reading->select,
                                                     run->n - 1, x->mask))) {
        run->status = RUN_PMU;
        snprintf(run->bench.error, sizeof run->bench.error, "no bracket reads %u counters this way",
                 run->n - 1);
        return false;
    }
    if (run->regions && !region_states_prepare(&run->regions->states, &cpu->caches, arena)) {
        run->status = RUN_MEMORY;
        snprintf(
            run->bench.error, sizeof run->bench.error,
            "measuring the cost of the regions' markers needs %u KiB of memory in addition to the payload's",
            region_states_kib(&run->regions->states));
        return false;
    }
    if (x->bracket == bracket_many) {
        x->many = run->n - 1;
        slots_prepare(&x->reading->slots, opt->serialize, x->reading->select, x->many);
    }
    if (run->n > 1) cpu->pmu->ops->start(cpu->pmu);
    return true;
}

static void name_events(struct run *run, const struct options *opt, const struct group *group)
{
    run->n = 1;
    run->count[0].event = "tsc";
    for (unsigned i = 0; group && i < group->n; i++, run->n++) {
        run->count[run->n].event = opt->event[group->event[i]].name;
        run->count[run->n].counter = group->counter[i];
        run->count[run->n].overcounts = opt->event[group->event[i]].overcounts;
    }
}

void run_item(const struct plan_item *item, const struct options *opt, const struct cpu *cpu,
              const struct group *group, struct arena *arena, struct run *run)
{
    struct trap_guard guard;
    struct exec x;
    memset(run, 0, sizeof *run);
    run->item = item;
    name_events(run, opt, group);
    arena->used = 0;
    if (trap_guard_arm(&guard) != 0) {
        run->status = RUN_TRAP;
        run->trap = guard.trap;
    } else {
        if (run_prepare(run, opt, cpu, arena)) {
            struct core_clock from, to;
            if (cpu->core_clock) core_clock_read(&from);
            if (run->bench.stamp_count) {
                if (user_stack(run, opt, arena, &x.user_stack)) measure_series(run, cpu, x.user_stack);
            } else if (arm(run, opt, cpu, group, arena, &x)) {
                while (!measure_reps(run, opt, cpu, &x)) change_width(run, cpu->pmu, &x);
                for (unsigned k = 1; k < run->n; k++) /* the counters still run */
                    run->count[k].unmodelled = cpu_lacks(cpu, run->count[k].counter);
            }
            if (cpu->core_clock) {
                core_clock_read(&to);
                run->core_per_tsc = core_clock_ratio(&from, &to);
            }
        }
        trap_guard_disarm(&guard);
    }
    if (run->n > 1) cpu->pmu->ops->stop(cpu->pmu);
}
