/* The single repetitions of regions that all=1 keeps, of tables written by hand. */
#include "measure/region_within.h"
#include "tests/unit/region_drive.h"
#include <math.h>
#include <stdlib.h>

#define REPS 50

static _Alignas(64) uint8_t memory[64 << 10];
static struct arena arena;

/* Repetitions with one counter, whose marker counts so much. The arena's memory is not zero. */
static void kept(unsigned reps, unsigned labelled, double least, double most)
{
    given(1, UINT64_MAX);
    memset(memory, 0x5a, sizeof memory);
    arena = (struct arena){memory, sizeof memory, 0};
    regions.cost[1] = (struct region_cost){{least, most}, {1, 1}, {2, 2}};
    assert_true(region_reps_prepare(&regions, reps, labelled, &arena));
}

/* A region in this repetition: n entries, with markers inside. */
static void put(unsigned id, uint32_t n, uint64_t ticks, uint64_t sum, uint32_t begins, uint32_t ends)
{
    struct region *g = &table.region[id];
    table.used[id / 32] |= 1u << id % 32;
    memset(g, 0, sizeof *g);
    g->entered = g->exited = n;
    g->span[0].sum[0] = ticks;
    g->span[0].sum[1] = sum / 2;
    g->span[1].sum[1] = sum - sum / 2;
    g->span[0].begins = begins;
    g->span[1].ends = ends;
}

static void next(void)
{
    regions_gather(&regions);
    regions_reset(&regions);
}

static void check(unsigned id, unsigned k, unsigned i, uint32_t entered, uint64_t raw, double least,
                  double most)
{
    const struct region_rep rep = region_rep(&regions, id, k, i);
    assert_int_equal(rep.entered, entered);
    assert_int_equal(rep.raw, raw);
    assert_range(rep.total, least, most);
}

TEST(test_values)
{
    kept(3, 2, 5, 8);
    regions.cost[0].entry = (struct region_range){30, 30};
    put(0, 2, 1060, 101, 1, 3); /* less 2 entries, and 7 for the markers inside */
    put(1, 1, 30, 6, 0, 0);
    next();
    put(0, 2, 1061, 117, 1, 3);
    put(1, 1, 29, 4, 0, 0); /* less than any marker counts */
    next();
    put(0, 1, 1032, 111, 0, 0);
    put(1, 1, 31, 9, 0, 0);
    next();
    assert_true(region_reps_complete(&regions));
    check(0, 1, 0, 2, 101, 101 - 16 - 7, 101 - 10 - 7);
    check(0, 1, 1, 2, 117, 117 - 16 - 7, 117 - 10 - 7);
    check(0, 1, 2, 1, 111, 111 - 8, 111 - 5);
    check(0, 0, 0, 2, 1060, 1000, 1000);
    check(0, 0, 2, 1, 1032, 1002, 1002);
    check(1, 1, 0, 1, 6, 0, 1);
    check(1, 1, 1, 1, 4, 0, 4); /* all of it may belong to the region */
    check(1, 1, 2, 1, 9, 1, 4);
    check(1, 0, 1, 1, 29, 0, 29);
}

/* Before a region is marked it counted nothing. One without a label gets its memory then. */
TEST(test_marked_late)
{
    kept(4, 1, 5, 5);
    assert_int_equal(region_reps_regions(&regions), 1);
    next();
    put(0, 1, 0, 12, 0, 0);
    next();
    put(REGIONS - 1, 1, 0, 25, 0, 0);
    next();
    put(0, 1, 0, 13, 0, 0);
    next(); /* the other region is not marked again, and counts all the same */
    assert_int_equal(region_reps_regions(&regions), 2);
    for (unsigned i = 0; i < 4; i++) {
        const bool zero = i == 0 || i == 2, last = i == 2;
        check(0, 1, i, !zero,
              zero     ? 0
              : i == 1 ? 12
                       : 13,
              zero     ? 0
              : i == 1 ? 7
                       : 8,
              zero     ? 0
              : i == 1 ? 7
                       : 8);
        check(REGIONS - 1, 1, i, last, last ? 25 : 0, last ? 20 : 0, last ? 20 : 0);
    }
}

/* The least, the most and the mean of the repetitions are the region's, however often each entered it. */
TEST(test_same_as_region)
{
    struct region_result res;
    srand(11);
    kept(REPS, 0, 3, 9);
    for (unsigned i = 0; i < REPS; i++) {
        for (unsigned id = 0; id < 3; id++) {
            const uint32_t n = 1 + (uint32_t)rand() % 3;
            if (rand() % 4) put(id, n, 0, (uint64_t)rand() % 100, (uint32_t)rand() % 5, (uint32_t)rand() % 5);
        }
        next();
    }
    for (unsigned id = 0; id < 3; id++) {
        double min = (double)INFINITY, max = 0, least = 0, most = 0;
        uint64_t entered = 0;
        for (unsigned i = 0; i < REPS; i++) {
            const struct region_rep rep = region_rep(&regions, id, 1, i);
            min = fmin(min, rep.total.least);
            max = fmax(max, rep.total.most);
            least += rep.total.least / REPS;
            most += rep.total.most / REPS;
            entered += rep.entered;
        }
        assert_true(regions_result(&regions, id, 1, 95, &res));
        assert_true(res.varies && res.entered == entered && min == res.min && max == res.max);
        assert_true(fabs(least - res.total.least) < 1e-9 && fabs(most - res.total.most) < 1e-9);
    }
}

