/* The TSC's rate: as CPUID states it, and against timers in software that share one time with the TSC. */
#include "kernel/clock.h"
#include "kernel/hw.h"
#include "tests/unit/unit.h"
#include <math.h>
#include <string.h>

/* ---- the machine: every access takes STEP ticks; it may pause once ---- */

#define STEP   100.0
#define TSC_HZ 1000000000.0

static struct {
    struct cpuid_regs leaf15, leaf16;
    double now;                  /* ticks */
    unsigned wander;             /* an access takes up to so many ticks longer, by turns; 0: none */
    bool slow;                   /* 200 steps */
    bool tsc_stands;             /* the TSC reads 0 always */
    double tsc_step;             /* it advances in multiples of this, rounded down; 0: 1 */
    bool pit, pm;                /* what there is; a PIT that is not there reads FFh */
    bool pit_dead, pm_dead;      /* there, but they never advance */
    double pit_off;              /* its clock is that much off what it should be */
    unsigned accesses, pause_at; /* behind this access the machine stands for ... */
    double pause;                /* ... so many ticks */
    /* The 8254's channel 2: bytes of its count, its count, when that was complete. Port 61h */
    unsigned count_bytes, count;
    double loaded;
    uint8_t port_b;
    unsigned loads; /* how often it began */
    uint32_t pm_start;
    unsigned pm_ticks; /* of the TSC to one of the PM timer; 0: as it should be */
} hw;

/* The access takes place at the time that is returned, in the middle of its STEP. */
static double access_time(void)
{
    const double step = hw.slow ? 200 * STEP : STEP, at = hw.now + step / 2;
    hw.now += step + (hw.wander ? hw.accesses * 7 % hw.wander : 0);
    if (++hw.accesses == hw.pause_at) hw.now += hw.pause;
    return at;
}

uint64_t hw_rdtsc(void)
{
    double at = access_time();
    const uint64_t tsc = hw.tsc_stands ? 0 : (uint64_t)at;
    return hw.tsc_step > 0 ? (uint64_t)((uint64_t)((double)tsc / hw.tsc_step) * hw.tsc_step) : tsc;
}

uint8_t hw_inb(uint16_t port)
{
    double at = access_time();
    if (port != 0x61 || !hw.pit) return 0xff;
    bool out = hw.count_bytes >= 2 && !hw.pit_dead && hw.port_b & 1 &&
               (at - hw.loaded) / TSC_HZ * 1193182 * (1 + hw.pit_off) >= hw.count;
    return out ? hw.port_b | 0x20 : hw.port_b;
}

/* Intel 8254 data sheet: 10110000b is channel 2, the count's low byte first, mode 0, binary. The PC's port
 * 61h: gate in bit 0, speaker in bit 1. */
void hw_outb(uint16_t port, uint8_t value)
{
    double at = access_time();
    if (!hw.pit) return;
    if (port == 0x61) {
        hw.port_b = value;
    } else if (port == 0x43) {
        assert_int_equal(value, 0xb0);
        assert_int_equal(hw.port_b & 3, 1); /* counts, and cannot be heard */
        hw.count_bytes = hw.count = 0;
    } else {
        assert_int_equal(port, 0x42);
        hw.count |= (unsigned)value << 8 * hw.count_bytes;
        if (++hw.count_bytes == 2) hw.loaded = at, hw.loads++;
    }
}

uint32_t hw_inl(uint16_t port)
{
    double at = access_time();
    if (port != 0x608 || !hw.pm) return 0xffffffff;
    if (hw.pm_ticks) return (uint32_t)(at / hw.pm_ticks);
    return hw.pm_dead ? 0 : hw.pm_start + (uint32_t)(at / TSC_HZ * 3579545);
}

struct cpuid_regs hw_cpuid(uint32_t leaf, uint32_t subleaf)
{
    assert_int_equal(subleaf, 0);
    return leaf == 0x15 ? hw.leaf15 : leaf == 0x16 ? hw.leaf16 : (struct cpuid_regs){0};
}

/* ---- */

static struct cpu_id id;
static struct acpi_info acpi = {.pm_timer = 0x608};
static struct clock c;

