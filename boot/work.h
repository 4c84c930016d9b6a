/* The session's work: what was asked for is measured, sampled or judged, item by item, and its results are
 * told as they come. */
#pragma once
#include "measure/plan.h"
#include "report/emit.h"

/* False: something failed, or was cancelled, and has been told of. */
bool work(const struct machine *machine, const struct options *opt, const struct plan *plan);
