#include "measure/rates.h"
#include "kernel/smi.h"
#include "measure/elsewhere.h"
#include "measure/neighbour.h"
#include "measure/watchdog.h"
#include <string.h>

#define ROUND_UNIT_LOG2 10 /* rates.round is in 1/1024 of a tick */
#define MOST_ROUNDS     0x7fffffffu

/* ---- what the bracket calls: code and data that ring 3 may use ---- */

struct rates_loop {
    payload_fn *payload;
    void *arg;
    uint32_t rounds;
    uint64_t ticks; /* of the idle loop */
};

/* Where ring 3 may execute it, behind all payloads (linker.ld). */
#define LOOP __attribute__((section(".payload.series"), noinline))

LOOP static void repeat(void *arg)
{
    const struct rates_loop *loop = arg;
    payload_fn *const payload = loop->payload;
    void *const of = loop->arg;
    for (uint32_t left = loop->rounds; left; left--) payload(of);
}

LOOP static void wait(void *arg)
{
    const struct rates_loop *loop = arg;
    const uint64_t from = __builtin_ia32_rdtsc(), ticks = loop->ticks;
    while (__builtin_ia32_rdtsc() - from < ticks) __builtin_ia32_pause();
}

static const struct bench idle = {
    .program = {.name = "idle", .desc = "waits and reads the time stamp", .payload = wait, .variant = ""},
    .op = "wait"};

/* ---- on the measured processor ---- */

static uint64_t smis_so_far(const struct rates *r)
{
    const struct cpu *cpu = r->t.cpu;
    if (cpu->smi_counter) return smi_counter_read();
    return r->run.counts_smis ? cpu->pmu->ops->read(cpu->pmu, r->run.smi_counter) : 0;
}

/* One bracket around so many calls (idle: so many ticks). Returns the ticks that it took. */
static uint64_t call(struct rates *r, uint32_t rounds, uint64_t ticks)
{
    r->loop->rounds = rounds;
    r->loop->ticks = ticks;
    execute(&r->t.x, r->idle ? wait : repeat, r->loop);
    return execution_ticks(&r->t.x);
}

static void learn(struct rates *r, uint32_t rounds, uint64_t ticks)
{
    r->round = (ticks << ROUND_UNIT_LOG2) / rounds;
    if (!r->round) r->round = 1;
}

/* How many calls take this long. One at a time where something has to run before each one. */
static uint32_t rounds_of(const struct rates *r, uint64_t ticks)
{
    if (r->idle || r->t.x.before) return 1;
    const uint64_t n = (ticks << ROUND_UNIT_LOG2) / r->round + 1;
    return n < MOST_ROUNDS ? (uint32_t)n : MOST_ROUNDS;
}

/* False: the run is refused, since one of them has counted what is no count. */
static bool counts(struct rates *r, uint64_t ticks)
{
    const struct execution *x = &r->t.x;
    if (ticks > TICKS_MOST) return run_refuse_count(&r->run, "the time stamp", ticks, UINT64_MAX);
    for (unsigned i = 0; i < x->counters; i++) {
        const struct counted *c = &r->run.count[1 + i];
        const uint64_t count = execution_count(x, i);
        if (count > execution_most(x) && !c->unmodelled)
            return run_refuse_count(&r->run, c->event, count, x->mask);
    }
    return true;
}

static void add(struct rates *r, uint32_t rounds, uint64_t ticks)
{
    const struct execution *x = &r->t.x;
    r->now.ticks += ticks;
    r->now.rounds += r->idle ? 0 : rounds;
    r->now.slices++;
    r->now.wrapped |= ticks > x->mask >> MOST_A_TICK_LOG2;
    for (unsigned i = 0; i < x->counters; i++) r->now.count[i] += execution_count(x, i);
}

/* Do fast readings leave it open what was counted? */
static bool too_narrow(const struct execution *x, uint64_t ticks)
{
    if (!x->fast) return false;
    bool beyond = ticks > x->mask >> MOST_A_TICK_LOG2;
    for (unsigned i = 0; i < x->counters; i++) beyond |= execution_count(x, i) > execution_most(x);
    return beyond;
}

/* Calls until the ticks that are wanted have passed, within a sixteenth. */
static void slice(void *ctx)
{
    struct rates *r = ctx;
    const struct cpu *cpu = r->t.cpu;
    uint64_t left = r->wanted;
    watchdog_resume();
    for (const uint64_t enough = r->wanted / 16;;) {
        const uint32_t rounds = rounds_of(r, left), strays = strays_so_far(cpu->strays);
        const uint64_t smis = smis_so_far(r), ticks = call(r, rounds, left);
        learn(r, rounds, ticks);
        if (too_narrow(&r->t.x, ticks)) {
            arm_change_width(&r->t); /* 32 bits were not enough, and nobody knows what was counted */
            continue;
        }
        if (!counts(r, ticks)) break;
        add(r, rounds, ticks);
        r->now.interrupts += strays_so_far(cpu->strays) - strays;
        r->now.smis += smis_so_far(r) - smis;
        if (ticks + enough >= left) break;
        left -= ticks;
    }
    watchdog_pause();
}

