/* Each event of the P5 and P55C against the facts that must move it, in the oracle and on each counter: these
 * and no others. */
#include "tests/unit/p5_drive.h"
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

struct expected {
    const char *name;
    unsigned n;
};

#define CODE 0x1004 /* in a block that has just been read */
#define WARM 0x5000 /* a line that is in the data cache, exclusive */
#define COLD 0x5100 /* of the same page, not in it */

static struct sim_insn at(uint32_t op)
{
    return (struct sim_insn){.lin = CODE, .phys = CODE, .len = 2, .op = op, .target = 0x1008};
}

static void run_insn(struct sim_insn i) { sim_instruction(sim, &i); }

static void run_access(uint32_t op, uint64_t lin, unsigned bytes, unsigned kind)
{
    struct sim_insn i = at(op);
    i.access[0] = mem(lin, bytes, kind);
    i.n_access = 1;
    sim_instruction(sim, &i);
}

static void run_uncached_write(void)
{
    struct sim_insn i = at(0);
    i.access[0] = mem(WARM, 4, SIM_WRITE);
    i.access[0].uncached = 1;
    i.n_access = 1;
    sim_instruction(sim, &i);
}

static void run_io(unsigned port, unsigned bytes, unsigned iterations)
{
    struct sim_insn i = at(OP_IO);
    i.io_port = (uint16_t)port;
    i.io_bytes = (uint8_t)bytes;
    i.iterations_io = iterations;
    sim_instruction(sim, &i);
}

static void run_segment(uint32_t op, unsigned loads, unsigned cpl_after)
{
    struct sim_insn i = at(op);
    i.seg_loads = (uint8_t)loads;
    i.cpl_after = (uint8_t)cpl_after;
    sim_instruction(sim, &i);
}

static void run_code(uint64_t lin)
{
    struct sim_insn i = at(0);
    i.lin = i.phys = lin;
    sim_instruction(sim, &i);
}

static void run_breakpoint(unsigned k, uint32_t rw)
{
    uint64_t dr[4] = {~UINT64_C(0), ~UINT64_C(0), ~UINT64_C(0), ~UINT64_C(0)};
    dr[k] = rw ? WARM : CODE;
    sim_debug_registers(sim, dr, (rw | 0xC) << (16 + 4 * k));
    run_access(0, WARM, 4, SIM_READ);
}

