#include "measure/quiet.h"
#include "kernel/hw.h"

#define TRIAL_READS 1000
#define GAP_FACTOR  10 /* times the typical reading ... */
#define GAP_MIN_US  1  /* ... and at least this long: shorter than any interrupt or SMI */

static uint32_t gcd(uint32_t a, uint32_t b)
{
    while (b) {
        uint32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Some time that differs from turn to turn by one instruction, so that the loop's own length is not taken for
 * a step of the TSC. */
static void dither(unsigned i)
{
    for (unsigned twos = i & 7; twos; twos--) __asm__ volatile("");
    for (unsigned threes = i >> 3 & 7; threes; threes--) __asm__ volatile("nop");
}

/* Undisturbed readings in a row: the least distance between two is what one turn of the loop takes; what the
 * distances of dithered readings have in common is the step in which the TSC advances. */
static void look_at_tsc(struct quiet *q)
{
    uint64_t last = hw_rdtsc();
    q->typical = UINT64_MAX;
    for (unsigned i = 0; i < TRIAL_READS; i++) {
        uint64_t now = hw_rdtsc();
        if (now - last < q->typical) q->typical = now - last;
        last = now;
    }
    q->step = 0;
    for (unsigned i = 0; i < TRIAL_READS; i++) {
        dither(i);
        uint64_t now = hw_rdtsc();
        q->step = gcd(q->step, (uint32_t)(now - last));
        last = now;
    }
}

void quiet_check(const struct machine *m, struct quiet *q, unsigned ms)
{
    *q = (struct quiet){.smi_counter = m->smi_counter};
    look_at_tsc(q);
    uint64_t us = m->tsc_hz / 1000000, ticks = m->tsc_hz / 1000 * ms;
    q->threshold = q->typical * GAP_FACTOR;
    if (us * GAP_MIN_US > q->threshold) q->threshold = us * GAP_MIN_US;
    uint32_t smis = m->smi_counter ? smi_counter_read() : 0;
    uint64_t start = hw_rdtsc(), last = start;
    for (unsigned reads = 0; ticks ? last - start < ticks : reads < QUIET_READS; reads++) {
        uint64_t now = hw_rdtsc(), gap = now - last;
        if (gap > q->largest) q->largest = gap;
        if (gap > q->threshold) q->gaps++;
        last = now;
        if (reads == QUIET_READS && last == start) break; /* stopped: do not wait for it */
    }
    q->watched_tsc = last - start;
    q->cannot_tell = q->watched_tsc == 0;
    if (m->smi_counter) q->smis = smi_counter_read() - smis;
}
