/* The words for what looks at a payload from aside, trace= and pins=: their values, and what they need. */
#include "bench/bench.h"
#include "pmu/p5.h"
#include "tests/unit/options_drive.h"
#include "tests/unit/unit.h"

static void payload(void *arg) { (void)arg; }
static const char *const labels[] = {NULL};
static const struct bench hooked = {.program = {.name = "hooked", .payload = payload, .channels = labels},
                                    .op = "call"};

static int given(void **state)
{
    static const struct bench *benches[2];
    (void)state;
    benches[0] = &alpha;
    benches[1] = &hooked;
    with.bench = benches;
    with.n_bench = 2;
    return 0;
}

static void test_entries(void **state)
{
    (void)state;
    assert_int_equal(parse("bench=hooked"), 0);
    assert_int_equal(opt.trace, 0);
    assert_int_equal(parse("bench=hooked trace=16"), 0);
    assert_int_equal(opt.trace, 16);
    assert_int_equal(parse("trace=65536 bench=alpha,hooked"), 0);
    assert_int_equal(opt.trace, 65536);
    expect_fault("bench=hooked trace=8", "number out of range|8|");
    expect_fault("bench=hooked trace=131072", "number out of range|131072|");
    expect_fault("bench=hooked trace=48", "number out of range|48|");
    expect_fault("bench=hooked trace=many", "not a number|many|");
    expect_fault("bench=hooked trace=0", "number out of range|0|");
}

static void test_hooks(void **state)
{
    (void)state;
    expect_fault("bench=alpha trace=64", "nothing that is measured has hooks of a trace|trace=64|");
    expect_fault("trace=64", "nothing that is measured has hooks of a trace|trace=64|");
    expect_fault("exit=monitor trace=64", "nothing that is measured has hooks of a trace|trace=64|");
}

static void test_pins(void **state)
{
    static const struct pmu p5 = {.ops = &pmu_p5_ops,
                                  .models = P5_PLAIN,
                                  .words = &pmu_p5_words,
                                  .counters = 2,
                                  .usable = 3,
                                  .pin_nmi = true,
                                  .shows_pins = true};
    (void)state;
    expect_fault("pins=increment", "this CPU's counters show nothing on pins|pins=increment|1|a Pentium");
    with.pmu = &p5;
    assert_int_equal(parse("bench=alpha events=data_read"), 0);
    assert_int_equal(opt.pins.show, PINS_FOUND);
    assert_int_equal(parse("bench=alpha events=data_read pins=increment"), 0);
    assert_true(opt.pins.show == PINS_INCREMENT && opt.pins.after == 0);
    assert_int_equal(parse("pins=overflow bench=alpha events=data_read"), 0);
    assert_true(opt.pins.show == PINS_OVERFLOW && opt.pins.after == 0);
    assert_int_equal(parse("pins=overflow:2147483647 bench=alpha events=data_read"), 0);
    assert_true(opt.pins.show == PINS_OVERFLOW && opt.pins.after == 2147483647);
    expect_fault("events=data_read pins=overflow:0", "number out of range|0|2|1 to 2147483647");
    expect_fault("events=data_read pins=overflow:2147483648", "number out of range|2147483648|2|");
    expect_fault("events=data_read pins=overflow:", "not a number||2|");
    expect_fault("events=data_read pins=increment:5", "unknown value|increment:5|2|increment, overflow");
    expect_fault("events=data_read pins=high", "unknown value|high|2|increment, overflow or");
    expect_fault("bench=alpha pins=overflow", "no event to show on the pins|pins=overflow|2|events=EVENT");
    expect_fault("bench=alpha events=data_read sample=nmi pins=overflow",
                 "with sample= the pins are the sampler's|pins=overflow|4|");
    with.pmu = &no_pmu;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup(test_entries, given),
                                       cmocka_unit_test_setup(test_hooks, given),
                                       cmocka_unit_test_setup(test_pins, given)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