static void run_nop(void) { run_insn(at(0)); }
static void run_read(void) { run_access(0, WARM, 4, SIM_READ); }
static void run_write(void) { run_access(0, WARM, 4, SIM_WRITE); }
static void run_read_miss(void) { run_access(0, COLD, 4, SIM_READ); }
static void run_write_miss(void) { run_access(0, COLD, 4, SIM_WRITE); }
static void run_page(void) { run_access(0, WARM + 0x10000, 4, SIM_READ); }
static void run_misaligned(void) { run_access(0, WARM + 1, 4, SIM_RMW); }
static void run_lock(void) { run_access(OP_LOCK, WARM, 4, SIM_RMW); }
static void run_split_lock(void) { run_access(OP_LOCK, WARM + 3, 4, SIM_RMW); }
static void run_wbinvd(void)
{
    sim_cache_flush(sim, true);
    run_insn(at(OP_SERIALIZE));
}
static void run_block(void) { run_code(0x1010); }
static void run_line(void) { run_code(0x1020); }
static void run_far_code(void) { run_code(0x30000); }
static void run_mov_ds(void) { run_segment(0, 1, 0); }
static void run_far_jump(void) { run_segment(OP_BRANCH | OP_TAKEN | OP_FAR, 1, 0); }
static void run_iret(void) { run_segment(OP_BRANCH | OP_TAKEN | OP_FAR | OP_SERIALIZE, 1, 3); }
static void run_int(void) { run_segment(OP_BRANCH | OP_TAKEN | OP_FAR | OP_SOFTINT, 1, 0); }
static void run_into(void) { run_insn(at(OP_BRANCH | OP_COND | OP_FAR | OP_SOFTINT)); }
static void run_jcc(void) { run_insn(at(OP_BRANCH | OP_COND)); }
static void run_jmp(void) { run_insn(at(OP_BRANCH | OP_TAKEN)); }
static void run_jmp_twice(void)
{
    run_jmp();
    run_jmp();
}
static void run_taken_then_not(void)
{
    run_jmp();
    run_jcc();
}
static void run_call_ret(void)
{
    branch_at(CODE, 4, OP_TAKEN | OP_CALL, 0x1009);
    branch_at(0x1009, 1, OP_TAKEN | OP_RET | OP_INDIRECT, 0x1008);
    branch_at(CODE, 4, OP_TAKEN | OP_CALL, 0x1009);
    branch_at(0x1009, 1, OP_TAKEN | OP_RET | OP_INDIRECT, 0x1008);
}
static void run_cpuid(void) { run_insn(at(OP_SERIALIZE)); }
static void run_verr(void) { run_insn(at(OP_VERR)); }
static void run_in(void) { run_io(0x60, 1, 1); }
static void run_misaligned_in(void) { run_io(0x61, 4, 1); }
static void run_rep_insw(void) { run_io(0x1F0, 2, 256); }
static void run_fadd(void) { run_insn(at(OP_X87 | OP_FLOP)); }
static void run_fdiv(void) { run_insn(at(OP_X87 | OP_FLOP | OP_FDIV)); }
static void run_fcom(void) { run_insn(at(OP_X87 | OP_FCOM)); }
static void run_imul(void) { run_insn(at(OP_IMUL)); }
static void run_idiv(void) { run_insn(at(OP_IDIV)); }
static void run_dr0(void) { run_breakpoint(0, 0); }
static void run_dr1(void) { run_breakpoint(1, 3); }
static void run_dr2(void) { run_breakpoint(2, 3); }
static void run_dr3(void) { run_breakpoint(3, 3); }
static void run_intr(void) { sim_interrupt(sim, 32, false, 0); }
static void run_nmi(void) { sim_interrupt(sim, 2, true, 0); }
static void run_fault(void) { sim_exception(sim, 14, 0); }
static void run_stray(void)
{
    struct sim_access a = mem(WARM, 4, SIM_WRITE);
    sim_stray_access(sim, &a, 0);
}
static void run_ticks(void) { sim_ticks(sim, 12, false, 0); }
static void run_halt(void) { sim_ticks(sim, 34, true, 0); }
static void run_emms(void) { run_insn(at(OP_EMMS)); }
static void run_mmx_fp(void)
{
    run_insn(at(OP_MMX));
    run_insn(at(OP_MMX));
    run_emms();
    run_insn(at(OP_X87));
    run_insn(at(OP_X87));
    run_insn(at(OP_MMX));
}
static void run_mmx_read(void) { run_access(OP_MMX, WARM, 8, SIM_READ); }
static void run_mmx_read_miss(void) { run_access(OP_MMX, COLD, 8, SIM_READ); }
static void run_mmx_write(void) { run_access(OP_MMX, WARM, 8, SIM_WRITE); }
static void run_mmx_write_miss(void) { run_access(OP_MMX, COLD, 8, SIM_WRITE); }
static void run_mmx_misaligned(void) { run_access(OP_MMX, WARM + 4, 8, SIM_READ); }

#define INSN(n)                    \
    {                              \
        "INSTRUCTIONS_EXECUTED", n \
    }
#define RD(n) \
    {"DATA_READ", n}, { "DATA_READ_OR_WRITE", n }
#define WR(n) \
    {"DATA_WRITE", n}, { "DATA_READ_OR_WRITE", n }
#define RDWR(n) \
    {"DATA_READ", n}, {"DATA_WRITE", n}, { "DATA_READ_OR_WRITE", 2 * (n) }
#define RD_MISS(n) \
    {"DATA_READ_MISS", n}, { "DATA_READ_MISS_OR_WRITE_MISS", n }
#define WR_MISS(n) \
    {"DATA_WRITE_MISS", n}, { "DATA_READ_MISS_OR_WRITE_MISS", n }
#define WR_HIT(n)                            \
    {                                        \
        "WRITE_HIT_TO_M_OR_E_STATE_LINES", n \
    }
