#include "kernel/rtc.h"
#include "kernel/hw.h"
#include "kernel/pic.h"

/* Bit 7 of the index port masks NMIs on PCs, and cannot be read back. It is written as 0: NMIs stay enabled,
 * as firmware and reset leave them. Our NMI handlers do not use this port. */
#define INDEX 0x70
#define DATA  0x71

#define A        0x0a
#define A_UIP    0x80 /* read-only: an update is in progress */
#define A_DIVIDE 0x20 /* 32,768 Hz crystal, the base of the rates */
#define B        0x0b
#define B_PIE    0x40
#define B_OTHERS 0x30 /* the alarm's and the update's interrupts, which share the IRQ */
#define C        0x0c /* which interrupt it was; reading it lets the next one come */

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
        pic_unmask(1 << 2 | 1 << 8);
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
