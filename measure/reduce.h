/* From raw repetitions to a result: flags, overhead, statistics. */
#pragma once
#include "measure/run.h"
#include "measure/stats.h"

/* Of a series of fixed work quanta. */
struct noise {
    uint64_t least;      /* the quickest quantum, TSC ticks */
    unsigned late_min;   /* quanta over the least */
    unsigned late_10pct; /* quanta above the least + 10 % */
    uint64_t detour_max; /* the largest excess over the least, ticks */
    double lost_share;   /* sum of all excesses / total time */
};

struct result {
    struct stats stats; /* corrected, per operation */
    uint64_t raw_min;
    unsigned smi, slow, stray; /* repetitions with this flag, also of the baseline; for a series the number of
                                  events */
    unsigned smis;             /* of the run as a whole, where a counter has counted them (struct run) */
    unsigned culled;           /* left out of the statistics (cull=flagged) */
    bool below_zero;           /* the median is a difference to the baseline, and below 0, as noise may be */
    bool is_series;
    struct noise noise;
};

/* How a run was disturbed, by its flags, and its time stamps. */
struct disturbance {
    unsigned smi, slow, stray; /* repetitions with this flag, also of the baseline; as in struct result */
    uint64_t median, max;      /* ticks, as they were read */
};
static inline bool disturbed(const struct disturbance *d) { return d->smi || d->slow || d->stray; }

/* After reduce_flags(). False: the arena has no room. */
bool reduce_disturbance(const struct run *run, struct arena *arena, struct disturbance *out);

/* A plan item's run of a group may be measured again (again=N): how the earlier ones were disturbed. */
#define AGAIN_MAX 16
struct attempts {
    unsigned n;                           /* earlier ones, whose values are not used */
    struct disturbance at[AGAIN_MAX + 1]; /* theirs, and that of the last one at [n] */
};

/* Flag slow repetitions (run->flags), by their time stamps. Once for a run, before reduce(). */
void reduce_flags(struct run *run, const struct machine *m, struct arena *arena);

/* Reduce the k-th event of a run. Its raw[] is not changed; scratch memory comes from the arena and is
 * released. False: the run is refused: the arena has no room (RUN_MEMORY), or the payload counted less than
 * its baseline by more than noise explains (RUN_IMPOSSIBLE). */
bool reduce(struct run *run, unsigned k, const struct options *opt, const struct machine *m,
            struct arena *arena, struct result *out);
