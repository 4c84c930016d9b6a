/* A timer of Linux, for the kernel as a Linux process. The bare kernel has none. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#define LINUX_TIMER_HZ  1000000000u
#define LINUX_TIMER_MIN 10000 /* ns; the signal alone takes a few microseconds */

extern const bool linux_timer_exists;

/* Interrupts the executing processor every ns nanoseconds, with VECTOR_SAMPLE; 0: no longer. Returns false if
 * there is no such timer. */
bool linux_timer(unsigned ns);
