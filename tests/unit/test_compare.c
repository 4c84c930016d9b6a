/* The verdicts of `anechoic compare`: against published examples, and how often they are wrong and right on
 * boots that are made from a seed. */
#include "host/compare.h"
#include "host/statistics.h"
#include "unit.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LENGTH(a) (sizeof(a) / sizeof *(a))

static const struct judging usual = {.margin = 0.01, .fail_over = -1};

/* ---- comparisons made here ---- */

static struct compared *add_row(struct comparison *c, const char *event)
{
    c->row = realloc(c->row, (c->n + 1) * sizeof *c->row);
    assert_non_null(c->row);
    struct compared *row = &c->row[c->n++];
    *row = (struct compared){
        .id = json_object(), .label = strdup("row"), .event = event, .doubts = json_object()};
    return row;
}

/* What the boots had; spread: their repetitions varied. */
static void boots(struct compared *row, enum side side, const double *value, size_t n, bool spread)
{
    struct measured *m = &row->side[side];
    m->value = malloc(n * sizeof *m->value);
    assert_non_null(m->value);
    memcpy(m->value, value, n * sizeof *m->value);
    m->n = n;
    m->spread = spread;
    m->unit = json_null();
    m->shape = json_object();
}

#define BOOTS(row, side, spread, ...) \
    boots(row, side, (const double[]){__VA_ARGS__}, LENGTH(((const double[]){__VA_ARGS__})), spread)

static void near(double value, double wanted, double off)
{
    if (!(fabs(value - wanted) <= off)) fail_msg("%.12g instead of %.12g", value, wanted);
}

static void verdict(const struct compared *row, enum verdict wanted)
{
    assert_string_equal(verdict_name[row->verdict], verdict_name[wanted]);
}

/* ---- exactly ---- */

