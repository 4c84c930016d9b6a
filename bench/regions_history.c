/* A test of the harness: regions whose markers find caches and buffers changed (bench/history_payload.S). */
#include "bench/regions_history.h"
#include "bench/bench.h"
#include "bench/truth.h"
#include <stddef.h>
#include <stdio.h>

static const char *const labels[] = {"all", "data", "code", "empty", "near", "left", "right", NULL};

/* Pointers lie 8 bytes apart in both flavours. */
struct history {
    _Alignas(8) struct region_table *table;
    _Alignas(8) uint8_t *data;
    _Alignas(8) void *jumps; /* through every set of a branch target buffer */
    _Alignas(8) void *code;  /* through every line of L1 */
    _Alignas(8) uint32_t turns;
};

_Static_assert(offsetof(struct history, data) == HISTORY_DATA, "regions_history.h");
_Static_assert(offsetof(struct history, jumps) == HISTORY_JUMPS, "regions_history.h");
_Static_assert(offsetof(struct history, code) == HISTORY_CODE, "regions_history.h");
_Static_assert(offsetof(struct history, turns) == HISTORY_TURNS, "regions_history.h");

extern payload_fn history;

static bool prepare(struct bench_run *run)
{
    struct history *h = run->arg;
    *h = (struct history){.table = run->regions,
                          .data = arena_alloc(run->arena, HISTORY_WRITES * HISTORY_STEP, 4096),
                          .jumps = truth_chain(run, 2048, 4),
                          .code = truth_chain(run, 1024, 64),
                          .turns = (uint32_t)run->param[0]};
    if (h->data && h->jumps && h->code) return true;
    snprintf(run->error, sizeof run->error, "needs 2 MiB of memory");
    return false;
}

BENCHMARK(test_history) = {
    .program = {.name = "test_history",
                .desc = "regions whose markers find caches and buffers changed",
                .payload = history,
                .prepare = prepare,
                .regions = labels},
    .op = "call",
    .cost = "",
    .hidden = true,
    BENCH_PARAM_LIST({"n", "turns", "turns of the loop", 1, 1000, 1, 3, false}),
};
