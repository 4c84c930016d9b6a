/* The bracket alone: what a measurement costs when nothing is measured. */
#include "bench/bench.h"

PAYLOAD static void nothing(void *arg) { (void)arg; }

BENCHMARK(empty) = {
    .name = "empty",
    .desc = "the measuring bracket around nothing",
    .op = "bracket",
    .cost = "0 after the overhead is taken off; its raw value is the overhead",
    .variant = {{"", nothing}},
};
