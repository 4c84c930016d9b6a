/* How long a line takes from one processor to another.
 *
 * Two processors hand one word back and forth: each waits until it has the value that the other one writes,
 * and writes the next. Half of a round trip is the latency of one way: from a store to the end of the load
 * that sees it. All pairs make a matrix.
 *
 * by=1 waits with loads and writes with a store. So the line changes hands exactly twice in a round trip,
 * whatever the two execute in between: one who waits has its own copy, which is taken away by the other's
 * store, once. by=2 is one LOCK CMPXCHG for both, as the tool core-to-core-latency does it
 * (docs/core-to-core.md); one who waits then takes the line each time that it looks. by=3 has a PREFETCHW
 * before each look, which asks for the line to be written and not only read. */
#include "experiments/several.h"
#include "measure/pairs.h"
#include <math.h>
#include <stdio.h>

enum { BY, TRIPS, PAIRS };
enum by { LOAD_STORE = 1, CAS, PREFETCHW, BYS };
#define CPUID_X1_ECX_PREFETCHW (1u << 8) /* leaf 80000001h */

#define WARM 20 /* round trips first */

/* Each hand-over takes the line once from the cache where it was modified. A P6 counts that where it was; on
 * the others it is the load that misses the first-level cache, which each arrival is, and little else here.
 */
static const char *const events[] = {
    "bus_hitm_drv|mem_load_retired:l1_miss|mem_load_uops_retired:l1_miss|mem_load_retired:l1d_line_miss|"
    "1stl_cache_load_miss_retired|data_read_miss",
    NULL};
enum { TRANSFERS };

struct side {
    volatile uint32_t *word;
    struct barrier *barrier;
    unsigned me, reps, trips;
    uint32_t value; /* that it waits for; it writes the next one */
    uint64_t patience;
    uint64_t *ticks;        /* of each repetition; NULL: the other side has them */
    uint64_t began, budget; /* the side with ticks ends the repetitions after this time */
    unsigned left;          /* round trips that an unfinished rally lacks */
    unsigned reps_done;
    uint32_t trips_done;
    bool enough; /* the budget is spent */
    struct lab_counting counting;
    uint64_t count; /* transfers, from the first repetition's beginning to the last one's end */
    bool through;   /* the other one has answered until the end */
};

/* ---- the ways ---- */

static inline __attribute__((always_inline)) bool look(struct side *s, enum by by)
{
    if (by == PREFETCHW) __asm__ volatile("prefetchw (%0)" ::"r"(s->word) : "memory");
    if (by != CAS) return *s->word == s->value;
    uint32_t was = s->value;
    __asm__ volatile("lock; cmpxchgl %2, %1"
                     : "+a"(was), "+m"(*s->word)
                     : "r"(s->value + 1)
                     : "memory", "cc");
    return was == s->value;
}

/* It has the word when this returns true or s->enough is set, and with CAS it has written it, too. Where two
 * processors are two threads of an emulator, the other one is perhaps not executed at all while this one
 * waits, which makes a way some milliseconds long: such waits look at the clock, and those that are as short
 * as a processor's do not. */
static inline __attribute__((always_inline)) bool take(struct side *s, enum by by)
{
    for (unsigned k = 0; k < EAGER_LOOKS; k++)
        if (look(s, by)) return true;
    if (!WAIT_UNTIL(look(s, by), s->barrier, s->patience)) return false;
    s->enough = s->ticks && s->began && hw_rdtsc() - s->began > s->budget;
    return !s->enough;
}

static inline __attribute__((always_inline)) bool rally(struct side *s, unsigned trips, enum by by)
{
    while (trips--) {
        if (by != CAS) *s->word = s->value + 1;
        s->value += 2;
        if (!take(s, by)) {
            s->left = trips;
            return false;
        }
    }
    return true;
}

/* Functions of their own, so that the model's oracle can be told to look from the one to the other. */
__attribute__((noinline)) static void core_to_core_begin(struct side *s)
{
    s->count = lab_counted(&s->counting, TRANSFERS);
}
__attribute__((noinline)) static void core_to_core_end(struct side *s)
{
    s->count = lab_counted(&s->counting, TRANSFERS) - s->count;
}

/* Time and counts are read while it has the word, so that the other one can do nothing but wait. What the
 * reading itself needs is brought in first: it was written by the processor that booted. */
