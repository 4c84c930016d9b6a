/* Instruction-based sampling of the AMD model: where a sample of an op says that its data were, and the
 * filter for what misses the L3. */
#include "tests/unit/ibs_op_drive.h"

/* Bytes apart that are in one set of each cache, and the ways of L1D and L2. */
static const struct {
    unsigned stride, l1d, l2;
    unsigned latency[3]; /* from the L2, the L3, memory: docs/pmu-model.md */
} caches[WITH_IBS] = {{32768, 2, 16, {12, 45, 180}},
                      {131072, 4, 16, {20, 65, 200}},
                      {65536, 8, 8, {13, 40, 250}},
                      {131072, 8, 8, {11, 50, 320}}};

static void check_level(struct sim *s, unsigned m, const struct sim_insn *i, unsigned level)
{
    static const uint64_t flags[] = {0, DC_MISS, DC_MISS | L2_MISS, DC_MISS | L2_MISS};
    const bool load = i->access[0].kind & SIM_READ;
    const unsigned cycles = level && load ? caches[m].latency[level - 1] : 0;
    const uint64_t source[] = {0, 0, m == 2 ? 2 : 1, 3};
    sample(s, m, i);
    const uint64_t d3 = rd(s, OPDATA3);
    assert_int_equal(d3 & (DC_MISS | L2_MISS), as(m, flags[level]));
    assert_int_equal(LATENCY(d3), cycles);
    assert_int_equal(rd(s, OPDATA) >> 16 & 0xffff, 10 + cycles);
    assert_int_equal(rd(s, OPDATA2) & 0xd7, load ? source[level] : 0);
    assert_int_equal(rd(s, OPDATA2) >> 5 & 1, load && level == 2); /* not "modified in another cache" */
}

TEST(test_levels)
{
    for (unsigned m = 0; m < WITH_IBS; m++) {
        for (unsigned kind = SIM_READ; kind <= SIM_WRITE; kind++) {
            struct sim *s = ibs_machine(with_ibs[m]);
            const struct sim_insn i = accessing(0x1000000, 8, kind);
            check_level(s, m, &i, 3);
            check_level(s, m, &i, 0);
            for (unsigned k = 1; k <= caches[m].l1d; k++) load(s, 0x1000000 + k * caches[m].stride);
            check_level(s, m, &i, caches[m].l1d < caches[m].l2 ? 1 : 2);
            for (unsigned k = 1; k <= 2 * (caches[m].l1d + caches[m].l2); k++)
                load(s, 0x1000000 + k * caches[m].stride);
            check_level(s, m, &i, 2);
            sim_cache_flush(s, true);
            check_level(s, m, &i, 3);
            sim_free(s);
        }
    }
}

/* The L3 has what the L2 has thrown out, until it throws it out itself, or it is flushed. */
TEST(test_l3)
{
    static const unsigned kib[WITH_IBS] = {2048, 8192, 8192, 32768};
    for (unsigned m = 0; m < WITH_IBS; m++) {
        struct sim *s = ibs_machine(with_ibs[m]);
        const struct sim_insn i = accessing(0x10000000, 8, SIM_READ);
        struct sim_insn flush = accessing(0, 0, 0);
        flush.n_access = 0;
        flush.cache_op = CACHE_FLUSH;
        flush.line = (struct sim_named_line){0x10000000, 0x10000000, false};
        wr(s, SEL0, 0xc0 | ON);
        load(s, 0x10000000);
        for (unsigned k = 0; k < kib[m] * 1024 / 64 / 2; k++) load(s, 0x20000000 + 64 * k);
        check_level(s, m, &i, 2);
        for (unsigned k = 0; k < kib[m] * 1024 / 64 * 3; k++) load(s, 0x20000000 + 64 * k);
        check_level(s, m, &i, 3);
        for (unsigned k = 0; k < kib[m] * 1024 / 64 / 2; k++) load(s, 0x20000000 + 64 * k);
        sim_instruction(s, &flush);
        check_level(s, m, &i, 3);
        sim_free(s);
    }
}

