/* What measure/rates.c has, for host tests of the monitor: intervals are as a test says. */
#pragma once
#include "measure/rates.h"

extern struct rates_interval fake_rates_interval; /* what each one is, but for its ticks */
extern unsigned fake_rates_begun, fake_rates_intervals, fake_rates_ended; /* how many there were */
extern uint64_t fake_rates_ticks;                                         /* asked for last */
extern unsigned fake_rates_most;   /* so many at most; then the user's wish ends it */
extern const char *fake_rates_why; /* it is refused so; NULL: it is not */
void fake_rates_reset(void);
