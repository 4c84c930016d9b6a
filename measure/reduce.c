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
static void flag_slow(const uint64_t *raw, uint8_t *flags, unsigned n, const struct machine *m,
                      struct arena *arena)
{
    size_t mark = arena->used;
    const uint64_t *v = sorted_copy(raw, n, arena);
    arena->used = mark;
    if (!v) return;
    uint64_t median = v[n / 2], margin = median / 10, us = m->clock.tsc_hz / 1000000;
    if (us > margin) margin = us;
    for (unsigned i = 0; i < n; i++)
        if (raw[i] > median + margin) flags[i] |= REP_SLOW;
}

void reduce_flags(struct run *run, const struct machine *m, struct arena *arena)
{
    flag_slow(run->count[0].raw, run->flags, run->reps, m, arena);
    if (run->base_flags) flag_slow(run->count[0].base, run->base_flags, run->reps, m, arena);
}

static void count_flags(const uint8_t *flags, unsigned n, struct result *out)
{
    for (unsigned i = 0; flags && i < n; i++) {
        out->smi += (flags[i] & REP_SMI) != 0;
        out->slow += (flags[i] & REP_SLOW) != 0;
        out->stray += (flags[i] & REP_STRAY) != 0;
    }
}

bool reduce_disturbance(const struct run *run, struct arena *arena, struct disturbance *out)
{
    const size_t mark = arena->used;
    const uint64_t *v = sorted_copy(run->count[0].raw, run->reps, arena);
    struct result flags = {.smi = run->smis, .stray = run->strays};
    arena->used = mark;
    if (!v) return false;
    count_flags(run->flags, run->reps, &flags);
    count_flags(run->base_flags, run->reps, &flags);
    *out = (struct disturbance){flags.smi, flags.slow, flags.stray, v[run->reps / 2], v[run->reps - 1]};
    return true;
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

/* Those that count, in v[0..n): all, or with cull=flagged those without a flag. If all are flagged: all,
 * since a flagged result is better than none. */
static unsigned chosen(const uint64_t *raw, const uint8_t *flags, unsigned reps, bool cull, uint64_t *v)
{
    unsigned n = 0;
    for (unsigned i = 0; i < reps; i++)
        if (!cull || flags[i] == 0) v[n++] = raw[i];
    if (n) return n;
    memcpy(v, raw, reps * sizeof *v);
    return reps;
}

/* The baseline is subtracted statistic by statistic. Both are taken from its least value, so that large raw
 * values leave no rounding behind. */
static void subtract_baseline(const struct run *run, struct counted *c, const struct options *opt,
                              uint64_t *v, struct stats *stats)
{
    const struct stats longer = *stats;
    struct stats shorter;
    const unsigned n = chosen(c->base, run->base_flags, run->reps, opt->cull, v);
    stats_compute(v, n, c->overhead, run->bench.ops, opt->conf, &shorter);
    stats_difference(&longer, &shorter, opt->conf, stats);
}

static uint64_t least_of(const uint64_t *v, unsigned n)
{
    uint64_t least = v[0];
    for (unsigned i = 1; i < n; i++)
        if (v[i] < least) least = v[i];
    return least;
}

bool reduce(struct run *run, unsigned k, const struct options *opt, const struct machine *m,
            struct arena *arena, struct result *out)
{
    struct counted *c = &run->count[k];
    size_t mark = arena->used;
    uint64_t *v = sorted_copy(c->raw, run->reps, arena);
    memset(out, 0, sizeof *out);
    if (!v) return false;
    out->raw_min = v[0];
    out->is_series = run->bench.stamp_count != 0;
    if (out->is_series) noise_of(v, run->reps, &out->noise);
    if (run->counts_smis)
        out->smis = run->smis;
    else
        out->smi = run->smis;
    out->stray = run->strays;
    count_flags(run->flags, run->reps, out);
    count_flags(run->base_flags, run->reps, out);
    const unsigned n = chosen(c->raw, run->flags, run->reps, opt->cull, v);
    out->culled = run->reps - n;
    if (c->base)
        c->overhead = least_of(c->base, run->reps);
    else
        /* An empty bracket cannot cost more than one around a payload: if it seemed to, the estimate was too
         * high. */
        c->overhead_lowered = c->overhead > out->raw_min;
    if (c->overhead_lowered) c->overhead = out->raw_min;
    stats_compute(v, n, c->overhead, run->bench.ops, opt->conf, &out->stats);
    if (c->base) subtract_baseline(run, c, opt, v, &out->stats);
    /* Values that are multiples of the TSC's step hide up to half a step, whatever their spread says; their
     * difference hides a whole one. */
    const double hidden = c->base ? m->clock.step : m->clock.step / 2.0;
    double least_ci = k == 0 && m->clock.step > 1 ? hidden / run->bench.ops : 0;
    if (out->stats.ci < least_ci) out->stats.ci = least_ci;
    arena->used = mark;
    return true;
}
