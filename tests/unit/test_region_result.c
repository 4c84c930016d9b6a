/* What is made of a table that markers have left: values with tables written by hand. */
#include "measure/region_within.h"
#include "measure/stats.h"
#include "tests/unit/region_drive.h"
#include <math.h>

/* A region as the markers leave it: n entries, the first with span value a, the later ones with b in all. */
static void put(unsigned id, uint32_t n, unsigned k, uint64_t a, uint64_t b, uint32_t begins, uint32_t ends)
{
    struct region *g = &table.region[id];
    table.used[id / 32] |= 1u << id % 32;
    if (g->entered == 0) memset(g, 0, sizeof *g);
    g->entered = g->exited = n;
    g->span[0].sum[k] = a;
    g->span[1].sum[k] = b;
    g->span[n > 1].begins = begins;
    g->span[n > 1].ends = ends;
}

/* A marker that always counts the same. */
#define EXACTLY(n) \
    {              \
        n, n       \
    }

TEST(test_correction)
{
    struct region_result res;
    given(0, 0);
    regions.cost[0] = (struct region_cost){EXACTLY(38), EXACTLY(50.5), EXACTLY(47)};
    put(0, 1, 0, 38 + 1000 + 101 + 94, 0, 2, 2);
    put(1, 4, 0, 38 + 10, 3 * (38 + 10), 0, 0);
    regions_gather(&regions);
    put(0, 1, 0, 38 + 1004 + 101 + 94, 0, 2, 2);
    regions_gather(&regions);
    assert_true(regions_result(&regions, 0, 0, 95, &res));
    assert_true(res.total.least == 1002 && res.total.most == 1002 && res.min == 1000 && res.max == 1004);
    assert_true(fabs(res.ci - 12.706 * 2) < 1e-3); /* s = 2 sqrt 2, over sqrt 2, df 1 */
    assert_true(res.nested == 4 && res.entered == 1 && res.entries == 1);
    assert_true(res.overhead.least == 38 && res.overhead.most == 38);
    assert_true(isnan(res.first.least) && isnan(res.first.most));
    assert_true(regions_result(&regions, 1, 0, 95, &res));
    assert_true(res.total.least == 40 && res.total.most == 40 && res.entered == 4 && res.entries == 4 &&
                res.ci == 0);
    assert_false(res.varies || res.below_overhead);
}

/* Markers that count more or less: what is left ranges as much the other way, and not below nothing. */
TEST(test_range)
{
    struct region_result res;
    given(0, 0);
    regions.cost[0] = (struct region_cost){{2, 5}, {1, 4}, {0, 3}};
    put(0, 1, 0, 100, 0, 2, 3);
    put(1, 3, 0, 2, 9, 0, 0);
    regions_gather(&regions);
    put(0, 1, 0, 120, 0, 2, 3);
    regions_gather(&regions);
    assert_true(regions_result(&regions, 0, 0, 95, &res));
    assert_true(res.total.least == 110 - 5 - 8 - 9 && res.total.most == 110 - 2 - 2);
    assert_true(res.min == 100 - 22 && res.max == 120 - 4);
    assert_true(regions_result(&regions, 1, 0, 95, &res));
    assert_true(res.total.least == 0 && res.total.most == 11 - 6 && !res.below_overhead);
    assert_true(res.overhead.least == 2 && res.overhead.most == 5);
}

/* Markers inside of the first entry and of later ones: each costs what it does, wherever it is. */
TEST(test_nested)
{
    struct region_result res;
    given(0, 0);
    regions.cost[0] = (struct region_cost){EXACTLY(1000), EXACTLY(10), EXACTLY(100)};
    for (unsigned rep = 0; rep < 3; rep++) { /* extremes in the middle */
        put(0, 3, 0, 20000, 30000 + (rep == 1 ? 8 : rep), 4, 1);
        table.region[0].span[0].begins = 2;
        table.region[0].span[0].ends = 5;
        regions_gather(&regions);
    }
    assert_true(regions_result(&regions, 0, 0, 95, &res));
    assert_true(res.nested == 12 && res.entries == 3);
    assert_true(res.min == 50000 - 3000 - 60 - 600 && res.max == res.min + 8);
    regions_gather_first(&regions);
    assert_true(regions_result(&regions, 0, 0, 95, &res));
    assert_range(res.first, 20000 - 1000 - 20 - 500, 20000 - 1000 - 20 - 500);
    /* The lowest last. */
    put(0, 3, 0, 20000, 29000, 4, 1);
    regions_gather(&regions);
    assert_true(regions_result(&regions, 0, 0, 95, &res));
    assert_true(res.min == 49000 - 3660 && res.max == 50008 - 3660);
}

