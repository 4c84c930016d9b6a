#include "report/emit.h"
#include "measure/neighbour.h"
#include "measure/preset.h"
#include "report/emit_errata.h"
#include "report/put.h"
#include <string.h>

void emit_bench(const struct bench *b)
{
    struct record *r = NEW(bench);
    PUT(r, bench, bench, b->program.name);
    PUT(r, bench, desc, b->program.desc);
    PUT(r, bench, cost, b->cost);
    if (b->experiment) {
        PUT(r, bench, unit, "");
        PUT(r, bench, experiment, true);
    } else {
        PUTF(r, bench, unit, "tsc/%s", b->op);
    }
    PUT(r, bench, main, b->main_job);
    OPEN(r, bench, variants); /* of those that are found there may be thousands */
    for (unsigned i = 0; !b->found && i < bench_variants(b); i++)
        if (*bench_program(b, i).variant) ITEM(r, bench, variants, bench_program(b, i).variant);
    rec_close(r);
    OPEN(r, bench, params);
    for (unsigned i = 0; i < b->params; i++) {
        const struct bench_param *p = &b->param[i];
        rec_object(r, NULL);
        PUT(r, param, name, p->name);
        PUT(r, param, unit, p->unit);
        PUT(r, param, help, p->help);
        PUT(r, param, min, p->min);
        PUT(r, param, max, p->max);
        if (p->step > 1) PUT(r, param, step, p->step);
        if (param_is_auto(p, p->def))
            PUTF(r, param, default, "auto");
        else
            PUT(r, param, default, p->def);
        PUT(r, param, range, p->range);
        rec_close(r);
    }
    rec_close(r);
    record_emit(r);
}

void emit_event(const struct pmu *pmu, const struct pmu_event *e)
{
    static const char *const kinds[] = {"events", "cycles", "bus cycles", "outstanding x cycles"};
    struct record *r = NEW(event);
    PUT(r, event, event, e->name);
    PUTF(r, event, code, "0x%02x", e->code);
    if (e->umask) PUTF(r, event, umask, "0x%02x", e->umask);
    PUT(r, event, desc, e->desc);
    PUT(r, event, kind, kinds[e->kind]);
    OPEN(r, event, counters);
    for (unsigned i = 0; i < pmu->counters; i++)
        if (pmu_event_counters(pmu, e) >> i & 1) ITEM(r, event, counters, i);
    rec_close(r);
    OPEN(r, event, umasks);
    for (unsigned i = 0; e->umasks && i < pmu->ops->n_umasks; i++)
        if (pmu->ops->umasks[i].set == e->umasks) ITEM(r, event, umasks, pmu->ops->umasks[i].name);
    rec_close(r);
    record_emit(r);
}

void emit_word(const struct pmu_word *w)
{
    struct record *r = NEW(event);
    PUT(r, event, event, w->word);
    PUT(r, event, stands_for, w->event ? w->event : "absent");
    if (w->msr) PUTF(r, event, msr, "0x%03x", w->msr);
    record_emit(r);
}

/* Parameters of a benchmark, in the map that is open. */
static void params_of(struct record *r, const struct bench *b, const int64_t *param)
{
    for (unsigned i = 0; i < b->params; i++) rec_int(r, b->param[i].name, param[i]);
    rec_close(r);
}

static void neighbours(struct record *r, const struct neighbours *all)
{
    OPEN(r, benchmark, with);
    for (const struct neighbour *n = all->at; n < all->at + all->n; n++) {
        rec_object(r, NULL);
        PUT(r, neighbour, bench, n->run->program.name);
        PUT(r, neighbour, variant, n->run->program.variant ? n->run->program.variant : "");
        OPEN(r, neighbour, params);
        params_of(r, n->load->bench, n->run->bench.param);
        PUT(r, neighbour, cpu, n->cpu->index);
        PUT(r, neighbour, rounds, n->rounds);
        if (n->run->status != RUN_OK) PUT(r, neighbour, ended, true);
        rec_close(r);
    }
    rec_close(r);
}

void emit_identity(struct record *r, const struct run *run, unsigned ring)
{
    const struct bench *b = run->item->bench;
    PUT(r, benchmark, bench, run->program.name);
    PUT(r, benchmark, variant, run->program.variant);
    OPEN(r, benchmark, params);
    params_of(r, b, run->bench.param);
    PUT(r, benchmark, cpu, run->item->cpu);
    PUT(r, benchmark, ring, ring);
    if (run->beside) neighbours(r, run->beside);
}

