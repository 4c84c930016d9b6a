/* Memory types as the MTRRs give them (SDM vol. 3A 11.11). Paging leaves PAT entry 0 (write-back) in force,
 * so the MTRR type is the effective one. */
#pragma once
#include "kernel/cpuid.h"

enum mem_type { MT_UC = 0, MT_WC = 1, MT_WT = 4, MT_WP = 5, MT_WB = 6, MT_MIXED = 0xfe, MT_UNKNOWN = 0xff };

/* Type of [base, base+len): one type, MT_MIXED where it changes inside, MT_UNKNOWN on a CPU without MTRRs (or
 * whose MTRRs cannot be read). The fixed ranges are not evaluated: MT_UNKNOWN below 1 MiB. */
enum mem_type mtrr_type(const struct cpu_id *id, uint64_t base, uint64_t len);
const char *mem_type_name(enum mem_type t); /* "WB", "UC", ..., "unknown" */
