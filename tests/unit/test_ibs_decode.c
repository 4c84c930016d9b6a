/* What the registers of a sample of IBS mean: each bit alone, each data source, each CPU's exceptions. */
#include "pmu/ibs.h"
#include "tests/unit/fake_pmu.h"
#include "tests/unit/unit.h"
#include <string.h>

#define N(a) (sizeof(a) / sizeof *(a))

#define RAW    (SAMPLE_IP | SAMPLE_PRECISE | SAMPLE_TSC)
#define BIT(n) (UINT64_C(1) << (n))

static struct ibs ibs;
static struct sample s;

static bool never(unsigned counter) { return (void)counter, false; }
static const struct fake_pmu_rules rules = {{0}, never, NULL, false, {0}};

/* family, model and capabilities of CPUs; Zen 4 has no exceptions but its own data sources. */
enum cpu { FAM10H, BOBCAT, BULLDOZER, STEAMROLLER, JAGUAR, ZEN, ZEN3, VERMEER, ZEN4, CPUS };
static const struct {
    unsigned family, model;
    uint32_t caps;
} cpus[] = {{0x10, 2, 0x1f},  {0x14, 1, 0xff},  {0x15, 2, 0xff},     {0x15, 0x30, 0x1ff}, {0x16, 0, 0x1ff},
            {0x17, 1, 0x3ff}, {0x19, 1, 0x3ff}, {0x19, 0x21, 0x3ff}, {0x19, 0x11, 0xbff}};

static void plug_model(unsigned family, unsigned model, uint32_t caps, struct ibs_asked asked)
{
    char why[160];
    const struct cpu_id id = {.vendor = "AuthenticAMD",
                              .family = family,
                              .model = model,
                              .x1_ecx = 1u << 10,
                              .x1b_eax = caps | (asked.latency ? 0x5000 : 0)};
    fake_pmu_reset(&rules);
    for (uint32_t msr = 0xc0011030; msr <= 0xc001103f; msr++) fake_pmu_msr(msr, 0);
    if (!ibs_init(&ibs, &id, &asked, "a CPU", why, sizeof why)) fail_msg("%s", why);
}

static void plug(enum cpu cpu, struct ibs_asked asked)
{
    plug_model(cpus[cpu].family, cpus[cpu].model, cpus[cpu].caps, asked);
}

static bool op(uint64_t data1, uint64_t data2, uint64_t data3)
{
    memset(&s, 0xa5, sizeof s); /* another one lay there before */
    s.valid = RAW;
    s.ip = 0x1234;
    s.reg[0] = BIT(18);
    s.reg[1] = data1;
    s.reg[2] = data2;
    s.reg[3] = data3;
    s.data = 0x5678;
    s.physical = 0x9abc;
    s.target = 0xdef0;
    return ibs_decode(&ibs, &s);
}

static bool fetch(uint64_t control, uint64_t at)
{
    memset(&s, 0xa5, sizeof s);
    s.valid = RAW;
    s.ip = at;
    s.reg[0] = control;
    s.physical = 0x9abc;
    return ibs_decode(&ibs, &s);
}

