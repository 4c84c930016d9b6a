/* Instruction-based sampling: its registers, and the two interval counters. */
#include "sim/amd.h"

/* ---- what a write does with bits that are not there (APM, the registers' figures) ---- */
enum access {
    IGNORED,   /* RAZ: reserved bits read as 0 */
    MUST_BE_0, /* MBZ: a reserved bit raises #GP */
    READ_ONLY  /* nothing is written, without a fault [unconfirmed]: so are this PMU's others (Linux) */
};
static const uint8_t access_of[IBS_REGISTERS] = {
    [IBS_FETCH_CTL] = IGNORED,   [IBS_FETCH_LIN] = READ_ONLY, [IBS_FETCH_PHYS] = READ_ONLY,
    [IBS_OP_CTL] = MUST_BE_0,    [IBS_OP_RIP] = IGNORED,      [IBS_DATA1] = MUST_BE_0,
    [IBS_DATA2] = MUST_BE_0,     [IBS_DATA3] = MUST_BE_0,     [IBS_DC_LIN] = IGNORED,
    [IBS_DC_PHYS] = MUST_BE_0,   [IBS_CTL] = READ_ONLY,       [IBS_BR_TARGET] = IGNORED,
    [IBS_FETCH_EXT] = READ_ONLY,
};

static uint64_t bits_of(const struct amd_ibs_traits *t, unsigned r)
{
    switch (r) {
    case IBS_FETCH_CTL:
        return t->fetch_ctl;
    case IBS_OP_CTL:
        return t->op_ctl;
    case IBS_DATA1:
        return t->data1;
    case IBS_DATA2:
        return t->data2;
    case IBS_DATA3:
        return t->data3;
    case IBS_DC_PHYS:
        return IBS_PHYSICAL;
    default:
        return UINT64_MAX;
    }
}

static bool there(const struct amd_ibs_traits *t, unsigned r)
{
    if (r == IBS_BR_TARGET) return t->caps & IBS_CAP_BRNTRGT;
    if (r == IBS_FETCH_EXT) return t->caps & IBS_CAP_FETCHEXT;
    return true;
}

/* ---- intervals ---- */

#define NEVER UINT32_MAX

/* How many more until bits from 4 on are those of the maximum. A maximum of 0 is reserved (BKDG): by rule it
 * is never reached. */
static uint32_t distance(const struct ibs_interval *v)
{
    if (!v->max) return NEVER;
    return (v->count & ~15u) == v->max ? 0 : (v->max - v->count) & v->mask;
}

static void start(struct sim *s, struct ibs_interval *v, bool running)
{
    v->running = running;
    v->tagging = running && distance(v) == 0;
    if (running) sim_activate(s);
}

/* "A pseudorandom 7-bit value between 1 and 127" (BKDG, IbsOpCntCtl). */
static uint32_t seven_bits(struct amd_ibs *b) { return (uint32_t)(sim_random(&b->random) >> 32) % 127 + 1; }

void ibs_restart_op(struct amd_ibs *b)
{
    b->op.count = seven_bits(b);
    b->op.tagging = false;
}

void ibs_restart_fetch(struct amd_ibs *b)
{
    b->fetch.count = b->reg[IBS_FETCH_CTL] & FETCH_RAND ? seven_bits(b) : 0;
    b->fetch.tagging = false;
}

void ibs_advance(struct ibs_interval *v, uint64_t n)
{
    const uint32_t left = distance(v);
    if (!v->running || v->tagging) return;
    v->tagging = n && n >= left && left != NEVER;
    v->count = (uint32_t)(v->count + n) & v->mask;
}

void amd_ibs_count(struct sim *s)
{
    struct amd_ibs *b = &((struct amd *)s->state)->ibs;
    if (!b->op.running || b->op.tagging) return;
    ibs_advance(&b->op, s->tally.count[b->reg[IBS_OP_CTL] & OP_CNT_CTL ? AMD_INSN : AMD_CYCLES]);
    /* The counter rolls over, and hardware preloads its low bits, when the tag is given. */
    if (b->op.tagging) b->op.count = seven_bits(b);
}

