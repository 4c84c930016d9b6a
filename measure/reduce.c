#include "measure/reduce.h"
#include <string.h>

static uint64_t *sorted_copy(const uint64_t *raw, unsigned n, struct arena *arena)
{
    uint64_t *v = arena_alloc(arena, n * sizeof *v, 64);
    if (!v) return NULL;
    memcpy(v, raw, n * sizeof *v);
    stats_sort(v, n);
    return v;
}

/* Above the median by more than 10 % and by more than a microsecond: the larger of the two, so that neither
 * the granularity of a short payload nor the drift of a long one sets the flag. */
void reduce_flags(struct run *run, const struct machine *m, struct arena *arena)
{
    size_t mark = arena->used;
    const uint64_t *raw = run->count[0].raw, *v = sorted_copy(raw, run->reps, arena);
    arena->used = mark;
    if (!v) return;
    uint64_t median = v[run->reps / 2], margin = median / 10, us = m->clock.tsc_hz / 1000000;
    if (us > margin) margin = us;
    for (unsigned i = 0; i < run->reps; i++)
        if (raw[i] > median + margin) run->flags[i] |= REP_SLOW;
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

static void count_flags(const struct run *run, struct result *out)
{
    out->smi = run->smis;
    out->stray = run->strays;
    for (unsigned i = 0; i < run->reps; i++) {
        out->smi += (run->flags[i] & REP_SMI) != 0;
        out->slow += (run->flags[i] & REP_SLOW) != 0;
        out->stray += (run->flags[i] & REP_STRAY) != 0;
    }
}

bool reduce(struct run *run, unsigned k, const struct options *opt, const struct machine *m,
            struct arena *arena, struct result *out)
{
    struct counted *c = &run->count[k];
    size_t mark = arena->used;
    uint64_t *v = sorted_copy(c->raw, run->reps, arena);
    unsigned n = 0;
    memset(out, 0, sizeof *out);
    if (!v) return false;
    out->raw_min = v[0];
    out->is_series = run->bench.stamp_count != 0;
    if (out->is_series) noise_of(v, run->reps, &out->noise);
    count_flags(run, out);
    for (unsigned i = 0; i < run->reps; i++)
        if (!opt->cull || run->flags[i] == 0) v[n++] = c->raw[i];
    if (n == 0) { /* all flagged: a flagged result is better than none */
        memcpy(v, c->raw, run->reps * sizeof *v);
        n = run->reps;
    }
    out->culled = run->reps - n;
    /* An empty bracket cannot cost more than one around a payload: if it seemed to, the estimate was too
     * high. */
    c->overhead_lowered = c->overhead > out->raw_min;
    if (c->overhead_lowered) c->overhead = out->raw_min;
    stats_compute(v, n, c->overhead, run->bench.ops, opt->conf, &out->stats);
    /* Values that are multiples of the TSC's step hide up to half a step, whatever their spread says. */
    double half_step = k == 0 && m->clock.step > 1 ? m->clock.step / 2.0 / run->bench.ops : 0;
    if (out->stats.ci < half_step) out->stats.ci = half_step;
    arena->used = mark;
    return true;
}
