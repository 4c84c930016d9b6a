/* Memory types as the MTRRs give them (SDM vol. 3A 11.11). Paging leaves PAT entry 0 (write-back) in force,
 * so the MTRR type is the effective one. */
#pragma once
#include "kernel/cpuid.h"

enum mem_type { MT_UC = 0, MT_WC = 1, MT_WT = 4, MT_WP = 5, MT_WB = 6, MT_MIXED = 0xfe, MT_UNKNOWN = 0xff };

/* Type of [base, base+len): one type, MT_MIXED where it changes inside, MT_UNKNOWN on a CPU without MTRRs (or
 * whose MTRRs cannot be read). The fixed ranges are not evaluated: MT_UNKNOWN below 1 MiB. */
enum mem_type mtrr_type(const struct cpu_id *id, uint64_t base, uint64_t len);
/* All registers of it, so that every processor has the same ones (SDM vol. 3A 11.11.8). */
#define MTRR_RANGES 40 /* at most; their registers are MSRs 200h to 24Fh */
#define MTRR_FIXED  11
struct mtrr_state {
    bool present;
    unsigned ranges;
    uint64_t def;
    uint64_t fixed[MTRR_FIXED];
    uint64_t range[2 * MTRR_RANGES];
};
void mtrr_save(const struct cpu_id *id, struct mtrr_state *s);
/* The number of registers of this CPU that differ. */
unsigned mtrr_differ(const struct cpu_id *id, const struct mtrr_state *s);
/* Write them all, MTRRs disabled meanwhile. Caches must be off and empty, and the TLBs emptied afterwards. */
void mtrr_load(const struct mtrr_state *s);

const char *mem_type_name(enum mem_type t); /* "WB", "UC", ..., "unknown" */
