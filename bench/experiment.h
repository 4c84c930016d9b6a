/* An experiment: a benchmark that is sampled, and the figures of the article that it repeats: B. Sprunt,
 * "Pentium 4 Performance-Monitoring Features", IEEE Micro 22(4), 2002. */
#pragma once
#include "pmu/sample.h"

/* A figure of a published experiment, and the quantity of a sampling run that is compared with it. */
enum figure {
    FIGURE_EVENTS,       /* in the pass without interrupts */
    FIGURE_SAMPLES,      /* number of samples kept */
    FIGURE_INSTRUCTIONS, /* number of different instructions sampled */
    FIGURE_SHARE,        /* percent of the samples that are .at instructions after the target */
    FIGURE_NEAREST,      /* least distance of a sample from the target, in instructions */
    FIGURE_ADDRESSES,    /* different data addresses, */
    FIGURE_DIFFERENCE,   /* bytes between neighbours of them, */
    FIGURE_FEWEST,       /* and samples of the one that has fewest, */
    FIGURE_MOST,         /* and most */
};
struct bench_figure {
    const char *what, *unit;
    float article;
    uint8_t by; /* enum sampling_by: applies to the run by this method; SAMPLE_BY_NONE: to every run */
    uint8_t figure;
    int16_t at;
    const char *note; /* why the two differ; NULL: they should not */
};

/* How it is sampled. Words of the command line take precedence. It runs once, without warm-up, at CPL 3. */
struct bench_sampling {
    const char *event[2];                     /* the first that this CPU has */
    uint8_t by[2];                            /* enum sampling_by; one run each, up to SAMPLE_BY_NONE */
    uint32_t (*period)(const int64_t *param); /* events */
    const struct bench_figure *figure;        /* up to one without a name */
};
