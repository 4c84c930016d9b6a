#include "kernel/rtc.h"
#include "kernel/hw.h"
#include "kernel/pic.h"
#include <string.h>

/* Bit 7 of the index port masks NMIs on PCs, and cannot be read back. It is written as 0: NMIs stay enabled,
 * as firmware and reset leave them. An NMI handler uses this port only between two of rtc_alarm()'s calls. */
#define INDEX 0x70
#define DATA  0x71

/* Time and alarm (data sheet, figure 12 and table 3). */
#define SECONDS       0x00
#define SECONDS_ALARM 0x01
#define MINUTES_ALARM 0x03
#define HOURS_ALARM   0x05
#define ALARM_ANY     0xc0 /* of an alarm's register: whatever the time's says */

#define A        0x0a
#define A_UIP    0x80 /* read-only: an update is in progress */
#define A_DIVIDE 0x20 /* 32,768 Hz crystal, the base of the rates */
#define A_1024HZ 6    /* rate select: every 32 clocks */
#define B        0x0b
#define B_AIE    0x20
#define B_PIE    0x40
#define B_ALL    0x70 /* with the update's */
#define B_OTHERS 0x30 /* the alarm's and the update's interrupts, which share the IRQ */
#define B_BINARY 0x04 /* else BCD */
#define B_24H    0x02 /* else bit 7 of the hours is set in the afternoon */
#define C        0x0c /* which interrupt it was; reading it lets the next one come */
#define C_IRQF   0x80

/* An update takes 2.2 ms (table 5), and two accesses to the port more than 0.3 us. */
#define UPDATE_READS 10000

static uint8_t found_a, found_b; /* while it interrupts */

static uint8_t rtc_read(uint8_t reg)
{
    hw_outb(INDEX, reg);
    return hw_inb(DATA);
}

static void rtc_write(uint8_t reg, uint8_t value)
{
    hw_outb(INDEX, reg);
    hw_outb(DATA, value);
}

bool rtc_interrupts(unsigned ticks)
{
    if (ticks) {
        /* Rate select n: every 2^(n-1) clocks. */
        const uint8_t rate = (uint8_t)(A_DIVIDE | (__builtin_ctz(ticks) + 1));
        found_a = rtc_read(A);
        found_b = rtc_read(B);
        rtc_write(A, rate);
        if ((rtc_read(A) & ~A_UIP) != rate) return false;
        rtc_write(B, (uint8_t)((found_b & ~B_OTHERS) | B_PIE));
        rtc_read(C); /* earlier requests */
        pic_unmask(1 << IRQ_CASCADE | 1 << IRQ_RTC);
    } else {
        rtc_write(B, found_b);
        rtc_write(A, found_a);
        rtc_read(C);
        pic_mask_all(); /* which also clears a latched edge */
    }
    return true;
}

void rtc_acknowledge(void)
{
    rtc_read(C);
    pic_eoi_slave();
}

/* ---- its alarm ---- */

static const uint8_t alarm_reg[] = {SECONDS_ALARM, MINUTES_ALARM, HOURS_ALARM};
enum { ALARM_REGS = sizeof alarm_reg };
static uint8_t found_alarm[ALARM_REGS];

static void interrupt_by(uint8_t enabled)
{
    rtc_write(B, (uint8_t)((found_b & ~B_ALL) | enabled));
    rtc_read(C); /* earlier requests */
}

bool rtc_alarm_begin(void)
{
    const uint8_t rate = A_DIVIDE | A_1024HZ;
    found_a = rtc_read(A);
    found_b = rtc_read(B);
    rtc_write(A, rate);
    if ((rtc_read(A) & ~A_UIP) != rate) {
        rtc_write(A, found_a);
        return false;
    }
    for (unsigned i = 0; i < ALARM_REGS; i++) {
        found_alarm[i] = rtc_read(alarm_reg[i]);
        rtc_write(alarm_reg[i], ALARM_ANY);
    }
    interrupt_by(0);
    return true;
}

