/* The tables. Linux adds nothing in ring 3 but its own events, which some counters see: those have a margin.
 * Cycles: a modelled one is an instruction or a delivery (docs/pmu-model.md). */
#include "tests/boot/linux/rows.h"

#define SPIN      "spin", payload_spin, 100000
#define CALLS     "calls", payload_calls, 10000
#define FADDS     "fadds", payload_fadds, 10000
#define MULS      "muls", payload_muls, 10000
#define LOADS     (WALK_BYTES / WALK_STEP)
#define WALK      "walk", payload_walk, LOADS
#define FAR_LOADS (WALK_FAR_BYTES / WALK_STEP)
#define FAR_WALK  "walk", payload_walk, FAR_LOADS
#define LINES     (WALK_BYTES / 64) /* but on P6, whose lines are of 32 */
#define FAR_LINES (WALK_FAR_BYTES / 64)
#define INSNS(of) (MEASURED_INSNS + (of)), 0
#define BRANCH(b) (MEASURED_BRANCHES + (b)), 0

/* Events: SDM vol. 3 (June 2016), table 19-37, and Linux' arch/x86/events/intel/p6.c for which of them it
 * takes for its generic names. */
static const struct row p6_rows[] = {
    {"INST_RETIRED", HW(INSTRUCTIONS), "empty", payload_empty, 0, INSNS(1)},
    {"INST_RETIRED", HW(INSTRUCTIONS), SPIN, INSNS(SPIN_INSNS(100000))},
    {"INST_RETIRED", HW(INSTRUCTIONS), CALLS, INSNS(CALLS_INSNS(10000))},
    {"INST_RETIRED", HW(INSTRUCTIONS), FADDS, INSNS(FADDS_INSNS(10000))},
    {"INST_RETIRED", HW(INSTRUCTIONS), MULS, INSNS(MULS_INSNS(10000))},
    {"INST_RETIRED", HW(INSTRUCTIONS), WALK, INSNS(WALK_INSNS(LOADS))},
    {"BR_INST_RETIRED", HW(BRANCH_INSTRUCTIONS), SPIN, BRANCH(SPIN_BRANCHES(100000))},
    {"BR_INST_RETIRED", HW(BRANCH_INSTRUCTIONS), CALLS, BRANCH(CALLS_BRANCHES(10000))},
    {"INST_RETIRED", RAW(0xc0), SPIN, INSNS(SPIN_INSNS(100000))},
    {"INST_DECODED", RAW(0xd0), SPIN, INSNS(SPIN_INSNS(100000))},
    /* the last JNZ falls through */
    {"BR_TAKEN_RETIRED", RAW(0xc9), SPIN, BRANCH(SPIN_BRANCHES(100000) - 1)},
    {"FLOPS", RAW(0xc1), FADDS, FADDS_FLOPS(10000), 0},
    {"MUL", RAW(0x12), MULS, 10000, 0},
    {"DIV", RAW(0x13), MULS, 10000, 0},
    {"CPU_CLK_UNHALTED", HW(CPU_CYCLES), SPIN, MEASURED_INSNS + SPIN_INSNS(100000), 200},
    /* CALL, RET and INT 80h, and what interrupts push */
    {"DATA_MEM_REFS", RAW(0x43), WALK, LOADS + 2, 500},
    /* each line comes once, from memory: the area is many times the L2 */
    {"DCU_LINES_IN", RAW(0x45), WALK, LOADS, LOADS / 50},
    {"L2_RQSTS", HW(CACHE_REFERENCES), WALK, LOADS, LOADS / 20},
    {"L2_RQSTS:I", HW(CACHE_MISSES), WALK, LOADS - LOADS / 20, LOADS / 10},
    {"L2_RQSTS:I", HW(CACHE_MISSES), SPIN, 0, 500},
};

/* clang-format off */

/* Intel's architectural events (SDM table 19-1) under libpfm's names; Linux' arch/x86/events/intel/core.c. The last
 * level has 8.25 MiB at most, half of what the far walk touches: the second one in a row finds nothing of its own. */
