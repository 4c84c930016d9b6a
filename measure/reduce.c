#include "measure/reduce.h"
#include "measure/refuse.h"
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
    const uint64_t *v = m->modelled ? NULL : sorted_copy(raw, n, arena); /* the model has no time */
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

/* ---- the baseline ---- */

/* By its word: does this event count instructions, at any privilege? */
static bool is_instructions(const struct run *run, const struct counted *c)
{
    static const char *const words[] = {"instructions", "instructions:u", "instructions:k"};
    struct pmu_code code, other;
    char why[8];
    const struct pmu *pmu = run->cpu ? run->cpu->pmu : NULL;
    if (!pmu || !pmu_event_parse(pmu, c->event, strlen(c->event), &code, why, sizeof why, NULL, 0))
        return false;
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
        if (pmu_event_parse(pmu, words[i], strlen(words[i]), &other, why, sizeof why, NULL, 0) &&
            pmu_code_same(&code, &other))
            return true;
    return false;
}

/* By how much the payload may seem to be shorter than its baseline, which is a part of it. Never by
 * instructions. Other events depend on the state of caches, predictors and pipelines: one in each operation,
 * or 64 in all, which is what serialising instructions may vary by. The clock may have changed between the
 * two: a quarter of the time, and a step of the time stamp. The time of an emulator or a virtual machine also
 * passes while neither runs, so it has no limit. */
#define NOISE       64
#define CLOCK_SHARE 4
static uint64_t slack(const struct run *run, unsigned k, uint64_t shorter, const struct machine *m)
{
    if (k == 0 && m->time_origin != ORIGIN_SILICON) return UINT64_MAX;
    if (k && is_instructions(run, &run->count[k])) return 0;
    uint64_t most = run->bench.ops > NOISE ? (uint64_t)run->bench.ops : NOISE;
    if (k == 0 && shorter / CLOCK_SHARE > most) most = shorter / CLOCK_SHARE;
    return k == 0 ? most + (uint64_t)m->clock.step : most;
}

/* The baseline is subtracted statistic by statistic. Both are taken from its least value, so that large raw
 * values leave no rounding behind. v: the payload's values, ascending. False: the run is refused, since three
 * quarters of them are less than three quarters of the baseline's, and by more than the slack. */
static bool subtract_baseline(struct run *run, unsigned k, const struct options *opt, const struct machine *m,
                              uint64_t *v, struct result *out)
{
    struct counted *c = &run->count[k];
    const struct stats longer = out->stats;
    const uint64_t high = v[longer.n - 1 - longer.n / 4];
    struct stats shorter;
    const unsigned n = chosen(c->base, run->base_flags, run->reps, opt->cull, v);
    stats_compute(v, n, c->overhead, run->bench.ops, opt->conf, &shorter);
    stats_difference(&longer, &shorter, opt->conf, &out->stats);
    const uint64_t low = v[n / 4];
    out->below_zero = out->stats.median < 0;
    if (c->unmodelled || high >= low || low - high <= slack(run, k, low, m)) return true;
    return run_refuse(
        run, RUN_IMPOSSIBLE,
        "%s: the payload counted %llu, but its baseline, which is part of it, counted %llu. Use more copies "
        "(unroll=) if this is noise.",
        k ? c->event : "the time stamp", (unsigned long long)high, (unsigned long long)low);
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
    if (!v) return run_refuse(run, RUN_MEMORY, "not enough memory to sort %u repetitions", run->reps);
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
    const bool good = !c->base || subtract_baseline(run, k, opt, m, v, out);
    /* Values that are multiples of the TSC's step hide up to half a step, whatever their spread says; their
     * difference hides a whole one. */
    const double hidden = c->base ? m->clock.step : m->clock.step / 2.0;
    double least_ci = k == 0 && m->clock.step > 1 ? hidden / run->bench.ops : 0;
    if (out->stats.ci < least_ci) out->stats.ci = least_ci;
    arena->used = mark;
    return good;
}
