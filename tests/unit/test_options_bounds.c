/* The command line's borders: the least and the greatest of every number, lists that are full, texts that are
 * cut. */
#include "bench/experiment.h"
#include "measure/options_parser.h"
#include "pmu/p5.h"
#include "pmu/p6.h"
#include "tests/unit/plan_at.h"
#include "tests/unit/unit.h"
#include <stdio.h>
#include <string.h>

#define N(a) (sizeof(a) / sizeof(a)[0])

static void payload(void *arg) { (void)arg; }
static uint32_t period(const int64_t *param) { return (uint32_t)param[0]; }
static const struct bench_way ways[] = {{WAY_PMI, SAMPLE_BY_PMI, 0, 0, 0, "inst_retired", 0},
                                        {WAY_PEBS, SAMPLE_BY_PEBS, 0, 0, 0, "inst_retired", 0},
                                        {0}};
static const struct bench_sampling own = {.way = ways, .period = period};
static const struct bench
    odd = {.program = {.name = "odd", .payload = payload},
           .op = "op",
           .main_job = true,
           BENCH_PARAM_LIST({"k", "", "", 1, 9, 2, 1, true}, {"any", "", "", 0, INT64_MAX, 0, 0, false})},
    plain = {.program = {.name = "plain", .payload = payload}, .op = "op"},
    both = {.program = {.name = "both"}, .op = "op", .variant = {{"a", payload}, {"b", payload}}},
    trial = {.program = {.name = "trial", .payload = payload},
             .op = "op",
             BENCH_PARAM_LIST({"n", "", "", 100, 1000, 100, 200, false}),
             .sampling = &own},
    longish = {
        .program = {.name = "a_benchmark_with_a_long_name", .payload = payload},
        .op = "op",
        .main_job = true,
        BENCH_PARAM_LIST(
            {"a_parameter_whose_name_is_one_of_those_that_take_most_of_a_line_0", "", "", 1, 2, 1, 1, false},
            {"a_parameter_whose_name_is_one_of_those_that_take_most_of_a_line_1", "", "", 1, 2, 1, 1, false},
            {"a_parameter_whose_name_is_one_of_those_that_take_most_of_a_line_2", "", "", 1, 2, 1, 1,
             false})};
static const struct bench *benches[PLAN_LINES + 3] = {&odd, &plain, &both, &trial};

static const struct pmu p6 = {
    .ops = &pmu_p6_ops, .models = P6_PIII, .words = &pmu_p6_words, .counters = 2, .width = 40, .usable = 3};
static const struct cpu_id id = {.vendor = "GenuineIntel", .f1_edx = CPUID_1_EDX_SSE2};
static struct options_context with = {benches, 4, &p6, &id, NULL, 256 * 1024};
static struct options opt;
static struct plan plan;
static struct fault fault; /* the last one */
static char told[700];     /* "what|part|valid" */

static void on_fault(void *ctx, const struct fault *f)
{
    (void)ctx;
    assert_null(f->part_len ? memchr(f->part, '\0', f->part_len) : NULL); /* in the line */
    fault = *f;
    snprintf(told, sizeof told, "%s|%.*s|%s", f->what, (int)f->part_len, f->part, f->valid);
}

static unsigned parse(const char *line)
{
    told[0] = '\0';
    return options_parse(line, "GRUB 2.06", &with, &opt, &plan, on_fault, NULL);
}

static void expect(const char *line, const char *begin)
{
    if (parse(line) != (*begin ? 1 : 0) || strncmp(told, begin, strlen(begin)) != 0)
        fail_msg("\"%s\" gave \"%s\", expected \"%s\"", line, told, begin);
}

/* Each takes from..to, as docs/options.md has them, and no more. */
TEST(numbers)
{
    static const struct {
        const char *word;
        long long from, to;
    } cases[] = {
        {"reps=", 1, 1000000},
        {"warmup=", 0, 10000},
        {"limit=", 0, 86400},
        {"tsc=", 1000000, 100000000000},
        {"events=inst_retired sample=pmi period=", 1, INT32_MAX},
        {"events=inst_retired sample=pmi samples=", 1, 1000000},
        {"events=inst_retired sample=pmi jitter=", 0, 1 << 30},
        {"events=inst_retired sample=pmi jitter=5:", 1, UINT32_MAX},
        {"events=inst_retired sample=pebs buffer=", 1, 4096},
    };
    for (unsigned i = 0; i < N(cases); i++) {
        char line[100], of[60];
        for (int end = 0; end < 2; end++)
            for (int over = 0; over < 2; over++) {
                const long long n = end ? cases[i].to + over : cases[i].from - over;
                snprintf(line, sizeof line, "%s%lld", cases[i].word, n);
                snprintf(of, sizeof of, "%s|%lld|%lld to %lld, in digits",
                         n < 0 ? "not a number" : "number out of range", n, cases[i].from, cases[i].to);
                expect(line, over ? of : "");
            }
    }
}

