/* The noise certificate on a made-up machine. */
#include "kernel/smi.h"
#include "measure/certificate.h"
#include "tests/unit/fake_hw.h"
#include "tests/unit/unit.h"

#define THERM 0x19c

static struct machine m;
static struct cpu one, *const cpu = &one;
static struct certificate c;

static int begin(void **state)
{
    (void)state;
    m = (struct machine){.time_origin = ORIGIN_SILICON};
    *cpu = (struct cpu){.machine = &m,
                        .id = {.vendor = "GenuineIntel", .family = 6, .f1_edx = CPUID_1_EDX_ACPI},
                        .smi_counter = true};
    fake_reset();
    fake_tsc(1000, 500);
    fake_msr(0x34, 0xfffffffe);
    fake_msr(THERM, THROTTLE_PROCHOT);
    return 0;
}

TEST_WITH(times_and_smis, begin, NULL)
{
    certificate_begin(&c, cpu);
    fake_msr(0x34, 3); /* it wraps */
    certificate_end(&c);
    assert_int_equal(c.elapsed, 500);
    assert_int_equal(c.smis, 5);
    begin(NULL);
    cpu->smi_counter = false;
    certificate_begin(&c, cpu);
    fake_msr(0x34, 3);
    certificate_end(&c);
    assert_int_equal(c.smis, 0);
}

/* What was set before is cleared, and counts again when it comes again; what cannot be cleared says nothing.
 */
TEST_WITH(throttling, begin, NULL)
{
    certificate_begin(&c, cpu);
    certificate_end(&c);
    assert_true(c.throttle == KNOWN && c.throttled == 0 && c.stuck == 0);
    certificate_begin(&c, cpu);
    fake_msr(THERM, THROTTLE_PROCHOT | THROTTLE_THERMAL | 1);
    certificate_end(&c);
    assert_int_equal(c.throttled, THROTTLE_PROCHOT | THROTTLE_THERMAL);
    begin(NULL);
    cpu->id.f1_edx = 0;
    certificate_begin(&c, cpu);
    certificate_end(&c);
    assert_true(c.throttle == KNOWN_ABSENT && c.throttled == 0);
    begin(NULL);
    m.time_origin = ORIGIN_EMULATED; /* whose register answers */
    certificate_begin(&c, cpu);
    certificate_end(&c);
    assert_true(c.throttle == KNOWN_UNMODELLED && c.throttled == 0);
    m.time_origin = ORIGIN_VIRTUALIZED;
    certificate_begin(&c, cpu);
    assert_true(c.throttle == KNOWN_ABSENT);
    uint64_t v = 0;
    assert_true(rdmsr_safe(THERM, &v) && v == THROTTLE_PROCHOT); /* nobody wrote to it */
}

TEST_WITH(runs, begin, NULL)
{
    static const struct disturbance calm = {0, 0, 0, 100, 103}, slow = {0, 1, 0, 100, 900},
                                    stray = {0, 0, 1, 9, 9};
    struct run run = {.core_per_tsc = 0};
    cpu->smi_counter = false;
    certificate_begin(&c, cpu);
    certificate_run(&c, &run, &calm, false);
    assert_true(c.core_least <= 0 && c.core_most <= 0 && !certificate_clock_moved(&c));
    run.core_per_tsc = 1.5;
    certificate_run(&c, &run, &slow, true);
    run.core_per_tsc = 1.52;
    certificate_run(&c, &run, &stray, false);
    const uint32_t before = c.smis;
    assert_true(c.runs == 3 && c.disturbed == 2 && c.again == 1 && c.over_median == 800);
    assert_true(c.core_least == 1.5 && c.core_most == 1.52 && !certificate_clock_moved(&c));
    assert_false(c.by_event);
    run.counts_smis = true, run.smis = 3;
    run.core_per_tsc = 1.48;
    certificate_run(&c, &run, &calm, false);
    assert_true(c.by_event && c.smis == 3 + before);
    run.smis = 0;
    certificate_run(&c, &run, &calm, false);
    assert_true(c.core_least == 1.48 && c.core_most == 1.52 && certificate_clock_moved(&c));
}
