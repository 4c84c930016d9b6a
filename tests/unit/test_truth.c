/* The truth suite: its tables, and its driver on payloads that count what they are told. */
#include "measure/truth.h"
#include "report/text.h"
#include "tests/unit/sim_hw.h"
#include "tests/unit/unit.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const char *const models[] = {"p5", "p55c", "ppro", "p2", "p3", "willamette"};
#define MODELS (sizeof models / sizeof *models)

static struct sim *sim;
static struct cpu_id id;
static struct pmu pmu;
static const struct cache_info katmai = {
    {{1, CACHE_DATA, 16384, 32, 4}, {1, CACHE_CODE, 16384, 32, 4}, {2, CACHE_UNIFIED, 524288, 32, 4}},
    3,
    "test"};
static const struct cache_info pentium = {
    {{1, CACHE_DATA, 8192, 32, 2}, {1, CACHE_CODE, 8192, 32, 2}}, 2, "test"};
static const struct cache_info willamette = {
    {{1, CACHE_DATA, 8192, 64, 4}, {2, CACHE_UNIFIED, 262144, 64, 8}}, 2, "test"};
static const struct cache_info nothing = {{{0}}, 0, "unknown"};

static void plug(const char *model)
{
    static const struct sim_host host;
    if (sim) sim_free(sim);
    sim = sim_new(model, NULL, &host);
    assert_non_null(sim);
    sim_hw_plug(sim, &id);
    assert_true(pmu_probe(&id, &pmu));
}

static int unplug(void **state)
{
    (void)state;
    if (sim) sim_free(sim);
    sim = NULL;
    return 0;
}

static bool family_is(uint32_t classes, const char *name)
{
    static const char *const names[] = {"P5", "P6", "NetBurst", "arch"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (classes >> i & 1 && strcmp(name, names[i]) == 0) return true;
    return false;
}

static bool parses(const char *word)
{
    struct pmu_code code;
    char why[160], near[128];
    return pmu_event_parse(&pmu, word, strlen(word), &code, why, sizeof why, near, sizeof near);
}

/* Of CPUs whose CPUID sim_hw.c has not, which boots are for: a word of perf's, or a code. */
static bool newer(uint32_t classes, const char *word)
{
    static const char *const words[] = {"instructions", "branches", "cycles", "cache-references",
                                        "cache-misses"};
    if (!classes || classes & (TRUTH_P5 | TRUTH_P6 | TRUTH_NETBURST)) return false;
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i], word) == 0) return true;
    return word[0] == 'r' && strlen(word) == 5 && strspn(word + 1, "0123456789abcdef") == 4;
}

/* ---- the tables ---- */

/* Every word of each family on at least one of its models. */
static void test_words(void **state)
{
    bool row_seen[64][64] = {{false}}, term_seen[64][1 + TRUTH_TERMS] = {{false}};
    const struct truth_program *p;
    (void)state;
    for (unsigned m = 0; m < MODELS; m++) {
        plug(models[m]);
        for (unsigned i = 0; (p = truth_program_at(i)) != NULL; i++)
            for (unsigned k = 0; p->row[k].classes; k++)
                if (newer(p->row[k].classes, p->row[k].event) ||
                    (p->row[k].classes & truth_classes(&pmu) && parses(p->row[k].event)))
                    row_seen[i][k] = true;
        for (unsigned i = 0; i < truth_n_relations; i++) {
            const struct truth_relation *x = &truth_relations[i];
            for (unsigned k = 0; k < 1 + TRUTH_TERMS; k++) {
                const char *term = k ? x->right[k - 1] : x->left;
                if (!term || newer(x->classes, term) || (x->classes & truth_classes(&pmu) && parses(term)))
                    term_seen[i][k] = true;
            }
        }
    }
    for (unsigned i = 0; (p = truth_program_at(i)) != NULL; i++)
        for (unsigned k = 0; p->row[k].classes; k++)
            if (!row_seen[i][k]) fail_msg("%s: no model has %s", p->name, p->row[k].event);
    for (unsigned i = 0; i < truth_n_relations; i++)
        for (unsigned k = 0; k < 1 + TRUTH_TERMS; k++) assert_true(term_seen[i][k]);
}

