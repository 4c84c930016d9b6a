/* A program: the code that is executed between the readings of a bracket (measure/execute.h). Each variant of
 * a benchmark, each program of the truth suite and each trial of the cascades is one.
 *
 * Payloads take one pointer, call nothing, and lie in .payload, so that the same object files run in the
 * kernel, in ring 3, and in a Linux program (make silicon).
 */
#pragma once
#include "kernel/arena.h"
#include "kernel/cache.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BENCH_PARAMS    7
#define BENCH_ARG_BYTES 128

typedef void payload_fn(void *arg);
#define PAYLOAD __attribute__((section(".payload"), noinline, aligned(64)))

struct presets;          /* measure/preset.h */
struct region_table;     /* bench/region.h */
struct trace_ring;       /* bench/trace.h */
struct module_benchmark; /* include/anechoic/module.h */

/* For a payload that reads the counters by itself: those of this run, beside the time stamp. */
struct bench_counters {
    unsigned n;
    const uint32_t *select; /* ECX for each */
    uint8_t opcode; /* 0Fh and this: RDPMC or RDMSR; 0: only a call gate reads them, which writes memory */
    const uint8_t *fence; /* an instruction to put around the readings */
    unsigned fence_bytes; /* 0: this CPU has none that changes no register */
};

/* Of a payload and its baseline that hold the same code many times: where the copies lie. */
struct bench_copies {
    uint32_t head, tail;      /* bytes before the first one and after the last one, in both */
    uint32_t bytes;           /* of one; 0: there are none */
    uint32_t shorter, longer; /* how many the baseline has, and the payload */
    struct bench_part {
        uint32_t at, bytes;
    } init, late, once; /* from the payload's beginning; once: from that of the code that runs once */
};

/* Of code of a user's module: where its image was loaded to. */
struct bench_image {
    const uint8_t *at; /* NULL: it is none */
    const struct module_benchmark *of;
    const uint8_t
        *entry; /* the user's function, where the payload is what calls it; NULL: the payload itself */
};

/* The input and output of prepare(). */
struct bench_run {
    int64_t param[BENCH_PARAMS]; /* in descriptor order; PARAM_AUTO is replaced by the value chosen */
    const struct cache_info *caches;
    uint64_t tsc_hz; /* 0 = unknown */
    struct arena *arena;
    const uint8_t *fence; /* an instruction that waits for all before it, where serialize= has a short one */
    unsigned fence_bytes; /* 0: it has none */
    payload_fn *payload;  /* the program's; prepare() may put code there that it writes */
    payload_fn *baseline; /* by prepare(): runs as often as the payload, and is subtracted from it, statistic
                             by statistic. NULL: the least of an empty payload is subtracted */
    payload_fn *once;     /* by prepare(): called once, before all others. NULL: nothing is */
    const void *own;      /* the program's */
    void (*before)(const struct bench_run *run); /* the program's; beside its own, which it reads each time */
    const struct bench_counters *counters;
    bool reads; /* by prepare(): the payload reads time stamp and counters by itself, and leaves the
                   difference of each in *arg, in this order, 64 bits each with those of its registers; the
                   bracket reads nothing */
    const char *(*fault)(const struct bench_run *run); /* by prepare(): asked after the repetitions what makes
                                                          them worthless; NULL: nothing */
    struct bench_copies copies;                        /* by prepare(), so that a trap's place can be told */
    struct bench_image image;                          /* likewise; the program's, where that has one */
    void *arg;          /* the payload's argument: BENCH_ARG_BYTES in the arena, which prepare() fills in */
    double ops;         /* operations in one call of the payload; 1 unless prepare() says otherwise */
    uint64_t *stamps;   /* for a series: the payload writes count + 1 time stamps here */
    size_t stamp_count; /* 0: no series, measured by the bracket */
    struct presets *presets;      /* the kernel's own: of counters that do not begin at 0; NULL: all do */
    struct region_table *regions; /* for the payload's markers, where the program has regions; else NULL */
    struct trace_ring *trace;     /* for the payload's hooks, where the program has channels; else NULL */
    char error[160];              /* why prepare() failed */
};

struct program {
    const char *name, *desc;
    payload_fn *payload; /* NULL: prepare() writes it, or a benchmark has several (struct bench_variant) */
    /* Build data in run->arena, fill in *arg, set ops. False: run->error says why not. NULL: nothing to
     * prepare. */
    bool (*prepare)(struct bench_run *run);
    /* Called at CPL 0 right before each bracket, also those of the overhead and the warm-ups, so that each
     * begins in the same state of caches and buffers. NULL: caches and buffers are left as they are. */
    void (*before)(const struct bench_run *run);
    const char *const *regions;  /* the payload marks regions: their labels by id, up to a NULL. NULL: it does
                                    not */
    const char *const *channels; /* the payload has hooks of a trace: the labels of channels 0, 1, ..., up to
                                    a NULL. NULL: it has none */
    const void *own;             /* prepare()'s own data, beside the parameters */
    bool users;                  /* code of the user's own: it may do anything, and is watched (limit=) */
    struct bench_image image;    /* of a benchmark with a descriptor of the user's own; the kernel sets it */
    const char *variant;         /* names this payload, where a benchmark has several; else "" or NULL */
};
