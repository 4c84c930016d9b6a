/* Registers of counters with an enable bit each: see pmu/perfmon.h. */
#include "pmu/perfmon.h"
#include "kernel/apic.h"
#include "kernel/hw.h"
#include "pmu/driver.h"
#include "pmu/errata.h"
#include "pmu/pebs.h"
#include "pmu/sole.h"
#include <string.h>

static inline bool is_fixed(const struct pmu *pmu, unsigned i) { return i >= pmu->perfmon.general; }
static inline unsigned fixed_number(const struct pmu *pmu, unsigned i) { return pmu->rdpmc_index[i] & 15; }
static inline bool has_fixed(const struct pmu *pmu) { return pmu->counters > pmu->perfmon.general; }

static inline uint32_t select_msr(const struct pmu *pmu, unsigned i)
{
    return pmu->counter_msr[i] + (uint32_t)pmu->perfmon.select_offset;
}

static inline unsigned width_of(const struct pmu *pmu, unsigned i)
{
    return is_fixed(pmu, i) ? pmu->perfmon.fixed_width : pmu->perfmon.general_width;
}

/* A counter's bit in the global registers: fixed counters are in the upper half. */
static uint64_t global_bit(const struct pmu *pmu, unsigned i)
{
    if (is_fixed(pmu, i)) return (uint64_t)(1u << fixed_number(pmu, i)) << 32;
    return 1u << i;
}

/* The upper half of a counter's bits. */
static inline uint32_t upper_mask(const struct pmu *pmu, unsigned i)
{
    return (1u << (width_of(pmu, i) - 32)) - 1;
}

/* The MSR to write a counter through, and the bits of a value that it accepts. Fixed counters accept all
 * their bits (18.2.2). */
static inline uint32_t write_msr(const struct pmu *pmu, unsigned i)
{
    bool alias = pmu->perfmon.write_alias && !is_fixed(pmu, i);
    return pmu->counter_msr[i] + (alias ? 0x400 : 0);
}

static inline uint64_t writable(const struct pmu *pmu, unsigned i, uint64_t value)
{
    const struct perfmon_state *p = &pmu->perfmon;
    if (!is_fixed(pmu, i) && !p->write_alias && !p->write_full) return (uint32_t)value;
    return (uint64_t)((uint32_t)(value >> 32) & upper_mask(pmu, i)) << 32 | (uint32_t)value;
}

/* ---- the registers as found ---- */

void pmu_perfmon_found(struct pmu *pmu)
{
    struct perfmon_state *p = &pmu->perfmon;
    uint64_t on = ~0ull;
    if (p->global_ctrl) {
        rdmsr_safe(p->global_ctrl, &p->found.global_ctrl);
        on = p->found.global_ctrl;
    }
    for (unsigned i = 0; i < pmu->counters; i++) rdmsr_safe(pmu->counter_msr[i], &p->found.counter[i]);
    for (unsigned i = 0; i < p->general; i++) {
        uint64_t *select = &p->found.select[i];
        if (!rdmsr_safe(select_msr(pmu, i), select) || !(*select & PERFMON_EN) || !(on & global_bit(pmu, i)))
            continue;
        pmu->preset |= 1u << i;
        *select = 0;
    }
    if (has_fixed(pmu)) rdmsr_safe(MSR_FIXED_CTR_CTRL, &p->found.fixed_ctrl);
    for (unsigned i = p->general; i < pmu->counters; i++) {
        unsigned n = fixed_number(pmu, i);
        if (!(p->found.fixed_ctrl & FIXED_FIELD(n, FIXED_OS | FIXED_USR)) || !(on & global_bit(pmu, i)))
            continue;
        pmu->preset |= 1u << i;
        p->found.fixed_ctrl &= ~FIXED_FIELD(n, 15);
    }
    pmu->handler_stops = p->global_ctrl != 0;
    if (!rdmsr_safe(MSR_DEBUGCTL, &p->found.debugctl)) p->has_debugctl = false;
    if (!p->has_debugctl) pmu->freeze_smm = pmu->freezes = false;
    if (p->force_abort) rdmsr_safe(MSR_TSX_FORCE_ABORT, &p->found.tsx_force_abort);
}

