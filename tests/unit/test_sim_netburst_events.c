/* Each event of the NetBurst model against the facts that must move it, in the oracle and on a counter: these
 * and no others. */
#include "tests/unit/netburst_facts.h"

#define INSN \
    {"instr_retired:NBOGUSNTAG", 1}, {"instr_completed:NBOGUS", 1}, { "global_power_events:RUNNING", 1 }
#define UOPS(n)                  \
    {                            \
        "uops_retired:NBOGUS", n \
    }
#define TAKEN                         \
    {                                 \
        "branch_retired:MMTP+MMTM", 1 \
    }
#define TYPE(t)                     \
    {                               \
        "retired_branch_type:" t, 1 \
    }
#define LOAD              \
    {                     \
        "memory_loads", 1 \
    }
#define STORE              \
    {                      \
        "memory_stores", 1 \
    }
#define L1(n)                             \
    {                                     \
        "1stL_cache_load_miss_retired", n \
    }
#define L2(n)                             \
    {                                     \
        "2ndL_cache_load_miss_retired", n \
    }
#define BSQ(t, n)                           \
    {                                       \
        "BSQ_cache_reference:RD_2ndL_" t, n \
    }
#define WALKS2                     \
    {                              \
        "page_walk_type:DTMISS", 2 \
    }
#define WALK                       \
    {                              \
        "page_walk_type:DTMISS", 1 \
    }
#define LOAD_SPLIT \
    {"load_port_replay:SPLIT_LD", 1}, {"memory_complete:LSC", 1}, { "split_load_retired", 1 }