static void noise_fields(struct record *r, const struct noise *n, uint64_t tsc_hz)
{
    OPEN(r, result, fwq);
    if (tsc_hz) PUT(r, fwq, us, (double)n->least * 1e6 / (double)tsc_hz);
    PUT(r, fwq, late_min, n->late_min);
    PUT(r, fwq, late_10pct, n->late_10pct);
    PUT(r, fwq, detour_max_tsc, n->detour_max);
    if (tsc_hz) PUT(r, fwq, detour_max_us, (double)n->detour_max * 1e6 / (double)tsc_hz);
    PUT(r, fwq, lost_share, n->lost_share);
    rec_close(r);
}

/* The largest gap inside of the run; and with again= what was measured before, and is not used. */
static void attempts_fields(struct record *r, const struct attempts *a, const struct options *opt)
{
    PUT(r, result, over_median_tsc, a->at[a->n].max - a->at[a->n].median);
    if (!opt->again) return;
    PUT(r, result, again, a->n);
    OPEN(r, result, discarded);
    for (const struct disturbance *d = a->at; d < a->at + a->n; d++) {
        rec_object(r, NULL);
        PUT(r, discarded, smi, d->smi);
        PUT(r, discarded, slow, d->slow);
        PUT(r, discarded, stray, d->stray);
        PUT(r, discarded, median_tsc, d->median);
        PUT(r, discarded, max_tsc, d->max);
        rec_close(r);
    }
    rec_close(r);
}

/* How the counter began. */
static void preset_fields(struct record *r, const struct preset *p)
{
    if (p->starter) {
        PUT(r, result, starter, p->starter);
        PUT(r, result, after, p->after);
        PUT(r, result, started, p->started);
    }
    if (!p->given) return;
    PUT(r, result, init, p->init);
    PUT(r, result, init_off, p->off);
    PUT(r, result, overflowed, p->overflowed);
}

void emit_result(const struct run *run, unsigned k, const struct result *res, const struct options *opt,
                 const struct machine *m)
{
    const struct stats *s = &res->stats;
    const struct counted *c = &run->count[k];
    const uint64_t errata = errata_here(m, c->errata);
    const char *doubt = errata_flag(m, errata);
    const char *origin = origin_flag(k ? m->count_origin : m->time_origin);
    struct record *r = NEW(result);
    emit_identity(r, run, opt->ring);
    PUT(r, measurement, event, c->event);
    PUTF(r, result, unit, "%s/%s", c->event, run->item->bench->op);
    if (k > 0) {
        PUT(r, grouping, group, run->group);
        if (run->groups) PUT(r, grouping, groups, run->groups);
        PUT(r, grouping, counter, c->counter);
        if (run->read) PUT(r, result, read, run->read);
    }
    if (run->item->sweep) PUT(r, result, sweep, run->item->sweep);
    if (!res->is_series) PUT(r, result, serialize, serializers[opt->serialize].name);
    PUT(r, result, reps, s->n);
    PUT(r, result, ops, (uint64_t)run->bench.ops);
    if (c->unmodelled) {
        OPEN(r, result, flags);
        ITEM(r, result, flags, "unmodelled");
        rec_close(r);
        record_emit(r);
        return;
    }
    PUT(r, result, raw_min, res->raw_min);
    PUT(r, result, overhead, c->overhead);
    PUT(r, result, min, s->min);
    PUT(r, result, median, s->median);
    PUT(r, result, mode, s->mode);
    PUT(r, result, mean, s->mean);
    if (opt->conf == 99)
        PUT(r, result, ci99, s->ci);
    else
        PUT(r, result, ci95, s->ci);
    PUT(r, result, max, s->max);
    if (opt->cull) PUT(r, result, culled, res->culled);
    if (c->preset) preset_fields(r, c->preset);
    if (k == 0 && m->clock.tsc_hz) PUT(r, result, ns_per_op, s->median * 1e9 / (double)m->clock.tsc_hz);
    if (k == 0 && run->core_per_tsc > 0) {
        PUT(r, result, core_per_tsc, run->core_per_tsc);
        PUT(r, result, core_per_op, s->median * run->core_per_tsc);
    }
    if (res->smi) PUT(r, result, smi, res->smi);
    if (run->counts_smis) PUT(r, result, smis, res->smis);
    if (res->slow) PUT(r, result, slow, res->slow);
    if (res->stray) PUT(r, result, stray, res->stray);
    if (run->attempts) attempts_fields(r, run->attempts, opt);
    if (res->is_series) noise_fields(r, &res->noise, m->clock.tsc_hz);
    put_errata(r, errata);
    OPEN(r, result, flags);
    if (origin) ITEM(r, result, flags, origin);
    if (res->smi || res->smis) ITEM(r, result, flags, "smi");
    if (res->slow) ITEM(r, result, flags, "slow");
    if (res->stray) ITEM(r, result, flags, "stray");
    if (c->overhead_lowered) ITEM(r, result, flags, "overhead-lowered");
    if (res->below_zero) ITEM(r, result, flags, "below-zero");
    if (c->wrapped) ITEM(r, result, flags, "wrapped");
    if (c->upper_bits) ITEM(r, result, flags, "upper-bits");
    if (doubt) ITEM(r, result, flags, doubt);
    rec_close(r);
    record_emit(r);
}

