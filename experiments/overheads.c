/* What measuring itself counts: B. Safford's tables D.1 and D.2, row by row.
 *
 * D.2 is the cost of a region's two calls around nothing, when they are not in the caches, and when they are.
 * Here that is the bracket around an empty payload, which is subtracted from every result: in the caches the
 * least of 100, elsewhere the median of repetitions before each of which caches, TLBs and branch target
 * buffer are emptied.
 *
 * D.1 is the cost of a process that does nothing, which is in every count of an unmodified program. Nothing
 * here needs a process; what comes next to it is the way to CPL 3 and back, around an empty function, which
 * no result contains.
 *
 * His four rows of breakpoints are left out: none is set, and all are 0. */
#include "anechoic/experiment.h"
#include <string.h>

#define JUMPS 2048 /* 4 bytes apart: as many as fill a Pentium's branch target buffer eight times */
#define CALLS 20

/* In tenths, as the tables have them. */
struct row {
    const char *name, *events;
    struct {
        uint32_t in_cache, not_in_cache; /* table D.2, of the user's level */
    } call;
    struct {
        uint32_t user, both; /* table D.1, of the user's level, and with the kernel's */
    } process;
};

static const struct row rows[] = {
    {"data read",
     "data_read|memory_loads|mem_inst_retired:all_loads|mem_uops_retired:all_loads",
     {690, 690},
     {3229720, 4444093}},
    {"data write",
     "data_write|memory_stores|mem_inst_retired:all_stores|mem_uops_retired:all_stores",
     {660, 660},
     {1099130, 2160499}},
    {"data read or write",
     "data_read_or_write|data_mem_refs|data_cache_accesses",
     {1350, 1350},
     {4328865, 6604797}},
    {"data TLB miss",
     "data_tlb_miss|dtlb_load_miss_retired|l1_dtlb_and_l2_dtlb_miss|dTLB-load-misses",
     {0, 0},
     {3490, 6852}},
    {"data read miss",
     "data_read_miss|1stl_cache_load_miss_retired|dcu_lines_in|L1-dcache-load-misses",
     {0, 0},
     {110008, 236645}},
    {"data write miss", "data_write_miss", {10, 40}, {88964, 715830}},
    {"data read or write miss", "data_read_miss_or_write_miss", {10, 40}, {198870, 952736}},
    {"write hit to M or E line", "write_hit_to_m_or_e_state_lines", {650, 620}, {1010169, 1444829}},
    {"line written back", "data_cache_lines_written_back|dcu_m_lines_out", {0, 0}, {14913, 43534}},
    {"external snoop", "external_snoops", {0, 0}, {161, 261}},
    {"external snoop that hits", "external_data_cache_snoop_hits", {0, 0}, {0, 0}},
    {"accesses in both pipes", "memory_accesses_in_both_pipes", {320, 250}, {457104, 920238}},
    {"bank conflict", "bank_conflicts", {50, 50}, {36263, 58986}},
    {"misaligned reference",
     "misaligned_data_memory_or_io_references|misalign_mem_ref",
     {80, 80},
     {960, 3980}},
    {"code read", "code_read|ifu_ifetch", {529, 503}, {3183813, 4402117}},
    {"code TLB miss", "code_tlb_miss|itlb_miss|iTLB-load-misses", {0, 10}, {5859, 13788}},
    {"code cache miss", "code_cache_miss|ifu_ifetch_miss|L1-icache-load-misses", {30, 120}, {75352, 182402}},
    {"segment register load", "any_segment_register_loaded|segment_reg_loads", {30, 30}, {9920, 40172}},
    {"branch", "branches", {260, 260}, {1560846, 2290685}},
    {"BTB hit", "btb_hits", {168, 50}, {1151313, 1526225}},
    {"taken branch or BTB hit", "taken_branch_or_btb_hit", {230, 220}, {1249411, 1739921}},
    {"pipeline flush", "pipeline_flushes|branch-misses", {93, 170}, {327864, 476089}},
    {"instruction", "instructions", {1470, 1470}, {8037662, 11446703}},
    {"instruction in the V pipe", "instructions_executed_v_pipe", {430, 300}, {2209588, 3157238}},
    {"clock of a bus cycle", "bus_cycle_duration", {290, 1867}, {3390943, 10259246}},
    {"clock of full write buffers", "write_buffer_full_stall_duration", {0, 10}, {112595, 1638192}},
    {"clock waiting for a read",
     "waiting_for_data_memory_read_stall_duration",
     {110, 110},
     {1667177, 5193623}},
    {"clock stalled by M or E line", "stall_on_write_to_an_e_or_m_state_line", {0, 0}, {0, 0}},
    {"locked bus cycle", "locked_bus_cycle", {0, 0}, {261, 5335}},
    {"I/O read or write", "io_read_or_write_cycle|bus_trans_io", {0, 0}, {0, 130}},
    {"uncached read", "noncacheable_memory_reads", {20, 20}, {19029, 35571}},
    {"clock of an AGI stall", "pipeline_agi_stalls", {190, 160}, {1040759, 1386595}},
    {"floating-point operation", "flops|x87_fp_uop", {20, 20}, {1940, 2050}},
    {"hardware interrupt", "hardware_interrupts|hw_int_rx", {0, 0}, {19, 28}},
    {"clock", "cycles", {3041, 4237}, {14530381, 25154251}},
};
#define ROWS (sizeof rows / sizeof *rows)

