/* Each event of the P5 and P55C against the facts that must move it, in the oracle and on each counter: these
 * and no others. */
#include "tests/unit/oracle_json.h"
#include "tests/unit/p5_facts.h"
#include <string.h>

struct expected {
    const char *name;
    unsigned n;
};

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
    {"uncached read", run_uncached, {INSN(1), RD(1), RD_MISS(1), {"NONCACHEABLE_MEMORY_READS", 1}}},
    {"uncached read of 8 bytes",
     run_uncached_8,
     {INSN(1), RD(1), RD_MISS(1), {"NONCACHEABLE_MEMORY_READS", 1}}},
    {"misaligned uncached read",
     run_uncached_misaligned,
     {INSN(1), RD(2), RD_MISS(1), MIS(1), {"NONCACHEABLE_MEMORY_READS", 2}}},
    {"paddsb", run_paddsb, {INSN(1), {"SATURATING_MMX_INSTRUCTIONS_EXECUTED", 1}}},
    {"paddb", run_paddb, {INSN(1)}},
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

TEST(test_events)
{
    static bool moved[256];
    for (unsigned m = 0; model_at(m); m++) {
        for (unsigned f = 0; f < N_FACTS; f++) {
            warm_up(model_at(m));
            const struct sim_family *family = sim->family;
            assert_true(family->n_events < 256);
            /* The oracle, all at once. */
            sim_oracle_begin(sim, facts[f].what);
            facts[f].run();
            json_t *line = oracle_line(sim), *events = json_object_get(line, "events");
            for (unsigned e = 0; e < family->n_events; e++) {
                const struct sim_event *v = &family->events[e];
                assert_non_null(v->name);
                json_t *value = json_object_get(events, v->name);
                const unsigned models = v->models & ~(unsigned)SIM_SEVERAL;
                bool here = !models || (models & 1 << m);
                assert_int_equal(value != NULL, here && sim_event_modelled(sim, v));
                if (!value) continue;
                unsigned n = expected_of(f, v->name);
                if (json_integer_value(json_object_get(value, "k")) != n) {
                    fail_msg("%s, %s: oracle %s %d, expected %u", model_at(m), facts[f].what, v->name,
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
                    warm_up(model_at(m));
                    sim_wrmsr(sim, CESR, 0);
                    sim_wrmsr(sim, CTR0 + k, 0);
                    uint32_t half = v->code == 0x100 ? ANY_CPL | CLOCKS : ANY_CPL | v->code;
                    assert_int_equal(sim_wrmsr(sim, CESR, half << (16 * k)), 1);
                    facts[f].run();
                    if (msr(CTR0 + k) != expected_of(f, v->name)) {
                        fail_msg("%s, %s: counter %u %s %d", model_at(m), facts[f].what, k, v->name,
                                 (int)msr(CTR0 + k));
                    }
                }
            }
        }
    }
    warm_up("p55c");
    for (unsigned e = 0; e < sim->family->n_events; e++) {
        if (sim_event_modelled(sim, &sim->family->events[e]) && !moved[e])
            fail_msg("nothing moves %s", sim->family->events[e].name);
    }
}

/* What is not modelled is named by the oracle and does not count; so is what the model or the counter has
 * not. */
TEST(test_unmodelled)
{
    unsigned named[2] = {0, 0};
    for (unsigned m = 0; model_at(m); m++) {
        for (unsigned es = 0; es < 64; es++) {
            for (unsigned k = 0; k < 2; k++) {
                const char *expected = "RESERVED";
                given(model_at(m), NULL);
                for (unsigned e = 0; e < sim->family->n_events; e++) {
                    const struct sim_event *v = &sim->family->events[e];
                    bool fits = (!v->counters || v->counters & 1 << k) && (!v->models || v->models & 1 << m);
                    if (v->code == es && fits) expected = sim_event_modelled(sim, v) ? NULL : v->name;
                }
                sim_oracle_begin(sim, "");
                sim_wrmsr(sim, CESR, (ANY_CPL | es) << (16 * k));
                for (unsigned f = 0; expected && f < N_FACTS; f++) facts[f].run();
                if (expected) assert_int_equal(msr(CTR0 + k), 0);
                json_t *line = oracle_line(sim), *list = json_object_get(line, "unmodelled");
                assert_int_equal(json_array_size(list), expected != NULL);
                if (expected) assert_string_equal(json_string_value(json_array_get(list, 0)), expected);
                named[m] += expected != NULL;
                json_decref(line);
            }
        }
    }
    /* Of 64 event selects on two counters. P5: 38 events, 10 of them not modelled. P55C: and 35, of which 17
     * are not. */
    assert_int_equal(named[0], 2 * (64 - 38 + 10));
    assert_int_equal(named[1], 2 * (64 - 38 + 10) - 16);
}

AROUND_ALL(NULL, teardown);
