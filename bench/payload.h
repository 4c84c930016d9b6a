/* Benchmarks that modules bring: functions of the user's programs (include/anechoic/module.h, kind 2). */
#pragma once
#include "bench/bench.h"

/* Makes a benchmark for each that is in an open module, and puts pointers to them into list[]; how many. */
unsigned payload_benches(const struct bench **list);
