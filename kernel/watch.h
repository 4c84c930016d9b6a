/* A watch for gaps in time: a loop that reads nothing but the TSC. Whatever else runs on this CPU, an SMI or
 * a hypervisor, shows as a longer distance between two readings. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#define WATCH_BINS  64
#define WATCH_GAPS  256     /* that are kept with their times, of one call of watch_for() */
#define WATCH_READS 1000000 /* readings of a call where the TSC's rate is unknown */

struct watch_gap {
    uint64_t at, ticks; /* reading of the TSC before it; its length */
};

struct watch {
    uint64_t typical;   /* ticks from one reading to the next, where nothing comes in between */
    uint64_t threshold; /* a longer distance is a gap; a shorter one than unusual is none */
    uint64_t unusual;   /* twice typical: a longer distance is in bin[] */
    uint64_t watched;   /* ticks, of all calls */
    uint64_t largest;   /* distance */
    uint64_t gaps;
    uint64_t usual;           /* distances up to unusual */
    uint64_t bin[WATCH_BINS]; /* the others: bin[i] counts those of 2^i to 2^(i+1) - 1 ticks */
    unsigned kept;            /* gaps of the last call */
    struct watch_gap gap[WATCH_GAPS];
};

/* Clear it, and find out what is typical. hz: the TSC's rate, 0 where it is unknown. A gap is longer than ten
 * usual distances and than a microsecond. */
void watch_begin(struct watch *w, uint64_t hz);

/* Watch for so many ticks (0: WATCH_READS readings) and add to what there is. The time between two calls is
 * not watched. False: the TSC stood still. */
bool watch_for(struct watch *w, uint64_t ticks);
