/* Each event of the processors with architectural performance monitoring against the facts that must move it,
 * in the oracle and on counters: these and no others. */
#include "sim/arch.h"
#include "tests/unit/arch_facts.h"
#include "tests/unit/oracle_json.h"
#include <stdlib.h>
#include <string.h>

enum { ANY, ONLY_L3, ONLY_UNIFIED, ONLY_INCLUSIVE };

#define I(n)     "INSTRUCTION_RETIRED=" #n ","
#define BRANCH   "BRANCH_INSTRUCTIONS_RETIRED=1,BR_INST_RETIRED:ALL_BRANCHES=1,"
#define NEAR     BRANCH "BR_INST_RETIRED:NEAR_TAKEN=1,BR_INST_RETIRED:TAKEN=1,"
#define COND     "BR_INST_RETIRED:CONDITIONAL=1,BR_INST_RETIRED:COND=1,"
#define LOADS(n) "INST_RETIRED:LOADS=" #n ",MEM_INST_RETIRED:ALL_LOADS=" #n ","
#define STORES(n) \
    "INST_RETIRED:STORES=" #n ",MEM_INST_RETIRED:ALL_STORES=" #n ",MEM_TRANS_RETIRED:PRECISE_STORE=" #n ","
#define L1_HIT(n) "MEM_LOAD_RETIRED:L1_HIT=" #n ","
#define L1_MISS   "MEM_LOAD_RETIRED:L1_MISS=1,MEM_LOAD_RETIRED:L1D_MISS=1,"
#define L2_MISS   "MEM_LOAD_RETIRED:L2_MISS=1,"
#define FILL(n)   "L1D_REPL=" #n ",L1D:REPLACEMENT=" #n ","
#define LLC(r, m) "LLC_REFERENCES=" #r ",LLC_MISSES=" #m ","
#define MEMORY    L1_MISS L2_MISS "MEM_LOAD_RETIRED:L3_MISS=1,"
#define CLOCKS(n) "UNHALTED_CORE_CYCLES=" #n ",UNHALTED_REFERENCE_CYCLES=" #n ","

