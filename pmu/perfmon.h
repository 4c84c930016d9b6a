/* Counters with an enable bit each and, in later versions, one register that enables them all: the common
 * part of Intel's architectural performance monitoring (pmu/arch.h) and AMD's counters (pmu/amd.h). A
 * family's detect() stores the addresses of its registers in struct perfmon_state (pmu/families.h); all
 * register access is here.
 *
 * Intel: SDM vol. 3B 18.2; AMD: APM vol. 2, 13.2. Bits 16 to 23 of a select have the same meaning on both,
 * and on the P6 (pmu/p6.h).
 */
#pragma once
#include "pmu/pmu.h"

/* A general counter's select: SDM figure 18-1 and 18-6, APM vol. 2, 13.2.1. */
#define PERFMON_EVENT    0x000000ffu /* AMD: bits 35:32 precede them */
#define PERFMON_UMASK(m) ((uint32_t)(m) << 8)
#define PERFMON_USR      (1u << 16) /* count at CPL 1-3 */
#define PERFMON_OS       (1u << 17) /* count at CPL 0 */
#define PERFMON_EDGE     (1u << 18) /* count the beginnings of a condition */
#define PERFMON_INT      (1u << 20) /* interrupt at overflow, through the local APIC */
#define PERFMON_ANY      (1u << 21) /* Intel, version 3: of both threads of the core */
#define PERFMON_EN       (1u << 22) /* of this counter */
#define PERFMON_INV      (1u << 23) /* count < CMASK instead of >= CMASK */
#define PERFMON_CMASK(n) ((uint32_t)(n) << 24)

/* Intel's fixed counters: RDPMC needs bit 30 set; each has four control bits in 38Dh (SDM 18.2.2 and figure
 * 18-7). */
#define PERFMON_FIXED      0x40000000u
#define MSR_FIXED_CTR_CTRL 0x38d
#define FIXED_FIELD(n, f)  ((uint64_t)(f) << 4 * (n))
#define FIXED_OS           1u
#define FIXED_USR          2u
#define FIXED_ANY          4u
#define FIXED_PMI          8u

/* IA32_DEBUGCTL (SDM 17.4.1). */
#define MSR_DEBUGCTL        0x1d9
#define DEBUGCTL_ON_PMI     (3u << 11) /* freeze LBRs (11) and counters (12) when a counter interrupts */
#define DEBUGCTL_FREEZE_PMC (1u << 12) /* AMD's FPCI has the same place: APM vol. 2, 13.1.1.6 */
#define DEBUGCTL_FREEZE_SMM (1u << 14) /* counters stop in SMM */

/* IA32_PERF_GLOBAL_STATUS: the DS area's buffer has reached its threshold (18.2.2). */
#define STATUS_DS_BUFFER (1ull << 62)
#define STATUS_PEBS      (1ull << 54) /* likewise the buffer of architectural PEBS (Linux' perf_event.h) */

#define PERFMON_PRESET_WIDTH 32 /* without full-width writes: bit 31 is copied upwards (SDM 18.2.6) */
#define PERFMON_PERIOD_MAX   0x7fffffffu /* the most negative value that WRMSR's 32 bits allow */

/* The TSX microcode of 2019 to 2021 uses counter 3 unless bit 0 of 10Fh makes all transactions abort (Linux'
 * intel_tfa_commit_scheduling(); Intel's document 604224). Either the bit can be set
 * (perfmon_state.force_abort), or the counter cannot be protected from the microcode (clobbered). */
#define MSR_TSX_FORCE_ABORT 0x10f
#define FORCE_ABORT_RTM     (1u << 0)
#define FORCE_ABORT_COUNTER 3

/* At the end of a detect(): save the contents of the registers. Counters that the firmware left running are
 * reported in pmu->preset, and release() does not start them again. */
void pmu_perfmon_found(struct pmu *pmu);

/* For struct pmu_ops. */
struct msr_write pmu_perfmon_preset(const struct pmu *pmu, unsigned counter, int64_t value);
bool pmu_perfmon_program(struct pmu *pmu, const struct pmu_code *const code[PMU_COUNTERS], char *why,
                         size_t cap);
void pmu_perfmon_switching(const struct pmu *pmu, bool on, struct msr_list *out);
uint64_t pmu_perfmon_read(const struct pmu *pmu, unsigned counter);
void pmu_perfmon_release(struct pmu *pmu);
bool pmu_perfmon_arm(struct pmu *pmu, unsigned counter, uint64_t period, char *why, size_t cap);
uint32_t pmu_perfmon_overflowed(struct pmu *pmu, const struct apic_pmi_entry *pmi);
bool pmu_perfmon_sole(const struct pmu *pmu, struct pmu_sole *out);
void pmu_perfmon_pebs_again(struct pmu *pmu, bool full);
bool pmu_perfmon_freeze(struct pmu *pmu, unsigned counter, char *why, size_t cap);
void pmu_perfmon_thaw(struct pmu *pmu);
void pmu_perfmon_freeze_end(struct pmu *pmu);
unsigned pmu_perfmon_settings(const struct pmu *pmu, const struct pmu_code *code, unsigned counter,
                              struct pmu_setting out[PMU_SETTINGS]);

/* For PEBS, after arm(): the counter's own overflow does not interrupt (18.8.1.1: INT must be 0), and these
 * bits of its control are set, too. */
bool pmu_perfmon_quiet(struct pmu *pmu, unsigned counter, uint64_t also, char *why, size_t cap);

/* Another counter runs too, which read() is not asked for. select: for its register, to which EN is added; of
 * a fixed counter only the rings are used. */
bool pmu_perfmon_beside(struct pmu *pmu, unsigned counter, uint64_t select, char *why, size_t cap);

/* The common part of both encode() functions: fields into out->select. max_event: largest event code. False:
 * *why is set. */
bool pmu_perfmon_encode(const struct pmu *pmu, const struct pmu_fields *f, uint32_t max_event,
                        struct pmu_code *out, char *why, size_t cap);
