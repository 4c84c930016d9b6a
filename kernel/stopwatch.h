/* Seconds while nothing is measured: by the TSC, or, where its rate is not known, by how often one asks. */
#pragma once
#include "kernel/clock.h"
#include "kernel/hw.h"

/* Without a TSC rate: a question goes with a look at a port, which takes a microsecond or more. */
#define STOPWATCH_ASKED_PER_S 1000000u

struct stopwatch {
    uint64_t second; /* in ticks of the TSC, or of questions */
    bool by_tsc;
    uint64_t asked;
};

static inline void stopwatch_begin(struct stopwatch *s, const struct clock *clock)
{
    s->by_tsc = clock->tsc_hz != 0;
    s->second = s->by_tsc ? clock->tsc_hz : STOPWATCH_ASKED_PER_S;
    s->asked = 0;
}

static inline uint64_t stopwatch_now(struct stopwatch *s) { return s->by_tsc ? hw_rdtsc() : s->asked++; }
static inline bool stopwatch_passed(struct stopwatch *s, uint64_t since, unsigned seconds)
{
    return stopwatch_now(s) - since >= s->second * seconds;
}
