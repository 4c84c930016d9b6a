/* The results of a sampling run: the run, on request its raw samples, its profiles and figures. */
#include "kernel/linux_timer.h"
#include "report/emit.h"
#include "report/emit_branches.h"
#include "report/emit_errata.h"
#include "report/emit_experiment.h"
#include "report/emit_memory.h"
#include "report/emit_profile.h"
#include "report/put.h"

#define SAMPLES_PER_RECORD  8
#define ACCESSES_PER_RECORD 4 /* of samples that say more */

static const char *const by_name[] = {"", "pmi", "pebs", "timer", "nmi", "ibs", "ibs-fetch"};

static void cost(struct record *r, const struct sampling *s, const struct sampled *result)
{
    PUT(r, sampling, tsc_without, s->tsc[0]);
    PUT(r, sampling, tsc_with, s->tsc[1]);
    if (!result->cost_known) return;
    PUT(r, sampling, handler_tsc, result->handler_tsc);
    PUT(r, sampling, handler_share, result->handler_share);
    if (result->counted) PUT(r, sampling, handler_instructions, result->handler_instructions);
}

/* From x on, the first sample of this event: those of several at once lie in one buffer. */
static const struct sample *next_of(const struct sampling *s, const struct sample *x,
                                    const struct sample *end)
{
    while (x < end && s->at_once && x->counter != s->counter) x++;
    return x;
}

/* Some sample of the run says more than an interrupt does. */
static bool say_more(const struct samples *s)
{
    enum {
        MORE = SAMPLE_DATA | SAMPLE_PHYSICAL | SAMPLE_LEVEL | SAMPLE_TLB | SAMPLE_LATENCY | SAMPLE_RETIRE |
               SAMPLE_NEXT | SAMPLE_INSTRUCTIONS | SAMPLE_CYCLES
    };
    for (unsigned i = 0; i < s->n; i++)
        if (s->at[i].valid & MORE || s->at[i].corrected || s->at[i].traits) return true;
    return false;
}

/* What the facility says beside address and registers. */
static void emit_access(struct record *r, const struct sample *x)
{
    if (x->valid & SAMPLE_DATA) PUT(r, raw_sample, data, x->data);
    if (x->valid & SAMPLE_PHYSICAL) PUT(r, raw_sample, physical, x->physical);
    if (x->valid & SAMPLE_LEVEL && x->level) PUT(r, raw_sample, level, memory_level(x->level));
    if (x->valid & SAMPLE_TLB && x->tlb) PUT(r, raw_sample, tlb, memory_tlb(x->tlb));
    if (x->valid & SAMPLE_LATENCY) PUT(r, raw_sample, latency, x->latency);
    if (x->valid & SAMPLE_CACHE_LATENCY) PUT(r, raw_sample, cache_latency, x->cache_latency);
    if (x->valid & SAMPLE_RETIRE) PUT(r, raw_sample, retire, x->retire);
    if (x->valid & SAMPLE_RETIRE && x->completion) PUT(r, raw_sample, completion, x->completion);
    if (x->valid & SAMPLE_TARGET) PUT(r, raw_sample, target, x->target);
    if (!x->traits) return;
    OPEN(r, raw_sample, traits);
    for (unsigned i = 0; i < MEMORY_TRAITS; i++)
        if (x->traits >> i & 1) ITEM(r, raw_sample, traits, memory_trait(i));
    rec_close(r);
}

/* The sixteen, of each the lower half first. */
static void emit_xmm(struct record *r, const uint64_t xmm[16][2])
{
    OPEN(r, raw_sample, xmm);
    for (unsigned i = 0; i < 32; i++) ITEM(r, raw_sample, xmm, xmm[i / 2][i % 2]);
    rec_close(r);
}

static void emit_one(struct record *r, const struct samples *s, const struct sample *x)
{
    static const char *const how[CORRECTIONS] = {NULL, "code", "lbr"};
    rec_object(r, NULL);
    PUT(r, raw_sample, ip, x->ip);
    PUT(r, raw_sample, precise, x->valid & SAMPLE_PRECISE);
    if (x->valid & SAMPLE_NEXT) PUT(r, raw_sample, plus_one, true);
    if (x->corrected && x->corrected < CORRECTIONS) {
        PUT(r, raw_sample, corrected, how[x->corrected]);
        PUT(r, raw_sample, recorded, x->recorded);
    }
    if (x->valid & SAMPLE_OUTSIDE) PUT(r, raw_sample, outside, true);
    if (x->valid & SAMPLE_COUNTER) PUT(r, raw_sample, counter, x->counter);
    if (x->valid & SAMPLE_TSC) PUT(r, raw_sample, tsc, x->tsc);
    if (x->valid & SAMPLE_REGS) {
        PUT(r, raw_sample, flags, x->flags);
        OPEN(r, raw_sample, regs);
        for (unsigned k = 0; k < TRAP_REGS; k++) ITEM(r, raw_sample, regs, x->reg[k]);
        rec_close(r);
    }
    emit_access(r, x);
    if (x->valid & SAMPLE_INSTRUCTIONS) PUT(r, raw_sample, instructions, s->counts[x - s->at][0]);
    if (x->valid & SAMPLE_CYCLES) PUT(r, raw_sample, cycles, s->counts[x - s->at][1]);
    if (x->valid & SAMPLE_XMM) emit_xmm(r, s->xmm[x - s->at]);
    if (x->valid & SAMPLE_BRANCHES) emit_raw_branches(r, x, s->branch + (x - s->at) * BRANCHES_MOST);
    rec_close(r);
}

