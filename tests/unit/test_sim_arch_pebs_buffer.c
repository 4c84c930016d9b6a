/* PEBS of the architectural model: the threshold of the DS area and its interrupt, a buffer without room, or
 * not mapped. */
#include "tests/unit/arch_pebs_drive.h"

TEST(test_threshold)
{
    EACH_MODEL(m)
    {
        given(*m);
        ds_area(8, 3);
        sample(0, **m == 'c' ? 0x00c0 : 0x20c4, 1);
        for (unsigned k = 1; k <= 12; k++) {
            branch_at(0x3000);
            const unsigned n = k / 2;
            assert_int_equal(records(), n);
            assert_int_equal(rd(sim, STATUS) >> 62, n >= 3);
            /* one for each record from the threshold on */
            assert_int_equal(guest.pmi, n < 3 ? 0 : n - 2);
            if (n == 3) wr(sim, RESET, 0); /* which clears nothing */
        }
        wr(sim, RESET, BIT(62));
        assert_int_equal(rd(sim, STATUS) >> 62, 0);
        /* threshold 0: each record is beyond it */
        ds_area(8, 0);
        put64(DS + 0x38, 0);
        guest.pmi = 0;
        for (unsigned k = 0; k < 4; k++) branch_at(0x3000);
        assert_int_equal(guest.pmi, 2);
        finish();
    }
}

/* "If the bounds checks fail, the PEBS will be skipped entirely": no record, no preset, no interrupt; the
 * counter goes on. */
TEST(test_full)
{
    EACH_MODEL(m)
    {
        const uint64_t mask = **m == 'c' ? 0xffffffffff : COUNT48;
        given(*m);
        ds_area(1, 5);
        memset(guest.memory + BUFFER + record_bytes(), 0xee, 8);
        sample(0, **m == 'c' ? 0x00c0 : 0x20c4, 1);
        branch_at(0x3000);
        branch_at(0x3000);
        assert_int_equal(records(), 1);
        assert_int_equal(rd(sim, PMC0), MINUS(1) & mask);
        branch_at(0x3000);
        assert_int_equal(rd(sim, STATUS), 1);
        branch_at(0x3000);
        assert_int_equal(records(), 1);
        assert_int_equal(field(1, 0), 0xeeeeeeeeeeeeeeee);
        assert_int_equal(rd(sim, STATUS), 1);
        assert_int_equal(rd(sim, PMC0), 1);
        branch_at(0x3000);
        assert_int_equal(rd(sim, PMC0), 2);
        assert_int_equal(guest.pmi, 0);
        /* one byte too short for a record */
        ds_area(1, 5);
        put64(DS + 0x30, BUFFER + record_bytes() - 1);
        wr(sim, RESET, 1);
        wr(sim, PMC0, MINUS(1));
        for (unsigned k = 0; k < 3; k++) branch_at(0x3000);
        assert_int_equal(records(), 0);
        finish();
    }
}

TEST(test_unmapped)
{
    static const uint64_t pages[] = {DS, BUFFER};
    for (unsigned k = 0; k < 2; k++) {
        given("skylake");
        ds_area(8, 1);
        guest.unmapped = pages[k] ? pages[k] : 1;
        wr(sim, PMC0, MINUS(1));
        wr(sim, PEBS_ON, 1);
        wr(sim, SEL0, 0x20c4 | BOTH | EN);
        for (unsigned n = 0; n < 4; n++) branch_at(0x3000);
        assert_int_equal(guest.pmi, 0);
        assert_int_equal(rd(sim, STATUS), 1);
        assert_int_equal(rd(sim, PMC0), 3);
        assert_int_equal(ds_index(), BUFFER);
        finish();
    }
}

/* INT interrupts at the overflow, as without PEBS. */
TEST(test_int)
{
    given("haswell");
    sample_more(0, 0x20c4, MINUS(1), MINUS(100), INT);
    branch_at(0x3000);
    assert_int_equal(guest.pmi, 1);
    branch_at(0x3000);
    assert_int_equal(guest.pmi, 1);
    assert_int_equal(records(), 1);
    finish();
}

/* The threshold's interrupt freezes as a counter's does. */
TEST(test_freeze)
{
    static const char *const models[] = {"haswell", "skylake"};
    for (unsigned m = 0; m < 2; m++) {
        given(models[m]);
        ds_area(8, 1);
        wr(sim, DEBUGCTL, BIT(12));
        sample(0, 0x20c4, 1);
        for (unsigned k = 0; k < 8; k++) branch_at(0x3000);
        assert_int_equal(records(), 1);
        if (m == 0)
            assert_int_equal(rd(sim, CTRL), 0);
        else
            assert_int_equal(rd(sim, STATUS), BIT(62) | BIT(59));
        finish();
    }
}

/* It is late as any other. */
TEST(test_skid)
{
    given("skylake");
    assert_true(sim_skid(sim, "3", 0));
    ds_area(8, 1);
    sample(0, 0x20c4, 1);
    branch_at(0x3000);
    branch_at(0x3000);
    assert_int_equal(records(), 1);
    for (unsigned k = 0; k < 3; k++) {
        assert_int_equal(guest.pmi, 0);
        nop_at(0x3000);
    }
    assert_int_equal(guest.pmi, 1);
    finish();
}
