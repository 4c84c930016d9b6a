/* trace= on the command line: how many entries, and that something must have hooks. */
#include "bench/bench.h"
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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup(test_entries, given),
                                       cmocka_unit_test_setup(test_hooks, given)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