/* Up to 2^62, in any unit. */
TEST(greatest_number)
{
    static const struct {
        const char *text;
        bool suffix;
        int64_t value; /* -1: out of range; -2: not a number */
    } cases[] = {
        {"4611686018427387904", 0, 1ll << 62},
        {"4611686018427387905", 0, -1},
        {"4611686018427387910", 0, -1},
        {"46116860184273879040", 0, -1},
        {"4503599627370496K", 1, 1ll << 62},
        {"4503599627370497K", 1, -1},
        {"4294967296G", 1, 1ll << 62},
        {"4294967297G", 1, -1},
        {"3M", 1, 3 << 20},
        {"3M", 0, -2},
        {"M", 1, -2},
        {"3T", 1, -2},
        {"3MM", 1, -2},
        {"", 1, -2},
    };
    int64_t n;
    for (unsigned i = 0; i < N(cases); i++) {
        const struct piece p = {cases[i].text, strlen(cases[i].text)};
        assert_int_equal(piece_number(p, cases[i].suffix, &n), cases[i].value >= 0);
        if (cases[i].value >= 0)
            assert_int_equal(n, cases[i].value);
        else
            assert_string_equal(piece_number_fault(p, cases[i].suffix),
                                cases[i].value == -1 ? "number out of range" : "not a number");
    }
    assert_string_equal(piece_number_fault((struct piece){"5", 2}, true),
                        "not a number"); /* NUL is no unit */
    /* What stands behind a piece is none of it. */
    assert_true(piece_number((struct piece){"55", 1}, true, &n) && n == 5);
    assert_true(piece_number((struct piece){"5K", 1}, true, &n) && n == 5);
    assert_string_equal(piece_number_fault((struct piece){"55", 1}, true), "number out of range");
}

TEST(parameters)
{
    expect("bench=odd:k=9", "");
    expect("bench=odd:any=7", "");
    assert_int_equal(plan_at(&plan, 0)->param[1], 7);
    expect("bench=odd:k=3..7", "");
    assert_int_equal(plan_items(&plan), 3);
    expect("bench=odd:k=3..3", "");
    assert_int_equal(plan_items(&plan), 1);
    expect("bench=odd:k=11", "number out of range|11|k=1 to 9 in steps of 2, or a range such as 1..32; K, M");
    expect("bench=odd:k=2", "number between two steps|2|k=1 to 9 in steps of 2, or");
    expect("bench=odd:any=5..", "this parameter takes no range|5..|");
    expect("bench=odd:any=x", "not a number|x|any=0 to 9223372036854775807; K, M or G");
    expect("bench=odd:any=1:any=2", "given twice|any=2|any= once");
    expect("bench=odd:x=1", "unknown parameter|x=1|k=, any=");
    assert_string_equal(fault.valid, "k=, any="); /* it has one variant */
    expect("bench=odd:variant=x", "unknown parameter|variant=x|");
    expect("bench=plain:variant=x", "unknown parameter|variant=x|plain takes no parameters");
    expect("bench=both:x=1", "unknown parameter|x=1|, variant=a|b");
    expect("bench=both:variant=a:variant=b", "given twice|variant=b|");
    assert_int_equal(parse("bench=article"), 0); /* the experiments, and nothing else */
    assert_int_equal(plan_items(&plan), 1);
    assert_ptr_equal(plan_at(&plan, 0)->bench, &trial);
    assert_int_equal(opt.action, ACTION_ARTICLE);
}

TEST(rings)
{
    expect("ring=3", "");
    assert_true(opt.ring == 3 && opt.ring_given);
    expect("ring=0", "");
    assert_true(opt.ring == 0 && opt.ring_given);
    expect("ring=1", "unknown value|1|0, 3");
    expect("text=on", "");
    assert_true(opt.text);
}

/* A fault's text has room for 199 characters of a list. Of benchmarks there are whole names, those first that
 * begin like the wrong one. */
TEST(long_lists)
{
    with.n_bench = N(benches);
    for (unsigned i = 4; i < N(benches); i++) benches[i] = &longish;
    expect("bench=none", "unknown benchmark|none|all, list, ");
    assert_true(strlen(fault.valid) <= 199 && strstr(fault.valid, "_name, ...; bench=list shows all"));
    expect("bench=a_none",
           "unknown benchmark|a_none|all, list, truth, tags, cascade or article by itself, a_bench");
    expect("bench=a_benchmark_with_a_long_name:x=1", "unknown parameter|x=1|a_parameter");
    assert_int_equal(strlen(fault.valid), 199);
    with.n_bench = PLAN_LINES + 3; /* odd, and all but the first four */
    assert_int_equal(parse(""), 0);
    assert_int_equal(plan_items(&plan), PLAN_LINES);
    benches[1] = &odd;
    expect("", "too many benchmarks||at most 256 of them in one run");
    with.n_bench = 4;
    benches[1] = &plain;
    benches[2] = &both;
    benches[3] = &trial;
}

