#include "measure/reduce.h"
#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Above the median by more than 10 % and by more than a microsecond: the larger of the two, so that neither a
 * short payload's granularity nor a long one's drift raises it. */
static void flag_slow(struct run *run, uint64_t median, uint64_t tsc_hz)
{
    uint64_t margin = median / 10, us = tsc_hz / 1000000;
    if (us > margin) margin = us;
    for (unsigned i = 0; i < run->reps; i++)
        if (run->raw[i] > median + margin) run->flags[i] |= REP_SLOW;
}

static void noise_of(const uint64_t *sorted, unsigned n, struct noise *out)
{
    uint64_t least = sorted[0], total = 0;
    *out = (struct noise){.least = least, .detour_max = sorted[n - 1] - least};
    for (unsigned i = 0; i < n; i++) {
        out->late_min += sorted[i] > least;
        out->late_10pct += sorted[i] > least + least / 10;
        total += sorted[i];
    }
    out->lost_share = total ? (double)(total - least * n) / (double)total : 0;
}

bool reduce(struct run *run, const struct options *opt, uint64_t tsc_hz, struct arena *arena,
            struct result *out)
{
    uint64_t *v = arena_alloc(arena, run->reps * sizeof *v, 64);
    unsigned n = 0;
    memset(out, 0, sizeof *out);
    if (!v) return false;
    memcpy(v, run->raw, run->reps * sizeof *v);
    qsort(v, run->reps, sizeof *v, compare);
    out->raw_min = v[0];
    flag_slow(run, v[run->reps / 2], tsc_hz);
    if (run->bench.stamp_count) {
        out->is_series = true;
        noise_of(v, run->reps, &out->noise);
    }
    for (unsigned i = 0; i < run->reps; i++) {
        out->smi += (run->flags[i] & REP_SMI) != 0;
        out->slow += (run->flags[i] & REP_SLOW) != 0;
        if (!opt->cull || run->flags[i] == 0) v[n++] = run->raw[i];
    }
    if (n == 0) { /* all flagged: better a flagged result than none */
        memcpy(v, run->raw, run->reps * sizeof *v);
        n = run->reps;
    }
    out->culled = run->reps - n;
    stats_compute(v, n, run->overhead, run->bench.ops, opt->conf, &out->stats);
    return true;
}