static bool printable(const char *s)
{
    for (; *s; s++)
        if ((unsigned char)*s >= 127 || !isprint((unsigned char)*s)) return false;
    return true;
}

static void test_tables(void **state)
{
    const struct truth_program *p, *q;
    (void)state;
    for (unsigned i = 0; (p = truth_program_at(i)) != NULL; i++) {
        for (unsigned j = 0; j < i && (q = truth_program_at(j)) != NULL; j++)
            assert_string_not_equal(p->name, q->name);
        assert_true(printable(p->name) && printable(p->desc) && strlen(p->name) < 32);
        assert_true(p->payload && p->payload != p->base);
        unsigned rows = 0;
        for (const struct truth_row *r = p->row; r->classes; r++, rows++) {
            assert_true(r->reason && r->reason[0] && printable(r->reason));
            assert_true(r->of <= TRUTH_NO_L2_MISS && (!r->of || r->expected == 0));
            for (const struct truth_row *s = p->row; s < r; s++)
                if (s->classes & r->classes && strcmp(s->event, r->event) == 0)
                    fail_msg("%s: %s twice", p->name, r->event);
        }
        assert_true(rows > 0 && rows <= EVENTS_MAX);
    }
}

static const struct truth_row *find_row(const char *program, const char *family, const char *event)
{
    const struct truth_program *p;
    for (unsigned i = 0; (p = truth_program_at(i)) != NULL; i++)
        for (const struct truth_row *r = p->row; strcmp(p->name, program) == 0 && r->classes; r++)
            if (family_is(r->classes, family) && strcmp(r->event, event) == 0) return r;
    fail_msg("%s has no row %s", program, event);
    return NULL;
}

static void test_geometry(void **state)
{
    (void)state;
    const struct truth_row *p5 = find_row("l1_misses", "P5", "data_read_miss");
    const struct truth_row *in = find_row("l1_misses", "P6", "dcu_lines_in");
    const struct truth_row *l2 = find_row("l1_misses", "P6", "l2_ld");
    const struct truth_row *miss = find_row("l1_misses", "P6", "l2_ld:i");
    const struct truth_row *clocks = find_row("l1_misses", "P6", "dcu_miss_outstanding");
    assert_int_equal(truth_expected(p5, &pentium), 512); /* 2 x 8 KiB in lines of 32 */
    assert_int_equal(truth_expected(in, &katmai), 1024);
    assert_int_equal(truth_expected(l2, &katmai), 1024);
    assert_int_equal(truth_expected(miss, &katmai), 0);
    assert_int_equal(truth_expected(clocks, &katmai), 7168);
    assert_true(truth_expected(l2, &pentium) == TRUTH_UNKNOWN); /* no L2 that the CPU would know of */
    assert_true(truth_expected(miss, &pentium) == TRUTH_UNKNOWN);
    assert_true(truth_expected(clocks, &pentium) == TRUTH_UNKNOWN);
    assert_true(truth_expected(in, &nothing) == TRUTH_UNKNOWN);
    const struct truth_row *nb = find_row("l1_misses", "NetBurst", "1stl_cache_load_miss_retired");
    assert_int_equal(truth_expected(nb, &willamette), 256); /* 2 x 8 KiB in lines of 64 */
}

/* ---- the driver ---- */

/* What the payloads do: the expected values, and one liar among the events. */
static const char *liar;
static int liar_by = 1;
static bool no_timer;
static unsigned too_high;         /* runs whose overhead was measured too high */
static unsigned prepared_to_fail; /* this run from now on traps; 0: none */
static const struct cache_info *geometry = &katmai;

enum { OVERHEAD = 7, BASE_OVERHEAD = 4, BASE = 30 };

