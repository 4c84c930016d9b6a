/* The guest program of tools/linux-perf.sh: Linux' init, which asks Linux' own perf driver for counts and
 * samples of known code and says what came of it, a line for each check:
 *
 *     ok WHAT...        not ok WHAT...
 *
 * and in the end "linux-perf: N passed, N failed, status S", S being 0 or 1. */
#pragma once
#include "tests/boot/linux/loops.h"
#include <stdbool.h>

void check(bool passed, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* measured(), numbered: the oracle writes a line for each, in this order. Returns its number, from 1 on. */
unsigned run(int fd, payload_fn *payload, unsigned n);

/* The number of a line of /proc/interrupts, such as "PMI"; 0 if it is not there. */
uint32_t interrupts(const char *line);

/* Tables of events (rows.c); from PMU_AMD on AMD's. */
enum pmu_kind { PMU_P6, PMU_ARCH, PMU_ARCH_FIXED, PMU_CORE2, PMU_SKYLAKE, PMU_AMD, PMU_ZEN };

/* Properties of the PMU that Linux has found. */
struct pmu {
    const char *found; /* what is in Linux' line about it */
    enum pmu_kind kind;
    unsigned counters;   /* that Linux gives to generic events, fixed ones included */
    bool fixed;          /* two of them are fixed: instructions and cycles */
    unsigned deliveries; /* how many exceptions and interrupts instructions may have among them; 0: it counts
                            none */
    uint64_t cycles;     /* event select */
};
extern const struct pmu *pmu; /* init.c */

void count_all(void);  /* count.c */
void sample_all(void); /* sample.c */
void watchdog(void);   /* watchdog.c */
