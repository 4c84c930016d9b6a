/* A benchmark: a payload, its parameters, and what it should cost.
 *
 * One file each, self-registering: BENCHMARK(name) = {...} puts the descriptor into the list that plan, help
 * and the boot menu read. Payloads take one pointer, call nothing, and lie in .payload, so that the same
 * object files run in the kernel, in ring 3, and in a Linux program (make silicon).
 */
#pragma once
#include "kernel/cache.h"
#include "measure/arena.h"
#include "measure/region_table.h"
#include "measure/samples.h"
#include <stdbool.h>
#include <stdint.h>

#define BENCH_PARAMS    3
#define BENCH_VARIANTS  2
#define BENCH_ARG_BYTES 128

typedef void payload_fn(void *arg);
#define PAYLOAD __attribute__((section(".payload"), noinline, aligned(64)))

struct bench_param {
    const char *name;
    const char *unit; /* "adds", "bytes", ... */
    const char *help;
    int64_t min, max, step; /* value = min + k * step; step 0 means 1 */
    int64_t def;            /* PARAM_AUTO: prepare() chooses by the machine */
    bool range;             /* name=A..B is understood: one result for each value */
};
#define PARAM_AUTO 0 /* never inside [min, max] of a parameter that may be auto */

/* In a descriptor: its parameters. */
#define BENCH_PARAM_LIST(...)                                                                 \
    .params = sizeof((const struct bench_param[]){__VA_ARGS__}) / sizeof(struct bench_param), \
    .param = (const struct bench_param[])                                                     \
    {                                                                                         \
        __VA_ARGS__                                                                           \
    }

struct bench_variant {
    const char *name; /* "" where there is only one */
    payload_fn *payload;
};

/* A figure of a published experiment, and what of a sampling run is set beside it. */
enum figure {
    FIGURE_EVENTS,       /* in the pass without interrupts */
    FIGURE_SAMPLES,      /* that were kept */
    FIGURE_INSTRUCTIONS, /* different ones that were sampled */
    FIGURE_SHARE,        /* percent of the samples that are .at instructions behind the target */
    FIGURE_NEAREST,      /* least distance of a sample from the target, in instructions */
    FIGURE_ADDRESSES,    /* different data addresses, */
    FIGURE_DIFFERENCE,   /* bytes between neighbours of them, */
    FIGURE_FEWEST,       /* and samples of the one that has fewest, */
    FIGURE_MOST,         /* and most */
};
struct bench_figure {
    const char *what, *unit;
    float article;
    uint8_t by; /* enum sampling_by: of the run by this method; SAMPLE_BY_NONE: of any */
    uint8_t figure;
    int16_t at;
    const char *note; /* why the two differ; NULL: they should not */
};

/* An experiment is sampled, and says how. Words of the command line go before. It runs once, without
 * warm-up, at CPL 3. */
struct bench_sampling {
    const char *event[2];                     /* the first that this CPU has */
    uint8_t by[2];                            /* enum sampling_by; one run each, up to SAMPLE_BY_NONE */
    uint32_t (*period)(const int64_t *param); /* events */
    const struct bench_figure *figure;        /* up to one without a name */
};

/* What prepare() sees and fills in. */
struct bench_run {
    int64_t param[BENCH_PARAMS]; /* in descriptor order; PARAM_AUTO is replaced by the value chosen */
    const struct cache_info *caches;
    uint64_t tsc_hz; /* 0 = unknown */
    struct arena *arena;
    payload_fn *payload; /* of the variant */
    void *arg;           /* for the payload: BENCH_ARG_BYTES in the arena, for prepare() to fill in */
    double ops;          /* operations in one call of the payload; 1 unless prepare() says otherwise */
    uint64_t *stamps;    /* series benchmarks: where the payload writes count + 1 time stamps */
    size_t stamp_count;  /* 0 = an ordinary benchmark, measured by the bracket */
    struct region_table *regions; /* for the payload's markers, where the benchmark has regions; else NULL */
    char error[160];              /* why prepare() said no */
};

struct bench {
    const char *name, *desc;
    const char *op;             /* one operation: "add", "load", "quantum" */
    const char *cost;           /* what it should cost, in words */
    bool main_job;              /* run when there is no bench= */
    bool hidden;                /* a test of the harness: not listed, not in bench=all */
    uint8_t params : 2;         /* in param; more than BENCH_PARAMS do not fit, and GCC says so */
    const char *const *regions; /* the payload marks regions: their labels by id, up to a NULL. NULL: it does
                                   not */
    const void
        *target; /* an instruction of the payload: profiles say how far others are from it. NULL: none */
    const struct bench_sampling *sampling; /* an experiment, not in bench=all; NULL: measured, not sampled */
    const struct bench_param *param;       /* both by BENCH_PARAM_LIST() */
    struct bench_variant variant[BENCH_VARIANTS];
    /* Build data in run->arena, fill in *arg, set ops. False: run->error says why not. NULL: nothing to
     * prepare. */
    bool (*prepare)(struct bench_run *run);
    /* Called at CPL 0 right before each bracket, the overhead's and the warm-up's too: so that each begins in
     * the same state of caches and buffers. NULL: they stay as warm as they are. */
    void (*before)(const struct bench_run *run);
    /* Bytes of memory that prepare() will want with these values, so that a value too large is a fault of the
     * command line. NULL: next to none. PARAM_AUTO counts as 0. */
    uint64_t (*memory)(const int64_t *param, const struct cache_info *caches);
};

/* Descriptors are found through pointers that the linker gathers, sorted by name. */
#define BENCHMARK(id)                                                                             \
    static const struct bench id##_bench;                                                         \
    static const struct bench *const id##_entry __attribute__((section(".benches." #id), used)) = \
        &id##_bench;                                                                              \
    static const struct bench id##_bench

extern const struct bench *const benches_start[], *const benches_end[];
