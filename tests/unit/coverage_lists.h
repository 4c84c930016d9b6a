/* Lists of processors' events: libpfm4's, from the build's own dump; of the Pentium, which libpfm4 does not
 * know, the manual's (pmu/p5_events.c). */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#define LENGTH 256 /* of a name */
#define WORDS  3

struct event {
    char name[LENGTH];
    uint64_t code[WORDS]; /* what libpfm4 has for the event select, and for one register beside it */
};

/* The list that was loaded last. */
extern struct event events[];
extern unsigned n_events;

/* The events of a PMU in the dump (tools/pfmdump.c), and of those with unit masks each mask by itself, as far
 * as libpfm4 encodes it alone. file: of build/events, without .txt. */
void load_libpfm4(const char *file, const char *pmu);

/* False: the dump is empty, since the build could not have that library. */
bool has_libpfm4(const char *file);

/* The manual's list (SDM table 19-38), of a P5_PLAIN or P5_MMX: what is in one code on both counters is one
 * event. */
void load_p5(unsigned models);

/* "libpfm4 4.13.0-1": libraries differ in what they list. */
const char *library(void);
