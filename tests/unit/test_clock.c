/* The TSC's rate: as CPUID states it, and against timers in software. */
#include "kernel/clock.h"
#include "tests/unit/fake_hw.h"
#include "tests/unit/unit.h"
#include <string.h>

static struct cpu_id id;
static struct acpi_info acpi;
static struct clock c;

static void machine(const struct fake_cpuid *table, size_t n, uint32_t max_leaf)
{
    fake_reset();
    if (n) fake_cpuid(table, n);
    memset(&id, 0, sizeof id);
    memset(&acpi, 0, sizeof acpi);
    id.max_leaf = max_leaf;
}

static void test_cpuid(void **state)
{
    /* Values as such CPUs give them: Tiger Lake (38.4 MHz crystal), Skylake client (no crystal, 16h says 3400). */
    static const struct fake_cpuid tiger[] = {{0, 0, {0x16, 0, 0, 0}}, {0x15, 0, {2, 146, 38400000, 0}},
                                              {0x16, 0, {2800, 4700, 100, 0}}};
    static const struct fake_cpuid skylake[] = {{0, 0, {0x16, 0, 0, 0}}, {0x15, 0, {2, 284, 0, 0}},
                                                {0x16, 0, {3400, 4000, 100, 0}}};
    (void)state;
    machine(tiger, 3, 0x16);
    clock_init(&id, &acpi, &c);
    assert_int_equal(c.tsc_hz, 2803200000);
    assert_string_equal(c.source, "cpuid.15h");
    machine(skylake, 3, 0x16);
    clock_init(&id, &acpi, &c);
    assert_int_equal(c.tsc_hz, 3400000000);
    assert_string_equal(c.source, "cpuid.16h");
}

/* A PM timer and a PIT that follow the fake TSC: each TSC reading is STEP ticks on, ports cost nothing. */
#define STEP   100u
#define TSC_HZ 1000000000.0
static uint64_t readings;

static double now(void) { return (double)(readings += 1) * STEP / TSC_HZ; } /* a port read takes as long */

static uint32_t pm_in(void *ctx, uint16_t offset, unsigned width)
{
    (void)ctx, (void)offset, (void)width;
    return (uint32_t)(now() * 3579545) & 0xffffff;
}

static void test_pm_timer(void **state)
{
    static const struct fake_device pm = {0x608, 4, pm_in, NULL, NULL};
    (void)state;
    machine(NULL, 0, 1);
    fake_port(&pm);
    fake_tsc(0, STEP);
    acpi.pm_timer = 0x608;
    readings = 0;
    clock_init(&id, &acpi, &c); /* port 61h floats high: no PIT */
    assert_string_equal(c.source, "pm-timer");
    /* One fake_tsc() reading and one port read pass for every turn, in step: the timer sees as many readings as the
     * TSC, so the rate that comes out is TSC_HZ. */
    assert_true(c.tsc_hz > 0.99 * TSC_HZ && c.tsc_hz < 1.01 * TSC_HZ);
    assert_true(c.uncertainty_ppm > 0 && c.uncertainty_ppm < 1000);
}

static uint32_t dead_in(void *ctx, uint16_t offset, unsigned width)
{
    (void)ctx, (void)offset, (void)width;
    return 0;
}

static void test_dead(void **state)
{
    static const struct fake_device port_b = {0x61, 1, dead_in, NULL, NULL}, pm = {0x608, 4, dead_in, NULL, NULL};
    (void)state;
    machine(NULL, 0, 1);
    fake_port(&port_b);
    fake_port(&pm);
    fake_tsc(0, 0); /* even the TSC stands still */
    acpi.pm_timer = 0x608;
    clock_init(&id, &acpi, &c); /* comes back */
    assert_int_equal(c.tsc_hz, 0);
    assert_string_equal(c.source, "unknown");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cpuid), cmocka_unit_test(test_pm_timer),
                                       cmocka_unit_test(test_dead)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