/* Of the mixed program: all relations hold, hardly a value twice. */
static const struct {
    const char *word;
    uint64_t n;
} mixed[] = {{"bus_tran_brd", 1},     {"bus_tran_rfo", 2},     {"bus_trans_wb", 3},    {"bus_tran_ifetch", 4},
             {"bus_tran_burst", 10},  {"bus_trans_p", 5},      {"bus_tran_inval", 6},  {"bus_tran_mem", 21},
             {"bus_trans_io", 8},     {"bus_tran_def", 9},     {"bus_tran_any", 38},   {"l2_ifetch", 7},
             {"l2_ld", 11},           {"l2_st", 12},           {"l2_rqsts", 30},       {"itlb_miss", 13},
             {"ifu_ifetch_miss", 13}, {"ifu_ifetch", 14},      {"dcu_m_lines_in", 15}, {"dcu_lines_in", 16},
             {"data_mem_refs", 17},   {"l2_dbus_busy_rd", 18}, {"l2_dbus_busy", 19},   {"l2_m_lines_inm", 20},
             {"l2_lines_in", 20},     {"l2_m_lines_outm", 22}, {"l2_lines_out", 23},   {"bus_tran_pwr", 5}};

static uint64_t told(const char *program, const char *event)
{
    if (strcmp(program, "mixed") == 0) {
        for (unsigned i = 0; i < sizeof mixed / sizeof *mixed; i++)
            if (strcmp(mixed[i].word, event) == 0) return mixed[i].n;
        fail_msg("mixed: %s was not expected", event);
    }
    const struct truth_row *r = find_row(program, pmu.ops->family, event);
    uint64_t n = truth_expected(r, geometry);
    return n == TRUTH_UNKNOWN ? 1 : n;
}

/* What is done before the brackets is what the program's record says. */
static void check_before(const struct bench *bench)
{
    const struct truth_program *p;
    unsigned i = 0;
    while ((p = truth_program_at(i)) != NULL && strcmp(p->name, bench->name) != 0) i++;
    if (!p) p = &truth_mixed;
    assert_true((truth_before_text(p) != NULL) == (bench->before != NULL));
    assert_true((bench->before != NULL) == ((p->flags & (TRUTH_FLUSH | TRUTH_JUMPS)) != 0));
}

void run_item(const struct plan_item *item, const struct options *opt, const struct machine *m,
              const struct group *group, struct arena *arena, struct run *run)
{
    static uint64_t raw[1 + BRACKET_COUNTERS][REPS_DEF];
    static uint8_t flags[REPS_DEF];
    bool is_base = strcmp(item->bench->variant[0].name, "base") == 0;
    (void)arena;
    memset(run, 0, sizeof *run);
    assert_null(m->cancelled); /* nothing comes between repetitions */
    assert_int_equal(opt->reps, REPS_DEF);
    check_before(item->bench);
    run->item = item;
    run->bench.ops = 1;
    run->reps = opt->reps;
    run->flags = flags;
    run->n = 1 + group->n;
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
            for (unsigned i = 0;
                 (p = truth_program_at(i)) != NULL && strcmp(p->name, item->bench->name) != 0;)
                i++;
            /* A base with another overhead than the program's: what it counts above it must not matter. */
            if (!is_base && (p ? p->base != NULL : true)) value = BASE + BASE_OVERHEAD;
            if (!is_base) value += told(item->bench->name, code->name);
            if (!is_base && liar && strcmp(liar, code->name) == 0) value += (uint64_t)(int64_t)liar_by;
        }
        for (unsigned i = 0; i < run->reps; i++) raw[k][i] = value;
        if (too_high) run->count[k].overhead = value + 1;
    }
    if (too_high) too_high--;
}

static struct {
    unsigned results, relations, failures, left_out, differ, absent, still;
    unsigned within, lowered;
    const char *last_differs;
    char lacks[16][48];
} got;

static void note_verdict(enum truth_verdict v, const char *name)
{
    got.differ += v == TRUTH_DIFFERS;
    got.within += v == TRUTH_WITHIN;
    got.absent += v == TRUTH_ABSENT;
    got.still += v == TRUTH_NOT_ADVANCING;
    if (v == TRUTH_DIFFERS) got.last_differs = name;
}
static void on_result(void *ctx, const struct truth_result *r)
{
    (void)ctx;
    got.results++;
    note_verdict(r->verdict, r->row->event);
    got.lowered += r->count.overhead_lowered;
    if (r->verdict <= TRUTH_DIFFERS) assert_true(r->count.group < r->count.groups);
    assert_true((r->verdict == TRUTH_WITHIN) <= (r->row->least != 0));
    if (r->verdict == TRUTH_AGREES) assert_true(r->count.median == (double)r->expected);
    if (r->verdict == TRUTH_DIFFERS && !r->count.overhead_lowered)
        assert_true(r->count.median == (double)r->expected + liar_by);
}
static void on_relation(void *ctx, const struct truth_relation_result *r)
{
    (void)ctx;
    got.relations++;
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
    snprintf(got.lacks[got.left_out++ % 16], 48, "%s: %s", p->name, what);
}