/* DATA1, all its bits one after another, on an op that is no access. */
TEST(test_data1)
{
    for (unsigned target = 0; target < 2; target++) {
        plug(target ? ZEN4 : FAM10H, (struct ibs_asked){0});
        for (unsigned bit = 0; bit < 64; bit++) {
            const bool invalid = target && bit == 38;
            assert_true(op(BIT(bit), ~0ull, 0) == !invalid);
            if (invalid) continue;
            assert_int_equal(s.valid, RAW | SAMPLE_RETIRE |
                                          (bit == 37 ? SAMPLE_OUTCOME | (target ? SAMPLE_TARGET : 0) : 0));
            assert_int_equal(s.completion, bit < 16 ? BIT(bit) : 0);
            assert_int_equal(s.retire, bit >= 16 && bit < 32 ? BIT(bit - 16) : 0);
            assert_int_equal(s.traits, bit == 37 ? SAMPLE_PREDICTED : 0);
            assert_true(s.ip == 0x1234 && s.data == 0 && s.physical == 0);
            assert_int_equal(s.target, bit == 37 && target ? 0xdef0 : 0);
            assert_int_equal(s.latency | s.cache_latency | s.level | s.tlb, 0);
            for (unsigned i = 0; i < 4; i++) assert_int_equal(s.reg[i], 0);
        }
    }
    for (unsigned how = 0; how < 4; how++) { /* taken, mispredicted */
        assert_true(op(BIT(37) | (uint64_t)how << 35, 0, 0));
        assert_int_equal(s.traits,
                         (how & 1 ? SAMPLE_TAKEN : 0) | (how & 2 ? SAMPLE_MISPREDICTED : SAMPLE_PREDICTED));
    }
    /* The model has neither a predictor nor TLBs. */
    ibs.unknown_traits = SAMPLE_PREDICTED | SAMPLE_MISPREDICTED;
    ibs.unknown = SAMPLE_TLB;
    for (unsigned how = 0; how < 4; how++) {
        assert_true(op(BIT(37) | (uint64_t)how << 35, 0, 1 | BIT(17)));
        assert_int_equal(s.traits, SAMPLE_LOAD | (how & 1 ? SAMPLE_TAKEN : 0));
        assert_true(s.valid & SAMPLE_DATA && !(s.valid & SAMPLE_TLB) && s.tlb == TLB_UNKNOWN);
    }
}

/* DATA3's bits, each alone beside a load that hit. */
TEST(test_data3)
{
    plug(ZEN4, (struct ibs_asked){0});
    for (unsigned bit = 0; bit < 64; bit++) {
        assert_true(op(0, 0, BIT(bit)));
        if (bit > 1) assert_int_equal(s.valid, RAW | SAMPLE_RETIRE); /* neither load nor store */
        assert_true(op(0, 0, 1 | BIT(bit)));
        uint32_t valid = RAW | SAMPLE_RETIRE | SAMPLE_LEVEL;
        uint16_t traits = SAMPLE_LOAD;
        uint8_t level = LEVEL_L1;
        if (bit == 1) traits |= SAMPLE_STORE;
        if (bit == 7) level = LEVEL_L2, valid |= SAMPLE_LATENCY;
        if (bit == 8) traits |= SAMPLE_MISALIGNED;
        if (bit == 14) level = LEVEL_UNCACHED;
        if (bit == 15) traits |= SAMPLE_LOCKED;
        if (bit == 17) valid |= SAMPLE_DATA | SAMPLE_TLB;
        if (bit == 18) valid |= SAMPLE_PHYSICAL;
        if (bit == 21) traits |= SAMPLE_PREFETCH;
        assert_int_equal(s.valid, valid);
        assert_int_equal(s.traits, traits);
        assert_int_equal(s.level, level);
        assert_int_equal(s.data, bit == 17 ? 0x5678 : 0);
        assert_int_equal(s.physical, bit == 18 ? 0x9abc : 0);
        assert_int_equal(s.tlb, bit == 17 ? TLB_L1 : TLB_UNKNOWN);
        assert_int_equal(s.latency, 0);
    }
    static const uint8_t tlb[] = {TLB_L1, TLB_L2, TLB_L1, TLB_WALK}; /* by L1 missed, L2 missed */
    for (unsigned i = 0; i < 4; i++) {
        assert_true(op(0, 0, 1 | BIT(17) | i << 2));
        assert_int_equal(s.tlb, tlb[i]);
    }
    assert_true(op(0, 0, 2));
    assert_int_equal(s.traits, SAMPLE_STORE);
}