#define MIS(n)                                       \
    {                                                \
        "MISALIGNED_DATA_MEMORY_OR_IO_REFERENCES", n \
    }
#define READS(n)       \
    {                  \
        "CODE_READ", n \
    }
#define SEG(n)                           \
    {                                    \
        "ANY_SEGMENT_REGISTER_LOADED", n \
    }
#define BR(n)         \
    {                 \
        "BRANCHES", n \
    }
#define HIT(n)        \
    {                 \
        "BTB_HITS", n \
    }
#define TOH(n)                       \
    {                                \
        "TAKEN_BRANCH_OR_BTB_HIT", n \
    }
#define FLUSH(n)              \
    {                         \
        "PIPELINE_FLUSHES", n \
    }
#define MISPRED(n)                                            \
    {                                                         \
        "PIPELINE_FLUSHES_DUE_TO_WRONG_BRANCH_PREDICTIONS", n \
    }
#define TAKEN(n)            \
    {                       \
        "TAKEN_BRANCHES", n \
    }

// clang-format off: one fact a row
static const struct {
    const char *what;
    void (*run)(void);
    struct expected expected[12]; /* all others: 0; the P55C's names do not matter on the P5 */
} facts[] = {
    {"nop", run_nop, {INSN(1)}},
    {"read", run_read, {INSN(1), RD(1)}},
    {"write", run_write, {INSN(1), WR(1), WR_HIT(1)}},
    {"read miss", run_read_miss, {INSN(1), RD(1), RD_MISS(1)}},
    {"write miss", run_write_miss, {INSN(1), WR(1), WR_MISS(1)}},
    {"read of a new page", run_page, {INSN(1), RD(1), RD_MISS(1), {"DATA_TLB_MISS", 1}}},
    {"misaligned RMW", run_misaligned, {INSN(1), RDWR(2), WR_HIT(2), MIS(2)}},
    {"uncached write",
     run_uncached_write,
     {INSN(1), WR(1), WR_MISS(1), {"WRITES_TO_NONCACHEABLE_MEMORY", 1}}},
    {"lock", run_lock, {INSN(1), RDWR(1), WR_HIT(1), {"LOCKED_BUS_CYCLE", 1}}},
    {"split lock", run_split_lock, {INSN(1), RDWR(2), WR_HIT(2), MIS(2), {"LOCKED_BUS_CYCLE", 2}}},
    {"wbinvd",
     run_wbinvd,
     {INSN(1), BR(1), TOH(1), {"DATA_CACHE_LINES_WRITTEN_BACK", 1}, READS(1), {"CODE_CACHE_MISS", 1}}},
    {"next block", run_block, {INSN(1), READS(1)}},
    {"next line", run_line, {INSN(1), READS(1), {"CODE_CACHE_MISS", 1}}},
    {"next page", run_far_code, {INSN(1), READS(1), {"CODE_CACHE_MISS", 1}, {"CODE_TLB_MISS", 1}}},
    {"mov ds", run_mov_ds, {INSN(1), SEG(1)}},
    {"far jump", run_far_jump, {INSN(1), SEG(1), BR(1), TOH(1), FLUSH(1), MISPRED(1), TAKEN(1)}},
    {"iret", run_iret, {INSN(1), SEG(2), BR(1), TOH(1), TAKEN(1)}},
    {"int n", run_int, {INSN(1), SEG(1), BR(1), TOH(1), TAKEN(1)}},
    {"into", run_into, {INSN(1), BR(1)}},
    {"not taken", run_jcc, {INSN(1), BR(1)}},
    {"jump", run_jmp, {INSN(1), BR(1), TOH(1), FLUSH(1), MISPRED(1), TAKEN(1)}},
    {"jump twice", run_jmp_twice, {INSN(2), BR(2), HIT(1), TOH(2), FLUSH(1), MISPRED(1), TAKEN(2), READS(1)}},
    {"taken, then not",
     run_taken_then_not,
     {INSN(2),
      BR(2),
      TOH(2),
      FLUSH(2),
      MISPRED(2),
      TAKEN(1),
      READS(1),
      {"BTB_MISS_PREDICTION_ON_NOT_TAKEN_BRANCH", 1}}},
    {"two calls",
     run_call_ret,
     {INSN(4),
      BR(4),
      HIT(2),
      TOH(4),
      FLUSH(2),
      MISPRED(2),
      TAKEN(4),
      READS(3),
      {"RETURNS", 2},
      {"PREDICTED_RETURNS", 1},
      {"MISPREDICTED_OR_UNPREDICTED_RETURNS", 1}}},
    {"cpuid", run_cpuid, {INSN(1), BR(1), TOH(1)}},
    {"verr", run_verr, {INSN(1), BR(1), TOH(1)}},
    {"in", run_in, {INSN(1), {"IO_READ_OR_WRITE_CYCLE", 1}}},
    {"misaligned in", run_misaligned_in, {INSN(1), MIS(1), {"IO_READ_OR_WRITE_CYCLE", 2}}},
    {"rep insw", run_rep_insw, {INSN(1), {"IO_READ_OR_WRITE_CYCLE", 256}}},
    {"fadd", run_fadd, {INSN(1), {"FLOPS", 1}}},
    {"fdiv", run_fdiv, {INSN(1), {"FLOPS", 1}}},
    {"fcom", run_fcom, {INSN(1)}},
    {"imul", run_imul, {INSN(1), {"FLOPS", 1}}},
    {"idiv", run_idiv, {INSN(1)}},
    {"dr0", run_dr0, {INSN(1), RD(1), {"BREAKPOINT_MATCH_ON_DR0_REGISTER", 1}}},
    {"dr1", run_dr1, {INSN(1), RD(1), {"BREAKPOINT_MATCH_ON_DR1_REGISTER", 1}}},
    {"dr2", run_dr2, {INSN(1), RD(1), {"BREAKPOINT_MATCH_ON_DR2_REGISTER", 1}}},
    {"dr3", run_dr3, {INSN(1), RD(1), {"BREAKPOINT_MATCH_ON_DR3_REGISTER", 1}}},
    {"intr", run_intr, {INSN(1), BR(1), TOH(1), FLUSH(1), SEG(1), {"HARDWARE_INTERRUPTS", 1}}},
    {"nmi", run_nmi, {INSN(1), BR(1), TOH(1), FLUSH(1), SEG(1), {"HARDWARE_INTERRUPTS", 1}}},
    {"fault", run_fault, {INSN(1), BR(1), TOH(1), FLUSH(1), SEG(1)}},
    {"stray write", run_stray, {WR(1), WR_HIT(1)}},
    {"ticks", run_ticks, {{"CLOCKS", 12}, {"NUMBER_OF_CYCLES_NOT_IN_HALT_STATE", 12}}},
    {"halt", run_halt, {{"CLOCKS", 34}}},
    {"emms", run_emms, {INSN(1), {"EMMS_INSTRUCTIONS_EXECUTED", 1}}},
    {"mmx and fp",
     run_mmx_fp,
     {INSN(6), {"EMMS_INSTRUCTIONS_EXECUTED", 1}, {"TRANSITIONS_BETWEEN_MMX_AND_FP_INSTRUCTIONS", 2}}},
    {"mmx read", run_mmx_read, {INSN(1), RD(1), {"MMX_INSTRUCTION_DATA_READS", 1}}},
    {"mmx read miss",
     run_mmx_read_miss,
     {INSN(1),
      RD(1),
      RD_MISS(1),
      {"MMX_INSTRUCTION_DATA_READS", 1},
      {"MMX_INSTRUCTION_DATA_READ_MISSES", 1}}},
    {"mmx write", run_mmx_write, {INSN(1), WR(1), WR_HIT(1), {"MMX_INSTRUCTION_DATA_WRITES", 1}}},
    {"mmx write miss",
     run_mmx_write_miss,
     {INSN(1),
      WR(1),
      WR_MISS(1),
      {"MMX_INSTRUCTION_DATA_WRITES", 1},
      {"MMX_INSTRUCTION_DATA_WRITE_MISSES", 1}}},
    {"mmx misaligned",
     run_mmx_misaligned,
     {INSN(1),
      RD(2),
      MIS(1),
      {"MMX_INSTRUCTION_DATA_READS", 2},
      {"MISALIGNED_DATA_MEMORY_REFERENCE_ON_MMX_INSTRUCTIONS", 1}}},
};
// clang-format on
#define N_FACTS (sizeof facts / sizeof *facts)

