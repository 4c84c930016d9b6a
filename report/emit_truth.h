/* Suites of programs whose counts are known (bench=truth, tags, cascade): their results into records. */
#pragma once
#include "measure/truth.h"
#include "report/emit.h"

/* Of one suite, as long as it runs. The first two must be set, the others 0. */
struct truth_report {
    const struct options *opt;
    const struct machine *m;
    const char *lacks;  /* what the programs left out last need, */
    char left_out[256]; /* and their names */
};

/* Where the suite's results go: each becomes a record as soon as it is there. */
struct truth_sink emit_truth_sink(struct truth_report *to);
/* When it has run: what was left out, and the totals. */
void emit_truths(struct truth_report *report, const struct truth_totals *totals);
