/* The P5's caches, TLBs, code reads and breakpoint matches. */
#include "tests/unit/p5_drive.h"

TEST(test_misalignment)
{
    for (unsigned bytes = 1; bytes <= 10; bytes++) {
        if (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8 && bytes != 10) continue;
        for (unsigned at = 0; at < 16; at++) {
            /* By definition: 2 and 4 bytes across a multiple of 4, 8 across one of 8, 10 as 8 and 2. */
            unsigned first = bytes == 10 ? 8 : bytes, unit = first == 8 ? 8 : 4, crossings = 0;
            if (at / unit != (at + first - 1) / unit) crossings++;
            if (bytes == 10 && (at + 8) / 4 != (at + 9) / 4) crossings++;
            given("p5", NULL);
            count(MISALIGNED, DATA_READ);
            data(0x5000 + at, bytes, SIM_READ);
            assert_int_equal(msr(CTR0), crossings);
            assert_int_equal(msr(CTR1), (bytes == 10 ? 2 : 1) + crossings);
        }
    }
    /* The stores of FST, which an erratum counts twice. */
    for (unsigned erratum = 0; erratum < 2; erratum++) {
        struct sim_access a = mem(0x5006, 4, SIM_WRITE);
        given("p5", erratum ? "misaligned-fst" : NULL);
        count(MISALIGNED, DATA_WRITE);
        insn_at(0x1000, 2, OP_X87 | OP_FST, &a);
        assert_int_equal(msr(CTR0), 1 + erratum);
        assert_int_equal(msr(CTR1), 2);
        insn_at(0x1000, 2, 0, &a);
        assert_int_equal(msr(CTR0), 2 + erratum);
    }
}

TEST(test_lines)
{
    static const struct {
        const char *model;
        unsigned way, ways;
    } caches[] = {{"p5", 4096, 2}, {"p55c", 4096, 4}};
    for (unsigned c = 0; c < 2; c++) {
        unsigned bytes = caches[c].way * caches[c].ways;
        given(caches[c].model, NULL);
        count(READ_MISS, WRITE_BACK);
        for (unsigned a = 0; a < bytes; a += 4) data(0x10000 + a, 4, SIM_READ);
        assert_int_equal(msr(CTR0), bytes / 32);
        for (unsigned a = 0; a < bytes; a += 32) data(0x10000 + a, 4, SIM_WRITE);
        assert_int_equal(msr(CTR0), bytes / 32);
        assert_int_equal(msr(CTR1), 0);
        for (unsigned a = 0; a < bytes; a += 32) data(0x40000 + a, 4, SIM_READ);
        assert_int_equal(msr(CTR1), bytes / 32); /* each replaced a modified line */
        count(READ_MISS, WRITE_BACK);
        for (unsigned a = 0; a < bytes; a += 32) data(0x40000 + a, 4, SIM_READ);
        assert_int_equal(msr(CTR0), 0);
        data(0x40000, 4, SIM_WRITE);
        data(0x40040, 4, SIM_WRITE);
        sim_cache_flush(sim, false); /* INVD loses them */
        assert_int_equal(msr(CTR1), 0);
        data(0x40000, 4, SIM_RMW);
        data(0x40020, 4, SIM_RMW);
        data(0x40040, 4, SIM_READ);
        sim_cache_flush(sim, true);
        assert_int_equal(msr(CTR1), 2);
        assert_int_equal(msr(CTR0), 3);
        data(0x40040, 4, SIM_READ);
        assert_int_equal(msr(CTR0), 4);
    }
    /* Writes that miss fill nothing. */
    given("p5", NULL);
    count(WRITE_MISS, WRITE_HIT);
    for (unsigned k = 0; k < 3; k++) data(0x6000, 4, SIM_WRITE);
    assert_int_equal(msr(CTR0), 3);
    assert_int_equal(msr(CTR1), 0);
    data(0x6004, 4, SIM_READ);
    for (unsigned k = 0; k < 3; k++) data(0x6000, 4, SIM_WRITE);
    assert_int_equal(msr(CTR0), 3);
    assert_int_equal(msr(CTR1), 3);
    /* Across a line: both lines are looked at. */
    count(READ_MISS, DATA_READ);
    data(0x701E, 4, SIM_READ);
    assert_int_equal(msr(CTR0), 2);
    assert_int_equal(msr(CTR1), 2);
    count(WRITE_MISS, WRITE_HIT);
    data(0x703E, 4, SIM_WRITE); /* 7020h is there, 7040h is not */
    assert_int_equal(msr(CTR0), 1);
    assert_int_equal(msr(CTR1), 1);
    count(WRITE_HIT, DATA_WRITE);
    data(0x6001, 4, SIM_WRITE); /* both parts in one line */
    assert_int_equal(msr(CTR0), 2);
    data(0x703E, 4, SIM_READ);
    data(0x703E, 4, SIM_WRITE); /* both lines are there now */
    assert_int_equal(msr(CTR0), 4);
    data(0xA001, 4, SIM_WRITE); /* neither part hits */
    data(0xA01E, 4, SIM_WRITE);
    assert_int_equal(msr(CTR0), 4);
    assert_int_equal(msr(CTR1), 8);
    /* A misaligned write that misses in one line counts one miss, with the erratum two. */
    for (unsigned erratum = 0; erratum < 2; erratum++) {
        given("p5", erratum ? "misaligned-misses" : NULL);
        count(WRITE_MISS, WRITE_HIT);
        data(0xA001, 4, SIM_WRITE);
        assert_int_equal(msr(CTR0), 1 + erratum);
        data(0xA01E, 4, SIM_WRITE); /* two lines: two either way */
        assert_int_equal(msr(CTR0), 3 + erratum);
        data(0xA000, 4, SIM_WRITE);
        assert_int_equal(msr(CTR0), 4 + erratum);
        assert_int_equal(msr(CTR1), 0);
    }
    /* Not cacheable: misses for ever. */
    struct sim_access a = mem(0x9000, 4, SIM_RMW);
    a.uncached = 1;
    count(READ_MISS, WRITE_MISS);
    for (unsigned k = 0; k < 3; k++) insn_at(0x1000, 2, 0, &a);
    assert_int_equal(msr(CTR0), 3);
    assert_int_equal(msr(CTR1), 3);
}

