#include "tests/unit/truth_drive.h"
#include "tests/unit/unit.h"
#include "tests/unit/user_stack.h"
#include <stdio.h>
#include <string.h>

const char kernel_text[1]; /* linker.ld's */

/* ---- the CPU ---- */

static struct sim *sim;
struct cpu_id id;
struct pmu pmu;
const struct cache_info katmai = {
    {{1, CACHE_DATA, 16384, 32, 4}, {1, CACHE_CODE, 16384, 32, 4}, {2, CACHE_UNIFIED, 524288, 32, 4}},
    3,
    "test"};
const struct cache_info nothing = {{{0}}, 0, "unknown"};

void plug(const char *model)
{
    static const struct sim_host host;
    if (sim) sim_free(sim);
    sim = sim_new(model, NULL, &host);
    assert_non_null(sim);
    sim_hw_plug(sim, &id);
    assert_true(pmu_probe(&id, &pmu));
}

int unplug(void **state)
{
    (void)state;
    if (sim) sim_free(sim);
    sim = NULL;
    return 0;
}

const struct truth_row *find_row(const char *program, uint32_t classes, const char *event)
{
    const struct truth_program *p;
    for (unsigned i = 0; (p = truth_program_at(i)) != NULL; i++)
        for (const struct truth_row *r = p->row; strcmp(p->program.name, program) == 0 && r->classes; r++)
            if (r->classes & classes && strcmp(r->event, event) == 0) return r;
    fail_msg("%s has no row %s", program, event);
    return NULL;
}

/* ---- payloads ---- */

const char *liar, *lacking;
int liar_by = 1;
bool no_timer, small;
unsigned too_high;
unsigned prepared_to_fail;
const struct cache_info *geometry = &katmai;
enum action action = ACTION_TRUTH;

enum { OVERHEAD = 7, BASE_OVERHEAD = 4, BASE = 30, MORE = 5 };
enum { SMIS = 1, BASE_SMIS = 2, STRAYS = 4, BASE_STRAYS = 8 }; /* of a run */

/* Of the mixed program: all relations hold, hardly a value twice. */
static const struct {
    const char *word;
    uint64_t n;
} mixed[] = {
    {"bus_tran_brd", 1},     {"bus_tran_rfo", 2},     {"bus_trans_wb", 3},     {"bus_tran_ifetch", 4},
    {"bus_tran_burst", 10},  {"bus_trans_p", 5},      {"bus_tran_inval", 6},   {"bus_tran_mem", 21},
    {"bus_trans_io", 8},     {"bus_tran_def", 9},     {"bus_tran_any", 38},    {"l2_ifetch", 7},
    {"l2_ld", 11},           {"l2_st", 12},           {"l2_rqsts", 30},        {"itlb_miss", 13},
    {"ifu_ifetch_miss", 13}, {"ifu_ifetch", 14},      {"dcu_m_lines_in", 15},  {"dcu_lines_in", 16},
    {"data_mem_refs", 17},   {"l2_dbus_busy_rd", 18}, {"l2_dbus_busy", 19},    {"l2_m_lines_inm", 20},
    {"l2_lines_in", 20},     {"l2_m_lines_outm", 22}, {"l2_lines_out", 23},    {"bus_tran_pwr", 5},
    {"dcu_m_lines_out", 24}, {"br_inst_decoded", 25}, {"br_inst_retired", 26}, {"br_bogus", 27}};

static uint64_t told(const char *program, const char *event)
{
    if (strcmp(program, "mixed") == 0) {
        for (unsigned i = 0; i < sizeof mixed / sizeof *mixed; i++)
            if (strcmp(mixed[i].word, event) == 0) return mixed[i].n;
        fail_msg("mixed: %s was not expected", event);
    }
    const struct truth_row *r = find_row(program, pmu.classes, event);
    uint64_t n = truth_expected(r, geometry);
    return n == TRUTH_UNKNOWN ? 1 : n;
}

/* What is done before the brackets is what the program's record says. */
static void check_before(const struct program *program)
{
    const struct truth_program *p;
    unsigned i = 0;
    while ((p = truth_program_at(i)) != NULL && strcmp(p->program.name, program->name) != 0) i++;
    if (!p) p = &truth_mixed;
    assert_ptr_equal(program->before, p->program.before);
    assert_true((truth_before_text(p) != NULL) == (program->before != NULL));
}

