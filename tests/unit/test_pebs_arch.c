/* Records and buffer of architectural PEBS, byte by byte. Offsets and bits are Linux 6.19's (struct
 * arch_pebs_* of arch/x86/include/asm/perf_event.h; ARCH_PEBS_* of msr-index.h), written down here. No CPU
 * has been seen to write one. */
#include "pmu/pebs_arch.h"
#include "tests/unit/fake_hw.h"
#include "tests/unit/pebs_buffer.h"

enum { BASE = 0x3f4, INDEX = 0x3f5, CONFIG = 0x1907 };

/* The header's bits. */
#define CONT    (1ull << 31)
#define CNTR    (1ull << 37)
#define LBR(n)  ((uint64_t)(n) << 40) /* 1: 8 entries; 2: 16; 3: as the group says */
#define XMM     (1ull << 49)
#define YMM     (1ull << 50)
#define REGS    (1ull << 61)
#define MEMORY  (1ull << 62)
#define BASIC   (1ull << 63)
#define NO_TIME 1 /* not of the header: the retire latency is not valid */

static const struct pebs_sources sources = {.level = {[4] = LEVEL_L3}, .walk = 0x10, .locked = 0x20};
static const uint32_t always = SAMPLE_IP | SAMPLE_PRECISE | SAMPLE_COUNTER,
                      access =
                          SAMPLE_DATA | SAMPLE_LEVEL | SAMPLE_TLB | SAMPLE_LATENCY | SAMPLE_CACHE_LATENCY,
                      everything = always | access | SAMPLE_TSC | SAMPLE_RETIRE | SAMPLE_REGS | SAMPLE_XMM |
                                   SAMPLE_BRANCHES | SAMPLE_INSTRUCTIONS | SAMPLE_CYCLES;

static uint32_t valid_of(uint64_t groups)
{
    uint32_t v = always;
    if (groups & BASIC) v |= SAMPLE_TSC | (groups & NO_TIME ? 0 : SAMPLE_RETIRE);
    if (groups & MEMORY) v |= access;
    if (groups & REGS) v |= SAMPLE_REGS;
    if (groups & XMM) v |= SAMPLE_XMM;
    if (groups & LBR(3)) v |= SAMPLE_BRANCHES;
    if (groups & CNTR) v |= SAMPLE_INSTRUCTIONS | SAMPLE_CYCLES;
    return v;
}

static struct pebs plan(void)
{
    return (struct pebs){.layout = &pebs_arch,
                         .valid = everything,
                         .groups = 0x60020320,
                         .record = 2000,
                         .counter = 1,
                         .skid = 1,
                         .memory = true,
                         .arch_lbr = true,
                         .source = &sources,
                         .source_kind = PEBS_SOURCE_LOAD,
                         .latency_bits = 0xffff0000ffff,
                         .config_msr = CONFIG};
}

static uint64_t made[1024];
static unsigned made_words;
static void word(uint64_t v) { made[made_words++] = v; }

static unsigned depth; /* entries, with LBR(3) */
static unsigned lbrs(uint64_t groups)
{
    const unsigned code = groups >> 40 & 3;
    return code == 3 ? depth : 8 * code;
}

