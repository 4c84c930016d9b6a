/* The page attribute table: the memory types that the cache bits of a page-table entry select. */
#pragma once
#include "kernel/cpuid.h"

/* Make PWT alone (entry 1, write-through at reset, which nothing here uses) mean write-combining. The other
 * entries stay as they are. False where there is no PAT. Before any page has PWT alone, and with a flush of
 * the TLBs after it. Source: SDM vol. 3A 11.12. */
bool pat_combine_writes(const struct cpu_id *id);

/* The table; 0: there is none. */
uint64_t pat_read(const struct cpu_id *id);
/* Give this processor the table of another one. True: entries that pat_combine_writes() does not set were
 * different. */
bool pat_load(const struct cpu_id *id, uint64_t pat);
