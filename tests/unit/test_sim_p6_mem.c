/* P6 model: fetch, data caches and L2. Counts by hand from geometry. */
#include "tests/unit/p6_mem_drive.h"

/* ---- references ---- */

TEST(test_references)
{
    static const struct {
        unsigned offset, bytes, kind, refs, misaligned;
    } rows[] = {{0, 4, SIM_READ, 1, 0},    {0, 4, SIM_WRITE, 1, 0},  {0, 4, SIM_RMW, 2, 0},
                {4, 4, SIM_READ, 1, 0},    {5, 4, SIM_READ, 1, 2},   {6, 4, SIM_RMW, 2, 4},
                {7, 2, SIM_WRITE, 1, 2},   {3, 2, SIM_READ, 1, 0},   {8, 8, SIM_READ, 1, 0},
                {4, 8, SIM_READ, 1, 2},    {28, 8, SIM_READ, 2, 2},  {30, 4, SIM_RMW, 4, 4},
                {31, 2, SIM_WRITE, 2, 2},  {16, 10, SIM_READ, 2, 0}, {24, 10, SIM_READ, 2, 0},
                {22, 10, SIM_WRITE, 2, 2}, {26, 10, SIM_READ, 3, 2}, {0, 16, SIM_READ, 2, 0},
                {8, 16, SIM_READ, 2, 0},   {4, 16, SIM_READ, 2, 4},  {20, 16, SIM_READ, 3, 4},
                {24, 8, SIM_READ, 1, 0},   {0, 0, SIM_READ, 0, 0},   {0, 1, SIM_RMW, 2, 0},
                {0, 108, SIM_READ, 14, 0}};
    struct sim *s = warm_machine(&cpus[2]);
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (unsigned uncached = 0; uncached < 2; uncached++) {
            touch_as(s, 0x10000 + rows[r].offset, rows[r].bytes, rows[r].kind, uncached, 0);
            tell(s);
            if (sum("DATA_MEM_REFS") != rows[r].refs || sum("MISALIGN_MEM_REF") != rows[r].misaligned)
                fail_msg("row %zu: %llu references, %llu misaligned", r,
                         (unsigned long long)sum("DATA_MEM_REFS"),
                         (unsigned long long)sum("MISALIGN_MEM_REF"));
        }
    sim_free(s);
}

/* A split fills two lines; across a page the second is where the second page is. */
TEST(test_splits)
{
    struct sim *s = warm_machine(&cpus[0]);
    struct sim_insn i = {.lin = CODE, .phys = CODE, .len = 1, .n_access = 1};
    touch(s, 0x1001e, 4, SIM_READ);
    COUNTS(s, {"DCU_LINES_IN", 2}, {"L2_LD", 2}, {"BUS_TRAN_BRD", 2});
    sweep(s, 0x10000, 2, 1, SIM_READ);
    COUNTS(s, {"DCU_LINES_IN", 0});

    i.access[0] = (struct sim_access){0x20ffe, 0x30ffe, 0x90000, 4, SIM_WRITE, 0};
    sim_instruction(s, &i);
    COUNTS(s, {"DCU_LINES_IN", 2}, {"DCU_M_LINES_IN", 2}, {"L2_ST", 2}, {"DATA_MEM_REFS", 2});
    touch(s, 0x30fe0, 4, SIM_READ);
    touch(s, 0x90000, 4, SIM_READ);
    COUNTS(s, {"DCU_LINES_IN", 0});
    touch(s, 0x31000, 4, SIM_READ); /* behind it physically: never touched */
    COUNTS(s, {"DCU_LINES_IN", 1});
    sim_free(s);
}

/* ---- geometry ---- */

