/* PEBS of the architectural model: when a counter makes a record, and what becomes of it; several counters;
 * batches. Which events: test_sim_arch_pebs_events.c; the DS area: test_sim_arch_pebs_buffer.c; the records'
 * contents: test_sim_arch_pebs_format.c. */
#include "tests/unit/arch_pebs_drive.h"

/* ---- arming, trigger, preset ---- */

/* The overflow arms, the next occurrence is recorded and is not counted: every N + 1st for a preset of -N. */
TEST(test_next)
{
    EACH_MODEL(m)
    {
        const bool core2 = strcmp(*m, "core2") == 0;
        given(*m);
        sample(0, core2 ? 0x00c0 : 0x20c4, 2);
        for (unsigned k = 0; k < 9; k++) {
            if (core2)
                nop_at(0x3000 + 3 * k);
            else {
                branch_at(0x3000 + 3 * k);
                nop_at(0x6000);
            }
            assert_int_equal(records(), (k + 1) / 3);
            assert_int_equal(rd(sim, STATUS), k % 3 == 1);
            static const uint64_t value[] = {MINUS(1), 0, MINUS(2)};
            assert_int_equal(rd(sim, PMC0), value[k % 3] & (core2 ? 0xffffffffff : COUNT48));
        }
        assert_int_equal(guest.pmi, 0);
        for (unsigned k = 0; k < 3; k++) {
            if (core2)
                assert_int_equal(field(k, 0x8), 0x3000 + 9 * k + 9);
            else if (record_bytes() == 0xb0)
                assert_int_equal(field(k, 0x8), 0x4321);
            else
                assert_int_equal(field(k, record_bytes() == 0x20 ? 0x8 : 0xb0), 0x3000 + 9 * k + 6);
        }
        finish();
    }
}

/* PDIR: the occurrence that overflows is itself recorded, every N-th for a preset of -N. */
TEST(test_same)
{
    static const char *const models[] = {"sandybridge", "haswell", "skylake"};
    for (unsigned m = 0; m < 3; m++) {
        given(models[m]);
        sample(1, 0x01c0, 4);
        for (unsigned k = 1; k <= 9; k++) {
            nop_at(0x3000 + 3 * k);
            assert_int_equal(records(), k / 4);
            assert_int_equal(rd(sim, STATUS), 0);
        }
        assert_int_equal(field(1, 0x8), 0x3000 + 3 * 9);
        assert_int_equal(rd(sim, PMC0 + 1), MINUS(3) & COUNT48);
        finish();
    }
    given("icelake");
    preset(8, MINUS(4));
    wr(sim, FIXED0, MINUS(4) & COUNT48);
    wr(sim, FIXED_CTRL, 3);
    wr(sim, PEBS_ON, BIT(32));
    wr(sim, CTRL, BIT(32));
    /* The WRMSR that starts is no fact here. */
    for (unsigned k = 1; k <= 9; k++) {
        nop_at(0x3000 + 3 * k);
        assert_int_equal(records(), k / 4);
    }
    assert_int_equal(field(1, 0x8), 0x3000 + 3 * 8);
    assert_int_equal(field(1, 0x10), BIT(32));
    finish();
}

/* Period 1 with PDIR: each instruction is recorded. */
TEST(test_every_instruction)
{
    given("skylake");
    sample(1, 0x01c0, 1);
    for (unsigned k = 0; k < 5; k++) nop_at(0x3000 + 3 * k);
    assert_int_equal(records(), 5);
    assert_int_equal(field(4, 0xb0), 0x300c);
    finish();
}

/* Several occurrences in one instruction: the one behind the overflow is recorded, the others count on the
 * preset. */
TEST(test_several_in_one)
{
    given("core2");
    sample(0, 0x02cb, 10);
    wr(sim, PMC0, MINUS(1));
    struct sim_insn i = {.lin = 0x3000, .phys = 0x3000, .len = 3, .n_access = 4};
    for (unsigned k = 0; k < 4; k++)
        i.access[k] = (struct sim_access){
            .lin = 0x100000 + 64 * k, .phys = 0x100000 + 64 * k, .bytes = 4, .kind = SIM_READ};
    sim_instruction(sim, &i);
    assert_int_equal(records(), 1);
    assert_int_equal(rd(sim, PMC0), MINUS(8) & 0xffffffffff);
    /* It overflows again behind its own record. */
    sample(0, 0x02cb, 1);
    for (unsigned k = 0; k < 4; k++) i.access[k].lin = i.access[k].phys = 0x200000 + 64 * k;
    sim_instruction(sim, &i);
    assert_int_equal(records(), 2);
    assert_int_equal(rd(sim, STATUS), 1);
    assert_int_equal(rd(sim, PMC0), 1);
    i.n_access = 1;
    i.access[0].lin = i.access[0].phys = 0x300000;
    sim_instruction(sim, &i);
    assert_int_equal(records(), 3);
    finish();
}

/* Not at a level that is not counted, and by no delivery. */
TEST(test_levels)
{
    given("skylake");
    wr(sim, SEL0, 0);
    wr(sim, PMC0, MINUS(1));
    preset(0, MINUS(100));
    wr(sim, PEBS_ON, 1);
    wr(sim, SEL0, 0x20c4 | USR | EN);
    struct sim_insn i = {
        .lin = 0x3000, .phys = 0x3000, .len = 3, .op = OP_BRANCH | OP_TAKEN, .cpl = 3, .cpl_after = 3};
    sim_instruction(sim, &i);
    branch_at(0x3100);
    assert_int_equal(records(), 0);
    i.lin = 0x3200;
    sim_instruction(sim, &i);
    assert_int_equal(records(), 1);
    assert_int_equal(field(0, 0xb0), 0x3200);
    finish();
}

