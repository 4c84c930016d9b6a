/* The verdicts of `anechoic compare` against published examples. */
#include "host/statistics.h"
#include "tests/unit/compared_rows.h"
#include <math.h>

static void near(double value, double wanted, double off)
{
    if (!(fabs(value - wanted) <= off)) fail_msg("%.12g instead of %.12g", value, wanted);
}

static void verdict(const struct compared *row, enum verdict wanted)
{
    assert_string_equal(verdict_name[row->verdict], verdict_name[wanted]);
}

/* ---- exactly ---- */

TEST(exact_counts)
{
    struct comparison c;
    comparison_begin(&c);
    for (int i = 0; i < 7; i++) add_row(&c, i == 2 ? "cycles:u" : i >= 5 ? "tsc" : "instructions");
    BOOTS(&c.row[0], OLD, false, 1e15 + 1);
    BOOTS(&c.row[0], NEW, false, 1e15 + 1);
    BOOTS(&c.row[1], OLD, false, 1e15);
    BOOTS(&c.row[1], NEW, false, 1e15 + 1);
    BOOTS(&c.row[2], OLD, false, 40, 40);
    BOOTS(&c.row[2], NEW, false, 30, 30);
    BOOTS(&c.row[3], OLD, false, 0);
    BOOTS(&c.row[3], NEW, false, 3);
    BOOTS(&c.row[4], OLD, false, 0);
    BOOTS(&c.row[4], NEW, false, 0);
    BOOTS(&c.row[5], OLD, false, 7); /* time on a processor: one boot does not say what the next has */
    BOOTS(&c.row[5], NEW, false, 7);
    BOOTS(&c.row[6], OLD, false, 7);
    BOOTS(&c.row[6], NEW, false, 7);
    c.row[6].emulated = true;
    const struct judging how = {.margin = 0.01, .fail_over = 0.1};
    assert_true(comparison_judge(&c, &how));
    verdict(&c.row[0], SAME);
    verdict(&c.row[1], MORE);
    verdict(&c.row[2], FASTER);
    near(c.row[2].ratio, 0.75, 0);
    verdict(&c.row[3], MORE);
    assert_true(c.row[3].beyond); /* beyond any share of 0 */
    assert_false(c.row[1].beyond);
    verdict(&c.row[4], SAME);
    verdict(&c.row[5], CANNOT_TELL);
    verdict(&c.row[6], SAME);
    comparison_end(&c);
}

/* Values without spread in each boot are exact where the boots agree, and are tested where they do not. */
TEST(exact_in_each_boot)
{
    struct comparison c;
    comparison_begin(&c);
    for (int i = 0; i < 6; i++) add_row(&c, i < 3 ? "instructions" : "tsc");
    BOOTS(&c.row[0], OLD, false, 5, 6);
    BOOTS(&c.row[0], NEW, false, 5, 5);
    BOOTS(&c.row[1], OLD, false, 5, 5);
    BOOTS(&c.row[1], NEW, false, 5, 6);
    BOOTS(&c.row[2], OLD, true, 5, 5); /* here a boot's repetitions vary, but not its median */
    BOOTS(&c.row[2], NEW, false, 5, 5);
    BOOTS(&c.row[3], OLD, false, 7, 7);
    BOOTS(&c.row[3], NEW, false, 8, 8);
    BOOTS(&c.row[4], OLD, false, 7, 7);
    BOOTS(&c.row[4], NEW, false, 7);
    BOOTS(&c.row[5], OLD, false, 7);
    BOOTS(&c.row[5], NEW, false, 7, 7);
    assert_true(comparison_judge(&c, &usual));
    for (int i = 0; i < 3; i++) {
        assert_false(c.row[i].exact);
        assert_true(c.row[i].tested);
    }
    assert_true(c.row[3].exact);
    verdict(&c.row[3], SLOWER);
    verdict(&c.row[4], CANNOT_TELL);
    assert_string_equal(c.row[4].why, "one boot of NEW: how far boots differ is not known");
    verdict(&c.row[5], CANNOT_TELL);
    assert_string_equal(c.row[5].why, "one boot of OLD: how far boots differ is not known");
    comparison_end(&c);
}

TEST(one_boot_cannot_tell)
{
    struct comparison c;
    comparison_begin(&c);
    for (int i = 0; i < 5; i++) add_row(&c, "tsc");
    BOOTS(&c.row[0], OLD, true, 5);
    BOOTS(&c.row[0], NEW, true, 50);
    BOOTS(&c.row[1], OLD, true, 5, 5.1, 5.2);
    BOOTS(&c.row[1], NEW, true, 50);
    BOOTS(&c.row[2], OLD, true, 5);
    BOOTS(&c.row[3], NEW, true, 5);
    BOOTS(&c.row[4], OLD, true, 5); /* alike, but on a processor that is chance */
    BOOTS(&c.row[4], NEW, true, 5);
    const struct judging how = {.margin = 0.01, .fail_over = 0};
    assert_true(comparison_judge(&c, &how));
    verdict(&c.row[0], CANNOT_TELL);
    assert_string_equal(c.row[0].why, "one boot a side: how far boots differ is not known");
    near(c.row[0].ratio, 10, 1e-12);
    assert_true(isnan(c.row[0].low));
    assert_false(c.row[0].beyond);
    verdict(&c.row[1], CANNOT_TELL);
    assert_string_equal(c.row[1].why, "one boot of NEW: how far boots differ is not known");
    verdict(&c.row[2], ONLY_OLD);
    assert_true(c.row[2].beyond);
    verdict(&c.row[3], ONLY_NEW);
    assert_false(c.row[3].beyond);
    verdict(&c.row[4], CANNOT_TELL);
    c.row[4].side[OLD].alone = true;
    assert_true(comparison_judge(&c, &how));
    assert_string_equal(c.row[4].why, "one boot a side: how far boots differ is not known");
    c.row[4].side[NEW].alone = true;
    assert_true(comparison_judge(&c, &how));
    assert_string_equal(c.row[4].why, "one repetition in one boot a side: its spread is not known");
    c.row[4].side[OLD].alone = c.row[4].side[NEW].alone = false;
    c.row[4].emulated = true;
    assert_true(comparison_judge(&c, &how));
    verdict(&c.row[4], SAME);
    comparison_end(&c);
}