static unsigned expected_of(unsigned fact, const char *name)
{
    for (unsigned k = 0; k < 12 && facts[fact].expected[k].name; k++) {
        if (strcmp(facts[fact].expected[k].name, name) == 0) return facts[fact].expected[k].n;
    }
    return 0;
}

/* The code of CODE's block and the line WARM are where the macros say; WARM+64 is modified for WBINVD. */
static void warm_up(const char *model)
{
    given(model, NULL);
    count(0, 0);
    run_code(0x1000);
    run_read();
    data(WARM + 64, 4, SIM_RMW);
    run_code(0x1002);
}

static json_t *line;

static void keep(void *ctx, const char *text)
{
    (void)ctx;
    line = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(line);
}

static void test_events(void **state)
{
    (void)state;
    static const char *const models[] = {"p5", "p55c"};
    static bool moved[256];
    for (unsigned m = 0; m < 2; m++) {
        for (unsigned f = 0; f < N_FACTS; f++) {
            warm_up(models[m]);
            const struct sim_family *family = sim->family;
            assert_true(family->n_events < 256);
            /* The oracle, all at once. */
            sim_oracle_begin(sim, facts[f].what);
            facts[f].run();
            sim_oracle_end(sim, keep, NULL, NULL);
            json_t *events = json_object_get(line, "events");
            for (unsigned e = 0; e < family->n_events; e++) {
                const struct sim_event *v = &family->events[e];
                assert_non_null(v->name);
                json_t *value = json_object_get(events, v->name);
                bool here = !v->models || (v->models & 1 << m);
                assert_int_equal(value != NULL, here && v->terms[0] != 0);
                if (!value) continue;
                unsigned n = expected_of(f, v->name);
                if (json_integer_value(json_object_get(value, "k")) != n) {
                    fail_msg("%s, %s: oracle %s %d, expected %u", models[m], facts[f].what, v->name,
                             (int)json_integer_value(json_object_get(value, "k")), n);
                }
                assert_int_equal(json_integer_value(json_object_get(value, "u")), 0);
                moved[e] |= n != 0;
            }
            json_decref(line);
            /* The counters, one event at a time, on each counter that has it. */
            for (unsigned e = 0; e < family->n_events; e++) {
                for (unsigned k = 0; k < 2; k++) {
                    const struct sim_event *v = &family->events[e];
                    bool fits = (!v->counters || v->counters & 1 << k) && (!v->models || v->models & 1 << m);
                    if (!fits) continue;
                    warm_up(models[m]);
                    sim_wrmsr(sim, CESR, 0);
                    sim_wrmsr(sim, CTR0 + k, 0);
                    uint32_t half = v->code == 0x100 ? ANY_CPL | CLOCKS : ANY_CPL | v->code;
                    assert_int_equal(sim_wrmsr(sim, CESR, half << (16 * k)), 1);
                    facts[f].run();
                    if (msr(CTR0 + k) != expected_of(f, v->name)) {
                        fail_msg("%s, %s: counter %u %s %d", models[m], facts[f].what, k, v->name,
                                 (int)msr(CTR0 + k));
                    }
                }
            }
        }
    }
    warm_up("p55c");
    for (unsigned e = 0; e < sim->family->n_events; e++) {
        if (sim->family->events[e].terms[0] && !moved[e])
            fail_msg("nothing moves %s", sim->family->events[e].name);
    }
}