/* The latency is that of loads that missed, and of no other. */
TEST(test_latency)
{
    plug(ZEN4, (struct ibs_asked){0});
    for (unsigned bit = 0; bit < 16; bit++) {
        assert_true(op(0, 0, 0x81 | BIT(32 + bit)));
        assert_int_equal(s.latency, BIT(bit));
        assert_true(s.valid & SAMPLE_LATENCY);
    }
    static const uint64_t without[] = {0x01, 0x82, 0x200081, 0x4081}; /* hit, store, prefetch, uncached */
    for (unsigned i = 0; i < N(without); i++) {
        assert_true(op(0, 0, without[i] | BIT(40)));
        assert_true(!(s.valid & SAMPLE_LATENCY) && s.latency == 0);
    }
    plug(ZEN4, (struct ibs_asked){.latency = 300});
    assert_false(op(0, 0, 0x81 | UINT64_C(299) << 32));
    assert_true(op(0, 0, 0x81 | UINT64_C(300) << 32));
    assert_false(op(0, 0, 0x82 | UINT64_C(300) << 32));
    plug(ZEN4, (struct ibs_asked){.fetch = true, .latency = 300});
    assert_false(fetch(BIT(50) | UINT64_C(299) << 32, 1));
    assert_true(fetch(BIT(50) | UINT64_C(300) << 32, 1));
}

/* Data sources of a load that missed L1 and L2: every number, local and remote, with the line's state. */
TEST(test_sources)
{
    enum {
        U = LEVEL_UNKNOWN,
        L3 = LEVEL_L3,
        O = LEVEL_OTHER_CACHE,
        M = LEVEL_MEMORY,
        RC = LEVEL_REMOTE_CACHE
    };
    enum { RM = LEVEL_REMOTE_MEMORY, IO = LEVEL_IO };
    static const uint8_t old[2][8] = {{U, L3, O, M, RC, U, U, IO}, {U, L3, RC, RM, RC, U, U, IO}};
    static const uint8_t zen[2][8] = {{U, L3, L3, M, RC, U, U, IO}, {U, L3, RC, RM, RC, U, U, IO}};
    static const uint8_t zen4[2][32] = {{U, L3, O, M, U, RC, M, IO, M, U, U, U, RM},
                                        {U, L3, O, RM, U, RC, RM, IO, RM, U, U, U, RM}};
    for (enum cpu cpu = FAM10H; cpu < CPUS; cpu++)
        for (unsigned n = 0; n < (cpu == ZEN4 ? 32u : 8u); n++)
            for (unsigned how = 0; how < 4; how++) {
                const bool node = cpu != BOBCAT && cpu != JAGUAR, remote = how & 1 && node, clean = how & 2;
                const bool state_known = node && cpu != ZEN3 && cpu != VERMEER;
                const uint64_t data2 = (n & 7) | (uint64_t)(n >> 3) << 6 | (how & 1) << 4 | clean << 5;
                const uint8_t *table = cpu == ZEN4 ? zen4[remote] : cpu >= ZEN ? zen[remote] : old[remote];
                uint8_t level = table[n];
                const bool with_state = cpu == ZEN4 ? n == 1 || n == 2 || n == 5 : n == 2;
                plug(cpu, (struct ibs_asked){0});
                assert_true(op(0, data2, BIT(0) | BIT(7) | BIT(20)));
                /* Without L2Miss, no source is an answer of the L2. */
                if (!level && cpu <= BULLDOZER) level = LEVEL_L2;
                assert_int_equal(s.level, level);
                assert_int_equal(s.valid & SAMPLE_LEVEL, level ? SAMPLE_LEVEL : 0);
                assert_int_equal(s.traits & SAMPLE_WAS_MODIFIED,
                                 with_state && state_known && !clean ? SAMPLE_WAS_MODIFIED : 0);
            }
}

