/* steps= of the command line: its ranges, and what it does not go with. */
#include "bench/bench.h"
#include "tests/unit/options_drive.h"
#include "tests/unit/unit.h"
#include <string.h>

static void payload(void *arg) { (void)arg; }
static const char *const labels[] = {NULL};
static const struct bench marked = {.program = {.name = "marked", .payload = payload, .regions = labels},
                                    .op = "call"};
static struct pmu freezing;

static int given(void **state)
{
    static const struct bench *benches[3];
    (void)state;
    benches[0] = &alpha;
    benches[1] = &marked;
    with.bench = benches;
    with.n_bench = 2;
    freezing = no_pmu;
    freezing.freezes = true;
    with.pmu = &freezing;
    return 0;
}

TEST_WITH(test_ranges, given, NULL)
{
    static const struct {
        const char *line;
        uint32_t from, to, by;
    } good[] = {{"steps=0..200", 0, 200, 1},         {"steps=7..7", 7, 7, 1},
                {"steps=0..10000:50", 0, 10000, 50}, {"steps=1K..2K:16", 1024, 2048, 16},
                {"steps=0..9999", 0, 9999, 1},       {"steps=0..1000000000:100001", 0, 1000000000, 100001}};
    assert_int_equal(parse("bench=alpha"), 0);
    assert_false(opt.steps.given);
    for (unsigned i = 0; i < sizeof good / sizeof *good; i++) {
        if (parse(good[i].line) != 0) fail_msg("%s: %s", good[i].line, faults);
        assert_true(opt.steps.given && !opt.steps.automatic);
        assert_int_equal(opt.steps.from, good[i].from);
        assert_int_equal(opt.steps.to, good[i].to);
        assert_int_equal(opt.steps.by, good[i].by);
    }
    assert_int_equal(parse("steps=auto"), 0);
    assert_true(opt.steps.given && opt.steps.automatic);
}

TEST_WITH(test_no_ranges, given, NULL)
{
    expect_fault("steps=", "not a range||");
    expect_fault("steps=10", "not a range|10|");
    expect_fault("steps=auto:2", "not a range|auto:2|");
    expect_fault("steps=..10", "not a number||");
    expect_fault("steps=1..", "not a number||");
    expect_fault("steps=a..b", "not a number|a|");
    expect_fault("steps=0..x", "not a number|x|");
    expect_fault("steps=-1..5", "not a number|-1|");
    expect_fault("steps=0..1000000001:1000", "number out of range|1000000001|");
    expect_fault("steps=9..3", "range that ends before it begins|9..3|");
    expect_fault("steps=0..9:0", "number out of range|0|");
    expect_fault("steps=0..9:", "not a number||");
    expect_fault("steps=0..10000", "too many steps|0..10000|");
    assert_non_null(strstr(faults, "at most 10000: steps=0..10000:2"));
    expect_fault("steps=0..1 steps=0..2", "given twice|");
}

/* Each with the word at fault, and what would be right. */
TEST_WITH(test_not_with, given, NULL)
{
    static const struct {
        const char *line, *what;
    } bad[] = {
        {"bench=alpha steps=auto sample=timer", "steps stop the counters, samples let them run|steps=auto|"},
        {"pair=alpha+alpha steps=auto", ""},
        {"bench=truth steps=auto", "this bench= counts in its own way|steps=auto|"},
        {"bench=alpha events=tsc steps=auto", "the time stamp does not stop|steps=auto|"},
        {"bench=alpha events=all steps=auto", ""},
        {"bench=alpha steps=auto period=100", ""},
        {"bench=alpha steps=0..5 all=1", "a step has the median of its repetitions|steps=0..5|"},
        {"bench=alpha steps=0..5 again=1", "a step has the median of its repetitions|steps=0..5|"},
        {"bench=alpha steps=0..5 cull=flagged", "a step has the median of its repetitions|steps=0..5|"},
        {"bench=marked steps=auto", "regions read counters while they run|steps=auto|"},
        {"bench=alpha,marked steps=auto", "regions read counters while they run|steps=auto|"}};
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
        if (*bad[i].what)
            expect_fault(bad[i].line, bad[i].what);
        else
            assert_true(parse(bad[i].line) > 0);
    }
    assert_int_equal(parse("bench=list steps=auto"), 0);
    assert_int_equal(parse("events=list steps=auto"), 0);
    freezing.freezes = false;
    expect_fault("bench=alpha steps=auto",
                 "this CPU's counters do not stop by themselves after so many cycles|steps=auto|");
    assert_non_null(strstr(faults, "sample=pmi"));
}