static const struct row {
    const char *what;
    unsigned where;
    void (*before)(void), (*run)(void);
    const char *wanted; /* names that the model lacks are not looked at; what is not named is 0 */
} rows[] = {
    {"nothing", ANY, prepare, run_nop, I(1)},
    {"ticks", ANY, prepare, run_tick, CLOCKS(3)},
    {"halt", ANY, prepare, run_halt, CLOCKS(2)},
    {"jcc", ANY, prepare, run_jcc,
     I(1) BRANCH COND "BR_INST_RETIRED:NOT_TAKEN=1,BR_INST_RETIRED:COND_NTAKEN=1,"},
    {"jcc taken", ANY, prepare, run_jcc_taken, I(1) NEAR COND "BR_INST_RETIRED:COND_TAKEN=1,"},
    {"jmp", ANY, prepare, run_jmp, I(1) NEAR},
    {"call", ANY, prepare, run_call, I(1) NEAR "BR_INST_RETIRED:NEAR_CALL=1," STORES(1)},
    {"ret", ANY, prepare, run_ret, I(1) NEAR "BR_INST_RETIRED:NEAR_RETURN=1," LOADS(1) L1_HIT(1)},
    {"far", ANY, prepare, run_far, I(1) BRANCH "BR_INST_RETIRED:FAR_BRANCH=1,BR_INST_RETIRED:TAKEN=1,"},
    {"iret", ANY, prepare, run_iret, I(1) BRANCH "BR_INST_RETIRED:FAR_BRANCH=1,BR_INST_RETIRED:TAKEN=1,"},
    {"interrupt", ANY, prepare, run_interrupt, "HW_INT_RCV=1,HW_INTERRUPTS:RECEIVED=1,"},
    {"nmi", ANY, prepare, run_nmi, "HW_INT_RCV=1,HW_INTERRUPTS:RECEIVED=1,"},
    {"exception", ANY, prepare, run_exception, ""},
    {"sse", ANY, prepare, run_sse, I(1) "SIMD_INST_RETIRED:ANY=1,"},
    {"x87", ANY, prepare, run_x87, I(1)},
    {"mmx", ANY, prepare, run_mmx, I(1)},
    {"read", ANY, prepare, run_read, I(1) LOADS(1) L1_HIT(1)},
    {"write", ANY, prepare, run_write, I(1) STORES(1)},
    {"write to E", ANY, prepare, run_write_clean, I(1) STORES(1)},
    {"rmw", ANY, prepare, run_rmw, I(1) LOADS(1) STORES(1) L1_HIT(1)},
    {"whole line", ANY, prepare, run_read_warm_again, I(1) LOADS(1) L1_HIT(1)},
    {"read from memory", ANY, prepare, run_read_cold, I(1) LOADS(1) FILL(1) LLC(1, 1) MEMORY},
    {"write to memory", ANY, prepare, run_write_cold, I(1) STORES(1) FILL(1) LLC(1, 1)},
    {"rmw of memory", ANY, prepare, run_rmw_cold, I(1) LOADS(1) STORES(1) FILL(1) LLC(1, 1) MEMORY},
    {"read from L2", ONLY_L3, prepare_l2, run_read_cold,
     I(1) LOADS(1) FILL(1) L1_MISS "MEM_LOAD_RETIRED:L2_HIT=1,"},
    {"read from last L2", ONLY_UNIFIED, prepare_l2, run_read_cold, I(1) LOADS(1) FILL(1) LLC(1, 0) L1_MISS},
    {"read from L3", ONLY_L3, prepare_l3, run_read_cold,
     I(1) LOADS(1) FILL(1) LLC(1, 0) L1_MISS L2_MISS "MEM_LOAD_RETIRED:L3_HIT=1,"},
    {"modified in L3", ONLY_L3, prepare_l3_modified, run_read_cold,
     I(1) LOADS(1) FILL(1) LLC(1, 0) L1_MISS L2_MISS "MEM_LOAD_RETIRED:L3_HIT=1,"},
    {"out of all", ONLY_INCLUSIVE, prepare_inclusion, run_read_cold, I(1) LOADS(1) FILL(1) LLC(1, 1) MEMORY},
    {"out of L2 as well", ONLY_INCLUSIVE, prepare_inclusion_of_l2, run_read_cold,
     I(1) LOADS(1) FILL(1) LLC(1, 1) MEMORY},
    {"written back", ONLY_L3, prepare_written_back, run_read_cold,
     I(1) LOADS(1) FILL(1) L1_MISS "MEM_LOAD_RETIRED:L2_HIT=1,"},
    {"flushed", ANY, prepare_flushed, run_read, I(1) LOADS(1) FILL(1) LLC(1, 1) MEMORY},
    {"split", ANY, prepare, run_split, I(1) LOADS(1) L1_HIT(1)},
    {"half cold", ANY, prepare, run_split_cold, I(1) LOADS(1) FILL(1) LLC(1, 1) L1_HIT(1) MEMORY},
    {"two loads", ANY, prepare, run_two_loads, I(1) LOADS(1) FILL(1) LLC(1, 1) L1_HIT(1) MEMORY},
    {"uncached", ANY, prepare, run_uncached, I(1) LOADS(1)},
    {"page crossing", ANY, prepare, run_page_crossing, I(2) LOADS(1) STORES(1) FILL(1) LLC(1, 1) L1_HIT(1)},
    {"code", ANY, prepare, run_code, I(1) LLC(1, 1) "L1I_MISSES=1,"},
    {"code crossing", ANY, prepare, run_code_crossing, I(1) LLC(1, 1) "L1I_MISSES=1,"},
    {"code that is data", ONLY_L3, prepare, run_code_page_crossing, I(1) LLC(1, 1)},
    {"code that is data", ONLY_UNIFIED, prepare, run_code_page_crossing, I(1) LLC(2, 1) "L1I_MISSES=2,"},
    {"rep", ANY, prepare, run_rep, I(1) LOADS(1) STORES(1) L1_HIT(1)},
    {"broken off", ANY, prepare, run_rep_broken_off, I(1) "HW_INT_RCV=1,HW_INTERRUPTS:RECEIVED=1,"},
    {"stray", ANY, prepare, run_stray, I(1)},
    {"flushes of the TLB", ANY, prepare, run_flushes, I(1)},
};
#define ROWS (sizeof rows / sizeof *rows)

/* The events from this one on have a test of their own (test_sim_arch_memory.c). */
static bool here(const char *name)
{
    for (const struct sim_event *e = arch_events; e < arch_events + ARCH_EVENTS; e++) {
        if (strcmp(e->name, "L1D_CACHE_LD:MESI") == 0) return false;
        if (strcmp(e->name, name) == 0) return true;
    }
    return false;
}