/* ---- by the boots ---- */

/* R's examples of t.test (tests/unit/test_statistics.c), as logarithms: differences become ratios. */
TEST(ratios_as_r)
{
    static const double drug_1[] = {0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0};
    static const double drug_2[] = {1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4};
    double a[10], b[14];
    struct comparison c;
    comparison_begin(&c);
    for (int i = 0; i < 10; i++) a[i] = exp(drug_1[i]);
    for (int i = 0; i < 10; i++) b[i] = exp(drug_2[i]);
    struct compared *row = add_row(&c, "tsc");
    boots(row, OLD, a, 10, true);
    boots(row, NEW, b, 10, true);
    assert_true(comparison_judge(&c, &usual));
    verdict(row, CANNOT_TELL);
    near(log(row->ratio), 1.58, 1e-12);
    near(row->p, 0.07939, 5e-6);
    near(log(row->low), -0.2054832, 5e-8);
    near(log(row->high), 3.3654832, 5e-8);
    comparison_end(&c);

    comparison_begin(&c);
    for (int i = 0; i < 10; i++) a[i] = exp(1 + i);
    for (int i = 0; i < 14; i++) b[i] = exp(7 + i);
    row = add_row(&c, "tsc");
    boots(row, OLD, a, 10, true);
    boots(row, NEW, b, 14, true);
    const struct judging how = {.margin = 0.01, .fail_over = exp(4.9471) - 1};
    assert_true(comparison_judge(&c, &how));
    verdict(row, SLOWER);
    near(row->p, 1.855e-5, 5e-9);
    near(log(row->low), 4.947198, 5e-7);
    near(log(row->high), 11.052802, 5e-7);
    assert_true(row->beyond);
    const struct judging more = {.margin = 0.01, .fail_over = exp(4.9473) - 1};
    assert_true(comparison_judge(&c, &more));
    assert_false(row->beyond);
    comparison_end(&c);
}

/* Holm: one row alone is called different at 0.05. Of two such rows neither is at 0.025, so that neither is:
 * their intervals are wider, and hold 1. */
TEST(holm_widens)
{
    struct comparison c;
    comparison_begin(&c);
    for (int i = 0; i < 2; i++) {
        struct compared *row = add_row(&c, "tsc");
        BOOTS(row, OLD, true, 100, 101, 99.5, 100.2);
        BOOTS(row, NEW, true, 101.2, 101.5, 100.6, 101.4);
    }
    c.n = 1;
    assert_true(comparison_judge(&c, &usual));
    verdict(&c.row[0], SLOWER);
    assert_true(c.row[0].p > 0.025 && c.row[0].p < 0.05);
    assert_true(c.row[0].low > 1);
    c.n = 2;
    assert_true(comparison_judge(&c, &usual));
    near(c.row[0].level, 0.025, 1e-17);
    near(c.row[1].level, 0.025, 1e-17);
    verdict(&c.row[0], CANNOT_TELL);
    assert_true(c.row[0].low < 1);
    comparison_end(&c);
}

TEST(same_within_the_margin)
{
    struct comparison c;
    comparison_begin(&c);
    struct compared *row = add_row(&c, "tsc");
    BOOTS(row, OLD, true, 100.0, 100.1, 99.9, 100.05);
    BOOTS(row, NEW, true, 100.02, 100.1, 99.88, 100.1);
    assert_true(comparison_judge(&c, &usual));
    verdict(row, SAME);
    assert_true(row->low > 0.99 && row->low < 1 && row->high > 1 && row->high < 1.01);
    const struct judging narrow = {.margin = 0.0001, .fail_over = -1};
    assert_true(comparison_judge(&c, &narrow));
    verdict(row, CANNOT_TELL);
    comparison_end(&c);
}

/* A count that is 0 in some boots has no ratio, but the difference is tested. */
TEST(zeros)
{
    struct comparison c;
    comparison_begin(&c);
    add_row(&c, "misses");
    add_row(&c, "misses");
    BOOTS(&c.row[0], OLD, true, 0, 1, 0, 2, 0);
    BOOTS(&c.row[0], NEW, true, 1000, 1010, 990, 1003, 1001);
    BOOTS(&c.row[1], OLD, true, 0, 1, 0, 2, 0);
    BOOTS(&c.row[1], NEW, true, 1, 0, 0, 2, 0);
    const struct judging how = {.margin = 0.01, .fail_over = 10};
    assert_true(comparison_judge(&c, &how));
    verdict(&c.row[0], MORE);
    assert_true(c.row[0].beyond);
    /* By hand: means 0.6 and 1000.8, variances 0.8 and 51.7. */
    const double error = sqrt((0.8 + 51.7) / 5), df = 10.5 * 10.5 / ((0.16 * 0.16 + 10.34 * 10.34) / 4);
    near(c.row[0].low, 1 + (1000.2 - t_critical(0.025, df) * error) / 0.6, 1e-6);
    near(c.row[0].high, 1 + (1000.2 + t_critical(0.025, df) * error) / 0.6, 1e-6);
    verdict(&c.row[1], CANNOT_TELL);
    assert_string_equal(c.row[1].why, "0 among the values: there is no ratio to hold against the margin");
    assert_false(c.row[1].beyond);
    comparison_end(&c);
}
