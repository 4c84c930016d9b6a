#include "measure/sampler.h"
#include "kernel/hw.h"
#include "kernel/linux_timer.h"
#include "kernel/pic.h"
#include "kernel/rtc.h"

/* The handler may come, as an NMI, between any two instructions here: each store leaves it a consistent
 * sampler, and they stay in this order. */
#define IN_ORDER() __asm__ volatile("" ::: "memory")

void sampler_begin(struct sampler *s, struct samples *to, const struct apic *apic)
{
    to->n = 0;
    to->lost = 0;
    to->more = false;
    *s = (struct sampler){.next = to->at,
                          .end = to->at,
                          .closed = true,
                          .samples = to,
                          .valid = SAMPLE_IP | SAMPLE_REGS | SAMPLE_TSC,
                          .limit = to->cap * SAMPLER_STORM + SAMPLER_MORE,
                          .pmi.at = &s->nowhere,
                          .eoi = &s->nowhere,
                          .apic = apic,
                          .on = true};
    sampler_choose_way(s);
    trap_interrupts(sampler_interrupt, s);
}

static void find_eoi(struct sampler *s)
{
    s->pmi.x2apic = s->apic->mode == APIC_X2APIC;
    if (s->fixed && !s->pmi.x2apic) s->eoi = apic_eoi_register(s->apic);
}

void sampler_pebs(struct sampler *s, struct pebs *pebs)
{
    s->pebs = pebs;
    sampler_choose_way(s);
}

void sampler_branches(struct sampler *s, struct lbr *lbr)
{
    s->lbr = lbr;
    s->valid |= SAMPLE_BRANCHES;
    sampler_choose_way(s);
}

void sampler_several(struct sampler *s, uint32_t which, struct sampler_each *each)
{
    s->several = which;
    s->each = each;
    sampler_choose_way(s);
}

void sampler_counters(struct sampler *s, struct pmu *pmu, enum sampler_delivery delivery)
{
    s->valid |= SAMPLE_COUNTER;
    s->pmu = pmu;
    s->overflowed = pmu->ops->overflowed;
    if (pmu->ops->sole && pmu->ops->sole(pmu, &s->sole)) {
        s->sole.preset = s->sole.skid - (uint32_t)pmu->period[s->sole.counter];
        s->head = s->valid | (uint64_t)s->sole.counter << 48;
    }
    sampler_choose_way(s);
    s->pin = delivery == SAMPLER_PIN;
    if (s->pin) {
        apic_nmi(s->apic, true);
        return;
    }
    s->fixed = delivery == SAMPLER_FIXED;
    find_eoi(s);
    if (!s->pmi.x2apic) s->pmi.at = apic_pmi_register(s->apic);
    s->pmi.entry = s->fixed ? VECTOR_SAMPLE : LVT_NMI;
    apic_pmi(s->apic, s->pmi.entry);
}

void sampler_ibs(struct sampler *s, const struct ibs *ibs, unsigned entry, enum sampler_delivery delivery)
{
    s->ibs = ibs;
    s->ibs_entry = entry;
    s->valid = SAMPLE_IP | SAMPLE_PRECISE | SAMPLE_TSC;
    sampler_choose_way(s);
    s->fixed = delivery == SAMPLER_FIXED;
    find_eoi(s);
    apic_extended(s->apic, entry, s->fixed ? VECTOR_SAMPLE : LVT_NMI);
}

bool sampler_timer(struct sampler *s, enum sampling_timer timer, uint32_t period)
{
    s->fixed = true;
    s->timer = timer;
    s->count = period;
    sampler_choose_way(s);
    if (timer == TIMER_APIC) {
        find_eoi(s);
        s->timer_at = apic_timer_register(s->apic);
        apic_timer(s->apic, LVT_PERIODIC | VECTOR_SAMPLE, period);
        return true;
    }
    static bool (*const ticks[])(unsigned) = {
        [TIMER_PIT] = pit_interrupts, [TIMER_RTC] = rtc_interrupts, [TIMER_LINUX] = linux_timer};
    s->ticks = ticks[timer];
    apic_extint(s->apic, true);
    return s->ticks(period);
}

void sampler_open(struct sampler *s)
{
    s->end = s->samples->at + s->samples->cap;
    s->due = 0; /* due interrupts have come long ago, or never will: an NMI from now on is another source's */
    IN_ORDER();
    s->closed = false;
    IN_ORDER();
}

void sampler_close(struct sampler *s)
{
    s->closed = true;
    IN_ORDER();
    s->end = s->samples->at;
    IN_ORDER();
    sampler_let_in(); /* pending interrupts come now, and not in the next call */
}

uint64_t sampler_let_in(void)
{
    hw_interrupts_pass();
    return hw_rdtsc();
}

void sampler_off(struct sampler *s)
{
    if (!s->on) return;
    s->on = false;
    s->end = s->samples->at; /* also if a trap has left it open */
    s->stopped = true;
    if (s->pmu) pmu_stop(s->pmu);
    if (s->pebs) s->pmu->ops->pebs_stop(s->pmu);
    if (s->lbr) lbr_release(s->lbr);
    s->pebs = NULL;
    s->lbr = NULL;
    if (s->ibs) {
        s->due = 1;
        ibs_stop(s->ibs);
    }
    if (s->pin) apic_nmi(s->apic, false);
    if (s->ibs) apic_extended(s->apic, s->ibs_entry, LVT_MASKED | VECTOR_SPURIOUS);
    if (s->pmi.entry) apic_pmi(s->apic, s->pmi.entry = LVT_MASKED | VECTOR_SAMPLE);
    if (s->timer == TIMER_APIC) apic_timer(s->apic, LVT_MASKED | VECTOR_SAMPLE, 0);
    if (s->ticks) {
        s->ticks(0);
        apic_extint(s->apic, false);
    }
    sampler_let_in();
    trap_interrupts(NULL, NULL);
}