/* A fragment behind those that are made. Words that are reserved are not 0. */
static void fragment(uint64_t header, unsigned seed)
{
    const unsigned at = made_words;
    word(0);
    word(0xeeee);
    if (header & BASIC) {
        word(0xffffffff81000000ull + seed);
        word(2); /* counter 1 */
        word(0x100000000ull + seed);
        word(0xee0000 | (header & NO_TIME ? 0 : 0x10000) | (7 + seed));
        word(0xee);
        word(0xee);
    }
    if (header & MEMORY) {
        word(0x7fff00000000ull + seed);
        for (unsigned i = 0; i < 4; i++) word(0xee);
        word(0x34);
        word(0x0055ull << 48 | 0xbbull << 32 | 0x77770000 | (90 + seed));
        word(0xdead);
    }
    if (header & REGS) {
        word(0x202 + seed);
        word(0xffffffff82000000ull);
        for (unsigned i = 0; i < 16; i++) word(reg_value(seed, i)); /* ax cx dx bx sp bp si di r8-r15 */
        word(0x55b);
        word(0xee);
    }
    if (header & XMM) {
        word(2);
        word(0xee);
        for (unsigned i = 0; i < 32; i++) word(reg_value(seed, 100 + i));
    }
    if (header & YMM)
        for (unsigned i = 0; i < 34; i++) word(0xee);
    if (header & LBR(3)) {
        word(0xee);
        word(0x7f0003);
        word(lbrs(header));
        for (unsigned i = 0; i < 3; i++) word(0xee);
    }
    for (unsigned i = 0; i < lbrs(header); i++) {
        word(0x1000 + 16 * i + seed);
        word(0x2000 + 16 * i);
        word((i & 1 ? 1ull << 63 : 0) | (i & 2 ? 1ull << 60 : 0) | (40 + i));
    }
    if (header & CNTR) {
        word(3ull << 32); /* fixed counters 0 and 1 */
        word(0);
        word(0xf00000000000 + seed);
        word(0xf00000001000 + seed);
    }
    if (made_words & 1) word(0xee); /* to 16 bytes */
    made[at] = (header & ~(uint64_t)NO_TIME) | (8 * (made_words - at));
}

static void check(const struct sample *s, uint64_t groups, unsigned seed)
{
    const unsigned n = (unsigned)(s - buffer);
    assert_int_equal(s->valid, valid_of(groups));
    assert_int_equal(s->counter, 1);
    assert_int_equal(s->ip, 0xffffffff81000000ull + seed);
    assert_int_equal(s->tsc, 0x100000000ull + seed);
    assert_int_equal(s->retire, 7 + seed);
    assert_int_equal(s->traits, groups & MEMORY ? SAMPLE_LOAD | SAMPLE_LOCKED : 0);
    if (groups & MEMORY) {
        assert_int_equal(s->data, 0x7fff00000000ull + seed);
        assert_int_equal(s->latency, 90 + seed);
        assert_int_equal(s->cache_latency, 0xbb);
        assert_int_equal(s->level, LEVEL_L3);
        assert_int_equal(s->tlb, TLB_WALK);
    }
    if (groups & REGS) {
        assert_int_equal(s->flags, 0x202 + seed);
        for (unsigned r = 0; r < 16; r++) assert_int_equal(s->reg[r], reg_value(seed, r));
    }
    for (unsigned i = 0; groups & XMM && i < 32; i++)
        assert_int_equal(xmms[n][i / 2][i % 2], reg_value(seed, 100 + i));
    const unsigned kept = lbrs(groups) < BRANCHES_MOST ? lbrs(groups) : BRANCHES_MOST;
    assert_int_equal(s->branches, kept);
    for (unsigned i = 0; i < kept; i++) {
        const struct branch *b = &branches[n * BRANCHES_MOST + i];
        assert_true(b->from == 0x1000 + 16 * i + seed && b->to == 0x2000 + 16 * i);
        assert_true(b->cycles == 40 + i && b->mispredicted == (i & 1));
        assert_int_equal(b->known, BRANCH_PREDICTION | (i & 2 ? BRANCH_CYCLES : 0));
    }
    for (unsigned i = 0; groups & CNTR && i < 2; i++)
        assert_int_equal(counts_of[n][i], 0xf00000000000 + 0x1000 * i + seed);
}

#define ON        (1ull << 32)
#define FULL      (1ull << 31)
#define EMPTY(to) (ON | (uint64_t)((to) >> 4) << 36)

static struct pebs p;
static void begin(unsigned records)
{
    fake_reset();
    fake_msr(INDEX, 0);
    fake_msr(CONFIG, 0);
    p = plan();
    memset(area, 0, sizeof area);
    pebs_init(&p, area, records, 1000);
    made_words = 0;
}
static uint64_t index_now(void)
{
    uint64_t v = 0;
    assert_true(rdmsr_safe(INDEX, &v));
    return v;
}
/* The processor has written what was made. */
static unsigned written(struct samples *out, uint64_t flags)
{
    memcpy(p.base, made, 8 * made_words);
    fake_msr(INDEX, p.index | 8 * made_words | flags);
    const unsigned n = pebs_drain(&p, out);
    decode_branches(&p, out);
    assert_int_equal(index_now(), p.index);
    return n;
}