/* What is not modelled is named by the oracle and does not count; so is what the model or the counter has
 * not. */
static void test_unmodelled(void **state)
{
    (void)state;
    static const char *const models[] = {"p5", "p55c"};
    unsigned named[2] = {0, 0};
    for (unsigned m = 0; m < 2; m++) {
        for (unsigned es = 0; es < 64; es++) {
            for (unsigned k = 0; k < 2; k++) {
                const char *expected = "RESERVED";
                given(models[m], NULL);
                for (unsigned e = 0; e < sim->family->n_events; e++) {
                    const struct sim_event *v = &sim->family->events[e];
                    bool fits = (!v->counters || v->counters & 1 << k) && (!v->models || v->models & 1 << m);
                    if (v->code == es && fits) expected = v->terms[0] ? NULL : v->name;
                }
                sim_oracle_begin(sim, "");
                sim_wrmsr(sim, CESR, (ANY_CPL | es) << (16 * k));
                for (unsigned f = 0; expected && f < N_FACTS; f++) facts[f].run();
                if (expected) assert_int_equal(msr(CTR0 + k), 0);
                sim_oracle_end(sim, keep, NULL, NULL);
                json_t *list = json_object_get(line, "unmodelled");
                assert_int_equal(json_array_size(list), expected != NULL);
                if (expected) assert_string_equal(json_string_value(json_array_get(list, 0)), expected);
                named[m] += expected != NULL;
                json_decref(line);
            }
        }
    }
    /* Of 64 event selects on two counters. P5: 38 events, 11 of them not modelled. P55C: and 35, of which 18
     * are not. */
    assert_int_equal(named[0], 2 * (64 - 38 + 11));
    assert_int_equal(named[1], 2 * (64 - 38 + 11) - 15);
}

