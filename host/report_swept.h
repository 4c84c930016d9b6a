/* Which results are points of a sweep. */
#pragma once
#include "host/report_runs.h"

/* An object: what a picture is about ("stride_thrash stride=8192 by lines: tsc") -> an array with, for each
 * run, an array of results, and behind them the swept parameter's name. To be released by json_decref(). */
json_t *sweeps_of(const struct runs *rs);