/* What goes before the source, and behind it. */
TEST(test_levels)
{
    static const struct {
        enum cpu cpu;
        uint64_t data2, data3;
        uint8_t level;
    } cases[] = {
        {ZEN4, 3, BIT(0) | BIT(7), LEVEL_L2}, /* L2Miss clear: the source is not asked */
        {STEAMROLLER, 3, BIT(0) | BIT(7), LEVEL_L2},
        {BULLDOZER, 3, BIT(0) | BIT(7), LEVEL_MEMORY},       /* there is no L2Miss */
        {ZEN4, 3, BIT(0) | BIT(20), LEVEL_L1},               /* no miss at all */
        {ZEN4, 3, BIT(1) | BIT(7) | BIT(20), LEVEL_UNKNOWN}, /* sources are of loads */
        {ZEN4, 3, BIT(1) | BIT(7), LEVEL_L2},
        {FAM10H, 0, BIT(1) | BIT(7), LEVEL_UNKNOWN},
        {ZEN4, 0, BIT(0) | BIT(7) | BIT(20) | BIT(16), LEVEL_FILL_BUFFER},
        {ZEN4, 3, BIT(0) | BIT(7) | BIT(20) | BIT(16), LEVEL_MEMORY}, /* the source says more */
        {ZEN4, 0, BIT(1) | BIT(7) | BIT(20) | BIT(16), LEVEL_FILL_BUFFER},
        {FAM10H, 0, BIT(0) | BIT(7) | BIT(16), LEVEL_FILL_BUFFER},
        {ZEN4, 3, BIT(0) | BIT(14), LEVEL_UNCACHED},
        {ZEN4, 7, BIT(0) | BIT(14), LEVEL_IO},
        /* 1293: neither DATA2 nor L2Miss of prefetches, and without a MAB. */
        {ZEN3, 3, BIT(0) | BIT(7) | BIT(20) | BIT(21), LEVEL_UNKNOWN},
        {ZEN3, 3, BIT(0) | BIT(7) | BIT(21), LEVEL_UNKNOWN},
        {ZEN3, 3, BIT(0) | BIT(7) | BIT(16), LEVEL_FILL_BUFFER},
        {ZEN3, 3, BIT(0) | BIT(7) | BIT(20), LEVEL_MEMORY},
        {VERMEER, 3, BIT(0) | BIT(7) | BIT(20) | BIT(21), LEVEL_MEMORY},
        /* 484: nor that of write-combining memory. */
        {BOBCAT, 3, BIT(0) | BIT(7) | BIT(13), LEVEL_UNKNOWN},
        {BULLDOZER, 3, BIT(0) | BIT(7) | BIT(13), LEVEL_MEMORY},
    };
    for (unsigned i = 0; i < N(cases); i++) {
        plug(cases[i].cpu, (struct ibs_asked){0});
        assert_true(op(0, cases[i].data2, cases[i].data3));
        if (s.level != cases[i].level) fail_msg("case %u: %u", i, s.level);
    }
}

/* The control of a fetch, each bit alone, completed or not. */
TEST(test_fetch)
{
    for (unsigned done = 0; done < 2; done++)
        for (unsigned bit = 0; bit < 64; bit++) {
            const bool whole = done || bit == 50;
            plug(ZEN4, (struct ibs_asked){.fetch = true});
            assert_true(fetch(BIT(bit) | (uint64_t)done << 50, 0x1234));
            const uint8_t level = !whole ? LEVEL_UNKNOWN : bit == 51 ? LEVEL_L2 : LEVEL_L1;
            assert_int_equal(s.valid, RAW | SAMPLE_LATENCY | (level ? SAMPLE_LEVEL : 0) |
                                          (bit == 52 ? SAMPLE_PHYSICAL | SAMPLE_TLB : 0));
            assert_int_equal(s.level, level);
            assert_int_equal(s.traits, whole ? 0 : SAMPLE_ABANDONED);
            assert_int_equal(s.latency, bit >= 32 && bit < 48 ? BIT(bit - 32) : 0);
            assert_int_equal(s.physical, bit == 52 ? 0x9abc : 0);
            assert_int_equal(s.tlb, bit == 52 ? TLB_L1 : TLB_UNKNOWN);
            assert_int_equal(s.retire | s.completion | s.cache_latency, 0);
            assert_true(s.ip == 0x1234 && s.data == 0 && s.target == 0 && s.reg[0] == 0);
        }
    static const uint8_t tlb[] = {TLB_L1, TLB_L2, TLB_L1, TLB_WALK};
    for (unsigned i = 0; i < 4; i++) {
        assert_true(fetch(BIT(52) | (uint64_t)i << 55, 1));
        assert_int_equal(s.tlb, tlb[i]);
    }
}

