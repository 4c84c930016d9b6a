/* The real-time clock (MC146818A data sheet): its interrupts, IRQ 8 through both 8259s, one use at a time;
 * and its date. */
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

/* ---- its alarm ---- */

/* What is pending is dropped, and nothing interrupts yet. False: no RTC answers, and nothing has changed. */
bool rtc_alarm_begin(void);

/* Interrupt once, when as many new seconds have begun: RTC_ALARM_MAX at most. 0: every millisecond instead,
 * which tries the way of the interrupt. Takes some milliseconds at most. */
void rtc_alarm(unsigned seconds);
#define RTC_ALARM_MAX 58u

/* For the handler: was it the RTC? Its request is withdrawn then. Not while rtc_alarm() works, since both use
 * the same port for a register's number. */
bool rtc_alarm_came(void);

/* The registers A, B and the alarm's are again as they were found. Interrupts come no more. */
void rtc_alarm_end(void);

/* ---- its date ---- */

/* Its date and time, in whatever zone the machine's owner has set it to. */
struct rtc_date {
    uint16_t year;
    uint8_t month, day, hour, minute, second;
};

/* Read them. Bounded: some milliseconds. False: no RTC answers, it does not finish its update, or what it
 * says is no date. */
bool rtc_date(struct rtc_date *out);