/* ---- programming ---- */

/* Needed around every access to counter 3 of these CPUs, and while it counts: see MSR_TSX_FORCE_ABORT.
 * Otherwise the register stays as it was found, so that transactions run. */
static void force_abort(const struct pmu *pmu, bool on)
{
    if (pmu->perfmon.force_abort)
        wrmsr_safe(MSR_TSX_FORCE_ABORT, pmu->perfmon.found.tsx_force_abort | (on ? FORCE_ABORT_RTM : 0));
}

/* Stop everything and clear the previous program. A register that faults matters only to code that uses its
 * counter. */
static bool clear(struct pmu *pmu, const struct pmu_code *const *code, char *why, size_t cap)
{
    const struct perfmon_state *p = &pmu->perfmon;
    bool fixed = false;
    if (p->global_ctrl && !pmu_write(p->global_ctrl, 0, why, cap)) return false;
    for (unsigned i = 0; i < p->general; i++)
        if (!pmu_write(select_msr(pmu, i), 0, why, cap) && code[i]) return false;
    for (unsigned i = p->general; i < pmu->counters; i++) fixed |= code[i] != NULL;
    if (has_fixed(pmu) && !pmu_write(MSR_FIXED_CTR_CTRL, 0, why, cap) && fixed) return false;
    for (unsigned i = 0; i < pmu->counters; i++)
        if (!pmu_write(pmu->counter_msr[i], 0, why, cap) && code[i]) return false;
    return true;
}

/* Nehalem and Westmere: a selected event counts reliably only after these four codes, which are no events,
 * have been enabled together (errata AAK100, AAP53, BD53; Linux' intel_pmu_nhm_workaround(): some of them
 * count).
 */
static void settle(const struct pmu *pmu)
{
    wrmsr_safe(pmu->perfmon.global_ctrl, 0);
    for (unsigned i = 0; i < 4 && i < pmu->perfmon.general; i++) {
        wrmsr_safe(select_msr(pmu, i), PERFMON_EN | PERFMON_OS | PERFMON_USR | (0xb1b1d2b5 >> 8 * i & 0xff));
        wrmsr_safe(pmu->counter_msr[i], 0);
    }
    wrmsr_safe(pmu->perfmon.global_ctrl, 15);
    wrmsr_safe(pmu->perfmon.global_ctrl, 0);
}

/* Leftover status would interrupt as soon as a counter is armed. Its bits are written back as they were read,
 * since those of absent counters raise #GP (18.2.4). */
static void clear_status(const struct pmu *pmu)
{
    const struct perfmon_state *p = &pmu->perfmon;
    uint64_t status = 0;
    if (p->global_status && rdmsr_safe(p->global_status, &status) && status)
        wrmsr_safe(p->global_ack, status);
}

/* What IA32_DEBUGCTL holds while counters are programmed. For sampling they are not set to freeze at an
 * interrupt: the method and its errata differ between versions, and the handler stops them with one write.
 * They freeze in SMM if possible. */
static uint64_t debugctl(const struct pmu *pmu)
{
    return (pmu->perfmon.found.debugctl & ~(uint64_t)DEBUGCTL_ON_PMI) |
           (pmu->freeze_smm ? DEBUGCTL_FREEZE_SMM : 0);
}

static void freezing(struct pmu *pmu)
{
    char why[96];
    struct perfmon_state *p = &pmu->perfmon;
    const uint64_t want = debugctl(pmu);
    if (!p->has_debugctl || (want == p->found.debugctl && !p->freezing)) return;
    p->freezing = false;
    if (!pmu_write_kept(MSR_DEBUGCTL, want, want, why, sizeof why)) pmu->freeze_smm = false;
}

static uint64_t all_fixed(const struct pmu *pmu)
{
    uint64_t all = 0;
    for (unsigned i = pmu->perfmon.general; i < pmu->counters; i++) all |= pmu->perfmon.select[i];
    return all;
}

/* USR is above OS here and below it there. */
static uint64_t fixed_control(const struct pmu *pmu, unsigned i, uint64_t select)
{
    return FIXED_FIELD(fixed_number(pmu, i), (select & PERFMON_OS ? FIXED_OS : 0) |
                                                 (select & PERFMON_USR ? FIXED_USR : 0) |
                                                 (select & PERFMON_ANY ? FIXED_ANY : 0));
}

