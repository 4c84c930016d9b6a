/* Rates: a program is executed again and again while counters run freely, and an interval is what they have
 * counted in some time.
 *
 * An interval is made of slices. A slice is one call of a bracket around a loop of the payload's calls, so
 * that the time stamps are read together with the counters, and all that lies between two slices (keys,
 * drawing, records) is neither counted nor timed. Counters of n bits are subtracted modulo 2^n; a slice ends
 * long before one could wrap around. The processor is any of the machine's.
 */
#pragma once
#include "measure/arm.h"

/* The slices of an interval, at least. Between two of them the user may cancel. The bracket counts its own
 * instructions, about 40 in each. */
#define RATES_SLICES    8
#define RATES_SLICE_MAX 1 /* seconds */

struct rates_interval {
    uint64_t ticks;               /* of the time stamp, counted */
    uint64_t count[PMU_COUNTERS]; /* by event, in the group's order */
    uint64_t rounds;              /* calls of the payload; idle: 0 */
    uint64_t smis;                /* where rates_count_smis() */
    uint32_t interrupts;          /* unexpected ones of any vector, NMIs, and the watchdog's */
    unsigned slices;
    bool wrapped; /* one call was long enough for a counter to wrap around */
};

struct rates_loop; /* what the bracket calls; in the arena */

struct rates {
    struct run run; /* its names, status, error and trap; .item is of the benchmark, or of the idle loop */
    bool idle;      /* it counts a loop that waits and reads the time stamp */
    /* The rest is private. */
    struct measuring t;
    struct plan_item item;
    struct rates_loop *loop;
    uint64_t round;  /* ticks of one call, times 1024 */
    uint64_t wanted; /* ticks of this slice */
    struct rates_interval now;
};

/* Prepare the item's program (item NULL: the idle loop), program the group's counters (NULL: none, the time
 * stamp alone) and let them count on this processor. opt->with run beside it until rates_end(). The arena is
 * emptied first. r, opt, group and arena stay in use until rates_end(), which is needed in any case. False:
 * r->run says why not. */
bool rates_begin(struct rates *r, const struct plan_item *item, const struct options *opt,
                 const struct cpu *cpu, const struct group *group, struct arena *arena);

/* Execute for so many ticks, at least 1; by one call more at most. False: r->run.status says why it ended:
 * RUN_CANCELLED if the user cancels (struct cpu's cancelled(), of the boot processor). */
bool rates_interval(struct rates *r, uint64_t ticks, struct rates_interval *out);

/* Are SMIs counted here? */
static inline bool rates_count_smis(const struct rates *r)
{
    return r->t.cpu->smi_counter || r->run.counts_smis;
}

/* Counters stop, and what runs beside ends. */
void rates_end(struct rates *r);
