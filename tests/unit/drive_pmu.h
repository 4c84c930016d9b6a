/* What tests of drivers have in common: one PMU, events by word, programming. A test brings its own registers
 * (fake_pmu.h) or a model (sim_hw.h). */
#pragma once
#include "pmu/pmu.h"

#define N(a) (sizeof(a) / sizeof(a)[0])

extern struct pmu pmu;
extern char why[160]; /* of the last PROGRAM() that failed, else "" */

/* pmu_probe() of this CPU, which some driver must know. */
void probe(const struct cpu_id *id);

/* The word as this PMU's code; the test fails where it has none. */
struct pmu_code code(const char *word);

/* PROGRAM(code of counter 0, of counter 1, ...): pointers, NULL for a counter that is not used. */
#define PROGRAM(...) program((const struct pmu_code *const[PMU_COUNTERS]){__VA_ARGS__})
bool program(const struct pmu_code *const codes[PMU_COUNTERS]);
