/* Benchmarks that modules bring: functions of the user's programs (include/anechoic/module.h, kind 2). */
#pragma once
#include "bench/bench.h"
#include "include/anechoic/module.h"

/* Makes a benchmark for each that is in an open module, and puts pointers to them into list[]; how many. */
unsigned payload_benches(const struct bench **list);

/* What the calls of a run left behind: read after it, and believed in nothing. NULL: its payload is no
 * function of a module, or none that prints or ends. */
const struct module_output *payload_output(const struct bench_run *run);
