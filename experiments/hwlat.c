/* What takes the processor away, unseen: SMIs, a hypervisor, firmware.
 *
 * A loop reads nothing but the TSC, with interrupts disabled. Where two readings are further apart than a
 * threshold, something else ran (as Linux' hwlat tracer and osnoise ask). It watches in slices, and reports
 * between them: that time is not watched. */
#include "anechoic/experiment.h"
#include <string.h>

#define SLICES_A_SECOND  4 /* Ctrl-C is heard between them */
#define PROGRESS_SECONDS 10
#define LISTED           1000 /* gaps with their times; all are counted */

enum { SECONDS, THRESHOLD };

struct hwlat {
    struct watch w;
    double hz;
    uint64_t began; /* the reading of the TSC that times count from */
    unsigned listed;
};

static double seconds(const struct hwlat *h, uint64_t ticks) { return (double)ticks / h->hz; }

static struct lab_quantity quantity(const char *name, const char *unit, double value)
{
    return (struct lab_quantity){name, unit, value, LAB_TIMES, LAB_COUNTED};
}

static void value(struct lab *lab, const char *name, const char *unit, double v, const char *note)
{
    const struct lab_quantity q = quantity(name, unit, v);
    lab_value(lab, &q, note);
}

/* Those of the last slice. */
static void list(struct lab *lab, struct hwlat *h)
{
    for (unsigned i = 0; i < h->w.kept && h->listed < LISTED; i++, h->listed++) {
        const struct watch_gap *g = &h->w.gap[i];
        const struct lab_quantity q[] = {quantity("at", "s", seconds(h, g->at - h->began)),
                                         quantity("gap", "us", seconds(h, g->ticks) * 1e6)};
        lab_row(lab, "gaps", q, 2);
    }
}

static void progress(struct lab *lab, const struct hwlat *h, double all)
{
    const struct lab_quantity q[] = {quantity("watched", "s", seconds(h, h->w.watched)),
                                     quantity("of", "s", all), quantity("gaps", "", (double)h->w.gaps),
                                     quantity("longest", "us", seconds(h, h->w.largest) * 1e6)};
    lab_row(lab, "progress", q, 4);
}

/* By powers of two, from 1 tick on. The usual distances are where the typical one is. */
static void histogram(struct lab *lab, const struct hwlat *h)
{
    double bin[WATCH_BINS];
    unsigned n = 0, typical = 0;
    while (h->w.typical >> typical > 1) typical++;
    for (unsigned i = 0; i < WATCH_BINS; i++) {
        bin[i] = (double)(h->w.bin[i] + (i == typical ? h->w.usual : 0));
        if (bin[i] > 0) n = i + 1;
    }
    lab_series(lab, "distances of 2^i ticks", "", bin, n, LAB_TIMES);
}

static void run(struct lab *lab)
{
    struct hwlat *h = lab_alloc(lab, sizeof *h, 64);
    const uint64_t all = lab->tsc_hz * (uint64_t)lab->param[SECONDS], slice = lab->tsc_hz / SLICES_A_SECOND,
                   us = lab->tsc_hz / 1000000 * (uint64_t)lab->param[THRESHOLD];
    uint64_t next = lab->tsc_hz * PROGRESS_SECONDS;
    uint32_t before, after;
    if (!lab->tsc_hz)
        lab_fail(lab, "the TSC's rate is unknown, so a second has no length; give it with tsc=HZ");
    h->hz = (double)lab->tsc_hz;
    watch_begin(&h->w, lab->tsc_hz);
    if (us > h->w.threshold) h->w.threshold = us;
    const enum lab_state state = lab_smis(lab, &before);
    h->began = hw_rdtsc();
    while (h->w.watched < all) {
        lab_gaps(lab, &h->w, all - h->w.watched < slice ? all - h->w.watched : slice);
        list(lab, h);
        if (h->w.watched < next || h->w.watched >= all) continue;
        progress(lab, h, (double)lab->param[SECONDS]);
        next += lab->tsc_hz * PROGRESS_SECONDS;
    }
    const uint64_t took = hw_rdtsc() - h->began;
    lab_smis(lab, &after);
    value(lab, "watched", "s", seconds(h, h->w.watched), NULL);
    value(lab, "share of the time", "%", 100 * (double)h->w.watched / (double)took,
          "in the rest results were printed");
    value(lab, "usual distance", "tsc", (double)h->w.typical, NULL);
    value(lab, "threshold", "us", seconds(h, h->w.threshold) * 1e6, "a longer distance is a gap");
    value(lab, "gaps", "", (double)h->w.gaps,
          h->w.gaps > h->listed ? "more than are listed"
          : h->w.gaps           ? NULL
                                : "nothing else ran");
    value(lab, "longest", "us", seconds(h, h->w.largest) * 1e6, NULL);
    const struct lab_quantity smis = {"SMIs", "", after - before, LAB_COUNTS, state};
    lab_value(lab, &smis, state == LAB_ABSENT ? "this CPU does not count them" : NULL);
    histogram(lab, h);
}

EXPERIMENT(hwlat) = {
    .program = {.name = "hwlat", .desc = "gaps in time: what takes the processor away, and when"},
    .experiment = run,
    .op = "watch",
    .cost = "no gap at all; a PC's SMIs take 10 to 500 us each",
    BENCH_PARAM_LIST([SECONDS] = {"seconds", "seconds", "how long to watch", 1, 86400, 1, 10, false},
                     [THRESHOLD] = {"us", "microseconds",
                                    "a gap is longer than this, and than ten usual distances", 1, 1000000, 1,
                                    1, false}),
};
