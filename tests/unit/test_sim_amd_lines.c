/* AMD's events of lines that leave a cache, of locked accesses, software prefetches, CLFLUSH and segment
 * registers: each where it counts and where it does not. */
#include "sim/amd.h"
#include "tests/unit/steps_drive.h"

#define OLD         "k8 fam10h bulldozer"
#define K10         "k8 fam10h"
#define LATER       "fam10h bulldozer"
#define ZENS        "zen zen4"
#define INEFFECTIVE "INEFFECTIVE_SW_PREFETCHES:SW_PREFETCH_HIT_IN_L"
#define LOCKED      "DCACHE_MISSES_BY_LOCKED_INSTRUCTIONS:DATA_CACHE_MISSES_BY_LOCKED_INSTRUCTIONS"
static const struct steps_row rows[] = {
    {OLD, "SEGMENT_REGISTER_LOADS:ALL", "gxg", 2},
    {"zen", "LOCKS:BUS_LOCK", "kK,ky", 2},
    {"zen4", "RETIRED_LOCK_INSTRUCTIONS:BUS_LOCK", "kK,ky", 2},
    {OLD " zen4", "RETIRED_CLFLUSH_INSTRUCTIONS", "flfb", 2},
    {"bulldozer", "EXECUTED_CLFLUSH_INSTRUCTIONS", "flf", 2},
    {OLD " " ZENS, "PREFETCH_INSTRUCTIONS_DISPATCHED:LOAD", "012nwl", 3},
    {OLD " " ZENS, "PREFETCH_INSTRUCTIONS_DISPATCHED:STORE", "012nwl", 1},
    {OLD " " ZENS, "PREFETCH_INSTRUCTIONS_DISPATCHED:NTA", "012nwl", 1},
    {K10, LOCKED, "klfkfl", 2},
    {LATER, INEFFECTIVE "1", "0l1,2", 1},
    {ZENS, "INEFFECTIVE_SOFTWARE_PREFETCH:DATA_PIPE_SW_PF_DC_HIT", "0l1,2", 1},
    {"fam10h", INEFFECTIVE "2", "c00", 0},
    {"bulldozer", INEFFECTIVE "2", "c0", 1},
    {"fam10h", INEFFECTIVE "2", "lE0", 0}, /* 65 lines are more than its L2 keeps of a set */
    {"zen", "SOFTWARE_PREFETCH_DATA_CACHE_FILLS:SYSTEM", "0f0l", 2},
    {"zen4", "SOFTWARE_PREFETCH_DATA_CACHE_FILLS:BEYOND_L2", "0f0l", 2},
    {ZENS, "SOFTWARE_PREFETCH_DATA_CACHE_FILLS:LCL_L2", "c0", 1},
    {"zen4", "ANY_DATA_CACHE_FILLS_FROM_SYSTEM:BEYOND_L2", "0flfs", 3},
    {"zen4", "ANY_DATA_CACHE_FILLS_FROM_SYSTEM:LCL_L2", "c0cs", 1},
    {"zen4", "DEMAND_DATA_CACHE_FILLS_FROM_SYSTEM:NEAR_CACHE_NEAR_FAR", "l", 0},
    {K10, "DATA_CACHE_LINES_EVICTED:EXCLUSIVE", "lE", 63}, /* 65 lines in a set of two */
    {K10, "DATA_CACHE_LINES_EVICTED:EXCLUSIVE", "sE", 62},
    {K10, "DATA_CACHE_LINES_EVICTED:MODIFIED", "sE", 1},
    {K10, "DATA_CACHE_LINES_EVICTED:SHARED", "sE", 0},
    {K10, "DATA_CACHE_LINES_EVICTED:OWNED", "sE", 0},
    {LATER, "INSTRUCTION_CACHE_VICTIMS", "clE", 0},
};

TEST(test_counts) { check_rows(rows, sizeof rows / sizeof *rows); }

/* Code in more lines of a set than the L1I has ways: each but the first two throws one out. */
TEST(test_code_victims)
{
    static const char *const models[] = {"fam10h", "bulldozer"};
    for (unsigned m = 0; m < 2; m++) {
        struct sim *s = machine(models[m]);
        assert_int_equal(sim_wrmsr(s, 0xc0010000, 0x43008b), 1);
        for (uint64_t k = 0; k < 5; k++) {
            const struct sim_insn i = {.lin = k << 20, .phys = k << 20, .len = 2};
            sim_instruction(s, &i);
        }
        assert_int_equal(rd(s, 0xc0010004), 3);
        sim_free(s);
    }
}