static void emit_raw(const struct sampling *s, const struct options *opt)
{
    const struct sample *x = s->samples.at, *end = x + s->samples.n;
    const unsigned most = s->samples.branch || s->samples.xmm ? 1
                          : say_more(&s->samples)             ? ACCESSES_PER_RECORD
                                                              : SAMPLES_PER_RECORD;
    for (unsigned first = 0; (x = next_of(s, x, end)) < end; first += most) {
        struct record *r = NEW(sample);
        emit_identity(r, &s->run, opt->ring);
        PUT(r, measurement, event, s->event);
        PUT(r, sample, first, first);
        OPEN(r, sample, samples);
        for (unsigned i = 0; i < most && (x = next_of(s, x, end)) < end; i++, x++)
            emit_one(r, &s->samples, x);
        rec_close(r);
        record_emit(r);
    }
}

static void emit_profiles(const struct sampling *s, const struct sampled *result, const struct options *opt,
                          enum origin origin)
{
    const struct profile_source from = {&s->run,   opt->ring,      s->event, by_name[s->by],
                                        s->period, s->jitter != 0, origin};
    if (result->by_ip) {
        emit_code(&s->run.program, &result->code);
        emit_profile_ip(&from, &result->ip);
    }
    if (result->by_level) emit_memory(&from, &result->memory);
    if (result->by_data) {
        emit_profile_data(&from, &result->data);
        if (result->deduced) emit_deduction(&from, &result->deduction);
    }
    if (result->by_branch) emit_branches(&from, s, &result->branches);
    for (unsigned i = 0; i < result->figures.n; i++) emit_experiment(&result->figures.at[i], origin);
}

void emit_sampling(const struct sampling *s, const struct sampled *result, const struct options *opt,
                   const struct machine *m)
{
    const enum origin origin = opt->sample == SAMPLE_BY_TIMER ? m->time_origin : m->count_origin;
    const uint64_t errata = errata_here(m, s->errata);
    const char *doubt = errata_flag(m, errata);
    const bool fixed = opt->sample == SAMPLE_BY_TIMER || (opt->sample != SAMPLE_BY_NMI && !opt->pmi_nmi);
    struct record *r = NEW(sampling);
    emit_identity(r, &s->run, opt->ring);
    PUT(r, measurement, event, s->event);
    if (s->together) PUT(r, sampling, together, s->together);
    if (s->at_once) PUT(r, sampling, at_once, s->at_once);
    PUT(r, sampling, by, by_name[opt->sample]);
    PUT(r, sampling, delivery, linux_timer_exists ? "signal" : fixed ? "fixed" : "nmi");
    PUT(r, sampling, unit, s->unit);
    if (opt->sample != SAMPLE_BY_TIMER && !options_ibs(opt)) PUT(r, sampling, counter, s->counter);
    if (options_ibs(opt) && opt->ibs.l3miss) PUT(r, sampling, l3miss, true);
    if (opt->pebs.latency) PUT(r, sampling, latency, opt->pebs.latency);
    PUT(r, sampling, period, s->period);
    PUT(r, sampling, period_auto, opt->period == 0);
    if (s->jitter) {
        PUT(r, sampling, jitter, s->jitter);
        PUT(r, sampling, seed, opt->jitter_seed);
    }
    PUT(r, sampling, tries, s->tries);
    PUT(r, sampling, reps, s->run.reps);
    if (record_has_clocks() || !(s->clocked || opt->sample == SAMPLE_BY_TIMER))
        PUT(r, sampling, occurred, s->occurred);
    PUT(r, sampling, interrupts, s->interrupts);
    if (s->hoped) PUT(r, sampling, wanted, s->wanted);
    PUT(r, sampling, samples, s->inside);
    PUT(r, sampling, outside, s->outside);
    if (options_ibs(opt)) PUT(r, sampling, dropped, s->dropped);
    PUT(r, sampling, lost, s->samples.lost);
    cost(r, s, result);
    put_errata(r, errata);
    OPEN(r, sampling, flags);
    if (origin != ORIGIN_SILICON) ITEM(r, sampling, flags, origin_flag(origin));
    if (s->samples.lost || s->samples.more) ITEM(r, sampling, flags, "lost");
    if (s->samples.more) ITEM(r, sampling, flags, "more-lost");
    if (s->storm) ITEM(r, sampling, flags, "storm");
    if (result->few) ITEM(r, sampling, flags, "few");
    if (result->heavy && record_has_clocks()) ITEM(r, sampling, flags, "handler-heavy");
    if (s->counted_part) ITEM(r, sampling, flags, "handler-in-part");
    if (doubt) ITEM(r, sampling, flags, doubt);
    rec_close(r);
    record_emit(r);
    if (opt->all) emit_raw(s, opt);
    emit_profiles(s, result, opt, origin);
}