static enum action action = ACTION_TRUTH;

static struct truth_totals run_suite(unsigned ring, bool (*cancelled)(void))
{
    static uint8_t memory[1 << 16];
    static struct options opt;
    struct arena arena = {memory, sizeof memory, 0};
    const uint32_t strays = 0;
    struct machine machine = {.id = &id,
                              .caches = geometry,
                              .pmu = &pmu,
                              .strays = &strays,
                              .timer = !no_timer,
                              .cancelled = cancelled};
    const struct truth_sink sink = {on_result, on_relation, on_failure, on_left_out, NULL};
    struct truth_totals totals;
    memset(&got, 0, sizeof got);
    opt = (struct options){.reps = REPS_DEF, .conf = 95, .ring = ring, .action = action};
    truth_run(&opt, &machine, &arena, &sink, &totals);
    return totals;
}

static unsigned rows_of(const char *family)
{
    const struct truth_program *p;
    unsigned n = 0;
    for (unsigned i = 0; (p = truth_program_at(i)) != NULL; i++)
        for (const struct truth_row *r = p->row; r->classes; r++) n += family_is(r->classes, family);
    return n;
}

static void test_truthful(void **state)
{
    (void)state;
    plug("p3");
    struct truth_totals t = run_suite(0, NULL);
    assert_int_equal(got.results, rows_of("P6"));
    assert_int_equal(got.relations, 20);
    assert_int_equal(t.verdict[TRUTH_AGREES], rows_of("P6") + 20 - 1 - 2);
    assert_int_equal(t.verdict[TRUTH_WITHIN], 1); /* 48h with a latency that is the board's */
    assert_int_equal(t.verdict[TRUTH_ABSENT], 2); /* B0h and CEh are the Pentium II's */
    assert_int_equal(t.verdict[TRUTH_DIFFERS] + t.verdict[TRUTH_NOT_ADVANCING], 0);
    assert_int_equal(t.failed, 0);
    assert_int_equal(got.failures + got.left_out + got.lowered, 0);
}

/* NetBurst: all of it, and the tags alone (bench=tags), without relations. */
static void test_tags(void **state)
{
    (void)state;
    plug("willamette");
    struct truth_totals all = run_suite(0, NULL);
    assert_int_equal(got.results, rows_of("NetBurst"));
    assert_int_equal(all.verdict[TRUTH_WITHIN], 5);
    assert_int_equal(all.verdict[TRUTH_AGREES], got.results - 5);
    action = ACTION_TAGS;
    struct truth_totals tags = run_suite(0, NULL);
    assert_int_equal(tags.programs, truth_tags.n);
    assert_true(tags.verdict[TRUTH_AGREES] > 30 && tags.verdict[TRUTH_AGREES] < all.verdict[TRUTH_AGREES]);
    liar = "scalar_sp_retired:tag=8";
    assert_int_equal(run_suite(0, NULL).verdict[TRUTH_DIFFERS], 1);
    liar = NULL;
    plug("p3"); /* nothing here is its */
    assert_int_equal(run_suite(0, NULL).programs, 0);
    assert_int_equal(got.relations, 0);
    action = ACTION_TRUTH;
}

