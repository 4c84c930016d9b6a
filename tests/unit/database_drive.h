/* What tests of the event database have in common: the database as built, open for each test, and CPUs whose
 * words are looked up in it. */
#pragma once
#include "pmu/pmu.h"
#include <stddef.h>

extern uint8_t *file; /* a copy of events.db that fits exactly */
extern size_t size;
extern char why[200], near[200]; /* of the last parse() or db_open() */
extern struct pmu_code code;     /* of the last parse() */

/* Where events.db and events/ are: above this program, which main() was called as. */
void find_build(const char *program);

/* All of a file there and a NUL behind it; the caller frees it. */
void *load(const char *name, size_t *bytes);

/* Setup and teardown. */
int open_it(void **state);
int close_it(void **state);
#define OPENED(name) cmocka_unit_test_setup_teardown(name, open_it, close_it)

/* Eight general-purpose counters, and Intel's four fixed ones behind them. */
struct pmu cpu_of(const char *database, const struct pmu_ops *ops);

bool parse(const struct pmu *pmu, const char *word);
