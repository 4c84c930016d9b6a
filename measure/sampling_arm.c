/* From a period and a facility to interrupts, and back to silence. */
#include "kernel/hw.h"
#include "measure/sampling_job.h"

bool sampling_arm(struct job *j, uint32_t left)
{
    struct sampling *out = j->out;
    struct pmu *pmu = j->cpu->pmu;
    char *why = out->run.bench.error;
    const size_t cap = sizeof out->run.bench.error;
    bool armed = pmu->ops->arm(pmu, out->counter, left, why, cap);
    if (armed && is_pebs(j))
        armed = pmu->ops->pebs_arm(pmu, out->counter, j->event, (uintptr_t)j->ds, why, cap);
    pmu->period[out->counter] = out->period; /* from the next one on */
    if (!armed) out->run.status = RUN_PMU;
    return armed;
}

static bool arm_event(struct job *j)
{
    const struct sampling *out = j->out;
    struct sampler *s = &j->sampler;
    struct pmu *pmu = j->cpu->pmu;
    if (is_pebs(j)) {
        /* The overflow arms PEBS, and the next event makes the record (SDM 18.15.7): a period of N is a
         * preset of -(N-1). */
        pebs_init(&j->pebs, j->ds, pebs_wide(j), j->depth, -(uint64_t)(out->period - 1));
        j->pebs.counter = (uint16_t)out->counter;
    }
    if (!sampling_arm(j, out->period)) return false;
    s->period = (uint32_t *)&pmu->period[out->counter];
    s->least = out->period - out->jitter;
    s->range = out->jitter ? 2 * out->jitter + 1 : 0;
    s->random = j->opt->jitter_seed;
    if (is_pebs(j)) sampler_pebs(s, &j->pebs);
    sampler_counters(s, pmu,
                     j->opt->sample == SAMPLE_BY_NMI ? SAMPLER_PIN
                     : j->opt->pmi_nmi               ? SAMPLER_NMI
                                                     : SAMPLER_FIXED);
    return true;
}

bool sampling_on(struct job *j)
{
    struct sampling *out = j->out;
    out->inside = out->outside = out->unanswered = j->judged = 0;
    j->random = 1;
    sampler_begin(&j->sampler, &out->samples, &j->cpu->apic);
    if (is_traced(j)) trace_interrupts(out->run.trace, sampler_interrupt, &j->sampler);
    if (j->event) return arm_event(j);
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

void sampling_off(struct job *j)
{
    struct sampling *out = j->out;
    const struct sampler *s = &j->sampler;
    if (!s->on) return;
    out->storm = s->stopped;
    sampler_off(&j->sampler);
    out->late = s->late;
    out->outside += out->late + out->unanswered;
    if (!is_pebs(j)) out->samples.lost = s->lost;
    out->interrupts = is_pebs(j) ? s->drains : out->inside + out->outside - out->unanswered + s->lost;
}
