/* The truth suite's results as records, each judged by the catalogue as it is made (emit_drive.h). */
#include "kernel/fpu.h"
#include "kernel/user.h"
#include "report/emit_truth.h"
#include "tests/unit/emit_drive.h"
#include "tests/unit/errata_named.h"
#include "tests/unit/fake_trap.h"
#include <string.h>

const char kernel_text[1]; /* linker.ld's */

/* What would run a program: here only the results are made up. */
bool fpu_init(void) { return true; }
void user_call(void *top, user_fn *fn, void *a, void *b, void *c)
{
    (void)top, (void)fn, (void)a, (void)b, (void)c;
}

static const struct options opt = {.ring = 3};
static const struct machine silicon = {.count_origin = ORIGIN_SILICON},
                            model = {.count_origin = ORIGIN_MODELLED};
static const struct truth_row row = {.event = "loads", .reason = "the rule", .tell = true};
static const struct truth_program one = {.program = {.name = "one", .desc = "what it is"}};

static const char *string(unsigned i, const char *key) { return json_string_value(field(i, key)); }

/* A list's strings, " a b". */
static const char *items(unsigned i, const char *key)
{
    static char out[200];
    size_t k;
    json_t *item_of;
    out[0] = '\0';
    json_array_foreach(json_object_get(record[i], key), k, item_of)
    {
        strcat(out, " ");
        strcat(out, json_string_value(item_of));
    }
    return out;
}

static void give(const struct machine *m, const struct truth_result *t)
{
    struct truth_report to = {.opt = &opt, .m = m};
    const struct truth_sink sink = emit_truth_sink(&to);
    sink.result(sink.ctx, t);
}

/* Each figure of a measured count has a field of its own. */
TEST_WITH(a_count, session, forget)
{
    static const char *const reals[] = {"measured", "min", "max", "base"};
    static const char *const numbers[] = {"raw", "overhead", "group", "groups", "counter", "reps"};
    struct truth_program with_base = one;
    struct truth_row at_least = row;
    struct truth_result t = {.program = &with_base,
                             .row = &at_least,
                             .expected = 4,
                             .count = {.median = 2,
                                       .min = 3,
                                       .max = 4,
                                       .base = 5,
                                       .raw_min = 6,
                                       .overhead = 7,
                                       .group = 8,
                                       .groups = 9,
                                       .counter = 10,
                                       .reps = 11}};
    with_base.base = (payload_fn *)1;
    with_base.program.before = truth_flush;
    at_least.least = 3;
    at_least.tell = false;
    give(&silicon, &t);
    for (unsigned i = 0; i < N(reals); i++) assert_true(json_real_value(field(0, reals[i])) == i + 2);
    for (unsigned i = 0; i < N(numbers); i++)
        assert_int_equal(json_integer_value(field(0, numbers[i])), i + 6);
    assert_int_equal(json_integer_value(field(0, "expected")), 4);
    assert_int_equal(json_integer_value(field(0, "at_least")), 3);
    assert_true(json_real_value(field(0, "each")) == 1.5); /* 2 of 4/3 occurrences */
    assert_int_equal(json_integer_value(field(0, "ring")), 3);
    assert_string_equal(string(0, "program"), "one");
    assert_string_equal(string(0, "desc"), "what it is");
    assert_string_equal(string(0, "before"), "WBINVD, MOV CR3");
    assert_string_equal(string(0, "event"), "loads");
    assert_string_equal(string(0, "reason"), "the rule");
    assert_true(json_is_false(field(0, "remark")));
    assert_string_equal(items(0, "flags"), "");
    t.expected = 0; /* of nothing there is no share */
    give(&silicon, &t);
    assert_null(field(1, "each"));
    assert_int_equal(json_integer_value(field(1, "expected")), 0);
    t.expected = 4;
    t.program = &one;
    t.row = &row;
    give(&silicon, &t);
    static const char *const absent[] = {"each", "at_least", "base", "before"};
    for (unsigned i = 0; i < N(absent); i++) assert_null(field(2, absent[i]));
    assert_true(json_is_true(field(2, "remark")));
}

/* Where nothing was counted there is no number, and where it is not known no expectation. */
TEST_WITH(no_count, session, forget)
{
    static const char *const absent[] = {"expected", "measured", "min",   "max",    "raw",
                                         "overhead", "reps",     "group", "counter"};
    const struct truth_result t = {.program = &one,
                                   .row = &row,
                                   .expected = TRUTH_UNKNOWN,
                                   .count = {.state = TRUTH_ABSENT},
                                   .verdict = TRUTH_ABSENT};
    give(&model, &t);
    for (unsigned i = 0; i < N(absent); i++) assert_null(field(0, absent[i]));
    assert_string_equal(string(0, "verdict"), "absent");
}

/* The origin is that of a number; disturbances are told of any. */
TEST_WITH(verdicts_and_flags, session, forget)
{
    static const char *const words[] = {"agrees",        "within",  "differs",    "absent",
                                        "not advancing", "refused", "unmodelled", "answered"};
    for (unsigned v = 0; v < TRUTH_VERDICTS; v++) {
        const struct truth_result t = {.program = &one,
                                       .row = &row,
                                       .verdict = (enum truth_verdict)v,
                                       .count = {.smi = v == 3, .stray = v == 4, .overhead_lowered = v == 5}};
        static const char *const want[] = {" modelled", " modelled",         " modelled", " smi",
                                           " stray",    " overhead-lowered", "",          " modelled"};
        give(&model, &t);
        assert_string_equal(string(v, "verdict"), words[v]);
        assert_string_equal(items(v, "flags"), want[v]);
    }
}

