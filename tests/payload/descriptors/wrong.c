/* A descriptor that the kernel refuses. */
#include "bench/bench.h"

PAYLOAD static void nothing(void *arg) { (void)arg; }

BENCHMARK(wrong) = {
    .program = {.name = "wrong", .desc = "its default is out of range", .payload = nothing},
    .op = "call",
    .cost = "",
    BENCH_PARAM_LIST({"n", "", "", 1, 10, 1, 11, false}),
};