TEST(test_tlbs)
{
    for (unsigned m = 0; model_at(m); m++) {
        given(model_at(m), NULL);
        count(0x02, 0x0D);
        for (unsigned round = 0; round < 3; round++) {
            for (unsigned p = 0; p < 64; p++) data(0x100000 + 4096 * p, 4, SIM_READ);
        }
        assert_int_equal(msr(CTR0), 64);
        assert_int_equal(msr(CTR1), 1); /* the instruction's own page */
        count(0x02, 0x0D);
        for (unsigned round = 0; round < 3; round++) {
            for (unsigned p = 0; p < 32; p++) insn_at(0x200000 + 4096 * p, 2, 0, NULL);
        }
        assert_int_equal(msr(CTR1), 32);
        /* 64 KiB apart is one set of the P5's 16: of 8 pages none stays; the P55C's is fully associative. */
        given(model_at(m), NULL);
        count(0x02, 0x0D);
        for (unsigned round = 0; round < 3; round++) {
            for (unsigned p = 0; p < 8; p++) data(0x100000 + 65536 * p, 4, SIM_READ);
        }
        if (m) {
            assert_int_equal(msr(CTR0), 8);
        } else {
            assert_in_range(msr(CTR0), 9, 24);
        }
        data(0x100000, 4, SIM_READ);
        count(0x02, 0x0D);
        data(0x100FFC, 4, SIM_READ);
        assert_int_equal(msr(CTR0), 0);
        sim_tlb_invalidate(sim, 0x100000);
        data(0x100000, 4, SIM_READ);
        assert_int_equal(msr(CTR0), 1);
        assert_int_equal(msr(CTR1), 0);
        sim_tlb_flush(sim);
        data(0x100000, 4, SIM_READ);
        assert_int_equal(msr(CTR0), 2);
        insn_at(0x1000, 2, 0, NULL); /* the block is still in the prefetch queue */
        insn_at(0x1010, 2, 0, NULL);
        assert_int_equal(msr(CTR1), 1);
        data(0x100FFE, 4, SIM_READ); /* the second page as well */
        assert_int_equal(msr(CTR0), 3);
    }
}

