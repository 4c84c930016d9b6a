/* What samples say of accesses to memory, as records: `memory` of docs/records.md, and the same words in
 * `sample` and `profile`. */
#pragma once
#include "measure/memory_profile.h"
#include "report/emit_profile.h"

/* A record for each level and each kind of translation that has samples, and one of all. */
void emit_memory(const struct profile_source *from, const struct memory_profile *m);

/* "L2" for LEVEL_L2, "walk" for TLB_WALK, "locked" for bit 2 of the traits; unknown ones are "unknown". */
const char *memory_level(unsigned level);
const char *memory_tlb(unsigned tlb);
const char *memory_trait(unsigned bit);
