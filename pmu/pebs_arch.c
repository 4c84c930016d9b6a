/* Architectural PEBS: its buffer and its records. Compiled like an interrupt handler. A record is one
 * fragment or several, each with a header. The groups of a fragment follow in this order: basic, memory,
 * registers, XMM, LBR, counters (sources: pmu/pebs_arch.h). */
#include "pmu/pebs_arch.h"
#include "kernel/hw.h"
#include "pmu/pebs_fold.h"

enum {
    SIZE = 0x00,   /* 16 bits: of the fragment */
    LOW = 0x00,    /* 32 bits */
    GROUPS = 0x04, /* 32 bits */
    HEADER_BYTES = 0x10,
    /* basic; 8: the counters */
    IP = 0x00,
    TSC = 0x10,
    RETIRE = 0x18, /* 16 bits, and one that says whether they are valid */
    BASIC_BYTES = 0x30,
    /* memory */
    ADDRESS = 0x00,
    SOURCE = 0x28,
    LATENCY = 0x30, /* bits 15:0; 47:32 the cache's; 38h: transaction */
    MEMORY_BYTES = 0x40,
    /* registers: flags, IP, then in encoding order, shadow stack */
    FLAGS = 0x00,
    REGS = 0x10,
    REGS_BYTES = 0xa0,
    XMM_HEADER = 0x10,
    XMM_BYTES = 0x100,
    /* LBR */
    LBR_DEPTH = 0x10,
    LBR_HEADER = 0x30,
    LBR_BYTES = 0x18,
    CNTR_BYTES = 0x10
};
#define CONTINUED        0x80000000u
#define LBR_MOST         256u
#define LBR_CODE(groups) ((groups) >> 8 & 3)
#define LBR_VARIABLE     3

#define ACCESS (SAMPLE_DATA | SAMPLE_LEVEL | SAMPLE_TLB | SAMPLE_LATENCY | SAMPLE_CACHE_LATENCY)
#define BY_GROUP \
    (ACCESS | SAMPLE_REGS | SAMPLE_XMM | SAMPLE_BRANCHES | SAMPLE_TSC | SAMPLE_RETIRE | PEBS_COUNTS)

uint16_t pebs_arch_bytes(uint32_t groups)
{
    unsigned bytes = HEADER_BYTES + BASIC_BYTES;
    if (groups & PEBS_ARCH_MEMORY) bytes += MEMORY_BYTES;
    if (groups & PEBS_ARCH_REGS) bytes += REGS_BYTES;
    if (groups & PEBS_ARCH_XMM) bytes += XMM_HEADER + XMM_BYTES;
    if (groups & PEBS_ARCH_LBR) bytes += LBR_HEADER + BRANCHES_MOST * LBR_BYTES;
    if (groups & PEBS_ARCH_CNTR_FIXED) bytes += CNTR_BYTES;
    return (uint16_t)bytes;
}

/* ---- records ---- */

/* The next group of the fragment, which ends at last; NULL: it is not whole. */
static inline const uint8_t *group(const uint8_t **at, const uint8_t *last, size_t bytes)
{
    const uint8_t *const r = *at;
    if ((size_t)(last - r) < bytes) return NULL;
    *at = r + bytes;
    return r;
}

/* XMM, LBR and counters. False: one is not whole. */
static __attribute__((noinline)) bool take_large(const struct pebs *p, const struct samples *out,
                                                 struct sample *s, const uint8_t *at, const uint8_t *last,
                                                 uint32_t groups)
{
    const uint8_t *g;
    if (groups & PEBS_ARCH_XMM) {
        if (!(g = group(&at, last, XMM_HEADER + XMM_BYTES))) return false;
        if (out->xmm) pebs_copy(out->xmm[s - out->at], g + XMM_HEADER, XMM_BYTES / 8);
        s->valid |= p->valid & SAMPLE_XMM;
    }
    if (groups & PEBS_ARCH_VECTORS) return true; /* what follows is somewhere behind them */
    if (groups & PEBS_ARCH_LBR) {
        if (!(g = group(&at, last, LBR_HEADER))) return false;
        const unsigned code = LBR_CODE(groups);
        const uint32_t n = code == LBR_VARIABLE ? *(const pebs_half *)(g + LBR_DEPTH) : 8 * code;
        if (n > LBR_MOST || !(g = group(&at, last, n * LBR_BYTES))) return false;
        if (out->branch) pebs_take_branches(s, out->branch + (size_t)(s - out->at) * BRANCHES_MOST, g, n);
        s->valid |= p->valid & SAMPLE_BRANCHES;
    }
    if (!(groups & PEBS_ARCH_CNTR)) return true;
    s->valid |= p->valid & PEBS_COUNTS;
    return pebs_take_counts(out, s, at, last);
}

