/* steps= as records and text. */
#include "report/emit.h"
#include "tests/unit/emit_drive.h"
#include "tests/unit/errata_named.h"
#include <string.h>

static struct step rows[] = {
    {.asked = 0, .frozen = 5, .cycles = {2, 1, 3}, .count = {{7, 7, 7}, {1, 0, 2}, {9, 9, 9}}},
    {.asked = 8, .frozen = 5, .cycles = {11, 10, 12}, .count = {{9, 8, 9}, {1, 1, 1}, {4, 4, 5}}},
    {.asked = 16, .frozen = 4, .cycles = {18, 18, 18}, .count = {{9, 9, 9}, {1, 1, 1}, {6, 6, 6}}},
};

static struct steps steps;
static const struct machine modelled = {.count_origin = ORIGIN_MODELLED}, silicon;
static const struct options opt = {.ring = 3};

static void given(void)
{
    steps = (struct steps){.run = run,
                           .range = {true, false, 0, 40, 8},
                           .events = 3,
                           .at = rows,
                           .n = 3,
                           .as_empty = 2,
                           .ended = true,
                           .whole = {.cycles = {20, 19, 30}, .count = {{10, 9, 11}, {2, 2, 2}, {8, 8, 8}}},
                           .empty = {.cycles = {5, 4, 6}, .count = {{3, 2, 4}, {0, 0, 0}, {1, 1, 1}}}};
    steps.run.reps = 5;
    steps.run.n = 5;
    steps.run.count[1].event = "instructions";
    steps.run.count[2].event = "loads";
    steps.run.count[3].event = "stores";
}

static long long number(unsigned i, const char *key)
{
    const json_t *f = field(i, key);
    return f ? json_integer_value(f) : -1;
}

/* "[7,1,9]" */
static void list(unsigned i, const char *key, const char *want)
{
    char *got = json_dumps(field(i, key), JSON_COMPACT | JSON_ENCODE_ANY);
    if (!got || strcmp(got, want) != 0)
        fail_msg("record %u, %s: %s, not %s", i, key, got ? got : "none", want);
    free(got);
}

TEST_WITH(whole, session, forget)
{
    given();
    emit_steps(&steps, &opt, &modelled);
    assert_int_equal(records, 4);
    list(0, "t", "\"steps\"");
    list(0, "events", "[\"instructions\",\"loads\",\"stores\"]");
    assert_int_equal(number(0, "ring"), 3);
    assert_int_equal(number(0, "from"), 0);
    assert_int_equal(number(0, "to"), 40);
    assert_int_equal(number(0, "by"), 8);
    assert_int_equal(number(0, "rows"), 3);
    assert_int_equal(number(0, "reps"), 5);
    list(0, "ended", "true");
    assert_int_equal(number(0, "cycles"), 20);
    list(0, "counts", "[10,2,8]");
    assert_int_equal(number(0, "empty"), 5);
    list(0, "empty_counts", "[3,0,1]");
    assert_int_equal(number(0, "as_empty"), 11);
    assert_int_equal(number(0, "late"), 3);
    assert_null(field(0, "unmodelled"));
    list(0, "flags", "[\"modelled\"]");
    expect("\n"
           "l1_profile, ring 3, cycle by cycle: what had been counted up to there, and what\n"
           "came since the row before; medians of 5 repetitions (modelled)\n"
           "  the bracket takes 20 cycles, and 5 when it is empty; up to cycle 11 nothing\n"
           "  differs from the empty one; counters stopped up to 3 cycles late, which the\n"
           "  first column includes\n"
           "     cycle instructions            loads           stores\n"
           "         2            7      +7        1*     +1        9      +9\n"
           "        11            9*     +2        1                4*     -5\n"
           "        18            9                1                6      +2\n"
           "           4 of 5 repetitions: in the others the bracket had ended\n");
}

TEST_WITH(each, session, forget)
{
    given();
    emit_steps(&steps, &opt, &silicon);
    list(0, "flags", "[]");
    for (unsigned i = 0; i < 3; i++) {
        list(1 + i, "t", "\"step\"");
        assert_int_equal(number(1 + i, "asked"), rows[i].asked);
        assert_int_equal(number(1 + i, "cycles"), rows[i].cycles.median);
        assert_int_equal(number(1 + i, "cycles_least"), rows[i].cycles.least);
        assert_int_equal(number(1 + i, "cycles_most"), rows[i].cycles.most);
        assert_int_equal(number(1 + i, "frozen"), rows[i].frozen);
    }
    list(1, "count", "[7,1,9]");
    list(1, "came", "[7,1,9]");
    list(1, "least", "[7,0,9]");
    list(1, "most", "[7,2,9]");
    list(2, "count", "[9,1,4]");
    list(2, "came", "[2,0,-5]");
    list(2, "least", "[8,1,4]");
    list(2, "most", "[9,1,5]");
    list(3, "came", "[0,0,2]");
}

/* It has no column, and is named. */
TEST_WITH(unmodelled, session, forget)
{
    given();
    steps.run.count[2].unmodelled = true;
    steps.as_empty = 0;
    emit_steps(&steps, &opt, &modelled);
    list(0, "events", "[\"instructions\",\"stores\"]");
    list(0, "counts", "[10,8]");
    list(0, "empty_counts", "[3,1]");
    list(0, "unmodelled", "[\"loads\"]");
    assert_null(field(0, "as_empty"));
    list(1, "count", "[7,9]");
    list(2, "came", "[2,-5]");
    list(2, "least", "[8,4]");
    list(2, "most", "[9,5]");
    assert_non_null(strstr(text, "  no value: loads\n"));
    assert_null(strstr(text, "nothing differs"));
}

/* Of any event that was counted; what is not counted is not in doubt. */
TEST_WITH(errata, session, forget)
{
    given();
    steps.run.count[2].errata = erratum_named("990");
    steps.run.count[3].errata = erratum_named("HSD25");
    steps.run.count[3].unmodelled = true;
    emit_steps(&steps, &opt, &silicon);
    list(0, "errata", "[\"990\"]");
    list(0, "flags", "[\"overcount\"]");
    assert_non_null(strstr(text, "! may be too high: erratum 990\n"));
}
