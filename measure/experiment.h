/* Figures of a published experiment beside ours (bench_sampling.figure). */
#pragma once
#include "measure/deduce.h"
#include "measure/memory_profile.h"

struct experiment {
    const char *name;  /* the benchmark's: "pebs_vs_iebs" */
    const char *what;  /* the figure: "PEBS at +0" */
    const char *unit;  /* "%", "samples", ... */
    double article;    /* NAN: the article gives none */
    double ours;       /* NAN: not measured */
    const char *note;  /* why they differ, or what ours depends on; NULL: no note */
    const char *event; /* the event that ours was counted or sampled by; NULL: ours is not a count */
    /* For a share: the number of samples (0: not a share), and the conf % interval of ours, in its unit. */
    unsigned of, conf;
    double low, high;
};

#define EXPERIMENT_FIGURES 16 /* of one sampling run, at most */
struct experiments {
    unsigned n;
    struct experiment at[EXPERIMENT_FIGURES];
    char note[160]; /* that of one of them */
};

/* The figures of a sampling run in one of the benchmark's own ways; none for a benchmark without figures. ip:
 * its profile by instruction, with places; data, d: its profile by data address, and the deduction; NULL:
 * there is none. memory: its accesses; NULL: nothing is known of them. conf: of the intervals of shares, 95
 * or 99 (%). */
void experiment_figures(const struct sampling *s, const struct profile *ip, const struct profile *data,
                        const struct deduction *d, const struct memory_profile *memory, unsigned conf,
                        struct experiments *out);
