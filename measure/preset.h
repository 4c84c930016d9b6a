/* Runs whose counters begin with a preset (init=), or are started by another one's overflow (A+>B).
 *
 * Right before each bracket the counters are stopped, preset and started. What the harness counts from there
 * to the payload's first instruction is measured beforehand and taken off the presets, so that a counter
 * stands at init when the payload begins. What a cascade's target counts from the payload's end to the
 * bracket's last reading is measured likewise, and is its overhead.
 */
#pragma once
#include "measure/arm.h"

/* How one event's counter began, and what became of it. */
struct preset {
    bool given;   /* init= was given: */
    int64_t init; /* what the counter stands at when the payload begins, */
    uint64_t off; /* how far it was from that at most, overhead and warm-ups included, */
    unsigned
        overflowed; /* and the repetitions in which the payload's events took it past its highest value */
    const char *starter; /* of a cascade's target: the event that starts it; else NULL */
    uint64_t after;      /* ... with this one of its events in the payload: the target counts from the next
                            instruction on; */
    unsigned started;    /* and the repetitions in which it did */
};

struct presets;

/* A counter, and what it begins with. */
struct preset_write {
    unsigned counter;
    int64_t value;
};

/* The writes right before a bracket: all counters stop, these n are written, and all run. */
void presets_list(const struct pmu *pmu, const struct preset_write *w, unsigned n, struct msr_list *out);

/* Does one of this run's events have a preset? Such a run has no other events. */
bool presets_wanted(const struct measuring *t);

/* After arm(): find out what the harness counts, and which presets make up for it. Leaves the counters
 * programmed and stopped. False: t->run says why not. */
bool presets_calibrate(struct measuring *t);

/* From here on they are written before each bracket, after what is done there already. */
void presets_begin(struct measuring *t);

/* After the repetitions: fills in run->count[].preset, and the overhead of a cascade's target. */
void presets_end(struct measuring *t);
