/* A benchmark: a program in variants, its parameters, and what it should cost.
 *
 * One file each, self-registering: BENCHMARK(name) = {...} puts the descriptor into the list that plan, help
 * and the boot menu read.
 */
#pragma once
#include "bench/program.h"

#define BENCH_VARIANTS 2

struct bench_param {
    const char *name;
    const char *unit; /* "adds", "bytes", ... */
    const char *help;
    int64_t min, max, step; /* value = min + k * step; 0 means 1; STEP_DOUBLES: powers of two */
    int64_t def;            /* PARAM_AUTO: prepare() chooses a value for this machine */
    bool range;             /* name=A..B is accepted: one result for each value */
};
#define STEP_DOUBLES (-1)
#define PARAM_AUTO   0 /* never inside [min, max] of a parameter that may be auto */

static inline bool param_is_auto(const struct bench_param *p, int64_t value)
{
    return value == PARAM_AUTO && p->min > PARAM_AUTO;
}

/* The initialiser of a descriptor's parameters. */
#define BENCH_PARAM_LIST(...)                                                                 \
    .params = sizeof((const struct bench_param[]){__VA_ARGS__}) / sizeof(struct bench_param), \
    .param = (const struct bench_param[])                                                     \
    {                                                                                         \
        __VA_ARGS__                                                                           \
    }

struct bench_variant {
    const char *name;
    payload_fn *payload;
};

/* Variants that are known only when the kernel runs. */
struct bench_found {
    unsigned (*n)(void);
    struct program (*program)(unsigned i);
    /* Where there are none: how the user brings some, for the fault of the command line. NULL: why there are
     * none has been reported, and the rest of the plan is measured. */
    const char *(*missing)(void);
};

struct lab; /* include/anechoic/experiment.h */

struct bench {
    struct program program;              /* first, and in it the name: host/program_image.c */
    void (*experiment)(struct lab *lab); /* run instead of a payload, and not in bench=all; NULL: none */
    const char *op;                      /* one operation: "add", "load", "quantum" */
    const char *cost;                    /* what it should cost, in words */
    bool main_job;                       /* run when there is no bench= */
    bool hidden;                         /* a test of the harness: not listed, not in bench=all */
    bool processors;    /* an experiment that uses several: all are started, or those of cpu=, cpus= */
    uint8_t params : 3; /* in param; GCC rejects more than BENCH_PARAMS */
    const void
        *target; /* an instruction of the payload; profiles give the distance of others from it. NULL: none */
    const struct bench_sampling *sampling; /* an experiment (bench/experiment.h), not in bench=all; NULL:
                                              measured, not sampled */
    const struct bench_param *param;       /* both by BENCH_PARAM_LIST() */
    struct bench_variant variant[BENCH_VARIANTS]; /* one for each payload, where there are several */
    const struct bench_found *found;              /* instead of these; NULL: these are all */
    /* Bytes of memory that prepare() will need with these values, so that a value that is too large is
     * refused with the command line. NULL: next to none. PARAM_AUTO counts as 0. */
    uint64_t (*memory)(const int64_t *param, const struct cache_info *caches);
    /* How many events one run can count with these values; 0, or NULL: as many as there are counters. */
    unsigned (*events_at_once)(const int64_t *param);
};

/* In a module of the user's own a descriptor is a row of a table that `anechoic payload build` finds, with
 * the number of the interface that it was compiled for. */
#ifdef ANECHOIC_PAYLOAD
#include "anechoic/calls.h"

struct bench_row {
    const struct bench *bench;
    uintptr_t interface;
};
#define BENCHMARK(id)                                                                                   \
    static const struct bench id##_bench;                                                               \
    static const struct bench_row id##_row                                                              \
        __attribute__((section("anechoic_benches"), used, retain)) = {&id##_bench, ANECHOIC_INTERFACE}; \
    static const struct bench id##_bench
#else
/* Descriptors are found through pointers that the linker gathers, sorted by name. */
#define BENCHMARK(id)                                                                             \
    static const struct bench id##_bench;                                                         \
    static const struct bench *const id##_entry __attribute__((section(".benches." #id), used)) = \
        &id##_bench;                                                                              \
    static const struct bench id##_bench

extern const struct bench *const benches_start[], *const benches_end[];
#endif

/* The number of variants, at least 1 unless they are found, and the program of the i-th. */
unsigned bench_variants(const struct bench *bench);
struct program bench_program(const struct bench *bench, unsigned i);