/* Nothing is programmed and no counter interrupts. */
static void forget(struct pmu *pmu)
{
    memset(pmu->perfmon.select, 0, sizeof pmu->perfmon.select);
    pmu->perfmon.global = 0;
    pmu->perfmon.pebs.armed = false;
    pmu->sampling = 0;
}

bool pmu_perfmon_program(struct pmu *pmu, const struct pmu_code *const code[PMU_COUNTERS], char *why,
                         size_t cap)
{
    struct perfmon_state *p = &pmu->perfmon;
    bool any_fixed = false;
    forget(pmu);
    memset(pmu->period, 0, sizeof pmu->period);
    for (unsigned i = 0; i < pmu->counters; i++)
        if (code[i] && !(code[i]->counters & 1u << i))
            return pmu_refuse(why, cap, "%s cannot be counted on counter %u", code[i]->name, i);
    for (unsigned i = 0; i < pmu->counters; i++)
        if (code[i] && p->pebs.planned != i + 1 && pmu_event_by_pebs(code[i], why, cap)) return false;
    if (p->settle) settle(pmu);
    force_abort(pmu, true);
    if (!clear(pmu, code, why, cap)) return false;
    if (!code[FORCE_ABORT_COUNTER]) force_abort(pmu, false);
    clear_status(pmu);
    freezing(pmu);
    for (unsigned i = 0; i < pmu->counters; i++) {
        if (!code[i]) continue;
        p->global |= global_bit(pmu, i);
        if (is_fixed(pmu, i)) {
            p->select[i] = fixed_control(pmu, i, code[i]->select);
            any_fixed = true;
            continue;
        }
        p->select[i] = code[i]->select | PERFMON_EN;
        uint64_t select = p->global_ctrl ? p->select[i] : code[i]->select;
        if (!pmu_write_kept(select_msr(pmu, i), select, ~0ull, why, cap)) return false;
    }
    return !any_fixed || pmu_write_kept(MSR_FIXED_CTR_CTRL, all_fixed(pmu), ~0ull, why, cap);
}

unsigned pmu_perfmon_settings(const struct pmu *pmu, const struct pmu_code *code, unsigned counter,
                              struct pmu_setting out[PMU_SETTINGS])
{
    unsigned n = 0;
    if (!(code->counters >> counter & 1)) return 0;
    if (is_fixed(pmu, counter))
        out[n++] = (struct pmu_setting){MSR_FIXED_CTR_CTRL, fixed_control(pmu, counter, code->select)};
    else
        out[n++] = (struct pmu_setting){select_msr(pmu, counter), code->select | PERFMON_EN};
    if (code->extra_msr) /* by PEBS */
        out[n++] = (struct pmu_setting){code->extra_msr, code->extra ? code->extra : PEBS_LATENCY_LEAST};
    if (pmu->perfmon.global_ctrl)
        out[n++] = (struct pmu_setting){pmu->perfmon.global_ctrl, global_bit(pmu, counter)};
    return n;
}

struct msr_write pmu_perfmon_preset(const struct pmu *pmu, unsigned counter, int64_t value)
{
    return msr_write(write_msr(pmu, counter), writable(pmu, counter, (uint64_t)value));
}

/* Without a global register, one counter after another. */
void pmu_perfmon_switching(const struct pmu *pmu, bool on, struct msr_list *out)
{
    const struct perfmon_state *p = &pmu->perfmon;
    if (p->global_ctrl) {
        msr_list_add(out, msr_write(p->global_ctrl, on ? p->global : 0));
        return;
    }
    for (unsigned i = 0; i < pmu->counters; i++)
        if (p->select[i])
            msr_list_add(out, msr_write(select_msr(pmu, i), p->select[i] & ~(uint64_t)(on ? 0 : PERFMON_EN)));
}

uint64_t pmu_perfmon_read(const struct pmu *pmu, unsigned counter)
{
    uint64_t value = 0;
    rdmsr_safe(pmu->counter_msr[counter], &value);
    return value & ((1ull << pmu->width) - 1);
}

