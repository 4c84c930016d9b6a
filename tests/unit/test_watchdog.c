/* The watchdog by the 8254: when it winds up, what it disturbs, and what it ends. */
#include "tests/unit/fake_watchdog_board.h"

TEST(test_found)
{
    for (unsigned kind = 0; kind < KINDS; kind++) {
        plug(APIC_XAPIC);
        b.kind = kind;
        assert_int_equal(watchdog_find(cpu, 0, true), SET(PIT_NMI));
        assert_int_equal(b.handled, 1);
        is_quiet();
        assert_true(b.now < 20 * MS);
        assert_int_equal(watchdog_find(cpu, 3, true), SET(PIT_NMI));
        assert_int_equal(b.handled, 1); /* it was tried once */
    }
    plug(APIC_ABSENT); /* its interrupt arrives, with IF=1 only */
    assert_int_equal(watchdog_find(cpu, 0, true), 0);
    assert_int_equal(watchdog_find(cpu, 3, true), SET(PIT_INTERRUPT));
    assert_int_equal(b.handled, 1);
    is_quiet();
    plug(APIC_XAPIC);
    b.unwired = true;
    assert_int_equal(watchdog_find(cpu, 3, true), 0);
    is_quiet();
    plug(APIC_ABSENT);
    b.no_timer = true;
    assert_int_equal(watchdog_find(cpu, 3, true), 0);
    is_quiet();
    plug(APIC_XAPIC);
    machine.clock.tsc_hz = 0; /* limit= could not be kept */
    assert_int_equal(watchdog_find(cpu, 0, true), 0);
    assert_int_equal(b.handled, 0);
}

/* Short calls are never interrupted, whatever lies between them; longer ones are disturbed each 55 ms; those
 * beyond the limit are ended, within 55 ms. */
static void watched(unsigned by)
{
    static const unsigned lengths[] = {0, 1, 26, 3, 13, 27, 7, 20};
    watchdog_begin(cpu, by, 1);
    b.handled = 0;
    for (unsigned i = 0; i < 200; i++) {
        call(by, lengths[i % 8] * MS);
        pass(i % 5 * 100);
    }
    assert_true(b.handled == 0 && trap_disturbances == 0 && b.now > 2 * HZ);

    const uint32_t before = watchdog_interrupts();
    call(by, 990 * MS);
    assert_int_equal(trap_disturbances, 18); /* the first within 55 ms */
    assert_int_equal(watchdog_interrupts() - before, 18);
    assert_int_equal(trap_ends, 0);

    for (unsigned i = 0; i < 20; i++) {
        const uint64_t from = b.now;
        trap_ends = 0;
        call(by, 60 * HZ);
        assert_int_equal(trap_ends, 1);
        assert_in_range(b.now - from, HZ, HZ + 56 * MS);
        pass(i * 7 * MS); /* after the end nothing is called any more */
        call(by, 5 * MS);
        watchdog_end();
        is_quiet();
        pass(HZ);
        watchdog_begin(cpu, by, 1);
    }
    watchdog_end();
    watchdog_end(); /* once is enough */
    is_quiet();
}

TEST(test_watched)
{
    for (unsigned kind = 0; kind < KINDS; kind++) {
        plug(APIC_XAPIC);
        b.kind = kind;
        watched(SET(PIT_NMI));
    }
    plug(APIC_ABSENT);
    watched(SET(PIT_INTERRUPT));
}

/* The kernel was busy between two calls, or between the last one and the end, so that the interrupt comes
 * before, during or after the winding up: at every access of it. */
static void at_phase(int late, bool ends)
{
    watchdog_begin(cpu, SET(PIT_NMI), 1);
    call(SET(PIT_NMI), MS);
    assert_true(b.fires > b.now + 2000);
    b.now = b.fires + (uint64_t)(late < 0 ? late : -1);
    if (late >= 0) pass((uint64_t)late + 1);
    if (!ends) {
        call(SET(PIT_NMI), 20 * MS); /* short: not disturbed */
        assert_int_equal(trap_disturbances, so_far);
        assert_int_equal(trap_ends, 0);
        call(SET(PIT_NMI), 60 * HZ);
        assert_int_equal(trap_ends, 1);
    }
    watchdog_end();
    is_quiet();
    assert_true(b.nmi_in == 0 && !b.one_shot);
}

TEST(test_winding)
{
    for (unsigned i = 0; i < 8 * KINDS; i++)
        for (int late = -600; late <= 600; late += 10) {
            plug(APIC_XAPIC);
            b.kind = i / 8;
            b.latency = i / 2 % 4;
            at_phase(late, i & 1);
        }
}

/* Another source's NMI is a stray, and the watchdog goes on. */
TEST(test_others)
{
    plug(APIC_XAPIC);
    watchdog_begin(cpu, SET(PIT_NMI), 1);
    watchdog_call();
    interrupt(VECTOR_NMI);
    assert_true(trap_strays == 1 && trap_disturbances == 0);
    interrupt(VECTOR_PIC); /* INT 20h: nothing is in service */
    assert_true(trap_strays == 2 && trap_disturbances == 0);
    trap_strays = 0;
    call(SET(PIT_NMI), 60 * HZ);
    assert_int_equal(trap_ends, 1);
    watchdog_end();
    is_quiet();
}

/* Code of the kernel's own that runs without a guard is not ended. */
TEST(test_unguarded)
{
    plug(APIC_XAPIC);
    guard = NULL;
    watchdog_begin(cpu, SET(PIT_NMI), 1);
    call(SET(PIT_NMI), 3 * HZ);
    assert_int_equal(trap_ends, 0);
    watchdog_end();
    is_quiet();
}
