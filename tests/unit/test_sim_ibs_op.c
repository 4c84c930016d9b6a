/* Instruction-based sampling of the AMD model: each field of an op's sample, its filter, and the same
 * accesses in the oracle's trace. */
#include "tests/unit/ibs_drive.h"
#include "tests/unit/oracle_json.h"
#include <stdlib.h>

#define LD          BIT(0)
#define ST          BIT(1)
#define DC_MISS     BIT(7)
#define MISALIGN    BIT(8)
#define UC          BIT(14)
#define LOCKED      BIT(15)
#define LIN         BIT(17)
#define PHYS        BIT(18)
#define L2_MISS     BIT(20)
#define SW_PF       BIT(21)
#define WIDTH(c)    ((uint64_t)(c) << 22)
#define BOTH        (LIN | PHYS)
#define OLD(m)      ((m) < 2) /* without the fields from bit 20 on: AMD's header, "KV+" */
#define LATENCY(d3) ((unsigned)((d3) >> 32 & 0xffff))

/* The next instruction is tagged. */
static void tag_next(struct sim *s, unsigned m, uint64_t more)
{
    wr(s, OPCTL, (COUNTS_OPS(m) ? OPS : 0) | OP_ENABLE | MAX(0x90) | more);
    row(s, 0x1000, 0x90);
    assert_false(rd(s, OPCTL) & OP_VALID);
}

static void sample(struct sim *s, unsigned m, const struct sim_insn *i)
{
    tag_next(s, m, 0);
    sim_ticks(s, 1, false, i->cpl);
    sim_instruction(s, i);
    assert_true(rd(s, OPCTL) & OP_VALID);
    assert_int_equal(rd(s, OPRIP), i->lin);
}

static struct sim_insn accessing(uint64_t lin, unsigned bytes, unsigned kind)
{
    struct sim_insn i = {.lin = 0x401000, .phys = 0x1000, .len = 4, .cpl = 3, .cpl_after = 3, .n_access = 1};
    i.access[0] =
        (struct sim_access){lin + 0x7f0000000000, lin, lin | 0x40000000, (uint8_t)bytes, (uint8_t)kind, 0};
    return i;
}

/* What of these bits this processor has. */
static uint64_t as(unsigned m, uint64_t d3) { return OLD(m) ? d3 & 0xfffff : d3; }
#define FLAGS(d3) ((d3)&0x03ffffff)

/* ---- loads and stores ---- */

static void test_kinds(void **state)
{
    (void)state;
    for (unsigned m = 0; m < WITH_IBS; m++) {
        struct sim *s = ibs_machine(with_ibs[m]);
        struct sim_insn i = accessing(0x200000, 8, SIM_READ);
        sim_oracle_begin(s, "warm");
        sim_instruction(s, &i);
        static const struct {
            unsigned bytes, kind;
            uint64_t flags;
        } rows[] = {
            {1, SIM_READ, LD | WIDTH(1)},  {2, SIM_WRITE, ST | WIDTH(2)},  {4, SIM_READ, LD | WIDTH(3)},
            {8, SIM_WRITE, ST | WIDTH(4)}, {10, SIM_READ, LD | WIDTH(4)},  {16, SIM_READ, LD | WIDTH(5)},
            {32, SIM_READ, LD | WIDTH(6)}, {64, SIM_WRITE, ST | WIDTH(7)}, {8, SIM_RMW, LD | ST | WIDTH(4)}};
        for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
            i = accessing(0x200000, rows[r].bytes, rows[r].kind);
            sample(s, m, &i);
            assert_int_equal(FLAGS(rd(s, OPDATA3)), as(m, rows[r].flags | BOTH));
            assert_int_equal(LATENCY(rd(s, OPDATA3)), 0);
            assert_int_equal(rd(s, OPDATA2), 0);
            assert_int_equal(rd(s, DCLIN), 0x7f0000200000);
            assert_int_equal(rd(s, DCPHYS), 0x200000);
            assert_int_equal(rd(s, OPDATA) >> 32, 0); /* no branch */
            assert_int_equal(rd(s, OPDATA) & 0xffff, 2);
            assert_int_equal(rd(s, OPDATA) >> 16 & 0xffff, 10);
        }
        /* neither: the addresses stay, and are not valid */
        const struct sim_insn plain = {.lin = 0x401010, .phys = 0x1010, .len = 2};
        sample(s, m, &plain);
        assert_int_equal(rd(s, OPDATA3), 0);
        assert_int_equal(rd(s, OPDATA2), 0);
        assert_int_equal(rd(s, DCLIN), 0x7f0000200000);
        sim_free(s);
    }
}

