/* Functions of the user's own programs, from modules, each a benchmark (docs/code.md).
 *
 * Each run has a copy of the program of its own, as it was linked: what another run wrote to its data is not
 * seen. Between the repetitions of one run its data stay as they are. */
#include "bench/payload.h"
#include "kernel/module.h"
#include <stdio.h>

static struct bench benches[MODULE_BENCHMARKS];
static struct bench_param args[MODULE_BENCHMARKS];

static bool prepare(struct bench_run *run)
{
    const struct module_benchmark *b = run->own;
    uint8_t *image = module_load(b, run->arena);
    if (!image) {
        snprintf(run->error, sizeof run->error, "its program needs %u KiB of memory, and %u KiB are left",
                 (unsigned)((module_program(b)->memory + 1023) / 1024),
                 (unsigned)(arena_left(run->arena) / 1024));
        return false;
    }
    run->payload = (payload_fn *)(uintptr_t)(image + b->entry);
    run->arg = (void *)(uintptr_t)run->param[0];
    return true;
}

unsigned payload_benches(const struct bench **list)
{
    const unsigned n = module_benchmarks();
    for (unsigned i = 0; i < n; i++) {
        const struct module_benchmark *b = module_benchmark(i);
        const int64_t arg = (int64_t)((uint64_t)b->arg[1] << 32 | b->arg[0]);
        args[i] = (struct bench_param){"arg", "",  "the function's argument", 0, (int64_t)MODULE_ARG_MAX, 1,
                                       arg,   true};
        benches[i] = (struct bench){.program = {.name = module_benchmark_name(b),
                                                .desc = "code of your own: a function of a module",
                                                .prepare = prepare,
                                                .own = b,
                                                .users = true},
                                    .op = "call",
                                    .cost = "yours to say",
                                    .params = 1,
                                    .param = &args[i]};
        list[i] = &benches[i];
    }
    return n;
}
