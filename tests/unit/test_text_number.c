/* Numbers of tables: all digits of whole numbers, five of others, by the scale of the row; and core cycles,
 * where they say something. */
#include "report/text.h"
#include "tests/unit/text_drive.h"
#include <math.h>

#define N(a) (sizeof(a) / sizeof(a)[0])

/* v as it is written in a row of this scale. */
static void expect_number(double v, double scale, const char *want)
{
    char s[24];
    text_number(s, sizeof s, v, scale);
    if (strcmp(s, want) != 0) fail_msg("%g in a row up to %g: %s, not %s", v, scale, s, want);
}

TEST_WITH(forms, begin, NULL)
{
    static const struct {
        double from; /* the form is used from here on, */
        const char *first;
        double below; /* and not here any more */
        const char *last;
    } cases[] = {{0.0005, "0.00050", 0.1, "0.09998"},
                 {0.1, "0.100", 1e3, "999.800"},
                 {1e3, "1000.00", 1e4, "9998.00"},
                 {1e4, "10000.0", 1e5, "99980.0"},
                 {1e5, "100000", 1e7, "9998000"},
                 {1e7, "10000000", 1e8, "99980000"},
                 {1e8, "100000000", 1e15, "999800000000000"}};
    for (unsigned i = 0; i < N(cases); i++) {
        const double last = cases[i].below * 0.9998;
        expect_number(cases[i].from, cases[i].from, cases[i].first);
        expect_number(last, last, cases[i].last);
    }
    expect_number(20000003, 20000003, "20000003");
    expect_number(281474976710655.0, 281474976710655.0, "281474976710655");
    expect_number(9.998e18, 9.998e18, "9998000000000000000");
    expect_number(1e19, 1e19, "1.0e+19");
    expect_number(1.2e99, 1.2e99, "1.2e+99");
    expect_number(1.2e117, 1.2e117, "1e+117");
    expect_number(0.000499, 0.000499, "5.0e-04");
    expect_number(-0.000499, 0.000499, "-5.0e-04");
}

/* Small values of a row of large ones; what is no number; and a row whose scale is none. */
TEST_WITH(scales, begin, NULL)
{
    expect_number(2, 12345, "2.0");
    expect_number(-2, 1e5, "-2");
    expect_number(0, 12345, "0");
    expect_number(0, 0, "0");
    expect_number(4e6, 1e12, "4000000");
    expect_number((double)NAN, 12345, "-");
    expect_number((double)INFINITY, (double)INFINITY, "-");
    expect_number(5, (double)INFINITY, "5");
    expect_number(5, (double)NAN, "5.00000");
}

static void expect_count(double v, double scale, const char *want)
{
    char s[24];
    text_count(s, sizeof s, v, scale);
    if (strcmp(s, want) != 0) fail_msg("%.17g in a row up to %g: %s, not %s", v, scale, s, want);
}

/* Counts in an operation, of a thousand as a rule: exact, where a number by itself would be rounded. */
TEST_WITH(counts, begin, NULL)
{
    expect_number(1234.567, 1234.567, "1234.57");
    expect_count(1234.567, 1234.567, "1234.567");
    expect_count(-1234.567, 1234.567, "-1234.567");
    expect_count(20000003.25, 20000003.25, "20000003.25");
    expect_count(281474976710.655, 281474976710.655, "281474976710.655");
    expect_count(1234.5, 1e5, "1234.5");
    expect_count(12345, 12345, "12345.0");
    expect_count(1e5 / 3, 1e5 / 3, "33333.3"); /* no decimals make it exact */
    expect_count(0x1p53, 0x1p53, "9007199254740992");
    expect_count((double)NAN, 1, "-");
    expect_count(2e19, 2e19, "2.0e+19");
}

TEST_WITH(plain, begin, NULL)
{
    char s[24];
    static const struct {
        double v;
        const char *want;
    } cases[] = {{7, "7"},
                 {-12, "-12"},
                 {2.5, "2.500"},
                 {1e5 / 3, "33333.3"},
                 {4e9, "4000000000"},
                 {1e18, "1000000000000000000"},
                 {2e19, "2.0e+19"},
                 {(double)NAN, "-"}};
    for (unsigned i = 0; i < N(cases); i++) {
        text_plain(s, sizeof s, cases[i].v);
        if (strcmp(s, cases[i].want) != 0) fail_msg("%g: %s, not %s", cases[i].v, s, cases[i].want);
    }
}

static double core_cycles(double ratio, double cycles)
{
    struct record *r = record_new("result");
    if (!isnan(ratio)) rec_real(r, "core_per_tsc", ratio);
    if (!isnan(cycles)) rec_real(r, "core_per_op", cycles);
    const double shown = text_core_cycles(r);
    record_emit(r);
    return shown;
}

/* They are shown where the core's clock is not the TSC's. */
TEST_WITH(cycles_of_the_core, begin, NULL)
{
    assert_true(core_cycles(0.5, 7) == 7 && core_cycles(1.5, 7) == 7);
    assert_true(core_cycles(0.995, 7) == 7 && core_cycles(1.005, 7) == 7);
    assert_true(core_cycles(0.996, 7) == 0 && core_cycles(1.004, 7) == 0 && core_cycles(1, 7) == 0);
    assert_true(core_cycles(0, 7) == 0 && core_cycles(-1, 7) == 0 && core_cycles((double)NAN, 7) == 0);
    assert_true(core_cycles(2, (double)NAN) == 0);
}
