/* The rate of the TSC by Linux' clock, which no daemon steers: CLOCK_MONOTONIC_RAW. */
#include "kernel/clock.h"
#include "hosted/linux.h"
#include "kernel/hw.h"
#include <linux/time.h>
#include <linux/time_types.h>

#define LOOKS   20
#define LONG_NS 20000000 /* between the two moments */
#define RAW_PPM 50.0     /* of that clock, whose own rate Linux has calibrated */

/* The clock's time, and the TSC before and after it was asked. */
struct moment {
    uint64_t ns, from, to;
};

/* The quickest of some: the others were interrupted. */
static struct moment look(void)
{
    struct moment best = {0, 0, UINT64_MAX};
    for (unsigned i = 0; i < LOOKS; i++) {
        struct __kernel_timespec t;
        const uint64_t from = hw_rdtsc();
        sys_call(__NR_clock_gettime, (long)CLOCK_MONOTONIC_RAW, &t);
        const uint64_t to = hw_rdtsc();
        if (to - from < best.to - best.from)
            best = (struct moment){(uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec, from, to};
    }
    return best;
}

void clock_init(const struct cpu_id *id, const struct acpi_info *acpi, struct clock *c)
{
    (void)id, (void)acpi;
    const struct moment a = look();
    struct moment b;
    do b = look();
    while (b.ns - a.ns < LONG_NS);
    const double ticks = ((double)(b.from - a.from) + (double)(b.to - a.to)) / 2;
    const double asked = (double)(a.to - a.from) + (double)(b.to - b.from);
    *c = (struct clock){.tsc_hz = (uint64_t)(ticks * 1e9 / (double)(b.ns - a.ns)),
                        .source = "linux",
                        .uncertainty_ppm = asked / 2 / ticks * 1e6 + RAW_PPM};
}
