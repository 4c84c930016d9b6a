/* The text face of results: the table, its headings and its numbers. */
#include "tests/unit/result_records.h"
#include <math.h>

#define HEADING_99                                                                      \
    "\n"                                                                                \
    "benchmark, parameters           unit     min  median    mean +/- 99 %  overhead\n" \
    "-------------------------------------------------------------------------------\n"

#define LINE "-------------------------------------------------------------------------------\n"

#define EMULATED "Emulated: times are the emulator's, not a processor's.\n"
#define MODELLED "Modelled: counted by the PMU model in the emulator, not by a processor.\n"
#define VIRTUAL  "Virtualized: the hypervisor's work is part of the numbers.\n"
#define NEXT(origin) \
    "\n" origin "benchmark, parameters           unit     min  median    mean +/- 95 %  overhead\n" LINE

TEST_WITH(a_table_of_results, begin, NULL)
{
    RESULT(.bench = "fp_add_latency", .variant = "x87", .unit = "tsc/add", .n = 1000, .min = 5,
           .median = 5.0004, .mean = 5.0126, .ci = 0.0071, .overhead = 84);
    RESULT(.bench = "fp_add_latency", .variant = "sse2", .unit = "tsc/add", .n = 1000, .min = 4, .median = 4,
           .mean = 4.2, .ci = 0.35, .overhead = 84, .slow = 2, .smi = 1, .culled = 3);
    for (int lines = 1; lines <= 3; lines++)
        RESULT(.bench = "stride_thrash", .unit = "tsc/load", .lines = lines, .stride = 8192, .n = 1000,
               .min = 5, .median = 5, .mean = 5, .ci = 0, .overhead = 12345, .flag = "emulated");
    RESULT(.bench = "stride_thrash", .unit = "tsc/load", .lines = 3, .stride = 8192, .n = 1000, .ring = 3,
           .min = 5, .median = 5, .mean = 5, .ci = 0, .overhead = 84, .flag = "virtualized");
    RESULT(.bench = "empty", .unit = "tsc/call", .min = 0, .median = 0, .mean = 0, .ci = NAN,
           .flag = "modelled");
    expect(
        HEADING
        "fp_add_latency x87 n=1000    tsc/add   5.000   5.000   5.013 +/- 0.007     84\n"
        "fp_add_latency sse2 n=1000   tsc/add   4.000   4.000   4.200 +/- 0.350     84\n"
        "  ! of 23 repetitions: 2 slow, 1 with an SMI, 3 culled\n" NEXT(
            EMULATED) "stride_thrash stride=8192 n=1000\n"
                      "  lines=1                   tsc/load   5.000   5.000   5.000 +/- 0      12345\n"
                      "  lines=2                   tsc/load   5.000   5.000   5.000 +/- 0      12345\n"
                      "  lines=3                   tsc/load   5.000   5.000   5.000 +/- 0      12345\n" NEXT(
                          VIRTUAL) "stride_thrash stride=8192 n=1000 ring=3\n"
                                   "  lines=3                   tsc/load   5.000   5.000   5.000 +/- 0       "
                                   "  84\n" NEXT(MODELLED) "empty                       tsc/call       0     "
                                                           "  0       0 +/- -          0\n");
}

/* No number; and the table goes on, whatever its interval. */
TEST_WITH(what_is_not_modelled, begin, NULL)
{
    RESULT(.bench = "empty", .unit = "tsc/call", .conf = 99, .min = 1, .median = 1, .mean = 1);
    struct record *r = record_new("result");
    rec_str(r, "bench", "empty");
    rec_str(r, "event", "resource_stalls");
    rec_str(r, "unit", "resource_stalls/call");
    rec_uint(r, "reps", 20);
    rec_array(r, "flags");
    rec_str(r, NULL, "unmodelled");
    rec_close(r);
    record_emit(r);
    expect(HEADING_99 "empty                       tsc/call   1.000   1.000   1.000 +/- 0          0\n"
                      "                resource_stalls/call      unmodelled\n");
}