#define ARCH_ROWS \
    {"INSTRUCTION_RETIRED", HW(INSTRUCTIONS), "empty", payload_empty, 0, INSNS(1)}, \
    {"INSTRUCTION_RETIRED", HW(INSTRUCTIONS), SPIN, INSNS(SPIN_INSNS(100000))}, \
    {"INSTRUCTION_RETIRED", HW(INSTRUCTIONS), CALLS, INSNS(CALLS_INSNS(10000))}, \
    {"INSTRUCTION_RETIRED", HW(INSTRUCTIONS), FADDS, INSNS(FADDS_INSNS(10000))}, \
    {"INSTRUCTION_RETIRED", HW(INSTRUCTIONS), MULS, INSNS(MULS_INSNS(10000))}, \
    {"INSTRUCTION_RETIRED", HW(INSTRUCTIONS), WALK, INSNS(WALK_INSNS(LOADS))}, \
    {"INSTRUCTION_RETIRED", RAW(0xc0), SPIN, INSNS(SPIN_INSNS(100000))}, \
    {"BRANCH_INSTRUCTIONS_RETIRED", HW(BRANCH_INSTRUCTIONS), SPIN, BRANCH(SPIN_BRANCHES(100000))}, \
    {"BRANCH_INSTRUCTIONS_RETIRED", HW(BRANCH_INSTRUCTIONS), CALLS, BRANCH(CALLS_BRANCHES(10000))}, \
    {"BRANCH_INSTRUCTIONS_RETIRED", RAW(0xc4), MULS, BRANCH(MULS_BRANCHES(10000))}, \
    {"UNHALTED_CORE_CYCLES", HW(CPU_CYCLES), SPIN, MEASURED_INSNS + SPIN_INSNS(100000), 200}, \
    {"UNHALTED_REFERENCE_CYCLES", HW(BUS_CYCLES), SPIN, MEASURED_INSNS + SPIN_INSNS(100000), 200}, \
    {"LLC_REFERENCES", HW(CACHE_REFERENCES), FAR_WALK, FAR_LINES, FAR_LINES / 20}, \
    {"LLC_MISSES", HW(CACHE_MISSES), FAR_WALK, FAR_LINES - FAR_LINES / 20, FAR_LINES / 10}, \
    {"LLC_REFERENCES", HW(CACHE_REFERENCES), SPIN, 0, 500}, \
    {"LLC_MISSES", HW(CACHE_MISSES), SPIN, 0, 500}
/* On a fixed counter only, which version 1 has not. */
#define FIXED_ROWS \
    {"UNHALTED_REFERENCE_CYCLES", HW(REF_CPU_CYCLES), SPIN, MEASURED_INSNS + SPIN_INSNS(100000), 200}

/* AMD's events: libpfm's names, and Linux' arch/x86/events/amd/core.c. */
#define AMD_INSNS(of)   (MEASURED_INSNS + (of)), DELIVERIES
#define AMD_BRANCHES(b) (MEASURED_BRANCHES + (b)), DELIVERED
#define DELIVERED       500 /* also on Zen, whose branches have them among them */
#define AMD_ROWS \
    {"RETIRED_INSTRUCTIONS", HW(INSTRUCTIONS), "empty", payload_empty, 0, AMD_INSNS(1)}, \
    {"RETIRED_INSTRUCTIONS", HW(INSTRUCTIONS), SPIN, AMD_INSNS(SPIN_INSNS(100000))}, \
    {"RETIRED_INSTRUCTIONS", HW(INSTRUCTIONS), CALLS, AMD_INSNS(CALLS_INSNS(10000))}, \
    {"RETIRED_INSTRUCTIONS", HW(INSTRUCTIONS), FADDS, AMD_INSNS(FADDS_INSNS(10000))}, \
    {"RETIRED_INSTRUCTIONS", HW(INSTRUCTIONS), MULS, AMD_INSNS(MULS_INSNS(10000))}, \
    {"RETIRED_INSTRUCTIONS", HW(INSTRUCTIONS), WALK, AMD_INSNS(WALK_INSNS(LOADS))}, \
    {"RETIRED_INSTRUCTIONS", RAW(0xc0), SPIN, AMD_INSNS(SPIN_INSNS(100000))}, \
    {"RETIRED_BRANCH_INSTRUCTIONS", HW(BRANCH_INSTRUCTIONS), SPIN, AMD_BRANCHES(SPIN_BRANCHES(100000))}, \
    {"RETIRED_BRANCH_INSTRUCTIONS", HW(BRANCH_INSTRUCTIONS), CALLS, AMD_BRANCHES(CALLS_BRANCHES(10000))}, \
    {"RETIRED_TAKEN_BRANCH_INSTRUCTIONS", RAW(0xc4), SPIN, AMD_BRANCHES(SPIN_BRANCHES(100000) - 1)}, \
    {"RETIRED_NEAR_RETURNS", RAW(0xc8), CALLS, 10000 + 1, 0}, \
    {"DATA_CACHE_ACCESSES", RAW(0x40), WALK, LOADS + 2, 500}

