/* The real-time clock's periodic interrupt (MC146818A data sheet): IRQ 8, through both 8259s. */
#pragma once
#include <stdbool.h>

#define RTC_HZ        32768u
#define RTC_TICKS_MIN 4     /* rate select 3; 1 and 2 are longer ones again */
#define RTC_TICKS_MAX 16384 /* 15 */

/* It interrupts (VECTOR_PIC + 8) every ticks of its base, of 1/32768 s each: a power of two from
 * RTC_TICKS_MIN to RTC_TICKS_MAX. The first one comes at any time until then, since the base runs on. False:
 * no RTC answers. 0: it does not interrupt, its registers A and B are as they were found, and all is masked
 * again. */
bool rtc_interrupts(unsigned ticks);

/* In the handler (general registers only): it may ask again, and both 8259s pass that on. */
void rtc_acknowledge(void);
