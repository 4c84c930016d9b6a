#include "kernel/rtc.h"
#include "kernel/hw.h"
#include "kernel/pic.h"

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
#define B_BINARY 0x04 /* time and alarm; else BCD */
#define B_AIE    0x20
#define B_PIE    0x40
#define B_ALL    0x70 /* with the update's */
#define B_OTHERS 0x30 /* the alarm's and the update's interrupts, which share the IRQ */
#define C        0x0c /* which interrupt it was; reading it lets the next one come */
#define C_IRQF   0x80

/* An update takes 2.2 ms (table 5), and a read on the ISA bus a microsecond. */
#define UPDATE_READS 5000

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
