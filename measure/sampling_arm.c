/* From a period and a facility to interrupts, and back to silence. */
#include "kernel/hw.h"
#include "measure/sampling_job.h"

/* Events until the next overflow when the payload is called again: drawn from the whole period. If the rest
 * of the last period were used, a payload whose events (with those of the harness around it) are a multiple
 * of the period would be sampled at one instruction for ever, or never. (The generator is the one of the
 * handler.) */
static uint32_t part_of(struct job *j, uint32_t period)
{
    j->random = j->random * 1664525 + 1013904223;
    const uint32_t left = 1 + (uint32_t)((uint64_t)j->random * period >> 32);
    if (is_pebs(j)) return sampling_pebs_period(&j->pebs, left);
    return left == 1 && period > 1 ? 2 : left; /* which every facility accepts */
}

static bool arm_one(struct job *j, unsigned counter, uint32_t period, bool anywhere)
{
    struct pmu *pmu = j->cpu->pmu;
    char *why = j->out->run.bench.error;
    const size_t cap = sizeof j->out->run.bench.error;
    bool armed = pmu->ops->arm(pmu, counter, anywhere ? part_of(j, period) : period, why, cap);
    if (armed && is_pebs(j)) armed = pmu->ops->pebs_arm(pmu, counter, j->event, &j->pebs, why, cap);
    pmu->period[counter] = period; /* from the next one on */
    if (!armed) j->out->run.status = RUN_PMU;
    return armed;
}

bool sampling_arm(struct job *j, bool anywhere)
{
    const struct sampling *out = j->out;
    if (is_ibs(j)) {
        ibs_arm(&j->ibs, anywhere ? part_of(j, out->period) : out->period, out->period);
        return true;
    }
    if (!out->at_once) return arm_one(j, out->counter, out->period, anywhere);
    for (const struct sampling_event *e = out->each; e < out->each + out->at_once; e++)
        if (!arm_one(j, e->counter, e->period, anywhere)) return false;
    return true;
}

/* Each event has samples, losses and periods of its own. */
static void arm_each(struct job *j)
{
    const struct sampling *out = j->out;
    uint32_t which = 0;
    for (const struct sampling_event *e = out->each; e < out->each + out->at_once; e++) {
        which |= 1u << e->counter;
        j->each[e->counter] = (struct sampler_each){.period = (uint32_t *)&j->cpu->pmu->period[e->counter],
                                                    .least = e->period - e->jitter,
                                                    .range = e->jitter ? 2 * e->jitter + 1 : 0};
    }
    sampler_several(&j->sampler, which, j->each);
}

static enum sampler_delivery delivery(const struct job *j)
{
    return j->opt->sample == SAMPLE_BY_NMI ? SAMPLER_PIN : j->opt->pmi_nmi ? SAMPLER_NMI : SAMPLER_FIXED;
}

static bool arm_event(struct job *j)
{
    const struct sampling *out = j->out;
    struct sampler *s = &j->sampler;
    struct pmu *pmu = j->cpu->pmu;
    if (is_pebs(j)) {
        pebs_init(&j->pebs, j->ds, j->depth, out->period);
    }
    if (!sampling_arm(j, false)) return false;
    s->period = (uint32_t *)&pmu->period[out->counter];
    s->least = out->period - out->jitter;
    s->range = out->jitter ? 2 * out->jitter + 1 : 0;
    s->random = j->opt->jitter_seed;
    if (is_pebs(j)) sampler_pebs(s, &j->pebs);
    if (out->at_once) arm_each(j);
    sampler_counters(s, pmu, delivery(j));
    return true;
}

static bool arm_branches(struct job *j)
{
    struct run *run = &j->out->run;
    if (!lbr_arm(&j->lbr, j->out->branches, run->bench.error, sizeof run->bench.error)) {
        lbr_release(&j->lbr);
        run->status = RUN_PMU;
        return false;
    }
    sampler_branches(&j->sampler, &j->lbr);
    return true;
}

/* IBS starts last and is stopped first, so that it sees little of the harness. The counters see that: the
 * pass without interrupts does the same with one that is not armed, or the handler would seem to have these
 * instructions. */
void sampling_go(struct job *j, bool sampling)
{
    if (sampling && j->sampler.stopped) return;
    if (sampling && j->sampler.lbr) lbr_start(&j->lbr);
    if (j->event) pmu_start(j->cpu->pmu);
    if (is_ibs(j)) ibs_start(&j->ibs);
}

void sampling_halt(struct job *j, bool sampling)
{
    if (is_ibs(j)) {
        j->sampler.due = 1; /* an NMI for a sample that is gone */
        j->out->unanswered += ibs_stop(&j->ibs);
    }
    if (j->event) pmu_stop(j->cpu->pmu);
    if (sampling && j->sampler.lbr) lbr_stop(&j->lbr);
}

bool sampling_on(struct job *j)
{
    struct sampling *out = j->out;
    out->inside = out->outside = out->unanswered = out->dropped = j->judged = 0;
    for (unsigned e = 0; e < out->at_once; e++)
        out->each[e].inside = out->each[e].outside = out->each[e].unanswered = 0;
    j->random = 1;
    sampler_begin(&j->sampler, &out->samples, &j->cpu->apic);
    if (is_traced(j)) trace_interrupts(out->run.trace, sampler_interrupt, &j->sampler);
    if (out->branches && !arm_branches(j)) return false;
    if (is_ibs(j)) {
        sampler_ibs(&j->sampler, &j->ibs, j->ibs_entry.n, delivery(j));
        return sampling_arm(j, false);
    }
    if (j->event) return arm_event(j);
    /* The RTC's one period, too: it is the handler that varies. */
    if (out->jitter || !j->opt->jitter_given) {
        j->sampler.least = out->period - out->jitter;
        j->sampler.range = 2 * out->jitter + 1;
        j->sampler.random = j->opt->jitter_seed;
    }
    return sampler_timer(&j->sampler, j->timer, out->period) ||
           sampling_refuse(j, "no RTC answers here; use timer=apic or timer=pit");
}

bool sampling_timer_answers(struct job *j)
{
    const uint64_t *pass = j->out->tsc, second = j->ticks / REPEAT_S;
    const uint64_t most = second > pass[0] ? second : pass[0], begun = hw_rdtsc();
    while (!j->sampler.late && sampler_let_in() - begun < most) {
    }
    const bool answers = j->sampler.late != 0;
    j->sampler.late = 0; /* not one of the pass */
    return answers;
}

/* What the handler has counted of each event. */
static void take_each(const struct job *j)
{
    for (struct sampling_event *e = j->out->each; e < j->out->each + j->out->at_once; e++) {
        e->late = j->each[e->counter].late;
        e->lost = j->each[e->counter].lost;
        e->outside += e->late + e->unanswered;
    }
}

void sampling_off(struct job *j)
{
    struct sampling *out = j->out;
    const struct sampler *s = &j->sampler;
    if (!s->on) return;
    out->storm = s->stopped;
    sampler_off(&j->sampler);
    ibs_disarm(&j->ibs);
    out->late = s->late;
    out->outside += out->late + out->unanswered;
    if (!is_pebs(j)) out->samples.lost = s->lost;
    take_each(j);
    out->all_came = sampling_came(out);
    out->all_counted = out->all_came + out->outside - out->unanswered - out->late;
    out->interrupts =
        is_pebs(j) ? s->drains : out->inside + out->outside + out->dropped - out->unanswered + s->lost;
}
