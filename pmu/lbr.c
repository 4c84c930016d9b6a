/* Last branch records: read and decoded. What there is on a CPU: pmu/lbr_probe.c. */
#include "pmu/lbr.h"
#include "pmu/driver.h"
#include "pmu/lbr_own.h"
#include <string.h>

#define FROM_MISPREDICTED (1ull << 63) /* formats 3, 4, 6 and AMD's */
#define AMD_TO_VALID      (1ull << 63) /* it retired */
#define AMD_TO_ERRONEOUS  (1ull << 61) /* a reserved bit: erratum 1452 (Linux' amd_pmu_lbr_read()) */

/* The lower bits of an address, sign-extended. */
static uint64_t address(uint64_t v, unsigned flags) { return (uint64_t)((int64_t)(v << flags) >> flags); }

/* ---- arming ---- */

/* IA32_LBR_CTL's bit for each of enum lbr_branch; there 1 means to record. */
static uint64_t arch_control(const struct lbr *lbr, unsigned branches)
{
    static const uint8_t bit[] = {1, 2, 16, 19, 20, 21, 18, 17, 22, 3};
    uint64_t control = ARCH_LBR_EN;
    for (unsigned i = 0; i < sizeof bit; i++)
        if (branches & lbr->filters & 1u << i) control |= 1ull << bit[i];
    return control;
}

/* Entries of an earlier payload are not this one's. */
static bool empty(const struct lbr *lbr, char *why, size_t cap)
{
    const unsigned step = lbr->kind == LBR_AMD ? 2 : 1;
    if (lbr->kind == LBR_ARCH) return pmu_write(MSR_ARCH_LBR_DEPTH, lbr->depth, why, cap);
    for (unsigned i = 0; i < lbr->depth; i++)
        if (!pmu_write(lbr->from + step * i, 0, why, cap) ||
            (lbr->kind != LBR_PACKED && !pmu_write(lbr->to + step * i, 0, why, cap)) ||
            (lbr->info && !pmu_write(lbr->info + i, 0, why, cap)))
            return false;
    return true;
}

/* The first thread of a core finds the filter as it was, and the last one gives it back. All of them write
 * the same one. */
static void find_filter(struct lbr *lbr)
{
    struct lbr_filter *shared = lbr->shared;
    if (!shared) {
        rdmsr_safe(lbr->select, &lbr->found.select);
        return;
    }
    lock_take(&shared->lock);
    if (shared->users++ == 0) rdmsr_safe(lbr->select, &shared->found);
    lock_give(&shared->lock);
}

static void give_filter_back(struct lbr *lbr)
{
    struct lbr_filter *shared = lbr->shared;
    if (!shared) {
        wrmsr_safe(lbr->select, lbr->found.select);
        return;
    }
    lock_take(&shared->lock);
    if (--shared->users == 0) wrmsr_safe(lbr->select, shared->found);
    lock_give(&shared->lock);
}

/* The call stack does not go with freezing: "PMI near call/return instructions may cause superfluous
 * increase/decrease of LBR_TOS" (Linux' __intel_pmu_lbr_enable()). */
bool lbr_arm(struct lbr *lbr, unsigned branches, char *why, size_t cap)
{
    const bool freezes = lbr->freezes && !(branches & LBR_CALL_STACK);
    if (!rdmsr_safe(MSR_DEBUGCTL, &lbr->found.debugctl))
        return pmu_refuse(why, cap, "MSR %Xh faults when it is read", MSR_DEBUGCTL);
    rdmsr_safe(lbr->switch_msr, &lbr->found.switch_msr);
    if (lbr->select) find_filter(lbr);
    lbr->armed = true;
    const uint64_t debugctl = lbr->found.debugctl & ~(uint64_t)(DEBUGCTL_LBR | DEBUGCTL_FREEZE_LBRS);
    const uint64_t freezing = debugctl | (freezes ? DEBUGCTL_FREEZE_LBRS : 0);
    switch (lbr->kind) {
    case LBR_ARCH:
        lbr->off = 0;
        lbr->on = arch_control(lbr, branches);
        break;
    case LBR_AMD:
        lbr->off = lbr->found.switch_msr & ~(uint64_t)AMD_LBR_V2_EN;
        lbr->on = lbr->off | AMD_LBR_V2_EN;
        break;
    default:
        lbr->off = debugctl;
        lbr->on = freezing | DEBUGCTL_LBR;
    }
    if (!pmu_write(lbr->switch_msr, lbr->off, why, cap) || !empty(lbr, why, cap)) return false;
    if (lbr->switch_msr != MSR_DEBUGCTL && freezing != lbr->found.debugctl &&
        !pmu_write(MSR_DEBUGCTL, freezing, why, cap))
        return false;
    return !lbr->select ||
           pmu_write(lbr->select, (~branches & (LBR_ANY | LBR_RINGS)) | (branches & LBR_CALL_STACK), why,
                     cap);
}

void lbr_release(struct lbr *lbr)
{
    if (!lbr->armed) return;
    lbr->armed = false;
    const uint64_t debugctl = lbr->found.debugctl & ~(uint64_t)DEBUGCTL_LBR;
    lbr_stop(lbr);
    if (lbr->select) give_filter_back(lbr);
    if (lbr->kind == LBR_ARCH) wrmsr_safe(lbr->switch_msr, lbr->found.switch_msr & ~(uint64_t)ARCH_LBR_EN);
    wrmsr_safe(MSR_DEBUGCTL, debugctl);
}