TEST(test_l1_sweeps)
{
    for (size_t c = 0; c < N_CPUS; c++) {
        const unsigned n = cpus[c].l1_lines;
        struct sim *s = warm_machine(&cpus[c]);
        sim_cache_flush(s, true);
        sweep(s, 0x100000, n, 1, SIM_READ);
        tell(s);
        assert_int_equal(sum("DATA_MEM_REFS"), n);
        assert_int_equal(sum("DCU_LINES_IN"), n);
        assert_int_equal(sum("L2_LD:I"), n);
        assert_int_equal(sum("BUS_TRAN_BRD"), n);
        assert_int_equal(sum("DCU_M_LINES_OUT"), 0);
        assert_int_equal(sum("DCU_MISS_OUTSTANDING"), n * (mem_clocks(&cpus[c]) - 2));
        assert_int_equal(sum("BUS_REQ_OUTSTANDING"), n * mem_clocks(&cpus[c]));
        sweep(s, 0x100000, n, 1, SIM_READ); /* all of it fits */
        COUNTS(s, {"DCU_LINES_IN", 0}, {"L2_RQSTS", 0}, {"BUS_TRAN_MEM", 0}, {"DCU_MISS_OUTSTANDING", 0});
        /* twice the size, in order: each line is gone when its turn comes, and is in the L2 */
        sweep(s, 0x100000, 2 * n, 1, SIM_READ);
        tell(s);
        sweep(s, 0x100000, 2 * n, 1, SIM_READ);
        tell(s);
        assert_int_equal(sum("DCU_LINES_IN"), 2 * n);
        assert_int_equal(sum("L2_LD:E"), 2 * n);
        assert_int_equal(sum("L2_LD:I"), 0);
        assert_int_equal(sum("DCU_MISS_OUTSTANDING"), 2 * n * 7);
        assert_int_equal(sum("L2_DBUS_BUSY"), 2 * n * 7);
        assert_int_equal(sum("L2_DBUS_BUSY_RD"), 2 * n * 7);
        assert_int_equal(sum("BUS_TRAN_ANY"), 0);
        sim_free(s);
    }
}

/* Lines of one set: as many as there are ways stay, one more does not fit. */
TEST(test_ways)
{
    for (size_t c = 0; c < N_CPUS; c++) {
        const unsigned ways = cpus[c].l1d_ways, l1_sets = cpus[c].l1_lines / ways,
                       l2_sets = cpus[c].l2_lines / 4;
        struct sim *s = warm_machine(&cpus[c]);
        sweep(s, 0x100000, ways, l1_sets, SIM_READ);
        tell(s);
        sweep(s, 0x100000, ways, l1_sets, SIM_READ);
        tell(s);
        assert_int_equal(sum("DCU_LINES_IN"), 0);
        sweep(s, 0x100000, ways + 1, l1_sets, SIM_READ);
        tell(s);
        assert_true(sum("DCU_LINES_IN") >= 1);
        sweep(s, 0x100000, ways + 1, l1_sets, SIM_READ);
        tell(s);
        assert_true(sum("DCU_LINES_IN") >= 1);

        /* the L2 has four ways everywhere; 2 x 4 in order: none survives */
        sweep(s, 0x8000a0, 4, l2_sets, SIM_READ);
        tell(s);
        assert_int_equal(sum("L2_LINES_IN"), 4);
        sweep(s, 0x8000a0, 4, l2_sets, SIM_READ);
        tell(s);
        assert_int_equal(sum("L2_LINES_IN"), 0);
        sweep(s, 0x8000a0, 8, l2_sets, SIM_READ);
        tell(s);
        sweep(s, 0x8000a0, 8, l2_sets, SIM_READ);
        tell(s);
        assert_int_equal(sum("L2_LINES_IN"), 8);
        assert_int_equal(sum("L2_LINES_OUT"), 8);
        assert_int_equal(sum("L2_M_LINES_OUTM"), 0);
        assert_int_equal(sum("BUS_TRANS_WB"), 0);
        sim_free(s);
    }
}

TEST(test_l2_sweeps)
{
    for (size_t c = 0; c < N_CPUS; c++) {
        const unsigned n = cpus[c].l2_lines;
        struct sim *s = warm_machine(&cpus[c]);
        sim_cache_flush(s, true);
        tell(s);
        sweep(s, 0x1000000, n, 1, SIM_READ);
        tell(s);
        assert_int_equal(sum("BUS_TRAN_BRD"), n);
        sweep(s, 0x1000000, 2 * n, 1, SIM_READ);
        tell(s);
        sweep(s, 0x1000000, 2 * n, 1, SIM_READ);
        tell(s);
        assert_int_equal(sum("BUS_TRAN_BRD"), 2 * n);
        assert_int_equal(sum("L2_LINES_IN"), 2 * n);
        assert_int_equal(sum("L2_LINES_OUT"), 2 * n);
        sim_free(s);
    }
    /* A quarter of the L2 stays in it beside the code. */
    struct sim *s = warm_machine(&cpus[1]);
    sweep(s, 0x1000000, 4096, 1, SIM_READ);
    tell(s);
    sweep(s, 0x1000000, 4096, 1, SIM_READ);
    COUNTS(s, {"DCU_LINES_IN", 4096}, {"L2_LD:E", 4096}, {"L2_LINES_IN", 0}, {"BUS_TRAN_ANY", 0});
    sim_free(s);
}