/* Hits that are no more than the branches: no repetition's range goes further than the region's. */
TEST(test_narrowed)
{
    static const double most[] = {15, 18, 12};
    struct run run = {.regions = &regions, .n = 3};
    struct region_result res;
    run.count[1].event = "btb_hits";
    run.count[2].event = "branches";
    given(2, UINT64_MAX);
    arena = (struct arena){memory, sizeof memory, 0};
    regions.cost[1] = (struct region_cost){{0, 10}, {0, 0}, {0, 0}};
    assert_true(region_reps_prepare(&regions, 3, 1, &arena));
    for (unsigned i = 0; i < 3; i++) {
        put(0, 1, 0, 12 + 4 * i, 0, 0); /* hits: 2 to 12, 6 to 16, 10 to 20 */
        table.region[0].span[0].sum[2] = (uint64_t)most[i];
        next();
    }
    assert_true(regions_reduce(&run, 0, 1, 95, &res));
    assert_true(res.min == 2 && res.max == 18);
    assert_range(regions_reduce_rep(&run, 0, 1, 0, &res).total, 2, 12);
    assert_range(regions_reduce_rep(&run, 0, 1, 1, &res).total, 6, 16);
    assert_range(regions_reduce_rep(&run, 0, 1, 2, &res).total, 10, 18);
    res.min = 7; /* a range that contradicts it stays */
    res.max = 9;
    assert_range(regions_reduce_rep(&run, 0, 1, 0, &res).total, 7, 9);
    assert_range(regions_reduce_rep(&run, 0, 1, 2, &res).total, 10, 20);
}

/* Markers of many counters keep their regions elsewhere. */
TEST(test_many)
{
    static const uint32_t select[REGION_COUNTERS] = {0};
    kept(2, 0, 0, 0);
    assert_true(regions_arm(&regions, SERIALIZE_CPUID, READER_RDPMC, select, 5, (1ull << 40) - 1));
    memset(&regions.cost, 0, sizeof regions.cost);
    arena = (struct arena){memory, sizeof memory, 0};
    assert_true(region_reps_prepare(&regions, 2, 8, &arena));
    struct region_many *g = &table.many.region[7];
    table.used[0] = 1u << 7;
    memset(g, 0, sizeof *g);
    g->entered = g->exited = 1;
    for (unsigned k = 0; k < 6; k++) g->span[0].sum[k] = (k ? 1ull << 40 : 0) + 100 + k; /* goes round */
    regions_gather(&regions);
    for (unsigned k = 0; k < 6; k++) check(7, k, 0, 1, 100 + k, 100 + k, 100 + k);
}

TEST(test_memory)
{
    const size_t rows = REPS * (16 + 2 * sizeof(uint64_t)); /* of a region: the time stamp and one counter */
    kept(REPS, 3, 0, 0);
    const size_t needed = arena.used;
    assert_true(needed >= 3 * rows && needed < 4 * rows + 4096);
    arena = (struct arena){memory, needed, 0};
    assert_true(region_reps_prepare(&regions, REPS, 3, &arena));
    arena = (struct arena){memory, needed - 1, 0};
    assert_false(region_reps_prepare(&regions, REPS, 3, &arena));
    assert_int_equal(region_reps_regions(&regions), 3);
    arena = (struct arena){memory, 16, 0};
    assert_false(region_reps_prepare(&regions, REPS, 3, &arena));
    assert_false(regions.keeps);

    /* Of one that nobody expected: found when all is measured, and the others lose nothing by it. */
    kept(REPS, 3, 0, 0);
    arena.size = arena.used + rows / 2;
    for (unsigned i = 0; i < REPS; i++) {
        put(0, 1, 0, i, 0, 0);
        put(40, 1, 0, i, 0, 0);
        next();
    }
    assert_false(region_reps_complete(&regions));
    assert_int_equal(region_reps_regions(&regions), 4);
    for (unsigned i = 0; i < REPS; i++) check(0, 1, i, 1, i, i, i);
}

/* Without all=1 nothing is kept. */
TEST(test_not_kept)
{
    given(1, UINT64_MAX);
    put(0, 1, 0, 5, 0, 0);
    next();
    assert_true(region_reps_complete(&regions) && !regions.keeps && !regions.kept);
    assert_int_equal(region_reps_regions(&regions), 0);
}
