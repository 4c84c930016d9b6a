/* Cache control on every model that has it: what CLFLUSH, PREFETCHh and non-temporal stores do to the lines
 * that later loads look for, by the oracle (docs/pmu-model.md, "Cache control"). */
#include "tests/unit/steps_drive.h"

static const struct steps_row rows[] = {
    /* CLFLUSH: out of every cache */
    {"coreduo core2 sandybridge haswell skylake icelake tigerlake", "LLC_MISSES", "lflfl", 3},
    {"coreduo core2 sandybridge haswell skylake icelake tigerlake", "LLC_REFERENCES", "llflfl", 3},
    {"coreduo core2 sandybridge haswell skylake icelake tigerlake", "LLC_MISSES", "cfc", 2},
    {"coreduo core2 sandybridge haswell skylake icelake tigerlake", "LLC_MISSES", "f,fl", 1},
    {"core2", "L1D_REPL", "lfl", 2},
    {"sandybridge haswell skylake icelake tigerlake", "L1D:REPLACEMENT", "sfl", 2},
    {"skylake icelake tigerlake", "MEM_INST_RETIRED:ALL_LOADS", "lfl", 2},
    {"skylake icelake tigerlake", "MEM_INST_RETIRED:ALL_STORES", "lfl", 0},
    {"k8 fam10h", "DATA_CACHE_MISSES", "lfl", 2},
    {"k8 fam10h bulldozer", "L2_CACHE_MISS:DATA", "lfl", 2},
    {"k8 fam10h bulldozer", "INSTRUCTION_CACHE_REFILLS_FROM_SYSTEM", "cfc", 2},
    {"k8 fam10h bulldozer zen zen4", "DATA_CACHE_ACCESSES", "lfl", 2},
    {"zen zen4", "REQUESTS_TO_L2_GROUP1:RD_BLK_L", "lfl", 2},
    {"zen zen4", "CORE_TO_L2_CACHEABLE_REQUEST_ACCESS_STATUS:LS_RD_BLK_C", "lfl", 2},
    {"willamette northwood prescott", "1stL_cache_load_miss_retired", "lfl", 2},
    {"willamette northwood prescott", "2ndL_cache_load_miss_retired", "lfl", 2},
    {"willamette northwood prescott", "memory_loads", "lfl", 2},
    /* CLWB: the line stays */
    {"skylake icelake tigerlake", "LLC_MISSES", "sbl", 1},
    {"skylake icelake tigerlake", "L1D:REPLACEMENT", "sbl", 1},
    /* PREFETCHh brings what a load then finds: the L1 and the L2, the L2 alone, the L1 alone */
    {"coreduo core2 sandybridge haswell skylake icelake tigerlake", "LLC_MISSES", "0l", 1},
    {"coreduo core2 sandybridge haswell skylake icelake tigerlake", "LLC_MISSES", "1l", 1},
    {"coreduo core2 sandybridge haswell skylake icelake tigerlake", "LLC_MISSES", "nl", 1},
    {"coreduo core2 sandybridge haswell skylake icelake tigerlake", "LLC_MISSES", ",0l", 1},
    {"skylake icelake tigerlake", "MEM_LOAD_RETIRED:L1_MISS", "0l", 0},
    {"skylake icelake tigerlake", "MEM_LOAD_RETIRED:L2_HIT", "1l", 1},
    {"skylake icelake tigerlake", "MEM_LOAD_RETIRED:L2_HIT", "2l", 1},
    {"skylake icelake tigerlake", "MEM_LOAD_RETIRED:L1_MISS", "nl", 0},
    {"skylake icelake tigerlake", "MEM_LOAD_RETIRED:L1_HIT", "012n", 4},
    {"skylake icelake tigerlake", "MEM_INST_RETIRED:ALL_LOADS", "012nwl", 6},
    {"core2", "INST_RETIRED:LOADS", "012nl", 1},
    {"haswell skylake icelake tigerlake", "LLC_MISSES", "w", 1},
    {"core2 sandybridge", "LLC_MISSES", "w", 0}, /* a NOP there */
    {"k8 fam10h", "DATA_CACHE_MISSES", "0l", 1},
    {"k8 fam10h", "DATA_CACHE_MISSES", "1l", 1},
    {"k8 fam10h", "DATA_CACHE_MISSES", "wl", 1},
    {"k8 fam10h bulldozer zen zen4", "DATA_CACHE_ACCESSES", "0l", 2},
    {"zen zen4", "REQUESTS_TO_L2_GROUP1:RD_BLK_L", "nl", 1},
    {"zen4", "DEMAND_DATA_CACHE_FILLS_FROM_SYSTEM:BEYOND_L2", "0fl", 1}, /* the load's only */
    {"p3", "DCU_LINES_IN", "0l", 1},
    {"p3", "L2_LD", "1l", 2},
    {"p3", "L2_LD:I", "1l", 1},
    {"p3", "DCU_LINES_IN", "1", 0},
    {"p3", "L2_LINES_IN", "nl", 0},
    {"p3", "DATA_MEM_REFS", "0l", 1},
    {"p3", "DCU_LINES_IN", "w", 0},
    {"willamette northwood prescott", "1stL_cache_load_miss_retired", "l0fl", 2},
    {"willamette northwood prescott", "2ndL_cache_load_miss_retired", "lf0l", 1}, /* the L2 has it */
    {"willamette northwood", "2ndL_cache_load_miss_retired", "0l", 1}, /* not in the DTLB: nothing happens */
    {"prescott", "2ndL_cache_load_miss_retired", "0l", 0},
    {"prescott", "page_walk_type:DTMISS", "0l", 1},
    {"willamette northwood", "page_walk_type:DTMISS", "0", 0},
    /* Non-temporal stores bring nothing; what is there goes, but on a Pentium III */
    {"coreduo core2 sandybridge haswell skylake icelake tigerlake", "LLC_MISSES", "tt", 0},
    {"coreduo core2 sandybridge haswell skylake icelake tigerlake", "LLC_MISSES", "ltl", 2},
    {"skylake icelake tigerlake", "MEM_INST_RETIRED:ALL_STORES", "stt", 3},
    {"k8 fam10h", "DATA_CACHE_MISSES", "t", 0},
    {"k8 fam10h", "DATA_CACHE_MISSES", "ltl", 2},
    {"k8 fam10h bulldozer zen zen4", "DATA_CACHE_ACCESSES", "tt", 2},
    {"willamette northwood prescott", "memory_stores", "tt", 2},
    {"willamette northwood prescott", "2ndL_cache_load_miss_retired", "ltl", 2},
    {"willamette northwood prescott", "BSQ_cache_reference:RD_2ndL_MISS", "t", 0},
    {"p3", "DCU_LINES_IN", "tl", 1},
    {"p3", "DCU_LINES_IN", "ltl", 1},
    {"p3", "DATA_MEM_REFS", "t", 1},
};

TEST(test_cache_ops) { check_rows(rows, sizeof rows / sizeof *rows); }