/* Stores own their lines, and what they modified has to leave. */
TEST(test_stores)
{
    for (size_t c = 0; c < N_CPUS; c++) {
        const unsigned n = cpus[c].l1_lines;
        struct sim *s = warm_machine(&cpus[c]);
        sim_cache_flush(s, true);
        tell(s);
        sweep(s, 0x100000, n, 1, SIM_WRITE);
        tell(s);
        assert_int_equal(sum("DCU_LINES_IN"), n);
        assert_int_equal(sum("DCU_M_LINES_IN"), n);
        assert_int_equal(sum("L2_ST:I"), n);
        assert_int_equal(sum("L2_LD"), 0);
        assert_int_equal(sum("L2_M_LINES_INM"), n);
        assert_int_equal(sum("BUS_TRAN_RFO"), n);
        assert_int_equal(sum("BUS_REQ_OUTSTANDING"), 0);
        assert_int_equal(sum("DCU_MISS_OUTSTANDING"), n * (mem_clocks(&cpus[c]) - 2));
        sweep(s, 0x100000, n, 1, SIM_WRITE);
        COUNTS(s, {"DCU_LINES_IN", 0}, {"L2_RQSTS", 0}, {"DCU_M_LINES_OUT", 0});
        sweep(s, 0x200000, n, 1, SIM_READ); /* drives them all out, into the L2 */
        tell(s);
        assert_int_equal(sum("DCU_M_LINES_OUT"), n);
        assert_int_equal(sum("L2_DBUS_BUSY"), 2 * n * 7);
        assert_int_equal(sum("L2_DBUS_BUSY_RD"), n * 7);
        assert_int_equal(sum("L2_ADS"), 2 * n);
        assert_int_equal(sum("BUS_TRANS_WB"), 0);
        sweep(s, 0x100000, n, 1, SIM_READ);
        tell(s);
        assert_int_equal(sum("L2_LD:M"), n);
        sim_free(s);
    }
}

/* Read, then written: no request of its own, the L2 learns of it when the line leaves. */
TEST(test_silent_upgrade)
{
    struct sim *s = warm_machine(&cpus[1]);
    touch(s, 0x100000, 4, SIM_READ);
    COUNTS(s, {"L2_LD:I", 1}, {"L2_ST", 0});
    touch(s, 0x100000, 4, SIM_WRITE);
    COUNTS(s, {"L2_RQSTS", 0}, {"DCU_M_LINES_IN", 0}, {"BUS_TRAN_ANY", 0});
    sweep(s, 0x200000, 4, 128, SIM_READ); /* the set's four ways */
    COUNTS(s, {"DCU_M_LINES_OUT", 1}, {"BUS_TRANS_WB", 0});
    touch(s, 0x100000, 4, SIM_RMW); /* found modified; a load that misses, a store that hits */
    COUNTS(s, {"L2_LD:M", 1}, {"L2_ST", 0}, {"DATA_MEM_REFS", 2}, {"DCU_LINES_IN", 1}, {"DCU_M_LINES_IN", 0});
    sim_free(s);
}

/* The L2 need not hold what the DCU has: such a victim goes to memory. */
TEST(test_not_inclusive)
{
    struct sim *s = warm_machine(&cpus[1]);
    touch(s, 0x100000, 4, SIM_WRITE);
    tell(s);
    /* Five lines of its L2 set drive it out of there, M as it is. That takes it through its L1D set as well
     * (the L2's sets repeat after the L1D's), so it is touched in between to be the youngest there. */
    for (unsigned i = 1; i <= 5; i++) {
        touch(s, 0x100000 + i * 4096 * 32, 4, SIM_READ);
        touch(s, 0x100000, 4, SIM_READ);
    }
    COUNTS(s, {"L2_LINES_IN", 5}, {"L2_M_LINES_OUTM", 1}, {"BUS_TRANS_WB", 1}, {"DCU_M_LINES_OUT", 0});
    sweep(s, 0x300000 + 32 * 128, 8, 128, SIM_READ); /* now out of the DCU, by other L2 sets */
    tell(s);
    assert_int_equal(sum("DCU_M_LINES_OUT"), 1);
    assert_int_equal(sum("BUS_TRANS_WB"), 1);
    assert_int_equal(sum("L2_LINES_IN"), 8);
    sim_free(s);
}

