/* The text face of a sweep: a grid where it fits, else rows, and nothing lost between the two. */
#include "tests/unit/text_drive.h"
#include <math.h>

#define LINE "-------------------------------------------------------------------------------\n"
#define ROWS "\nbenchmark, parameters           unit     min  median    mean +/- 95 %  overhead\n" LINE

static const char *flag, *sweep = "lines";

/* One event of the measurement with this many lines. */
static void measured(int lines, const char *event, double median, double ci)
{
    struct record *r = record_new("result");
    rec_str(r, "bench", "stride_thrash");
    rec_str(r, "variant", "");
    rec_object(r, "params");
    rec_int(r, "lines", lines);
    rec_int(r, "n", 1000);
    rec_close(r);
    rec_uint(r, "cpu", 0);
    rec_uint(r, "ring", 3);
    rec_str(r, "event", event);
    rec_strf(r, "unit", "%s/load", event);
    if (sweep) rec_str(r, "sweep", sweep);
    rec_uint(r, "reps", 20);
    rec_uint(r, "overhead", 7);
    rec_real(r, "min", median);
    rec_real(r, "median", median);
    rec_real(r, "mean", median);
    rec_real(r, "ci95", ci);
    if (flag && strcmp(flag, "slow") == 0) rec_uint(r, "slow", 1);
    rec_array(r, "flags");
    if (flag) rec_str(r, NULL, flag);
    rec_close(r);
    record_emit(r);
}

static void ipc(double value)
{
    struct record *r = record_new("derived");
    rec_str(r, "bench", "stride_thrash");
    rec_str(r, "name", "IPC");
    rec_str(r, "formula", "instructions / cycles");
    rec_real(r, "value", value);
    STRINGS(r, "flags", "modelled");
    record_emit(r);
}

static void values_down_events_across(void **state)
{
    (void)state;
    flag = "modelled";
    for (int lines = 1; lines <= 3; lines++) {
        measured(lines, "cycles", lines == 3 ? 12.25 : 1, lines == 3 ? 3 : 0);
        flag = lines == 2 ? "unmodelled" : "modelled";
        measured(lines, "mem_load_retired:l1_miss", lines == 3 ? 0.009 : 0, 0);
        flag = "modelled";
        ipc(1.5);
    }
    flag = "slow";
    measured(4, "cycles", 1e9, 0);
    report_note("apic", "absent"); /* the row is not whole, and comes out */
    expect("\n"
           "stride_thrash n=1000, ring 3: medians per load\n"
           "     lines       cycles  mem_load_retired          IPC\n"
           "                                 :l1_miss\n" LINE
           "         1    1.000 M               0 M      1.500 M\n"
           "         2    1.000 M          unmodelled    1.500 M\n"
           "         3   12.250 M~        0.00900 M      1.500 M\n"
           "         4   1.000G !\n"
           "Note  apic: absent\n");
}

/* One event, or no sweep: rows show more. */
static void rows(void **state)
{
    (void)state;
    flag = NULL;
    measured(1, "tsc", 5, 0.5);
    measured(2, "tsc", 6, 0.5);
    measured(3, "tsc", 7, 0.5);
    expect(ROWS "stride_thrash n=1000 ring=3\n"
                "  lines=1                   tsc/load   5.000   5.000   5.000 +/- 0.500      7\n"
                "  lines=2                   tsc/load   6.000   6.000   6.000 +/- 0.500      7\n"
                "  lines=3                   tsc/load   7.000   7.000   7.000 +/- 0.500      7\n");
    begin(state);
    sweep = NULL;
    measured(1, "tsc", 5, 0.5);
    measured(1, "cycles", 5, 0.5);
    measured(2, "tsc", 5, 0.5);
    sweep = "lines";
    expect(ROWS "stride_thrash n=1000 ring=3\n"
                "  lines=1                   tsc/load   5.000   5.000   5.000 +/- 0.500      7\n"
                "                         cycles/load   5.000   5.000   5.000 +/- 0.500      7\n"
                "  lines=2                   tsc/load   5.000   5.000   5.000 +/- 0.500      7\n");
}

/* What does not fit comes as rows, those first that were held. */
static void too_wide(void **state)
{
    static const char *const events[] = {"an_event_with_a_long_name_1", "an_event_with_a_long_name_2",
                                         "an_event_with_a_long_name_3"};
    (void)state;
    flag = NULL;
    for (int lines = 1; lines <= 2; lines++)
        for (unsigned i = 0; i < 3; i++) measured(lines, events[i], 1 + i, 0.5);
    expect(ROWS "stride_thrash lines=1 n=1000 ring=3\n"
                "    an_event_with_a_long_name_1/load\n"
                "                                       1.000   1.000   1.000 +/- 0.500      7\n"
                "    an_event_with_a_long_name_2/load\n"
                "                                       2.000   2.000   2.000 +/- 0.500      7\n"
                "    an_event_with_a_long_name_3/load\n"
                "                                       3.000   3.000   3.000 +/- 0.500      7\n"
                "  lines=2\n"
                "    an_event_with_a_long_name_1/load\n"
                "                                       1.000   1.000   1.000 +/- 0.500      7\n"
                "    an_event_with_a_long_name_2/load\n"
                "                                       2.000   2.000   2.000 +/- 0.500      7\n"
                "    an_event_with_a_long_name_3/load\n"
                "                                       3.000   3.000   3.000 +/- 0.500      7\n");
}

/* A run that ends after its first value has that one's rows. */
static void cut_short(void **state)
{
    (void)state;
    flag = NULL;
    measured(1, "tsc", 5, 0.5);
    measured(1, "cycles", 6, 0.5);
    expect("");
    report_error("benchmark", "cancelled");
    expect(ROWS "stride_thrash n=1000 ring=3\n"
                "  lines=1                   tsc/load   5.000   5.000   5.000 +/- 0.500      7\n"
                "                         cycles/load   6.000   6.000   6.000 +/- 0.500      7\n"
                "ERROR benchmark: cancelled\n");
}

/* An event that the first value did not have ends the grid. */
static void another_event(void **state)
{
    (void)state;
    flag = NULL;
    measured(1, "tsc", 5, 0.5);
    measured(1, "cycles", 6, 0);
    measured(2, "tsc", 5, 0);
    measured(2, "branches", 6, 0.5);
    expect("\n"
           "stride_thrash n=1000, ring 3: medians per load\n"
           "     lines          tsc       cycles\n" LINE "         1    5.000 ~      6.000\n"
           "         2    5.000\n" ROWS "stride_thrash n=1000 ring=3\n"
           "  lines=2              branches/load   6.000   6.000   6.000 +/- 0.500      7\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(values_down_events_across, begin), cmocka_unit_test_setup(rows, begin),
        cmocka_unit_test_setup(too_wide, begin), cmocka_unit_test_setup(cut_short, begin),
        cmocka_unit_test_setup(another_event, begin)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