static void begin(void *ctx)
{
    struct rates *r = ctx;
    struct measuring *t = &r->t;
    struct run *run = &r->run;
    arm_choose(t);
    if (!execution_prepare(run, t->cpu, t->opt, t->arena)) return;
    if (run->bench.stamp_count || run->bench.reads) {
        run_refuse(run, RUN_PREPARE,
                   "it reads the time or the counters by itself, so that it cannot run again and again "
                   "between other readings");
        return;
    }
    if (!(r->loop = run_alloc(run, t->arena, sizeof *r->loop, 64, "the loop"))) return;
    r->loop->payload = run->bench.payload;
    r->loop->arg = run->bench.arg;
    if (!execution_open(&t->x, run, t->opt->ring, t->arena) || !arm(t)) return;
    execution_watch(&t->x, run, t->opt, t->cpu);
    if (run->bench.once) execute(&t->x, run->bench.once, run->bench.arg);
    learn(r, 1, call(r, 1, 1)); /* the first guess, with cold caches: too long, if anything */
    watchdog_pause();
    run_find_unmodelled(run, t->cpu);
}

static void guarded(struct rates *r, void (*policy)(void *ctx))
{
    cpu_state_save(&r->t.state);
    run_guarded(&r->run, policy, r);
    run_judge_end(&r->run);
    cpu_state_restore(&r->t.state); /* after a trap, too */
}

static void begin_there(void *ctx) { guarded(ctx, begin); }
static void slice_there(void *ctx) { guarded(ctx, slice); }

static void end_there(void *ctx)
{
    struct rates *r = ctx;
    watchdog_end();
    if (r->run.n > 1 || r->run.counts_smis) pmu_stop(r->t.cpu->pmu);
}

/* ---- on the boot processor ---- */

bool rates_begin(struct rates *r, const struct plan_item *item, const struct options *opt,
                 const struct cpu *cpu, const struct group *group, struct arena *arena)
{
    struct run *run = &r->run;
    memset(r, 0, sizeof *r);
    r->idle = !item;
    r->item = item ? *item : (struct plan_item){.bench = &idle};
    r->item.cpu = cpu->index;
    run->item = &r->item;
    run->program = bench_program(r->item.bench, r->item.variant);
    run->cpu = cpu;
    run->bench.fence = serializers[opt->serialize].fence;
    run->bench.fence_bytes = serializers[opt->serialize].fence_bytes;
    r->t = (struct measuring){.run = run, .opt = opt, .cpu = cpu, .group = group, .arena = arena};
    run_name_events(run, opt, group);
    arena->used = 0;
    if (!neighbours_begin(run, opt, cpu, arena)) return false;
    run_elsewhere(cpu, run, begin_there, r);
    return run->status == RUN_OK;
}

/* Short enough for the user to cancel soon, and for fast readings of 32 bits. */
static uint64_t slice_of(const struct rates *r, uint64_t interval)
{
    const uint64_t hz = r->t.cpu->machine->clock.tsc_hz, longest = r->t.x.mask >> MOST_A_TICK_LOG2;
    uint64_t ticks = interval / RATES_SLICES + 1;
    if (hz && ticks > RATES_SLICE_MAX * hz) ticks = RATES_SLICE_MAX * hz;
    if (ticks > longest - longest / 4) ticks = longest - longest / 4;
    return ticks;
}

static bool cancelled(const struct cpu *cpu)
{
    const struct cpu *boot = cpu->machine->cpu[0];
    return boot->cancelled && boot->cancelled();
}

bool rates_interval(struct rates *r, uint64_t ticks, struct rates_interval *out)
{
    struct run *run = &r->run;
    r->now = (struct rates_interval){0};
    neighbours_lap(run);
    while (r->now.ticks < ticks) {
        const uint64_t left = ticks - r->now.ticks, most = slice_of(r, ticks);
        r->wanted = left < most ? left : most;
        run_elsewhere(r->t.cpu, run, slice_there, r);
        if (run->status == RUN_OK && cancelled(r->t.cpu)) run->status = RUN_CANCELLED;
        if (run->status != RUN_OK) return false;
    }
    neighbours_lap(run);
    *out = r->now;
    return true;
}

void rates_end(struct rates *r)
{
    struct run *run = &r->run;
    const enum run_status status = run->status;
    if (status != RUN_LOST) run_elsewhere(r->t.cpu, run, end_there, r);
    run->status = status;
    neighbours_end(run, r->t.opt);
}
