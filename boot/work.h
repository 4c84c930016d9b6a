/* The session's work: measures, samples or judges what was requested, item by item, and prints results as
 * they come. */
#pragma once
#include "kernel/cpu_set.h"
#include "measure/plan.h"
#include "report/emit.h"

/* where: the processors that are measured (boot/where.h). False: something failed or was cancelled; this has
 * been reported. */
bool work(const struct machine *machine, const struct options *opt, const struct plan *plan,
          const struct cpu_set *where);
