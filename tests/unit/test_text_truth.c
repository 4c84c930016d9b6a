/* The text face of the truth suite. */
#include "report/text.h"
#include "tests/unit/text_drive.h"

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

TEST(test_text)
{
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
                        "Modelled: counted by the PMU model in the emulator, not by a processor.\n"
                        "program, event                            expected  measured  verdict\n"
                        "-------------------------------------------------------------------------------\n"
                        "one: what it is\n"
                        "  misaligned_data_memory_or_io_references  1000000         -  not advancing\n"
                        "  pipeline_flushes_due_to_wrong_branch_predictions\n"
                        "                                           1000000  999999.5  DIFFERS\n"
                        "    the rule\n");
    text[0] = '\0';
    r = row_record("two", "dcu_miss_outstanding", "within", "overhead-lowered");
    rec_str(r, "before", "WBINVD");
    rec_uint(r, "at_least", 5);
    rec_real(r, "measured", 3136);
    rec_real(r, "each", 49);
    text_render(r, put);
    assert_string_equal(text, "two: what it is; before each run: WBINVD\n"
                              "  dcu_miss_outstanding                  >= 1000000      3136  within\n"
                              "    49 each, at least 5\n"
                              "    ! a raw count was below the overhead, which was lowered to it\n");
    text[0] = '\0';
    r = record_new("truths");
    rec_uint(r, "agree", 120);
    rec_uint(r, "differ", 1);
    rec_uint(r, "absent", 0);
    rec_uint(r, "not_advancing", 2);
    text_render(r, put);
    assert_string_equal(text, "\n120 agree, 1 differ, 2 not advancing\n");
}

/* "a + b" on each side, its values below the two columns; what is too long is cut. */
TEST_WITH(relations, begin, NULL)
{
    char longest[400];
    for (unsigned i = 0; i < 4; i++) {
        struct record *r = record_new("relation");
        memset(longest, 'x', sizeof longest - 1);
        longest[i == 2 ? 150 : 330] = '\0';
        rec_str(r, "program", i ? "two" : "one");
        rec_str(r, "desc", "d");
        if (i == 1) rec_uint(r, "ring", 3);
        if (i == 0)
            STRINGS(r, "left_terms", "a", "b", "c");
        else
            STRINGS(r, "left_terms", "dcu_lines_in_of_20__");
        rec_str(r, "relation", "<=");
        if (i < 2)
            STRINGS(r, "right_terms", "resource_stall_");
        else
            STRINGS(r, "right_terms", longest, longest);
        rec_real(r, "left", 0.5);
        if (i == 1) rec_uint(r, "right", 12345678901ull);
        rec_str(r, "verdict", "agrees");
        rec_str(r, "reason", "the rule");
        if (i == 1) rec_bool(r, "remark", true);
        record_emit(r);
        if (i == 1)
            expect("\n"
                   "program, event                            expected  measured  verdict\n"
                   "-------------------------------------------------------------------------------\n"
                   "one: d\n"
                   "  a + b + c <= resource_stall_                 0.5         -  agrees\n"
                   "two: d (ring 3)\n"
                   "  dcu_lines_in_of_20__ <= resource_stall_\n"
                   "                                             0.5 12345678901  agrees\n"
                   "    the rule\n");
        if (i < 2) continue;
        assert_int_equal(strchr(text, '+') != NULL, i == 2);
        text[0] = '\0';
    }
}

/* A name of 39 letters fits beside eight digits, one letter or digit more does not; programs follow each
 * other, and in another ring. */