void run_program(const struct program *program, const struct options *opt, const struct cpu *cpu,
                 const struct group *group, struct arena *arena, struct run *run)
{
    static uint64_t raw[1 + BRACKET_COUNTERS][REPS_DEF];
    static uint8_t flags[REPS_DEF];
    bool is_base = strcmp(program->variant, "base") == 0;
    (void)arena;
    memset(run, 0, sizeof *run);
    assert_null(cpu->cancelled); /* nothing comes between repetitions */
    assert_int_equal(opt->reps, REPS_DEF);
    check_before(program);
    run->program = *program;
    run->bench.ops = 1;
    run->reps = opt->reps;
    run->flags = flags;
    run->n = 1 + (group ? group->n : 0);
    run->smis = is_base ? BASE_SMIS : SMIS;
    run->strays = is_base ? BASE_STRAYS : STRAYS;
    if (prepared_to_fail && --prepared_to_fail == 0) run->status = RUN_TRAP;
    for (unsigned k = 0; k < run->n; k++) {
        const struct truth_program *p = NULL;
        uint64_t value = is_base ? BASE + BASE_OVERHEAD : OVERHEAD;
        run->count[k].raw = raw[k];
        run->count[k].overhead = is_base ? BASE_OVERHEAD : OVERHEAD;
        if (k > 0) {
            const struct pmu_code *code = &opt->event[group->event[k - 1]];
            assert_true(code->counters >> group->counter[k - 1] & 1);
            run->count[k].event = code->name;
            run->count[k].counter = group->counter[k - 1];
            run->count[k].lacking = lacking && strcmp(lacking, code->name) == 0;
            for (unsigned i = 0;
                 (p = truth_program_at(i)) != NULL && strcmp(p->program.name, program->name) != 0;)
                i++;
            /* A base with another overhead than the program's: what it counts above it must not matter. */
            if (!is_base && (p ? p->base != NULL : true)) value = BASE + BASE_OVERHEAD;
            if (!is_base) value += told(program->name, code->name);
            if (!is_base && liar && strcmp(liar, code->name) == 0) value += (uint64_t)(int64_t)liar_by;
        }
        for (unsigned i = 0; i < run->reps; i++) raw[k][i] = value + (i == 3 ? MORE : 0);
        if (too_high) run->count[k].overhead = value + 1;
    }
    if (too_high) too_high--;
}

/* ---- the suite ---- */

struct truth_got got;

static void note_verdict(enum truth_verdict v, const char *name)
{
    got.differ += v == TRUTH_DIFFERS;
    got.within += v == TRUTH_WITHIN;
    got.absent += v == TRUTH_ABSENT;
    got.still += v == TRUTH_NOT_ADVANCING;
    if (v == TRUTH_DIFFERS) got.last_differs = name;
}

/* What belongs to a count: of its own runs, with the base's where there is one. */
static void check_count(const struct truth_program *p, const struct truth_count *c)
{
    const double base = p->base ? BASE + BASE_OVERHEAD - OVERHEAD : 0;
    assert_true(c->group < c->groups && pmu.usable >> c->counter & 1);
    assert_int_equal(c->reps, REPS_DEF);
    assert_int_equal(c->smi, SMIS + (p->base ? BASE_SMIS : 0));
    assert_int_equal(c->stray, STRAYS + (p->base ? BASE_STRAYS : 0));
    assert_true(c->min == c->median && c->max == c->median + MORE);
    if (c->overhead_lowered) return;
    assert_int_equal(c->overhead, OVERHEAD);
    assert_true(c->base == base && (double)c->raw_min == c->median + base + OVERHEAD);
}

static void on_result(void *ctx, const struct truth_result *r)
{
    (void)ctx;
    got.results++;
    note_verdict(r->verdict, r->row->event);
    got.lowered += r->count.overhead_lowered;
    if (r->verdict <= TRUTH_DIFFERS) check_count(r->program, &r->count);
    assert_true((r->verdict == TRUTH_WITHIN) <= (r->row->least != 0));
    if (r->verdict == TRUTH_AGREES) assert_true(r->count.median == (double)r->expected);
    if (r->verdict == TRUTH_DIFFERS && !r->count.overhead_lowered)
        assert_true(r->count.median == (double)r->expected + liar_by);
}
static void on_relation(void *ctx, const struct truth_relation_result *r)
{
    (void)ctx;
    got.relations++;
    got.sums_lowered += r->overhead_lowered;
    assert_true((r->verdict == TRUTH_ANSWERED) <= (r->relation->must == ASKED));
    if (r->relation->must == ASKED) assert_true(r->verdict != TRUTH_AGREES && r->verdict != TRUTH_DIFFERS);
    note_verdict(r->verdict, r->relation->left);
}
static void on_failure(void *ctx, const struct run *run)
{
    (void)ctx;
    assert_int_equal(run->status, RUN_TRAP);
    got.failures++;
}
static void on_left_out(void *ctx, const struct truth_program *p, const char *what)
{
    (void)ctx;
    assert_true(p->row == NULL || p->row[0].classes);
    snprintf(got.lacks[got.left_out++ % 16], 48, "%s: %s", p->program.name, what);
}

struct truth_totals run_suite(unsigned ring, bool (*cancelled)(void))
{
    static _Alignas(64) uint8_t memory[1 << 20];
    static struct options opt;
    struct arena arena = {memory, small ? 1000 : sizeof memory, 0};
    const uint32_t strays = 0;
    static const struct machine machine;
    const struct cpu cpu = {.machine = &machine,
                            USER_STACK,
                            .id = id,
                            .caches = *geometry,
                            .pmu = &pmu,
                            .strays = &strays,
                            .timer = !no_timer,
                            .cancelled = cancelled};
    const struct truth_sink sink = {on_result, on_relation, on_failure, on_left_out, NULL};
    struct truth_totals totals;
    memset(&got, 0, sizeof got);
    memset(memory, 0xa5, sizeof memory); /* a previous session's */
    opt = (struct options){.reps = REPS_DEF, .conf = 95, .ring = ring};
    truth_run(action, &opt, &cpu, &arena, &sink, &totals);
    return totals;
}
