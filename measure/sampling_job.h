/* Shared by the files of sampling: one sampling run (measure/sampling.c), its counters (sampling_choose.c),
 * its period (sampling_period.c), and its interrupts (sampling_arm.c). */
#pragma once
#include "kernel/ibs_entry.h"
#include "measure/execute.h"
#include "measure/sampler.h"
#include "measure/sampling.h"
#include "measure/trace.h"

#define REPEAT_S 10 /* limit of a pass that repeats its payload, unless one call takes longer */

/* The state of one sampling run, beside its result. */
struct job {
    const struct options *opt;
    const struct cpu *cpu;
    struct arena *arena;
    struct sampling *out;
    unsigned kernel_counter;
    const struct pmu_code *event; /* NULL: a timer */
    enum sampling_timer timer;    /* the chosen one: never TIMER_AUTO */
    struct execution x;
    struct sampler sampler;
    struct bracket_code bracket_code;
    bool repeat;      /* the payload is called until there are enough samples, */
    uint64_t ticks;   /* for this time at most: REPEAT_S seconds where the TSC's rate is known */
    double least;     /* period that the handler's share allows, as tries have shown */
    uint64_t counted; /* of the pass without interrupts: out->occurred, or of IBS what stands in for it */
    double per_call;  /* events, or the timer's clocks, of the first pass; 0: none, or unknown */
    bool silent;      /* no interrupt came in the last pass, though many of the timer's were due */
    uint64_t elapsed; /* ticks of the last pass, including the time between calls */
    uint32_t random;  /* state of a generator */
    unsigned judged;  /* samples of the buffer that sampling_close() has processed */
    struct ibs ibs;
    struct ibs_entry ibs_entry;
    struct pmu_code ibs_basis;                 /* what is counted beside it */
    bool ibs_counts;                           /* ... and what is in the unit of the period */
    struct pebs pebs;                          /* as planned */
    void *ds;                                  /* its memory */
    unsigned depth;                            /* records from one interrupt to the next */
    const struct pmu_code *code[PMU_COUNTERS]; /* by counter: the event, and instructions at CPL 0 */
    struct pmu_code kernel;
    struct sampler_each *each;     /* of at_once: by counter */
    struct lbr lbr;                /* of branches= */
    struct lbr_filter *lbr_filter; /* of its core, while other threads are sampled, too; NULL: they are not */
    void (*rest)(struct job *j); /* when it is over, on its processor: others are sampled still; NULL: none */
    void *rest_of;               /* rest()'s own */
};

/* A job for one plan item, sampled by one event (as of sampling_run()); *out is cleared. */
void sampling_job(struct job *j, const struct plan_item *item, const struct options *opt,
                  const struct cpu *cpu, unsigned event, struct arena *arena, struct sampling *out);

/* All of it, to be executed on its processor; job: a struct job. */
void sampling_on_its_processor(void *job);

/* The payload has hooks, and trace= wants them. */
static inline bool is_traced(const struct job *j) { return j->out->run.trace && j->out->run.trace->asked; }

static inline bool is_pebs(const struct job *j) { return j->opt->sample == SAMPLE_BY_PEBS; }

static inline bool is_ibs(const struct job *j) { return options_ibs(j->opt); }

/* Events that are sampled at once; 1: one, or a timer. */
static inline unsigned events_of(const struct job *j) { return j->out->at_once ? j->out->at_once : 1; }

/* Sets the run's error; returns false. */
bool sampling_refuse(struct job *j, const char *why);

/* Programs j->code. This and the following return false after setting the run's error. */
bool sampling_program(struct job *j);

/* The same for IBS: what it samples, where it interrupts, and the event that is counted beside it (j->event).
 */
bool sampling_ibs(struct job *j);
/* What the model lacks is left out of the samples. Where it lacks that event, instructions are counted in its
 * place. */
bool sampling_ibs_modelled(struct job *j);

/* Counters, and IBS, run between these two. */
void sampling_go(struct job *j, bool sampling);
void sampling_halt(struct job *j, bool sampling);

/* Does this CPU support the requested sample=? Sets the timer, and the unit of periods. */
bool sampling_facility(struct job *j);

/* The branches are in the records of PEBS: those before the event itself, of each of a buffer. */
static inline bool pebs_has_branches(const struct job *j)
{
    return is_pebs(j) && j->opt->pebs.data & PEBS_LBR;
}

/* branches=, or data=lbr: does this CPU record them? Finds out how, and makes room for those of all samples.
 */
bool sampling_branches(struct job *j);

/* Chooses counters for the event and, if possible, for instructions at CPL 0 beside it: those are the
 * handler's. Programs them. */
bool sampling_counters(struct job *j);

/* The same for at_once: a counter for each of the events, all in one run. */
bool sampling_counters_at_once(struct job *j);

/* The shortest period of PEBS that is not below this one. */
static inline uint32_t sampling_pebs_period(const struct pebs *p, uint32_t period)
{
    if (period < p->least) return p->least;
    return period + p->step - 1 - (period + p->step - 1) % p->step;
}

/* period=N is used as given, or refused: false. */
bool sampling_period_possible(struct job *j);

/* Sets out->period, and the jitter that goes with it. find: use the nearest period that the facility
 * supports, that is not too short, and that does not keep in step with a loop. */
void sampling_use_period(struct job *j, uint32_t period);
void sampling_find_period(struct job *j, double wanted);

/* The next period to try, from the result of the last one. The same period: it was good. */
double sampling_better_period(struct job *j);

/* Interrupts are handled from here on. */
bool sampling_on(struct job *j);

/* Make the next overflow of each counter that samples come after a period, or (anywhere) some part of it, and
 * later ones by period and jitter. Counters are stopped. */
bool sampling_arm(struct job *j, bool anywhere);

/* After each call of the payload, with its counters stopped: no samples are kept any more. Those outside of
 * the payload are counted and removed; with all=1 they are marked instead. Arms the counters for the next
 * call. */
bool sampling_close(struct job *j);

/* After a pass without interrupts, before sampling_off(). If none was late either, it waits for one of the
 * timer's: for a second or as long as the pass without interrupts took, whichever is longer. False: none
 * comes at all. True: the pass had none for another reason, such as an emulator whose host was too busy to
 * raise one in time. */
bool sampling_timer_answers(struct job *j);

/* Silence and count interrupts. Also valid after a trap, and if sampling was never on. */
void sampling_off(struct job *j);
