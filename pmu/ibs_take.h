/* The interrupt handler's part of IBS (pmu/ibs.h), inlined: it has few instructions, and each RDMSR takes
 * longer than all that surrounds it. */
#pragma once
#include "pmu/ibs.h"

#define IBS_INLINE static inline __attribute__((always_inline))

/* `fetch` and `special` are also in the struct. They are arguments since the handler, which has a function
 * for each combination, passes constants. */

/* Is there a sample in the control register, low and high? */
IBS_INLINE bool ibs_has(bool fetch, uint32_t low, uint32_t high)
{
    return fetch ? high & (uint32_t)(IBS_FETCH_VAL >> 32) : low & (uint32_t)IBS_OP_VAL;
}

/* Write a control register that enables, with the writes around it that make it special. Of ops there is
 * always one before it, whose value does not depend on the control. */
IBS_INLINE void ibs_enable(const struct ibs *ibs, bool fetch, uint32_t low, uint32_t high)
{
    if (!fetch)
        hw_wrmsr_stored(ibs->before, &ibs->before_set);
    else if (ibs->before)
        hw_wrmsr_halves(ibs->before, (low & HW_HALF(ibs->before_mask, 0)) | HW_HALF(ibs->before_set, 0),
                        (high & HW_HALF(ibs->before_mask, 1)) | HW_HALF(ibs->before_set, 1));
    hw_wrmsr_halves(ibs->control, low, high);
    if (ibs->second) hw_wrmsr_stored(ibs->second, &ibs->filter);
}

IBS_INLINE void ibs_control(const struct ibs *ibs, bool fetch, bool special, uint32_t low, uint32_t high)
{
    if (special)
        ibs_enable(ibs, fetch, low, high);
    else
        hw_wrmsr_halves(ibs->control, low, high);
}

/* Go on after a sample. high: of the control register, as it was read. */
IBS_INLINE void ibs_go_on(const struct ibs *ibs, bool fetch, bool special, uint32_t high)
{
    ibs_control(ibs, fetch, special, HW_HALF(ibs->again, 0), HW_HALF(ibs->again, 1) | (high & ibs->keep));
}

/* Returns the low half. */
IBS_INLINE uint32_t ibs_keep(uint32_t msr, uint64_t *to)
{
    uint32_t high;
    const uint32_t low = hw_rdmsr_halves(msr, &high);
    ((hw_half *)to)[0] = low;
    ((hw_half *)to)[1] = high;
    return low;
}

/* A sample's registers as they are: ip, data, physical, target, and from reg[0] on the control (of fetches),
 * DATA1, DATA2 and DATA3. DATA2 and the addresses are those of loads and stores. ibs_decode() makes a sample
 * of it. */
IBS_INLINE void ibs_read(const struct ibs *ibs, bool fetch, uint32_t low, uint32_t high, struct sample *out)
{
    if (fetch) {
        ((hw_half *)out->reg)[0] = low;
        ((hw_half *)out->reg)[1] = high;
        ibs_keep(MSR_IBS_FETCH_LINEAR, &out->ip);
        if (high & (uint32_t)(IBS_FETCH_PHYS >> 32)) ibs_keep(MSR_IBS_FETCH_PHYS, &out->physical);
        return;
    }
    ibs_keep(MSR_IBS_OP_RIP, &out->ip);
    ibs_keep(MSR_IBS_OP_DATA1, &out->reg[1]);
    if (ibs_keep(MSR_IBS_OP_DATA3, &out->reg[3]) & (IBS_LOAD | IBS_STORE)) {
        ibs_keep(MSR_IBS_OP_DATA2, &out->reg[2]);
        ibs_keep(MSR_IBS_DC_LINEAR, &out->data);
        ibs_keep(MSR_IBS_DC_PHYS, &out->physical);
    }
    if (HW_HALF(out->reg[1], 1) & ibs->branch) ibs_keep(MSR_IBS_TARGET, &out->target);
}
