/* Functions of the user's own programs, from modules, each a benchmark (docs/payload.md).
 *
 * Each run has a copy of the program of its own, as it was linked: what another run wrote to its data is not
 * seen. Between the repetitions of one run its data stay as they are. */
#include "bench/payload.h"
#include "bench/region.h"
#include "bench/trace.h"
#include "kernel/module.h"
#include <stdio.h>
#include <string.h>

static struct bench benches[MODULE_BENCHMARKS];
static struct bench_param args[MODULE_BENCHMARKS];
static const char *labels[MODULES][REGIONS + 1]; /* of each program */
static const char *channels[MODULES][TRACE_CHANNELS + 1];

static void put_word(uint8_t *at, const void *address)
{
    const uintptr_t word = (uintptr_t)address; /* it may be at any address */
    memcpy(at, &word, sizeof word);
}

static bool prepare(struct bench_run *run)
{
    const struct module_benchmark *b = run->own;
    const struct module_program *p = module_program(b);
    uint8_t *image = module_load(b, run->arena);
    if (!image) {
        snprintf(run->error, sizeof run->error, "its program needs %u KiB of memory, and %u KiB are left",
                 (unsigned)((p->memory + 1023) / 1024), (unsigned)(arena_left(run->arena) / 1024));
        return false;
    }
    run->image = (struct bench_image){image, b, image + b->entry};
    run->payload = (payload_fn *)(uintptr_t)(image + (p->start ? p->start : b->entry));
    run->arg = (void *)(uintptr_t)run->param[0];
    if (p->start) put_word(image + p->enter, image + b->entry);
    if (p->once) run->once = (payload_fn *)(uintptr_t)(image + p->once);
    if (p->regions) put_word(image + p->regions, run->regions);
    if (p->trace) put_word(image + p->trace, run->trace);
    return true;
}

/* NULL: it marks no regions. Those without a label have their number as one. */
static const char *const *labels_of(const struct module_benchmark *b, const char **list)
{
    if (!module_program(b)->regions) return NULL;
    for (unsigned i = 0; i < REGIONS && (list[i] = module_label(b, i)); i++) continue;
    return list;
}

/* NULL: it has no hooks. */
static const char *const *channels_of(const struct module_benchmark *b, const char **list)
{
    if (!module_program(b)->trace) return NULL;
    for (unsigned i = 0; i < TRACE_CHANNELS && (list[i] = module_channel(b, i)); i++) continue;
    return list;
}

unsigned payload_benches(const struct bench **list)
{
    const unsigned n = module_benchmarks();
    unsigned programs = 0;
    for (unsigned i = 0; i < n; i++) {
        const struct module_benchmark *b = module_benchmark(i);
        if (i == 0 || module_program(b) != module_program(module_benchmark(i - 1))) programs++;
        const int64_t arg = (int64_t)((uint64_t)b->arg[1] << 32 | b->arg[0]);
        args[i] = (struct bench_param){"arg", "",  "the function's argument", 0, (int64_t)MODULE_ARG_MAX, 1,
                                       arg,   true};
        benches[i] = (struct bench){.program = {.name = module_benchmark_name(b),
                                                .desc = "code of your own: a function of a module",
                                                .prepare = prepare,
                                                .regions = labels_of(b, labels[programs - 1]),
                                                .channels = channels_of(b, channels[programs - 1]),
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

const struct module_output *payload_output(const struct bench_run *run)
{
    const struct module_program *p = run->image.at ? module_program(run->image.of) : NULL;
    return p && p->start ? (const struct module_output *)(const void *)(run->image.at + p->output) : NULL;
}