bool amd_ibs_exact(const struct amd_ibs *b, uint64_t happenings)
{
    return b->fetch.running || (b->op.running && (b->op.tagging || distance(&b->op) <= happenings));
}

void amd_ibs_redirect(struct sim *s, bool aborted)
{
    struct amd_ibs *b = &((struct amd *)s->state)->ibs;
    b->block = AMD_NOWHERE;
    if (aborted && b->op.tagging) ibs_restart_op(b); /* APM 13.3.3: "aborted ops do not produce" a sample */
}

/* ---- RDMSR, WRMSR ---- */

void amd_ibs_reset(struct sim *s)
{
    struct amd *p = s->state;
    const struct amd_ibs_traits *t = p->traits->ibs;
    p->ibs =
        (struct amd_ibs){.traits = t, .block = AMD_NOWHERE, .random = sim_random_seed(s->interrupt.seed)};
    if (!t) return;
    p->ibs.reg[IBS_CTL] = IBS_CTL_VALID | t->entry;
    p->ibs.fetch.mask = (1u << 20) - 1;
    p->ibs.op.mask = t->caps & IBS_CAP_OPCNTEXT ? (1u << 27) - 1 : (1u << 20) - 1;
}

static bool has(const struct amd_ibs *b, uint32_t msr)
{
    return b->traits && msr - MSR_IBS < IBS_REGISTERS && there(b->traits, msr - MSR_IBS);
}

int amd_ibs_rdmsr(const struct sim *s, uint32_t msr, uint64_t *value)
{
    const struct amd_ibs *b = &((const struct amd *)s->state)->ibs;
    if (!has(b, msr)) return -1;
    *value = b->reg[msr - MSR_IBS];
    if (msr - MSR_IBS == IBS_FETCH_CTL) *value |= (uint64_t)(b->fetch.count >> 4) << 16;
    if (msr - MSR_IBS == IBS_OP_CTL && b->traits->caps & IBS_CAP_RDWROPCNT)
        *value |= (uint64_t)b->op.count << 32;
    return 1;
}

/* The counter takes IbsFetchCnt over "on a write" (APM); "some chips fail to reset the fetch count when it is
 * written; instead they need a 0-1 transition of IbsFetchEn" (Linux, of families 16h to 18h). */
static void write_fetch_ctl(struct sim *s, struct amd_ibs *b, uint64_t value)
{
    const bool rises = value & ~b->reg[IBS_FETCH_CTL] & FETCH_EN;
    if (rises || !b->traits->toggles) {
        b->fetch.count = (uint32_t)((value & FETCH_CNT) >> 12);
        if (value & FETCH_RAND) b->fetch.count |= sim_random(&b->random) >> 32 & 15;
    }
    b->reg[IBS_FETCH_CTL] = value & ~FETCH_CNT;
    b->fetch.max = (uint32_t)(value & FETCH_MAX) << 4;
    b->block = AMD_NOWHERE;
    start(s, &b->fetch, value & FETCH_EN && !(value & FETCH_VAL));
}

static void write_op_ctl(struct sim *s, struct amd_ibs *b, uint64_t value)
{
    b->op.count = (uint32_t)((value & OP_CUR) >> 32);
    b->reg[IBS_OP_CTL] = value & ~OP_CUR;
    b->op.max = (uint32_t)((value & OP_MAX) << 4 | (value & OP_MAX_EXT));
    start(s, &b->op, value & OP_EN && !(value & OP_VAL));
}

int amd_ibs_wrmsr(struct sim *s, uint32_t msr, uint64_t value)
{
    struct amd_ibs *b = &((struct amd *)s->state)->ibs;
    const unsigned r = msr - MSR_IBS;
    if (!has(b, msr)) return -1;
    if (access_of[r] == READ_ONLY) return 1;
    const uint64_t bits = bits_of(b->traits, r);
    if (access_of[r] == MUST_BE_0 && value & ~bits) return 0;
    value &= bits;
    if (r == IBS_FETCH_CTL)
        write_fetch_ctl(s, b, value);
    else if (r == IBS_OP_CTL)
        write_op_ctl(s, b, value);
    else
        b->reg[r] = value;
    return 1;
}
