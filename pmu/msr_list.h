/* MSR writes that are prepared in advance, for use between two repetitions: code that runs there has a fixed
 * address (kernel/repeated.h), and a driver has none. They come from pmu_ops.switching() and
 * pmu_ops.preset(). */
#pragma once
#include "pmu/families.h"

struct msr_write {
    uint32_t msr, low, high; /* the value's halves, as WRMSR takes them */
};

struct msr_list {
    unsigned n;
    struct msr_write at[3 * PMU_COUNTERS]; /* each counter stopped, preset and started by one write */
};

static inline struct msr_write msr_write(uint32_t msr, uint64_t value)
{
    return (struct msr_write){msr, (uint32_t)value, (uint32_t)(value >> 32)};
}

static inline void msr_list_add(struct msr_list *list, struct msr_write write)
{
    list->at[list->n++] = write;
}

/* Carry out all writes, in this order. None may fault: each MSR has taken its value before. */
void msr_list_write(const struct msr_list *list);