/* The same random stream each time, at every level; returns what the counter made of it, and the oracle's
 * event. */
static uint64_t random_stream(const char *model, const struct sim_event *v, unsigned levels, uint64_t *oracle)
{
    unsigned k = v->counters == 2 ? 1 : 0;
    given(model, NULL);
    sim_oracle_begin(sim, "");
    sim_wrmsr(sim, CESR, (v->code | levels << 6) << (16 * k)); /* CLOCKS' code is CC bit 2 */
    srand(7);
    for (unsigned n = 0; n < 500; n++) {
        struct sim_insn i = at((uint32_t)rand() & 0x7FFFFFF);
        i.lin = i.phys = 0x1000 + (unsigned)rand() % 0x4000;
        i.target = 0x1000 + (unsigned)rand() % 8;
        i.cpl = (uint8_t)(rand() & 3);
        i.n_access = (uint8_t)(rand() % 4);
        i.io_bytes = 1;
        i.iterations_io = 1;
        for (unsigned j = 0; j < i.n_access; j++) {
            unsigned bytes = 1u << rand() % 4, kind = 1 + (unsigned)rand() % 3;
            i.access[j] = mem(0x8000 + (unsigned)rand() % 0x8000, bytes, kind);
        }
        sim_instruction(sim, &i);
        unsigned cycles = (unsigned)rand() % 3, halted = (unsigned)rand() & 1;
        sim_ticks(sim, cycles, halted, (unsigned)rand() & 3);
    }
    uint64_t value = msr(CTR0 + k);
    sim_oracle_end(sim, keep, NULL, NULL);
    json_t *e = json_object_get(json_object_get(line, "events"), v->name);
    *oracle =
        (uint64_t)(json_integer_value(json_object_get(e, "k")) + json_integer_value(json_object_get(e, "u")));
    json_decref(line);
    return value;
}

static void test_agreement(void **state)
{
    (void)state;
    static const char *const models[] = {"p5", "p55c"};
    for (unsigned m = 0; m < 2; m++) {
        given(models[m], NULL);
        const struct sim_family *family = sim->family;
        for (unsigned e = 0; e < family->n_events; e++) {
            const struct sim_event *v = &family->events[e];
            uint64_t oracle;
            if ((v->models && !(v->models & 1 << m)) || !v->terms[0]) continue;
            uint64_t kernel = random_stream(models[m], v, 1, &oracle);
            uint64_t user = random_stream(models[m], v, 2, &oracle);
            assert_int_equal(kernel + user, oracle);
            assert_int_equal(random_stream(models[m], v, 3, &oracle), oracle);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_events),
        cmocka_unit_test(test_unmodelled),
        cmocka_unit_test(test_agreement),
    };
    return cmocka_run_group_tests(tests, NULL, teardown);
}
