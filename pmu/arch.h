/* Intel architectural performance monitoring, versions 1 to 5 and what later ones keep of them: general
 * counters, fixed counters from version 2 on, as CPUID leaf 0AH tells.
 *
 * SDM vol. 3B (order 325384-059) 18.2; the registers' common bits: pmu/perfmon.h. Version 6: Linux' commit
 * "perf/x86/intel: Support Perfmon MSRs aliasing" and its msr-index.h.
 */
#pragma once
#include "pmu/arch_constraints.h"
#include "pmu/perfmon.h"

/* Versions (18.2.1-18.2.5): 1 has general counters only; 2 brings the fixed ones, their control and the
 * global registers; 3 AnyThread; 4 says in 390h's name that it resets the status. */
#define ARCH_VERSION_GLOBAL 2
#define ARCH_VERSION_ANY    3
#define ARCH_VERSION_BITMAP 5 /* ECX of leaf 0AH: which fixed counters */
#define ARCH_VERSION_V6     6 /* other addresses of all counters, which those from 8 on have alone */

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

#define ARCH_FIXED   4                               /* of them this driver knows what they count */
#define ARCH_GENERAL (PMU_COUNTERS - 2 - ARCH_FIXED) /* at most; leaf 0AH has told of 8, 23H of 10 */

/* pmu.models: which rows this CPU has. 6:0 are leaf 0AH's own numbers of the architectural events. */
#define ARCH_EVENTS  0x7fu
#define ARCH_REF_TSC (1u << 7) /* there is fixed counter 2 */
#define ARCH_SLOTS   (1u << 8) /* there is fixed counter 3 */

#define ONLY_ATOM 0x10 /* a stepping has four bits */

/* A generation of Intel's CPUs: all that is not in CPUID. A CPU whose generation is not in the table counts
 * all the same. */
struct arch_cpu {
    const char *name;      /* "Skylake" */
    const char *database;  /* libpfm4's name for its PMU; NULL: no version of it that we know has one */
    const char *models;    /* one byte each */
    uint32_t family  : 8;  /* of these models */
    uint32_t only    : 5;  /* ONLY_ATOM: of a hybrid part its Atom cores; else from this stepping on */
    uint32_t classes : 16; /* enum pmu_class, without CLASS_ARCH, which all are in */
    enum arch_constraints constraints;
    const struct pmu_words *words; /* pmu/arch_names.c */
};
extern const struct pmu_words pmu_words_arch, pmu_words_core2, pmu_words_bonnell, pmu_words_nehalem,
    pmu_words_westmere, pmu_words_sandy_bridge, pmu_words_ivy_bridge, pmu_words_haswell, pmu_words_skylake,
    pmu_words_ice_lake, pmu_words_golden_cove, pmu_words_panther_cove, pmu_words_silvermont,
    pmu_words_goldmont, pmu_words_goldmont_plus, pmu_words_tremont;

/* NULL: not in the table, or not Intel's. */
const struct arch_cpu *pmu_arch_cpu(const struct cpu_id *id);
