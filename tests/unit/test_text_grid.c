/* The text face of a sweep: a grid where it fits, else rows, and nothing lost between the two. */
#include "report/text.h"
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
    if (flag) STRINGS(r, "flags", flag);
    record_emit(r);
}

TEST_WITH(values_down_events_across, begin, NULL)
{
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
           "stride_thrash n=1000, ring 3: medians per load (modelled)\n"
           "     lines       cycles  mem_load_retired          IPC\n"
           "                                 :l1_miss\n" LINE
           "         1    1.000                 0        1.500\n"
           "         2    1.000            unmodelled    1.500\n"
           "         3   12.250 ~         0.00900        1.500\n"
           "\n"
           "stride_thrash n=1000, ring 3: medians per load (modelled)\n"
           "     lines          cycles  mem_load_retired          IPC\n"
           "                                    :l1_miss\n" LINE "         4  1000000000 !\n"
           "Note  apic: absent\n");
}

/* One event, or no sweep: rows show more. */
TEST_WITH(rows, begin, NULL)
{
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
TEST_WITH(too_wide, begin, NULL)
{
    static const char *const events[] = {"an_event_with_a_long_name_1", "an_event_with_a_long_name_2",
                                         "an_event_with_a_long_name_3"};
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
TEST_WITH(cut_short, begin, NULL)
{
    flag = NULL;
    measured(1, "tsc", 5, 0.5);
    measured(1, "cycles", 6, 0.5);
    expect("");
    report_error("benchmark", "cancelled");
    expect(ROWS "stride_thrash n=1000 ring=3\n"
                "  lines=1                   tsc/load   5.000   5.000   5.000 +/- 0.500      7\n"
                "                         cycles/load   6.000   6.000   6.000 +/- 0.500      7\n"
                "ERROR benchmark: cancelled\n");
    record_emit(record_new("done"));
    assert_non_null(strstr(text, "\n  overhead "));
}

/* An event that the first value did not have ends the grid. */
TEST_WITH(another_event, begin, NULL)
{
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

struct value {
    const char *variant, *key, *other, *event, *unit, *flag[3];
    int at;
    unsigned ring;
    double median, ci, core_per_tsc, core_per_op;
};

/* A value of a sweep over `key`. */
static void emit_value(const struct value *v)
{
    struct record *r = record_new("result");
    rec_str(r, "bench", "b");
    if (v->variant) rec_str(r, "variant", v->variant);
    rec_object(r, "params");
    rec_int(r, v->key, v->at);
    if (v->other) rec_int(r, v->other, 7);
    rec_close(r);
    if (v->ring) rec_uint(r, "ring", v->ring);
    rec_str(r, "event", v->event);
    rec_str(r, "unit", v->unit ? v->unit : "x/y/op");
    rec_str(r, "sweep", v->key);
    rec_real(r, "median", v->median);
    rec_real(r, "mean", v->median);
    if (v->ci) rec_real(r, "ci95", v->ci);
    if (v->core_per_tsc) rec_real(r, "core_per_tsc", v->core_per_tsc);
    if (v->core_per_op) rec_real(r, "core_per_op", v->core_per_op);
    strings(r, "flags", v->flag);
    record_emit(r);
}
#define VALUE(...) emit_value(&(struct value){__VA_ARGS__})

/* Names that just fit into one line, and into the screen's 79 columns; a ratio for which there is no room is
 * in the records alone, an event is not. */
TEST_WITH(as_wide_as_the_screen, begin, NULL)
{
    static const char *const events[] = {"abcde:fghij", "abcdef:ghijk", "abcdef:ghijz", "abcdef_ghijk",
                                         "x:of_15_letters"};
    flag = NULL;
    for (int at = 9; at <= 10; at++) {
        for (unsigned i = 0; i < 4; i++) VALUE(.key = "n_of_8__", .at = at, .event = events[i], .median = i);
        VALUE(.key = "n_of_8__", .at = at, .event = events[4], .median = 4);
        ipc(1);
    }
    expect("\n"
           "b: medians per op\n"
           "  n_of_8__  abcde:fghij       abcdef       abcdef  abcdef_ghijk               x\n"
           "                              :ghijk       :ghijz                :of_15_letters\n" LINE
           "         9        0        1.000        2.000         3.000           4.000\n"
           "        10        0        1.000        2.000         3.000           4.000\n");
    for (int at = 9; at <= 10; at++) {
        for (unsigned i = 0; i < 4; i++)
            VALUE(.variant = "v", .key = "n_of_9___", .at = at, .event = events[i], .median = i);
        VALUE(.variant = "v", .key = "n_of_9___", .at = at, .event = events[4], .median = 4);
    }
    assert_null(strstr(text, "medians"));
    assert_non_null(strstr(text, "\n  n_of_9___=10  "));
    text[0] = '\0';
}

/* Every mark at once; an interval of 1 % is not wide; what is divided by stands behind the last slash. */
TEST_WITH(marks_of_cells, begin, NULL)
{
    for (int at = 1; at <= 2; at++) {
        VALUE(.variant = "sse2", .other = "bytes", .key = "n", .at = at, .event = "e", .median = -100,
              .ci = at == 1 ? 1 : 1.01, .flag = {"modelled", "wrapped"}, .unit = "none");
        VALUE(.variant = "sse2", .other = "bytes", .key = "n", .at = at, .event = "f", .median = 0.25,
              .flag = {"modelled"}, .unit = "none");
    }
    report_note("apic", "absent");
    expect("\n"
           "b sse2 bytes=7: medians per operation (modelled)\n"
           "         n             e            f\n" LINE "         1  -100.000 !      0.250\n"
           "         2  -100.000 ~!     0.250\n"
           "Note  apic: absent\n");
}

/* Where a session is modelled the heading says so. Counts have all of
 * their digits: wider ones a new heading, and lines of their own where the screen ends. */
TEST_WITH(all_are_modelled, begin, NULL)
{
    struct record *r = record_new("boot");
    rec_str(r, "platform", "bochs");
    rec_str(r, "modelled", "p55c");
    record_emit(r);
    text[0] = '\0';
    for (int at = 1; at <= 4; at++) {
        const double times = at < 3 ? 1 : at == 3 ? 20000003 : 0x1p48 - 1;
        VALUE(.key = "n", .at = at, .event = "e", .median = 1.043 * (at < 3) + (at > 2) * times,
              .flag = {"modelled"});
        VALUE(.key = "n", .at = at, .event = "f", .median = at == 2 ? 1234.567 : times, .flag = {"modelled"});
        VALUE(.key = "n", .at = at, .event = "g", .median = times, .ci = 0.02 * times, .flag = {"modelled"});
        VALUE(.key = "n", .at = at, .event = "h", .median = times, .flag = {"modelled"});
    }
    text_table_close(put);
    expect("\n"
           "b: medians per op (modelled)\n"
           "         n            e            f            g            h\n" LINE
           "         1    1.043        1.000        1.000 ~      1.000\n"
           "\n"
           "b: medians per op (modelled)\n"
           "         n            e             f            g            h\n" LINE
           "         2    1.043      1234.567        1.000 ~      1.000\n"
           "\n"
           "b: medians per op (modelled)\n"
           "         n             e             f             g             h\n" LINE
           "         3  20000003      20000003      20000003 ~    20000003\n"
           "\n"
           "b: medians per op (modelled)\n"
           "         n                    e                    f                    g\n"
           "                              h\n" LINE
           "         4  281474976710655      281474976710655      281474976710655 ~\n"
           "            281474976710655\n");
    begin(state);
}

/* Core cycles are a column of their own. */
TEST_WITH(core_cycles_of_cells, begin, NULL)
{
    for (int at = 1; at <= 3; at++)
        VALUE(.key = "n", .at = at, .event = "tsc", .median = 10 * at, .core_per_tsc = 1.5,
              .ci = at == 2 ? 5 : 0, .core_per_op = 15 * at, .flag = {at == 3 ? "wrapped" : NULL});
    report_note("apic", "absent");
    expect("\n"
           "b: medians per op\n"
           "         n          tsc  core cycles\n" LINE "         1   10.000       15.000\n"
           "         2   20.000 ~     30.000 ~\n"
           "         3   30.000 !     45.000 !\n"
           "Note  apic: absent\n");
}

/* Rows that end before the last column, and sweeps one after the other. */
TEST_WITH(rows_that_are_not_whole, begin, NULL)
{
    for (int at = 1; at <= 4; at++) {
        VALUE(.key = "n", .at = at, .event = "tsc", .median = at);
        if (at != 2) VALUE(.key = "n", .at = at, .event = "cycles", .median = 2 * at);
        if (at == 3) ipc(3);
    }
    VALUE(.key = "n", .variant = "v", .at = 4, .event = "tsc", .median = 1);
    VALUE(.key = "n", .variant = "v", .at = 5, .event = "tsc", .median = 1);
    VALUE(.key = "n", .variant = "v", .at = 5, .event = "cycles", .median = 1);
    VALUE(.key = "n", .variant = "w", .ring = 3, .at = 5, .event = "tsc", .median = 1);
    VALUE(.key = "n", .variant = "w", .ring = 3, .at = 5, .event = "cycles", .median = 1);
    VALUE(.key = "n", .variant = "w", .ring = 3, .at = 6, .event = "tsc", .median = 1);
    VALUE(.key = "n", .variant = "w", .ring = 3, .at = 6, .event = "cycles", .median = 1);
    VALUE(.key = "n", .variant = "w", .ring = 3, .at = 6, .event = "one more", .median = 1);
    expect("\n"
           "b: medians per op\n"
           "         n          tsc       cycles\n" LINE "         1    1.000        2.000\n"
           "         2    2.000\n"
           "         3    3.000        6.000\n"
           "         4    4.000        8.000\n"
           "\n"
           "benchmark, parameters           unit     min  median    mean +/- 95 %  overhead\n" LINE
           "b v n=4                       x/y/op       -   1.000   1.000 +/- -          0\n"
           "  n=5                         x/y/op       -   1.000   1.000 +/- -          0\n"
           "                              x/y/op       -   1.000   1.000 +/- -          0\n"
           "\n"
           "b w, ring 3: medians per op\n"
           "         n          tsc       cycles\n" LINE "         5    1.000        1.000\n"
           "         6    1.000        1.000\n"
           "\n"
           "benchmark, parameters           unit     min  median    mean +/- 95 %  overhead\n" LINE
           "b w n=6 ring=3                x/y/op       -   1.000   1.000 +/- -          0\n");
}

/* Parameters beyond what is kept are cut, and harm nothing. */
TEST_WITH(too_many_letters, begin, NULL)
{
    char key[300];
    unsigned kept = 0;
    for (unsigned n = 240; n < 260; n++) {
        memset(key, 'k', n);
        key[n] = '\0';
        for (int at = 1; at <= 2; at++)
            for (unsigned i = 0; i < 2; i++)
                VALUE(.key = "n", .other = key, .at = at, .event = i ? "e" : "f", .ring = 3);
        text_table_close(put);
        if (n == 259)
            for (const char *c = text; *c; c++) kept += *c == 'k';
        if (n == 240)
            expect("\n"
                   "b\n"
                   "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk\n"
                   "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk\n"
                   "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk\n"
                   "kkk=7, ring 3: medians per op\n"
                   "         n            f            e\n" LINE "         1        0            0\n"
                   "         2        0            0\n");
        text[0] = '\0';
    }
    assert_int_equal(kept, 253); /* with "b " 255 */
    for (int at = 1; at <= 2; at++)
        for (unsigned i = 0; i < 2; i++)
            VALUE(.key = "a_key_of_twenty_five_____", .at = at, .event = i ? "e" : "f",
                  .unit = "x/a_unit_of_sixty_five___________________________________________________");
    assert_non_null(strstr(text, "per a_unit_of_sixty_five___________________________________________\n"
                                 "  a_key_of_twenty_five___            f            e\n"));
    begin(state);
}