static void exact_counts(void **state)
{
    (void)state;
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
static void exact_in_each_boot(void **state)
{
    (void)state;
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

static void one_boot_cannot_tell(void **state)
{
    (void)state;
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
static void ratios_as_r(void **state)
{
    (void)state;
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
static void holm_widens(void **state)
{
    (void)state;
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

static void same_within_the_margin(void **state)
{
    (void)state;
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
static void zeros(void **state)
{
    (void)state;
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

/* ---- many comparisons, from a seed ---- */

#define COMPARISONS 100
#define ROWS        12
#define BOOTS_EACH  5

static uint64_t seed;

/* SplitMix64 (Steele, Lea, Flood, OOPSLA 2014). In (0, 1). */
static double uniform(void)
{
    uint64_t z = seed += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return ((double)((z ^ z >> 31) >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(void) { return sqrt(-2 * log(uniform())) * cos(2 * M_PI * uniform()); }

/* How a boot may differ from the next; standard deviation 1, or near it. */
static double heavy(void) /* Student's t with 3 degrees of freedom */
{
    const double x = normal(), a = normal(), b = normal(), c = normal();
    return x / sqrt((a * a + b * b + c * c) / 3) / sqrt(3);
}
static double skewed(void) { return -log(uniform()) - 1; }
static double two_modes(void) { return (uniform() < 0.5 ? -1 : 1) + 0.1 * normal(); }
static double rare(void) { return 0.3 * normal() + (uniform() < 0.1 ? 3 : 0); }

static const struct noise {
    const char *name;
    double (*draw)(void);
    double shared; /* this much of it is the same in all rows of a boot: its clock */
} noises[] = {
    {"normal", normal, 0}, {"normal, shared", normal, 0.9}, {"heavy tails", heavy, 0},
    {"skewed", skewed, 0}, {"two modes", two_modes, 0},     {"rarely much slower", rare, 0},
};

/* Boots with a spread of `sd`, where row 0 is slower by `slower` in NEW. */
static void make(struct comparison *c, const struct noise *noise, double sd, double slower)
{
    double boot[SIDES][BOOTS_EACH], value[BOOTS_EACH];
    comparison_begin(c);
    for (int side = OLD; side < SIDES; side++)
        for (int i = 0; i < BOOTS_EACH; i++) boot[side][i] = noise->draw();
    for (int r = 0; r < ROWS; r++) {
        struct compared *row = add_row(c, "tsc");
        for (int side = OLD; side < SIDES; side++) {
            for (int i = 0; i < BOOTS_EACH; i++) {
                const double x =
                    noise->shared * boot[side][i] + sqrt(1 - noise->shared * noise->shared) * noise->draw();
                value[i] = (10 + 30 * r) * exp(sd * x) * (side == NEW && r == 0 ? 1 + slower : 1);
            }
            boots(row, side, value, BOOTS_EACH, true);
            row->side[side].step = 0.001;
        }
    }
}

static bool any_different(const struct comparison *c)
{
    for (size_t i = 0; i < c->n; i++)
        if (c->row[i].verdict == FASTER || c->row[i].verdict == SLOWER) return true;
    return false;
}

static void equal_sides(void **state)
{
    (void)state;
    for (size_t k = 0; k < LENGTH(noises); k++) {
        int different = 0;
        seed = 20261123 + k;
        for (int i = 0; i < COMPARISONS; i++) {
            struct comparison c;
            make(&c, &noises[k], 0.005, 0);
            assert_true(comparison_judge(&c, &usual));
            different += any_different(&c);
            comparison_end(&c);
        }
        print_message("%s: %d of %d equal sides are called different\n", noises[k].name, different,
                      COMPARISONS);
        assert_in_range(different, 0, 12);
    }
}

/* Medians of 16 boots of one QEMU on a busy machine, in which nothing was changed: bench=fp_add_latency,
 * stride_thrash,l1_miss reps=200. Any eight of them against the other eight are equal sides. */
static const double qemu[][4] = {
    {35.906, 12.402, 16.276, 4.240234}, {36.192, 11.7, 14.196, 3.251587},   {59.839, 11.024, 14.04, 3.177002},
    {36.27, 11.726, 14.131, 4.154541},  {55.731, 12.428, 14.144, 3.244446}, {47.268, 11.7, 17.966, 5.218567},
    {36.01, 17.095, 14.066, 3.22937},   {35.945, 11.7, 14.118, 3.177002},   {36.127, 11.7, 16.536, 3.161133},
    {35.932, 11.726, 14.118, 3.205566}, {35.932, 19.279, 14.378, 3.164307}, {35.854, 11.7, 13.91, 3.240479},
    {35.997, 11.856, 14.092, 3.220642}, {36.01, 11.674, 14.144, 3.227783},  {36.218, 11.674, 16.25, 3.143677},
    {36.595, 17.615, 13.884, 3.20874},
};

static void equal_boots_of_qemu(void **state)
{
    (void)state;
    const size_t n = LENGTH(qemu), half = n / 2;
    size_t order[LENGTH(qemu)];
    double value[LENGTH(qemu)] = {0};
    int different = 0;
    seed = 3;
    for (size_t i = 0; i < n; i++) order[i] = i;
    for (int k = 0; k < COMPARISONS; k++) {
        struct comparison c;
        comparison_begin(&c);
        for (size_t i = n; i-- > 1;) { /* Fisher and Yates */
            const size_t other = (size_t)(uniform() * (double)(i + 1)), x = order[i];
            order[i] = order[other];
            order[other] = x;
        }
        for (size_t r = 0; r < LENGTH(*qemu); r++) {
            struct compared *row = add_row(&c, "tsc");
            for (size_t i = 0; i < n; i++) value[i] = qemu[order[i]][r];
            boots(row, OLD, value, half, true);
            boots(row, NEW, value + half, n - half, true);
        }
        assert_true(comparison_judge(&c, &usual));
        different += any_different(&c);
        comparison_end(&c);
    }
    print_message("QEMU's: %d of %d equal sides are called different\n", different, COMPARISONS);
    assert_in_range(different, 0, 12);
}

/* One row, normal noise: the 5 of 100 that the interval promises, no fewer. */
static void one_row_in_twenty(void **state)
{
    (void)state;
    int different = 0;
    seed = 31337;
    for (int i = 0; i < 2000; i++) {
        struct comparison c;
        make(&c, &noises[0], 0.005, 0);
        for (size_t r = 1; r < c.n; r++) c.row[r].side[OLD].unit = json_true(); /* the others do not count */
        assert_true(comparison_judge(&c, &usual));
        different += any_different(&c);
        comparison_end(&c);
    }
    print_message("one row: %d of 2000 are called different\n", different);
    assert_in_range(different, 70, 130); /* 100 -+ 3 standard deviations */
}

/* What `compare` must not do: take each boot's repetitions for boots. Their spread is a twentieth of what
 * boots differ by here, as in QEMU, and nearly all equal sides look different. This shows that the numbers
 * above are no accident of a test that never says anything. */
static void repetitions_are_no_boots(void **state)
{
    (void)state;
    int different = 0;
    seed = 4711;
    for (int i = 0; i < COMPARISONS; i++) {
        struct comparison c;
        double value[2][BOOTS_EACH];
        comparison_begin(&c);
        for (int side = OLD; side < SIDES; side++) {
            const double boot = exp(0.005 * normal());
            for (int k = 0; k < BOOTS_EACH; k++) value[side][k] = 100 * boot * exp(0.00025 * normal());
        }
        struct compared *row = add_row(&c, "tsc");
        boots(row, OLD, value[OLD], BOOTS_EACH, true);
        boots(row, NEW, value[NEW], BOOTS_EACH, true);
        assert_true(comparison_judge(&c, &usual));
        different += any_different(&c);
        comparison_end(&c);
    }
    print_message("repetitions taken for boots: %d of %d\n", different, COMPARISONS);
    assert_in_range(different, 80, 100);
}

static void two_percent(void **state)
{
    (void)state;
    for (size_t k = 0; k < LENGTH(noises); k++) {
        int found = 0, others = 0;
        seed = 8128 + k;
        for (int i = 0; i < COMPARISONS; i++) {
            struct comparison c;
            make(&c, &noises[k], 0.003, 0.02);
            assert_true(comparison_judge(&c, &usual));
            found += c.row[0].verdict == SLOWER;
            c.row[0].verdict = SAME;
            others += any_different(&c);
            comparison_end(&c);
        }
        print_message("%s: 2 %% found in %d of %d, another row called different in %d\n", noises[k].name,
                      found, COMPARISONS, others);
        assert_in_range(found, 90, 100);
        assert_in_range(others, 0, 12);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_counts),
        cmocka_unit_test(exact_in_each_boot),
        cmocka_unit_test(one_boot_cannot_tell),
        cmocka_unit_test(ratios_as_r),
        cmocka_unit_test(holm_widens),
        cmocka_unit_test(same_within_the_margin),
        cmocka_unit_test(zeros),
        cmocka_unit_test(equal_sides),
        cmocka_unit_test(equal_boots_of_qemu),
        cmocka_unit_test(one_row_in_twenty),
        cmocka_unit_test(repetitions_are_no_boots),
        cmocka_unit_test(two_percent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