static inline __attribute__((always_inline)) void play(struct side *s, enum by by)
{
    /* On its own stack, so that no line but the word's changes hands while lines are counted. */
    uint64_t *const ticks = s->ticks;
    const unsigned wanted = s->reps;
    unsigned reps = 0, trips = 0;
    core_to_core_begin(s);
    core_to_core_end(s);
    if (!barrier_wait(s->barrier, s->me) || !take(s, by) || !rally(s, WARM, by)) return;
    core_to_core_begin(s);
    if (ticks) s->began = hw_rdtsc();
    for (bool whole = true; whole && reps < wanted; reps++) {
        const uint64_t begin = hw_rdtsc();
        whole = rally(s, s->trips, by);
        if (!whole && !s->enough) break;
        const unsigned n = whole ? s->trips : s->trips - s->left;
        const uint64_t took = hw_rdtsc() - begin;
        if (ticks) ticks[reps] = whole ? took : took * s->trips / n;
        trips += n;
    }
    core_to_core_end(s);
    s->reps_done = reps;
    s->trips_done = trips;
    if (s->enough)
        barrier_break(s->barrier); /* the other side waits for the word */
    else if (by != CAS)
        *s->word = s->value + 1;
    s->through = s->enough || reps == wanted;
    /* Who returned now would look for the other one's end, in a line that the other one has modified, and
     * that transfer would be counted while the other one still counts. */
    if (s->through) barrier_wait(s->barrier, s->me);
}

static void by_load_store(void *arg) { play(arg, LOAD_STORE); }
static void by_cas(void *arg) { play(arg, CAS); }
__attribute__((section(".text.isa.prefetchw"))) static void by_prefetchw(void *arg) { play(arg, PREFETCHW); }

static void (*const ways[BYS])(void *arg) = {
    [LOAD_STORE] = by_load_store, [CAS] = by_cas, [PREFETCHW] = by_prefetchw};

/* ---- a pair ---- */

struct work {
    struct side *side[2]; /* in lines of their own */
    uint64_t *ticks;
    unsigned reps;
    double *median, *transfers; /* the matrices */
    enum lab_state counted;     /* not LAB_COUNTED: one processor at least cannot count transfers */
    double least, greatest;
    struct pair nearest, farthest;
};

/* PREFETCHW is there if CPUID says so; what else takes it as a NOP would measure by=1 (SDM vol. 2B,
 * PREFETCHW; AMD APM vol. 3). */
static bool has_prefetchw(void)
{
    return hw_cpuid(0x80000000, 0).eax >= 0x80000001 && hw_cpuid(0x80000000, 0).eax < 0x80010000 &&
           hw_cpuid(0x80000001, 0).ecx & CPUID_X1_ECX_PREFETCHW;
}

/* Of a round trip, counted by both. */
static double transfers(struct work *w, unsigned trips)
{
    double sum = 0;
    for (unsigned i = 0; i < 2; i++) {
        const enum lab_state state = w->side[i]->counting.state[TRANSFERS];
        if (state != LAB_COUNTED) w->counted = state;
        sum += (double)w->side[i]->count;
    }
    return sum / trips;
}

/* The emulator of these two processors has left no time for more. */
static void fewer(struct lab *lab, const struct side *s, struct pair p)
{
    const struct lab_quantity q = known("round trips", "", s->trips_done);
    char of[112];
    snprintf(of, sizeof of,
             "of %u between processors %u and %u; stopped after a quarter of limit=", s->reps * s->trips,
             lab_processor(lab, p.a), lab_processor(lab, p.b));
    lab_value(lab, &q, of);
}

static void one_pair(struct lab *lab, struct work *w, struct pair p)
{
    const unsigned trips = (unsigned)lab->param[TRIPS], cpu[2] = {p.a, p.b};
    struct lab_job job[2];
    struct stats stats;
    *w->side[0]->word = 0;
    barrier_init(w->side[0]->barrier, 2, lab_patience(lab));
    for (unsigned i = 0; i < 2; i++) {
        struct side *s = w->side[i];
        s->through = s->enough = false;
        s->value = i;
        s->count = s->began = 0;
        job[i] = (struct lab_job){cpu[i], ways[lab->param[BY]], s};
        lab_count_on(lab, cpu[i], events, &s->counting);
    }
    lab_together(lab, job, 2);
    const struct side *s = w->side[0];
    if (!s->through || (!s->enough && !w->side[1]->through)) several_waited(lab, p.a, p.b);
    stats_compute(w->ticks, s->reps_done, 0, 2.0 * trips, 95, &stats);
    const bool ns = lab->tsc_hz;
    const double scale = ns ? ns_of(lab, 1) : 1;
    const struct lab_quantity q[] = {known("cpu a", "", lab_processor(lab, p.a)),
                                     known("cpu b", "", lab_processor(lab, p.b)),
                                     times("tsc", "tsc", stats.median),
                                     times("min", ns ? "ns" : "tsc", scale * stats.min),
                                     times("max", ns ? "ns" : "tsc", scale * stats.max),
                                     times("ns", "ns", scale * stats.median)};
    lab_row(lab, "one way: median, and the spread of the repetitions", q, ns ? 6 : 5);
    if (s->enough) fewer(lab, s, p);
    w->transfers[(size_t)p.b * lab->cpus + p.a] = transfers(w, s->trips_done);
    w->median[(size_t)p.b * lab->cpus + p.a] = lab->tsc_hz ? ns_of(lab, stats.median) : stats.median;
    if (stats.median < w->least) w->least = stats.median, w->nearest = p;
    if (stats.median > w->greatest) w->greatest = stats.median, w->farthest = p;
}

