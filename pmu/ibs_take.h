/* The interrupt handler's part of IBS (pmu/ibs.h), inlined: it has few instructions, and each RDMSR takes
 * longer than all that surrounds it. */
#pragma once
#include "pmu/ibs.h"

typedef uint32_t __attribute__((may_alias)) ibs_half; /* [0] the low half, [1] the high one */
#define IBS_HALF(field, n) (((const ibs_half *)&(field))[n])
#define IBS_INLINE         static inline __attribute__((always_inline))

/* Is there a sample in the control register, low and high? */
IBS_INLINE bool ibs_has(const struct ibs *ibs, uint32_t low, uint32_t high)
{
    return low & IBS_HALF(ibs->val, 0) || high & IBS_HALF(ibs->val, 1);
}

/* Write a control register that enables, and what goes with it. */
IBS_INLINE void ibs_enable(const struct ibs *ibs, uint32_t low, uint32_t high)
{
    if (ibs->before)
        hw_wrmsr_halves(ibs->before, (low & IBS_HALF(ibs->before_mask, 0)) | IBS_HALF(ibs->before_set, 0),
                        (high & IBS_HALF(ibs->before_mask, 1)) | IBS_HALF(ibs->before_set, 1));
    hw_wrmsr_halves(ibs->control, low, high);
    if (ibs->second) hw_wrmsr_halves(ibs->second, IBS_HALF(ibs->filter, 0), IBS_HALF(ibs->filter, 1));
}

/* Go on after a sample. high: of the control register, as it was read. */
IBS_INLINE void ibs_go_on(const struct ibs *ibs, uint32_t high)
{
    const uint32_t next = IBS_HALF(ibs->again, 1) | (high & ibs->keep);
    if (__builtin_expect(ibs->special, 0))
        ibs_enable(ibs, IBS_HALF(ibs->again, 0), next);
    else
        hw_wrmsr_halves(ibs->control, IBS_HALF(ibs->again, 0), next);
}

/* Returns the low half. */
IBS_INLINE uint32_t ibs_keep(uint32_t msr, uint64_t *to)
{
    uint32_t high;
    const uint32_t low = hw_rdmsr_halves(msr, &high);
    ((ibs_half *)to)[0] = low;
    ((ibs_half *)to)[1] = high;
    return low;
}

/* A sample's registers as they are: ip, data, physical, target, and from reg[0] on the control (of fetches),
 * DATA1, DATA2 and DATA3. DATA2 and the addresses are those of loads and stores. ibs_decode() makes a sample
 * of it. */
IBS_INLINE void ibs_read(const struct ibs *ibs, uint32_t low, uint32_t high, struct sample *out)
{
    if (ibs->asked.fetch) {
        out->reg[0] = (uint64_t)high << 32 | low;
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
    if (IBS_HALF(out->reg[1], 1) & ibs->branch) ibs_keep(MSR_IBS_TARGET, &out->target);
}