/* All groups that a record may have beside the basic one, in all combinations, with each number of branches.
 */
static const uint64_t of[] = {MEMORY, REGS, XMM, CNTR, NO_TIME};
static uint64_t combination(unsigned g)
{
    uint64_t groups = BASIC;
    for (unsigned i = 0; i < 5; i++) groups |= g >> i & 1 ? of[i] : 0;
    return groups;
}

TEST(groups)
{
    static const unsigned depths[] = {0, 1, 8, 32, 33, 64};
    for (unsigned g = 0; g < 32; g++)
        for (unsigned code = 0; code < 4; code++)
            for (unsigned d = 0; d < (code == 3 ? 6 : 1); d++) {
                const uint64_t all = combination(g) | LBR(code);
                struct samples out = empty(64);
                begin(10);
                depth = depths[d];
                for (unsigned seed = 0; seed < 3; seed++) fragment(all, seed);
                assert_int_equal(written(&out, 0), 3);
                assert_true(out.n == 3 && !out.lost && !out.more);
                for (unsigned seed = 0; seed < 3; seed++) check(&buffer[seed], all, seed);
                assert_int_equal(pebs_drain(&p, &out), 0);
            }
}

/* In two fragments, cut between any two groups; with fragments of nothing between them. */
TEST(fragments)
{
    static const uint64_t order[] = {BASIC, MEMORY, REGS, XMM, LBR(1), CNTR};
    for (unsigned cut = 1; cut < 6; cut++)
        for (unsigned nothing = 0; nothing < 2; nothing++) {
            uint64_t first = 0, second = 0;
            struct samples out = empty(64);
            begin(10);
            for (unsigned i = 0; i < 6; i++) *(i < cut ? &first : &second) |= order[i];
            for (unsigned seed = 0; seed < 3; seed++) {
                fragment(first | CONT, seed);
                if (nothing) fragment(0, 0);
                fragment(second, seed);
            }
            assert_int_equal(written(&out, 0), 3);
            assert_true(out.n == 3 && !out.more);
            for (unsigned seed = 0; seed < 3; seed++) check(&buffer[seed], first | second, seed);
        }
}

/* What cannot be a record, or is part of none, is said. */
TEST(broken)
{
    struct samples out;
    depth = 8;
    for (unsigned k = 0; k < 12; k++) {
        const uint64_t all = BASIC | MEMORY | LBR(3) | CNTR;
        unsigned n = 1;
        out = empty(64);
        begin(10);
        fragment(all, 0);
        const unsigned at = made_words;
        fragment(all, 1);
        const unsigned cntr = made_words - 4, entries = at + 2 + 6 + 8 + 2;
        if (k == 0) made[at] &= ~0xffffull;   /* no size */
        if (k == 1) made[at] -= 16;           /* shorter than its groups */
        if (k == 2) made[at] += 16;           /* longer than the buffer is filled */
        if (k == 3) made[at] |= REGS;         /* a group that does not fit */
        if (k == 4) made[at] &= ~BASIC;       /* no beginning */
        if (k == 5) made[entries] = 257;      /* too many branches */
        if (k == 6) made[entries] = 9;        /* more than fit, with the counters */
        if (k == 7) made[cntr] |= 1ull << 34; /* one more counter than fits */
        if (k == 8) made_words = at + 2;      /* the header alone */
        if (k == 11) made[at] += 4;           /* not of whole words */
        if (k == 9) made_words = at + 20;     /* cut */
        if (k == 10) made[at] |= CONT, n = 2; /* its end is missing */
        assert_int_equal(written(&out, 0), n);
        assert_true(out.n == n && out.more && out.lost == 0);
        check(&buffer[0], all, 0);
        if (n == 2) check(&buffer[1], all, 1);
    }
    /* Vectors that nobody asked for: what follows them is left. A null record is none. */
    out = empty(64);
    begin(10);
    fragment(BASIC | REGS | XMM | YMM | LBR(3) | CNTR, 0);
    fragment(0, 0);
    fragment(BASIC, 1);
    assert_int_equal(written(&out, 0), 2);
    assert_false(out.more);
    check(&buffer[0], BASIC | REGS | XMM, 0);
    check(&buffer[1], BASIC, 1);
}

