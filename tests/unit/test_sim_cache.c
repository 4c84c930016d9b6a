/* Caches and TLBs of the PMU model: replacement, states, what a miss throws out. */
#include "sim/core.h"
#include "tests/unit/unit.h"
#include <stdlib.h>
#include <string.h>

/* One set: every line competes. */
static struct sim_cache *one_set(unsigned ways, bool lru, bool write_allocate)
{
    struct sim_cache *c =
        sim_cache_new(&(struct sim_cache_geometry){32 * ways, 32, ways, lru, write_allocate});
    assert_non_null(c);
    return c;
}

TEST(test_geometry)
{
    static const struct sim_cache_geometry bad[] = {
        {8192, 24, 2, true, false},  /* line not a power of two */
        {8192, 32, 0, true, false},  /* no way */
        {8000, 32, 2, true, false},  /* sets not a power of two */
        {96, 32, 3, false, false},   /* three ways have no tree */
        {8200, 32, 2, true, false},  /* not a whole number of lines */
        {8192, 32, 128, false, true} /* more ways than the tree has bits for */
    };
    for (unsigned k = 0; k < sizeof bad / sizeof *bad; k++) assert_null(sim_cache_new(&bad[k]));
    assert_null(sim_tlb_new(64, 3));
    assert_null(sim_tlb_new(48, 4));
    assert_null(sim_tlb_new(128, 128));
    /* Three ways do with true LRU. */
    struct sim_cache *c = sim_cache_new(&(struct sim_cache_geometry){96, 32, 3, true, false});
    assert_non_null(c);
    sim_cache_free(c);
    sim_cache_free(NULL);
    sim_tlb_free(NULL);
}

TEST(test_states)
{
    struct sim_cache *c = one_set(2, true, false);
    enum sim_line_state at;
    struct sim_cache_result r = sim_cache_access(c, 0x1000, true);
    assert_false(r.hit || r.evicted);
    assert_false(sim_cache_present(c, 0x1000, NULL)); /* a write that misses goes out */
    r = sim_cache_access(c, 0x1000, false);
    assert_false(r.hit);
    assert_int_equal(r.before, LINE_I);
    assert_true(sim_cache_present(c, 0x101F, &at)); /* any byte of the line */
    assert_int_equal(at, LINE_E);
    assert_false(sim_cache_present(c, 0x1020, &at));
    assert_int_equal(at, LINE_I);
    r = sim_cache_access(c, 0x101F, true);
    assert_true(r.hit);
    assert_int_equal(r.before, LINE_E);
    r = sim_cache_access(c, 0x1004, true);
    assert_int_equal(r.before, LINE_M);
    assert_int_equal(sim_cache_lines(c, LINE_M), 1);
    r = sim_cache_access(c, 0x1010, false); /* a read leaves it modified */
    assert_int_equal(r.before, LINE_M);
    assert_int_equal(sim_cache_lines(c, LINE_M), 1);

    r = sim_cache_fill(c, 0x2000, LINE_S);
    assert_false(r.hit || r.evicted);
    r = sim_cache_fill(c, 0x2000, LINE_M);
    assert_true(r.hit);
    assert_int_equal(r.before, LINE_S);
    r = sim_cache_access(c, 0x3000, false); /* 1000h is older */
    assert_true(r.evicted && r.evicted_modified);
    assert_int_equal(r.evicted_phys, 0x1000);
    r = sim_cache_access(c, 0x4000, false);
    assert_true(r.evicted && r.evicted_modified);
    assert_int_equal(r.evicted_phys, 0x2000);
    r = sim_cache_access(c, 0x5000, false);
    assert_true(r.evicted);
    assert_false(r.evicted_modified);
    assert_int_equal(r.evicted_phys, 0x3000);
    sim_cache_invalidate_all(c);
    assert_int_equal(sim_cache_lines(c, LINE_I), 2);
    assert_false(sim_cache_access(c, 0x5000, false).hit);
    sim_cache_free(c);

    c = one_set(2, true, true);
    assert_false(sim_cache_access(c, 0x1000, true).hit);
    assert_true(sim_cache_present(c, 0x1000, &at));
    assert_int_equal(at, LINE_M);
    sim_cache_free(c);
}

TEST(test_drop)
{
    struct sim_cache *c = one_set(4, false, true);
    assert_int_equal(sim_cache_drop(c, 0x1000), LINE_I);
    sim_cache_access(c, 0x1000, true);
    sim_cache_access(c, 0x2000, false);
    assert_true(sim_cache_hot(c, 0x2000, false));
    assert_int_equal(sim_cache_drop(c, 0x201f), LINE_E);
    assert_false(sim_cache_hot(c, 0x2000, false));
    assert_false(sim_cache_present(c, 0x2000, NULL));
    assert_int_equal(sim_cache_drop(c, 0x1000), LINE_M);
    assert_int_equal(sim_cache_drop(c, 0x1000), LINE_I);
    sim_cache_access(c, 0x3000, false);
    sim_cache_access(c, 0x1000, false);
    assert_int_equal(sim_cache_drop(c, 0x3000), LINE_E); /* not the one that was used last */
    assert_true(sim_cache_hot(c, 0x1000, false));
    assert_int_equal(sim_cache_lines(c, LINE_E), 1);
    sim_cache_free(c);
}

