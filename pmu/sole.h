/* The short way through an overflow's interrupt: one counter interrupts, and all that its handler writes was
 * worked out when the counter was armed (pmu_ops.sole). There is one function for each protocol, inlined into
 * the handler. Its steps have the order of the family's overflowed().
 *
 * Each returns whether the counter has overflowed. If so, nothing remains to be done. If not, overflowed()
 * finds out what has interrupted.
 */
#pragma once
#include "kernel/apic.h"
#include "kernel/hw.h"
#include <stdbool.h>
#include <stdint.h>

enum pmu_sole_way {
    SOLE_NONE,    /* overflowed() alone */
    SOLE_SIGN,    /* the counter's sign shows it; reloaded as it runs */
    SOLE_STOPPED, /* the same; reloaded while it is stopped */
    SOLE_OVF,     /* bit 31 of its control does; likewise */
    SOLE_STATUS,  /* a register for all counters does; all are stopped meanwhile */
    SOLE_WAYS
};

struct pmu_sole {
    enum pmu_sole_way way;
    unsigned counter;
    uint32_t msr;         /* the counter's, */
    uint32_t preset;      /* ... the low half of what it begins at, skid - period, */
    uint32_t preset_high; /* ... and the high half: ones, as far as WRMSR takes them */
    uint32_t skid;        /* events from the overflow to the interrupt: 1, or 0 */
    uint32_t control;     /* the MSR that stops it, or all, */
    uint32_t stop;        /* ... by this low half (of SOLE_STATUS 0), */
    uint64_t run;         /* ... and lets it run */
    uint32_t status;      /* SOLE_STATUS: the MSR, */
    uint32_t acknowledge; /* ... the one that clears what it is written, */
    uint64_t overflow;    /* ... and the counter's bit */
};

#define SOLE_INLINE static inline __attribute__((always_inline))

/* A period is less than 2^31: a counter that was preset below zero has overflowed when bit 31 is clear. */
SOLE_INLINE bool sole_is_negative(uint32_t msr) { return (int32_t)hw_rdmsr(msr) < 0; }

SOLE_INLINE void sole_reload(const struct pmu_sole *s) { hw_wrmsr_halves(s->msr, s->preset, s->preset_high); }

SOLE_INLINE bool sole_by_sign(const struct pmu_sole *s, const struct apic_pmi_entry *pmi)
{
    apic_pmi_again(pmi);
    if (sole_is_negative(s->msr)) return false;
    sole_reload(s);
    return true;
}

SOLE_INLINE bool sole_by_sign_stopped(const struct pmu_sole *s, const struct apic_pmi_entry *pmi)
{
    apic_pmi_again(pmi);
    if (sole_is_negative(s->msr)) return false;
    hw_wrmsr_halves(s->control, s->stop, HW_HALF(s->run, 1));
    sole_reload(s);
    hw_wrmsr_stored(s->control, &s->run);
    return true;
}

SOLE_INLINE bool sole_by_ovf(const struct pmu_sole *s, const struct apic_pmi_entry *pmi)
{
    if (!sole_is_negative(s->control)) return false; /* bit 31 is OVF */
    hw_wrmsr_halves(s->control, s->stop, 0);
    sole_reload(s);
    hw_wrmsr_halves(s->control, HW_HALF(s->run, 0), 0);
    apic_pmi_again(pmi);
    return true;
}

SOLE_INLINE bool sole_by_status(const struct pmu_sole *s, const struct apic_pmi_entry *pmi)
{
    uint32_t high;
    hw_wrmsr_halves(s->control, 0, 0);
    const uint32_t low = hw_rdmsr_halves(s->status, &high);
    if (!(low & HW_HALF(s->overflow, 0)) && !(high & HW_HALF(s->overflow, 1))) return false;
    hw_wrmsr_halves(s->acknowledge, low, high);
    sole_reload(s);
    apic_pmi_again(pmi);
    hw_wrmsr_stored(s->control, &s->run);
    return true;
}
