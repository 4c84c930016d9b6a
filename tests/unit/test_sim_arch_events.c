/* Each event of the processors with architectural performance monitoring against the facts that must move it,
 * in the oracle and on counters: these and no others. */
#include "sim/arch.h"
#include "tests/unit/unit.h"
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CODE 0x1004 /* in a line that has just been fetched */
#define WARM \
    0x105000 /* lines that are in the L1D: one exclusive, one modified, and the one before a page's end */
#define DIRTY         0x105040
#define EDGE          0x105fc0
#define COLD          0x106080 /* nowhere */
#define ELSEWHERE     0x309000 /* where the page behind EDGE's is, physically */
#define APART         0x10000  /* lines so far apart are of one set in the L1D and in the L2 */
#define UNIFIED_APART 0x40000  /* ... in an L2 of 4,096 sets */

static struct sim *sim;
static unsigned cpl;

static struct sim_access mem(uint64_t lin, unsigned bytes, unsigned kind)
{
    return (struct sim_access){
        .lin = lin, .phys = lin, .phys_high = ELSEWHERE, .bytes = (uint8_t)bytes, .kind = (uint8_t)kind};
}

static struct sim_insn at(uint32_t op)
{
    return (struct sim_insn){.lin = CODE,
                             .phys = CODE,
                             .len = 2,
                             .op = op,
                             .target = 0x1010,
                             .cpl = (uint8_t)cpl,
                             .cpl_after = (uint8_t)cpl};
}

static void run_op(uint32_t op)
{
    const struct sim_insn i = at(op);
    sim_instruction(sim, &i);
}

static void run_access(uint32_t op, uint64_t lin, unsigned bytes, unsigned kind)
{
    struct sim_insn i = at(op);
    i.access[i.n_access++] = mem(lin, bytes, kind);
    sim_instruction(sim, &i);
}

static bool has_l3(void) { return ((struct arch *)sim->state)->traits->l3_kind != L3_NONE; }

/* n other lines of its set push a line out. */
static void push_out(uint64_t lin, unsigned n, uint64_t apart)
{
    for (unsigned k = 1; k <= n; k++) run_access(0, lin + k * apart, 4, SIM_READ);
}

/* ---- preparations, which nobody counts ---- */

static void prepare(void)
{
    run_access(0, WARM, 4, SIM_READ);
    run_access(0, DIRTY, 4, SIM_WRITE);
    run_access(0, EDGE, 4, SIM_WRITE);
}
static void prepare_l2(void)
{
    run_access(0, COLD, 4, SIM_READ);
    push_out(COLD, 12, 0x1000); /* 4 KiB are a way of the L1D, and no two of these are of one set in the L2 */
    prepare();
}
static void prepare_l3(void)
{
    run_access(0, COLD, 4, SIM_READ);
    push_out(COLD, 40, APART);
    prepare();
}
static void prepare_l3_modified(void)
{
    run_access(0, COLD, 4, SIM_WRITE);
    push_out(COLD, 40, APART);
    prepare();
}
static void prepare_flushed(void)
{
    prepare();
    sim_cache_flush(sim, true);
    run_op(0);
}
/* A line that an L3 with all others throws out leaves the L1D as well: 17 lines of one of its sets, 512 KiB
 * apart, of which the first is used on and on, so that the L1D and the L2 keep it. */
static void prepare_inclusion(void)
{
    prepare();
    run_access(0, COLD, 4, SIM_READ);
    for (unsigned k = 1; k <= 16; k++) {
        run_access(0, COLD + k * UINT64_C(0x80000), 4, SIM_READ);
        if (k < 16) run_access(0, COLD, 4, SIM_READ);
    }
}

