/* What profiles by data address tell: the article's table 1, and patterns that tell something else. */
#include "report/deduction_text.h"
#include "tests/unit/unit.h"
#include <string.h>

#define N(a) (sizeof(a) / sizeof(a)[0])

/* L1D of the Pentium 4, Willamette and Northwood: pmu-facts.md section 7.4. */
static const struct cache p4 = {.level = 1, .kind = CACHE_DATA, .bytes = 8192, .line = 64, .ways = 4};
static uint8_t memory[65536] __attribute__((aligned(8)));
static char text[DEDUCTION_TEXT], warning[DEDUCTION_TEXT];

/* The deduction from these lines; unknown samples on top. Text and warning ("" = none) into the buffers. */
static struct deduction of(const struct profile_line *line, unsigned n, uint64_t unknown,
                           const struct cache *c, uint64_t period)
{
    struct arena arena = {memory, sizeof memory, 0};
    struct profile p = {(struct profile_line *)line, n, unknown, unknown, 0};
    struct deduction d;
    for (unsigned i = 0; i < n; i++) p.samples += line[i].count;
    deduce(&p, c, period, &arena, &d);
    assert_int_equal(arena.used, 0);
    assert_ptr_equal(deduction_text(&d, text, sizeof text), text);
    if (!deduction_warning(&d, warning, sizeof warning)) warning[0] = '\0';
    assert_true(strlen(text) < sizeof text - 1 && strlen(warning) < sizeof warning - 1);
    return d;
}

/* n addresses from first on, step apart, count samples each. */
static struct deduction steps(uint64_t first, uint64_t step, unsigned n, uint64_t count,
                              const struct cache *c, uint64_t period)
{
    static struct profile_line line[2048];
    for (unsigned i = 0; i < n; i++) line[i] = (struct profile_line){.key = first + i * step, .count = count};
    return of(line, n, 0, c, period);
}

static const struct profile_line table_1[] = {
    {0x08049760, 102}, {0x0804b760, 88},  {0x0804d760, 106}, {0x0804f760, 102},
    {0x08051760, 100}, {0x08053760, 100}, {0x08055760, 101}, {0x08057760, 101},
};

TEST(article)
{
    struct deduction d = of(table_1, N(table_1), 0, &p4, 99999);
    assert_int_equal(d.addresses, 8);
    assert_int_equal(d.left_out, 0);
    assert_int_equal(d.samples, 800);
    assert_int_equal(d.first, 0x08049760);
    assert_int_equal(d.difference, 8192);
    assert_int_equal(d.set_count, 32); /* 8 KiB / 4 ways / 64 bytes */
    assert_int_equal(d.ways, 4);
    assert_int_equal(d.lines, 8);
    assert_int_equal(d.sets, 1);
    assert_int_equal(d.set, 29); /* bits 10:6 of 760h */
    assert_int_equal(d.set_lines, 8);
    assert_int_equal(d.verdict, DEDUCE_CONFLICT);
    assert_string_equal(text, "8 lines map to one set of a 4-way cache: they evict each other");
    assert_string_equal(warning, "");
}

TEST(period_shares_a_factor)
{
    struct deduction d = of(table_1, N(table_1), 0, &p4, 100000);
    assert_true(d.period_fits);
    assert_int_equal(d.shared, 8);
    assert_string_equal(
        warning, "a period of 100000 may always hit these addresses and never others; try jitter=, or a "
                 "prime number as the period");
    /* What a machine without noise shows with that period: one address for ever. */
    d = of(table_1, 1, 0, &p4, 100000);
    assert_int_equal(d.shared, 1);
    assert_true(d.period_fits);
    assert_non_null(strstr(warning, "jitter="));
    assert_string_equal(text,
                        "1 line maps to one set of a 4-way cache, no more than it holds: misses have another "
                        "reason");
    /* ... and with 4 x 24,999, two. */
    d = of(table_1, 2, 0, &p4, 99996);
    assert_int_equal(d.shared, 2);
    assert_non_null(strstr(warning, "a period of 99996 may"));
    /* Jittered, each event sampled, or one sample: there is nothing to warn of. */
    of(table_1, N(table_1), 0, &p4, 0);
    assert_string_equal(warning, "");
    of(table_1, 1, 0, &p4, 1);
    assert_string_equal(warning, "");
    steps(0x1000, 64, 1, 1, &p4, 100000);
    assert_string_equal(warning, "");
}