/* Two of an instruction: the load is the one that is told. */
static void test_two_accesses(void **state)
{
    (void)state;
    for (unsigned m = 0; m < WITH_IBS; m++) {
        struct sim *s = ibs_machine(with_ibs[m]);
        struct sim_insn i = accessing(0x200000, 8, SIM_WRITE);
        i.n_access = 3;
        i.access[1] = (struct sim_access){0x300000, 0x310000, 0, 4, SIM_READ, 0};
        i.access[2] = (struct sim_access){0x400000, 0x410000, 0, 2, SIM_READ, 0};
        sample(s, m, &i);
        assert_int_equal(rd(s, OPDATA3) & (LD | ST), LD | ST);
        assert_int_equal(rd(s, DCLIN), 0x300000);
        assert_int_equal(rd(s, DCPHYS), 0x310000);
        if (!OLD(m)) assert_int_equal(rd(s, OPDATA3) & WIDTH(15), WIDTH(3));
        sim_free(s);
    }
}

static void test_misaligned(void **state)
{
    static const unsigned piece[WITH_IBS] = {8, 16, 32, 64};
    (void)state;
    for (unsigned m = 0; m < WITH_IBS; m++) {
        struct sim *s = ibs_machine(with_ibs[m]);
        for (unsigned bytes = 1; bytes <= 16; bytes *= 2) {
            for (unsigned at = 0; at < 64; at++) {
                const struct sim_insn i = accessing(0x200000 + at, bytes, SIM_READ);
                sample(s, m, &i);
                const bool more =
                    at / piece[m] != (at + bytes - 1) / piece[m] && !(bytes == 16 && at % 8 == 0 && m == 0);
                assert_int_equal((rd(s, OPDATA3) & MISALIGN) != 0, more);
            }
        }
        sim_free(s);
    }
}

static void test_locked_and_uncached(void **state)
{
    (void)state;
    for (unsigned m = 0; m < WITH_IBS; m++) {
        struct sim *s = ibs_machine(with_ibs[m]);
        struct sim_insn i = accessing(0x200000, 4, SIM_RMW);
        i.op = OP_LOCK;
        sample(s, m, &i);
        assert_true(rd(s, OPDATA3) & LOCKED);
        /* of these the manuals have no miss, source or latency; it takes its time to retire */
        i = accessing(0xfee00000, 4, SIM_READ);
        i.access[0].uncached = 1;
        sample(s, m, &i);
        assert_int_equal(rd(s, OPDATA3), as(m, LD | UC | BOTH | WIDTH(3)));
        assert_int_equal(rd(s, OPDATA2), 0);
        assert_true((rd(s, OPDATA) >> 16 & 0xffff) > 10);
        sim_free(s);
    }
}

/* ---- where the line was ---- */

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