static void test_liar(void **state)
{
    (void)state;
    plug("p3");
    liar = "mul";
    struct truth_totals t = run_suite(0, NULL);
    assert_int_equal(t.verdict[TRUTH_DIFFERS], 2); /* x87 and integer */
    assert_string_equal(got.last_differs, "mul");
    liar = "bus_tran_pwr"; /* 5 <= 5 no more */
    t = run_suite(0, NULL);
    assert_int_equal(t.verdict[TRUTH_DIFFERS], 1);
    assert_string_equal(got.last_differs, "bus_tran_pwr");
    liar = "bus_tran_def";
    t = run_suite(0, NULL);
    assert_int_equal(t.verdict[TRUTH_DIFFERS], 1);
    assert_string_equal(got.last_differs, "bus_tran_any");
    liar = "dcu_miss_outstanding"; /* above the least nobody knows better, where it is exact one does */
    t = run_suite(0, NULL);
    assert_int_equal(t.verdict[TRUTH_DIFFERS], 1);
    assert_int_equal(t.verdict[TRUTH_WITHIN], 1);
    liar_by = -1;
    t = run_suite(0, NULL);
    assert_int_equal(t.verdict[TRUTH_DIFFERS], 2);
    assert_int_equal(t.verdict[TRUTH_WITHIN], 0);
    liar_by = 1;
    liar = NULL;
}

/* Programs that need what is not there are not run, and it is said what they lack. */
static void test_lacks(void **state)
{
    (void)state;
    plug("p3");
    no_timer = true;
    id.f1_edx &= ~(CPUID_1_EDX_MMX | CPUID_1_EDX_FXSR);
    struct truth_totals t = run_suite(0, NULL);
    assert_int_equal(got.left_out, 4);
    assert_string_equal(got.lacks[0], "interrupt: an xAPIC's timer");
    assert_string_equal(got.lacks[1], "interrupts: an xAPIC's timer");
    assert_string_equal(got.lacks[2], "mmx: MMX");
    assert_string_equal(got.lacks[3], "sse: SSE");
    assert_int_equal(got.results + 12, rows_of("P6"));
    assert_int_equal(t.verdict[TRUTH_DIFFERS], 0);
    no_timer = false;
    plug("p5"); /* a program without rows of this family is not told of */
    run_suite(3, NULL);
    unsigned mmx = 0;
    for (unsigned i = 0; i < got.left_out; i++) {
        assert_true(strncmp(got.lacks[i], "sse", 3) != 0);
        mmx += strcmp(got.lacks[i], "mmx: MMX") == 0;
    }
    assert_int_equal(mmx, 1);
}

/* An overhead above a raw value is lowered, and whatever was computed with it says so. */
static void test_lowered(void **state)
{
    (void)state;
    plug("p3");
    too_high = 1; /* the first group of the first program */
    struct truth_totals t = run_suite(0, NULL);
    assert_int_equal(too_high, 0);
    assert_true(got.lowered >= 1 && got.lowered <= 2);
    assert_true(t.verdict[TRUTH_DIFFERS] >= 1);
}

/* Without the geometry what depends on it is absent, and nothing is made up. */
static void test_unknown_geometry(void **state)
{
    unsigned by_geometry = 0;
    const struct truth_program *p;
    (void)state;
    plug("p3");
    geometry = &nothing;
    struct truth_totals t = run_suite(0, NULL);
    geometry = &katmai;
    for (unsigned i = 0; (p = truth_program_at(i)) != NULL; i++)
        for (const struct truth_row *r = p->row; r->classes; r++)
            by_geometry += family_is(r->classes, "P6") && r->of != TRUTH_LISTED;
    assert_true(by_geometry > 0);
    assert_int_equal(t.verdict[TRUTH_ABSENT], by_geometry + 2); /* and B0h, CEh */
    assert_int_equal(t.verdict[TRUTH_DIFFERS], 0);
}

static void test_counters(void **state)
{
    (void)state;
    plug("p3");
    pmu.state[1] = COUNTER_NOT_ADVANCING; /* mul, div and fp_assist know no other; all else has counter 0 */
    pmu.usable = 1;
    struct truth_totals t = run_suite(0, NULL);
    assert_int_equal(t.verdict[TRUTH_NOT_ADVANCING], 5);
    assert_int_equal(t.verdict[TRUTH_DIFFERS], 0);
    pmu.state[0] = pmu.state[1] = COUNTER_ABSENT;
    pmu.usable = 0;
    t = run_suite(0, NULL);
    assert_int_equal(t.verdict[TRUTH_ABSENT], rows_of("P6") + 20);
}

