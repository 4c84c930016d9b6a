#include "report/emit.h"
#include "report/record.h"
#include <stdio.h>
#include <string.h>

/* ---- the machine ---- */

void emit_boot(const struct system *sys, const char *(*console_name)(unsigned i))
{
    static const char *const map_name[] = {"none", "meminfo", "mmap"};
    const struct bootinfo *bi = &sys->boot;
    const char *name;
    struct record *r = record_new("boot");
    rec_int(r, "schema", RECORD_SCHEMA);
    rec_str(r, "version", ANECHOIC_VERSION);
    rec_str(r, "flavour", ANECHOIC_FLAVOUR);
    rec_int(r, "protocol", bi->protocol);
    rec_str(r, "loader", bi->loader);
    if (!rec_str_fit(r, "cmdline", bi->cmdline, 2048)) rec_bool(r, "cmdline_cut", true);
    rec_str(r, "platform", platform_name(sys->platform));
    rec_str(r, "platform_detail", sys->id.hypervisor);
    rec_uint(r, "memory_kib", sys->memory.total_kib);
    rec_str(r, "map", map_name[bi->map_source]);
    rec_bool(r, "map_truncated", bi->map_truncated);
    rec_int(r, "modules", bi->n_modules);
    rec_uint(r, "pool_base", (uintptr_t)sys->memory.pool);
    rec_uint(r, "pool_bytes", sys->memory.pool_bytes);
    rec_str(r, "pool_type", mem_type_name(sys->pool_type));
    rec_array(r, "consoles");
    for (unsigned i = 0; (name = console_name(i)) != NULL; i++) rec_str(r, NULL, name);
    rec_close(r);
    rec_str(r, "acpi_oem", sys->acpi.found ? sys->acpi.oem : "");
    record_emit(r);
}

static void cache_fields(struct record *r, const struct cache *c)
{
    static const char *const kind[] = {"", "data", "code", "unified"};
    rec_object(r, NULL);
    rec_int(r, "level", c->level);
    rec_str(r, "kind", kind[c->kind & 3]);
    rec_uint(r, "bytes", c->bytes);
    rec_uint(r, "line", c->line);
    rec_uint(r, "ways", c->ways == CACHE_FULLY_ASSOCIATIVE && c->line ? c->bytes / c->line : c->ways);
    rec_uint(r, "sets", cache_sets(c));
    rec_close(r);
}

/* Family, counters and what else the PMU has; "none" where no driver knows it. */
static void pmu_fields(struct record *r, const struct pmu *pmu)
{
    rec_object(r, "pmu");
    rec_str(r, "family", pmu->ops ? pmu->ops->family : "none");
    if (pmu->ops) {
        rec_str(r, "model", pmu->model);
        rec_array(r, "counters");
        for (unsigned i = 0; i < pmu->counters; i++) rec_str(r, NULL, pmu_state_text(pmu->state[i]));
        rec_close(r);
        if (pmu->preset) {
            rec_array(r, "preset");
            for (unsigned i = 0; i < pmu->counters; i++)
                if (pmu->preset >> i & 1) rec_uint(r, NULL, i);
            rec_close(r);
        }
        if (pmu->core_type) rec_str(r, "core_type", pmu->core_type);
        if (pmu->freeze_smm) rec_bool(r, "freeze_smm", true);
        rec_uint(r, "width", pmu->width);
        rec_bool(r, "rdpmc", pmu->rdpmc);
        rec_bool(r, "user_rdpmc", pmu->user_rdpmc);
    }
    rec_bool(r, "pebs", pmu->pebs);
    rec_bool(r, "ds", pmu->ds);
    rec_bool(r, "ibs", pmu->ibs);
    rec_bool(r, "lbr", pmu->lbr);
    rec_close(r);
}

