/* What a sampling run came to, on request its raw samples, and its profiles. */
#include "kernel/user.h"
#include "report/emit.h"
#include "report/emit_experiment.h"
#include "report/emit_profile.h"
#include "report/put.h"

#define SAMPLES_PER_RECORD 8

static const char *const by_name[] = {"", "pmi", "pebs", "timer", "nmi"};

/* What one interrupt cost: the difference of the two passes. Noise may make it negative; it is shown so. Time
 * is the payload's, so that interrupts outside are not in it; those that came late are in neither. */
static void cost(struct record *r, const struct sampling *s)
{
    const bool pebs = s->by == SAMPLE_BY_PEBS;
    const double in_time = pebs ? s->interrupts : (double)sampling_came(s);
    const double counted = pebs ? s->interrupts : (double)(s->interrupts - s->late);
    PUT(r, sampling, tsc_without, s->tsc[0]);
    PUT(r, sampling, tsc_with, s->tsc[1]);
    if (!sampling_came(s) || !s->interrupts || s->storm) return;
    PUT(r, sampling, handler_tsc, ((double)s->tsc[1] - (double)s->tsc[0]) / in_time);
    PUT(r, sampling, handler_share, sampling_share(s));
    if (s->counted)
        PUT(r, sampling, handler_instructions,
            ((double)s->instructions[1] - (double)s->instructions[0]) / counted);
}

static void emit_raw(const struct sampling *s, const struct options *opt)
{
    for (unsigned first = 0; first < s->samples.n; first += SAMPLES_PER_RECORD) {
        struct record *r = NEW(sample);
        emit_identity(r, &s->run, opt->ring);
        PUT(r, measurement, event, s->event);
        PUT(r, sample, first, first);
        OPEN(r, sample, samples);
        for (unsigned i = first; i < s->samples.n && i < first + SAMPLES_PER_RECORD; i++) {
            const struct sample *x = &s->samples.at[i];
            rec_object(r, NULL);
            PUT(r, raw_sample, ip, x->ip);
            PUT(r, raw_sample, precise, x->valid & SAMPLE_PRECISE);
            if (x->valid & SAMPLE_OUTSIDE) PUT(r, raw_sample, outside, true);
            if (x->valid & SAMPLE_COUNTER) PUT(r, raw_sample, counter, x->counter);
            if (x->valid & SAMPLE_TSC) PUT(r, raw_sample, tsc, x->tsc);
            PUT(r, raw_sample, flags, x->flags);
            OPEN(r, raw_sample, regs);
            for (unsigned k = 0; k < TRAP_REGS; k++) ITEM(r, raw_sample, regs, x->reg[k]);
            rec_close(r);
            rec_close(r);
        }
        rec_close(r);
        record_emit(r);
    }
}

/* By instruction; of precise samples by data address as well, and what that tells of L1. */
static bool profiles(const struct sampling *s, const struct profile_source *from, const struct cpu *cpu,
                     struct arena *arena, unsigned conf)
{
    static const struct profile_filter all = {-1, 0};
    const struct samples *x = &s->samples;
    const unsigned how = cpu->pmu->pebs_before ? DECODE_BEFORE : 0;
    struct profile ip, data;
    struct deduction d;
    if (!profile_by_ip(x, &all, arena, &ip)) return false;
    profile_rank(&ip);
    emit_code(from);
    emit_profile_ip(from, &ip);
    if (s->by != SAMPLE_BY_PEBS) {
        emit_figures(s, from, &ip, NULL, NULL, conf);
        return true;
    }
    if (!profile_by_data(x, &all, from->code, how, arena, &data)) return false;
    deduce(&data, cache_data(&cpu->caches, 1), s->jitter ? 0 : s->period, arena, &d);
    emit_profile_data(from, &data);
    emit_deduction(from, &d);
    emit_figures(s, from, &ip, &data, &d, conf);
    return true;
}

bool emit_sampling(const struct sampling *s, const struct options *opt, const struct machine *m,
                   struct arena *arena)
{
    const enum origin origin = opt->sample == SAMPLE_BY_TIMER ? m->time_origin : m->count_origin;
    bool fixed = opt->sample == SAMPLE_BY_TIMER || (opt->sample != SAMPLE_BY_NMI && !opt->pmi_nmi);
    struct record *r = NEW(sampling);
    emit_identity(r, &s->run, opt->ring);
    PUT(r, measurement, event, s->event);
    PUT(r, sampling, by, by_name[opt->sample]);
    PUT(r, sampling, delivery, fixed ? "fixed" : "nmi");
    PUT(r, sampling, unit, s->unit);
    if (opt->sample != SAMPLE_BY_TIMER) PUT(r, sampling, counter, s->counter);
    PUT(r, sampling, period, s->period);
    PUT(r, sampling, period_auto, opt->period == 0);
    if (s->jitter) {
        PUT(r, sampling, jitter, s->jitter);
        PUT(r, sampling, seed, opt->jitter_seed);
    }
    PUT(r, sampling, tries, s->tries);
    PUT(r, sampling, reps, s->run.reps);
    PUT(r, sampling, occurred, s->occurred);
    PUT(r, sampling, interrupts, s->interrupts);
    if (s->hoped) PUT(r, sampling, wanted, s->wanted);
    PUT(r, sampling, samples, s->inside);
    PUT(r, sampling, outside, s->outside);
    PUT(r, sampling, lost, s->samples.lost);
    cost(r, s);
    OPEN(r, sampling, flags);
    if (origin != ORIGIN_SILICON) ITEM(r, sampling, flags, origin_flag(origin));
    if (s->samples.lost || s->samples.more) ITEM(r, sampling, flags, "lost");
    if (s->samples.more) ITEM(r, sampling, flags, "more-lost");
    if (s->storm) ITEM(r, sampling, flags, "storm");
    if (s->hoped && !s->storm && 2 * sampling_came(s) < s->wanted) ITEM(r, sampling, flags, "few");
    if (!s->storm && sampling_heavy(s)) ITEM(r, sampling, flags, "handler-heavy");
    if (s->counted_part) ITEM(r, sampling, flags, "handler-in-part");
    rec_close(r);
    record_emit(r);
    if (opt->all) emit_raw(s, opt);
    const struct code code = {(const uint8_t *)user_text_start, (uintptr_t)user_text_start,
                              (uint32_t)(user_text_end - user_text_start), sizeof(void *) == 8,
                              (uint32_t)(benchmarks_text_end - user_text_start)};
    const struct profile_source from = {&s->run,        opt->ring, s->event, by_name[s->by], s->period,
                                        s->jitter != 0, origin,    &code,    benches_start,  benches_end};
    if (profiles(s, &from, &m->cpu[s->run.item->cpu], arena, opt->conf)) return true;
    report_error("benchmark", "%s: not enough memory for a profile of so many samples",
                 s->run.item->bench->name);
    return false;
}
