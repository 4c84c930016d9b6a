/* By how many ticks the TSC advances at a time. */
#include "kernel/clock.h"
#include "kernel/hw.h"

#define READS 1000
#define FEW   8 /* steps: over so many, the mean of READS distances is exact to a part of a tick */
#define PARTS 4
#define LEAST 10 /* ticks: multiples of a shorter step, rounded, may be met by chance */

static uint32_t gcd(uint32_t a, uint32_t b)
{
    while (b) {
        uint32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* A delay that differs from turn to turn by one instruction, so that the loop's own length does not look like
 * a step of the TSC. */
static void dither(unsigned i)
{
    for (unsigned twos = i & 7; twos; twos--) __asm__ volatile("");
    for (unsigned threes = i >> 3 & 7; threes; threes--) __asm__ volatile("nop");
}

/* Is each distance, if it is not too long, a multiple of step, rounded? */
static bool fits(const uint32_t *distance, double step)
{
    for (unsigned i = 0; i < READS; i++) {
        const double steps = distance[i] / step;
        const double off = distance[i] - step * (unsigned)(steps + 0.5);
        if (steps < FEW && (off >= 1 || off <= -1)) return false;
    }
    return true;
}

/* A step that is no whole number: the mean of the distances that are `least` or one more, or a part of it,
 * since a reading may take some steps. 0: there is none, or none that could be told from a TSC that advances
 * tick by tick. */
static double broken_step(const uint32_t *distance, uint32_t least)
{
    uint64_t sum = 0;
    unsigned n = 0;
    for (unsigned i = 0; i < READS; i++) {
        if (!distance[i] || distance[i] > least + 1) continue;
        sum += distance[i];
        n++;
    }
    for (unsigned parts = 1; parts <= PARTS; parts++) {
        const double step = (double)sum / n / parts;
        if (step > LEAST && fits(distance, step)) return step;
    }
    return 0;
}

/* The greatest common divisor of the distances between dithered readings. Where a step is no whole number (a
 * clock of 100 MHz, times 24.45), they are multiples of it that are rounded: the divisor is 1, and the step
 * shows in their gaps. It is rounded up. */
uint32_t clock_step(void)
{
    static uint32_t distance[READS];
    uint32_t divisor = 0, least = UINT32_MAX;
    uint64_t last = hw_rdtsc();
    for (unsigned i = 0; i < READS; i++) {
        dither(i);
        const uint64_t now = hw_rdtsc();
        distance[i] = (uint32_t)(now - last);
        divisor = gcd(divisor, distance[i]);
        if (distance[i] && distance[i] < least) least = distance[i];
        last = now;
    }
    if (divisor != 1) return divisor;
    return (uint32_t)broken_step(distance, least) + 1;
}
