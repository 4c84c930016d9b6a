/* The bracket alone: what a measurement costs when nothing is measured. */
#include "bench/bench.h"

PAYLOAD static void nothing(void *arg) { (void)arg; }

BENCHMARK(empty) = {
    .program = {.name = "empty", .desc = "the measuring bracket around an empty payload", .payload = nothing},
    .op = "bracket",
    .cost = "0 once the overhead is subtracted; the raw value is the overhead",
};
