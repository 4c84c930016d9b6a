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

/* The checks so far, which a process leaves to the one that it is a copy of. */
struct checks {
    unsigned passed, failed;
};
struct checks checks_taken(void); /* they are none again */
void checks_add(struct checks more);

/* measured(), numbered: the oracle writes a line for each, in this order. Returns its number, from 1 on. */
unsigned run(int fd, payload_fn *payload, unsigned n);
/* n runs are made by other processes. Returns the number of the first one. */
unsigned runs_elsewhere(unsigned n);

/* The number of a line of /proc/interrupts, such as "PMI", of one CPU; 0 if it is not there. */
uint32_t interrupts(const char *line, unsigned cpu);

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
    unsigned branches;   /* depth of the stack of last branch records that is tried here; 0: none is */
    int pebs;            /* the format of its records; -1: there are none */
};
extern const struct pmu *pmu; /* init.c */

void count_all(void);  /* count.c */
void sample_all(void); /* sample.c */
/* perf's :p and :pp, where there is PEBS (precise.c). */
void precise_all(void);
/* Instructions of ring 3, sampled on the CPU on which this process stays. */
void sample_exactly(unsigned cpu);
void ibs_all(void);          /* ibs.c; on AMD's */
void branches_all(void);     /* branches.c */
void watchdog(unsigned cpu); /* watchdog.c; on this CPU, on which the process stays */
void several(unsigned cpus); /* several.c */
