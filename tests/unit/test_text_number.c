/* Numbers of tables: as many digits as seven columns hold, by the scale of the row; and core cycles, where
 * they say something. */
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

static void forms(void **state)
{
    static const struct {
        double from; /* the form is used from here on, */
        const char *first;
        double below; /* and not here any more */
        const char *last;
    } cases[] = {{0.0005, "0.00050", 0.1, "0.09998"}, {0.1, "0.100", 1e3, "999.800"},
                 {1e3, "1000.00", 1e4, "9998.00"},    {1e4, "10000.0", 1e5, "99980.0"},
                 {1e5, "100000", 1e7, "9998000"},     {1e7, "10.000M", 1e8, "99.980M"},
                 {1e8, "100.00M", 1e9, "999.80M"},    {1e9, "1.000G", 1e11, "99.980G"},
                 {1e11, "0.1T", 1e15, "999.8T"}};
    (void)state;
    for (unsigned i = 0; i < N(cases); i++) {
        const double last = cases[i].below * 0.9998;
        expect_number(cases[i].from, cases[i].from, cases[i].first);
        expect_number(last, last, cases[i].last);
        assert_true(strlen(cases[i].last) <= 7);
    }
    expect_number(9.998e15, 9.998e15, "9998.0T");
    expect_number(1e16, 1e16, "1.0e+16");
    expect_number(1.2e99, 1.2e99, "1.2e+99");
    expect_number(1.2e117, 1.2e117, "1e+117");
    expect_number(0.000499, 0.000499, "5.0e-04");
    expect_number(-0.000499, 0.000499, "-5.0e-04");
}

/* Small values of a row of large ones; what is no number; and a row whose scale is none. */
static void scales(void **state)
{
    (void)state;
    expect_number(2, 12345, "2.0");
    expect_number(-2, 1e5, "-2");
    expect_number(0, 12345, "0");
    expect_number(0, 0, "0");
    expect_number(4e6, 1e12, "0.0T");
    expect_number((double)NAN, 12345, "-");
    expect_number((double)INFINITY, (double)INFINITY, "-");
    expect_number(5, (double)INFINITY, "0.0T");
    expect_number(5, (double)NAN, "5.00000");
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
static void cycles_of_the_core(void **state)
{
    (void)state;
    assert_true(core_cycles(0.5, 7) == 7 && core_cycles(1.5, 7) == 7);
    assert_true(core_cycles(0.995, 7) == 7 && core_cycles(1.005, 7) == 7);
    assert_true(core_cycles(0.996, 7) == 0 && core_cycles(1.004, 7) == 0 && core_cycles(1, 7) == 0);
    assert_true(core_cycles(0, 7) == 0 && core_cycles(-1, 7) == 0 && core_cycles((double)NAN, 7) == 0);
    assert_true(core_cycles(2, (double)NAN) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(forms, begin),
        cmocka_unit_test_setup(scales, begin),
        cmocka_unit_test_setup(cycles_of_the_core, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