/* What the fragment from r to last holds goes to the sample. False: its size cannot be. */
static bool take(const struct pebs *p, const struct samples *out, struct sample *s, const uint8_t *r,
                 const uint8_t *last)
{
    const uint32_t groups = *(const pebs_half *)(r + GROUPS);
    const uint8_t *at = r + HEADER_BYTES, *g;
    if (groups & PEBS_ARCH_BASIC) {
        if (!(g = group(&at, last, BASIC_BYTES))) return false;
        const uint32_t retire = *(const pebs_half *)(g + RETIRE);
        PEBS_TAKE(s->ip, g + IP);
        PEBS_TAKE_LONG(s->tsc, g + TSC);
        s->retire = (uint16_t)retire;
        s->valid |= p->valid & (retire >> 16 & 1 ? SAMPLE_TSC | SAMPLE_RETIRE : SAMPLE_TSC);
    }
    if (groups & PEBS_ARCH_MEMORY) {
        if (!(g = group(&at, last, MEMORY_BYTES))) return false;
        if (p->memory) pebs_access(p->sources, p->latency_bits, s, g + ADDRESS, g + SOURCE, g + LATENCY);
        s->valid |= p->valid & ACCESS;
    }
    if (groups & PEBS_ARCH_REGS) {
        if (!(g = group(&at, last, REGS_BYTES))) return false;
        PEBS_TAKE(s->flags, g + FLAGS);
        pebs_copy(s->reg, g + REGS, sizeof(void *) == 8 ? 16 : 8);
        s->valid |= p->valid & SAMPLE_REGS;
    }
    if (groups & (PEBS_ARCH_XMM | PEBS_ARCH_VECTORS | PEBS_ARCH_LBR | PEBS_ARCH_CNTR))
        return take_large(p, out, s, at, last, groups);
    return true;
}

/* Where the fragment at r ends; NULL: its size cannot be. */
static const uint8_t *end_of(const uint8_t *r, const uint8_t *end)
{
    if (end - r < HEADER_BYTES) return NULL;
    const size_t bytes = *(const pebs_short *)(r + SIZE);
    return bytes < HEADER_BYTES || bytes % 8 || bytes > (size_t)(end - r) ? NULL : r + bytes;
}

/* Another fragment of the same record follows. One of nothing is never the last (Linux'
 * arch_pebs_record_continued()). */
static bool is_continued(const uint8_t *r)
{
    const uint32_t low = *(const pebs_half *)(r + LOW);
    return low & CONTINUED || !(low >> 16 | *(const pebs_half *)(r + GROUPS));
}

/* Records for which there is no room are counted as lost: their length is known only by walking over them.
 * What cannot be a record, or is part of none, sets out->more. */
static const uint8_t *fold(const struct pebs *p, struct samples *out, const uint8_t *r, const uint8_t *end)
{
    while (r < end) {
        struct sample *const s = out->n < out->cap ? out->at + out->n : NULL;
        const uint8_t *last = end_of(r, end);
        if (!last) break;
        if (!(*(const pebs_half *)(r + GROUPS) & PEBS_ARCH_BASIC)) {
            out->more |= !is_continued(r);
            r = last;
            continue;
        }
        if (s) {
            *(pebs_long *)s = pebs_head(p, p->valid & ~(uint32_t)BY_GROUP);
            *(pebs_half *)&s->traits = 0;
        }
        bool more = true;
        while (more) {
            if (s && !take(p, out, s, r, last)) {
                out->more = true;
                return end;
            }
            more = is_continued(r);
            r = last;
            if (more && !(last = end_of(r, end))) break;
        }
        s ? out->n++ : out->lost++;
        out->more |= more; /* its end is missing */
    }
    out->more |= r != end;
    return end;
}

/* ---- the buffer ---- */

static size_t bytes(const struct pebs *p, unsigned depth)
{
    size_t n = 4096;
    while (n < (size_t)(depth + PEBS_SLACK) * p->record) n *= 2;
    return n;
}

static void init(struct pebs *p, unsigned depth, uint32_t period)
{
    p->bytes = bytes(p, depth);
    p->index = PEBS_INDEX_EN | PEBS_INDEX_THRESHOLD((size_t)depth * p->record);
    p->reload = -(period - p->skid);
}

/* The reload value's bit 31 is copied upwards [unconfirmed]: Linux, too, writes the low half of a negative
 * value. */
static void reload(struct pebs *p, uint32_t period)
{
    p->reload = -(period - p->skid);
    hw_wrmsr(p->config_msr, (uint64_t)(p->groups | PEBS_ARCH_EN) << 32 | p->reload);
}

/* The counters stand still: nothing is recorded meanwhile. */
static unsigned drain(struct pebs *p, struct samples *out)
{
    const uint32_t index = (uint32_t)hw_rdmsr(MSR_PEBS_INDEX);
    const size_t used = index & PEBS_INDEX_OFFSET;
    const uint64_t before = out->n + out->lost;
    fold(p, out, p->base, p->base + (used < p->bytes ? used : p->bytes));
    out->more |= used > p->bytes || index & PEBS_INDEX_FULL;
    hw_wrmsr(MSR_PEBS_INDEX, p->index);
    return (unsigned)(out->n + out->lost - before);
}

static const struct pebs_output output = {bytes, init, reload, drain};
const struct pebs_layout pebs_arch = {.fold = fold, .output = &output};
