/* What the L1D, the L2 and what is beyond them count, by state, request and level, and what instructions are:
 * the events of sim/arch_events.c from the Core 2's L1D on, each where it counts and where it does not. */
#include "sim/arch.h"
#include "tests/unit/steps_drive.h"

#define NEW     "sandybridge haswell skylake icelake tigerlake"
#define LAKES   "skylake icelake tigerlake"
#define ICES    "icelake tigerlake"
#define BRIDGES "sandybridge haswell"
static const struct steps_row rows[] = {
    /* the L1D by state */
    {"core2", "L1D_CACHE_LD:MESI", "llsl,l", 3},
    {"core2", "L1D_CACHE_LD:I_STATE", "llsl", 1},
    {"core2", "L1D_CACHE_LD:E_STATE", "lllsl", 2},
    {"core2", "L1D_CACHE_LD:M_STATE", "lllsll", 2},
    {"core2", "L1D_CACHE_LD:S_STATE", "llsl", 0},
    {"core2", "L1D_CACHE_ST:MESI", "slss,s", 3},
    {"core2", "L1D_CACHE_ST:I_STATE", "slss", 1},
    {"core2", "L1D_CACHE_ST:E_STATE", "lsss", 1},
    {"core2", "L1D_CACHE_ST:M_STATE", "lsss", 2},
    {"core2", "L1D_CACHE_ST:S_STATE", "lss", 0},
    {"core2", "L1D_CACHE_LOCK:MESI", "lkk", 2},
    {"core2", "L1D_CACHE_LOCK:I_STATE", "klk", 1},
    {"core2", "L1D_CACHE_LOCK:E_STATE", "lkk", 1},
    {"core2", "L1D_CACHE_LOCK:M_STATE", "lkk", 1},
    {"core2", "L1D_CACHE_LOCK:S_STATE", "lkk", 0},
    {"core2", "L1D_CACHE_LD:MESI", "lkk", 1}, /* locked reads are not counted */
    {"core2", "L1D_CACHE_LD:MESI", "y", 2},
    {"core2", "L1D_ALL_REF", "l,lsk", 5},
    {"core2", "L1D_ALL_CACHE_REF", "l,lsk", 4},
    {"core2", "L1D_M_REPL", "lsfss", 1},
    {"core2", "L1D_M_EVICT", "sele", 1},
    {"core2", "L1D_SPLIT:LOADS", "lyzy", 2},
    {"core2", "L1D_SPLIT:STORES", "szy", 1},
    {"core2", "MEM_LOAD_RETIRED:L1D_LINE_MISS", "yl", 2},
    {"core2", "MEM_LOAD_RETIRED:L1D_MISS", "yl", 1},
    {"core2", "MEM_LOAD_RETIRED:L1D_LINE_MISS", "lel", 18},
    {"core2", "MEM_LOAD_RETIRED:L2_LINE_MISS", "lel", 17},
    {"coreduo", "DCACHE_CACHE_LD:MESI", "lls", 2},
    {"coreduo", "DCACHE_CACHE_LD:I_STATE", "lls", 1},
    {"coreduo", "DCACHE_CACHE_LD:E_STATE", "lls", 1},
    {"coreduo", "DCACHE_CACHE_LD:M_STATE", "sl", 1},
    {"coreduo", "DCACHE_CACHE_LD:S_STATE", "sl", 0},
    {"coreduo", "DCACHE_CACHE_ST:MESI", "lss", 2},
    {"coreduo", "DCACHE_CACHE_ST:I_STATE", "s", 1},
    {"coreduo", "DCACHE_CACHE_ST:S_STATE", "s", 0},
    {"coreduo", "DCACHE_CACHE_ST:E_STATE", "ls", 1},
    {"coreduo", "DCACHE_CACHE_ST:M_STATE", "ss", 1},
    {"coreduo", "DCACHE_CACHE_LOCK:MESI", "kk", 2},
    {"coreduo", "DCACHE_CACHE_LOCK:I_STATE", "kk", 1},
    {"coreduo", "DCACHE_CACHE_LOCK:S_STATE", "kk", 0},
    {"coreduo", "DCACHE_CACHE_LOCK:E_STATE", "lk", 1},
    {"coreduo", "DCACHE_CACHE_LOCK:M_STATE", "kk", 1},
    {"coreduo", "DATA_MEM_REF", "l,ls", 3},
    {"coreduo", "DATA_MEM_CACHE_REF", "l,ls", 2},
    {"coreduo", "DCACHE_REPL", "lls", 1},
    {"coreduo", "DCACHE_M_REPL", "lsfs", 1},
    {"coreduo", "DCACHE_M_EVICT", "se", 1},
    {"coreduo", "ICACHE_MISSES", "cc", 1},
    {"sandybridge", "L1D:ALLOCATED_IN_M", "lsfs", 1},
    {"sandybridge", "L1D:M_EVICT", "sele", 1},
    {"sandybridge", "L1D:ALL_M_REPLACEMENT", "se", 1},
    /* requests to the L2 */
    {"coreduo core2", "L2_IFETCH:MESI", "cfcc", 2},
    {"coreduo core2", "L2_IFETCH:I_STATE", "lc", 0},
    {"coreduo core2", "L2_IFETCH:I_STATE", "c", 1},
    {"coreduo core2", "L2_IFETCH:S_STATE", "lc", 0},
    {"coreduo core2", "L2_LD:MESI", "lel", 18},
    {"coreduo core2", "L2_LD:I_STATE", "lel", 17},
    {"coreduo core2", "L2_LD:S_STATE", "lel", 0},
    {"coreduo core2", "L2_LD:MESI", "0s", 1},
    {"core2", "L2_LD:ANY:MESI", "lel", 18},
    {"core2", "L2_LD:ANY:I_STATE", "lel", 17},
    {"core2", "L2_LD:ANY:S_STATE", "lel", 0},
    {"coreduo core2", "L2_ST:MESI", "ses", 2},
    {"coreduo core2", "L2_ST:I_STATE", "ses", 1},
    {"coreduo core2", "L2_ST:S_STATE", "ses", 0},
    {"coreduo core2", "L2_RQSTS:MESI", "lcs", 2},
    {"coreduo core2", "L2_RQSTS:I_STATE", "lcs", 1},
    {"coreduo core2", "L2_RQSTS:S_STATE", "lcs", 0},
    {"coreduo core2", "L2_LINES_IN:SELF", "lcs", 1},
    {"coreduo core2", "L2_LINES_OUT:SELF", "le", 0},
    {"core2", "L2_LINES_OUT:SELF", "lE", 41}, /* 65 lines in a set of 24 */
    {"coreduo core2", "L2_M_LINES_OUT:SELF", "seE", 1},
    {"coreduo core2", "BUS_TRANS_BRD:SELF", "llf0s", 2},
    {"coreduo core2", "BUS_TRANS_RFO:SELF", "lfs", 1},
    {"coreduo core2", "BUS_TRANS_IFETCH:SELF", "cl", 1},
    {"coreduo core2", "BUS_TRANS_INVAL:SELF", "ls", 0},
    {"coreduo core2", "BUS_TRANS_IO:SELF", "ili", 2},
    {"coreduo core2", "BUS_TRANS_DEF:SELF", "li", 0},
    {"sandybridge", "L2_RQSTS:ALL_DEMAND_RD_HIT", "lel", 1},
    {"sandybridge", "L2_RQSTS:ALL_DEMAND_DATA_RD", "lel", 18},
    {"sandybridge", "L2_RQSTS:RFO_HITS", "sesk", 1},
    {"sandybridge", "L2_RQSTS:RFO_MISS", "sesk", 1},
    {"sandybridge", "L2_RQSTS:RFO_ANY", "sesk", 2},
    {"sandybridge", "L2_RQSTS:RFO_ANY", "k", 1}, /* a locked load asks for ownership */
    {"sandybridge", "L2_RQSTS:CODE_RD_HIT", "lc", 1},
    {"sandybridge", "L2_RQSTS:CODE_RD_MISS", "cl", 1},
    {"sandybridge", "L2_RQSTS:ALL_CODE_RD", "cfc", 2},
    {"haswell " LAKES, "L2_RQSTS:DEMAND_DATA_RD_MISS", "lel", 17},
    {"haswell " LAKES, "L2_RQSTS:DEMAND_DATA_RD_HIT", "lel", 1},
    {"haswell skylake", "L2_RQSTS:DEMAND_DATA_RD_MISS", "0", 1},
    {ICES, "L2_RQSTS:DEMAND_DATA_RD_MISS", "0", 0},
    {"haswell " LAKES, "L2_RQSTS:RFO_MISS", "ses", 1},
    {"haswell " LAKES, "L2_RQSTS:RFO_HIT", "ses", 1},
    {"haswell " LAKES, "L2_RQSTS:CODE_RD_MISS", "cl", 1},
    {"haswell " LAKES, "L2_RQSTS:CODE_RD_HIT", "lc", 1},
    {"haswell " LAKES, "L2_RQSTS:ALL_DEMAND_MISS", "lcfsfc", 3},
    {"haswell skylake", "L2_RQSTS:MISS", "lcfsfc", 3},
    {"haswell " LAKES, "L2_RQSTS:ALL_DEMAND_DATA_RD", "lels", 18},
    {"haswell " LAKES, "L2_RQSTS:ALL_RFO", "lfs", 1},
    {"haswell " LAKES, "L2_RQSTS:ALL_CODE_RD", "lcc", 1},
    {"haswell " LAKES, "L2_RQSTS:ALL_DEMAND_REFERENCES", "lcfs", 3},
    {"haswell skylake", "L2_RQSTS:REFERENCES", "lcfs", 3},
    {ICES, "L2_RQSTS:SWPF_MISS", "0f1lf2", 3},
    {ICES, "L2_RQSTS:SWPF_HIT", "c0", 1},
    {"sandybridge", "L2_STORE_LOCK_RQSTS:MISS", "skfk", 2},
    {"sandybridge", "L2_STORE_LOCK_RQSTS:ALL", "ses", 2},
    {"sandybridge", "L2_L1D_WB_RQSTS:ALL", "sese", 2},
    {"sandybridge", "L2_L1D_WB_RQSTS:MISS", "se", 0},
    {"sandybridge", "L2_L1D_WB_RQSTS:HIT_S", "se", 0},
    {"haswell", "L2_DEMAND_RQSTS:WB_HIT", "se", 1},
    {"sandybridge", "L2_TRANS:LOAD", "lel", 18},
    {"haswell", "L2_TRANS:DEMAND_DATA_RD", "lel", 18},
    {BRIDGES, "L2_TRANS:RFO", "ls", 0},
    {BRIDGES, "L2_TRANS:RFO", "sf", 1},
    {BRIDGES, "L2_TRANS:CODE_RD", "lc", 1},
    {BRIDGES, "L2_TRANS:L1D_WB", "sese", 2},
    {BRIDGES, "L2_TRANS:L2_FILL", "lcfs", 2},
    {NEW, "L2_TRANS:L2_WB", "seE", 1},
    {"sandybridge", "L2_LINES_IN:ANY", "lcfs", 2},
    {"haswell skylake icelake tigerlake", "L2_LINES_IN:ALL", "lcfs", 2},
    {BRIDGES, "L2_LINES_OUT:DEMAND_CLEAN", "lV", 17},
    {BRIDGES, "L2_LINES_OUT:DEMAND_DIRTY", "seE", 1},
    {LAKES, "L2_LINES_OUT:NON_SILENT", "seE", 1},
    {"icelake", "L2_LINES_OUT:SILENT", "lV", 17},
    {"skylake", "L2_LINES_OUT:SILENT", "lE", 49},
    {"tigerlake", "L2_LINES_OUT:SILENT", "lE", 45},
    {LAKES, "ICACHE_64B:IFTAG_MISS", "ccl", 1},
    /* beyond the L2 */
    {NEW, "OFFCORE_REQUESTS:DEMAND_DATA_RD", "llfs0", 1},
    {NEW, "OFFCORE_REQUESTS:DEMAND_CODE_RD", "ccl", 1},
    {NEW, "OFFCORE_REQUESTS:DEMAND_RFO", "lfs", 1},
    {NEW, "OFFCORE_REQUESTS:ALL_DATA_RD", "lf0fs", 2},
    {LAKES, "OFFCORE_REQUESTS:L3_MISS_DEMAND_DATA_RD", "lfl", 2},
    {LAKES, "MEM_LOAD_L3_HIT_RETIRED:XSNP_MISS", "lfl", 0},
    {LAKES, "MEM_LOAD_L3_HIT_RETIRED:XSNP_HIT", "lfl", 0},
    {LAKES, "MEM_LOAD_L3_HIT_RETIRED:XSNP_HITM", "lfl", 0},
    {LAKES, "MEM_LOAD_L3_HIT_RETIRED:XSNP_NONE", "lVl", 1},
    {LAKES, "MEM_LOAD_L3_MISS_RETIRED:LOCAL_DRAM", "lfl", 2},
    {"skylake", "MEM_LOAD_L3_MISS_RETIRED:REMOTE_DRAM", "l", 0},
    {"skylake", "MEM_LOAD_L3_MISS_RETIRED:REMOTE_HITM", "l", 0},
    {"skylake", "MEM_LOAD_L3_MISS_RETIRED:REMOTE_FWD", "l", 0},
    {LAKES, "MEM_LOAD_MISC_RETIRED:UC", "l,l,s", 1},
    /* instructions */
    {LAKES, "MEM_INST_RETIRED:LOCK_LOADS", "klk", 2},
    {LAKES, "MEM_INST_RETIRED:SPLIT_LOADS", "lyz", 1},
    {LAKES, "MEM_INST_RETIRED:SPLIT_STORES", "lyzz", 2},
    {"sandybridge haswell skylake", "SQ_MISC:SPLIT_LOCK", "kKy,k", 1},
    {ICES, "SQ_MISC:BUS_LOCK", "kKy,k", 2},
    {LAKES, "SW_PREFETCH_ACCESS:NTA", "n012w", 1},
    {LAKES, "SW_PREFETCH_ACCESS:T0", "n012w", 1},
    {LAKES, "SW_PREFETCH_ACCESS:T1_T2", "n012w", 2},
    {LAKES, "SW_PREFETCH_ACCESS:PREFETCHW", "n012w", 1},
    {ICES, "BR_INST_RETIRED:INDIRECT", "jJj", 2},
    {"sandybridge haswell skylake", "INST_RETIRED:PREC_DIST", "xxl", 3},
    {BRIDGES, "CPL_CYCLES:RING0", "x'xx", 2},
    {BRIDGES, "CPL_CYCLES:RING123", "x'xx", 1},
    {"core2", "SEGMENT_REG_LOADS", "gxg", 2},
    {"coreduo", "SEG_REG_LOADS", "gxg", 2},
    {"core2", "SSE_PRE_EXEC:NTA", "n012t", 1},
    {"core2", "SSE_PRE_EXEC:L1", "n012t", 1},
    {"core2", "SSE_PRE_EXEC:L2", "n012t", 2},
    {"core2", "SSE_PRE_EXEC:STORES", "n012t", 1},
    {"core2", "SSE_PRE_MISS:NTA", "nnfn", 2},
    {"core2", "SSE_PRE_MISS:L1", "00f0", 2},
    {"core2", "SSE_PRE_MISS:L2", "12f2", 2},
    {"coreduo", "SSE_PREFETCH:NTA", "n012t", 1},
    {"coreduo", "SSE_PREFETCH:T1", "n012t", 1},
    {"coreduo", "SSE_PREFETCH:T2", "n012t", 1},
    {"coreduo", "SSE_NTSTORES_RET", "n012t", 1},
    {"coreduo", "SSE_PRE_MISS:NTA_MISS", "nn", 1},
    {"coreduo", "SSE_PRE_MISS:T1_MISS", "11", 1},
    {"coreduo", "SSE_PRE_MISS:T2_MISS", "22", 1},
    {"core2", "INST_RETIRED:OTHER", "xlsx", 2},
    {"coreduo", "FP_COMPS_OP_EXE", "pqdx", 3},
    {"coreduo", "MUL", "pqdx", 1},
    {"coreduo", "DIV", "pqdx", 1},
    {"coreduo", "FP_COMP_INSTR_RET", "pqdx", 1},
    {"coreduo", "MMX_INSTR_EXEC", "mvx", 2},
    {"coreduo", "MMX_INSTR_RET", "mvx", 2},
    {"coreduo", "MMX_ASSIST", "mvx", 1},
    {"core2", "SIMD_INSTR_RETIRED", "mvx", 2},
    {"core2", "SIMD_ASSIST", "mvx", 1},
    {"coreduo", "HW_INT_RX", "x", 0},
};

static void test_counts(void **state)
{
    (void)state;
    check_rows(rows, sizeof rows / sizeof *rows);
}

/* Each event from the Core 2's L1D on stands in a row, for each model that has it. */
static void test_all_there(void **state)
{
    bool now = false;
    (void)state;
    for (const struct sim_event *e = arch_events; e < arch_events + ARCH_EVENTS; e++) {
        now |= strcmp(e->name, "L1D_CACHE_LD:MESI") == 0;
        const char *name;
        for (unsigned m = 0; now && (name = sim_family_model("arch", m)) != NULL; m++) {
            bool found = !(e->models & 1 << m);
            for (unsigned k = 0; !found && k < sizeof rows / sizeof *rows; k++)
                found = strcmp(rows[k].event, e->name) == 0 && strstr(rows[k].models, name);
            if (!found) fail_msg("no row for %s of %s", e->name, name);
        }
    }
    assert_true(now);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_counts), cmocka_unit_test(test_all_there)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
