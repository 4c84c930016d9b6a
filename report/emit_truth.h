/* bench=truth: the suite's run, result by result into records. */
#pragma once
#include "measure/truth.h"
#include "report/emit.h"

/* Run the suite and emit all that comes of it; *totals says how it went. Without a known PMU: a note. */
void emit_truth(enum action suite, const struct options *opt, const struct cpu *cpu, struct arena *arena,
                struct truth_totals *totals);