void emit_cpu(const struct system *sys)
{
    const struct cpu_id *id = &sys->id;
    struct record *r = record_new("cpu");
    rec_int(r, "cpu", 0);
    rec_str(r, "vendor", id->vendor);
    rec_str(r, "brand", id->brand);
    rec_uint(r, "family", id->family);
    rec_uint(r, "model", id->model);
    rec_uint(r, "stepping", id->stepping);
    rec_uint(r, "signature", id->signature);
    rec_bool(r, "hypervisor", id->has_hypervisor);
    rec_bool(r, "invariant_tsc", id->x7_edx & CPUID_X7_EDX_INVARIANT_TSC);
    if (sys->clock.tsc_hz) rec_uint(r, "tsc_hz", sys->clock.tsc_hz);
    rec_str(r, "tsc_source", sys->clock.source);
    if (sys->clock.uncertainty_ppm > 0) rec_real(r, "tsc_uncertainty_ppm", sys->clock.uncertainty_ppm);
    if (sys->clock.other.hz) {
        rec_uint(r, "tsc_other_hz", sys->clock.other.hz);
        rec_str(r, "tsc_other_source", sys->clock.other.source);
        rec_real(r, "tsc_other_uncertainty_ppm", sys->clock.other.ppm);
    }
    if (sys->core_per_tsc > 0) rec_real(r, "core_per_tsc", sys->core_per_tsc);
    rec_str(r, "core_clock_source", sys->core_clock_source);
    rec_str(r, "turbo", control_state_text(control_state(&sys->control[CONTROL_TURBO])));
    rec_str(r, "prefetch", control_state_text(control_state(&sys->control[CONTROL_PREFETCH])));
    rec_str(r, "apic", apic_mode_name(sys->apic.mode));
    if (sys->apic.mode >= APIC_XAPIC) {
        rec_uint(r, "apic_id", sys->apic.id);
        rec_uint(r, "apic_version", sys->apic.version);
        rec_uint(r, "apic_lvts", sys->apic.lvts);
    }
    pmu_fields(r, &sys->pmu);
    rec_array(r, "caches");
    for (unsigned i = 0; i < sys->caches.n; i++) cache_fields(r, &sys->caches.c[i]);
    rec_close(r);
    rec_str(r, "cache_source", sys->caches.source);
    rec_array(r, "serialize");
    for (unsigned i = 0; i < SERIALIZE_COUNT; i++)
        if (serializers[i].usable(id)) rec_str(r, NULL, serializers[i].name);
    rec_close(r);
    record_emit(r);
}

void emit_quiet(const struct quiet *q, const char *when, uint64_t tsc_hz)
{
    struct record *r = record_new("quiet");
    bool disturbed = q->gaps > 0 || q->smis > 0;
    rec_str(r, "when", when);
    if (tsc_hz) rec_real(r, "watched_ms", (double)q->watched_tsc * 1e3 / (double)tsc_hz);
    rec_uint(r, "watched_tsc", q->watched_tsc);
    rec_uint(r, "gaps", q->gaps);
    rec_uint(r, "threshold_tsc", q->threshold);
    rec_uint(r, "largest_gap_tsc", q->largest);
    if (tsc_hz) rec_real(r, "largest_gap_us", (double)q->largest * 1e6 / (double)tsc_hz);
    rec_uint(r, "typical_tsc", q->typical);
    rec_uint(r, "tsc_step", q->step);
    rec_bool(r, "smi_counter", q->smi_counter);
    if (q->smi_counter) rec_uint(r, "smis", q->smis);
    rec_str(r, "verdict", q->cannot_tell ? "unknown" : disturbed ? "disturbed" : "quiet");
    if (q->cannot_tell)
        rec_str(r, "reason", "the TSC did not advance");
    else
        rec_strf(r, "reason", "%u gaps, %s", q->gaps,
                 !q->smi_counter ? "SMIs cannot be counted here"
                 : q->smis       ? "SMIs came in between"
                                 : "no SMI");
    record_emit(r);
}

/* ---- benchmarks ---- */

void emit_bench(const struct bench *b)
{
    struct record *r = record_new("bench");
    rec_str(r, "bench", b->name);
    rec_str(r, "desc", b->desc);
    rec_str(r, "cost", b->cost);
    rec_strf(r, "unit", "tsc/%s", b->op);
    rec_bool(r, "main", b->main_job);
    rec_array(r, "variants");
    for (unsigned i = 0; i < bench_variants(b); i++)
        if (b->variant[i].name[0]) rec_str(r, NULL, b->variant[i].name);
    rec_close(r);
    rec_array(r, "params");
    for (unsigned i = 0; i < b->params; i++) {
        const struct bench_param *p = &b->param[i];
        rec_object(r, NULL);
        rec_str(r, "name", p->name);
        rec_str(r, "unit", p->unit);
        rec_str(r, "help", p->help);
        rec_int(r, "min", p->min);
        rec_int(r, "max", p->max);
        if (p->step > 1) rec_int(r, "step", p->step);
        if (p->def == PARAM_AUTO)
            rec_str(r, "default", "auto");
        else
            rec_int(r, "default", p->def);
        rec_bool(r, "range", p->range);
        rec_close(r);
    }
    rec_close(r);
    record_emit(r);
}