static const struct {
    const char *name;
    void (*run)(void);
    struct {
        const char *event;
        unsigned n;
    } want[14];
} rows[] = {
    {"nop", nop, {INSN, UOPS(1)}},
    {"HLT", halted, {{NULL, 0}}},
    {"read, hit", read_hit, {INSN, UOPS(2), LOAD}},
    {"write, hit", write_hit, {INSN, UOPS(2), STORE}},
    {"read-modify-write", rmw, {INSN, UOPS(3), LOAD, STORE}},
    {"read, miss", read_miss, {INSN, UOPS(2), LOAD, L1(1), L2(1), BSQ("MISS", 1)}},
    {"write, miss", write_miss, {INSN, UOPS(2), STORE, BSQ("MISS", 1)}},
    {"read, L2 has it exclusive", read_l2, {INSN, UOPS(2), LOAD, L1(1), BSQ("HITE", 1)}},
    {"read, L2 has it modified", read_l2_modified, {INSN, UOPS(2), LOAD, L1(1), BSQ("HITM", 1)}},
    {"read across lines, second misses",
     split_hit,
     {INSN, UOPS(2), LOAD, L1(1), L2(1), BSQ("MISS", 1), LOAD_SPLIT}},
    {"write across lines",
     split_store,
     {INSN,
      UOPS(2),
      STORE,
      BSQ("MISS", 1),
      {"store_port_replay:SPLIT_ST", 1},
      {"memory_complete:SSC", 1},
      {"split_store_retired", 1}}},
    {"read across lines, both miss: one μop",
     split_cold,
     {INSN, UOPS(2), LOAD, L1(1), L2(1), BSQ("MISS", 2), LOAD_SPLIT}},
    {"read, new page",
     page,
     {INSN,
      UOPS(2),
      LOAD,
      L1(1),
      L2(1),
      BSQ("MISS", 1),
      WALK,
      {"DTLB_load_miss_retired", 1},
      {"DTLB_all_miss_retired", 1}}},
    {"read-modify-write, new page",
     page_rmw,
     {INSN,
      UOPS(3),
      LOAD,
      STORE,
      L1(1),
      L2(1),
      BSQ("MISS", 1),
      WALK,
      {"DTLB_load_miss_retired", 1},
      {"DTLB_all_miss_retired", 1}}},
    {"read across pages",
     across_pages,
     {INSN,
      UOPS(2),
      LOAD,
      L1(1),
      L2(1),
      BSQ("MISS", 2),
      LOAD_SPLIT,
      WALKS2,
      {"DTLB_load_miss_retired", 1},
      {"DTLB_all_miss_retired", 1}}},
    {"locked, miss: no tags", locked_miss, {INSN, UOPS(3), BSQ("MISS", 1)}},
    {"uncached, across lines: no tags", uncached, {INSN, UOPS(2), {"load_port_replay:SPLIT_LD", 1}}},
    {"near return: no tags", ret, {INSN, UOPS(2), BSQ("MISS", 1), TAKEN, TYPE("RETURN"), TYPE("INDIRECT")}},
    {"nobody's access", stray, {BSQ("MISS", 1)}},
    {"deliveries", deliveries, {{NULL, 0}}},
    {"Jcc", jcc, {INSN, UOPS(1), {"branch_retired:MMNP+MMNM", 1}, TYPE("CONDITIONAL")}},
    {"Jcc, taken", jcc_taken, {INSN, UOPS(1), TAKEN, TYPE("CONDITIONAL")}},
    {"JMP", jmp, {INSN, UOPS(1), TAKEN, TYPE("UNCONDITIONAL")}},
    {"JMP indirect", jmp_indirect, {INSN, UOPS(1), TAKEN, TYPE("INDIRECT")}},
    {"CALL", call, {INSN, UOPS(2), STORE, TAKEN, TYPE("CALL")}},
    {"CALL indirect", call_indirect, {INSN, UOPS(2), STORE, TAKEN, TYPE("CALL"), TYPE("INDIRECT")}},
    {"far call", far, {INSN, UOPS(1)}},
    {"ADDPS", packed_sp, {INSN, UOPS(1), {"packed_SP_uop:ALL", 1}}},
    {"ADDPD", packed_dp, {INSN, UOPS(1), {"packed_DP_uop:ALL", 1}}},
    {"ADDSS", scalar_sp, {INSN, UOPS(1), {"scalar_SP_uop:ALL", 1}}},
    {"ADDSD", scalar_dp, {INSN, UOPS(1), {"scalar_DP_uop:ALL", 1}}},
    {"PADDD mm", mmx, {INSN, UOPS(1), {"64bit_MMX_uop:ALL", 1}}},
    {"PADDD xmm", mmx128, {INSN, UOPS(1), {"128bit_MMX_uop:ALL", 1}}},
    {"MOVAPS", sse_move, {INSN, UOPS(1)}},
    {"FADD", fadd, {INSN, UOPS(1), {"x87_FP_uop:ALL", 1}}},
    {"FCOM", fcom, {INSN, UOPS(1), {"x87_FP_uop:ALL", 1}}},
    {"FLD", fld, {INSN, UOPS(2), LOAD}},
    {"FADD, empty stack", empty_stack, {INSN, UOPS(1), {"x87_FP_uop:ALL", 1}, {"x87_assist:FPSU", 1}}},
    {"FLD1, full stack", full_stack, {INSN, UOPS(1), {"x87_assist:FPSO", 1}}},
    {"FMUL, overflow", too_large, {INSN, UOPS(1), {"x87_FP_uop:ALL", 1}, {"x87_assist:POAO", 1}}},
    {"FMUL, underflow", too_small, {INSN, UOPS(1), {"x87_FP_uop:ALL", 1}, {"x87_assist:POAU", 1}}},
    {"FMUL, denormal operand, underflow",
     denormals,
     {INSN, UOPS(1), {"x87_FP_uop:ALL", 1}, {"x87_assist:POAU", 1}, {"x87_assist:PREA", 1}}},
};
#define N_ROWS (sizeof rows / sizeof *rows)