static void machine(uint32_t max_leaf)
{
    memset(&hw, 0, sizeof hw);
    memset(&id, 0, sizeof id);
    id.max_leaf = max_leaf;
    hw.port_b = 0x1e;         /* the speaker's bit is set */
    hw.pm_start = 0xffff8000; /* 24 bits, and 32, overflow soon */
}

/* The rate must lie within the uncertainty that is claimed for it. */
static void expect_rate(const char *source)
{
    clock_init(&id, &acpi, &c);
    assert_string_equal(c.source, source);
    double ppm = ((double)c.tsc_hz - TSC_HZ) / TSC_HZ * 1e6;
    if (ppm < 0) ppm = -ppm;
    if (ppm > c.uncertainty_ppm) fail_msg("%f ppm off, said to be within %f", ppm, c.uncertainty_ppm);
    assert_true(c.uncertainty_ppm > 0);
    assert_int_equal(hw.port_b, 0x1e);
}

/* Values as such CPUs give them: Tiger Lake (38.4 MHz crystal given), Skylake client and server (crystal not
 * given). There is nothing to measure with. */
TEST(test_cpuid)
{
    machine(0x16);
    hw.leaf15 = (struct cpuid_regs){2, 146, 38400000, 0};
    hw.leaf16 = (struct cpuid_regs){2800, 4700, 100, 0};
    clock_init(&id, &acpi, &c);
    assert_int_equal(c.tsc_hz, 2803200000);
    assert_string_equal(c.source, "cpuid.15h");
    assert_true(c.uncertainty_ppm == 100 && c.other.hz == 0 && !c.disagree);
    hw.leaf15 = (struct cpuid_regs){2, 284, 0, 0};
    hw.leaf16 = (struct cpuid_regs){3400, 4000, 100, 0};
    clock_init(&id, &acpi, &c);
    assert_int_equal(c.tsc_hz, 3408000000); /* i7-6700: 24 MHz x 142 */
    assert_true(c.uncertainty_ppm == 3000); /* nobody has measured that crystal */
    hw.leaf15 = (struct cpuid_regs){2, 292, 0, 0};
    hw.leaf16 = (struct cpuid_regs){3500, 4400, 100, 0};
    clock_init(&id, &acpi, &c);
    assert_int_equal(c.tsc_hz, 3504000000);
    assert_string_equal(c.source, "cpuid.15h");
    hw.leaf15 = (struct cpuid_regs){2, 270, 0, 0}; /* 25.9 MHz: no crystal that is known */
    clock_init(&id, &acpi, &c);
    assert_int_equal(c.tsc_hz, 3500000000);
    assert_string_equal(c.source, "cpuid.16h");
    assert_true(c.uncertainty_ppm >= 1000);
    id.max_leaf = 0x14; /* leaves beyond the maximum are not asked */
    clock_init(&id, &acpi, &c);
    assert_int_equal(c.tsc_hz, 0);
}

/* Leaf 15h: denominator, numerator, crystal; leaf 16h: MHz, in 16 bits. Which of them are there and say
 * something. */
TEST(test_leaves)
{
    static const struct {
        struct cpuid_regs leaf15;
        uint32_t mhz, max_leaf;
        uint64_t hz;
    } cases[] = {
        {{3, 171, 0, 0}, 1100, 0x16, 1094400000}, /* 19.2 MHz x 57 */
        {{1, 100, 0, 0}, 2436, 0x16, 2400000000}, /* 24 MHz within 1.5 % */
        {{1, 100, 0, 0}, 2365, 0x16, 2400000000},
        {{1, 100, 0, 0}, 2363, 0x16, 2363000000}, /* and not */
        {{1, 100, 0, 0}, 2538, 0x16, 2538000000},
        {{2, 146, 0, 0}, 2800, 0x16, 2803200000}, /* 38.4 MHz x 73 */
        {{1, 100, 0, 0}, 0xabcd0960, 0x16, 2400000000},
        {{1, 100, 24000000, 0}, 3000, 0x15, 2400000000},
        {{1, 100, 24000000, 0}, 3000, 0x14, 0},
        {{1, 100, 0, 0}, 2400, 0x15, 0},
        {{0, 100, 24000000, 0}, 2300, 0x16, 2300000000},
        {{1, 0, 24000000, 0}, 2300, 0x16, 2300000000},
        {{0, 0, 0, 0}, 0, 0x16, 0},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        machine(cases[i].max_leaf);
        hw.leaf15 = cases[i].leaf15;
        hw.leaf16.eax = cases[i].mhz;
        clock_init(&id, &(struct acpi_info){0}, &c);
        assert_int_equal(c.tsc_hz, cases[i].hz);
    }
}

