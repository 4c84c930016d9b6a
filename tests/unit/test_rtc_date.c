/* The real-time clock's date, on a made-up clock. */
#include "kernel/rtc.h"
#include "tests/unit/fake_hw.h"
#include "tests/unit/unit.h"
#include <string.h>

static uint8_t reg[128], at;
static unsigned updates, rollover; /* readings of A that say "updating"; readings until the second changes */
static unsigned reads;

static uint32_t in(void *ctx, uint16_t offset, unsigned width)
{
    (void)ctx, (void)width;
    assert_int_equal(offset, 1);
    reads++;
    if (at == 0x0a && updates) {
        updates--;
        return reg[at] | 0x80;
    }
    if (rollover && --rollover == 0) {
        reg[0] = 0;
        reg[2] = 0;
        reg[4] = 0x10;
    }
    return reg[at];
}

static void out(void *ctx, uint16_t offset, uint32_t value, unsigned width)
{
    (void)ctx, (void)width;
    assert_int_equal(offset, 0); /* nothing is changed */
    assert_int_equal(value & 0x80, 0);
    at = (uint8_t)value;
}

/* 2026-11-23 09:59:58 in BCD and 24 hours */
static int begin(void **state)
{
    static const struct fake_device rtc = {0x70, 2, in, out, NULL};
    (void)state;
    memset(reg, 0, sizeof reg);
    reg[0] = 0x58, reg[2] = 0x59, reg[4] = 0x09, reg[7] = 0x23, reg[8] = 0x11, reg[9] = 0x26,
    reg[0x32] = 0x20;
    reg[0x0b] = 2;
    updates = rollover = reads = 0;
    fake_reset();
    fake_port(&rtc);
    return 0;
}

static void is(unsigned year, unsigned hour, unsigned second)
{
    struct rtc_date d;
    assert_true(rtc_date(&d));
    assert_int_equal(d.year, year);
    assert_int_equal(d.month, 11);
    assert_int_equal(d.day, 23);
    assert_int_equal(d.hour, hour);
    assert_int_equal(d.minute, second == 58 ? 59 : 0);
    assert_int_equal(d.second, second);
}

TEST_WITH(forms, begin, NULL)
{
    is(2026, 9, 58);
    reg[0x32] = 0; /* no century: that of our days */
    is(2026, 9, 58);
    reg[9] = 0x94;
    is(1994, 9, 58);
    reg[0x32] = 0x19;
    is(1994, 9, 58);
    begin(NULL);
    reg[0x0b] = 6; /* binary */
    reg[0] = 58, reg[2] = 59, reg[4] = 9, reg[7] = 23, reg[8] = 11, reg[9] = 26, reg[0x32] = 20;
    is(2026, 9, 58);
    begin(NULL);
    reg[0x0b] = 0; /* 12 hours */
    is(2026, 9, 58);
    reg[4] = 0x89;
    is(2026, 21, 58);
    reg[4] = 0x12;
    is(2026, 0, 58);
    reg[4] = 0x92;
    is(2026, 12, 58);
}

/* Between two readings, or in the middle of one: never half of it. */
TEST_WITH(update, begin, NULL)
{
    updates = 9999;
    is(2026, 9, 58);
    for (unsigned n = 1; n < 12; n++) {
        begin(NULL);
        rollover = n;
        is(2026, 10, 0);
    }
}

TEST_WITH(no_clock, begin, NULL)
{
    struct rtc_date d;
    updates = 1000000000; /* it never ends its update */
    assert_false(rtc_date(&d));
    assert_true(reads < 20000);
    fake_reset(); /* floats high: "updating" */
    assert_false(rtc_date(&d));
    static const struct {
        uint8_t index, value;
    } wrong[] = {{0, 0x60}, {2, 0x60}, {4, 0x24}, {7, 0}, {7, 0x32}, {8, 0}, {8, 0x13}, {9, 0xa0}, {0, 0x0a}};
    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        begin(NULL);
        reg[wrong[i].index] = wrong[i].value;
        assert_false(rtc_date(&d));
    }
    begin(NULL);
    memset(reg, 0, sizeof reg);
    assert_false(rtc_date(&d));
}
