/* Sampling: interrupt every so many events, or every so much time, and keep what was interrupted.
 *
 * Two passes over the payload. The first counts without interrupts: how often the event happens (period=auto
 * needs it), how long it takes, how many instructions run at CPL 0. The second samples. What it took more,
 * divided by its interrupts, is what one of them costs.
 */
#pragma once
#include "measure/run.h"
#include "measure/samples.h"

#define SAMPLES_BUFFER 10000 /* kept where period= is given and samples= is not */
#define SAMPLING_TRIES 4     /* passes that look for a period */

/* More interrupts than this many times the buffer's size, and SAMPLES_DEF: a storm. It is ended. */
#define STORM_FACTOR 4

struct sampling {
    struct samples samples;
    enum sampling_by by;
    const char *event;        /* as the user wrote it; "time" for the timers */
    const char *unit;         /* of period: "events", "apic-clocks", "pit-clocks", "rtc-clocks" */
    unsigned counter;         /* that overflowed; 0 for the timers */
    uint32_t period;          /* as it was used */
    uint32_t jitter;          /* likewise */
    unsigned wanted;          /* samples */
    unsigned tries;           /* passes that it took to find it; 1 where it was given */
    uint64_t occurred;        /* events (timers: clocks) of the pass without interrupts; 0: not known */
    uint32_t interrupts;      /* of the last pass */
    bool storm;               /* there were too many: the rest of the pass was not sampled */
    uint64_t tsc[2];          /* ticks of a pass: without interrupts, with them */
    bool counted;             /* instructions[] is there: a second counter was free */
    uint64_t instructions[2]; /* at CPL 0, likewise */
    bool counted_part;        /* but the handler stops the counters while it looks at them */
    struct run run;           /* item, bench, status, trap; count[0]: the payload's time of either pass */
};

/* Sample one plan item by one event (index into opt->event; none for the timers). The arena is emptied first
 * and holds the samples afterwards, until the next run. out->run.status tells success. */
void sampling_run(const struct plan_item *item, const struct options *opt, const struct machine *m,
                  unsigned event, struct arena *arena, struct sampling *out);