/* The same, but the L2 alone keeps it: it is read again and again, each time when the L1D has lost it. */
static void prepare_inclusion_of_l2(void)
{
    prepare();
    run_access(0, COLD, 4, SIM_READ);
    for (unsigned k = 1; k <= 16; k++) {
        run_access(0, COLD + k * UINT64_C(0x80000), 4, SIM_READ);
        push_out(COLD, 12, 0x1000);
        if (k < 16) run_access(0, COLD, 4, SIM_READ);
    }
    prepare();
}
/* A modified line that the L2 has lost while the L1D kept it goes there when it leaves the L1D. */
static void prepare_written_back(void)
{
    for (unsigned k = 1; k <= 40; k++) {
        run_access(0, COLD, 4, SIM_WRITE);
        run_access(0, COLD + k * (uint64_t)APART, 4, SIM_READ);
    }
    push_out(COLD, 12, 0x1000);
    prepare();
}

/* ---- facts ---- */

static void run_nop(void) { run_op(0); }
static void run_tick(void) { sim_ticks(sim, 3, false, cpl); }
static void run_halt(void)
{
    sim_ticks(sim, 50, true, cpl);
    sim_ticks(sim, 2, false, cpl);
}
static void run_jcc(void) { run_op(OP_BRANCH | OP_COND); }
static void run_jcc_taken(void) { run_op(OP_BRANCH | OP_COND | OP_TAKEN); }
static void run_jmp(void) { run_op(OP_BRANCH | OP_TAKEN | OP_INDIRECT); }
static void run_call(void) { run_access(OP_BRANCH | OP_TAKEN | OP_CALL, DIRTY, 4, SIM_WRITE); }
static void run_ret(void) { run_access(OP_BRANCH | OP_TAKEN | OP_RET, WARM, 4, SIM_READ); }
static void run_far(void) { run_op(OP_BRANCH | OP_TAKEN | OP_FAR | OP_CALL); }
static void run_iret(void) { run_op(OP_BRANCH | OP_TAKEN | OP_FAR | OP_RET | OP_SERIALIZE); }
static void run_interrupt(void) { sim_interrupt(sim, 0x40, false, cpl); }
static void run_nmi(void) { sim_interrupt(sim, 2, true, cpl); }
static void run_exception(void) { sim_exception(sim, 14, cpl); }
static void run_sse(void) { run_op(OP_SSE); }
static void run_x87(void) { run_op(OP_X87 | OP_FLOP); }
static void run_mmx(void) { run_op(OP_MMX); }
static void run_read(void) { run_access(0, WARM, 4, SIM_READ); }
static void run_write(void) { run_access(0, DIRTY, 4, SIM_WRITE); }
static void run_write_clean(void) { run_access(0, WARM, 4, SIM_WRITE); }
static void run_rmw(void) { run_access(OP_LOCK, DIRTY, 4, SIM_RMW); }
static void run_read_cold(void) { run_access(0, COLD, 4, SIM_READ); }
static void run_write_cold(void) { run_access(0, COLD, 4, SIM_WRITE); }
static void run_rmw_cold(void) { run_access(0, COLD, 4, SIM_RMW); }
static void run_read_warm_again(void) { run_access(0, WARM, 64, SIM_READ); }
static void run_split(void) { run_access(0, DIRTY - 2, 4, SIM_READ); }
static void run_split_cold(void) { run_access(0, DIRTY + 62, 4, SIM_READ); }
static void run_two_loads(void)
{
    struct sim_insn i = at(0);
    i.access[i.n_access++] = mem(WARM, 4, SIM_READ);
    i.access[i.n_access++] = mem(COLD, 4, SIM_READ);
    i.access[i.n_access++] = mem(COLD + 8, 4, SIM_READ);
    sim_instruction(sim, &i);
}
static void run_uncached(void)
{
    struct sim_insn i = at(0);
    i.access[0] = mem(0xfee00340, 4, SIM_READ);
    i.access[0].uncached = 1;
    i.n_access = 1;
    sim_instruction(sim, &i);
}
/* The second page's line comes from where that page is. */
static void run_page_crossing(void)
{
    run_access(0, EDGE + 62, 4, SIM_WRITE);
    run_access(0, ELSEWHERE, 2, SIM_READ);
}
static void run_code(void)
{
    struct sim_insn i = at(0);
    i.lin = i.phys = 0x1040;
    sim_instruction(sim, &i);
}
static void run_code_crossing(void)
{
    struct sim_insn i = at(0);
    i.lin = i.phys = 0x103f;
    sim_instruction(sim, &i);
}
static void run_code_page_crossing(void)
{
    struct sim_insn i = at(0);
    i.lin = i.phys = 0x1fff; /* this line is cold, too */
    i.phys_high = WARM & ~UINT64_C(0xfff);
    sim_instruction(sim, &i);
}
static void run_rep(void)
{
    struct sim_access a[3] = {mem(WARM, 4, SIM_READ), mem(DIRTY, 4, SIM_WRITE), mem(WARM + 4, 4, SIM_READ)};
    sim_more_accesses(sim, a, 3, cpl);
    sim_more_accesses(sim, a, 2, cpl);
    run_op(OP_REP);
}
static void run_rep_broken_off(void)
{
    struct sim_access a = mem(WARM, 4, SIM_READ);
    sim_more_accesses(sim, &a, 1, cpl);
    sim_interrupt(sim, 0x40, false, cpl);
    run_op(0);
}
static void run_stray(void)
{
    const struct sim_access a = mem(DIRTY, 4, SIM_WRITE);
    sim_stray_access(sim, &a, cpl);
    run_op(0);
}
static void run_flushes(void)
{
    sim_tlb_flush(sim);
    sim_tlb_invalidate(sim, WARM);
    run_op(0);
}

