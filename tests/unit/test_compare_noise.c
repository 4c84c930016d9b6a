/* How often `anechoic compare` is wrong and right on many comparisons: of boots that are made from a seed,
 * and of boots in which nothing was changed. */
#include "tests/unit/compared_rows.h"
#include <math.h>

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

TEST(equal_sides)
{
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

TEST(equal_boots_of_qemu)
{
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
TEST(one_row_in_twenty)
{
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
TEST(repetitions_are_no_boots)
{
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

TEST(two_percent)
{
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
