/* Instruction-based sampling of the AMD model: the fields of an op's sample, and the same accesses in the
 * oracle's trace. Where data were: test_sim_ibs_levels.c. */
#include "tests/unit/ibs_op_drive.h"
#include "tests/unit/oracle_json.h"
#include <stdlib.h>

/* ---- loads and stores ---- */

TEST(test_kinds)
{
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
TEST(test_two_accesses)
{
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

TEST(test_misaligned)
{
    static const unsigned piece[WITH_IBS] = {8, 16, 32, 64};
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

TEST(test_locked_and_uncached)
{
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
        assert_int_equal(rd(s, OPDATA) >> 16 & 0xffff, 10 + (m < 2 ? 300 : 400));
        sim_free(s);
    }
}

TEST(test_prefetch)
{
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

TEST(test_branches)
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

/* ---- the oracle's trace ---- */

/* Says of each instruction what a sample of it would say. */
TEST(test_trace)
{
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
