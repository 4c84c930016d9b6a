/* The real-time clock's periodic interrupt (MC146818A data sheet): IRQ 8, through both 8259s. */
#pragma once
#include <stdbool.h>

#define RTC_HZ        32768u
#define RTC_TICKS_MIN 4     /* rate select 3; 1 and 2 are longer again */
#define RTC_TICKS_MAX 16384 /* 15 */

/* Make it interrupt (VECTOR_PIC + 8) every ticks of its base, of 1/32768 s each: a power of two from
 * RTC_TICKS_MIN to RTC_TICKS_MAX. The first interrupt may come earlier, since the base runs freely. False: no
 * RTC answers. 0: stop it, restore its registers A and B, and mask everything again. */
bool rtc_interrupts(unsigned ticks);

/* For the handler (general registers only): lets the RTC and both 8259s deliver the next interrupt. */
void rtc_acknowledge(void);
