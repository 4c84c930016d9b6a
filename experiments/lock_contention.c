/* What a lock costs when 1, 2, ... processors want it at once: ticks from one who has it to the next.
 *
 * test-and-set: XCHG on one word, repeated with loads in between while it is taken. ticket: XADD draws a
 * number, and who has the number that is served has the lock, in the order in which they came. What the lock
 * protects is one add, which is verified: a lock that lets two in would lose some. */
#include "experiments/several.h"

enum { TAKES };
enum way { TEST_AND_SET, TICKET, WAYS };

struct lock {
    _Alignas(LINES_APART) volatile uint32_t taken; /* or the next ticket */
    _Alignas(LINES_APART) volatile uint32_t served;
    _Alignas(LINES_APART) volatile uint32_t sum; /* what is protected */
};

struct side {
    struct lock *lock;
    struct barrier *barrier;
    unsigned me, takes;
    uint64_t patience, budget, ticks;
    unsigned done;
    bool through, enough; /* enough: the budget is spent */
};

static inline uint32_t xchg(volatile uint32_t *at, uint32_t v)
{
    __asm__ volatile("xchgl %0, %1" : "+r"(v), "+m"(*at)::"memory");
    return v;
}

static inline uint32_t xadd(volatile uint32_t *at, uint32_t v)
{
    __asm__ volatile("lock; xaddl %0, %1" : "+r"(v), "+m"(*at)::"memory", "cc");
    return v;
}

/* False: the wait was given up. Only a long wait looks at the clock, as in core_to_core. */
#define WAIT(s, begin, until)                                                             \
    ({                                                                                    \
        bool came_ = false;                                                               \
        for (unsigned look_ = 0; look_ < EAGER_LOOKS && !came_; look_++) came_ = (until); \
        if (!came_) {                                                                     \
            came_ = WAIT_UNTIL(until, (s)->barrier, (s)->patience);                       \
            (s)->enough = hw_rdtsc() - (begin) > (s)->budget;                             \
        }                                                                                 \
        came_;                                                                            \
    })

/* All of them take as long as the slowest: from the barrier to the barrier. */
static inline __attribute__((always_inline)) void contend(struct side *s, enum way way)
{
    struct lock *l = s->lock;
    if (!barrier_wait(s->barrier, s->me)) return;
    const uint64_t begin = hw_rdtsc();
    for (unsigned i = s->takes; i-- && !s->enough;) {
        bool came = true;
        if (way == TEST_AND_SET) {
            while (came && xchg(&l->taken, 1)) came = WAIT(s, begin, !l->taken);
        } else {
            const uint32_t mine = xadd(&l->taken, 1);
            came = WAIT(s, begin, l->served == mine);
        }
        if (!came) break;
        l->sum = l->sum + 1;
        s->done++;
        if (way == TEST_AND_SET)
            l->taken = 0;
        else
            l->served = l->served + 1;
    }
    if (s->enough) barrier_break(s->barrier); /* the others wait, for the lock or for all */
    s->through = barrier_wait(s->barrier, s->me);
    s->ticks = hw_rdtsc() - begin;
}

static void test_and_set(void *arg) { contend(arg, TEST_AND_SET); }
static void ticket(void *arg) { contend(arg, TICKET); }

struct contest {
    struct lock *lock;
    struct barrier *barrier;
    struct side **side;
    struct lab_job *job;
    uint64_t *ticks;
};

/* One repetition. Returns false if its budget was spent: *ticks is then of all acquisitions, as if the
 * missing ones had taken as long as those that were made. */
static bool repetition(struct lab *lab, const struct contest *c, unsigned n, double takes, uint64_t *ticks)
{
    unsigned done = 0, late = n; /* the last one that was not through */
    bool enough = false;
    uint64_t longest = 0;
    c->lock->taken = c->lock->served = c->lock->sum = 0;
    barrier_init(c->barrier, n, lab_patience(lab));
    for (unsigned i = 0; i < n; i++) c->side[i]->through = c->side[i]->enough = false, c->side[i]->done = 0;
    lab_together(lab, c->job, n);
    for (unsigned i = 0; i < n; i++) {
        const struct side *s = c->side[i];
        done += s->done;
        enough |= s->enough;
        if (!s->through) late = i;
        if (s->ticks > longest) longest = s->ticks;
    }
    if (late < n && (!enough || !done))
        lab_fail(lab, "processor %u has waited for the lock longer than limit= allows",
                 lab_processor(lab, late));
    if (c->lock->sum != done)
        lab_fail(lab, "the lock has let two in: %u of %u adds", (unsigned)c->lock->sum, done);
    *ticks = late < n ? (uint64_t)((double)longest * takes / done) : c->side[0]->ticks;
    if (done < takes) several_fewer(lab, "acquisitions of the last repetition", done, takes, late);
    return !enough;
}

/* Median of the ticks that an acquisition takes, with the first n of them. */
static double acquisition(struct lab *lab, const struct contest *c, unsigned n, enum way way)
{
    static void (*const fn[WAYS])(void *) = {test_and_set, ticket};
    const double takes = (double)lab->param[TAKES] * n;
    const uint64_t begin = hw_rdtsc();
    unsigned reps = 0;
    bool whole = true;
    struct stats stats;
    for (unsigned i = 0; i < n; i++) c->job[i] = (struct lab_job){i, fn[way], c->side[i]};
    while (reps < lab->reps && whole) {
        whole = repetition(lab, c, n, takes, &c->ticks[reps]);
        if (whole || !reps) reps++; /* a cut one is extrapolated: kept only if it is the first */
        if (hw_rdtsc() - begin > several_budget(lab)) break;
    }
    stats_compute(c->ticks, reps, 0, takes, 95, &stats);
    if (reps < lab->reps) several_fewer(lab, "repetitions", reps, lab->reps, n - 1);
    return stats.median;
}

static void run(struct lab *lab)
{
    struct contest c = {.barrier = lab_barrier(lab, lab->cpus)};
    c.lock = lab_alloc(lab, sizeof *c.lock, LINES_APART);
    c.side = lab_alloc(lab, lab->cpus * sizeof *c.side, 8);
    c.job = lab_alloc(lab, lab->cpus * sizeof *c.job, 8);
    c.ticks = lab_alloc(lab, lab->reps * sizeof *c.ticks, 8);
    for (unsigned i = 0; i < lab->cpus; i++) {
        c.side[i] = lab_alloc(lab, sizeof *c.side[i], LINES_APART);
        *c.side[i] = (struct side){.lock = c.lock,
                                   .barrier = c.barrier,
                                   .me = i,
                                   .takes = (unsigned)lab->param[TAKES],
                                   .patience = lab_patience(lab),
                                   .budget = several_budget(lab)};
    }
    for (unsigned n = 1; n; n = next_count(lab, n)) {
        const double set = acquisition(lab, &c, n, TEST_AND_SET), drawn = acquisition(lab, &c, n, TICKET);
        const struct lab_quantity q[] = {known("processors", "", n), times("test-and-set", "tsc", set),
                                         times("ticket", "tsc", drawn)};
        lab_row(lab, "ticks of an acquisition, of all together", q, ARRAY_N(q));
    }
}

EXPERIMENT(lock_contention) = {
    .program = {.name = "lock_contention", .desc = "1, 2, 4, ... processors take one lock"},
    .experiment = run,
    .processors = true,
    .op = "acquisition",
    .cost = "some tens of ticks alone; with others at least a line's way between processors",
    BENCH_PARAM_LIST([TAKES] = {"takes", "acquisitions", "of each processor, in a repetition", 1, 10000000, 1,
                                1000, false}),
};