void emit_event(const struct pmu *pmu, const struct pmu_event *e)
{
    static const char *const kinds[] = {"events", "cycles", "bus cycles", "outstanding x cycles"};
    struct record *r = record_new("event");
    rec_str(r, "event", e->name);
    rec_strf(r, "code", "0x%02x", e->code);
    if (e->umask) rec_strf(r, "umask", "0x%02x", e->umask);
    rec_str(r, "desc", e->desc);
    rec_str(r, "kind", kinds[e->kind]);
    rec_array(r, "counters");
    for (unsigned i = 0; i < pmu->counters; i++)
        if (pmu_event_counters(pmu, e) >> i & 1) rec_uint(r, NULL, i);
    rec_close(r);
    rec_array(r, "umasks");
    for (unsigned i = 0; e->umasks && i < pmu->ops->n_umasks; i++)
        if (pmu->ops->umasks[i].set == e->umasks) rec_str(r, NULL, pmu->ops->umasks[i].name);
    rec_close(r);
    record_emit(r);
}

void emit_word(const struct pmu_word *w)
{
    struct record *r = record_new("event");
    rec_str(r, "event", w->word);
    rec_str(r, "stands_for", w->event ? w->event : "absent");
    if (w->msr) rec_strf(r, "msr", "0x%03x", w->msr);
    record_emit(r);
}

void emit_identity(struct record *r, const struct run *run, unsigned ring)
{
    const struct bench *b = run->item->bench;
    rec_str(r, "bench", b->name);
    rec_str(r, "variant", b->variant[run->item->variant].name);
    rec_object(r, "params");
    for (unsigned i = 0; i < b->params; i++) rec_int(r, b->param[i].name, run->bench.param[i]);
    rec_close(r);
    rec_uint(r, "cpu", run->item->cpu);
    rec_uint(r, "ring", ring);
}

static void noise_fields(struct record *r, const struct noise *n, uint64_t tsc_hz)
{
    rec_object(r, "fwq");
    if (tsc_hz) rec_real(r, "us", (double)n->least * 1e6 / (double)tsc_hz);
    rec_uint(r, "late_min", n->late_min);
    rec_uint(r, "late_10pct", n->late_10pct);
    rec_uint(r, "detour_max_tsc", n->detour_max);
    if (tsc_hz) rec_real(r, "detour_max_us", (double)n->detour_max * 1e6 / (double)tsc_hz);
    rec_real(r, "lost_share", n->lost_share);
    rec_close(r);
}

const char *emit_origin(const struct system *sys, unsigned k)
{
    const char *flag = platform_flag(sys->platform);
    return flag && k > 0 && strcmp(flag, "emulated") == 0 ? "modelled" : flag;
}

void emit_unmodelled(struct record *r)
{
    rec_array(r, "flags");
    rec_str(r, NULL, "unmodelled");
    rec_close(r);
    record_emit(r);
}