/* ---- the table ---- */

enum { ANY, ONLY_L3, ONLY_UNIFIED, ONLY_INCLUSIVE };

#define I(n)      "INSTRUCTION_RETIRED=" #n ","
#define BRANCH    "BRANCH_INSTRUCTIONS_RETIRED=1,BR_INST_RETIRED:ALL_BRANCHES=1,"
#define NEAR      BRANCH "BR_INST_RETIRED:NEAR_TAKEN=1,BR_INST_RETIRED:TAKEN=1,"
#define COND      "BR_INST_RETIRED:CONDITIONAL=1,BR_INST_RETIRED:COND=1,"
#define LOADS(n)  "INST_RETIRED:LOADS=" #n ",MEM_INST_RETIRED:ALL_LOADS=" #n ","
#define STORES(n) "INST_RETIRED:STORES=" #n ",MEM_INST_RETIRED:ALL_STORES=" #n ","
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

static uint64_t wanted(const struct row *r, const char *name)
{
    const size_t len = strlen(name);
    for (const char *p = r->wanted; *p; p = strchr(p, ',') + 1)
        if (strncmp(p, name, len) == 0 && p[len] == '=') return strtoull(p + len + 1, NULL, 10);
    return 0;
}

/* Every name in the table is an event of some model. */
static void test_names(void **state)
{
    (void)state;
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

static void wr(uint32_t msr, uint64_t v) { assert_int_equal(sim_wrmsr(sim, msr, v), 1); }
static uint64_t rd(uint32_t msr)
{
    uint64_t v;
    assert_int_equal(sim_rdmsr(sim, msr, &v), 1);
    return v;
}

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
    wr(0x186, 0x4300c0);
    run_op(0);
    r->before();
    wr(0x186, 0);
    wr(0xc1, 0);
    return true;
}

static char *line;
static void keep(void *ctx, const char *text)
{
    (void)ctx;
    line = strdup(text);
}

