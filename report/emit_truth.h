/* Suites of programs whose counts are known (bench=truth, tags, cascade): their results into records. */
#pragma once
#include "measure/truth.h"
#include "report/emit.h"

/* The state of one suite. The first three members must be set, the others 0. */
struct truth_report {
    const struct options *opt;
    const struct machine *m;
    unsigned cpu;       /* index of the processor that is judged */
    const char *lacks;  /* the feature that the last programs left out need, */
    char left_out[256]; /* and their names */
};

/* The sink of the suite's results: each becomes a record as soon as it exists. */
struct truth_sink emit_truth_sink(struct truth_report *to);
/* After the suite: the programs left out, and the totals. */
void emit_truths(struct truth_report *report, const struct truth_totals *totals);