/* What is read during an update is undefined. */
static unsigned second_now(void)
{
    for (unsigned i = 0; i < UPDATE_READS && rtc_read(A) & A_UIP; i++) continue;
    const uint8_t s = rtc_read(SECONDS);
    return found_b & B_BINARY ? s : (s >> 4) * 10u + (s & 15);
}

void rtc_alarm(unsigned seconds)
{
    interrupt_by(0);
    if (seconds) {
        const unsigned at = (second_now() + seconds) % 60;
        rtc_write(SECONDS_ALARM, (uint8_t)(found_b & B_BINARY ? at : at / 10 << 4 | at % 10));
    }
    interrupt_by(seconds ? B_AIE : B_PIE);
}

bool rtc_alarm_came(void) { return rtc_read(C) & C_IRQF; }

void rtc_alarm_end(void)
{
    interrupt_by(0);
    for (unsigned i = 0; i < ALARM_REGS; i++) rtc_write(alarm_reg[i], found_alarm[i]);
    rtc_write(A, found_a);
    rtc_write(B, found_b);
    rtc_read(C);
}

/* ---- the date ---- */

enum {
    SECOND,
    MINUTE = 2,
    HOUR = 4,
    DAY = 7,
    MONTH,
    YEAR,
    CENTURY = 0x32
}; /* the century: by custom of PCs */
enum { NOW_SECOND, NOW_MINUTE, NOW_HOUR, NOW_DAY, NOW_MONTH, NOW_YEAR, NOW_CENTURY, NOW_FORM, NOW };

#define TRIES 5 /* to read it between two updates */

/* One reading of all; false: an update did not end. */
static bool read_now(uint8_t now[NOW])
{
    static const uint8_t reg[NOW] = {SECOND, MINUTE, HOUR, DAY, MONTH, YEAR, CENTURY, B};
    unsigned reads = 0;
    while (rtc_read(A) & A_UIP)
        if (++reads == UPDATE_READS) return false;
    for (unsigned i = 0; i < NOW; i++) now[i] = rtc_read(reg[i]);
    return true;
}

/* 255, which is no part of a date, where it is not BCD. */
static uint8_t value_of(uint8_t v, bool binary)
{
    if (binary) return v;
    return (v & 15) > 9 || v >> 4 > 9 ? 255 : (uint8_t)((v >> 4) * 10 + (v & 15));
}

static uint8_t hour_of(uint8_t v, uint8_t form)
{
    const uint8_t hour = value_of(form & B_24H ? v : v & 0x7f, form & B_BINARY);
    if (form & B_24H) return hour;
    return hour < 1 || hour > 12 ? 255 : (uint8_t)(hour % 12 + (v & 0x80 ? 12 : 0));
}

bool rtc_date(struct rtc_date *out)
{
    uint8_t now[NOW], again[NOW];
    unsigned tries = 0;
    if (!read_now(now)) return false;
    for (; read_now(again) && memcmp(now, again, NOW) != 0; tries++) { /* an update came in between */
        if (tries == TRIES) return false;
        memcpy(now, again, NOW);
    }
    if (memcmp(now, again, NOW) != 0) return false;
    const bool binary = now[NOW_FORM] & B_BINARY;
    const uint8_t year = value_of(now[NOW_YEAR], binary), century = value_of(now[NOW_CENTURY], binary);
    *out = (struct rtc_date){
        .month = value_of(now[NOW_MONTH], binary),
        .day = value_of(now[NOW_DAY], binary),
        .hour = hour_of(now[NOW_HOUR], now[NOW_FORM]),
        .minute = value_of(now[NOW_MINUTE], binary),
        .second = value_of(now[NOW_SECOND], binary),
        .year = (uint16_t)(year + (century == 19 || century == 20 || century == 21 ? century * 100
                                   : year < 80                                     ? 2000
                                                                                   : 1900)),
    };
    return year < 100 && out->month >= 1 && out->month <= 12 && out->day >= 1 && out->day <= 31 &&
           out->hour < 24 && out->minute < 60 && out->second < 60;
}