TEST(test_flushes)
{
    struct sim *s = warm_machine(&cpus[1]);
    sim_cache_flush(s, false);
    touch(s, 0x7fff0fe0, 4, SIM_READ); /* code line, data line */
    sweep(s, 0x100000, 10, 1, SIM_READ);
    sweep(s, 0x100000, 4, 1, SIM_WRITE); /* M in the DCU, E in the L2 */
    sweep(s, 0x200000, 3, 1, SIM_WRITE); /* M in both */
    tell(s);
    sim_cache_flush(s, true);
    touch(s, 0x7fff0fe0, 4, SIM_READ);
    COUNTS(s, {"DCU_M_LINES_OUT", 7}, {"L2_LINES_OUT", 15}, {"L2_M_LINES_OUTM", 7}, {"BUS_TRANS_WB", 7},
           {"BUS_TRAN_IFETCH", 1}, {"BUS_TRAN_BRD", 1});
    sim_cache_flush(s, true); /* nothing modified any more */
    touch(s, 0x7fff0fe0, 4, SIM_READ);
    COUNTS(s, {"L2_LINES_OUT", 2}, {"BUS_TRANS_WB", 0});
    touch(s, 0x100000, 4, SIM_WRITE); /* modified, and driven out before the flush: it is in the L2 only */
    sweep(s, 0x104000, 4, 128, SIM_READ);
    COUNTS(s, {"DCU_M_LINES_OUT", 1});
    sim_cache_flush(s, true);
    touch(s, 0x7fff0fe0, 4, SIM_READ);
    COUNTS(s, {"DCU_M_LINES_OUT", 0}, {"L2_M_LINES_OUTM", 1}, {"BUS_TRANS_WB", 1});
    sweep(s, 0x200000, 3, 1, SIM_WRITE);
    tell(s);
    sim_cache_flush(s, false); /* INVD writes nothing back */
    touch(s, 0x200000, 4, SIM_READ);
    COUNTS(s, {"DCU_M_LINES_OUT", 0}, {"BUS_TRANS_WB", 0}, {"L2_M_LINES_OUTM", 3}, {"L2_LINES_OUT", 5},
           {"DCU_LINES_IN", 1});
    sim_free(s);
}

/* ---- fetch ---- */

TEST(test_fetch_blocks)
{
    struct sim *s = machine(&cpus[2]);
    for (unsigned i = 0; i < 64; i++) execute(s, 0x10000 + i, 0x10000 + i, 1, 0);
    COUNTS(s, {"IFU_IFETCH", 4}, {"IFU_IFETCH_MISS", 2}, {"L2_IFETCH:I", 2}, {"BUS_TRAN_IFETCH", 2},
           {"ITLB_MISS", 1});
    execute(s, 0x10040, 0x10040, 16, 0); /* where the stream goes on, a block of its own */
    COUNTS(s, {"IFU_IFETCH", 1}, {"IFU_IFETCH_MISS", 1});
    execute(s, 0x1005f, 0x1005f, 4, 0); /* elsewhere, and into two blocks of two lines */
    COUNTS(s, {"IFU_IFETCH", 2}, {"IFU_IFETCH_MISS", 1}, {"ITLB_MISS", 0});
    /* a loop of one block: each turn fetches it anew, and hits */
    for (unsigned i = 0; i < 100; i++) {
        execute(s, 0x10000, 0x10000, 2, 0);
        execute(s, 0x10002, 0x10002, 2, OP_BRANCH | OP_COND | (i < 99 ? OP_TAKEN : 0));
    }
    execute(s, 0x10004, 0x10004, 2, 0);
    COUNTS(s, {"IFU_IFETCH", 100}, {"IFU_IFETCH_MISS", 0}, {"BR_TAKEN_RETIRED", 99});
    /* a jump to the next instruction, and an interrupt's return to it, begin anew */
    execute(s, 0x10006, 0x10006, 2, OP_BRANCH | OP_TAKEN);
    execute(s, 0x10008, 0x10008, 1, 0);
    sim_interrupt(s, 0x20, false, 0);
    execute(s, 0x10009, 0x10009, 1, 0);
    COUNTS(s, {"IFU_IFETCH", 2});
    sim_free(s);
}

