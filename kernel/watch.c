#include "kernel/watch.h"
#include "kernel/hw.h"
#include <string.h>

#define TRIALS         8
#define TRIAL_READS    100
#define UNUSUAL_FACTOR 2  /* times the typical distance: what is no longer than that is usual */
#define GAP_FACTOR     10 /* times the typical reading ... */
#define GAP_MIN_US     1  /* ... and at least this long: shorter than any interrupt or SMI */

static unsigned bin_of(uint64_t distance)
{
    unsigned bin = 0;
    while (distance >>= 1) bin++;
    return bin;
}

/* Apart from the loop, which stays as short as it can be. */
static __attribute__((noinline)) void note(struct watch *w, uint64_t at, uint64_t distance)
{
    w->bin[bin_of(distance)]++;
    w->usual--;
    if (distance <= w->threshold) return;
    w->gaps++;
    if (w->kept < WATCH_GAPS) w->gap[w->kept++] = (struct watch_gap){at, distance};
}

/* For so many ticks, or readings where that is 0. Returns the ticks that it took. */
static __attribute__((noinline)) uint64_t loop(struct watch *w, uint64_t ticks, unsigned most)
{
    const uint64_t unusual = w->unusual;
    uint64_t start = hw_rdtsc(), last = start, largest = w->largest;
    unsigned reads = 0;
    for (; ticks ? last - start < ticks : reads < most; reads++) {
        uint64_t now = hw_rdtsc(), distance = now - last;
        if (distance > largest) largest = distance;
        last = now;
        if (distance > unusual) {
            note(w, now - distance, distance);
            last = hw_rdtsc(); /* its own time is no gap */
        }
        if (reads == most && last == start) break; /* stopped: do not wait for it */
    }
    w->largest = largest;
    w->usual += reads;
    return last - start;
}

/* Of that very loop, of which each turn takes several instructions: the least mean of several trials, of
 * which most are not disturbed. */
static uint64_t typical_distance(struct watch *w)
{
    uint64_t least = UINT64_MAX;
    w->unusual = UINT64_MAX;
    for (unsigned i = 0; i < TRIALS; i++) {
        const uint64_t mean = loop(w, 0, TRIAL_READS) / TRIAL_READS;
        if (mean < least) least = mean;
    }
    w->largest = w->usual = 0;
    return least;
}

void watch_begin(struct watch *w, uint64_t hz)
{
    memset(w, 0, sizeof *w);
    w->typical = typical_distance(w);
    w->unusual = w->typical * UNUSUAL_FACTOR;
    w->threshold = w->typical * GAP_FACTOR;
    if (hz / 1000000 * GAP_MIN_US > w->threshold) w->threshold = hz / 1000000 * GAP_MIN_US;
}

bool watch_for(struct watch *w, uint64_t ticks)
{
    w->kept = 0;
    const uint64_t took = loop(w, ticks, WATCH_READS);
    w->watched += took;
    return took != 0;
}
