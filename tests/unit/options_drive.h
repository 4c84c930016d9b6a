/* The command line in a test: benchmarks that are not there, and a machine without counters. */
#pragma once
#include "measure/options.h"

/* alpha is the main job, with two variants; alpha, beta and trial are all, of which trial has a struct
 * bench_sampling; secret is hidden. */
extern const struct bench alpha;

extern const struct pmu no_pmu;
extern struct options_context with; /* who changes it puts it back */

/* Of the last parse(). */
extern struct options opt;
extern struct plan plan;
extern char faults[2048]; /* "what|part|word index|valid\n" of each; "|why" behind valid where there is one */

/* The number of faults is returned. */
unsigned parse(const char *line);

/* It has one fault, which begins so. */
void expect_fault(const char *line, const char *fault);
