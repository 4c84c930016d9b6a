/* Adaptive PEBS records, formats 4 to 6: Linux' arch/x86/include/asm/perf_event.h (struct pebs_basic,
 * pebs_meminfo, pebs_gprs, pebs_xmm, lbr_entry, pebs_cntr_header) and setup_pebs_adaptive_sample_data().
 * Groups follow each other in the order of their bits. */
#include "pmu/lbr_own.h"
#include "pmu/pebs_fold.h"

/* The first group, which each record has. */
enum {
    GROUPS = 0x00, /* bits 31:0 as in MSR_PEBS_DATA_CFG */
    RETIRE = 0x04, /* 16 bits */
    SIZE = 0x06,   /* 16 bits: of the record */
    IP = 0x08,     /* of the instruction that caused the event; 10h: the counters */
    TSC = 0x18,
    BASIC_BYTES = 0x20
};
#define MEMORY_BYTES 0x20 /* address, source, latency, transaction */
#define REGS_BYTES   0x90 /* flags, IP, then the registers in encoding order */
#define XMM_BYTES    0x100
#define LBR_BYTES    0x18 /* from, to, what is known of it */
#define CNTR_BYTES   0x10 /* which counters; their values follow */

#define LARGE_GROUPS        (PEBS_GROUP_XMM | PEBS_GROUP_LBR | PEBS_GROUP_CNTR)
#define KNOWN_GROUPS        (PEBS_GROUP_MEMORY | PEBS_GROUP_REGS | LARGE_GROUPS)
#define LBR_ENTRIES(groups) (((groups) >> 24 & 0xff) + 1)

static unsigned bytes_of(uint32_t groups)
{
    unsigned bytes = BASIC_BYTES;
    if (groups & PEBS_GROUP_MEMORY) bytes += MEMORY_BYTES;
    if (groups & PEBS_GROUP_REGS) bytes += REGS_BYTES;
    if (groups & PEBS_GROUP_XMM) bytes += XMM_BYTES;
    if (groups & PEBS_GROUP_LBR) bytes += LBR_ENTRIES(groups) * LBR_BYTES;
    if (groups & PEBS_GROUP_CNTR) bytes += CNTR_BYTES;
    return bytes;
}

uint16_t pebs_adaptive_bytes(uint32_t groups) { return (uint16_t)bytes_of(groups); }

_Static_assert(sizeof(struct branch) == LBR_BYTES && offsetof(struct branch, cycles) == 16,
               "entries are decoded where they are");

unsigned pebs_decode_branches(const struct pebs *p, struct branch *b, uint8_t raw)
{
    const unsigned n = raw & ~(unsigned)PEBS_RAW;
    for (unsigned i = 0; i < n; i++, b++) {
        const uint64_t info = *(const pebs_long *)&b->cycles;
        if (!b->from) return i; /* fewer branches than entries so far */
        b->cycles = (uint16_t)info;
        b->known = BRANCH_PREDICTION | (!p->arch_lbr || info & LBR_INFO_TIMED ? BRANCH_CYCLES : 0);
        b->known |= LBR_TSX(info);
        b->mispredicted = (info & LBR_INFO_MISPREDICTED) != 0;
    }
    return n;
}

/* Where the large parts of a sample go; NULL: they are not wanted. */
struct places {
    uint64_t (*xmm)[16][2];
    struct branch *branch;
};

static inline struct places places_of(const struct samples *out, const struct sample *s)
{
    const size_t i = (size_t)(s - out->at);
    return (struct places){.xmm = out->xmm ? out->xmm + i : NULL,
                           .branch = out->branch ? out->branch + i * BRANCHES_MOST : NULL};
}

/* Take a record's IP, and the groups behind its first one. The record ends at last; groups and entries (of
 * LBRs) say what it has. The registers' group also has an IP, which is not the sample's. */
static inline __attribute__((always_inline)) void
take_groups(const struct pebs *p, const struct samples *out, struct sample *s, const struct places *to,
            const uint8_t *record, const uint8_t *last, uint32_t groups, unsigned entries, bool has_access)
{
    const uint8_t *r = record + BASIC_BYTES;
    if (groups & PEBS_GROUP_MEMORY) {
        if (has_access) pebs_access(p->sources, p->latency_bits, s, r, r + 8, r + 16);
        r += MEMORY_BYTES;
    }
    if (groups & PEBS_GROUP_REGS) {
#ifdef __x86_64__
        pebs_copy(&s->flags, r, 18);
#else
        PEBS_TAKE(s->flags, r);
        pebs_copy(s->reg, r + 16, 8);
#endif
        r += REGS_BYTES;
    }
    PEBS_TAKE(s->ip, record + IP);
    if (groups & PEBS_GROUP_XMM) {
        if (to->xmm) pebs_copy(to->xmm, r, XMM_BYTES / 8);
        r += XMM_BYTES;
    }
    if (groups & PEBS_GROUP_LBR) {
        if (to->branch) pebs_take_branches(s, to->branch, r, entries);
        r += entries * LBR_BYTES;
    }
    if (groups & PEBS_GROUP_CNTR && !pebs_take_counts(out, s, r, last)) s->valid &= ~(uint32_t)PEBS_COUNTS;
}