static uint64_t wanted(const struct row *r, const char *name)
{
    const size_t len = strlen(name);
    for (const char *p = r->wanted; *p; p = strchr(p, ',') + 1)
        if (strncmp(p, name, len) == 0 && p[len] == '=') return strtoull(p + len + 1, NULL, 10);
    return 0;
}

/* Every name in the table is an event of some model. */
TEST(test_names)
{
    for (size_t r = 0; r < ROWS; r++) {
        for (const char *p = rows[r].wanted; *p; p = strchr(p, ',') + 1) {
            bool known = false;
            for (unsigned e = 0; e < ARCH_EVENTS; e++) {
                const size_t len = strlen(arch_events[e].name);
                known |= strncmp(p, arch_events[e].name, len) == 0 && p[len] == '=';
            }
            if (!known) fail_msg("%s: %s", rows[r].what, p);
        }
    }
}

static bool has_l3(void) { return ((struct arch *)sim->state)->traits->l3_kind != L3_NONE; }

static bool applies(const struct row *r)
{
    const enum arch_l3 kind = ((struct arch *)sim->state)->traits->l3_kind;
    return r->where == ANY ||
           (r->where == ONLY_INCLUSIVE ? kind == L3_INCLUSIVE : has_l3() == (r->where == ONLY_L3));
}

/* The processor before a row: facts are wanted, nothing counts. */
static bool given(const char *model, const struct row *r)
{
    sim_free(sim);
    sim = sim_new(model, NULL, NULL);
    assert_non_null(sim);
    if (!applies(r)) return false;
    wr(sim, 0x186, 0x4300c0);
    run_op(0);
    r->before();
    wr(sim, 0x186, 0);
    wr(sim, 0xc1, 0);
    return true;
}

static void by_oracle(const struct row *r)
{
    sim_oracle_begin(sim, r->what);
    r->run();
    json_t *root = oracle_line(sim);
    const char *name;
    json_t *event;
    json_object_foreach(json_object_get(root, "events"), name, event)
    {
        const uint64_t n = wanted(r, name), k = (uint64_t)json_integer_value(json_object_get(event, "k")),
                       u = (uint64_t)json_integer_value(json_object_get(event, "u"));
        if (!here(name)) continue;
        if (k != (cpl ? 0 : n) || u != (cpl ? n : 0))
            fail_msg("%s, %s at CPL %u: %s is %llu + %llu, not %llu", sim->model->name, r->what, cpl, name,
                     (unsigned long long)k, (unsigned long long)u, (unsigned long long)n);
    }
    json_decref(root);
}

/* As many at a time as there are counters, beginning at another counter for each row. */
static void by_counter(const char *model, const struct row *r, unsigned turn)
{
    unsigned next = 0;
    while (next < ARCH_EVENTS) {
        const struct sim_event *on[ARCH_GENERAL] = {NULL};
        unsigned general, n = 0;
        given(model, r);
        general = LEAF_A_GENERAL(((struct arch *)sim->state)->traits);
        for (; next < ARCH_EVENTS && n < general; next++) {
            const struct sim_event *e = &arch_events[next];
            if (!here(e->name) || !sim_event_modelled(sim, e) || !sim_event_fits(e, 0, sim->model_bit))
                continue;
            const unsigned c = (turn + n++) % general;
            on[c] = e;
            wr(sim, 0x186 + c, 0x430000 | e->code);
        }
        r->run();
        for (unsigned c = 0; c < general; c++)
            if (on[c] &&
                rd(sim, 0xc1 + c) != (arch_counter_takes(sim, c, on[c]->code) ? wanted(r, on[c]->name) : 0))
                fail_msg("%s, %s at CPL %u: counter %u has %llu %s", model, r->what, cpl, c,
                         (unsigned long long)rd(sim, 0xc1 + c), on[c]->name);
    }
}

static void test_model(const char *model)
{
    for (size_t r = 0; r < ROWS; r++) {
        for (cpl = 0; cpl <= 3; cpl += 3) {
            if (!given(model, &rows[r])) continue;
            by_oracle(&rows[r]);
            by_counter(model, &rows[r], (unsigned)r);
        }
    }
    sim_free(sim);
    sim = NULL;
}

TEST(test_coreduo) { test_model("coreduo"); }
TEST(test_core2) { test_model("core2"); }
TEST(test_sandybridge) { test_model("sandybridge"); }
TEST(test_haswell) { test_model("haswell"); }
TEST(test_skylake) { test_model("skylake"); }
TEST(test_icelake) { test_model("icelake"); }
TEST(test_tigerlake) { test_model("tigerlake"); }
