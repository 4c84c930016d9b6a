/* The real-time clock (MC146818A data sheet): its periodic interrupt, IRQ 8 through both 8259s, and its date.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#define RTC_HZ        32768u
#define RTC_TICKS_MIN 4     /* rate select 3; 1 and 2 are longer again */
#define RTC_TICKS_MAX 16384 /* 15 */

/* Make it interrupt (VECTOR_PIC + 8) every ticks of its base, of 1/32768 s each: a power of two from
 * RTC_TICKS_MIN to RTC_TICKS_MAX. The first interrupt may come earlier, since the base runs freely. False: no
 * RTC answers. 0: stop it, restore its registers A and B, and mask everything again. */
bool rtc_interrupts(unsigned ticks);

/* For the handler (general registers only): lets the RTC and both 8259s deliver the next interrupt. */
void rtc_acknowledge(void);

/* Its date and time, in whatever zone the machine's owner has set it to. */
struct rtc_date {
    uint16_t year;
    uint8_t month, day, hour, minute, second;
};

/* Read them. Bounded: some milliseconds. False: no RTC answers, it does not finish its update, or what it
 * says is no date. */
bool rtc_date(struct rtc_date *out);