void emit_result(const struct run *run, unsigned k, const struct result *res, const struct options *opt,
                 const struct system *sys)
{
    const struct stats *s = &res->stats;
    const struct counted *c = &run->count[k];
    const char *origin = emit_origin(sys, k);
    struct record *r = record_new("result");
    emit_identity(r, run, opt->ring);
    rec_str(r, "event", c->event);
    rec_strf(r, "unit", "%s/%s", c->event, run->item->bench->op);
    if (k > 0) {
        rec_uint(r, "group", run->group);
        rec_uint(r, "groups", run->groups);
        rec_uint(r, "counter", c->counter);
        if (run->read) rec_str(r, "read", run->read);
    }
    if (!res->is_series) rec_str(r, "serialize", serializers[opt->serialize].name);
    rec_uint(r, "reps", s->n);
    rec_uint(r, "ops", (uint64_t)run->bench.ops);
    if (c->unmodelled) {
        emit_unmodelled(r);
        return;
    }
    rec_uint(r, "raw_min", res->raw_min);
    rec_uint(r, "overhead", c->overhead);
    rec_real(r, "min", s->min);
    rec_real(r, "median", s->median);
    rec_real(r, "mode", s->mode);
    rec_real(r, "mean", s->mean);
    rec_real(r, opt->conf == 99 ? "ci99" : "ci95", s->ci);
    rec_real(r, "max", s->max);
    if (opt->cull) rec_uint(r, "culled", res->culled);
    if (k == 0 && sys->clock.tsc_hz) rec_real(r, "ns_per_op", s->median * 1e9 / (double)sys->clock.tsc_hz);
    if (k == 0 && run->core_per_tsc > 0) {
        rec_real(r, "core_per_tsc", run->core_per_tsc);
        rec_real(r, "core_per_op", s->median * run->core_per_tsc);
    }
    if (res->smi) rec_uint(r, "smi", res->smi);
    if (res->slow) rec_uint(r, "slow", res->slow);
    if (res->stray) rec_uint(r, "stray", res->stray);
    if (res->is_series) noise_fields(r, &res->noise, sys->clock.tsc_hz);
    rec_array(r, "flags");
    if (origin) rec_str(r, NULL, origin);
    if (res->smi) rec_str(r, NULL, "smi");
    if (res->slow) rec_str(r, NULL, "slow");
    if (res->stray) rec_str(r, NULL, "stray");
    if (c->overhead_lowered) rec_str(r, NULL, "overhead-lowered");
    if (c->wrapped) rec_str(r, NULL, "wrapped");
    if (c->upper_bits) rec_str(r, NULL, "upper-bits");
    if (c->overcounts) rec_str(r, NULL, "overcount");
    rec_close(r);
    record_emit(r);
}

void emit_derived(const struct run *run, const struct derived *d, const struct options *opt,
                  const struct system *sys)
{
    const char *origin = emit_origin(sys, 1);
    struct record *r = record_new("derived");
    emit_identity(r, run, opt->ring);
    rec_strf(r, "name", "%s%s", d->name, d->suffix);
    rec_str(r, "formula", d->formula);
    rec_real(r, "value", d->value);
    rec_array(r, "flags");
    if (origin) rec_str(r, NULL, origin);
    if (d->overhead_lowered) rec_str(r, NULL, "overhead-lowered");
    rec_close(r);
    record_emit(r);
}

#define REPS_PER_RECORD \
    50 /* one field a value and five more where it is flagged: RECORD_MAX_FIELDS holds 50 such */

/* The weightiest of a repetition's flags. */
static const char *rep_flag_name(unsigned flags)
{
    return flags & REP_SMI ? "smi" : flags & REP_STRAY ? "stray" : "slow";
}

void emit_reps(const struct run *run, unsigned k, unsigned ring)
{
    for (unsigned first = 0; first < run->reps; first += REPS_PER_RECORD) {
        unsigned end = run->reps - first > REPS_PER_RECORD ? first + REPS_PER_RECORD : run->reps;
        struct record *r = record_new("reps");
        emit_identity(r, run, ring);
        rec_str(r, "event", run->count[k].event);
        rec_uint(r, "first", first);
        rec_uint(r, "overhead", run->count[k].overhead);
        rec_array(r, "raw");
        for (unsigned i = first; i < end; i++) rec_uint(r, NULL, run->count[k].raw[i]);
        rec_close(r);
        rec_array(r, "flagged");
        for (unsigned i = first; i < end; i++) {
            if (!run->flags[i]) continue;
            rec_object(r, NULL);
            rec_uint(r, "rep", i);
            rec_str(r, "flag", rep_flag_name(run->flags[i]));
            rec_close(r);
        }
        rec_close(r);
        record_emit(r);
    }
}

void emit_done(unsigned measurements, unsigned failed, bool results)
{
    struct record *r = record_new("done");
    rec_uint(r, "measurements", measurements);
    rec_uint(r, "failed", failed);
    if (results) rec_str(r, "intervals", "repetitions of this boot");
    record_emit(r);
}