/* ---- all ---- */

static void extreme(struct lab *lab, const char *name, double ticks, struct pair p)
{
    char between[64];
    snprintf(between, sizeof between, "between processors %u and %u", lab_processor(lab, p.a),
             lab_processor(lab, p.b));
    const struct lab_quantity q =
        lab->tsc_hz ? times(name, "ns", ns_of(lab, ticks)) : times(name, "tsc", ticks);
    lab_value(lab, &q, between);
}

static void run(struct lab *lab)
{
    struct work w = {.reps = lab->reps, .least = INFINITY};
    several_needed(lab, 2);
    if (lab->param[BY] == PREFETCHW && !has_prefetchw())
        lab_fail(lab,
                 "by=3: this CPU has no PREFETCHW; by=1 (load and store) and by=2 (LOCK CMPXCHG) need none");
    const uint32_t all = pairs_of(lab->cpus),
                   taken = lab->param[PAIRS] < all ? (uint32_t)lab->param[PAIRS] : all;
    struct barrier *barrier = lab_barrier(lab, 2);
    uint8_t *line = lab_alloc(lab, 4096, 4096);
    w.ticks = lab_alloc(lab, w.reps * sizeof *w.ticks, LINES_APART);
    w.median = lab_alloc(lab, (size_t)lab->cpus * lab->cpus * sizeof *w.median, 8);
    w.transfers = lab_alloc(lab, (size_t)lab->cpus * lab->cpus * sizeof *w.transfers, 8);
    for (size_t i = 0; i < (size_t)lab->cpus * lab->cpus; i++) w.median[i] = w.transfers[i] = (double)NAN;
    for (unsigned i = 0; i < 2; i++) {
        w.side[i] = lab_alloc(lab, sizeof *w.side[i], LINES_APART);
        *w.side[i] = (struct side){.word = (volatile uint32_t *)(void *)line,
                                   .barrier = barrier,
                                   .me = i,
                                   .reps = w.reps,
                                   .trips = (unsigned)lab->param[TRIPS],
                                   .patience = lab_patience(lab),
                                   .budget = lab_patience(lab) / 2,
                                   .ticks = i ? NULL : w.ticks};
    }
    for (uint32_t k = 0; k < taken; k++) one_pair(lab, &w, pair_at(lab->cpus, taken, k));
    lab_matrix(lab, "one way, median", lab->tsc_hz ? "ns" : "tsc", w.median, LAB_TIMES);
    const struct lab_quantity none = {"line transfers", "", 0, LAB_COUNTS, w.counted};
    if (w.counted == LAB_COUNTED)
        lab_matrix(lab, "line transfers of a round trip", w.side[0]->counting.event[TRANSFERS], w.transfers,
                   LAB_COUNTS);
    else
        lab_value(lab, &none, "lines that another processor had modified cannot be counted here");
    if (taken < all) {
        const struct lab_quantity q = known("pairs measured", "", taken);
        char of[64];
        snprintf(of, sizeof of, "of %u; pairs=%u measures all", (unsigned)all, (unsigned)all);
        lab_value(lab, &q, of);
    }
    extreme(lab, "least", w.least, w.nearest);
    extreme(lab, "greatest", w.greatest, w.farthest);
}

EXPERIMENT(core_to_core) = {
    .program = {.name = "core_to_core",
                .desc = "how long a line takes from one processor to another: a matrix"},
    .experiment = run,
    .processors = true,
    .op = "way",
    .cost = "20 to 60 ns inside of a package, 100 to 250 ns to another one",
    BENCH_PARAM_LIST([BY] = {"by", "", "1: load and store, 2: LOCK CMPXCHG, 3: PREFETCHW", LOAD_STORE,
                             PREFETCHW, 1, LOAD_STORE, true},
                     [TRIPS] = {"trips", "round trips", "in a repetition", 1, 1000000, 1, 1000, false},
                     [PAIRS] = {"pairs", "pairs", "so many at most, spread over all", 1, 32640, 1, 300,
                                false}),
};