TEST_WITH(names_at_the_border, begin, NULL)
{
    static const struct {
        unsigned letters, expected;
    } cases[] = {{39, 12345678}, {39, 123456789}, {38, 1234567890}, {40, 1}};
    for (unsigned i = 0; i < 4; i++) {
        char name[42];
        struct record *r = record_new("truth");
        memset(name, 'e', sizeof name);
        name[cases[i].letters] = '\0';
        rec_str(r, "program", i == 3 ? "other" : "one");
        rec_str(r, "desc", "what it is");
        if (i == 3) rec_uint(r, "ring", 2);
        rec_str(r, "event", name);
        rec_uint(r, "expected", cases[i].expected);
        rec_uint(r, "measured", 12345678901ull);
        rec_str(r, "verdict", "refused");
        if (i == 1) rec_uint(r, "each", 7);
        record_emit(r);
    }
    expect("\n"
           "program, event                            expected  measured  verdict\n"
           "-------------------------------------------------------------------------------\n"
           "one: what it is\n"
           "  eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee\n"
           "                                        12345678 12345678901  refused\n"
           "  eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee\n"
           "                                       123456789 12345678901  refused\n"
           "    7 each, at least 0\n"
           "  eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee\n"
           "                                      1234567890 12345678901  refused\n"
           "other: what it is (ring 2)\n"
           "  eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee\n"
           "                                               1 12345678901  refused\n");
}

/* A least value without an expected one, a desc that is not there, numbers that are none. */
TEST_WITH(a_row_of_which_little_is_known, begin, NULL)
{
    struct record *r = record_new("truth");
    rec_str(r, "program", "one");
    rec_str(r, "before", "WBINVD");
    rec_uint(r, "at_least", 1);
    rec_str(r, "measured", "?");
    rec_str(r, "each", "?");
    rec_bool(r, "remark", true);
    rec_str(r, "reason", "the rule");
    record_emit(r);
    assert_non_null(strstr(text, "one: ; before each run: WBINVD\n"
                                 "  ?                                           >= 0         0  ?\n    0 "
                                 "each, at least 1\n    the rule\n"));
}

/* Names are cut where their room ends. */
TEST(very_long_names)
{
    static char letters[400];
    for (unsigned i = 0; i < 2; i++) {
        struct record *r = record_new("relation");
        memset(letters, 'x', sizeof letters - 1);
        rec_str(r, "desc", "");
        rec_str(r, "program", i ? "two" : letters);
        STRINGS(r, "left_terms", i ? letters : "a");
        STRINGS(r, "right_terms", i ? "b" : letters);
        rec_str(r, "relation", "<=");
        rec_str(r, "verdict", "yyyyyyyyyyyyyyyyyyyyyyyyyyyyyy");
        begin(state);
        record_emit(r);
        unsigned x = 0, y = 0;
        for (const char *c = strstr(text, "--\n"); *c; c++) x += *c == 'x', y += *c == 'y';
        assert_int_equal(x, i ? 159 : 32 + 319);
        assert_int_equal(y, 79 - (2 + 39 + 9 + 1 + 9 + 2)); /* behind the other columns */
    }
}

/* Only what there is is counted. */
TEST_WITH(totals, begin, NULL)
{
    static const char *const keys[] = {"within",  "absent",     "not_advancing",
                                       "refused", "unmodelled", "answered"};
    static const char *const words[] = {"within their bounds", "absent on this CPU",
                                        "not advancing",       "refused",
                                        "not modelled",        "questions answered"};
    for (unsigned i = 0; i < 6; i++)
        for (unsigned n = 0; n < 3; n++) {
            char want[100] = "\n0 agree, 0 differ\n";
            struct record *r = record_new("truths");
            rec_uint(r, keys[i], n);
            record_emit(r);
            if (n)
                sprintf(want, "\n0 agree, 0 differ, %u %s\n", n,
                        i == 5 && n == 1 ? "question answered" : words[i]);
            expect(want);
        }
}

/* The words of the verdicts are explained at the end. */
TEST_WITH(verdicts_explained, begin, NULL)
{
    static const struct {
        const char *verdict, *mark;
    } cases[] = {{"differs", "\n  DIFFERS "}, {"within", "\n  within "}, {"agrees", NULL}};
    for (unsigned i = 0; i < 3; i++) {
        begin(state);
        record_emit(row_record("one", "e", cases[i].verdict, "x"));
        text[0] = '\0';
        record_emit(record_new("done"));
        if (cases[i].mark)
            assert_non_null(strstr(text, cases[i].mark));
        else
            assert_string_equal(text, "");
    }
}
