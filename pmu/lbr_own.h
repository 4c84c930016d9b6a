/* Registers and bits of last branch records, for the files of pmu/lbr*.c; PEBS records have entries of the
 * same format. */
#pragma once
#include "pmu/perfmon.h" /* MSR_DEBUGCTL */

#define DEBUGCTL_LBR (1u << 0) /* record: SDM vol. 3B 17.4.1 */
#define DEBUGCTL_FREEZE_LBRS \
    (1u << 11) /* until a PMI: 17.4.7; AMD's as well (Linux' amd_pmu_lbr_enable_all()) */

/* Intel's stacks: Linux' msr-index.h; Core Duo's: SDM vol. 3B 17.12. */
#define MSR_LBR_SELECT       0x1c8
#define MSR_LBR_TOS          0x1c9
#define MSR_LBR_CORE_FROM    0x040 /* Core Duo: both addresses */
#define MSR_LBR_CORE_TO      0x060
#define MSR_LBR_NEHALEM_FROM 0x680
#define MSR_LBR_NEHALEM_TO   0x6c0
#define MSR_LBR_INFO         0xdc0

/* Formats of IA32_PERF_CAPABILITIES[5:0]: SDM 17.4.8.1; 6 and 7: Linux' lbr.c. */
enum { LBR_32, LBR_LIP, LBR_EIP, LBR_EIP_FLAGS, LBR_EIP_TSX, LBR_INFO, LBR_TIME, LBR_INFO2, LBR_FORMATS };

/* IA32_LBR_x_INFO (SDM 17.4.8.1; Linux' msr-index.h, LBR_INFO_*): 15:0 cycles. */
#define LBR_INFO_MISPREDICTED (1ull << 63)
#define LBR_INFO_TIMED        (1ull << 60) /* architectural: the cycles are valid */

/* TSX' two flags, in LBR_INFO or in a source of format 4 (SDM 17.4.8.1): 61 abort, 62 in a transaction. */
#define LBR_TSX(v) ((uint8_t)((v) >> 61 << 6) & (BRANCH_ABORT | BRANCH_IN_TX))

/* Architectural: Linux' msr-index.h and CPUID leaf 1CH. */
#define MSR_ARCH_LBR_CTL   0x14ce
#define MSR_ARCH_LBR_DEPTH 0x14cf
#define MSR_ARCH_LBR_INFO  0x1200
#define MSR_ARCH_LBR_FROM  0x1500
#define MSR_ARCH_LBR_TO    0x1600
#define ARCH_LBR_EN        (1u << 0)

/* AMD's LbrExtV2: Linux' msr-index.h. */
#define MSR_AMD_LBR_SELECT   0xc000010e
#define MSR_AMD_DBG_EXTN_CFG 0xc000010f
#define MSR_AMD_LBR_FROM     0xc0010300
#define AMD_LBR_V2_EN        (1u << 6)
#define AMD_ADDRESS          16 /* bits above an address: 48 are used without five levels of paging */