/* Counters are stopped first; the register that enables them all comes last. Without full-width writes only
 * 32 bits of a counter are restored. */
void pmu_perfmon_release(struct pmu *pmu)
{
    char why[96];
    const struct perfmon_state *p = &pmu->perfmon;
    const struct pmu_code *const none[PMU_COUNTERS] = {NULL};
    if (!pmu->counters) return; /* nothing was saved */
    force_abort(pmu, true);
    clear(pmu, none, why, sizeof why);
    for (unsigned i = 0; i < pmu->counters; i++)
        wrmsr_safe(write_msr(pmu, i), writable(pmu, i, p->found.counter[i]));
    for (unsigned i = 0; i < p->general; i++) wrmsr_safe(select_msr(pmu, i), p->found.select[i]);
    force_abort(pmu, false);
    if (has_fixed(pmu)) wrmsr_safe(MSR_FIXED_CTR_CTRL, p->found.fixed_ctrl);
    if (p->has_debugctl) wrmsr_safe(MSR_DEBUGCTL, p->found.debugctl);
    if (p->freezing) clear_status(pmu);
    if (p->global_ctrl) wrmsr_safe(p->global_ctrl, p->found.global_ctrl);
    pmu->perfmon.freezing = false;
    forget(pmu);
}

/* ---- sampling ---- */

/* Data that the handler needs about the counter. */
static void aim(struct pmu *pmu, unsigned i)
{
    pmu->perfmon.aim[i] = (struct perfmon_aim){.counter = i,
                                               .select_msr = select_msr(pmu, i),
                                               .preset_msr = write_msr(pmu, i),
                                               .preset_high = (uint32_t)(writable(pmu, i, ~0ull) >> 32),
                                               .status = global_bit(pmu, i)};
}

/* This counter's overflow is to interrupt. Returns what is to be written to *msr. */
static uint64_t interrupting(struct pmu *pmu, unsigned counter, uint32_t *msr)
{
    uint64_t *select = &pmu->perfmon.select[counter];
    if (is_fixed(pmu, counter)) {
        *select |= FIXED_FIELD(fixed_number(pmu, counter), FIXED_PMI);
        *msr = MSR_FIXED_CTR_CTRL;
        return all_fixed(pmu);
    }
    *select |= PERFMON_INT;
    *msr = select_msr(pmu, counter);
    return *select & ~(uint64_t)(pmu->perfmon.global_ctrl ? 0 : PERFMON_EN);
}

bool pmu_perfmon_arm(struct pmu *pmu, unsigned counter, uint64_t period, char *why, size_t cap)
{
    uint32_t msr;
    if (!pmu->perfmon.select[counter])
        return pmu_refuse(why, cap, "nothing is programmed on counter %u", counter);
    if (period - 1 >= PERFMON_PERIOD_MAX)
        return pmu_refuse(why, cap, "a period must be from 1 to %u here", PERFMON_PERIOD_MAX);
    const uint64_t control = interrupting(pmu, counter, &msr);
    pmu->period[counter] = period;
    pmu->sampling |= 1u << counter;
    aim(pmu, counter);
    return pmu_write(msr, control, why, cap) &&
           pmu_write(write_msr(pmu, counter), writable(pmu, counter, -period), why, cap);
}

bool pmu_perfmon_quiet(struct pmu *pmu, unsigned counter, uint64_t also, char *why, size_t cap)
{
    uint64_t *select = &pmu->perfmon.select[counter];
    *select |= also;
    *select &= ~(is_fixed(pmu, counter) ? FIXED_FIELD(fixed_number(pmu, counter), FIXED_PMI)
                                        : (uint64_t)PERFMON_INT);
    if (is_fixed(pmu, counter)) return pmu_write(MSR_FIXED_CTR_CTRL, all_fixed(pmu), why, cap);
    return pmu_write(select_msr(pmu, counter), *select, why, cap);
}

bool pmu_perfmon_beside(struct pmu *pmu, unsigned counter, uint64_t select, char *why, size_t cap)
{
    const bool fixed = is_fixed(pmu, counter);
    pmu->perfmon.select[counter] = fixed ? fixed_control(pmu, counter, select) : select | PERFMON_EN;
    pmu->perfmon.global |= global_bit(pmu, counter);
    if (fixed) return pmu_write(MSR_FIXED_CTR_CTRL, all_fixed(pmu), why, cap);
    return pmu_write(select_msr(pmu, counter), select | PERFMON_EN, why, cap);
}