TEST_WITH(the_heading_comes_back_after_other_text, begin, NULL)
{
    static const char row[] =
        "empty                       tsc/call   1.000   1.000   1.000 +/- 0         84\n";
    static const char again[] = /* the same measurement: another event, as a rule */
        "                            tsc/call   1.000   1.000   1.000 +/- 0         84\n";
    static const struct result empty = {
        .bench = "empty", .unit = "tsc/call", .min = 1, .median = 1, .mean = 1, .overhead = 84};
    struct result at_99 = empty;
    char want[1024];
    record_emit(result(&empty));
    struct record *r = record_new("reps"); /* has no text */
    rec_str(r, "bench", "empty");
    record_emit(r);
    record_emit(result(&empty));
    report_note("apic", "absent");
    record_emit(result(&empty));
    at_99.conf = 99;
    record_emit(result(&at_99));
    snprintf(want, sizeof want, "%s%s%s%s%s%s%s%s", HEADING, row, again, "Note  apic: absent\n", HEADING, row,
             HEADING_99, row);
    expect(want);
}

/* A count has all of its digits: seven columns where they suffice, else wider ones under a heading of their
 * own. */
TEST_WITH(numbers_of_any_size, begin, NULL)
{
    static const struct {
        double v;
        const char *want;
    } cases[] = {
        {999.9, "999.900 999.900 999.900 +/- 499.950"},
        {1000, "1000.00 1000.00 1000.00 +/- 500.00"},
        {25940.54, "25940.54 25940.54 25940.54 +/- 12970.3"},
        {1234567, "1234567 1234567 1234567 +/- 617284"},
        {25940500, "25940500 25940500 25940500 +/- 12970250"},
        {123456789, "123456789 123456789 123456789 +/- 61728394"},
        {1.23e9, "1230000000 1230000000 1230000000 +/- 615000000"},
        {281474976710655.0, "281474976710655 281474976710655 281474976710655 +/- 1.4e+14"},
        {1234.567, "1234.567 1234.567 1234.567 +/- 617.28"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double v = cases[i].v;
        begin(state);
        RESULT(.bench = "b", .unit = "u", .min = v, .median = v, .mean = v, .ci = v / 2);
        if (!strstr(text, cases[i].want)) fail_msg("no \"%s\" in\n%s", cases[i].want, text);
    }
}

/* The table adapts from the row on that needs it, until it ends. What cannot stand beside them stands above.
 */
TEST_WITH(wide_columns, begin, NULL)
{
    RESULT(.bench = "stride_thrash", .unit = "tsc/load", .lines = 8, .min = 5, .median = 5, .mean = 5);
    RESULT(.bench = "stride_thrash", .unit = "tsc/load", .lines = 9, .min = 20000003, .median = 20000003,
           .mean = 20000003.123, .ci = 2, .overhead = 12);
    RESULT(.bench = "stride_thrash", .unit = "tsc/load", .lines = 10, .min = 5, .median = 5, .mean = 5);
    RESULT(.bench = "stride_thrash", .unit = "tsc/load", .lines = 11, .min = 281474976710655.0,
           .median = 281474976710655.0, .mean = 281474976710655.0, .overhead = 123456789);
    expect(HEADING "stride_thrash lines=8       tsc/load   5.000   5.000   5.000 +/- 0          0\n"
                   "\n"
                   "benchmark, parameters        unit      min   median     mean +/- 95 %  overhead\n" LINE
                   "stride_thrash lines=9    tsc/load 20000003 20000003 20000003 +/- 2         12\n"
                   "  lines=10               tsc/load    5.000    5.000    5.000 +/- 0          0\n"
                   "\n"
                   "                         min          median            mean +/- 95 %  overhead\n" LINE
                   "stride_thrash\n"
                   "  lines=11\n"
                   "    tsc/load\n"
                   "             281474976710655 281474976710655 281474976710655 +/- 0  123456789\n");
    RESULT(.bench = "stride_thrash", .unit = "tsc/load", .lines = 11, .min = 9.9e18, .median = 9.9e18,
           .mean = 9.9e18, .ci = 12345678, .overhead = 12);
    report_note("apic", "absent");
    RESULT(.bench = "stride_thrash", .unit = "tsc/load", .lines = 12, .min = 5, .median = 5, .mean = 5);
    expect("\n"
           "                 min              median                mean +/- 95 %  overhead\n" LINE
           "stride_thrash lines=11\n"
           "    tsc/load\n"
           " 9900000000000000000 9900000000000000000 9900000000000000000 +/- 12345678  12\n"
           "Note  apic: absent\n" HEADING
           "stride_thrash lines=12      tsc/load   5.000   5.000   5.000 +/- 0          0\n");
}

#define ROW(line) line "   1.000   1.000   1.000 +/- 0          0\n"
#define FIRST     ROW("b lines=1                          u")
#define SECOND    ROW("  lines=2                          u")
#define ANEW      ROW("b lines=2                          u")

static void boot(const char *platform, const char *modelled)
{
    struct record *r = record_new("boot");
    if (platform) rec_str(r, "platform", platform);
    if (modelled) rec_str(r, "modelled", modelled);
    record_emit(r);
    text[0] = '\0';
}

static void two_rows(const char *const flag[2])
{
    for (unsigned k = 0; k < 2; k++)
        RESULT(.bench = "b", .unit = "u", .lines = k + 1, .min = 1, .median = 1, .mean = 1, .flag = flag[k]);
}

/* A table says above its rows where they come from, and a row of another origin begins another table: in a
 * row M could be million. */
TEST_WITH(origins, begin, NULL)
{
    static const struct {
        const char *platform, *modelled, *flag[2], *sentence, *next;
    } cases[] = {{"qemu-tcg", NULL, {"emulated", "emulated"}, EMULATED, NULL},
                 {"bochs", NULL, {"emulated", "modelled"}, EMULATED, MODELLED},
                 {"bochs", "zen4", {"modelled", "modelled"}, MODELLED, NULL},
                 {"bochs", "zen4", {"modelled", "emulated"}, MODELLED, EMULATED},
                 {"kvm", NULL, {"virtualized", NULL}, VIRTUAL, NULL},
                 {"silicon", NULL, {NULL, NULL}, "", NULL},
                 {"silicon", NULL, {NULL, "modelled"}, "", MODELLED},
                 {NULL, NULL, {"emulated", "modelled"}, EMULATED, MODELLED},
                 {NULL, NULL, {"modelled", "modelled"}, MODELLED, NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char want[800];
        const char *next = cases[i].next;
        begin(state);
        boot(cases[i].platform, cases[i].modelled);
        two_rows(cases[i].flag);
        snprintf(want, sizeof want, "\n%s%s" FIRST "%s%s%s%s", cases[i].sentence, &HEADING[1],
                 next ? "\n" : "", next ? next : "", next ? &HEADING[1] : "", next ? ANEW : SECOND);
        expect(want);
    }
}

/* What is asked later, at the prompt, is of the same machine, whose boot record is not repeated. */
TEST_WITH(origin_after_a_pause, begin, NULL)
{
    static const char *const none[2] = {NULL}, *const modelled[2] = {"modelled", "modelled"};
    for (unsigned i = 0; i < 2; i++) {
        begin(state);
        boot("bochs", "p55c");
        two_rows(modelled);
        text[0] = '\0';
        session_pause();
        two_rows(i ? modelled : none);
        expect("\n" MODELLED
               "benchmark, parameters           unit     min  median    mean +/- 95 %  overhead\n" LINE FIRST
                   SECOND);
    }
}

/* Small numbers keep their digits, and only 0 itself is 0. */
TEST_WITH(small_numbers, begin, NULL)
{
    static const struct {
        double v;
        const char *want;
    } cases[] = {
        {0, "      0       0       0 +/- 0"},
        {0.5, "  0.500   0.500   0.500 +/- 0.250"},
        {0.009, "0.00900 0.00900 0.00900 +/- 0.00450"},
        {0.0004, "4.0e-04 4.0e-04 4.0e-04 +/- 2.0e-04"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double v = cases[i].v;
        begin(state);
        RESULT(.bench = "b", .unit = "u", .min = v, .median = v, .mean = v, .ci = v / 2);
        if (!strstr(text, cases[i].want)) fail_msg("no \"%s\" in\n%s", cases[i].want, text);
    }
}

/* A label that just fits stays in its row; one column more and it is split. Another CPU is another row. */
TEST_WITH(labels_at_the_border, begin, NULL)
{
    RESULT(.bench = "b", .unit = "twenty_letters_in_it", .lines = 1234567, .min = 1, .median = 1, .mean = 1);
    RESULT(.bench = "b", .unit = "twenty_letters_in_it", .lines = 12345678, .min = 1, .median = 1, .mean = 1);
    RESULT(.bench = "c", .unit = "twenty_letters_in_it", .lines = 1234567, .min = 1, .median = 1, .mean = 1);
    RESULT(.bench = "c", .unit = "twenty_letters_in_it", .lines = 1234567, .cpu = 1, .min = 1, .median = 1,
           .mean = 1);
    RESULT(.bench = "dd", .unit = "twenty_letters_in_it", .lines = 1234567, .stride = 8, .min = 1,
           .median = 1, .mean = 1);
    expect(HEADING "b lines=1234567 twenty_letters_in_it   1.000   1.000   1.000 +/- 0          0\n"
                   "  lines=12345678\n"
                   "                twenty_letters_in_it   1.000   1.000   1.000 +/- 0          0\n"
                   "c lines=1234567 twenty_letters_in_it   1.000   1.000   1.000 +/- 0          0\n"
                   "  cpu=1         twenty_letters_in_it   1.000   1.000   1.000 +/- 0          0\n"
                   "dd stride=8\n"
                   "  lines=1234567 twenty_letters_in_it   1.000   1.000   1.000 +/- 0          0\n");
}

/* What does not fit into a line above its row goes on in the next one. */
TEST_WITH(very_long_labels, begin, NULL)
{
    RESULT(.bench = "a_benchmark_of_sixty_letters_in_its_name_so_that_it_is_split", .unit = "tsc/load",
           .lines = 12, .stride = 8192, .n = 123456789, .min = 1, .median = 1, .mean = 1);
    expect(HEADING "a_benchmark_of_sixty_letters_in_its_name_so_that_it_is_split stride=8192\n"
                   "    n=123456789\n"
                   "  lines=12                  tsc/load   1.000   1.000   1.000 +/- 0          0\n");
}

/* Parameters beyond what is kept are cut, and harm nothing. */
TEST_WITH(too_many_letters, begin, NULL)
{
    static const char key[] =
        "a_key_of_ninety_letters_______________________________________________________________end";
    struct record *r = record_new("result");
    rec_str(r, "bench", "b");
    rec_object(r, "params");
    for (unsigned i = 0; i < 4; i++) rec_int(r, key + i, 10 + i);
    rec_close(r);
    rec_str(r, "event", "tsc");
    rec_str(r, "unit", "tsc/something_quite_long_indeed");
    rec_array(r, "flags");
    rec_str(r, NULL, "unmodelled");
    rec_close(r);
    record_emit(r);
    assert_non_null(strstr(text, HEADING "b a_key_of_ninety_letters___"));
    assert_non_null(strstr(text, "end=11\n"));
    assert_null(strstr(text, "end=12"));
    assert_non_null(strstr(text, "\n     tsc/something_quite_long_indeed      unmodelled\n"));
    char long_key[301];
    unsigned kept = 0;
    memset(long_key, 'z', 300);
    long_key[300] = '\0';
    r = record_new("result");
    rec_str(r, "bench", "b");
    rec_object(r, "params");
    rec_int(r, long_key, 1);
    rec_close(r);
    begin(state);
    record_emit(r);
    for (const char *c = text; *c; c++) kept += *c == 'z';
    assert_int_equal(kept, 254); /* with a blank 255 */
    begin(state);
    RESULT(.bench = key, .unit = "u", .min = 1);
    assert_non_null(strstr(text, "\na_key_of_ninety_letters"));
    char letters[200]; /* of a name 95 are kept */
    memset(letters, 'n', sizeof letters);
    letters[sizeof letters - 1] = '\0';
    begin(state);
    kept = 0;
    RESULT(.bench = letters, .unit = "u", .min = 1);
    for (const char *c = strstr(text, "nnnn"); *c; c++) kept += *c == 'n';
    assert_int_equal(kept, 95);
}

/* A row ends with its overhead, which never has a line of its own. */
TEST_WITH(overheads_stay_on_their_rows, begin, NULL)
{
    RESULT(.bench = "empty", .unit = "tsc/call", .min = 7, .median = 42, .mean = 70.667, .ci = 160.568,
           .overhead = 88);
    RESULT(.bench = "empty", .unit = "tsc/call", .min = 7, .median = 42, .mean = 2070.5, .ci = 4710.62,
           .overhead = 100);
    RESULT(.bench = "empty", .unit = "tsc/call", .min = 7, .median = 42, .mean = 70.667, .ci = 160.568,
           .overhead = 12345);
    RESULT(.bench = "empty", .unit = "tsc/call", .min = 7, .median = 42, .mean = 70.667, .ci = 1234567,
           .overhead = 123456);
    RESULT(.bench = "empty", .unit = "tsc/call", .min = 7, .median = 7, .mean = 7, .ci = 0.5,
           .overhead = 99999);
    expect(HEADING "empty                       tsc/call   7.000  42.000  70.667 +/- 160.568   88\n"
                   "                            tsc/call    7.00   42.00 2070.50 +/- 4710.62  100\n"
                   "                            tsc/call   7.000  42.000  70.667 +/- 160.57 12345\n"
                   "                            tsc/call       7      42      71 +/- 1e+06 123456\n"
                   "                            tsc/call   7.000   7.000   7.000 +/- 0.500  99999\n");
}

TEST_WITH(long_names_are_split, begin, NULL)
{
    RESULT(.bench = "a_benchmark_with_quite_a_long_name", .unit = "tsc/load", .lines = 12, .min = 1,
           .median = 1, .mean = 1, .ci = 0, .overhead = 1);
    RESULT(.bench = "b", .unit = "tsc/something_quite_long_indeed", .min = 1, .median = 1, .mean = 1,
           .ci = 0);
    RESULT(.bench = "c", .unit = "mem_load_retired:l1_miss/load", .lines = 12, .stride = 8192, .min = 1,
           .median = 1, .mean = 1, .ci = 0.25, .overhead = 99999, .flag = "modelled");
    RESULT(.bench = "c", .unit = "mem_load_retired:l1_miss/load", .lines = 13, .stride = 8192, .min = 1,
           .median = 1, .mean = 1, .ci = 0.25, .overhead = 99999, .flag = "modelled");
    expect(HEADING
           "a_benchmark_with_quite_a_long_name\n"
           "  lines=12                  tsc/load   1.000   1.000   1.000 +/- 0          1\n"
           "b    tsc/something_quite_long_indeed   1.000   1.000   1.000 +/- 0          0\n" NEXT(
               MODELLED) "c lines=12 stride=8192\n"
                         "       mem_load_retired:l1_miss/load   1.000   1.000   1.000 +/- 0.250  99999\n"
                         "  lines=13\n"
                         "       mem_load_retired:l1_miss/load   1.000   1.000   1.000 +/- 0.250  99999\n");
}

/* A mean alone decides on the decimals. */
TEST_WITH(a_mean_alone, begin, NULL)
{
    struct record *r = record_new("result");
    rec_real(r, "mean", 0.009);
    record_emit(r);
    assert_non_null(strstr(text, "       -       - 0.00900 +/- -          0\n"));
}

/* The columns of rows and the marks are explained. */
TEST_WITH(rows_are_explained, begin, NULL)
{
    RESULT(.bench = "b", .unit = "u", .min = 1, .median = 1, .mean = 1);
    text[0] = '\0';
    record_emit(record_new("done"));
    expect("\n  overhead   the least cost of an empty measurement (of code: of the one with\n"
           "             fewer copies); it is subtracted already\n"
           "  +/-        confidence interval of the mean over the repetitions of this boot,\n"
           "             not how boots differ\n");
}

/* A difference may be below 0, and is as exact as another. */
TEST_WITH(below_zero, begin, NULL)
{
    RESULT(.bench = "empty", .unit = "tsc/call", .min = -3, .median = -2.5, .mean = -2.625, .ci = 0.5);
    expect(HEADING "empty                       tsc/call  -3.000  -2.500  -2.625 +/- 0.500      0\n");
    begin(NULL);
    struct record *r = record_new("levels");
    rec_str(r, "event", "loads");
    rec_real(r, "user", -0.25);
    rec_real(r, "kernel", -2.5);
    rec_real(r, "both", -2.75);
    rec_array(r, "errata");
    rec_str(r, NULL, "HSD25");
    rec_close(r);
    rec_array(r, "flags");
    rec_str(r, NULL, "undercount");
    rec_close(r);
    record_emit(r);
    expect("  % loads: -0.250 user, -2.500 kernel, -2.750 both\n"
           "    ! may be too low: erratum HSD25\n");
}