TEST(a_set_that_holds_them)
{
    assert_int_equal(steps(0x10000, 2048, 4, 10, &p4, 7).verdict, DEDUCE_FITS);
    assert_string_equal(
        text, "4 lines map to one set of a 4-way cache, no more than it holds: misses have another reason");
    assert_int_equal(steps(0x10000, 2048, 5, 10, &p4, 7).verdict, DEDUCE_CONFLICT);
    /* One sample of each: they are not all. Four of one set of four ways, and what conflicts does so all the
     * same. */
    assert_int_equal(steps(0x10000, 2048, 4, 1, &p4, 7).verdict, DEDUCE_SPARSE);
    assert_string_equal(
        text, "4 lines map to one set of a 4-way cache; many addresses have one sample, so there must be "
              "others without any: take more samples");
    assert_int_equal(steps(0x10000, 2048, 4, 2, &p4, 7).verdict, DEDUCE_FITS);
    assert_int_equal(steps(0x10000, 2048, 5, 1, &p4, 7).verdict, DEDUCE_CONFLICT);
}

TEST(several_sets)
{
    struct deduction d = steps(0x10000, 1024, 10, 10, &p4, 7); /* sets 0 and 16 in turn */
    assert_int_equal(d.sets, 2);
    assert_int_equal(d.set_lines, 5);
    assert_int_equal(d.set, 0);
    assert_int_equal(d.verdict, DEDUCE_CONFLICT);
    assert_string_equal(
        text, "10 lines map to 2 of 32 sets of a 4-way cache, up to 5 to one: they evict each other");
    assert_int_equal(steps(0x10000, 64, 128, 10, &p4, 7).verdict, DEDUCE_FITS);
    d = steps(0x10000, 64, 129, 10, &p4, 7); /* one line more than the cache has */
    assert_int_equal(d.verdict, DEDUCE_CAPACITY);
    assert_int_equal(d.set_lines, 5);
    assert_string_equal(
        text, "129 lines map to 32 of 32 sets of a 4-way cache, up to 5 to one, more than it holds");
    /* As many, but in half of the sets. */
    assert_int_equal(steps(0x10000, 128, 129, 10, &p4, 7).verdict, DEDUCE_CONFLICT);
}

/* A full number of lines of which one set has one more, and another one fewer; lines from address 0 on. */
TEST(full_but_uneven)
{
    static struct profile_line line[128];
    for (unsigned i = 0; i < 127; i++)
        line[i] = (struct profile_line){.key = 64 * i, .count = 10}; /* all but set 31's last */
    line[127] = (struct profile_line){.key = 64 * 128, .count = 10};
    struct deduction d = of(line, 128, 0, &p4, 7);
    assert_true(d.lines == 128 && d.sets == 32 && d.set_lines == 5 && d.set == 0);
    assert_int_equal(d.verdict, DEDUCE_CONFLICT);
}

/* Addresses in one line count as one. */
TEST(shared_lines)
{
    struct deduction d = steps(0x10000, 4, 32, 10, &p4, 7);
    assert_int_equal(d.addresses, 32);
    assert_int_equal(d.difference, 4);
    assert_int_equal(d.lines, 2);
    assert_int_equal(d.sets, 2);
    assert_int_equal(d.verdict, DEDUCE_FITS);
}

TEST(noise_is_left_out)
{
    struct profile_line line[N(table_1) + 2];
    line[0] = (struct profile_line){.key = 0x1234, .count = 2};
    memcpy(line + 1, table_1, sizeof table_1);
    line[N(line) - 1] = (struct profile_line){.key = 0xfff01000, .count = 1};
    struct deduction d = of(line, N(line), 40, &p4, 99999);
    assert_int_equal(d.addresses, 8);
    assert_int_equal(d.left_out, 2);
    assert_int_equal(d.samples, 800);
    assert_int_equal(d.first, 0x08049760);
    assert_int_equal(d.difference, 8192);
    assert_int_equal(d.set_lines, 8);
    /* Exactly an eighth of the average is kept: 803 samples, 9 lines. */
    line[0].count = 12;
    assert_int_equal(of(line, 9, 0, &p4, 7).left_out, 0);
    line[0].count = 11;
    assert_int_equal(of(line, 9, 0, &p4, 7).left_out, 1);
}

