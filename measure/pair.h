/* Pairs: what two benchmarks do to each other on two processors. Each is measured alone, and then with the
 * other one as its neighbour (measure/neighbour.h). */
#pragma once
#include "measure/reduce.h"

/* Of one side, alone or together: the statistics of each event, in the order of measuring. */
struct pair_side {
    unsigned n;
    struct {
        const char *event;
        double mean, ci; /* per operation; ci: half the interval of the mean, NaN where there is none */
        bool overhead_lowered;
        uint64_t errata; /* struct counted */
    } at[1 + EVENTS_MAX];
    int64_t param[BENCH_PARAMS]; /* as they were used */
};

/* The mean of this event; NaN: it was not counted. */
double pair_mean(const struct pair_side *side, const char *event);

/* Adds the k-th event of a run. */
void pair_keep(struct pair_side *to, const struct run *run, unsigned k, const struct stats *stats);

/* How often the mean alone goes into the mean together, and the interval of that. */
struct slowdown {
    double ratio, low, high; /* NaN: there is none */
};

/* E. C. Fieller's interval of the ratio of two independent means (J. Roy. Statist. Soc. B 16 (1954),
 * 175-185), from the half widths of the intervals of both, each with its own Student's t; so it is somewhat
 * wider than with one t of both. It has no bounds where the interval of the mean alone holds 0. */
struct slowdown pair_slowdown(double alone, double alone_ci, double together, double together_ci);