TEST_WITH(relations, session, forget)
{
    static const struct truth_relation two = {.left = "a", .right = {"b", "c"}, .source = "why"},
                                       same = {.left = "a", .must = EQUAL, .right = {"b"}, .source = "why"};
    struct truth_report to = {.opt = &opt, .m = &model};
    const struct truth_sink sink = emit_truth_sink(&to);
    struct truth_relation_result t = {.program = &one, .relation = &two, .left = 1, .right = 2};
    for (unsigned v = 0; v < TRUTH_VERDICTS; v++) {
        t.verdict = (enum truth_verdict)v;
        t.relation = v ? &same : &two;
        t.overhead_lowered = v == 1;
        sink.relation(sink.ctx, &t);
        const bool measured = v == TRUTH_AGREES || v == TRUTH_DIFFERS || v == TRUTH_ANSWERED;
        assert_int_equal(field(v, "left") != NULL, measured);
        assert_int_equal(field(v, "right") != NULL, measured);
        assert_string_equal(items(v, "left_terms"), " a");
        assert_string_equal(items(v, "right_terms"), v ? " b" : " b c");
        assert_string_equal(string(v, "relation"), v == TRUTH_ANSWERED ? "<" : v ? "=" : "<=");
        assert_string_equal(string(v, "reason"), "why");
        assert_string_equal(items(v, "flags"), v == 0                          ? " modelled"
                                               : v == 1                        ? " modelled overhead-lowered"
                                               : v == 2 || v == TRUTH_ANSWERED ? " modelled"
                                                                               : "");
    }
    assert_true(json_real_value(field(0, "left")) == 1 && json_real_value(field(0, "right")) == 2);
}

/* What a question's record says is what was counted. */
TEST_WITH(questions, session, forget)
{
    static const struct truth_relation asked = {.left = "a", .must = ASKED, .right = {"b"}, .source = "why?"};
    static const char *const is[] = {">", "=", "<"};
    struct truth_report to = {.opt = &opt, .m = &model};
    const struct truth_sink sink = emit_truth_sink(&to);
    for (unsigned i = 0; i < 3; i++) {
        const struct truth_relation_result t = {
            .program = &one, .relation = &asked, .left = 6, .right = 5 + i, .verdict = TRUTH_ANSWERED};
        sink.relation(sink.ctx, &t);
        assert_string_equal(string(i, "relation"), is[i]);
    }
    assert_non_null(
        strstr(text, "  a > b                                          6         5  answered\n    why?\n"));
}

/* Programs that lack the same thing share a note; then the totals. */
TEST_WITH(left_out_and_totals, session, forget)
{
    static const struct truth_program two = {.program = {.name = "two"}};
    static const char *const keys[] = {"agree",         "within",  "differ",     "absent",
                                       "not_advancing", "refused", "unmodelled", "answered"};
    struct truth_report to = {.opt = &opt, .m = &model};
    const struct truth_sink sink = emit_truth_sink(&to);
    struct truth_totals totals = {.programs = 3};
    for (unsigned v = 0; v < TRUTH_VERDICTS; v++) totals.verdict[v] = 20 + v;
    sink.left_out(sink.ctx, &one, "MMX");
    sink.left_out(sink.ctx, &two, "MMX");
    assert_int_equal(records, 0);
    sink.left_out(sink.ctx, &one, "SSE");
    assert_int_equal(records, 1);
    emit_truths(&to, &totals);
    emit_truths(&to, &totals);
    assert_int_equal(records, 4);
    assert_string_equal(string(0, "message"), "not run, because they need MMX: one, two");
    assert_string_equal(string(1, "message"), "not run, because they need SSE: one");
    for (unsigned v = 0; v < TRUTH_VERDICTS; v++)
        for (unsigned i = 2; i < 4; i++) assert_int_equal(json_integer_value(field(i, keys[v])), 20 + v);
    struct run failed = run;
    failed.status = RUN_MEMORY;
    sink.failure(sink.ctx, &failed);
    assert_string_equal(string(4, "t"), "error");
    assert_string_equal(string(4, "bench"), "l1_profile");
    for (unsigned i = 0; i < 100; i++) sink.left_out(sink.ctx, &one, "CPL 0"); /* as many names as fit */
    emit_truths(&to, &totals);
    assert_int_equal(strlen(string(5, "message")), strlen("not run, because they need CPL 0: ") + 255);
}

/* A verdict on a count that errata make doubtful says so. */
TEST_WITH(errata, session, forget)
{
    struct truth_result t = {.program = &one, .row = &row, .expected = 4};
    t.count.errata = erratum_named("990");
    t.verdict = TRUTH_DIFFERS;
    give(&silicon, &t);
    assert_string_equal(items(0, "flags"), " overcount");
    assert_non_null(strstr(text, "! may be too high: erratum 990\n"));
    give(&model, &t);
    assert_string_equal(items(1, "flags"), " modelled");
    t.verdict = TRUTH_ABSENT;
    give(&silicon, &t);
    assert_string_equal(items(2, "flags"), "");
    assert_null(field(2, "errata"));
}