/* The part behind a page boundary has another physical address: lines are found there. */
TEST(test_page_crossing)
{
    struct sim_access a = {
        .lin = 0x5FFE, .phys = 0x15FFE, .phys_high = 0x33000, .bytes = 4, .kind = SIM_READ};
    given("p5", NULL);
    count(READ_MISS, 0x0E);
    insn_at(0x1000, 2, 0, &a);
    assert_int_equal(msr(CTR0), 2);
    data(0x15FFC, 4, SIM_READ);
    data(0x33000, 4, SIM_READ);
    assert_int_equal(msr(CTR0), 2);
    data(0x6000, 4, SIM_READ);
    assert_int_equal(msr(CTR0), 3);
    a = (struct sim_access){
        .lin = 0x5FFA, .phys = 0x25FFA, .phys_high = 0x53000, .bytes = 10, .kind = SIM_READ};
    count(READ_MISS, DATA_READ);
    insn_at(0x1000, 2, 0, &a); /* 8 bytes across, then 2 behind it */
    assert_int_equal(msr(CTR0), 2);
    assert_int_equal(msr(CTR1), 3);
    data(0x53000, 4, SIM_READ);
    assert_int_equal(msr(CTR0), 2);
    /* Code. */
    given("p5", NULL);
    count(CODE_READ, 0x0E);
    sim_instruction(sim, &(struct sim_insn){.lin = 0x1FFD, .phys = 0x7FFD, .phys_high = 0x9000, .len = 6});
    assert_int_equal(msr(CTR0), 2);
    assert_int_equal(msr(CTR1), 2);
    sim_instruction(sim, &(struct sim_insn){.lin = 0x2003, .phys = 0x9003, .len = 2});
    assert_int_equal(msr(CTR0), 2);
}

/* One code read for each 16-byte block that is entered, and one after each taken branch. */
TEST(test_code_reads)
{
    given("p5", NULL);
    count(CODE_READ, 0x0E);
    for (unsigned a = 0; a < 64; a += 2) insn_at(0x1000 + a, 2, 0, NULL);
    assert_int_equal(msr(CTR0), 4);
    assert_int_equal(msr(CTR1), 2);
    insn_at(0x104E, 4, 0, NULL); /* lies in two of them */
    assert_int_equal(msr(CTR0), 6);
    for (unsigned k = 0; k < 5; k++) branch_at(0x1052, 2, OP_TAKEN, 0x1052);
    assert_int_equal(msr(CTR0),
                     10); /* the first was in the block already, the target of the last is not read yet */
    branch_at(0x1052, 2, OP_COND, 0);
    insn_at(0x1054, 2, 0, NULL);
    assert_int_equal(msr(CTR0), 11);
    sim_interrupt(sim, 32, false, 0);
    insn_at(0x1056, 2, 0, NULL);
    assert_int_equal(msr(CTR0), 12);
    assert_int_equal(msr(CTR1), 3);
}

TEST(test_breakpoints)
{
    /* DR0: execution; DR1: writes, 4 bytes; DR2: I/O, 2 bytes; DR3: reads and writes, 1 byte. None enabled.
     */
    const uint64_t dr[4] = {0x1000, 0x5000, 0x3F8, 0x5003};
    const uint32_t dr7 = 0x3 << 28 | (0x2 | 0x4) << 24 | (0x1 | 0xC) << 20;
    static const unsigned expected[4] = {10, 3, 6, 2};
    for (unsigned k = 0; k < 4; k++) {
        given("p5", NULL);
        count(0x23 + k, 0x23 + k);
        data(0x5000, 4, SIM_RMW); /* not written yet: no match */
        assert_int_equal(msr(CTR0), 0);
        sim_debug_registers(sim, dr, dr7);
        data(0x5000, 4, SIM_READ);
        data(0x5000, 1, SIM_WRITE);
        data(0x5002, 4, SIM_WRITE); /* in two parts, one access */
        data(0x5002, 1, SIM_RMW);
        data(0x4FFC, 4, SIM_WRITE);
        data(0x5004, 4, SIM_WRITE);
        struct sim_insn i = {
            .lin = 0x1000, .phys = 0x1000, .len = 1, .op = OP_IO, .io_bytes = 1, .iterations_io = 1};
        for (i.io_port = 0x3F7; i.io_port < 0x3FB; i.io_port++) sim_instruction(sim, &i);
        i.lin = i.phys = 0x1002; /* not 1000h */
        i.io_port = 0x3F6;
        i.io_bytes = 4;
        i.iterations_io = 4;
        sim_instruction(sim, &i);
        assert_int_equal(msr(CTR0), expected[k]);
    }
}