static void by_oracle(const struct row *r)
{
    sim_oracle_begin(sim, r->what);
    r->run();
    sim_oracle_end(sim, keep, NULL, NULL);
    json_t *root = json_loads(line, 0, NULL);
    const char *name;
    json_t *event;
    assert_non_null(root);
    json_object_foreach(json_object_get(root, "events"), name, event)
    {
        const uint64_t n = wanted(r, name), k = (uint64_t)json_integer_value(json_object_get(event, "k")),
                       u = (uint64_t)json_integer_value(json_object_get(event, "u"));
        if (k != (cpl ? 0 : n) || u != (cpl ? n : 0))
            fail_msg("%s, %s at CPL %u: %s is %llu + %llu, not %llu", sim->model->name, r->what, cpl, name,
                     (unsigned long long)k, (unsigned long long)u, (unsigned long long)n);
    }
    json_decref(root);
    free(line);
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
            if (!sim_event_modelled(e) || !sim_event_fits(e, 0, sim->model_bit)) continue;
            const unsigned c = (turn + n++) % general;
            on[c] = e;
            wr(0x186 + c, 0x430000 | e->code);
        }
        r->run();
        for (unsigned c = 0; c < general; c++)
            if (on[c] && rd(0xc1 + c) != wanted(r, on[c]->name))
                fail_msg("%s, %s at CPL %u: counter %u has %llu %s", model, r->what, cpl, c,
                         (unsigned long long)rd(0xc1 + c), on[c]->name);
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

static void test_coreduo(void **state) { (void)state, test_model("coreduo"); }
static void test_core2(void **state) { (void)state, test_model("core2"); }
static void test_sandybridge(void **state) { (void)state, test_model("sandybridge"); }
static void test_haswell(void **state) { (void)state, test_model("haswell"); }
static void test_skylake(void **state) { (void)state, test_model("skylake"); }
static void test_icelake(void **state) { (void)state, test_model("icelake"); }
static void test_tigerlake(void **state) { (void)state, test_model("tigerlake"); }

/* How much each level holds: a walk through as much, done again, does not miss it; one through a quarter more
 * does. */
static uint64_t walk_again(const char *model, unsigned kib, unsigned event)
{
    struct sim_insn i = at(0);
    sim_free(sim);
    sim = sim_new(model, NULL, NULL);
    wr(0x186, 0x430000 | event);
    i.phys = UINT64_C(0x40000000); /* code that is never in the way */
    i.n_access = 1;
    for (unsigned pass = 0; pass < 2; pass++) {
        wr(0xc1, 0);
        for (unsigned k = 0; k < kib * 1024 / ARCH_LINE; k++) {
            i.access[0] = mem(UINT64_C(0x1000000) + k * UINT64_C(64), 4, SIM_READ);
            sim_instruction(sim, &i);
        }
    }
    return rd(0xc1);
}

static void test_sizes(void **state)
{
    /* What misses a level: LLC_MISSES of the last one, LLC_REFERENCES of an L2 before an L3. Sizes in KiB: an
     * L3 that takes what the L2 throws out holds what the L2 does not, though not in every set as much. */
    static const struct {
        const char *model;
        unsigned fits, misses, event;
    } levels[] = {
        {"core2", 32, 40, 0x0f45},         {"haswell", 32, 40, 0x0151},
        {"icelake", 48, 60, 0x0151},       {"tigerlake", 48, 60, 0x0151},
        {"coreduo", 2048, 2560, 0x412e},   {"core2", 6144, 7680, 0x412e},
        {"sandybridge", 256, 320, 0x4f2e}, {"haswell", 256, 320, 0x4f2e},
        {"skylake", 1024, 1280, 0x4f2e},   {"icelake", 512, 640, 0x4f2e},
        {"tigerlake", 1280, 1600, 0x4f2e}, {"sandybridge", 8192, 10240, 0x412e},
        {"haswell", 8192, 10240, 0x412e},  {"skylake", 8448, 10240, 0x412e},
        {"icelake", 8192, 10240, 0x412e},  {"tigerlake", 8192, 10240, 0x412e},
    };
    (void)state;
    cpl = 0;
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        assert_int_equal(walk_again(levels[i].model, levels[i].fits, levels[i].event), 0);
        assert_true(walk_again(levels[i].model, levels[i].misses, levels[i].event) > levels[i].fits * 4);
    }
    sim_free(sim);
    sim = NULL;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),       cmocka_unit_test(test_coreduo),   cmocka_unit_test(test_core2),
        cmocka_unit_test(test_sandybridge), cmocka_unit_test(test_haswell),   cmocka_unit_test(test_skylake),
        cmocka_unit_test(test_icelake),     cmocka_unit_test(test_tigerlake), cmocka_unit_test(test_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