static void test_models(void **state)
{
    (void)state;
    plug("p5"); /* returns and taken_branches came with the Pentium MMX */
    unsigned rows = rows_of("P5");
    struct truth_totals t = run_suite(3, NULL);
    assert_int_equal(t.verdict[TRUTH_ABSENT], 4); /* without those of the MMX program, which is not run */
    assert_true(got.results < rows && got.left_out > 0);
    assert_int_equal(got.relations, 0); /* the mixed program needs CPL 0 */
    liar = NULL;
}

static void test_failure(void **state)
{
    (void)state;
    plug("p3");
    prepared_to_fail = 1;
    struct truth_totals t = run_suite(0, NULL);
    prepared_to_fail = 0;
    assert_int_equal(t.failed, 1);
    assert_int_equal(got.failures, 1);
    assert_true(got.results < rows_of("P6") && got.results > rows_of("P6") / 2);
}

static bool always(void) { return true; }

static void test_cancel(void **state)
{
    (void)state;
    plug("p3");
    struct truth_totals t = run_suite(0, always);
    assert_true(t.cancelled);
    assert_int_equal(t.programs, 0);
}

/* ---- the text ---- */

static char text[4096];
static void put(const char *line)
{
    assert_true(strlen(line) <= TEXT_COLUMNS);
    snprintf(text + strlen(text), sizeof text - strlen(text), "%s\n", line);
}

static struct record *row_record(const char *program, const char *event, const char *verdict,
                                 const char *flag)
{
    struct record *r = record_new("truth");
    rec_str(r, "program", program);
    rec_str(r, "desc", "what it is");
    rec_uint(r, "ring", 0);
    rec_str(r, "event", event);
    rec_uint(r, "expected", 1000000);
    rec_str(r, "reason", "the rule");
    rec_bool(r, "remark", false);
    rec_str(r, "verdict", verdict);
    rec_array(r, "flags");
    rec_str(r, NULL, flag);
    rec_close(r);
    return r;
}

static void test_text(void **state)
{
    (void)state;
    text[0] = '\0';
    text_begin();
    struct record *r =
        row_record("one", "misaligned_data_memory_or_io_references", "not advancing", "modelled");
    text_render(r, put);
    r = row_record("one", "pipeline_flushes_due_to_wrong_branch_predictions", "differs", "modelled");
    rec_real(r, "measured", 999999.5);
    text_render(r, put);
    assert_string_equal(text,
                        "\n"
                        "program, event                            expected  measured  verdict\n"
                        "-------------------------------------------------------------------------------\n"
                        "one: what it is\n"
                        "  misaligned_data_memory_or_io_references  1000000         -  not advancing M\n"
                        "  pipeline_flushes_due_to_wrong_branch_predictions\n"
                        "                                           1000000  999999.5  DIFFERS M\n"
                        "    the rule\n");
    text[0] = '\0';
    r = row_record("two", "dcu_miss_outstanding", "within", "overhead-lowered");
    rec_str(r, "before", "WBINVD");
    rec_uint(r, "at_least", 5);
    rec_real(r, "measured", 3136);
    rec_real(r, "each", 49);
    text_render(r, put);
    assert_string_equal(text, "two: what it is; before each run: WBINVD\n"
                              "  dcu_miss_outstanding                   >= 1000000      3136  within\n"
                              "    49 each, at least 5\n"
                              "    ! a raw count lay below the overhead, which was lowered to it\n");
    text[0] = '\0';
    r = record_new("truths");
    rec_uint(r, "agree", 120);
    rec_uint(r, "differ", 1);
    rec_uint(r, "absent", 0);
    rec_uint(r, "not_advancing", 2);
    text_render(r, put);
    assert_string_equal(text, "\n120 agree, 1 differ, 2 not advancing\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_tables),
        cmocka_unit_test(test_geometry),
        cmocka_unit_test(test_truthful),
        cmocka_unit_test(test_tags),
        cmocka_unit_test(test_liar),
        cmocka_unit_test(test_unknown_geometry),
        cmocka_unit_test(test_counters),
        cmocka_unit_test(test_models),
        cmocka_unit_test(test_failure),
        cmocka_unit_test(test_cancel),
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_lacks),
        cmocka_unit_test(test_lowered),
    };
    return cmocka_run_group_tests(tests, NULL, unplug);
}