/* A Skylake server: 25 MHz times 40.1 by CPUID, but its crystal is slowed by 0.25 %. */
TEST(test_snapped)
{
    machine(0x16);
    hw.leaf15 = (struct cpuid_regs){10, 401, 0, 0};
    hw.leaf16 = (struct cpuid_regs){1000, 2000, 100, 0};
    hw.pit = true;
    expect_rate("pit");
    assert_true(c.uncertainty_ppm < 200);
    assert_int_equal(c.other.hz, 1002500000);
    assert_string_equal(c.other.source, "cpuid.15h");
    assert_false(c.disagree); /* that is no more than a nominal crystal may be off */
}

/* A crystal that CPUID gives claims more than a calibration does, and is held against it. */
TEST(test_compared)
{
    for (unsigned timers = 1; timers <= 2; timers++) {
        machine(0x16);
        hw.pit = timers == 1;
        hw.pm = timers == 2;
        hw.leaf15 = (struct cpuid_regs){1, 40, 25001000, 0}; /* 40 ppm off */
        expect_rate("cpuid.15h");
        assert_string_equal(c.other.source, timers == 1 ? "pit" : "pm-timer");
        assert_false(c.disagree);
        hw.leaf15.ecx = 25010000; /* 400: what an emulator or a hypervisor may state */
        expect_rate(timers == 1 ? "pit" : "pm-timer");
        assert_int_equal(c.other.hz, 1000400000);
        assert_true(c.disagree);
    }
}

/* Where the PIT's own clock is wrong, a PM timer shows it. */
TEST(test_wrong_pit)
{
    machine(0x16);
    hw.leaf15 = (struct cpuid_regs){1, 40, 25000000, 0};
    hw.pit = hw.pm = true;
    hw.pit_off = 0.01;
    expect_rate("cpuid.15h");
    assert_string_equal(c.other.source, "pit");
    assert_true(c.disagree);
    hw.leaf15.ecx = 26000000; /* everybody says something else: what was measured first */
    clock_init(&id, &acpi, &c);
    assert_string_equal(c.source, "pit");
    assert_true(c.disagree);
}

TEST(test_timers)
{
    machine(1);
    hw.pit = true;
    expect_rate("pit");
    /* 20 ms of 1 GHz between windows of 2 and 4 steps; half a clock of the PIT; the crystal. */
    const double step = STEP / 2e7 * 1e6;
    /* Ours counts N, not the N + 1/2 between both ways, and the windows add some. */
    const double off = ((double)c.tsc_hz / TSC_HZ - 1 + 0.5 / 23864.5) * 1e6;
    assert_true(fabs(off) <= 6 * step / 2);
    assert_true(fabs(c.uncertainty_ppm - (100 + 6 * step / 2 + 0.5 / 23864.5 * 1e6)) < 0.01);
    machine(1);
    hw.pm = true;
    expect_rate("pm-timer");
    assert_true(fabs(c.uncertainty_ppm - (100 + 8 * step / 2)) < 0.01); /* twice 4 */
}

/* The middle of the windows: wherever an interval begins and ends between two readings, the errors cancel
 * each other on average. */
TEST(test_middle)
{
    enum { PHASES = 100 };
    for (unsigned timers = 1; timers <= 2; timers++) {
        double sum = 0;
        for (unsigned i = 0; i < PHASES; i++) {
            machine(1);
            hw.pit = timers == 1;
            hw.pm = timers == 2;
            hw.now = i * 37.3;                   /* of the PM timer's edges */
            if (hw.pit) hw.pit_off = i * 1.3e-6; /* of the PIT's end: a reading is 10 millionths */
            clock_init(&id, &acpi, &c);
            const double n = hw.pit ? 0.5 / 23864.5 : 0; /* as in test_timers */
            sum += ((double)c.tsc_hz * (1 + hw.pit_off) / TSC_HZ - 1 + n) * 1e6;
        }
        const double step = STEP / 2e7 * 1e6;
        if (fabs(sum / PHASES) > step / 2) fail_msg("timer %u: %f ppm off", timers, sum / PHASES);
    }
}

