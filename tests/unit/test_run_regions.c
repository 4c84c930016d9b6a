/* Runs of a payload that marks regions: their single repetitions, with all=1. */
#include "bench/region.h"
#include "measure/region_within.h"
#include "tests/unit/run_drive.h"

/* Keeps the compiler from using the red zone, which the kernel's payloads do not have either. */
static __attribute__((noinline)) void not_a_leaf(void) { __asm__ volatile(""); }

/* Region 0 counts 1000, 1001, ... from call to call; 5, which has no label, 7 in every second call, within
 * it. */
static unsigned calls;
PAYLOAD static void parts(void *arg)
{
    struct region_table *table = *(struct region_table **)arg;
    not_a_leaf();
    region_begin(table, 0);
    trap_rdpmc_now += 1000 + calls;
    if (calls++ % 2) {
        region_begin(table, 5);
        trap_rdpmc_now += 7;
        region_end(table, 5);
    }
    region_end(table, 0);
    not_a_leaf();
}

/* A region whose code sets the counter back, while the whole payload does not. */
PAYLOAD static void backward(void *arg)
{
    struct region_table *table = *(struct region_table **)arg;
    not_a_leaf();
    trap_rdpmc_now += 1000;
    region_begin(table, 0);
    trap_rdpmc_now -= 500;
    region_end(table, 0);
    not_a_leaf();
}

TEST_WITH(test_backward, given, NULL)
{
    run_any(backward, 1, true);
    assert_int_equal(out.status, RUN_IMPOSSIBLE);
    assert_non_null(strstr(out.bench.error, "counted -4"));
}

/* Each repetition of each region is kept with all=1, and nothing else is other than without. */
TEST_WITH(test_region_reps, given, NULL)
{
    static uint64_t raw[2][8];
    struct region_result res[2];
    opt.reps = 8;
    opt.warmup = 2;
    for (unsigned all = 0; all < 2; all++) {
        opt.all = all;
        calls = 0;
        run(parts, 1, true);
        assert_true(regions_reduce(&out, 0, 1, 95, &res[all]));
        for (unsigned i = 0; i < opt.reps; i++) raw[all][i] = out.count[1].raw[i];
        assert_int_equal(out.regions->keeps, all);
    }
    assert_memory_equal(raw[0], raw[1], sizeof raw[0]);
    assert_true(res[0].min == 1002 && res[0].max == 1009 + 7 && res[0].total.least == res[1].total.least);
    for (unsigned i = 0; i < opt.reps; i++) {
        const double extra = i % 2 ? 7 : 0;
        const struct region_rep outer = regions_reduce_rep(&out, 0, 1, i, &res[1]),
                                inner = region_rep(out.regions, 5, 1, i);
        assert_true(outer.entered == 1 && inner.entered == i % 2);
        assert_true(outer.total.least == 1002 + i + extra && outer.total.most == outer.total.least);
        assert_true(inner.total.least == extra && inner.total.most == extra);
        assert_true(outer.raw > outer.total.most);
    }
}

/* Too little memory: for regions that have labels before anything is measured, for others afterwards. */
TEST_WITH(test_region_reps_memory, given, NULL)
{
    calls = 0;
    opt.reps = 30000;
    run(parts, 1, true);
    opt.all = true;
    calls = 0;
    run_any(parts, 1, true);
    assert_int_equal(out.status, RUN_MEMORY);
    assert_int_equal(calls, 0);
    assert_string_equal(out.bench.error, "not enough memory to keep 30000 repetitions of 1 region (all=1)");
    opt.reps = 20000;
    run_any(parts, 1, true);
    assert_int_equal(out.status, RUN_MEMORY);
    assert_int_equal(calls, opt.warmup + 20000 + 1); /* with the cold one */
    assert_string_equal(out.bench.error, "not enough memory to keep 20000 repetitions of 2 regions (all=1)");
}