/* ---- several counters ---- */

/* Both at the same instruction: one record. */
TEST(test_together)
{
    EACH_MODEL(m)
    {
        if (**m == 'c') continue; /* one counter */
        given(*m);
        sample_more(0, 0x20c4, MINUS(1), MINUS(50), 0);
        sample_more(2, 0x02c4, MINUS(1), MINUS(60), 0);
        for (unsigned k = 0; k < 2; k++) go(0x3000, OP_BRANCH | OP_TAKEN | OP_CALL, 0, 0);
        assert_int_equal(records(), 1);
        assert_int_equal(rd(sim, PMC0), MINUS(50) & COUNT48);
        assert_int_equal(rd(sim, PMC0 + 2), MINUS(60) & COUNT48);
        assert_int_equal(rd(sim, STATUS), 0);
        assert_int_equal(field(0, strstr(*m, "lake") && **m != 's' ? 0x10 : 0x90), 5);
        finish();
    }
}

/* One has overflowed, the other's event comes first. Up to Broadwell the record is of both; from Skylake on
 * of the one that made it. */
TEST(test_collision)
{
    EACH_MODEL(m)
    {
        if (**m == 'c') continue;
        given(*m);
        const bool resolves = strstr(*m, "lake");
        sample_more(0, 0x20c4, MINUS(1), MINUS(50), 0);
        sample_more(2, 0x02c4, MINUS(1), MINUS(60), 0);
        go(0x3000, OP_BRANCH | OP_TAKEN | OP_CALL, 0, 0);
        assert_int_equal(rd(sim, STATUS), 5);
        branch_at(0x3003);
        assert_int_equal(records(), 1);
        assert_int_equal(field(0, strstr(*m, "lake") && **m != 's' ? 0x10 : 0x90), resolves ? 1 : 5);
        assert_int_equal(rd(sim, STATUS), resolves ? 4 : 0);
        assert_int_equal(rd(sim, PMC0 + 2), (resolves ? 0 : MINUS(60)) & COUNT48);
        go(0x3006, OP_BRANCH | OP_TAKEN | OP_CALL, 0, 0);
        assert_int_equal(records(), resolves ? 2 : 1);
        finish();
    }
}

/* Beside one that only counts and interrupts. */
TEST(test_beside)
{
    given("skylake");
    sample_more(0, 0x20c4, MINUS(1), MINUS(50), 0);
    wr(sim, PMC0 + 1, MINUS(2));
    wr(sim, SEL0 + 1, 0x20c4 | BOTH | EN | INT);
    branch_at(0x3000);
    assert_int_equal(guest.pmi, 0);
    branch_at(0x3000);
    assert_int_equal(guest.pmi, 1);
    assert_int_equal(records(), 1);
    assert_int_equal(rd(sim, STATUS), 2);
    finish();
}

/* Disabling PEBS disarms. */
TEST(test_disarmed)
{
    given("skylake");
    sample(0, 0x20c4, 1);
    branch_at(0x3000);
    wr(sim, PEBS_ON, 0);
    wr(sim, PEBS_ON, 1);
    branch_at(0x3000);
    assert_int_equal(records(), 0);
    finish();
}

/* Each of two threads has a DS area and registers of its own. */
TEST(test_threads)
{
    given("skylake");
    const struct sim_host host = sim->host;
    struct sim *other = sim_thread(sim, &host);
    assert_non_null(other);
    ds_area(16, 16);
    sample(0, 0x20c4, 1);
    assert_int_equal(rd(other, PEBS_ON), 0);
    assert_int_equal(rd(other, DS_AREA), 0);
    const struct sim_insn i = {.lin = 0x3000, .phys = 0x3000, .len = 3, .op = OP_BRANCH | OP_TAKEN};
    for (unsigned k = 0; k < 5; k++) sim_instruction(other, &i);
    assert_int_equal(records(), 0);
    branch_at(0x3000);
    sim_instruction(other, &i);
    assert_int_equal(records(), 0);
    branch_at(0x3000);
    assert_int_equal(records(), 1);
    sim_free(other);
    finish();
}

/* ---- in bulk ---- */

/* One by one only near a record, and while a latency is counted. */
TEST(test_exact)
{
    given("skylake");
    sample(0, 0x20c4, 1ull << 40);
    assert_int_equal(sim_batches(sim), SIM_BATCH_ALL);
    wr(sim, A_PMC0, MINUS(300000) & COUNT48); /* far for what accesses and branches make */
    assert_int_equal(sim_batches(sim), SIM_BATCH_ALL);
    wr(sim, PMC0, MINUS(1000));
    assert_int_equal(sim_batches(sim), SIM_BATCH_NONE);
    wr(sim, PEBS_ON, 0); /* it only counts */
    assert_int_equal(sim_batches(sim), SIM_BATCH_ALL);
    wr(sim, PEBS_ON, 1);
    wr(sim, PMC0, MINUS(1));
    branch_at(0x3000);
    assert_int_equal(sim_batches(sim), SIM_BATCH_NONE); /* armed */
    wr(sim, SEL0, 0);
    assert_int_equal(sim_batches(sim), SIM_BATCH_ALL);
    wr(sim, SEL0, 0x003c | BOTH | EN); /* records nothing */
    assert_int_equal(sim_batches(sim), SIM_BATCH_ALL);
    wr(sim, SEL0, 0x01cd | BOTH | EN);
    assert_int_equal(sim_batches(sim), SIM_BATCH_NONE);
    wr(sim, SEL0, 0);
    sample(1, 0x01c0, 300000); /* instructions: a batch may have as many */
    assert_int_equal(sim_batches(sim), SIM_BATCH_NONE);
    finish();
}