static unsigned wanted(size_t row, const char *name)
{
    for (unsigned k = 0; k < 14 && rows[row].want[k].event; k++)
        if (strcmp(rows[row].want[k].event, name) == 0) return rows[row].want[k].n;
    return 0;
}

/* The caches as the rows expect them. An oracle makes the model look. */

TEST_WITH(test_oracle, NULL, teardown)
{
    for (unsigned m = 0; model_at(m); m++)
        for (size_t r = 0; r < N_ROWS; r++) {
            const char *name;
            json_t *value;
            given_warm(model_at(m));
            json_t *line = oracle_of(rows[r].run), *events = json_object_get(line, "events");
            json_object_foreach(events, name, value)
            {
                const unsigned k = (unsigned)json_integer_value(json_object_get(value, "k"));
                if (k != wanted(r, name))
                    fail_msg("%s, %s: %s is %u, not %u", model_at(m), rows[r].name, name, k, wanted(r, name));
                assert_int_equal(json_integer_value(json_object_get(value, "u")), 0);
            }
            /* And every name that a row wants is one that the oracle knows. */
            for (unsigned k = 0; k < 14 && rows[r].want[k].event; k++)
                if (m == 2 || strcmp(rows[r].want[k].event, "instr_completed:NBOGUS") != 0)
                    assert_non_null(json_object_get(events, rows[r].want[k].event));
            json_decref(line);
        }
}

TEST_WITH(test_counters, NULL, teardown)
{
    for (size_t r = 0; r < N_ROWS; r++)
        for (size_t e = 0; e < N_MODELLED; e++) {
            given_warm("prescott");
            program(&modelled[e]);
            rows[r].run();
            const uint64_t got = rd(COUNTER(modelled[e].block->counter));
            if (got != wanted(r, modelled[e].name))
                fail_msg("%s: %s counts %u", rows[r].name, modelled[e].name, (unsigned)got);
            json_t *line = oracle_of(nop);
            assert_int_equal(json_array_size(json_object_get(line, "unmodelled")), 0);
            json_decref(line);
        }
}

static void everything(void)
{
    for (size_t r = 0; r < N_ROWS; r++) rows[r].run();
}

TEST_WITH(test_unmodelled, NULL, teardown)
{
    for (size_t e = 0; e < sizeof unmodelled / sizeof *unmodelled; e++) {
        given_warm("northwood");
        program(&unmodelled[e]);
        json_t *line = oracle_of(everything), *names = json_object_get(line, "unmodelled");
        assert_int_equal(json_array_size(names), 1);
        assert_string_equal(json_string_value(json_array_get(names, 0)), unmodelled[e].name);
        assert_int_equal(rd(COUNTER(unmodelled[e].block->counter)), 0);
        json_decref(line);
    }
}

/* Mask by mask: what is modelled moves, and the rest is told. */
TEST_WITH(test_mixed_masks, NULL, teardown)
{
    given_warm("northwood");
    count(12, CRU_ESCR0, EVENT(0x02, 5) | BOTH, ESEL(4));
    count(14, CRU_ESCR3, EVENT(0x06, 7) | BOTH, ESEL(5));
    json_t *line = oracle_of(everything), *names = json_object_get(line, "unmodelled");
    assert_true(rd(COUNTER(12)) > 20);
    assert_int_equal(rd(COUNTER(14)), 1);
    assert_int_equal(json_array_size(names), 2);
    assert_string_equal(json_string_value(json_array_get(names, 0)), "instr_retired:BOGUSNTAG");
    assert_string_equal(json_string_value(json_array_get(names, 1)), "branch_retired:MMTP");
    json_decref(line);
}

/* A branch of two types counts once where both are selected. */
TEST_WITH(test_union_of_types, NULL, teardown)
{
    given_warm("northwood");
    count(4, 0x3c2, EVENT(0x04, 0x1e) | BOTH, ESEL(2));
    call_indirect();
    ret();
    jcc();
    jmp();
    assert_int_equal(rd(COUNTER(4)), 3);
}
