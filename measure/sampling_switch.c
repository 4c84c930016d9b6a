#include "kernel/hw.h"
#include "kernel/pic.h"
#include "kernel/rtc.h"
#include "kernel/user.h"
#include "measure/sampling_handler.h"
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
    struct sampling *out = j->out;
    struct pmu *pmu = j->cpu->pmu;
    const bool nmi = j->opt->pmi_nmi, pin = j->opt->sample == SAMPLE_BY_NMI;
    if (is_pebs(j)) {
        /* The overflow arms it, the record is the next event's (SDM 18.15.7): N events are -(N-1). */
        pebs_init(&j->pebs, j->ds, pebs_wide(j), j->depth, -(uint64_t)(out->period - 1));
        j->pebs.counter = (uint16_t)out->counter;
    }
    if (!sampling_arm(j, out->period)) return false;
    sampler.valid |= SAMPLE_COUNTER;
    sampler.pmu = pmu;
    sampler.overflowed = pmu->ops->overflowed;
    sampler.pebs = is_pebs(j) ? &j->pebs : NULL;
    sampler.other = is_pebs(j);
    sampler.period = (uint32_t *)&pmu->period[out->counter];
    sampler.least = out->period - out->jitter;
    sampler.range = out->jitter ? 2 * out->jitter + 1 : 0;
    sampler.random = j->opt->jitter_seed;
    if (pin) {
        apic_nmi(&j->cpu->apic, true);
        return true;
    }
    sampler.fixed = !nmi;
    sampler.pmi.entry = nmi ? LVT_NMI : VECTOR_SAMPLE;
    sampler.pmi.x2apic = j->cpu->apic.mode == APIC_X2APIC;
    sampler.other |= sampler.pmi.x2apic;
    if (!sampler.pmi.x2apic) sampler.pmi.at = apic_pmi_register(&j->cpu->apic);
    if (!sampler.pmi.x2apic && !nmi) sampler.eoi = apic_eoi_register(&j->cpu->apic);
    apic_pmi(&j->cpu->apic, sampler.pmi.entry);
    return true;
}

static bool start_timer(struct job *j)
{
    sampler.fixed = sampler.other = true;
    if (j->timer != TIMER_APIC) {
        bool rtc = j->timer == TIMER_RTC;
        sampler.ticks = rtc ? rtc_interrupts : pit_interrupts;
        sampler.acknowledge = rtc ? rtc_acknowledge : pic_eoi;
        apic_extint(&j->cpu->apic, true);
        return sampler.ticks(j->out->period) ||
               sampling_refuse(j, "no RTC answers here; use timer=apic or timer=pit");
    }
    sampler.apic_timer = &j->cpu->apic;
    sampler.pmi.x2apic = j->cpu->apic.mode == APIC_X2APIC;
    if (!sampler.pmi.x2apic) sampler.eoi = apic_eoi_register(&j->cpu->apic);
    apic_timer(&j->cpu->apic, LVT_PERIODIC | VECTOR_SAMPLE, (uint32_t)j->out->period);
    return true;
}

bool sampling_on(struct job *j)
{
    struct samples *s = &j->out->samples;
    s->n = 0;
    s->lost = 0;
    s->more = false;
    j->out->inside = j->out->outside = j->out->unanswered = j->judged = 0;
    j->random = 1;
    sampler = (struct sampler){.next = s->at,
                               .end = s->at,
                               .closed = true,
                               .samples = s,
                               .valid = SAMPLE_IP | SAMPLE_REGS | SAMPLE_TSC,
                               .limit = s->cap * STORM_FACTOR + SAMPLES_DEF,
                               .pmi.at = &sampler.nowhere,
                               .eoi = &sampler.nowhere};
    trap_interrupt = sampling_interrupt;
    user_flags = USER_FLAGS_PLAIN | USER_FLAGS_IF;
    return j->event ? arm_event(j) : start_timer(j);
}

uint64_t sampling_let_in(void)
{
    hw_interrupts_on();
    const uint64_t now = hw_rdtsc(); /* STI takes effect behind the next instruction */
    hw_interrupts_off();
    return now;
}

bool sampling_timer_answers(const struct job *j)
{
    const uint64_t *pass = j->out->tsc, second = j->ticks / REPEAT_S;
    const uint64_t most = second > pass[0] ? second : pass[0], begun = hw_rdtsc();
    while (!sampler.late && sampling_let_in() - begun < most) {
    }
    const bool answers = sampler.late != 0;
    sampler.late = 0; /* it is not the pass's */
    return answers;
}

void sampling_off(struct job *j)
{
    struct sampling *out = j->out;
    const bool stopped = sampler.stopped;
    sampler.end = out->samples.at; /* also where a trap has left it open */
    sampler.stopped = true;
    if (j->event && j->cpu->pmu->ops->arm) j->cpu->pmu->ops->stop(j->cpu->pmu);
    if (sampler.pebs) {
        j->cpu->pmu->ops->pebs_stop(j->cpu->pmu);
        sampler.pebs = NULL;
    }
    if (j->opt->sample == SAMPLE_BY_NMI) apic_nmi(&j->cpu->apic, false);
    if (sampler.pmi.entry) apic_pmi(&j->cpu->apic, sampler.pmi.entry = LVT_MASKED | VECTOR_SAMPLE);
    if (sampler.apic_timer) apic_timer(&j->cpu->apic, LVT_MASKED | VECTOR_SAMPLE, 0);
    if (sampler.ticks) {
        sampler.ticks(0);
        apic_extint(&j->cpu->apic, false);
    }
    sampling_let_in();
    user_flags = USER_FLAGS_PLAIN;
    trap_interrupt = trap_stray;
    out->storm = stopped;
    out->late = sampler.late;
    out->outside += out->late + out->unanswered;
    if (!is_pebs(j)) out->samples.lost = sampler.lost;
    out->interrupts =
        is_pebs(j) ? sampler.drains : out->inside + out->outside - out->unanswered + sampler.lost;
}