/* ---- reading ---- */

_Static_assert(sizeof(struct branch) == 3 * sizeof(uint64_t), "an entry has room for three registers");
_Static_assert(BRANCHES_MOST <= HW_RDMSRS_MOST, "one call reads all of a kind");

/* Registers go to memory in their own order; the TOS tells lbr_decode() where the newest is. Reading them
 * from there on would take more instructions an entry. */
uint8_t lbr_read(const struct lbr *lbr, struct branch *to)
{
    uint64_t *raw = (uint64_t *)to;
    const unsigned n = lbr->depth;
    hw_rdmsrs(lbr->from, n, raw);
    if (lbr->kind == LBR_AMD)
        hw_rdmsrs(lbr->from + n, n, raw + n);
    else if (lbr->kind != LBR_PACKED)
        hw_rdmsrs(lbr->to, n, raw + n);
    if (lbr->info) hw_rdmsrs(lbr->info, n, raw + 2 * n);
    if (lbr->kind > LBR_STACK) return LBR_RAW;
    return (uint8_t)(LBR_RAW | ((uint32_t)hw_rdmsr(MSR_LBR_TOS) & (n - 1)));
}

/* SDM 17.4.8.1. Format 4 keeps TSX' two flags below that of the misprediction; without TSX they are neither
 * flags nor signs (Linux' lbr_from_signext_quirk_rd()). */
static void decode_stack(const struct lbr *lbr, uint64_t from, uint64_t to, struct branch *b)
{
    const bool flagged =
        lbr->format == LBR_EIP_FLAGS || lbr->format == LBR_EIP_TSX || lbr->format == LBR_TIME;
    b->from = address(from, lbr->format == LBR_EIP_TSX ? 3 : flagged ? 1 : 0);
    b->to = address(to, lbr->format == LBR_TIME ? 16 : 0);
    b->mispredicted = flagged && from & FROM_MISPREDICTED;
    if (lbr->format == LBR_TIME) b->cycles = (uint16_t)(to >> 48);
    b->known = (lbr->predicts ? BRANCH_PREDICTION : 0) | (lbr->cycles ? BRANCH_CYCLES : 0);
    if (lbr->format == LBR_EIP_TSX && lbr->transactions) b->known |= LBR_TSX(from);
}

static void decode_info(const struct lbr *lbr, uint64_t info, struct branch *b)
{
    const bool timed = lbr->cycles && (lbr->kind != LBR_ARCH || info & LBR_INFO_TIMED);
    b->mispredicted = info & LBR_INFO_MISPREDICTED;
    b->cycles = timed ? (uint16_t)info : 0;
    b->known = (lbr->predicts ? BRANCH_PREDICTION : 0) | (timed ? BRANCH_CYCLES : 0);
    if (lbr->transactions) b->known |= LBR_TSX(info);
}

/* Entry i in the order of the registers. False: it holds none. */
static bool decode_one(const struct lbr *lbr, const uint64_t *raw, unsigned i, struct branch *b)
{
    const unsigned n = lbr->depth;
    const uint64_t from = lbr->kind == LBR_AMD ? raw[2 * i] : raw[i];
    const uint64_t to = lbr->kind == LBR_AMD ? raw[2 * i + 1] : lbr->kind == LBR_PACKED ? 0 : raw[n + i];
    if (!from && !to) return false;
    *b = (struct branch){.known = 0};
    if (lbr->kind == LBR_PACKED) {
        b->from = (uint32_t)from;
        b->to = (uint32_t)(from >> 32);
    } else if (lbr->kind == LBR_AMD) {
        /* Valid without speculative, or with: it retired. Speculative alone: it was on a wrong path. */
        if (!(to & AMD_TO_VALID) || to & AMD_TO_ERRONEOUS) return false;
        b->from = address(from, AMD_ADDRESS);
        b->to = address(to, AMD_ADDRESS);
        b->mispredicted = from & FROM_MISPREDICTED;
        b->known = lbr->predicts ? BRANCH_PREDICTION : 0;
    } else {
        decode_stack(lbr, from, to, b);
    }
    if (lbr->info) decode_info(lbr, raw[2 * n + i], b);
    if (!(b->known & BRANCH_PREDICTION)) b->mispredicted = false;
    return true;
}

unsigned lbr_decode(const struct lbr *lbr, struct branch *at, uint8_t raw)
{
    uint64_t read[3 * BRANCHES_MOST];
    const unsigned tos = raw & ~(unsigned)LBR_RAW;
    unsigned n = 0;
    memcpy(read, at, sizeof read);
    for (unsigned i = 0; i < lbr->depth; i++) {
        const unsigned k = lbr->kind > LBR_STACK ? i : (tos - i) & (lbr->depth - 1u);
        if (decode_one(lbr, read, k, &at[n]))
            n++;
        else if (lbr->kind != LBR_AMD)
            break; /* those before it were never filled in, or returns have taken them away */
    }
    return n;
}
