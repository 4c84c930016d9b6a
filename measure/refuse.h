/* Refuses runs: no result, and an error that says why. */
#pragma once
#include "measure/run.h"

/* Refuses a run: sets its status, and its error from a printf() format. Returns false. */
bool run_refuse(struct run *run, enum run_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Refuses a run whose event has counted what is no count: below 0, since the code has changed the counter,
 * the time stamp or where readings are kept. of: what counted it, for the error. Returns false. */
bool run_refuse_count(struct run *run, const char *of, uint64_t count, uint64_t mask);
