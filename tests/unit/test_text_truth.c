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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
