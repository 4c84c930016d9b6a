/* Architectural PEBS (CPUID.23H, sub-leaves 4 and 5): its registers, and the groups of its records.
 *
 * From Linux 6.19: arch/x86/include/asm/msr-index.h (ARCH_PEBS_*), perf_event.h (struct arch_pebs_*),
 * events/intel/core.c (intel_pmu_enable_event_ext()) and ds.c (init_arch_pebs_on_cpu(),
 * setup_arch_pebs_sample_data(), intel_pmu_drain_arch_pebs()). [unconfirmed]: Linux' code works so, and
 * nothing states it.
 */
#pragma once
#include "pmu/pebs.h"

/* Physical address of the buffer, aligned to 4096; in its low bits, N for 4096 << N bytes. */
#define MSR_PEBS_BASE            0x3f4
/* Offset of the next record from the base; whether a record found no room [unconfirmed: Linux clears this bit
 * and never looks at it]; the offset that interrupts. */
#define MSR_PEBS_INDEX           0x3f5
#define PEBS_INDEX_OFFSET        0x07fffff0u
#define PEBS_INDEX_FULL          (1u << 31)
#define PEBS_INDEX_EN            (1ull << 32)
#define PEBS_INDEX_THRESHOLD(at) ((uint64_t)((at) >> 4) << 36)

/* IA32_PMC_GPn_CFG_C, IA32_PMC_FXn_CFG_C: the low half is the reload value, the high half has these bits. So
 * has the high half of a record's header. CPUID.23H.4:EBX says which ones may be set. */
#define MSR_GENERAL_CFG_C(n) (0x1903u + 4 * (n))
#define MSR_FIXED_CFG_C(n)   (0x1983u + 4 * (n))
#define PEBS_ARCH_EN         (1u << 31)
#define PEBS_ARCH_BASIC      (1u << 31) /* of the header: the group that a record begins with */
#define PEBS_ARCH_MEMORY     (1u << 30)
#define PEBS_ARCH_REGS       (1u << 29)
#define PEBS_ARCH_XMM        (1u << 17)
#define PEBS_ARCH_VECTORS    (1u << 18 | 1u << 21 | 1u << 22 | 1u << 23) /* YMM to ZMM: never asked for */
#define PEBS_ARCH_LBR        (3u << 8) /* entries: 8, 16, or as many as the group says */
#define PEBS_ARCH_CNTR       (0x1fu << 3)
#define PEBS_ARCH_CNTR_FIXED (1u << 5) /* values of fixed counters */
#define PEBS_ARCH_CNTR_ALLOW (1u << 3) /* this counter's value may be in another one's records */

extern const struct pebs_layout pebs_arch;

/* Bytes of a record with these groups, without the counters' values. Fragments of it make it longer. */
uint16_t pebs_arch_bytes(uint32_t groups);
