/* AMD's core counters, K7 to Zen 6: four of 48 bits, six with the core extension, and from Zen 4 on one
 * register that gates them all (PerfMonV2).
 *
 * APM vol. 2 (order 24593), 13.2; MSRs: pmu-facts 5.1. The registers' common bits: pmu/perfmon.h.
 */
#pragma once
#include "pmu/perfmon.h"

#define AMD_WIDTH     48
#define AMD_LEGACY    4     /* counters */
#define AMD_EXTENDED  6     /* CPUID 80000001h ECX[23] */
#define AMD_EVENT_MAX 0xfff /* bits 35:32 and 7:0 */
#define AMD_SMIS      0x2b  /* SMIs received */

/* Since Zen more than 15 of these can happen in a clock, and a counter can count them only if it is merged
 * with the odd one after it (event FFFh there; Linux' amd_is_pair_event_code). */
#define AMD_FLOPS 0x003

#define MSR_AMD_LEGACY_CTL0 0xc0010000u /* -3; followed by PERF_CTR0-3 */
#define MSR_AMD_LEGACY_CTR0 0xc0010004u
#define MSR_AMD_CTL0        0xc0010200u /* core extension: PERF_CTLn at +2n, PERF_CTRn at +2n+1 */
#define MSR_AMD_CTR0        0xc0010201u

/* PerfMonV2 */
#define MSR_AMD_GLOBAL_STATUS     0xc0000300u
#define MSR_AMD_GLOBAL_CTL        0xc0000301u
#define MSR_AMD_GLOBAL_STATUS_CLR 0xc0000302u

/* pmu.models */
#define AMD_K7   (1u << 0)
#define AMD_K8   (1u << 1) /* to family 15h, less Bobcat */
#define AMD_ZEN  (1u << 2)
#define AMD_ZEN4 (1u << 3)
#define AMD_15H  (1u << 4) /* Bulldozer: restrictions of events to counters */
#define AMD_16H  (1u << 5) /* Jaguar: without the K8's events of the L2 */
#define AMD_14H  (1u << 6) /* Bobcat: has them, but they also count replays */

extern const struct pmu_words pmu_words_k7, pmu_words_k8_early, pmu_words_k8, pmu_words_bobcat,
    pmu_words_bulldozer, pmu_words_jaguar, pmu_words_zen, pmu_words_zen4;
