/* What the files of sampling share: one run of it (measure/sampling.c), its counters (sampling_choose.c), its
 * period (sampling_period.c), and its interrupts (sampling_arm.c). */
#pragma once
#include "measure/execute.h"
#include "measure/sampler.h"
#include "measure/sampling.h"

#define REPEAT_S 10 /* a pass that repeats its payload takes no longer, or one call */

/* One sampling run, beside what it reports. */
struct job {
    const struct options *opt;
    const struct cpu *cpu;
    struct arena *arena;
    struct sampling *out;
    unsigned kernel_counter;
    const struct pmu_code *event; /* NULL: a timer */
    enum sampling_timer timer;    /* which one: not TIMER_AUTO any more */
    struct execution x;
    struct sampler sampler;
    struct bracket_code bracket_code;
    bool repeat;      /* the payload is called until the samples that are wanted are there, */
    uint64_t ticks;   /* for so long at most, REPEAT_S seconds where the TSC's rate is known */
    double least;     /* period that the handler's share allows, as tries have shown */
    double per_call;  /* events, or the timer's clocks, as the first pass has them; 0: none, or not known */
    bool silent;      /* no interrupt met the last pass, though many of the timer's were due */
    uint64_t elapsed; /* ticks of the last pass, with what is between the calls */
    uint32_t random;  /* state of a generator */
    unsigned judged;  /* samples of the buffer that sampling_close() has looked at */
    struct pebs pebs;
    void *ds;                                  /* its memory */
    unsigned depth;                            /* records from one interrupt to the next */
    const struct pmu_code *code[PMU_COUNTERS]; /* by counter: the event, and instructions at CPL 0 */
    struct pmu_code kernel;
};

static inline bool is_pebs(const struct job *j) { return j->opt->sample == SAMPLE_BY_PEBS; }

/* 64-bit records (pmu/pebs.h). */
static inline bool pebs_wide(const struct job *j) { return j->cpu->pmu->dtes64 || sizeof(void *) == 8; }

/* The run's error; returns false. */
bool sampling_refuse(struct job *j, const char *why);

/* j->code onto the counters. These return false when the run has its error. */
bool sampling_program(struct job *j);

/* Does this CPU have what sample= asks for? Sets the timer, and the unit of periods. */
bool sampling_facility(struct job *j);

/* Chooses counters for the event and, if possible, for instructions at CPL 0 beside it: those are the
 * handler's. Programs them. */
bool sampling_counters(struct job *j);

/* period=N is used as it is, or not at all: false. */
bool sampling_period_possible(struct job *j);

/* Sets out->period, and the jitter that goes with it. find: the nearest that the facility has and that does
 * not keep step with a loop, no shorter than makes sense. */
void sampling_use_period(struct job *j, uint32_t period);
void sampling_find_period(struct job *j, double wanted);

/* From one try to the next: what the last one shows. The same: it was good. */
double sampling_better_period(struct job *j);

/* Interrupts from here on are answered. */
bool sampling_on(struct job *j);

/* The next overflow comes after so many events, and then as period and jitter say. Counters are stopped. */
bool sampling_arm(struct job *j, uint32_t left);

/* After each call of the payload, with its counters stopped: no samples are kept any more. Those that are not
 * of the payload are counted, and taken out; with all=1 they are marked instead. The counters are armed for
 * the next call. */
bool sampling_close(struct job *j);

/* After a pass that no interrupt has met, before sampling_off(). Where none was late either it waits for one
 * of the timer's: a second or as long as the pass without interrupts took, whichever is longer. False: they
 * do not come at all. True: the pass had none for another reason, such as an emulator whose host was too busy
 * to raise one in time. */
bool sampling_timer_answers(struct job *j);

/* Interrupts are silenced and counted. Also after a trap, and where sampling was never on. */
void sampling_off(struct job *j);
