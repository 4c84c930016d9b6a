/* Cycle by cycle (steps=): what the counters had counted so many cycles after the bracket's beginning.
 *
 * Before each bracket the counter of core cycles is preset so that it overflows after the step's cycles, and
 * that stops all counters (pmu_ops.freeze), without an interrupt: the payload goes on to its end, and what
 * the counters hold is what had happened up to there. Nobody needs to believe that they stop at once: the
 * counter of cycles stops with the others, and what it has counted in the bracket is the row's cycle. The
 * idea is that of nanoBench's cycleByCycle.py and of Sushi Roll
 * (gamozolabs.github.io/metrology/2019/08/19/sushi_roll.html).
 *
 * The counter of cycles is read last at the bracket's beginning and first at its end. If the counters were
 * still running then, it goes on after this reading, and the repetition is left out.
 */
#pragma once
#include "measure/preset.h"

#define STEPS_EVENTS \
    4 /* in a row. nanoBench uses no more either: higher counters count some events wrongly */

/* Over a step's repetitions. */
struct step_count {
    uint64_t median, least, most;
};

struct step {
    uint64_t asked;           /* cycles after which the counters were to stop */
    unsigned frozen;          /* repetitions in which they had stopped when the bracket ended; the others are
                                 left out */
    struct step_count cycles; /* from the bracket's beginning until they stopped */
    struct step_count count[STEPS_EVENTS];
};

/* Of one plan item and group of events. */
struct steps {
    struct run run;          /* names, status, error; count[1] to count[events] are the events */
    struct step_range range; /* as it was carried out */
    unsigned events;         /* at most STEPS_EVENTS */
    struct step *at;         /* in the arena */
    unsigned n;              /* rows: each has frozen repetitions */
    unsigned as_empty;       /* so many of the first rows are the same in the empty bracket */
    bool ended;              /* the bracket ended before the range did */
    struct step whole;       /* the bracket with the payload, never stopped */
    struct step empty;       /* the same with an empty payload */
    /* The rest is private. */
    struct pmu *pmu;
    struct preset_write write[STEPS_EVENTS + 1];
    struct msr_list list; /* by which they are written */
};

/* The options with which steps of these are measured on this CPU, and their groups, into out[], which has
 * room for EVENTS_MAX: the counter of cycles is the last of each group. Without events= instructions are
 * counted. Returns the number of groups; 0: *why is set. */
unsigned steps_schedule(const struct options *given, const struct pmu *pmu, struct options *with,
                        struct group *out, char *why, size_t cap);

/* Measure one item with one of these groups. The arena is emptied first, and holds the rows until the next.
 */
void steps_run(const struct plan_item *item, const struct options *opt, const struct cpu *cpu,
               const struct group *group, struct arena *arena, struct steps *out);