LAB_CODE static void nothing(void *arg) { (void)arg; }

static payload_fn *jumps;

static void forget(struct lab *lab, void *arg)
{
    jumps(arg);
    lab_flush_all(lab);
}

static struct lab_quantity named(const char *name)
{
    return (struct lab_quantity){"event", name, 0, LAB_NAMED, LAB_COUNTED};
}

static struct lab_quantity counted(const char *name, double n, enum lab_state state)
{
    return (struct lab_quantity){name, "", n, LAB_COUNTS, state};
}

static struct lab_quantity printed(const char *name, uint32_t tenths)
{
    return (struct lab_quantity){name, "", tenths / 10.0, LAB_KNOWN, LAB_COUNTED};
}

/* Counted from before a call of an empty function at CPL 3 until after it, less two readings in a row; the
 * least of CALLS. */
static double at_cpl3(struct lab *lab, const char *events, enum lab_state *state)
{
    uint64_t call = UINT64_MAX, none = UINT64_MAX;
    *state = lab_start(lab, (const char *const[]){events, NULL});
    for (unsigned i = 0; *state == LAB_COUNTED && i < CALLS; i++) {
        const uint64_t a = lab_read(lab, 0), b = lab_read(lab, 0);
        lab_at_cpl(lab, 3, nothing, NULL);
        const uint64_t c = lab_read(lab, 0);
        if (b - a < none) none = b - a;
        if (c - b < call) call = c - b;
    }
    return *state != LAB_COUNTED ? 0 : call > none ? (double)(call - none) : 0;
}

/* Up to LAB_EVENTS rows of table D.2 at a time. Those that this CPU cannot count are left out, and here is
 * how many. */
static unsigned around_nothing(struct lab *lab, const struct row *r, unsigned n)
{
    const struct lab_program warm = {.code = nothing, .ring = lab->ring};
    const struct lab_program cold = {.code = nothing, .ring = lab->ring, .before = forget};
    static struct lab_counts in, out;
    const char *events[LAB_EVENTS + 1] = {NULL};
    unsigned absent = 0;
    for (unsigned i = 0; i < n; i++) events[i] = r[i].events;
    lab_measure(lab, &warm, events, &in);
    lab_measure(lab, &cold, events, &out);
    for (unsigned i = 0; i < n; i++) {
        const struct lab_count *c = &in.event[i], *d = &out.event[i];
        const struct lab_quantity q[] = {named(r[i].name), counted("in cache", (double)c->overhead, c->state),
                                         counted("not in cache", d->median + (double)d->overhead, d->state),
                                         printed("D.2: in", r[i].call.in_cache),
                                         printed("D.2: not", r[i].call.not_in_cache)};
        if (c->state == LAB_ABSENT)
            absent++;
        else
            lab_row(lab, "a bracket around nothing; table D.2 at the user's level", q, 5);
    }
    return absent;
}

static void to_cpl3(struct lab *lab, const struct row *r)
{
    enum lab_state state;
    const double way = at_cpl3(lab, r->events, &state);
    const struct lab_quantity q[] = {named(r->name), counted("there and back", way, state),
                                     printed("D.1: user", r->process.user),
                                     printed("D.1: both", r->process.both)};
    if (state != LAB_ABSENT) lab_row(lab, "a call at CPL 3; table D.1, a process", q, 4);
}

static void run(struct lab *lab)
{
    static uint8_t code[4 * JUMPS];
    unsigned absent = 0;
    for (unsigned i = 0; i < sizeof code; i += 4)
        memcpy(code + i, "\xeb\x02\x90\x90", 4); /* JMP over two NOPs */
    jumps = lab_write_code(lab, code, sizeof code);
    for (unsigned i = 0; i < ROWS; i += LAB_EVENTS)
        absent += around_nothing(lab, rows + i, ROWS - i < LAB_EVENTS ? (unsigned)ROWS - i : LAB_EVENTS);
    for (unsigned i = 0; i < ROWS; i++) to_cpl3(lab, &rows[i]);
    lab_value(
        lab,
        &(const struct lab_quantity){"rows that this CPU cannot count", "", absent, LAB_KNOWN, LAB_COUNTED},
        NULL);
}

EXPERIMENT(overheads) = {
    .program = {.name = "overheads", .desc = "what measuring itself counts (Safford, tables D.1 and D.2)"},
    .experiment = run,
    .op = "measurement",
    .cost = "some 20 instructions in a bracket, some 50 to CPL 3 and back",
};