TEST(words)
{
    char line[4 * CMDLINE_WORDS + 8] = "";
    for (unsigned i = 0; i <= CMDLINE_WORDS; i++) strcat(line, "x=1 ");
    expect(line, "too many words||at most 256");
    line[4 * CMDLINE_WORDS] = '\0';
    assert_int_equal(parse(line), CMDLINE_WORDS);
    expect("x\177=1", "control character|x\177=1|");
    expect("\001=1", "control character|\001=1|");
    expect("x\037=1", "control character|x\037=1|");
    expect("x\200=1", "unknown word|x\200=1|bench= events= ");
    assert_string_equal(fault.valid + strlen(fault.valid) - sizeof " data= branches=" + 1,
                        " data= branches=");
    /* Behind a loader that gives the kernel's path, the line begins at the user's first word. */
    assert_int_equal(options_parse("/boot/it reps=0 x=1", "QEMU", &with, &opt, &plan, on_fault, NULL), 2);
    assert_string_equal(fault.line, "reps=0 x=1");
    expect("console=com1,000000000000000000000000000000000000009600", ""); /* 47 characters, the most */
    expect("console=com1,0000000000000000000000000000000000000009600", "not a serial port|");
    expect("console=com1,000000000000000000000000000000000000000096000", "not a serial port|");
}

TEST(events)
{
    char line[2000] = "events=inst_retired";
    for (unsigned i = 1; i < EVENTS_MAX; i++) strcat(line, ",inst_retired");
    expect(line, "");
    assert_int_equal(opt.n_events, EVENTS_MAX);
    strcat(line, ",tsc"); /* takes no counter */
    expect(line, "");
    strcat(line, ",inst_retired");
    expect(line, "too many events|inst_retired|at most 64");
    expect("events=/event=0xc0,umask=0x00/,tsc", "");
    assert_true(opt.n_events == 1 && opt.tsc);
    expect("events=find:+a", "");
    expect("events=find:@AZ[az", "");
    assert_string_equal(opt.find, "@az[az");
    snprintf(line, sizeof line, "events=find:%063d", 0);
    expect(line, "");
    assert_int_equal(strlen(opt.find), 63);
    expect("events=inst_retire", "unknown event|inst_retire|");
    assert_non_null(strstr(fault.valid, "; events=list"));
    expect("events=uk", "unknown event|uk|");
    expect("events=%%%%%%%%%%%%%%%%%%%%%%", "unknown event|%%%%%%%%%%%%%%%%%%%%%%|events=list shows all");
    assert_non_null(fault.why);
    assert_int_equal(parse("events=%% reps=0"), 2);
    assert_null(fault.why); /* of the events alone */
}

/* What the k-th sampling of an item takes from its benchmark, and what from the command line. */
TEST(experiments)
{
    struct options o;
    expect("bench=trial", "");
    assert_true(options_sampling(&opt, plan_at(&plan, 0), &p6, 1, &o));
    assert_int_equal(o.n_events, 1);
    assert_string_equal(o.event[0].name, "inst_retired"); /* the first of two that it has */
    assert_false(o.repeat);
    assert_false(options_sampling(&opt, plan_at(&plan, 0), &p6, 2, &o));
    expect("bench=trial events=data_mem_refs,inst_retired", "");
    assert_true(options_sampling(&opt, plan_at(&plan, 0), &p6, 0, &o));
    assert_int_equal(o.n_events, 2);
    expect("bench=trial", "");
    static const struct pmu p5 = {.ops = &pmu_p5_ops, .models = P5_PLAIN, .words = &pmu_p5_words};
    assert_true(options_sampling(&opt, plan_at(&plan, 0), &p5, 0, &o));
    assert_int_equal(o.n_events, 0); /* it has neither */
    expect("bench=plain events=inst_retired sample=pmi", "");
    assert_true(options_sampling(&opt, plan_at(&plan, 0), &p6, 0, &o));
    assert_true(o.repeat);
    assert_false(options_sampling(&opt, plan_at(&plan, 0), &p6, 1, &o));
    expect("bench=plain events=inst_retired sample=pmi reps=4", "");
    assert_true(options_sampling(&opt, plan_at(&plan, 0), &p6, 0, &o));
    assert_true(!o.repeat && o.reps == 4);
    expect("bench=trial events=inst_retired sample=pmi", ""); /* repeats by its own count */
    assert_true(options_sampling(&opt, plan_at(&plan, 0), &p6, 0, &o));
    assert_false(o.repeat);
}
