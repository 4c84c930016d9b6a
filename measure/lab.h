/* Runs experiments: functions that put questions to the machine (include/anechoic/experiment.h). */
#pragma once
#include "include/anechoic/experiment.h"
#include "kernel/cpu_set.h"
#include "kernel/window.h"
#include "measure/execute.h"
#include "measure/watchdog.h"
#include <setjmp.h>

/* The receiver of an experiment's results, each as soon as it exists. table NULL: a single value, and note
 * may say more about it. */
struct lab_sink {
    void (*row)(void *ctx, const struct run *run, const char *table, const struct lab_quantity *q, unsigned n,
                const char *note);
    void (*series)(void *ctx, const struct run *run, const char *name, const char *unit, const double *value,
                   unsigned n, enum lab_source source);
    /* value[i * n + k] is of the processors index[i] and index[k] */
    void (*matrix)(void *ctx, const struct run *run, const char *name, const char *unit,
                   const unsigned *index, const double *value, unsigned n, enum lab_source source);
    void *ctx;
};

/* Run a plan item whose benchmark is an experiment. The arena is emptied first. out->status says how it
 * ended; out->bench.error, out->trap why. where: the processors of an experiment that uses several; NULL: all
 * that run. */
void lab_run(const struct plan_item *item, const struct options *opt, const struct cpu *cpu,
             const struct cpu_set *where, struct arena *arena, const struct lab_sink *sink, struct run *out);

/* ---- the parts of the lab among themselves ---- */

struct lab_work {
    struct lab lab; /* first: what the experiment sees */
    const struct options *opt;
    const struct cpu *cpu;
    struct arena *arena;
    const struct lab_sink *sink;
    struct run *out;      /* of the experiment */
    struct run run;       /* of what it measures */
    jmp_buf end;          /* where the experiment ends before it returns */
    unsigned watched;     /* by these kinds (measure/watchdog.h) */
    struct window window; /* .roots 0: not open */
    unsigned running;     /* counters that lab_start() has started */
    uint8_t counter[LAB_EVENTS];
    uint64_t last[LAB_EVENTS]; /* their last readings */
    struct execution load;     /* .bracket NULL: not prepared */
    uint64_t load_overhead;
    unsigned processor[PROCESSORS_MAX]; /* in machine.cpu[]: those of lab.cpus */
    struct cpu_set called;              /* by lab_begin(), and not waited for */
    struct cpu_set counting;            /* counters run there */
    struct barrier *barrier;            /* the last one; NULL: there is none */
};

static inline struct lab_work *lab_work(struct lab *lab) { return (struct lab_work *)(void *)lab; }

/* At the beginning of each function that an experiment calls: it is alive, and ends here if the user wants
 * it. */
void lab_alive(struct lab_work *w);

/* After what watches itself: watch the experiment again. */
void lab_watch(struct lab_work *w);

/* Reads a counter that runs on. If it counted less than 0 since *last, which becomes this reading, the
 * experiment ends with an error that names the event. On the counter's own processor. */
uint64_t lab_reading(const struct pmu *pmu, unsigned counter, const char *event, uint64_t *last);

/* The processors that it may use; and at its end: what they still execute is ended, and counters stop. */
void lab_processors_open(struct lab_work *w, const struct cpu_set *where);
void lab_processors_close(struct lab_work *w);

/* End the experiment, as out->status and out->bench.error say. */
__attribute__((noreturn)) void lab_end(struct lab_work *w, enum run_status status);