/* Not as many as there is room for; pools that nobody wants. */
TEST(room)
{
    depth = 32;
    for (unsigned cap = 0; cap < 5; cap++) {
        struct samples out = empty(cap);
        begin(10);
        for (unsigned seed = 0; seed < 3; seed++) {
            fragment(BASIC | MEMORY | CONT, seed);
            fragment(XMM | LBR(3) | CNTR, seed);
        }
        assert_int_equal(written(&out, 0), 3);
        assert_true(out.n == (cap < 3 ? cap : 3) && out.lost == 3 - out.n && !out.more);
        for (unsigned i = 0; i < out.n; i++) check(&buffer[i], BASIC | MEMORY | XMM | LBR(3) | CNTR, i);
    }
    struct samples out = empty(4);
    out.xmm = NULL;
    out.branch = NULL;
    out.counts = NULL;
    begin(10);
    p.valid = always | SAMPLE_TSC;
    fragment(BASIC | MEMORY | XMM | LBR(3) | CNTR, 5);
    assert_int_equal(written(&out, 0), 1);
    assert_true(buffer[0].valid == (always | SAMPLE_TSC) && buffer[0].branches == 0);
}

/* The buffer's size is a power of two, the threshold in bytes; nothing is read outside of it. */
TEST(the_buffer)
{
    static const struct {
        unsigned record, depth, bytes;
    } rows[] = {{64, 1, 4096}, {64, 56, 4096}, {64, 57, 8192}, {2000, 10, 65536}, {2000, 24, 65536}};
    for (unsigned k = 0; k < sizeof rows / sizeof *rows; k++) {
        begin(1);
        p.record = (uint16_t)rows[k].record;
        pebs_init(&p, area, rows[k].depth, 1000);
        assert_int_equal(p.bytes, rows[k].bytes);
        assert_int_equal(pebs_bytes(&p, rows[k].depth), rows[k].bytes + 256 * 4);
        assert_int_equal(p.index, EMPTY(rows[k].depth * rows[k].record));
        assert_ptr_equal(p.base, area);
        assert_int_equal(p.reload, 0xfffffc19); /* -999 */
        assert_int_equal(index_now(), 0);       /* not yet */
    }
    struct samples out = empty(64);
    begin(10);
    fragment(BASIC, 0);
    assert_int_equal(written(&out, FULL), 1); /* no room for another one */
    assert_true(out.more && out.n == 1);
    out = empty(64);
    begin(10);
    memset(area, 0, sizeof area);
    for (unsigned i = 0; i < p.bytes; i += 64) area[i] = 64; /* fragments of nothing, to the end */
    fake_msr(INDEX, p.index | 0x7fffff0);
    assert_int_equal(pebs_drain(&p, &out), 0);
    assert_true(out.more);
    assert_int_equal(index_now(), p.index);
}

/* Another period, in the handler: the whole register is written. */
TEST(reload)
{
    uint64_t v;
    begin(10);
    pebs_reload(&p, 0x7fffffff);
    assert_true(rdmsr_safe(CONFIG, &v) && v == 0xe002032080000002);
    p.skid = 0;
    pebs_reload(&p, 2);
    assert_true(rdmsr_safe(CONFIG, &v) && v == 0xe0020320fffffffe);
}

TEST(bytes)
{
    assert_int_equal(pebs_arch_bytes(0), 64);
    assert_int_equal(pebs_arch_bytes(1u << 30), 64 + 64);
    assert_int_equal(pebs_arch_bytes(1u << 29), 64 + 160);
    assert_int_equal(pebs_arch_bytes(1u << 17), 64 + 16 + 256);
    assert_int_equal(pebs_arch_bytes(3u << 8), 64 + 48 + 32 * 24);
    assert_int_equal(pebs_arch_bytes(1u << 5), 64 + 16);
}
