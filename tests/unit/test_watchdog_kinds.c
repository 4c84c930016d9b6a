/* The watchdog by a counter and by the real-time clock, and which of them watches. */
#include "tests/unit/fake_watchdog_board.h"

TEST(test_kinds)
{
    for (unsigned i = 0; i < 4; i++) {
        plug(APIC_XAPIC);
        plug_rtc(i & 1);
        assert_int_equal(watchdog_find(cpu, 0, true), SET(RTC));
        assert_int_equal(watchdog_find(cpu, 3, true), SET(RTC));
        is_quiet();
        assert_true(b.now < 20 * MS);
        plug(APIC_XAPIC);
        plug_rtc(i & 1);
        plug_counters(i >> 1);
        /* HLT stops the counter, but not at ring 3, where it is none */
        assert_int_equal(watchdog_find(cpu, 0, true), SET(COUNTER) | SET(RTC));
        assert_int_equal(watchdog_find(cpu, 3, true), SET(COUNTER));
        assert_int_equal(watchdog_find(cpu, 3, false), SET(RTC));
        is_quiet();
        assert_false(b.select[0] & EVNTSEL_EN);
    }
    plug(APIC_XAPIC); /* the 8254 stands in for a clock that is not there, or whose interrupt does not arrive
                       */
    plug_counters(true);
    assert_int_equal(watchdog_find(cpu, 0, true), SET(COUNTER) | SET(PIT_NMI));
    plug(APIC_XAPIC);
    plug_counters(true);
    plug_rtc(false);
    b.unwired = true;
    assert_int_equal(watchdog_find(cpu, 0, true), SET(COUNTER));
    assert_int_equal(watchdog_find(cpu, 0, false), 0);
    is_quiet();
    plug(APIC_XAPIC);
    plug_counters(true);
    cpu->apic.lvts = 4; /* no entry for them */
    assert_int_equal(watchdog_find(cpu, 0, true), SET(PIT_NMI));
}

static const struct pmu_code instructions = {
    .name = "instructions", .select = 0xc0 | EVNTSEL_OS | EVNTSEL_USR, .counters = 3};

/* Calls of less than half of the limit are never disturbed; what never returns is ended after it, soon. */
static void watched_by(unsigned kinds, uint64_t late)
{
    static const unsigned lengths[] = {0, 1, 400, 3, 60, 27, 450, 20};
    for (unsigned i = 0; i < 40; i++) {
        call(kinds, lengths[i % 8] * MS);
        pass(i % 5 * 100);
        assert_int_equal(trap_disturbances, 0);
    }
    call(kinds, 1900 * MS);
    assert_int_equal(trap_ends, 0);
    assert_true(trap_disturbances < 4);
    const uint64_t from = b.now;
    call(kinds, 60 * HZ);
    assert_int_equal(trap_ends, 1);
    assert_in_range(b.now - from, 2 * HZ, 2 * HZ + late);
    assert_true(trap_strays == 0);
}

/* In the trial an NMI may come twice. */
TEST(test_rtc_trial)
{
    for (unsigned i = 0; i < KINDS * 40; i++) {
        plug(APIC_XAPIC);
        plug_rtc(i & 1);
        b.kind = i / 40;
        b.latency = i % 40;
        assert_int_equal(watchdog_find(cpu, 0, true), SET(RTC));
        pass(HZ);
        assert_int_equal(trap_strays, 0);
        is_quiet();
    }
}

/* The alarm comes before, during or after the end, at every access of it: it is ours, and the handler leaves
 * the registers that are being written alone. */
TEST(test_rtc_end)
{
    for (unsigned latency = 0; latency < 4; latency++)
        for (uint64_t early = 0; early < 3000; early += 10) {
            plug(APIC_XAPIC);
            plug_rtc(latency & 1);
            b.latency = latency;
            watchdog_begin(cpu, SET(RTC), 2);
            call(SET(RTC), MS);
            b.now = (b.now / HZ + 3) * HZ - early;
            b.ticked = (b.now - 1) / HZ;
            b.periodic = b.now / (HZ / 1024);
            watchdog_end();
            pass(HZ);
            assert_int_equal(trap_strays, 0);
            is_quiet();
        }
}

TEST(test_rtc)
{
    for (unsigned i = 0; i < 2; i++) {
        plug(APIC_XAPIC);
        plug_rtc(i);
        b.now += 58 * HZ; /* over the minute's end */
        b.ticked = b.now / HZ;
        const unsigned kinds = watchdog_find(cpu, 0, true);
        watchdog_begin(cpu, kinds, 2);
        b.halted = true;
        watched_by(kinds, 2 * HZ);
        watchdog_end();
        is_quiet();
    }
}

TEST(test_counter)
{
    const struct pmu_code *code[PMU_COUNTERS] = {&instructions};
    for (unsigned i = 0; i < 4; i++) {
        plug(APIC_XAPIC);
        plug_counters(i & 1);
        plug_rtc(false);
        assert_true(watchdog_program(cpu, code) && watchdog_programmed());
        assert_int_equal(b.select[0] & 0xff, 0xc0);
        assert_int_equal(b.select[1] & 0xff, 0x79); /* cpu_clk_unhalted */
        pmu_start(&pmu);
        const unsigned kinds = watchdog_find(cpu, i & 2 ? 3 : 0, true);
        watchdog_begin(cpu, kinds, 2);
        /* Within a pause it counts, but nothing comes, however long that is. */
        watchdog_pause();
        const unsigned handled = b.handled;
        assert_true(b.select[0] & EVNTSEL_EN);
        for (const uint64_t to = b.now + 5 * HZ; b.now < to;) pass(5000);
        assert_int_equal(b.handled, handled);
        watchdog_resume();
        watched_by(kinds, HZ / 100);
        watchdog_end();
        assert_false(watchdog_programmed());
        assert_false(b.select[0] & EVNTSEL_EN);
        is_quiet();
    }
    code[1] = &instructions; /* none is left */
    assert_false(watchdog_program(cpu, code));
    assert_false(watchdog_programmed());
}

/* The counter stands still in HLT: the clock beside it ends that. */
TEST(test_halt)
{
    const struct pmu_code *none[PMU_COUNTERS] = {NULL};
    for (unsigned i = 0; i < 2; i++) {
        plug(APIC_XAPIC);
        plug_counters(true);
        if (i) plug_rtc(true);
        assert_true(watchdog_program(cpu, none));
        pmu_start(&pmu);
        watchdog_begin(cpu, watchdog_find(cpu, 0, true), 2);
        b.halted = true;
        const uint64_t from = b.now;
        call(0, 60 * HZ);
        assert_int_equal(trap_ends, 1);
        assert_in_range(b.now - from, 2 * HZ, 4 * HZ);
        b.halted = false;
        watchdog_end();
        is_quiet();
    }
}