TEST(test_first)
{
    struct region_result res;
    given(0, 0);
    regions.cost[0] = (struct region_cost){{60, 90}, EXACTLY(50), EXACTLY(47)};
    put(0, 2, 0, 90 + 500, 0, 0, 0);
    put(1, 1, 0, 60 + 30 + 97, 0, 1, 1);
    put(2, 1, 0, 59, 0, 0, 0);
    regions_gather(&regions);
    regions_gather_first(&regions);
    assert_true(regions_result(&regions, 0, 0, 95, &res));
    assert_true(res.first.least == 500 && res.first.most == 530 && !res.first_below);
    assert_true(regions_result(&regions, 1, 0, 95, &res));
    assert_true(res.first.least == 0 && res.first.most == 30);
    assert_true(regions_result(&regions, 2, 0, 95, &res));
    assert_true(res.first.least == 0 && res.first.most == 59 && res.first_below && res.below_overhead);
}

/* Sums go round with the counter: 40 bits, read high at begin and low at end. */
TEST(test_width)
{
    struct region_result res;
    const uint64_t mask = (1ull << 40) - 1;
    given(1, mask);
    regions.cost[1] = (struct region_cost){.entry = EXACTLY(7)};
    put(0, 1, 1, 100 - (mask - 6), 0, 0, 0); /* wrapped below zero */
    put(0, 1, 0, 1ull << 50, 0, 0, 0);
    table.region[0].span[0].sum[1] = 100 - (mask - 6);
    regions_gather(&regions);
    assert_true(regions_result(&regions, 0, 1, 95, &res));
    assert_true(res.total.least == 100 && res.total.most == 100);
    assert_true(regions_result(&regions, 0, 0, 95, &res));
    assert_true(res.total.most == (double)(1ull << 50)); /* the time stamp has 64 */
    assert_true(regions.impossible[0] == 0 && regions.impossible[1] == 0);
    put(0, 1, 1, mask >> 1, 0, 0, 0);
    regions_gather(&regions);
    assert_true(regions.impossible[1] == 0);
    put(0, 1, 1, (mask >> 1) + 1, 0, 0, 0); /* half of the width: the end was less than the begin */
    regions_gather(&regions);
    assert_int_equal(regions.impossible[1], (mask >> 1) + 1);
    assert_int_equal(regions.impossible[0], 0);
    put(0, 1, 0, 1ull << 63, 0, 0, 0);
    regions_gather(&regions);
    assert_int_equal(regions.impossible[0], 1ull << 63);
}

TEST(test_varies)
{
    struct region_result res;
    given(0, 0);
    regions.cost[0] = (struct region_cost){.entry = EXACTLY(5)};
    regions_gather(&regions); /* not entered at all */
    put(4, 2, 0, 15, 15, 0, 0);
    regions_gather(&regions);
    put(4, 1, 0, 15, 0, 0, 0);
    regions_gather(&regions);
    assert_true(regions_result(&regions, 4, 0, 95, &res));
    assert_true(res.varies && !res.unbalanced && res.entered == 3 && res.exited == 3);
    assert_true(fabs(res.total.least - 10) < 1e-9 && res.total.most == res.total.least);
    assert_true(res.min == 0 && res.max == 20 && res.entries == 1);
}

/* Less than the markers cost at the least: how much of it is theirs, nobody knows. */
TEST(test_below)
{
    struct region_result res;
    given(0, 0);
    regions.cost[0] = (struct region_cost){.entry = EXACTLY(50)};
    put(0, 1, 0, 49, 0, 0, 0);
    regions_gather(&regions);
    assert_true(regions_result(&regions, 0, 0, 95, &res));
    assert_true(res.total.least == 0 && res.total.most == 49 && res.max == 49 && res.below_overhead);
}

/* No more hits than branches, and no fewer branches than hits. */
TEST(test_within)
{
    struct region_result res;
    struct run run = {.regions = &regions, .n = 3};
    run.count[1].event = "BTB_hits";
    run.count[2].event = "branches";
    given(2, UINT64_MAX);
    regions.cost[1] = (struct region_cost){{0, 6}, {0, 0}, {0, 0}};
    regions.cost[2] = (struct region_cost){EXACTLY(3), {0, 0}, {0, 0}};
    put(0, 1, 1, 105, 0, 0, 0);
    put(0, 1, 2, 103, 0, 0, 0);
    put(1, 1, 1, 4, 0, 0, 0);
    put(1, 1, 2, 3, 0, 0, 0);
    regions_gather(&regions);
    assert_true(regions_result(&regions, 0, 1, 95, &res));
    assert_range(res.total, 99, 105);
    regions_within(&run, 0, 1, 95, &res);
    assert_range(res.total, 99, 100);
    assert_true(res.min == 99 && res.max == 100);
    assert_true(regions_result(&regions, 1, 1, 95, &res));
    regions_within(&run, 1, 1, 95, &res);
    assert_range(res.total, 0, 0);
    assert_true(regions_result(&regions, 0, 2, 95, &res));
    regions_within(&run, 0, 2, 95, &res);
    assert_range(res.total, 100, 100);
    run.count[2].event = "data_read"; /* of which hits are no part */
    assert_true(regions_result(&regions, 0, 1, 95, &res));
    regions_within(&run, 0, 1, 95, &res);
    assert_range(res.total, 99, 105);
}