/* As in arm(): -period is less than 2^31 below zero, so its upper half is all ones, as far as the register
 * accepts them. */
static inline __attribute__((always_inline)) void reload(const struct pmu *pmu, const struct perfmon_aim *a)
{
    hw_wrmsr_halves(a->preset_msr, -(uint32_t)pmu->period[a->counter], a->preset_high);
}

/* No status: a counter that was preset below zero has overflowed when its bit 31 is clear, a period being
 * less than 2^31. It is written while it is disabled (18.2.1.1). CPUs without a status have neither fixed
 * counters nor aliases. */
static bool by_sign(const struct pmu *pmu, const struct perfmon_aim *a)
{
    const uint64_t *select = &pmu->perfmon.select[a->counter];
    if ((int32_t)hw_rdmsr(a->preset_msr) < 0) return false;
    hw_wrmsr(a->select_msr, *select & ~(uint64_t)PERFMON_EN);
    reload(pmu, a);
    hw_wrmsr_stored(a->select_msr, select);
    return true;
}

static uint32_t overflowed_by_sign(const struct pmu *pmu, const struct apic_pmi_entry *pmi)
{
    uint32_t over = 0;
    apic_pmi_again(pmi);
    for (uint32_t left = pmu->sampling; left; left &= left - 1)
        if (by_sign(pmu, &pmu->perfmon.aim[__builtin_ctz(left)])) over |= left & -left;
    return over;
}

/* The hardware has reloaded the counter. All stay stopped until the buffer is drained. */
static __attribute__((noinline)) uint32_t pebs_overflowed(const struct pmu *pmu, uint64_t status,
                                                          const struct apic_pmi_entry *pmi)
{
    if (status) hw_wrmsr(pmu->perfmon.global_ack, status);
    apic_pmi_again(pmi);
    return status & (STATUS_DS_BUFFER | STATUS_PEBS) ? pmu->sampling : 0;
}

/* A record that found no room was "skipped entirely" (SDM 18.9): the counter goes on from 0. */
void pmu_perfmon_pebs_again(struct pmu *pmu, bool full)
{
    const struct perfmon_state *p = &pmu->perfmon;
    const struct perfmon_aim *a = &p->aim[__builtin_ctz(pmu->sampling)];
    if (full)
        hw_wrmsr_halves(a->preset_msr, -((uint32_t)pmu->period[a->counter] - p->pebs.skid), a->preset_high);
    hw_wrmsr(p->global_ctrl, p->global);
}

/* Stop all, read the status, acknowledge all that was found, reload, start: no overflow can come between and
 * be acknowledged unseen. Intel's CPUs, but not AMD's, have masked the local APIC's entry. It is unmasked
 * after the acknowledgement and before the start, as Linux does since Gracemont (acade6379930). */
static uint32_t overflowed_by_status(const struct pmu *pmu, const struct apic_pmi_entry *pmi)
{
    const struct perfmon_state *p = &pmu->perfmon;
    uint32_t over = 0;
    hw_wrmsr(p->global_ctrl, 0);
    const uint64_t status = hw_rdmsr(p->global_status);
    if (p->pebs.armed) return pebs_overflowed(pmu, status, pmi);
    if (status) hw_wrmsr(p->global_ack, status);
    for (uint32_t left = pmu->sampling; left; left &= left - 1) {
        const struct perfmon_aim *a = &p->aim[__builtin_ctz(left)];
        if (!(status & a->status)) continue;
        reload(pmu, a);
        over |= left & -left;
    }
    apic_pmi_again(pmi);
    hw_wrmsr_stored(p->global_ctrl, &p->global);
    return over;
}

uint32_t pmu_perfmon_overflowed(struct pmu *pmu, const struct apic_pmi_entry *pmi)
{
    return pmu->perfmon.global_ctrl ? overflowed_by_status(pmu, pmi) : overflowed_by_sign(pmu, pmi);
}

