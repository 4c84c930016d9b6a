/* AMD model: L1 and L2 caches. */
#include "tests/unit/amd_drive.h"
#include <stdlib.h>

/* ---- caches ---- */

/* Lines that fit are there the second time; one more than a set has ways, and (LRU) all of it misses again.
 */
TEST(test_geometry)
{
    static const struct {
        unsigned lines, way_bytes, ways;
    } l1d[MODELS] = {{1024, 32768, 2}, {1024, 32768, 2}, {256, 4096, 4}, {512, 4096, 8}, {512, 4096, 8}};
    for (unsigned m = 0; m < MODELS; m++) {
        struct sim *s = machine(models[m].name);
        char *line = NULL;
        const char *misses = m < 3 ? "REQUESTS_TO_L2:DATA" : "REQUESTS_TO_L2_GROUP1:RD_BLK_L";
        sim_oracle_begin(s, "cold");
        retire(s, 1, 0, 0);
        for (unsigned n = 0; n < l1d[m].lines; n++) load(s, 0x100000 + 64 * n);
        sim_oracle_begin(s, "warm");
        for (unsigned n = 0; n < l1d[m].lines; n++) load(s, 0x100000 + 64 * n);
        sim_oracle_end(s, keep, &line, NULL);
        assert_int_equal(in_line(line, misses), 0);
        free(line);
        sim_cache_flush(s, true);
        for (unsigned n = 0; n <= l1d[m].ways; n++) load(s, 0x100000 + l1d[m].way_bytes * n);
        sim_oracle_begin(s, "one way too many");
        for (unsigned n = 0; n <= l1d[m].ways; n++) load(s, 0x100000 + l1d[m].way_bytes * n);
        sim_oracle_end(s, keep, &line, NULL);
        /* true LRU loses all of them; of the tree it is enough that one is gone */
        if (l1d[m].ways == 2)
            assert_int_equal(in_line(line, misses), 3);
        else
            assert_true(in_line(line, misses) >= 1);
        free(line);
        sim_free(s);
    }
}

/* Exclusive: what the L1D has lost is in the L2, with its state, and leaves it when it comes back. */
TEST(test_exclusive)
{
    for (unsigned m = 0; m < 2; m++) {
        struct sim *s = machine(models[m].name);
        wr(s, SEL0, 0x0142 | ON);
        wr(s, SEL0 + 1, 0x0442 | ON);
        wr(s, SEL0 + 2, 0x1042 | ON);
        wr(s, SEL0 + 3, 0x1e42 | ON);
        store(s, 0x100000);
        load(s, 0x108000);
        load(s, 0x110000); /* 100000h out, modified */
        load(s, 0x118000); /* 108000h out, exclusive */
        assert_int_equal(rd(s, CTR0), 4);
        assert_int_equal(rd(s, CTR0 + 3), 0);
        load(s, 0x100000);
        assert_int_equal(rd(s, CTR0 + 2), 1);
        load(s, 0x108000);
        assert_int_equal(rd(s, CTR0 + 1), 1);
        load(s, 0x110000);
        load(s, 0x118000); /* 100000h and 108000h out again: the first is modified still */
        load(s, 0x100000);
        assert_int_equal(rd(s, CTR0 + 2), 2);
        assert_int_equal(rd(s, CTR0), 4);
        assert_int_equal(rd(s, CTR0 + 3), 5);
        sim_free(s);
    }
}

/* Together the two hold more than the L2 alone. */
TEST(test_exclusive_capacity)
{
    struct sim *s = machine("k8");
    const unsigned lines = (512 + 32) * 1024 / 64;
    wr(s, SEL0, 0x0142 | ON);
    for (unsigned n = 0; n < lines; n++) load(s, 0x100000 + 64 * n);
    assert_int_equal(rd(s, CTR0), lines);
    for (unsigned n = lines; n-- > lines - 1024;)
        load(s, 0x100000 + 64 * n); /* the last 64 KiB, from the L1D */
    assert_int_equal(rd(s, CTR0), lines);
    for (unsigned n = lines - 1024; n-- > lines - 1024 - 512;) load(s, 0x100000 + 64 * n);
    assert_int_equal(rd(s, CTR0), lines); /* from the L2 */
    sim_free(s);
}

/* Inclusive: a line that leaves the L2 leaves the L1D. */
TEST(test_inclusive)
{
    struct sim *s = machine("zen");
    const unsigned way = 512 * 1024 / 8;
    wr(s, CTL0, 0xc860 | ON); /* requests of the L1D */
    wr(s, CTL0 + 2, 0x0864 | ON);
    wr(s, CTL0 + 4, 0x5064 | ON);
    for (unsigned n = 0; n < 9; n++) load(s, 0x100000 + way * n); /* 8 ways in the L1D's set as well */
    assert_int_equal(rd(s, CTL0 + 1), 9);
    assert_int_equal(rd(s, CTL0 + 3), 9);
    for (unsigned n = 0; n < 9; n++) load(s, 0x100000 + way * n);
    assert_true(rd(s, CTL0 + 3) > 9);
    assert_int_equal(rd(s, CTL0 + 1), rd(s, CTL0 + 3) + rd(s, CTL0 + 5));

    /* Code throws data out: 8 lines of it in one set of the L2, in 8 sets of the L1I. */
    sim_cache_flush(s, true);
    load(s, 0x100000);
    const uint64_t before = rd(s, CTL0 + 1);
    load(s, 0x100000);
    assert_int_equal(rd(s, CTL0 + 1), before);
    for (unsigned n = 1; n < 12; n++)
        sim_instruction(s,
                        &(struct sim_insn){.lin = 0x100000 + way * n, .phys = 0x100000 + way * n, .len = 1});
    load(s, 0x100000);
    assert_int_equal(rd(s, CTL0 + 1), before + 1);
    sim_free(s);
}
