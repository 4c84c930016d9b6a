/* The difference of two time-stamp counters, from exchanges of messages: F. Cristian, "Probabilistic clock
 * synchronization", Distributed Computing 3, 1989.
 *
 * The first processor reads its TSC (sent), asks, and the other reads its own (there) and answers, and the
 * first one reads again (back). With there = the first one's time + offset, and since no answer is read
 * before it was written: there - back <= offset <= there - sent. Each exchange gives such an interval, and
 * the offset lies in all of them: the truth, not a statistic. What is left of them is narrow if one question
 * and one answer were fast, in whatever exchange. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct skew {
    int64_t low, high; /* ticks: other - first */
    unsigned exchanges;
};

/* Of no exchange yet. */
#define SKEW_UNKNOWN ((struct skew){INT64_MIN, INT64_MAX, 0})

void skew_add(struct skew *s, uint64_t sent, uint64_t there, uint64_t back);

/* False: no offset is in all intervals, so it changed meanwhile, or a time stamp ran backwards. */
static inline bool skew_consistent(const struct skew *s) { return s->low <= s->high; }

/* The middle, and how far the truth may be from it. */
double skew_offset(const struct skew *s);
double skew_uncertainty(const struct skew *s);

/* How the offset changes, in ticks per tick of the first processor: in [*low, *high], from its bounds before
 * and after `ticks` of the first one (> 0). */
void skew_drift(const struct skew *before, const struct skew *after, uint64_t ticks, double *low,
                double *high);
