#include "measure/reduce.h"
#include <string.h>

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

bool reduce(struct run *run, const struct options *opt, const struct machine *m, struct arena *arena,
            struct result *out)
{
    uint64_t *v = arena_alloc(arena, run->reps * sizeof *v, 64);
    unsigned n = 0;
    memset(out, 0, sizeof *out);
    if (!v) return false;
    memcpy(v, run->raw, run->reps * sizeof *v);
    stats_sort(v, run->reps);
    out->raw_min = v[0];
    flag_slow(run, v[run->reps / 2], m->tsc_hz);
    if (run->bench.stamp_count) {
        out->is_series = true;
        noise_of(v, run->reps, &out->noise);
    }
    for (unsigned i = 0; i < run->reps; i++) {
        out->smi += (run->flags[i] & REP_SMI) != 0;
        out->slow += (run->flags[i] & REP_SLOW) != 0;
        out->stray += (run->flags[i] & REP_STRAY) != 0;
        if (!opt->cull || run->flags[i] == 0) v[n++] = run->raw[i];
    }
    if (n == 0) { /* all flagged: better a flagged result than none */
        memcpy(v, run->raw, run->reps * sizeof *v);
        n = run->reps;
    }
    out->smi += run->smis;
    out->stray += run->strays;
    out->culled = run->reps - n;
    stats_compute(v, n, run->overhead, run->bench.ops, opt->conf, &out->stats);
    /* Values that are multiples of the TSC's step hide up to half a step, whatever their spread says. */
    double half_step = m->tsc_step > 1 ? m->tsc_step / 2.0 / run->bench.ops : 0;
    if (out->stats.ci < half_step) out->stats.ci = half_step;
    return true;
}
