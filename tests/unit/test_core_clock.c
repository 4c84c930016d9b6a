/* Core cycles in a tick: by APERF and MPERF, by counters, or not at all. */
#include "kernel/core_clock.h"
#include "tests/unit/drive_pmu.h"
#include "tests/unit/fake_pmu.h"
#include "tests/unit/unit.h"
#include <math.h>
#include <string.h>

enum {
    MPERF = 0xe7,
    APERF = 0xe8,
    PMC0 = 0xc1,
    SEL0 = 0x186,
    FIXED0 = 0x309,
    FIXED_CTRL = 0x38d,
    GLOBAL = 0x38f
};
enum { C_APERF, C_MPERF, C_PMC0, C_FIXED }; /* of the fake's counters */

static unsigned turns; /* hw_rdtsc() asks about each counter that exists */

/* A reading of the TSC takes 20 ticks, in which APERF advances by 7: 0.35. MPERF does so at two of three, as
 * if the base clock were far off the TSC's. Fixed counter 1 always, 2 at one of two. */
static bool counting(unsigned c)
{
    unsigned turn = c == C_APERF || c == C_PMC0 ? ++turns : turns; /* there is one of the two */
    uint64_t on = fake_pmu_value(GLOBAL);
    switch (c) {
    case C_APERF:
        return true;
    case C_MPERF:
        return turn % 3 != 0;
    case C_FIXED + 1:
        return on >> 33 & 1 && fake_pmu_value(FIXED_CTRL) >> 4 & 1;
    case C_FIXED + 2:
        return on >> 34 & 1 && fake_pmu_value(FIXED_CTRL) >> 8 & 1 && turn % 2;
    default:
        return false;
    }
}

/* What a counter of cycles has counted before its reading. */
static uint64_t before;
static uint64_t store(uint32_t msr, uint64_t value) { return msr == FIXED0 + 1 ? value + before : value; }

static const struct fake_pmu_rules rules = {
    .counter_msr = {APERF, MPERF, PMC0, FIXED0, FIXED0 + 1, FIXED0 + 2},
    .counting = counting,
    .store = store};

static bool by_aperf;

static double measure(bool msrs, bool counters)
{
    struct cpu_id id = {.vendor = "GenuineIntel", .family = 6, .model = 94, .f6_ecx = 1};
    memset(&pmu, 0, sizeof pmu);
    turns = 0;
    fake_pmu_reset(&rules);
    fake_pmu_msr(GLOBAL, 0);
    fake_pmu_msr(FIXED_CTRL, 0);
    if (msrs) fake_pmu_msr(APERF, 1ull << 63), fake_pmu_msr(MPERF, UINT64_MAX - 5);
    if (counters) {
        static const uint32_t more[] = {0x38e, 0x390, PMC0, SEL0, FIXED0, FIXED0 + 1, FIXED0 + 2};
        for (unsigned i = 0; i < N(more); i++) fake_pmu_msr(more[i], 0);
        id.fa = (struct cpuid_regs){0x07300104, 0, 0, 0x603};
        probe(&id);
        assert_true(turns > 4 * 500);            /* each counter has time to advance */
        assert_int_equal(pmu.usable & 0xc, 0xc); /* behind one general and fixed counter 0 */
    }
    const double ratio = core_clock_measure(&id);
    by_aperf = ratio > 0;
    return by_aperf ? ratio : pmu_core_per_tsc(&pmu);
}

TEST(by_msr)
{
    assert_true(fabs(measure(true, false) - 0.35) < 0.001);
    assert_true(by_aperf);
    struct cpu_id without = {.f6_ecx = 0};
    assert_false(core_clock_present(&without)); /* CPUID does not announce them */
    assert_true(core_clock_measure(&without) == 0 && pmu_core_per_tsc(&pmu) == 0);
}

TEST(by_counters)
{
    assert_true(fabs(measure(false, true) - 0.35) < 0.001);
    assert_false(by_aperf);
    turns = 0;
    before = 123456;
    assert_true(fabs(pmu_core_per_tsc(&pmu) - 0.35) < 0.001);
    before = 0;
    assert_true(turns > 10000);                      /* one reading more or less is nothing */
    assert_int_equal(fake_pmu_value(FIXED_CTRL), 0); /* as it was found */
}

/* No counter counts cycles, one that does cannot be programmed, or time stands still. */
TEST(no_counter)
{
    measure(false, true);
    pmu.usable &= ~(1u << 2); /* fixed counter 1 */
    assert_true(pmu_core_per_tsc(&pmu) == 0);
    pmu.usable = 0;
    assert_true(pmu_core_per_tsc(&pmu) == 0);
    assert_true(measure(false, true) > 0);
    fake_pmu_fault(FIXED_CTRL, FAKE_SWALLOWS);
    assert_true(pmu_core_per_tsc(&pmu) == 0);
    fake_pmu_fault(FIXED_CTRL, FAKE_SOUND);
    assert_true(fabs(pmu_core_per_tsc(&pmu) - 0.35) < 0.001); /* and again */
}

/* An emulator that lets MSRs be read as zero. */
TEST(standing_still)
{
    struct cpu_id id = {.f6_ecx = 1};
    struct core_clock a = {5, 5};
    fake_pmu_reset(&rules);
    fake_pmu_msr(GLOBAL, 0);
    fake_pmu_msr(APERF, 0);
    fake_pmu_msr(MPERF, 0);
    fake_pmu_fault(APERF, FAKE_STUCK);
    fake_pmu_fault(MPERF, FAKE_STUCK);
    assert_false(core_clock_present(&id));
    assert_true(core_clock_ratio(&a, &a) == 0);
}

/* How long it looks whether APERF moves, and then how fast it does, by the readings of the TSC in between. */
TEST(takes_its_time)
{
    const struct cpu_id id = {.f6_ecx = 1};
    const unsigned present = 2 + 1000, ratio = 2 + 50000;
    struct core_clock now = {5, 5};
    fake_pmu_reset(&rules);
    fake_pmu_msr(GLOBAL, 0);
    core_clock_read(&now);
    assert_int_equal(now.aperf, 0); /* there is none */
    fake_pmu_msr(APERF, 0x123456789);
    fake_pmu_fault(APERF, FAKE_STUCK);
    uint64_t before = hw_rdtsc();
    assert_false(core_clock_present(&id));
    assert_int_equal(hw_rdtsc() - before, 20 * (present + 1));
    fake_pmu_reset(&rules);
    fake_pmu_msr(GLOBAL, 0);
    fake_pmu_msr(APERF, 0);
    before = hw_rdtsc();
    assert_true(core_clock_measure(&id) > 0);
    assert_int_equal(hw_rdtsc() - before, 20 * (present + ratio + 1));
}