/* Code at a breakpoint that is not enabled is seen in the U pipe only: behind a taken branch it is there,
 * else nobody knows. An access is seen in both. */
TEST(test_breakpoints_in_pipes)
{
    const uint64_t dr[4] = {0x1000, 0x5000, 0x1002};
    struct sim_insn jump = {
        .lin = 0x2000, .phys = 0x2000, .len = 2, .op = OP_BRANCH | OP_TAKEN, .target = 0x1000};
    struct sim_access write = mem(0x5000, 1, SIM_WRITE);
    const char *name;
    given("p5", NULL);
    count(0x23, 0x24);
    sim_debug_registers(sim, dr, 0x1 << 20);
    for (unsigned i = 0; i < 3; i++) {
        sim_instruction(sim, &jump);
        insn_at(0x1000, 2, 0, NULL);
        insn_at(0x1004, 2, 0, &write);
    }
    assert_int_equal(msr(CTR0), 3);
    assert_int_equal(msr(CTR1), 3);
    assert_int_equal(sim_unmodelled(sim, &name, 1), 0);
    insn_at(0x0ffe, 2, 0, NULL);
    insn_at(0x1000, 2, 0, NULL);
    assert_int_equal(sim_unmodelled(sim, &name, 1), 1);
    assert_string_equal(name, "BREAKPOINT_MATCH_ON_DR0_REGISTER");
    count(0x23, 0x25);
    assert_int_equal(sim_unmodelled(sim, &name, 1), 0);
    sim_debug_registers(sim, dr, 0x1 << 20 | 0x3); /* enabled: in both pipes */
    insn_at(0x0ffe, 2, 0, NULL);
    insn_at(0x1000, 2, 0, NULL);
    assert_int_equal(sim_unmodelled(sim, &name, 1), 0);
    insn_at(0x1002, 2, 0, NULL);
    assert_int_equal(sim_unmodelled(sim, &name, 1), 1);
    assert_string_equal(name, "BREAKPOINT_MATCH_ON_DR2_REGISTER");
}

/* 1Eh: a read for each part of an access; those of I/O by an erratum only. */
TEST(test_uncached_reads)
{
    for (unsigned erratum = 0; erratum < 2; erratum++) {
        struct sim_access a = mem(0x5000, 10, SIM_READ), split = mem(0x501e, 4, SIM_RMW);
        struct sim_insn io = {.lin = 0x1000, .phys = 0x1000, .len = 1, .io_bytes = 4, .iterations_io = 3};
        given("p5", erratum ? "io-reads" : NULL);
        count(UC_READS, DATA_READ);
        insn_at(0x1000, 2, 0, &a);
        assert_int_equal(msr(CTR0), 0);
        a.uncached = split.uncached = 1;
        insn_at(0x1000, 2, 0, &a);
        assert_int_equal(msr(CTR0), 2); /* 8 and 2 bytes */
        insn_at(0x1000, 2, 0, &split);
        assert_int_equal(msr(CTR0), 4);
        io.op = OP_IO; /* OUTS */
        sim_instruction(sim, &io);
        assert_int_equal(msr(CTR0), 4);
        io.op = OP_IO | OP_IN;
        sim_instruction(sim, &io);
        assert_int_equal(msr(CTR0), 4 + 3 * erratum);
        io.io_port = 2; /* two cycles each */
        sim_instruction(sim, &io);
        assert_int_equal(msr(CTR0), 4 + 9 * erratum);
    }
}

AROUND_ALL(NULL, teardown);