/* An instruction across a page takes its second part from where that page is. */
TEST(test_fetch_pages)
{
    struct sim *s = machine(&cpus[0]);
    struct sim_insn i = {.lin = 0x10ffe, .phys = 0x50ffe, .phys_high = 0x90000, .len = 5};
    sim_instruction(s, &i);
    COUNTS(s, {"IFU_IFETCH", 2}, {"IFU_IFETCH_MISS", 2}, {"ITLB_MISS", 2}, {"L2_IFETCH:I", 2});
    execute(s, 0x11003, 0x90003, 1, 0);
    COUNTS(s, {"IFU_IFETCH", 0});
    execute(s, 0x21003, 0x90003, 1, 0); /* the same line by another page: a miss of the ITLB alone */
    COUNTS(s, {"IFU_IFETCH", 1}, {"IFU_IFETCH_MISS", 1}, {"ITLB_MISS", 1}, {"L2_IFETCH", 0});
    sim_free(s);
}

/* 32 entries in 8 sets. */
TEST(test_itlb)
{
    struct sim *s = machine(&cpus[1]);
    for (unsigned turn = 0; turn < 2; turn++) {
        for (unsigned p = 0; p < 32; p++) execute(s, 0x100000 + p * 0x1000, 0x20000, 1, 0);
        tell(s);
        assert_int_equal(sum("ITLB_MISS"), turn ? 0 : 32);
        assert_int_equal(sum("L2_IFETCH"), turn ? 0 : 1); /* all in one line */
    }
    for (unsigned turn = 0; turn < 2; turn++) {
        for (unsigned p = 0; p < 64; p++) execute(s, 0x100000 + p * 0x1000, 0x20000, 1, 0);
        tell(s);
        if (turn) assert_int_equal(sum("ITLB_MISS"), 64);
    }
    execute(s, 0x13f000, 0x20000, 1, 0);
    COUNTS(s, {"ITLB_MISS", 0});
    sim_tlb_invalidate(s, 0x13f123);
    execute(s, 0x13f000, 0x20000, 1, 0);
    COUNTS(s, {"ITLB_MISS", 1});
    sim_tlb_invalidate(s, 0x13e000);
    execute(s, 0x13f000, 0x20000, 1, 0);
    COUNTS(s, {"ITLB_MISS", 0});
    sim_tlb_flush(s);
    execute(s, 0x13f000, 0x20000, 1, 0);
    COUNTS(s, {"ITLB_MISS", 1});
    sim_free(s);
}

TEST(test_l1i_sweeps)
{
    for (size_t c = 0; c < N_CPUS; c++) {
        const unsigned n = cpus[c].l1_lines;
        struct sim *s = machine(&cpus[c]);
        for (unsigned turn = 0; turn < 4; turn++) {
            const unsigned lines = turn < 2 ? n : 2 * n;
            for (unsigned i = 0; i < lines; i++)
                execute(s, CODE, 0x100000 + 32 * i, 16, OP_BRANCH | OP_TAKEN);
            tell(s);
            assert_int_equal(sum("IFU_IFETCH"), lines);
            if (turn == 0) assert_int_equal(sum("L2_IFETCH:I"), n);
            if (turn == 1) assert_int_equal(sum("IFU_IFETCH_MISS"), 0);
            if (turn == 3) {
                assert_int_equal(sum("IFU_IFETCH_MISS"), 2 * n);
                assert_int_equal(sum("L2_IFETCH:E"), 2 * n);
                assert_int_equal(sum("L2_DBUS_BUSY_RD"), 2 * n * 7);
                assert_int_equal(sum("DCU_LINES_IN"), 0);
            }
        }
        sim_free(s);
    }
}
