/* The core's clock, since a process cannot read APERF: by chains of additions of one cycle each, right before
 * and right after what is measured.
 *
 * Register to register: cores from Golden Cove on add small constants at renaming, in no time. */
#include "kernel/core_clock.h"
#include "kernel/hw.h"
#include "kernel/x86.h"

#define CHAIN  10000u /* additions, of which 100 are written out */
#define SHORT  1000u
#define TRIES  12u
#define RISE   50000000u /* ticks in which a core that was idle reaches its rate */
#define FENCES 20u       /* times as many tries for what the fences cost */

const char core_clock_source[] = "chain";

/* Ticks of n additions, a multiple of 100. */
static uint64_t chain(uint64_t n)
{
    uint64_t from, to;
    n /= 100;
    __asm__ volatile("lfence\n\trdtsc\n\tshl $32, %%rdx\n\tor %%rdx, %%rax\n\tmov %%rax, %1\n\tlfence\n\t"
                     "1: .rept 100\n\tadd %%rcx, %%rax\n\t.endr\n\tdec %0\n\tjnz 1b\n\t"
                     "lfence\n\trdtsc\n\tshl $32, %%rdx\n\tor %%rdx, %%rax\n\tmov %%rax, %2"
                     : "+r"(n), "=&r"(from), "=&r"(to)::"rax", "rdx", "cc");
    return to - from;
}

/* Of some: longer ones were disturbed. */
static uint64_t least(uint64_t n, unsigned tries)
{
    uint64_t least = UINT64_MAX;
    while (tries--) {
        const uint64_t ticks = chain(n);
        if (ticks < least) least = ticks;
    }
    return least;
}

/* Core cycles in a tick. What the fences cost is known from two lengths, once and for all. */
static double ratio(void)
{
    static double fences = -1;
    if (fences < 0)
        fences = 2 * (double)least(SHORT, FENCES * TRIES) - (double)least(2 * SHORT, FENCES * TRIES);
    return CHAIN / ((double)least(CHAIN, TRIES) - fences);
}

/* In the place of APERF: the ratio as it is now, in 2^-32. */
#define ONE 4294967296.0

void core_clock_read(struct core_clock *now)
{
    *now = (struct core_clock){(uint64_t)(ratio() * ONE), hw_rdtsc()};
}

/* The mean of both ends. Where the clock changed in between they differ, and so do the repetitions. */
double core_clock_ratio(const struct core_clock *from, const struct core_clock *to)
{
    return ((double)from->aperf + (double)to->aperf) / (2 * ONE);
}

bool core_clock_present(const struct cpu_id *id) { return id->f1_edx & CPUID_1_EDX_SSE2; }

double core_clock_measure(const struct cpu_id *id)
{
    const uint64_t from = hw_rdtsc();
    if (!core_clock_present(id)) return 0;
    while (hw_rdtsc() - from < RISE) chain(CHAIN);
    return ratio();
}
