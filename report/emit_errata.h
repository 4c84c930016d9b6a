/* Errata of what was counted, in records: the group `doubted` of the catalogue, and a flag. */
#pragma once
#include "kernel/machine.h"
#include "report/record.h"

/* Those of a set that this machine can show: Hyper-Threading may be off. */
uint64_t errata_here(const struct machine *m, uint64_t errata);

/* Adds the names. Nothing if the set is empty. */
void put_errata(struct record *r, uint64_t errata);

/* The flag for this set: "overcount", "undercount", or "erratum". NULL if it is empty, or if a model counts
 * here, which has no errata: records name those of the CPU all the same. */
const char *errata_flag(const struct machine *m, uint64_t errata);
