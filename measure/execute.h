/* Execute one program: call its payload in a ring, on a stack, under a guard, between the readings of a
 * bracket. Policies decide what to do with it: run.c repeats it, sampling.c and cascade.c interrupt it.
 *
 * Memory comes from the arena, and a failure goes to struct run: its status, its error, its trap.
 */
#pragma once
#include "measure/bracket.h"
#include "measure/reading.h"
#include "measure/refuse.h"
#include "measure/run.h"

struct execution {
    bracket_fn *bracket;
    struct reading *reading; /* in the arena, where ring 3 can write it */
    void *user_stack;        /* its top; NULL: ring 0 */
    unsigned counters;       /* counters that the bracket reads */
    uint64_t mask;           /* of their width */
    bool fast;               /* only their low 32 bits are read */
    unsigned many; /* number of counters if bracket_many is used, since that needs cleared sums; else 0 */
    void (*before)(const struct bench_run *bench);
    const struct bench_run *bench; /* the run's; before()'s argument */
};

/* Cleared memory; NULL: none is left, and the run is refused with "not enough memory for" what. */
void *run_alloc(struct run *run, struct arena *arena, size_t bytes, size_t align, const char *what);

/* policy(ctx) under a guard. After a trap the run's status is RUN_TRAP, and policy()'s state remains as it
 * was at the trap. */
void run_guarded(struct run *run, void (*policy)(void *ctx), void *ctx);

/* Ends a run by a trap that its guard caught: RUN_TRAP; RUN_ENDED if the watchdog's; RUN_IMPOSSIBLE if its
 * code did not return to the bracket, or a reading is no count. */
void run_trapped(struct run *run, const struct trap *trap);

/* The first step of every policy: the program's parameters, its regions' table, and its prepare(), which is
 * watched where it is the user's own. False: the run is refused. */
bool execution_prepare(struct run *run, const struct cpu *cpu, const struct options *opt,
                       struct arena *arena);

/* Allocates the reading; ring 3 has the processor's own stack. Chooses no bracket yet. False: the run is
 * refused. */
bool execution_open(struct execution *x, struct run *run, unsigned ring, struct arena *arena);

/* Chooses the bracket that reads this many counters, listed in x->reading->select[]. False: there is none. */
bool execution_bracket(struct execution *x, enum serialize serialize, enum reader reader, unsigned counters);

/* Before each call of code of the user's own, while it is watched: the program's `before`, and what the code
 * itself may have changed. */
void execution_before_users(const struct bench_run *run);

/* Code of the user's own is watched from now on, where limit= says so and there is a watchdog; watchdog_end()
 * ends that. */
void execution_watch(struct execution *x, const struct run *run, const struct options *opt,
                     const struct cpu *cpu);

/* For a payload that reads the time itself: no bracket. */
void execution_no_bracket(struct execution *x);

/* For a payload that reads all of it (bench_run.reads): its differences become the readings. */
void execution_by_payload(struct execution *x);

/* Calls a payload once, as between repetitions: little code, in few lines (kernel/repeated.h). Interrupts are
 * disabled. */
void execute(const struct execution *x, payload_fn *payload, void *arg);

/* The two halves of execute(), for a policy that acts between them: the preparation before each call,
 * and the call. At ring 0 the call enables interrupts on request; at ring 3 trap_interrupts() does. They are
 * disabled afterwards. */
void execution_ready(const struct execution *x);
void execution_call(const struct execution *x, payload_fn *payload, void *arg, bool interrupts);

/* The readings of the last call. Inlined, since each call would take three entries of a branch target buffer.
 */
static inline __attribute__((always_inline)) uint64_t execution_ticks(const struct execution *x)
{
    return x->reading->tsc[1] - x->reading->tsc[0];
}
static inline __attribute__((always_inline)) uint64_t execution_count(const struct execution *x, unsigned i)
{
    return (x->reading->end[i] - x->reading->start[i]) & x->mask;
}

/* The most that a bracket can have counted. A difference of two readings is modulo the counter's width: what
 * is above half of it is a negative one. (Fast readings: it may be true, and full ones will tell.) */
static inline __attribute__((always_inline)) uint64_t execution_most(const struct execution *x)
{
    return x->mask >> 1;
}
#define TICKS_MOST ((uint64_t)INT64_MAX) /* likewise for the time stamp */