void emit_derived(const struct run *run, const struct derived *d, const struct options *opt,
                  const struct machine *m)
{
    const char *origin = origin_flag(m->count_origin);
    const uint64_t errata = errata_here(m, d->errata);
    const char *doubt = errata_flag(m, errata);
    struct record *r = NEW(derived);
    emit_identity(r, run, opt->ring);
    PUTF(r, derived, name, "%s%s", d->name, d->suffix);
    PUT(r, derived, formula, d->formula);
    PUT(r, derived, value, d->value);
    put_errata(r, errata);
    OPEN(r, derived, flags);
    if (origin) ITEM(r, derived, flags, origin);
    if (doubt) ITEM(r, derived, flags, doubt);
    if (d->overhead_lowered) ITEM(r, derived, flags, "overhead-lowered");
    if (d->several_runs) ITEM(r, derived, flags, "several-runs");
    rec_close(r);
    record_emit(r);
}

void emit_levels(const struct run *run, const struct levels *l, const struct options *opt,
                 const struct machine *m)
{
    const char *origin = origin_flag(m->count_origin);
    const uint64_t errata = errata_here(m, l->errata);
    const char *doubt = errata_flag(m, errata);
    struct record *r = NEW(levels);
    emit_identity(r, run, opt->ring);
    PUT(r, measurement, event, l->event);
    PUTF(r, levels, unit, "%s/%s", l->event, run->item->bench->op);
    PUT(r, levels, user, l->user);
    PUT(r, levels, kernel, l->kernel);
    PUT(r, levels, both, l->both);
    if (l->share >= 0) PUT(r, levels, user_percent, 100 * l->share);
    put_errata(r, errata);
    OPEN(r, levels, flags);
    if (origin) ITEM(r, levels, flags, origin);
    if (doubt) ITEM(r, levels, flags, doubt);
    if (l->several_runs) ITEM(r, levels, flags, "several-runs");
    rec_close(r);
    record_emit(r);
}

#define REPS_PER_RECORD \
    50 /* one field per value and five more if it is flagged: RECORD_MAX_FIELDS allows 50 of these */

/* The most important of a repetition's flags. */
static const char *rep_flag_name(unsigned flags)
{
    return flags & REP_SMI ? "smi" : flags & REP_STRAY ? "stray" : "slow";
}

/* Raw values from first on, and which of them are flagged. */
static void values(struct record *r, const uint64_t *raw, const uint8_t *flags, unsigned first, unsigned end)
{
    OPEN(r, values, raw);
    for (unsigned i = first; i < end; i++) ITEM(r, values, raw, raw[i]);
    rec_close(r);
    OPEN(r, values, flagged);
    for (unsigned i = first; i < end; i++) {
        if (!flags[i]) continue;
        rec_object(r, NULL);
        PUT(r, flagged, rep, i);
        PUT(r, flagged, flag, rep_flag_name(flags[i]));
        rec_close(r);
    }
    rec_close(r);
}

void emit_reps(const struct run *run, unsigned k, unsigned ring)
{
    const struct counted *c = &run->count[k];
    for (unsigned first = 0; first < run->reps; first += REPS_PER_RECORD) {
        unsigned end = run->reps - first > REPS_PER_RECORD ? first + REPS_PER_RECORD : run->reps;
        struct record *r = NEW(reps);
        emit_identity(r, run, ring);
        PUT(r, measurement, event, c->event);
        PUT(r, values, first, first);
        PUT(r, reps, overhead, c->overhead);
        values(r, c->raw, run->flags, first, end);
        record_emit(r);
        if (!c->base) continue;
        r = NEW(baseline);
        emit_identity(r, run, ring);
        PUT(r, measurement, event, c->event);
        PUT(r, values, first, first);
        values(r, c->base, run->base_flags, first, end);
        record_emit(r);
    }
}

void emit_mark(const char *name, size_t len, unsigned first, unsigned last)
{
    struct record *r = NEW(mark);
    PUTF(r, mark, name, "%.*s", (int)len, name);
    PUT(r, mark, first, first);
    PUT(r, mark, last, last);
    record_emit(r);
}

void emit_plan(uint64_t items)
{
    struct record *r = NEW(plan);
    PUT(r, plan, items, items);
    record_emit(r);
}

void emit_done(unsigned measurements, unsigned failed, bool results, const struct certificate *certificate)
{
    struct record *r = NEW(done);
    PUT(r, done, measurements, measurements);
    PUT(r, done, failed, failed);
    if (results) PUT(r, done, intervals, "repetitions of this boot");
    emit_certificate(r, certificate);
    record_emit(r);
}