/* What the user may not have, since this record lacks it. */
static uint32_t lacking(uint32_t groups)
{
    uint32_t valid = 0;
    if (!(groups & PEBS_GROUP_MEMORY))
        valid |= SAMPLE_DATA | SAMPLE_LEVEL | SAMPLE_TLB | SAMPLE_LATENCY | SAMPLE_CACHE_LATENCY;
    if (!(groups & PEBS_GROUP_REGS)) valid |= SAMPLE_REGS;
    if (!(groups & PEBS_GROUP_XMM)) valid |= SAMPLE_XMM;
    if (!(groups & PEBS_GROUP_LBR)) valid |= SAMPLE_BRANCHES;
    if (!(groups & PEBS_GROUP_CNTR)) valid |= PEBS_COUNTS;
    return valid;
}

/* A record with other groups than planned. Its bytes; 0: its length does not fit its groups, or there is a
 * group that nobody asked for. */
static __attribute__((cold, noinline)) unsigned take_other(const struct pebs *p, const struct samples *out,
                                                           struct sample *s, const uint8_t *r,
                                                           const uint8_t *end)
{
    const uint32_t groups = *(const pebs_half *)(r + GROUPS);
    const unsigned bytes = r[SIZE] | r[SIZE + 1] << 8;
    if (groups & 0xff & ~KNOWN_GROUPS || (size_t)(end - r) < bytes) return 0;
    const uint8_t *const at = r + bytes_of(groups), *const last = r + bytes;
    if (groups & PEBS_GROUP_CNTR
            ? at > last || pebs_take_counts(out, s, at - CNTR_BYTES, last) != (size_t)(last - at) + CNTR_BYTES
            : at != last)
        return 0;
    *(pebs_half *)&s->traits = 0;
    const struct places to = places_of(out, s);
    take_groups(p, out, s, &to, r, last, groups, LBR_ENTRIES(groups), p->memory);
    s->valid &= ~lacking(groups);
    return bytes;
}

static inline __attribute__((always_inline)) void take_basic(struct sample *s, const uint8_t *r,
                                                             uint64_t head)
{
    *(pebs_long *)s = head;
    PEBS_TAKE_LONG(s->tsc, r + TSC);
    s->retire = *(const pebs_short *)(r + RETIRE);
}

/* Folds records from r on, up to one that is not as planned; *at is the next sample. kinds: the plan's
 * groups, without the number of entries. */
PEBS_FOLD fold_planned(const struct pebs *p, const struct samples *out, struct sample **at, const uint8_t *r,
                       const uint8_t *end, uint32_t kinds, bool has_access)
{
    struct sample *s = *at;
    struct places to = places_of(out, s);
    const uint64_t head = pebs_head(p, p->valid);
    const uint32_t groups = p->groups;
    const unsigned entries = LBR_ENTRIES(groups);
    const uint16_t bytes = p->record;
    const uint8_t *const stop = pebs_whole(out, s, r, end, bytes);
    for (; r != stop; r += bytes, s++) {
        if (*(const pebs_half *)(r + GROUPS) != groups || *(const pebs_short *)(r + SIZE) != bytes) break;
        take_basic(s, r, head);
        take_groups(p, out, s, &to, r, r + bytes, kinds, entries, has_access);
        if (kinds & PEBS_GROUP_XMM && to.xmm) to.xmm++;
        if (kinds & PEBS_GROUP_LBR && to.branch) to.branch += BRANCHES_MOST;
    }
    *at = s;
    return r;
}

/* The usual groups have a loop of their own. */
static const uint8_t *fold_usual(const struct pebs *p, const struct samples *out, struct sample **at,
                                 const uint8_t *r, const uint8_t *end)
{
    enum { memory = PEBS_GROUP_MEMORY, regs = PEBS_GROUP_REGS, both = memory | regs };
    const uint32_t kinds = p->groups & 0xff;
    if (kinds == regs) return fold_planned(p, out, at, r, end, regs, false);
    if (p->memory) switch (kinds) {
        case memory:
            return fold_planned(p, out, at, r, end, memory, true);
        case both:
            return fold_planned(p, out, at, r, end, both, true);
        case both | PEBS_GROUP_XMM:
            return fold_planned(p, out, at, r, end, both | PEBS_GROUP_XMM, true);
        case both | PEBS_GROUP_LBR:
            return fold_planned(p, out, at, r, end, both | PEBS_GROUP_LBR, true);
        }
    return fold_planned(p, out, at, r, end, kinds, p->memory);
}

/* Records as planned are the rule. After one that cannot be a record, nobody knows where the next begins. */
static const uint8_t *fold(const struct pebs *p, struct samples *out, const uint8_t *r, const uint8_t *end)
{
    struct sample *s = out->at + out->n, *const room = out->at + out->cap;
    const uint64_t head = pebs_head(p, p->valid);
    for (unsigned other; end > r && end - r >= BASIC_BYTES && s < room; r += other, s++) {
        r = fold_usual(p, out, &s, r, end);
        if (end - r < BASIC_BYTES || s == room) break;
        take_basic(s, r, head);
        if (!(other = take_other(p, out, s, r, end))) break;
    }
    out->n = (unsigned)(s - out->at);
    if (r >= end || s == room) return r;
    out->more = true;
    return end;
}

/* Reset values, from 40h on: format 4 has 8 for general counters, later ones 32; then those of fixed counters
 * (Linux' struct debug_store, MAX_PEBS_EVENTS_FMT4, MAX_PEBS_EVENTS and MAX_FIXED_PEBS_EVENTS). */
const struct pebs_layout pebs_adaptive = {.area = 0x100, .field = 8, .general = 8, .fixed = 16, .fold = fold};
const struct pebs_layout pebs_adaptive_32 = {
    .area = 0x1c0, .field = 8, .general = 32, .fixed = 16, .fold = fold};