/* A pause of 1 ms, 5 % of the interval, behind any access: it may widen the window but not shift the result.
 */
TEST(test_pause)
{
    for (unsigned timers = 1; timers <= 2; timers++) {
        machine(1);
        hw.pit = timers == 1;
        hw.pm = timers == 2;
        expect_rate(timers == 1 ? "pit" : "pm-timer");
        unsigned end = hw.accesses;
        for (unsigned at = 1; at <= end + 2; at = at == 30 && end > 60 ? end - 30 : at + 1) {
            machine(1);
            hw.pit = timers == 1;
            hw.pm = timers == 2;
            hw.pause_at = at;
            hw.pause = 1e6;
            expect_rate(timers == 1 ? "pit" : "pm-timer");
        }
    }
}

/* The PIT's output is low once only, since the machine stood still: that try counts for little, and others
 * follow. */
TEST(test_late)
{
    for (unsigned at = 8; at <= 9; at++) {
        machine(1);
        hw.pit = true;
        hw.pause_at = at;
        hw.pause = 3e7;
        expect_rate("pit");
        assert_true(c.uncertainty_ppm < 200);
    }
}

/* A register that only looks like a PM timer: one tick a millisecond would make a rate that is far off. */
TEST(test_slow_register)
{
    machine(1);
    hw.pm = true;
    hw.pm_ticks = 1000000;
    clock_init(&id, &acpi, &c);
    assert_string_equal(c.source, "unknown");
    assert_true(hw.accesses < 5000000);
}

/* One try if it is precise, else five. */
TEST(test_tries)
{
    machine(1);
    hw.pit = true;
    expect_rate("pit");
    assert_int_equal(hw.loads, 1);
    machine(1);
    hw.pit = true;
    hw.slow = true;
    expect_rate("pit");
    assert_int_equal(hw.loads, 5);
}

TEST(test_dead)
{
    machine(1);
    hw.pit = hw.pit_dead = hw.pm = hw.pm_dead = true;
    clock_init(&id, &acpi, &c); /* comes back */
    assert_int_equal(c.tsc_hz, 0);
    assert_string_equal(c.source, "unknown");
    machine(1);
    hw.pit = hw.pit_dead = true;
    clock_init(&id, &(struct acpi_info){0}, &c);
    assert_int_equal(hw.accesses,
                     6 + 400000000 /
                             (int)STEP); /* so many ticks, from the fifth access to the last but one */
    machine(1);
    hw.pit = hw.pit_dead = true;
    hw.pause_at = 8;
    hw.pause = 4e8;
    clock_init(&id, &(struct acpi_info){0}, &c);
    assert_int_equal(hw.accesses, 8 + 2 * 200000); /* and at least so many readings */
    machine(1);
    clock_init(&id, &acpi, &c); /* no PIT: at once; a PM timer: 200000 readings */
    assert_int_equal(hw.accesses, 10 + 3 + 2 * 200000);
    machine(1);
    hw.tsc_stands = true; /* even the TSC */
    hw.pit = hw.pit_dead = true;
    clock_init(&id, &(struct acpi_info){0}, &c);
    assert_int_equal(c.tsc_hz, 0);
    assert_int_equal(hw.accesses, 8 + 2 * 100 * 200000); /* so many readings at most */
}

/* Whatever lies between two readings, their distance is a multiple of the step. */
TEST(test_step)
{
    machine(1);
    hw.tsc_step = 36; /* readings are 72 or 108 apart */
    assert_int_equal(clock_step(), 36);
    hw.tsc_step = 10;
    assert_int_equal(clock_step(), 100); /* no finer than the readings can tell */
    hw.tsc_step = 24.4543;               /* a clock of 100 MHz, times that: 4 or 5 of them, rounded */
    assert_int_equal(clock_step(), 25);
    hw.tsc_step = 36.5;
    assert_int_equal(clock_step(), 37);
    hw.tsc_step = 0;
    hw.wander = 40; /* readings are 100 to 139 apart */
    assert_int_equal(clock_step(), 1);
    hw.tsc_stands = true;
    assert_int_equal(clock_step(), 0);
}