/* An access in two lines: the data "below the 128-bit boundary" (APM). */
TEST(test_split)
{
    for (unsigned m = 0; m < WITH_IBS; m++) {
        struct sim *s = ibs_machine(with_ibs[m]);
        wr(s, SEL0, 0xc0 | ON);
        load(s, 0x200000);
        struct sim_insn i = accessing(0x20003c, 8, SIM_READ);
        sample(s, m, &i);
        assert_int_equal(rd(s, OPDATA3) & DC_MISS, 0);
        load(s, 0x300040);
        i = accessing(0x30003c, 8, SIM_READ);
        sample(s, m, &i);
        assert_int_equal(rd(s, OPDATA3) & DC_MISS, DC_MISS);
        sim_free(s);
    }
}

/* What another processor has modified comes from there. */
TEST(test_other_processor)
{
    static const unsigned latency[WITH_IBS] = {160, 180, 230, 280};
    for (unsigned m = 0; m < WITH_IBS; m++) {
        struct sim *cpu[2] = {ibs_machine(with_ibs[m]), ibs_machine(with_ibs[m])};
        struct sim_bus *bus = sim_bus_new(cpu, 2);
        const struct sim_insn i = accessing(0x200000, 8, SIM_READ);
        assert_non_null(bus);
        wr(cpu[1], SEL0, 0xc0 | ON);
        store(cpu[1], 0x200000);
        sample(cpu[0], m, &i);
        assert_int_equal(rd(cpu[0], OPDATA2), (m == 3 ? 5 : m == 2 ? 4 : 2) | BIT(4));
        assert_int_equal(rd(cpu[0], OPDATA3) & (DC_MISS | L2_MISS), as(m, DC_MISS | L2_MISS));
        assert_int_equal(LATENCY(rd(cpu[0], OPDATA3)), latency[m]);
        load(cpu[1], 0x300000);
        const struct sim_insn j = accessing(0x300000, 8, SIM_READ);
        sample(cpu[0], m, &j);
        assert_int_equal(rd(cpu[0], OPDATA2), 3); /* not modified: from memory */
        sim_bus_free(bus);
        sim_free(cpu[0]);
        sim_free(cpu[1]);
    }
}

/* ---- the filter ---- */

/* A sample without an L3 miss sets nothing and interrupts nobody: of the L1, of no access, of the L3. The
 * next interval begins at 7 random bits. */
TEST(test_l3_miss_only)
{
    struct sim *s = ibs_machine("zen4");
    const struct sim_insn hit = accessing(0x200000, 8, SIM_READ),
                          thrown_out = accessing(0x1000000, 8, SIM_READ),
                          plain = {.lin = 0x9000, .phys = 0x9000, .len = 1};
    const struct sim_insn miss = accessing(0x9000000, 8, SIM_READ),
                          store = accessing(0x9100000, 8, SIM_WRITE),
                          other = accessing(0x9200000, 8, SIM_READ);
    const struct sim_insn *const fail[] = {&hit, &plain, &thrown_out}, *const pass[] = {&miss, &store,
                                                                                        &other};
    wr(s, SEL0, 0xc0 | ON);
    for (unsigned k = 0; k <= 2 * (caches[3].l1d + caches[3].l2); k++)
        load(s, 0x1000000 + k * caches[3].stride);
    load(s, 0x200000);
    for (unsigned k = 0; k < 3; k++) {
        tag_next(s, 3, BIT(16));
        sim_instruction(s, fail[k]);
        assert_int_equal(interrupts.n, k);
        assert_false(rd(s, OPCTL) & OP_VALID);
        const unsigned at =
            (unsigned)(rd(s, OPCTL) >> 32); /* the tagged op is the first of the new interval */
        assert_true(at >= 2 && at <= 128);
        row(s, 0x1000, 0x90 - at);
        assert_int_equal(interrupts.n, k);
        sim_instruction(s, pass[k]);
        assert_int_equal(interrupts.n, k + 1);
        assert_true(rd(s, OPCTL) & OP_VALID);
        assert_int_equal(rd(s, DCPHYS), pass[k]->access[0].phys);
    }
    sim_free(s);
}