bool pmu_perfmon_sole(const struct pmu *pmu, struct pmu_sole *out)
{
    const struct perfmon_state *p = &pmu->perfmon;
    if (!pmu->sampling || pmu->sampling & (pmu->sampling - 1) || p->pebs.armed) return false;
    const struct perfmon_aim *a = &p->aim[__builtin_ctz(pmu->sampling)];
    *out = (struct pmu_sole){
        .counter = a->counter, .msr = a->preset_msr, .preset_high = a->preset_high, .overflow = a->status};
    if (p->global_ctrl) {
        out->way = SOLE_STATUS;
        out->control = p->global_ctrl;
        out->run = p->global;
        out->status = p->global_status;
        out->acknowledge = p->global_ack;
    } else {
        out->way = SOLE_STOPPED;
        out->control = a->select_msr;
        out->run = p->select[a->counter];
        out->stop = (uint32_t)out->run & ~PERFMON_EN;
    }
    return true;
}

/* ---- freezing ---- */

/* "A performance counter had an overflow and was programmed to signal a PMI in case of an overflow" is all
 * that it takes (SDM vol. 3B 17.4.7; AMD's FPCI likewise: APM vol. 2, 13.1.1.6). The local APIC's entry may
 * stay masked: nanoBench has it so for its cycleByCycle.py (kernel/nb_km.c, disable_interrupts_preemption()),
 * and Linux' commit "perf/x86/intel: Remove Perfmon-v4 counter_freezing support" says that all counters stop
 * "when it raises the PMI, not when the PMI hits". The caller has to see whether they have stopped. */
bool pmu_perfmon_freeze(struct pmu *pmu, unsigned counter, char *why, size_t cap)
{
    uint32_t msr;
    if (!pmu->freezes) return pmu_refuse(why, cap, "this CPU's counters do not stop by themselves");
    if (!pmu->perfmon.select[counter])
        return pmu_refuse(why, cap, "nothing is programmed on counter %u", counter);
    const uint64_t control = interrupting(pmu, counter, &msr);
    const uint64_t want = debugctl(pmu) | DEBUGCTL_FREEZE_PMC;
    pmu->perfmon.freezing = true;
    return pmu_write(msr, control, why, cap) && pmu_write_kept(MSR_DEBUGCTL, want, want, why, cap);
}

/* Up to Intel's version 3 the freeze has cleared the global control, which start() writes; since then, and on
 * AMD's, a bit of the status holds the counters until it is acknowledged with those of the overflows. */
void pmu_perfmon_thaw(struct pmu *pmu)
{
    wrmsr_safe(pmu->perfmon.global_ctrl, 0);
    clear_status(pmu);
}

void pmu_perfmon_freeze_end(struct pmu *pmu)
{
    if (!pmu->perfmon.freezing) return;
    freezing(pmu);
    pmu_perfmon_thaw(pmu);
}

/* ---- events ---- */

bool pmu_perfmon_encode(const struct pmu *pmu, const struct pmu_fields *f, uint32_t max_event,
                        struct pmu_code *out, char *why, size_t cap)
{
    const bool both = !f->usr && !f->os;
    if (f->clocks) return pmu_refuse(why, cap, "only a Pentium has clocks; use cycles");
    if (f->event > max_event || f->umask > 0xff || f->cmask > 0xff)
        return pmu_refuse(why, cap, "event goes from 0 to 0x%x, umask and cmask to 0xff here",
                          (unsigned)max_event);
    if (f->inv && !f->cmask) /* it would be ignored */
        return pmu_refuse(why, cap, "inv inverts the comparison with cmask, so it needs cmask=1 or more");
    out->select = (f->event & PERFMON_EVENT) | (uint64_t)(f->event >> 8) << 32 | PERFMON_UMASK(f->umask) |
                  (f->usr || both ? PERFMON_USR : 0) | (f->os || both ? PERFMON_OS : 0) |
                  (f->edge ? PERFMON_EDGE : 0) | (f->any ? PERFMON_ANY : 0) | (f->inv ? PERFMON_INV : 0) |
                  PERFMON_CMASK(f->cmask);
    out->errata = pmu_errata(pmu->errata, f->event, f->umask);
    return true;
}