/* IcMiss, L2 miss, L3 miss: who has which. */
TEST(test_fetch_levels)
{
    enum { U = LEVEL_UNKNOWN, L1 = LEVEL_L1, L2 = LEVEL_L2, L3 = LEVEL_L3, M = LEVEL_MEMORY };
    static const struct {
        enum cpu cpu;
        uint8_t level[8]; /* by IcMiss, L2 miss, L3 miss */
    } cases[] = {{FAM10H, {L1, U, L1, U, L1, U, L1, U}},  {JAGUAR, {L1, U, L1, U, L1, U, L1, U}},
                 {ZEN, {L1, L2, L1, U, L1, L2, L1, U}},   {VERMEER, {L1, L2, L1, U, L1, L2, L1, U}},
                 {ZEN4, {L1, L2, L1, L3, L1, L2, L1, M}}, {ZEN3, {U, U, U, U, U, U, U, U}} /* 1238 */};
    for (unsigned i = 0; i < N(cases); i++)
        for (uint64_t k = 0; k < 8; k++) {
            plug(cases[i].cpu, (struct ibs_asked){.fetch = true});
            assert_true(fetch(BIT(50) | (k & 1) << 51 | (k >> 1 & 1) << 58 | (k >> 2) << 61, 1));
            assert_int_equal(s.level, cases[i].level[k]);
        }
    /* 1197: an address of 0 is none. */
    plug(ZEN3, (struct ibs_asked){.fetch = true});
    assert_false(fetch(BIT(50), 0));
    plug(VERMEER, (struct ibs_asked){.fetch = true});
    assert_true(fetch(BIT(50), 0));
}

/* The families that test_sources leaves out, and the models at which a row begins and ends. Neither L2Miss of
 * a load nor that of a fetch exists before family 15h, model 30h; that of a fetch not before Zen. */
TEST(test_each_family)
{
    static const struct {
        unsigned family, model;
        bool of_loads, of_fetches, local_l3, state;
    } cases[] = {
        {0x10, 0x00, false, false, false, true}, {0x10, 0xff, false, false, false, true},
        {0x12, 0x00, false, false, false, true}, {0x12, 0xff, false, false, false, true},
        {0x15, 0x1f, false, false, false, true}, {0x15, 0x20, false, false, false, true},
        {0x15, 0x2f, false, false, false, true}, {0x15, 0x30, true, false, false, true},
        {0x15, 0x5f, true, false, false, true},  {0x17, 0x00, true, true, true, true},
        {0x17, 0xff, true, true, true, true},    {0x18, 0x00, true, true, true, true},
        {0x18, 0xff, true, true, true, true},    {0x19, 0x20, true, true, true, false},
        {0x19, 0x5f, true, true, true, false},
    };
    for (unsigned i = 0; i < N(cases); i++) {
        plug_model(cases[i].family, cases[i].model, 0x3ff, (struct ibs_asked){0});
        assert_true(op(0, 0, BIT(0) | BIT(7) | BIT(20))); /* L1 and L2 missed, no source */
        assert_int_equal(s.level, cases[i].of_loads ? LEVEL_UNKNOWN : LEVEL_L2);
        assert_true(op(0, 2, BIT(0) | BIT(7) | BIT(20))); /* source 2: another cache of this node */
        assert_int_equal(s.level, cases[i].local_l3 ? LEVEL_L3 : LEVEL_OTHER_CACHE);
        assert_true((s.traits & SAMPLE_WAS_MODIFIED) == (cases[i].state ? SAMPLE_WAS_MODIFIED : 0));
        plug_model(cases[i].family, cases[i].model, 0x3ff, (struct ibs_asked){.fetch = true});
        assert_true(fetch(BIT(50) | BIT(51), 1)); /* IcMiss */
        assert_int_equal(s.level, cases[i].of_fetches ? LEVEL_L2 : LEVEL_UNKNOWN);
    }
}
