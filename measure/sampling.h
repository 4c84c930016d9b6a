/* Sampling: interrupt after a number of events, or a time, and record the interrupted state.
 *
 * Two passes over the payload. One counts without interrupts: how often the event happens (period=auto needs
 * it), how long it takes, how many instructions run at CPL 0. The other one samples. Its additional time,
 * divided by the number of interrupts, is the cost of one. The payload is repeated until there are enough
 * samples (options.repeat), the same number of times in both passes.
 */
#pragma once
#include "measure/run.h"
#include "pmu/sample.h"

#define SAMPLES_BUFFER 10000 /* kept if period= is given and samples= is not */
#define SAMPLING_TRIES 4     /* passes that look for a period */
#define SHARE_MOST     0.10  /* of the time: a handler with a larger share dominates the samples */

/* One of the events that are sampled at once; fields as in struct sampling. */
struct sampling_event {
    const struct pmu_code *code;
    unsigned counter;
    uint32_t period, jitter;
    double per_call, least; /* as in struct job */
    uint64_t occurred, lost;
    bool clocked; /* as in struct sampling */
    uint32_t inside, outside, late, unanswered;
};

struct sampling {
    struct samples samples;
    enum sampling_by by;
    const char *event; /* as the user wrote it; "time" for the timers; perf's "ibs_op", "ibs_fetch" */
    const char *
        unit; /* of period: "events", "apic-clocks", "pit-clocks", "rtc-clocks", "ops", "cycles", "fetches" */
    uint64_t errata;  /* of the event (pmu/errata.h) */
    unsigned counter; /* that overflowed; 0 for the timers */
    uint32_t period;  /* as it was used */
    uint32_t jitter;  /* likewise */
    unsigned wanted;  /* samples */
    bool hoped; /* ... requested by the user: false if the period and the repetitions determine the number */
    unsigned tries;           /* passes needed to find it; 1 if it was given */
    uint64_t occurred;        /* events (timers: clocks) of the pass without interrupts; 0: not known */
    bool clocked;             /* the PMU model's clock says so: the events are cycles, or it is a timer */
    uint32_t interrupts;      /* of the last pass */
    uint32_t inside, outside; /* samples (or, of outside, interrupts) of the payload, and others */
    uint32_t late;            /* of those outside: with the counters stopped, */
    uint32_t unanswered;      /* or overflows detected without an interrupt */
    uint32_t dropped;         /* samples of IBS in the payload's time that are none (ibs_decode()) */
    bool storm;               /* there were too many: the rest of the pass was not sampled */
    uint64_t tsc[2];          /* ticks of a pass: without interrupts, with them */
    bool counted;             /* instructions[] is valid: a second counter was free */
    uint64_t instructions[2]; /* at CPL 0, likewise */
    bool counted_part;        /* but the handler stops the counters while it looks at them */
    unsigned at_once; /* so many events were sampled at once, in each[]: what is said of one event above is
                         sampling_view()'s; 0: this one alone */
    struct sampling_event *each;
    uint64_t all_came,
        all_counted;        /* samples of all of them, as sampling_came(); with those outside but late */
    unsigned branches;      /* enum lbr_branch: which ones the samples have; 0: none */
    unsigned branches_deep; /* entries of the processor's record */
    bool unpredicted;       /* the PMU model does not predict branches: nothing is known of that */
    uint8_t branches_known; /* enum branch_known: of cycles and predictions, those that it has */
    bool branches_fused;    /* struct lbr */
    unsigned together;      /* so many processors were sampled at the same time; 0: this one alone */
    struct run run;         /* item, bench, status, trap; reps: calls of the payload in a pass */
};

/* Samples of the payload, including those for which there was no room. */
static inline uint64_t sampling_came(const struct sampling *s) { return s->inside + s->samples.lost; }

/* The handler's share of the sampling pass's time. Noise may make it negative; 0 without interrupts. */
static inline double sampling_share(const struct sampling *s)
{
    if (!sampling_came(s) || !s->tsc[1]) return 0;
    return ((double)s->tsc[1] - (double)s->tsc[0]) / (double)s->tsc[1];
}

/* With at_once: turn to the e-th of the events. Samples are all in one buffer, and tell by their counter
 * whose they are. */
void sampling_view(struct sampling *s, unsigned e);

/* Sample one plan item by one event (index into opt->event; none for the timers), or with opt->at_once by
 * all. The arena is emptied first and holds the samples afterwards, until the next run. out->run.status tells
 * success. */
void sampling_run(const struct plan_item *item, const struct options *opt, const struct cpu *cpu,
                  unsigned event, struct arena *arena, struct sampling *out);

/* The handler's share is too large; with few interrupts a share is noise. */
#define SHARE_TOLD 100
static inline bool sampling_heavy(const struct sampling *s)
{
    const uint64_t came = sampling_came(s);
    return sampling_share(s) >= SHARE_MOST && (came >= SHARE_TOLD || 2 * came >= s->wanted);
}
