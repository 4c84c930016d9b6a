/* An experiment: a benchmark that is sampled, and the figures of the article that it repeats: B. Sprunt,
 * "Pentium 4 Performance-Monitoring Features", IEEE Micro 22(4), 2002. */
#pragma once
#include "pmu/sample.h"

/* The ways to sample it. A CPU has some of them. */
enum way {
    WAY_PMI = 1 << 0,       /* an interrupt on the overflow of an event */
    WAY_PEBS = 1 << 1,      /* PEBS, by an event that is the experiment's */
    WAY_LATENCY = 1 << 2,   /* PEBS, of loads that took longer than an L1 hit: those that the CPU tags */
    WAY_PREC_DIST = 1 << 3, /* PEBS, of all instructions, none more likely than another */
    WAY_IBS = 1 << 4,       /* ops, whatever they do */
    WAY_ANY = 0,
    WAY_MISSES = WAY_PMI | WAY_PEBS, /* each event is one of the experiment's misses */
};

/* A figure of a published experiment, and the quantity of a sampling run that is compared with it. */
enum figure {
    FIGURE_EVENTS,       /* in the pass without interrupts */
    FIGURE_SAMPLES,      /* number of samples kept */
    FIGURE_INSTRUCTIONS, /* number of different instructions sampled */
    FIGURE_SHARE,        /* percent of the samples that are .at instructions after the target */
    FIGURE_MISSES,       /* the same of the samples whose data was not in the L1 */
    FIGURE_NEAREST,      /* least distance of a sample from the target, in instructions */
    FIGURE_ADDRESSES,    /* different data addresses, */
    FIGURE_DIFFERENCE,   /* bytes between neighbours of them, */
    FIGURE_FEWEST,       /* and samples of the one that has fewest, */
    FIGURE_MOST,         /* and most */
    FIGURE_LATENCY,      /* median of the latencies of accesses */
    FIGURE_LEVEL,        /* percent of the accesses whose data was in level .at (enum sample_level) */
};
#define NO_FIGURE __builtin_nanf("") /* of the article */
struct bench_figure {
    const char *what, *unit;
    float article;
    uint8_t ways; /* enum way: applies to runs by these; WAY_ANY: to every run */
    uint8_t figure;
    int16_t at;
    const char *note; /* why the two differ; NULL: they should not */
};

/* One row of the ways to sample it: the CPU needs the method and the event. */
struct bench_way {
    uint8_t way;       /* enum way: of the rows of one way the first is taken that fits */
    uint8_t by;        /* enum sampling_by */
    uint16_t latency;  /* latency=: loads of more cycles; 0: not given */
    uint32_t classes;  /* enum pmu_class: CPUs, one of these; 0: all that have the event */
    uint32_t without;  /* ... but none of these */
    const char *event; /* as on the command line; NULL: IBS, which has none */
    uint32_t (*period)(const int64_t *param); /* NULL: the experiment's; 0: automatic */
};

/* A CPU tags only some of the loads, and no manual says how many: the period is searched for. */
static inline uint32_t period_automatic(const int64_t *param)
{
    (void)param;
    return 0;
}

/* For IBS, whose periods are multiples of 16 from 144 on (pmu/ibs.c): about so many ops. The factor of 16 is
 * divisible by neither 2 nor 3, so that it has less in common with the length of a loop. */
static inline uint32_t period_of_ops(int64_t ops)
{
    const uint32_t steps = ops < 16 * 11 ? 11 : (uint32_t)(ops / 16) | 1;
    return 16 * (steps % 3 ? steps : steps + 2);
}

/* How it is sampled. Words of the command line take precedence. It runs once, without warm-up, at CPL 3. */
struct bench_sampling {
    const struct bench_way *way;              /* in the order of the runs; up to one without a way */
    uint32_t (*period)(const int64_t *param); /* events */
    const struct bench_figure *figure;        /* up to one without a name */
};
