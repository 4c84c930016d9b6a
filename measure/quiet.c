#include "measure/quiet.h"
#include "kernel/hw.h"
#include "kernel/smi.h"

#define TRIAL_READS 1000
#define GAP_FACTOR  10 /* times the typical reading ... */
#define GAP_MIN_US  1  /* ... and at least this long: shorter than any interrupt or SMI */

/* Undisturbed readings in a row: the least distance between two is the time of one turn of the loop. */
static uint64_t typical_distance(void)
{
    uint64_t least = UINT64_MAX, last = hw_rdtsc();
    for (unsigned i = 0; i < TRIAL_READS; i++) {
        uint64_t now = hw_rdtsc();
        if (now - last < least) least = now - last;
        last = now;
    }
    return least;
}

void quiet_check(const struct cpu *cpu, struct quiet *q, unsigned ms)
{
    const uint64_t hz = cpu->machine->clock.tsc_hz, us = hz / 1000000, ticks = hz / 1000 * ms;
    *q = (struct quiet){.smi_counter = cpu->smi_counter, .typical = typical_distance()};
    q->threshold = q->typical * GAP_FACTOR;
    if (us * GAP_MIN_US > q->threshold) q->threshold = us * GAP_MIN_US;
    uint32_t smis = cpu->smi_counter ? smi_counter_read() : 0;
    uint64_t start = hw_rdtsc(), last = start;
    for (unsigned reads = 0; ticks ? last - start < ticks : reads < QUIET_READS; reads++) {
        uint64_t now = hw_rdtsc(), gap = now - last;
        if (gap > q->largest) q->largest = gap;
        if (gap > q->threshold) q->gaps++;
        last = now;
        if (reads == QUIET_READS && last == start) break; /* stopped: do not wait for it */
    }
    q->watched_tsc = last - start;
    if (cpu->smi_counter) q->smis = smi_counter_read() - smis;
    q->verdict = !q->watched_tsc ? QUIET_UNKNOWN : q->gaps || q->smis ? QUIET_DISTURBED : QUIET_YES;
}
