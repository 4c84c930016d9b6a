/* Intel architectural performance monitoring, versions 1 to 5 and the parts of them that later versions keep:
 * general counters, and fixed counters from version 2 on, as reported by CPUID leaf 0AH.
 *
 * SDM vol. 3B (order 325384-059) 18.2; the registers' common bits: pmu/perfmon.h. Version 6: Linux' commit
 * "perf/x86/intel: Support Perfmon MSRs aliasing" and its msr-index.h.
 */
#pragma once
#include "pmu/arch_constraints.h"
#include "pmu/perfmon.h"

/* Versions (18.2.1-18.2.5): 1 has general counters only; 2 brings the fixed ones, their control and the
 * global registers; 3 AnyThread; 4 renames 390h, which resets the status. */
#define ARCH_VERSION_GLOBAL 2
#define ARCH_VERSION_ANY    3
#define ARCH_VERSION_BITMAP 5 /* ECX of leaf 0AH: which fixed counters */
#define ARCH_VERSION_V6     6 /* alternative addresses of all counters; the only ones for counters from 8 on */

#define MSR_ARCH_PMC0            0x0c1
#define MSR_ARCH_EVTSEL0         0x186
#define MSR_ARCH_FIXED0          0x309
#define MSR_ARCH_GLOBAL_STATUS   0x38e
#define MSR_ARCH_GLOBAL_CTRL     0x38f
#define MSR_ARCH_GLOBAL_OVF_CTRL 0x390  /* acknowledges the status */
#define MSR_ARCH_V6_PMC0         0x1900 /* MSR_IA32_PMC_V6_GP0_CTR; its select, _CFG_A, is the next one */
#define MSR_ARCH_V6_FIXED0       0x1980 /* MSR_IA32_PMC_V6_FX0_CTR */
#define MSR_ARCH_V6_STEP         4      /* from one counter to the next */
#define MSR_ARCH_CAPABILITIES    0x345  /* IA32_PERF_CAPABILITIES, with CPUID.1:ECX[15] */
#define MSR_ARCH_MISC_ENABLE     0x1a0

#define CAPABILITY_FREEZE_SMM (1u << 12)
#define CAPABILITY_FULL_WRITE (1u << 13)
#define MISC_PEBS_UNAVAILABLE (1u << 12)

#define ARCH_FIXED   4                               /* number of them whose events this driver knows */
#define ARCH_GENERAL (PMU_COUNTERS - 2 - ARCH_FIXED) /* at most; leaf 0AH has reported 8, leaf 23H 10 */

/* pmu.models: the rows that this CPU has. 6:0 are leaf 0AH's numbers of the architectural events. */
#define ARCH_EVENTS  0x7fu
#define ARCH_REF_TSC (1u << 7) /* there is fixed counter 2 */
#define ARCH_SLOTS   (1u << 8) /* there is fixed counter 3 */

#define ONLY_ATOM 0x10 /* a stepping has four bits */

/* A generation of Intel's CPUs: the facts that CPUID does not give. A CPU whose generation is not in the
 * table counts nevertheless. */
struct arch_cpu {
    const char *name;      /* "Skylake" */
    const char *database;  /* libpfm4's name for its PMU; NULL: no version of it that we know has one */
    const char *models;    /* one byte each */
    uint32_t family  : 8;  /* for these models */
    uint32_t only    : 5;  /* ONLY_ATOM: the Atom cores of a hybrid part; else from this stepping on */
    uint32_t classes : 16; /* enum pmu_class, without CLASS_ARCH, which includes all */
    enum arch_constraints constraints;
    const struct pmu_words *words; /* pmu/arch_names.c */
};
extern const struct pmu_words pmu_words_arch, pmu_words_core2, pmu_words_bonnell, pmu_words_nehalem,
    pmu_words_westmere, pmu_words_sandy_bridge, pmu_words_ivy_bridge, pmu_words_haswell, pmu_words_skylake,
    pmu_words_ice_lake, pmu_words_golden_cove, pmu_words_panther_cove, pmu_words_silvermont,
    pmu_words_goldmont, pmu_words_goldmont_plus, pmu_words_tremont;

/* NULL: not in the table, or not Intel's. */
const struct arch_cpu *pmu_arch_cpu(const struct cpu_id *id);
