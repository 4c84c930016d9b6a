/* A PMU at register level, for tests of drivers: registers that exist keep what is written, every write is
 * logged, and counters advance with each hw_rdtsc() while the test's own rule says that they count. It knows
 * no events; that is the PMU model's business (sim/).
 */
#pragma once
#include "kernel/apic.h"
#include "kernel/hw.h"
#include <stddef.h>

#define FAKE_COUNTERS 18 /* at most */

struct fake_pmu_rules {
    uint32_t counter_msr[FAKE_COUNTERS]; /* 0: no such counter */
    bool (*counting)(unsigned counter);  /* may look at fake_pmu_value() */
    uint64_t (*store)(uint32_t msr,
                      uint64_t value);   /* what a register holds after a write; NULL: the value */
    bool fast_rdpmc;                     /* ECX[31]: the low 32 bits */
    uint32_t rdpmc_index[FAKE_COUNTERS]; /* ECX, where it is not the counter's number */
};

/* No registers, no RDPMC. rules must outlive its use. */
void fake_pmu_reset(const struct fake_pmu_rules *rules);

void fake_pmu_msr(uint32_t msr, uint64_t value); /* there is one, and it holds this */
uint64_t fake_pmu_value(uint32_t msr);
void fake_pmu_alias(uint32_t alias, uint32_t msr); /* another address of a register that there is */

enum fake_pmu_fault {
    FAKE_SOUND,
    FAKE_NO_WRITE, /* WRMSR raises #GP */
    FAKE_NO_READ,  /* RDMSR raises #GP */
    FAKE_SWALLOWS, /* as QEMU's: writes are lost, it reads 0 */
    FAKE_STUCK,    /* a counter that never moves by itself */
};
void fake_pmu_fault(uint32_t msr, enum fake_pmu_fault fault);

enum fake_rdpmc { FAKE_RDPMC_UD, FAKE_RDPMC_READS, FAKE_RDPMC_ZERO };
void fake_pmu_rdpmc(enum fake_rdpmc how);

/* Writes since the log was cleared, those that faulted left out. */
struct fake_write {
    uint32_t msr;
    uint64_t value;
};
void fake_pmu_clear_log(void);
size_t fake_pmu_log(const struct fake_write **log); /* how many; *log is the first */
void fake_pmu_assert_log(const struct fake_write *want, size_t n);

/* For pmu_ops.overflowed(): with x2APIC, so that the log shows when the driver sets the entry again. */
extern const struct apic_pmi_entry fake_pmi;
#define FAKE_PMI_AGAIN      \
    {                       \
        X2APIC_LVT_PC, 0xfe \
    }
void fake_pmu_assert_pmi_only(void); /* the log holds nothing else; clears it */
