/* Shared by what an experiment measures: measure/lab_measure.c, measure/lab_counters.c. */
#pragma once
#include "measure/lab.h"

/* Scratch of the function that an experiment has called, until it returns: too much for a stack. */
extern struct lab_asked {
    struct options with;
    struct group group[EVENTS_MAX];
} lab_asked;

/* The events, words of lab_measure() for this PMU, into with->event[], and where each of out->event[] is in
 * it; -1: this CPU cannot count it. */
void lab_find_events(struct lab_work *w, const struct pmu *pmu, const char *const *events,
                     struct options *with, int8_t *place, struct lab_counts *out);

/* What program.own points to. */
struct lab_measured {
    struct lab_work *work;
    const struct lab_program *program;
};

struct program lab_program_of(const struct lab_measured *m);

/* A run of what it measures that did not complete ends the experiment in the same way. */
void lab_check(struct lab_work *w, const struct run *run);