/* Where levels are known: an address is left out when most of its samples were hits, and half is not most. */
TEST(hits_are_left_out)
{
    struct profile_line line[N(table_1)];
    struct profile_access access = {.level = {[LEVEL_L2] = 5, [LEVEL_L1] = 5}};
    memcpy(line, table_1, sizeof table_1);
    line[3].access = &access;
    assert_int_equal(of(line, N(line), 0, &p4, 7).left_out, 0);
    access.level[LEVEL_L1]++;
    struct deduction d = of(line, N(line), 0, &p4, 7);
    assert_int_equal(d.left_out, 1);
    assert_int_equal(d.samples, 800 - 102);
    assert_int_equal(d.difference, 0);                     /* they are 16384 apart there */
    access = (struct profile_access){.latency = {.n = 3}}; /* no level is known */
    assert_int_equal(of(line, N(line), 0, &p4, 7).left_out, 0);
}

TEST(uneven)
{
    static const struct profile_line line[] = {{0x1000, 5}, {0x3000, 5}, {0x6000, 5}};
    struct deduction d = of(line, 3, 0, &p4, 7);
    assert_int_equal(d.difference, 0);
    assert_int_equal(d.set_lines, 3);
    assert_int_equal(of(line, 2, 0, &p4, 7).difference, 0x2000);
    assert_int_equal(of(line, 1, 0, &p4, 7).difference, 0);
}

TEST(geometry_unknown)
{
    const struct cache no_ways = {.level = 1, .kind = CACHE_DATA, .bytes = 8192, .line = 64};
    struct deduction d = of(table_1, N(table_1), 0, NULL, 99999);
    assert_int_equal(d.verdict, DEDUCE_UNKNOWN);
    assert_int_equal(d.difference, 8192);
    assert_int_equal(d.lines, 0);
    assert_string_equal(text, "the cache's geometry is unknown");
    assert_int_equal(of(table_1, N(table_1), 0, &no_ways, 99999).verdict, DEDUCE_UNKNOWN);
    d = of(table_1, 0, 17, &p4, 99999);
    assert_int_equal(d.verdict, DEDUCE_NOTHING);
    assert_string_equal(text, "no data address is known");
    assert_string_equal(warning, "");
}

TEST(fully_associative)
{
    const struct cache c = {1, CACHE_DATA, 1024, 64, CACHE_FULLY_ASSOCIATIVE};
    struct deduction d = steps(0x10000, 8192, 16, 10, &c, 7);
    assert_int_equal(d.ways, 16);
    assert_int_equal(d.set_count, 1);
    assert_int_equal(d.verdict, DEDUCE_FITS);
    assert_int_equal(steps(0x10000, 8192, 17, 10, &c, 7).verdict, DEDUCE_CAPACITY);
    assert_string_equal(text, "17 lines map to one set of a 16-way cache, more than it holds");
    const struct cache eight = {1, CACHE_DATA, 512, 64, 8};
    steps(0x10000, 8192, 9, 10, &eight, 7);
    assert_string_equal(text, "9 lines map to one set of an 8-way cache, more than it holds");
}

TEST(arena_full)
{
    struct arena arena = {memory, 63, 0};
    struct profile p = {(struct profile_line *)table_1, N(table_1), 800, 0, 0};
    struct deduction d;
    deduce(&p, &p4, 99999, &arena, &d);
    assert_int_equal(d.verdict, DEDUCE_UNKNOWN);
    assert_int_equal(d.difference, 8192);
}

/* The longest texts fit, with numbers of all digits. */
TEST(long_texts)
{
    struct deduction d = {.addresses = UINT32_MAX,
                          .lines = UINT32_MAX,
                          .sets = UINT32_MAX,
                          .set_count = UINT32_MAX,
                          .ways = UINT32_MAX,
                          .set_lines = UINT32_MAX,
                          .period = UINT64_MAX,
                          .shared = UINT32_MAX,
                          .period_fits = true,
                          .verdict = DEDUCE_FITS};
    deduction_text(&d, text, sizeof text);
    assert_non_null(strstr(text, "another reason"));
    assert_non_null(strstr(deduction_warning(&d, text, sizeof text), "prime number"));
}