/* clang-format on */

static const struct row arch_rows[] = {ARCH_ROWS};
static const struct row arch_fixed_rows[] = {ARCH_ROWS, FIXED_ROWS};
static const struct row core2_rows[] = {
    ARCH_ROWS,
    FIXED_ROWS,
    {"BR_INST_RETIRED:TAKEN", RAW(0x0cc4), SPIN, BRANCH(SPIN_BRANCHES(100000) - 1)},
    {"INST_RETIRED:LOADS", RAW(0x01c0), WALK, LOADS + 1, 1}, /* RET; and INT 80h, if that is one */
    {"MEM_LOAD_RETIRED:L1D_MISS", RAW(0x01cb), WALK, LINES, LINES / 50},
};
static const struct row skylake_rows[] = {
    ARCH_ROWS,
    FIXED_ROWS,
    {"BR_INST_RETIRED:NEAR_RETURN", RAW(0x08c4), CALLS, 10000 + 1, 0},
    {"MEM_INST_RETIRED:ALL_LOADS", RAW(0x81d0), WALK, LOADS + 1, 1},
    {"MEM_LOAD_RETIRED:L1_MISS", RAW(0x08d1), WALK, LINES, LINES / 50},
};

static const struct row amd_rows[] = {
    AMD_ROWS,
    {"CPU_CLK_UNHALTED", HW(CPU_CYCLES), SPIN, MEASURED_INSNS + SPIN_INSNS(100000), 200},
    {"REQUESTS_TO_L2:DATA", RAW(0x027d), WALK, LINES, LINES / 50},
    {"L2_CACHE_MISS:DATA", RAW(0x027e), WALK, LINES - LINES / 20, LINES / 10},
    {"L2_CACHE_MISS:DATA", RAW(0x027e), SPIN, 0, 500},
};
static const struct row zen_rows[] = {
    AMD_ROWS,
    {"CYCLES_NOT_IN_HALT", HW(CPU_CYCLES), SPIN, MEASURED_INSNS + SPIN_INSNS(100000), 200},
    {"RETIRED_CONDITIONAL_BRANCH_INSTRUCTIONS", RAW(0xd1), SPIN, 100000, 0},
    {"REQUESTS_TO_L2_GROUP1:RD_BLK_L", RAW(0x8060), WALK, LINES, LINES / 50},
    {"CORE_TO_L2_CACHEABLE_REQUEST_ACCESS_STATUS:LS_RD_BLK_C", RAW(0x0864), WALK, LINES - LINES / 20,
     LINES / 10},
};

#define TABLE(rows, bytes)                       \
    {                                            \
        rows, sizeof(rows) / sizeof *rows, bytes \
    }
static const struct {
    const struct row *rows;
    unsigned n, walk_bytes;
} tables[] = {
    [PMU_P6] = TABLE(p6_rows, WALK_BYTES),
    [PMU_ARCH] = TABLE(arch_rows, WALK_FAR_BYTES),
    [PMU_ARCH_FIXED] = TABLE(arch_fixed_rows, WALK_FAR_BYTES),
    [PMU_CORE2] = TABLE(core2_rows, WALK_FAR_BYTES),
    [PMU_SKYLAKE] = TABLE(skylake_rows, WALK_FAR_BYTES),
    [PMU_AMD] = TABLE(amd_rows, WALK_BYTES),
    [PMU_ZEN] = TABLE(zen_rows, WALK_BYTES),
};

const struct row *rows_of(enum pmu_kind kind, unsigned *n)
{
    *n = tables[kind].n;
    return tables[kind].rows;
}

unsigned rows_walk_bytes(enum pmu_kind kind) { return tables[kind].walk_bytes; }
