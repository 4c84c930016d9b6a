/* The words for what looks at a payload from aside, trace= and pins=: their values, and what they need. */
#include "bench/bench.h"
#include "pmu/p5.h"
#include "tests/unit/options_drive.h"
#include "tests/unit/unit.h"
#include <stdio.h>
#include <string.h>

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

TEST_WITH(test_entries, given, NULL)
{
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

TEST_WITH(test_hooks, given, NULL)
{
    expect_fault("bench=alpha trace=64", "nothing that is measured has hooks of a trace|trace=64|");
    expect_fault("trace=64", "nothing that is measured has hooks of a trace|trace=64|");
    expect_fault("exit=monitor trace=64", "nothing that is measured has hooks of a trace|trace=64|");
}

TEST_WITH(test_pins, given, NULL)
{
    static const struct pmu p5 = {.ops = &pmu_p5_ops,
                                  .models = P5_PLAIN,
                                  .words = &pmu_p5_words,
                                  .counters = 2,
                                  .usable = 3,
                                  .pin_nmi = true,
                                  .shows_pins = true};
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

static void expect_breakpoint(const char *word, unsigned n, const char *name, uint64_t offset, unsigned kind,
                              unsigned len)
{
    char line[120];
    snprintf(line, sizeof line, "bench=alpha events=data_read %s", word);
    if (parse(line)) fail_msg("%s: %s", word, faults);
    const struct breakpoint *b = &opt.breakpoint[n];
    assert_int_equal(b->name.s != NULL, name != NULL);
    if (name) {
        assert_int_equal(b->name.len, strlen(name));
        assert_memory_equal(b->name.s, name, b->name.len);
    }
    assert_true(b->offset == offset && b->kind == kind && b->len == len);
    for (unsigned i = 0; i < BREAKPOINTS; i++) assert_int_equal(opt.breakpoint[i].len, i == n ? len : 0);
}

TEST_WITH(test_breakpoints, given, NULL)
{
    static const struct pmu p5 = {.ops = &pmu_p5_ops,
                                  .models = P5_PLAIN,
                                  .words = &pmu_p5_words,
                                  .counters = 2,
                                  .usable = 3,
                                  .breakpoints = true};
    static const char *const wrong[] = {"0x",
                                        "",
                                        "1x",
                                        "-1",
                                        "9+1",
                                        "a+",
                                        "a-1",
                                        "a+b",
                                        "_h+",
                                        "a.b",
                                        "0x1+2",
                                        "a b",
                                        "0x1ffff0000ffff0000",
                                        "18446744073709551616",
                                        "+1"};
    expect_fault("dr0=0x5000",
                 "this CPU has no event that counts matches of breakpoints|dr0=0x5000|1|a Pent");
    with.pmu = &p5;
    expect_breakpoint("dr0=0x5000", 0, NULL, 0x5000, BREAKPOINT_CODE, 1);
    expect_breakpoint("dr1=5000h,4", 1, NULL, 0x5000, BREAKPOINT_ACCESS, 4);
    expect_breakpoint("dr2=97,io", 2, NULL, 97, BREAKPOINT_IO, 1);
    expect_breakpoint("dr3=0ffffh,2,w", 3, NULL, 0xffff, BREAKPOINT_WRITE, 2);
    expect_breakpoint("dr0=0xFFFFFFFF,1,rw", 0, NULL, 0xffffffff, BREAKPOINT_ACCESS, 1);
    expect_breakpoint("dr0=main_2", 0, "main_2", 0, BREAKPOINT_CODE, 1);
    expect_breakpoint("dr0=arg+8,4,w", 0, "arg", 8, BREAKPOINT_WRITE, 4);
    expect_breakpoint("dr0=beef+0x10,x", 0, "beef", 16, BREAKPOINT_CODE, 1);
    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char line[120];
        snprintf(line, sizeof line, "bench=alpha events=data_read dr0=%s", wrong[i]);
        if (strchr(wrong[i], ' ')) continue;
        if (parse(line) != 1 || strncmp(faults, "neither an address nor a name", 20) != 0)
            fail_msg("%s: %s", wrong[i], faults);
    }
    expect_fault("events=data_read dr0=a,3", "neither a length nor a kind|3|2|ADDRESS or NAME");
    expect_fault("events=data_read dr0=a,8,w", "neither a length nor a kind|8|2|");
    expect_fault("events=data_read dr0=a,4,", "neither a length nor a kind||2|");
    expect_fault("events=data_read dr0=a,4,r", "neither a length nor a kind|r|2|");
    expect_fault("events=data_read dr0=a,4,w,w", "neither a length nor a kind|w|2|");
    expect_fault("events=data_read dr0=a,w,4", "neither a length nor a kind|4|2|");
    expect_fault("events=data_read dr0=a,4,x", "code has no length|a,4,x|2|x without a length");
    expect_fault("bench=alpha dr3=a", "no event to count its matches|dr3=a|2|events=");
    expect_fault("events=data_read dr0=a dr0=b", "given twice|dr0=b|3|");
    with.pmu = &no_pmu;
}
