/* What `live` shows: rows of text, made of the rates of the last intervals. It touches no device, so that it
 * is tested on the host. */
#pragma once
#include "measure/rates.h"

#define LIVE_HISTORY 30                 /* intervals */
#define LIVE_MOST    (PMU_COUNTERS + 4) /* quantities: events, tsc, rounds, interrupts, SMIs */
#define LIVE_ROWS    (LIVE_MOST + 2)    /* at most; a terminal has 24 */
#define LIVE_COLUMNS 79                 /* the last one stays free, since terminals wrap behind it */

struct live_quantity {
    const char *name;
    bool unmodelled, wrapped;
    double rate[LIVE_HISTORY]; /* a second; the newest last */
};

struct live_view {
    unsigned n, intervals; /* quantities; intervals so far */
    double seconds;        /* of the last one, counted */
    struct live_quantity q[LIVE_MOST];
};

/* A view of the rates that run, without an interval. tsc: the time stamp's, too. */
void live_view_begin(struct live_view *v, const struct rates *r, bool tsc);

/* The next interval. hz: ticks a second, not 0. */
void live_view_add(struct live_view *v, const struct rates *r, const struct rates_interval *i, uint64_t hz);

/* Its rows, without line ends. Returns their number. */
unsigned live_view_rows(const struct live_view *v, const struct rates *r, unsigned ring,
                        char row[LIVE_ROWS][LIVE_COLUMNS + 1]);