static void test_levels(void **state)
{
    (void)state;
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
static void test_l3(void **state)
{
    static const unsigned kib[WITH_IBS] = {2048, 8192, 8192, 32768};
    (void)state;
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
static void test_split(void **state)
{
    (void)state;
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
static void test_other_processor(void **state)
{
    (void)state;
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
        load(cpu[1], 0x300000);
        const struct sim_insn j = accessing(0x300000, 8, SIM_READ);
        sample(cpu[0], m, &j);
        assert_int_equal(rd(cpu[0], OPDATA2), 3); /* not modified: from memory */
        sim_bus_free(bus);
        sim_free(cpu[0]);
        sim_free(cpu[1]);
    }
}

static void test_prefetch(void **state)
{
    (void)state;
    for (unsigned m = 0; m < WITH_IBS; m++) {
        struct sim *s = ibs_machine(with_ibs[m]);
        struct sim_insn i = accessing(0, 0, 0);
        i.n_access = 0;
        i.cache_op = CACHE_PREFETCH_T0;
        i.line = (struct sim_named_line){0x200004, 0x300004, false};
        sample(s, m, &i);
        assert_int_equal(rd(s, OPDATA3), as(m, LD | SW_PF | DC_MISS | L2_MISS | BOTH));
        assert_int_equal(rd(s, DCLIN), 0x200004);
        assert_int_equal(rd(s, DCPHYS), 0x300004);
        sample(s, m, &i);
        assert_int_equal(rd(s, OPDATA3), as(m, LD | SW_PF | BOTH));
        i.line.uncached = true; /* nothing is mapped there */
        sample(s, m, &i);
        assert_int_equal(rd(s, OPDATA3), as(m, LD | SW_PF | LIN));
        sim_free(s);
    }
}

/* ---- branches ---- */

static void test_branches(void **state)
{
    static const struct {
        uint32_t op;
        uint64_t bits, target;
    } rows[] = {
        {OP_BRANCH | OP_COND, BIT(37), 0x401004},
        {OP_BRANCH | OP_COND | OP_TAKEN, BIT(37) | BIT(35), 0x555000},
        {OP_BRANCH | OP_TAKEN, BIT(37) | BIT(35), 0x555000},
        {OP_BRANCH | OP_TAKEN | OP_CALL | OP_INDIRECT, BIT(37) | BIT(35), 0x555000},
        {OP_BRANCH | OP_TAKEN | OP_RET | OP_INDIRECT, BIT(37) | BIT(35) | BIT(34), 0x555000},
        {OP_BRANCH | OP_TAKEN | OP_FAR, BIT(37) | BIT(35), 0x555000},
        {OP_BRANCH | OP_TAKEN | OP_FAR | OP_RET, BIT(37) | BIT(35), 0x555000},
        {0, 0, 0x555000}, /* what the register had */
    };
    (void)state;
    for (unsigned m = 0; m < WITH_IBS; m++) {
        struct sim *s = ibs_machine(with_ibs[m]);
        for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
            const struct sim_insn i = {
                .lin = 0x401000, .phys = 0x1000, .len = 4, .op = rows[r].op, .target = 0x555000};
            sample(s, m, &i);
            assert_int_equal(rd(s, OPDATA) & ~UINT64_C(0xffffffff), rows[r].bits);
            if (m) assert_int_equal(rd(s, BRTARGET), rows[r].target);
        }
        sim_free(s);
    }
}

/* ---- the filter ---- */

/* A sample without an L3 miss sets nothing and interrupts nobody; the next interval begins at 7 random bits.
 */
static void test_l3_miss_only(void **state)
{
    (void)state;
    struct sim *s = ibs_machine("zen4");
    const struct sim_insn hit = accessing(0x200000, 8, SIM_READ), miss = accessing(0x9000000, 8, SIM_READ);
    const struct sim_insn store_miss = accessing(0x9100000, 8, SIM_WRITE),
                          plain = {.lin = 0x9000, .phys = 0x9000, .len = 1};
    wr(s, SEL0, 0xc0 | ON);
    load(s, 0x200000);
    const struct sim_insn *const fail[] = {&hit, &plain}, *const pass[] = {&miss, &store_miss};
    for (unsigned k = 0; k < 2; k++) {
        tag_next(s, 3, BIT(16));
        sim_instruction(s, fail[k]);
        assert_int_equal(interrupts.n, 2 * k);
        assert_false(rd(s, OPCTL) & OP_VALID);
        const unsigned at =
            (unsigned)(rd(s, OPCTL) >> 32); /* the tagged op is the first of the new interval */
        assert_true(at >= 2 && at <= 128);
        row(s, 0x1000, 0x90 - at);
        assert_int_equal(interrupts.n, 2 * k);
        sim_instruction(s, pass[k]);
        assert_int_equal(interrupts.n, 2 * k + 1);
        assert_true(rd(s, OPCTL) & OP_VALID);
        assert_int_equal(rd(s, DCPHYS), pass[k]->access[0].phys);
        /* an L3 hit does not pass either */
        interrupts.n = 2 * k + 2;
    }
    sim_free(s);
}

/* ---- the oracle's trace ---- */

/* Says of each instruction what a sample of it would say. */
static void test_trace(void **state)
{
    (void)state;
    for (unsigned m = 0; m < WITH_IBS; m++) {
        struct sim *s = ibs_machine(with_ibs[m]);
        char *line = NULL;
        sim_oracle_begin(s, "t");
        assert_true(sim_oracle_trace(s, "RETIRED_INSTRUCTIONS,user"));
        struct sim_insn i = accessing(0x200000, 8, SIM_READ);
        sim_instruction(s, &i);
        i = accessing(0x200000, 4, SIM_RMW);
        sim_instruction(s, &i);
        i = accessing(0xb8000, 2, SIM_WRITE);
        i.access[0].uncached = 1;
        sim_instruction(s, &i);
        i.n_access = 0;
        i.op = OP_BRANCH | OP_TAKEN;
        i.target = 0x555000;
        sim_instruction(s, &i);
        i.op = OP_BRANCH | OP_COND;
        sim_instruction(s, &i);
        sim_oracle_end(s, keep, &line, NULL);
        static const char *const entries[] = {
            "{\"n\":0,\"ip\":\"401000\",\"next\":\"401004\",\"cpl\":3,\"access\":\"load\",\"data\":"
            "\"7f0000200000\","
            "\"phys\":\"200000\",\"bytes\":8,\"level\":\"memory\"}",
            "{\"n\":1,\"ip\":\"401000\",\"next\":\"401004\",\"cpl\":3,\"access\":\"load-store\","
            "\"data\":\"7f0000200000\",\"phys\":\"200000\",\"bytes\":4,\"level\":\"L1\"}",
            "{\"n\":2,\"ip\":\"401000\",\"next\":\"401004\",\"cpl\":3,\"access\":\"store\",\"data\":"
            "\"7f00000b8000\","
            "\"phys\":\"b8000\",\"bytes\":2,\"level\":\"uncached\"}",
            "{\"n\":3,\"ip\":\"401000\",\"next\":\"555000\",\"cpl\":3,\"taken\":true,\"branch\":true}",
            "{\"n\":4,\"ip\":\"401000\",\"next\":\"401004\",\"cpl\":3,\"branch\":true}",
        };
        for (size_t k = 0; k < sizeof entries / sizeof *entries; k++)
            assert_non_null(strstr(line, entries[k]));
        free(line);
        sim_free(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds),        cmocka_unit_test(test_two_accesses),
        cmocka_unit_test(test_misaligned),   cmocka_unit_test(test_locked_and_uncached),
        cmocka_unit_test(test_levels),       cmocka_unit_test(test_l3),
        cmocka_unit_test(test_split),        cmocka_unit_test(test_other_processor),
        cmocka_unit_test(test_prefetch),     cmocka_unit_test(test_branches),
        cmocka_unit_test(test_l3_miss_only), cmocka_unit_test(test_trace),
    };
    return cmocka_run_group_tests_name("sim_ibs_op", tests, NULL, NULL);
}