/* The first entry and the extremes go the same way as the total; a range that contradicts the other's stays.
 */
TEST(test_within_all)
{
    static const struct {
        double hits_least, hits_most, branches_least, branches_most; /* before */
        double least, most, whole_least, whole_most;                 /* after */
    } cases[] = {
        {10, 20, 5, 15, 10, 15, 10, 15},  {10, 20, 12, 18, 10, 18, 12, 18}, {10, 20, 0, 10, 10, 10, 10, 10},
        {10, 20, 0, 9, 10, 20, 0, 9}, /* fewer branches than hits: neither is believed more */
        {10, 20, 20, 30, 10, 20, 20, 30}, {10, 20, 25, 30, 10, 20, 25, 30},
    };
    struct run run = {.regions = &regions, .n = 3};
    struct region_result res;
    run.count[1].event = "btb_hits";
    run.count[2].event = "branches";
    assert_false(regions_reduce(&(struct run){.n = 1}, 0, 0, 95, &res));
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        given(2, UINT64_MAX);
        /* A marker that costs 0 to as much as the range is wide. */
        regions.cost[1] = (struct region_cost){{0, cases[i].hits_most - cases[i].hits_least}, {0, 0}, {0, 0}};
        regions.cost[2] =
            (struct region_cost){{0, cases[i].branches_most - cases[i].branches_least}, {0, 0}, {0, 0}};
        put(0, 1, 0, 1000, 0, 0, 0);
        put(0, 1, 1, (uint64_t)cases[i].hits_most, 0, 0, 0);
        put(0, 1, 2, (uint64_t)cases[i].branches_most, 0, 0, 0);
        regions_gather(&regions);
        regions_gather_first(&regions);
        assert_true(regions_reduce(&run, 0, 1, 95, &res));
        assert_range(res.total, cases[i].least, cases[i].most);
        assert_range(res.first, cases[i].least, cases[i].most);
        assert_range((struct region_range){res.min, res.max}, cases[i].least, cases[i].most);
        assert_true(regions_reduce(&run, 0, 2, 95, &res));
        assert_range(res.total, cases[i].whole_least, cases[i].whole_most);
        assert_range(res.first, cases[i].whole_least, cases[i].whole_most);
        assert_range((struct region_range){res.min, res.max}, cases[i].whole_least, cases[i].whole_most);
        assert_true(regions_reduce(&run, 0, 0, 95, &res)); /* the time stamp is no event */
        assert_range(res.total, 1000, 1000);
        assert_false(regions_reduce(&run, 1, 1, 95, &res)); /* not entered */
    }
}

/* Which events are parts of which: both names count. */
TEST(test_parts)
{
    static const struct {
        const char *a, *b;
        bool part;
    } cases[] = {
        {"BTB_hits", "Branches", true},
        {"itlb_miss", "ifu_ifetch_miss", true},
        {"l2_m_lines_outm", "l2_lines_out", true},
        {"cache-misses", "cache-references", true},
        {"branches", "btb_hits", false},
        {"data_read", "branches", false},
        {"btb_hits", "returns", false},
        {"l2_ifetch", "l2_lines_in", false},
        {"itlb_miss", "l2_rqsts", false},
        {"cache-misses", "branches", false},
    };
    struct run run = {.regions = &regions, .n = 3};
    struct region_result res;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        run.count[1].event = cases[i].a;
        run.count[2].event = cases[i].b;
        given(2, UINT64_MAX);
        regions.cost[1] = regions.cost[2] = (struct region_cost){{0, 10}, {0, 0}, {0, 0}};
        put(0, 1, 1, 20, 0, 0, 0);
        put(0, 1, 2, 15, 0, 0, 0);
        regions_gather(&regions);
        assert_true(regions_reduce(&run, 0, 1, 95, &res));
        if (res.total.most != (cases[i].part ? 15 : 20)) fail_msg("%s, %s", cases[i].a, cases[i].b);
    }
}
