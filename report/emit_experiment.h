/* Figures of a published experiment beside ours: the record `experiment` of docs/records.md. */
#pragma once
#include "measure/deduce.h"
#include "report/emit_profile.h"

struct experiment {
    const char *name;  /* the benchmark's: "pebs_vs_iebs" */
    const char *what;  /* the figure: "PEBS at +0" */
    const char *unit;  /* "%", "samples", ... */
    double article;    /* NAN: the article gives none */
    double ours;       /* NAN: not measured */
    const char *note;  /* why they differ, or what ours depends on; NULL: there is nothing to say */
    const char *event; /* that ours was counted or sampled by; NULL: ours is not a count */
    /* Of a share: of how many samples (0: it is none), and the conf % interval of ours, in its unit. */
    unsigned of, conf;
    double low, high;
};

void emit_experiment(const struct experiment *e, enum origin origin);

/* From the first on experiments (up to 32) wait, so that the second emits them all on one page. What else
 * their strings are but the event's and the note's must stay. */
void experiments_hold(void);
void experiments_release(void);

/* The figures of a sampling run, of a benchmark that has such (bench_sampling), by its own event. ip: its
 * profile by instruction; data, d: by data address, and what was deduced; NULL: there is none. conf: of the
 * intervals of shares, 95 or 99 (%). */
void emit_figures(const struct sampling *s, const struct profile_source *from, const struct profile *ip,
                  const struct profile *data, const struct deduction *d, unsigned conf);