TEST(test_sets)
{
    /* 8 KiB in two ways: 4 KiB apart is the same set, and nothing else is. */
    struct sim_cache *c = sim_cache_new(&(struct sim_cache_geometry){8192, 32, 2, true, false});
    for (unsigned a = 0; a < 8192; a += 32) assert_false(sim_cache_access(c, a, false).hit);
    for (unsigned a = 0; a < 8192; a += 32) assert_true(sim_cache_access(c, a, false).hit);
    struct sim_cache_result r = sim_cache_access(c, 8192 + 64, false);
    assert_true(r.evicted);
    assert_int_equal(r.evicted_phys, 64);
    for (unsigned a = 0; a < 8192; a += 32) assert_true(sim_cache_present(c, a, NULL) == (a != 64));
    sim_cache_free(c);
}

/* True LRU against a list in order of use. */
TEST(test_lru)
{
    enum { WAYS = 5, LINES = 9 };
    struct sim_cache *c = one_set(WAYS, true, false);
    unsigned order[WAYS] = {0}, n = 0;
    srand(1);
    for (unsigned round = 0; round < 5000; round++) {
        unsigned line = (unsigned)rand() % LINES, k = 0;
        struct sim_cache_result r = sim_cache_access(c, 32 * line, false);
        while (k < n && order[k] != line) k++;
        assert_int_equal(r.hit, k < n);
        assert_int_equal(r.evicted, k == n && n == WAYS);
        if (r.evicted) assert_int_equal(r.evicted_phys, 32 * order[WAYS - 1]);
        if (k == n) k = n < WAYS ? n++ : WAYS - 1;
        memmove(order + 1, order, k * sizeof *order);
        order[0] = line;
    }
    sim_cache_free(c);
}

/* Four ways against the published state table: three bits, "x" does not matter, "_" is unchanged. */
TEST(test_tree)
{
    unsigned b0 = 0, b1 = 0, b2 = 0, n = 0; /* 1: the left one was used more recently */
    uint64_t way[4] = {0};
    struct sim_cache *c = one_set(4, false, false);
    srand(2);
    for (unsigned round = 0; round < 5000; round++) {
        unsigned line = (unsigned)rand() % 7, k = 0;
        struct sim_cache_result r = sim_cache_access(c, 32 * line, false);
        while (k < n && way[k] != line) k++;
        assert_int_equal(r.hit, k < n);
        if (k == n) {
            if (n < 4) {
                n++;
                assert_false(r.evicted);
            } else {
                k = !b0 ? (!b1 ? 0 : 1) : (!b2 ? 2 : 3);
                assert_true(r.evicted);
                assert_int_equal(r.evicted_phys, 32 * way[k]);
            }
            way[k] = line;
        }
        if (k < 2) {
            b0 = 1;
            b1 = k == 0;
        } else {
            b0 = 0;
            b2 = k == 2;
        }
    }
    sim_cache_free(c);
}

TEST(test_tlb)
{
    struct sim_tlb *t = sim_tlb_new(64, 4); /* 16 sets */
    for (uint64_t p = 0; p < 64; p++) assert_false(sim_tlb_access(t, p << 12));
    for (uint64_t p = 0; p < 64; p++) assert_true(sim_tlb_access(t, (p << 12) + 0xFFF));
    assert_false(sim_tlb_access(t, 64 << 12)); /* a fifth one in set 0 */
    for (uint64_t p = 0; p < 64; p++) {
        if (p % 16) assert_true(sim_tlb_access(t, p << 12));
    }
    /* Used in the order 0 16 32 48 64: the tree says page 0 went. */
    assert_true(sim_tlb_access(t, 64 << 12));
    assert_true(sim_tlb_access(t, 48 << 12));
    assert_false(sim_tlb_access(t, 0));
    sim_tlb_drop(t, (5 << 12) + 0x123);
    sim_tlb_drop(t, 1000 << 12); /* not there: nothing happens */
    assert_false(sim_tlb_access(t, 5 << 12));
    assert_true(sim_tlb_access(t, 6 << 12));
    sim_tlb_flush_all(t);
    assert_false(sim_tlb_access(t, 6 << 12));
    sim_tlb_free(t);

    /* Fully associative: any 64 pages, of which many share a hint. */
    t = sim_tlb_new(64, 64);
    for (uint64_t p = 0; p < 64; p++) assert_false(sim_tlb_access(t, p << 18));
    for (uint64_t p = 0; p < 64; p++) assert_true(sim_tlb_access(t, p << 18));
    assert_false(sim_tlb_access(t, 64 << 18));
    unsigned hits = 0;
    for (uint64_t p = 0; p < 64; p++) hits += !!sim_tlb_access(t, (63 - p) << 18);
    assert_in_range(hits, 1, 63);
    sim_tlb_free(t);
}
