/* The packing of events into groups: valid, and no group too many. */
#include "measure/match.h"
#include "tests/unit/unit.h"
#include <stdbool.h>
#include <string.h>

#define N(a) (sizeof(a) / sizeof(a)[0])

/* ---- the slow way: try every place of every event ---- */

#define SMALL 8 /* events, and so groups */

static bool fits(const uint32_t *allowed, unsigned n, unsigned i, unsigned groups, uint32_t taken[SMALL])
{
    if (i == n) return true;
    for (unsigned g = 0; g < groups; g++)
        for (uint32_t free = allowed[i] & ~taken[g]; free; free &= free - 1) {
            uint32_t one = free & -free;
            taken[g] |= one;
            bool ok = fits(allowed, n, i + 1, groups, taken);
            taken[g] &= ~one;
            if (ok) return true;
        }
    return false;
}

static unsigned least_groups(const uint32_t *allowed, unsigned n, uint32_t usable)
{
    uint32_t rest[SMALL], taken[SMALL] = {0};
    unsigned m = 0, groups = 0;
    for (unsigned i = 0; i < n; i++)
        if (allowed[i] & usable) rest[m++] = allowed[i] & usable;
    while (!fits(rest, m, 0, groups, taken)) groups++;
    return groups;
}

/* ---- what every answer must obey ---- */

static void check(const uint32_t *allowed, unsigned n, uint32_t usable, const struct match_slot *slot,
                  unsigned groups)
{
    unsigned last = 0;
    bool any = false;
    for (unsigned i = 0; i < n; i++) {
        if (!(allowed[i] & usable)) {
            assert_int_equal(slot[i].group, MATCH_NONE);
            assert_int_equal(slot[i].counter, MATCH_NONE);
            continue;
        }
        any = true;
        assert_true(slot[i].counter < 32 && allowed[i] >> slot[i].counter & usable >> slot[i].counter & 1);
        assert_true(slot[i].group < groups);
        if (slot[i].group > last) last = slot[i].group;
        for (unsigned k = 0; k < i; k++)
            if (slot[k].counter == slot[i].counter) assert_true(slot[k].group < slot[i].group); /* in order */
    }
    assert_int_equal(groups, any ? last + 1 : 0); /* none is empty */
}

static uint32_t seed;
static uint32_t rnd(uint32_t below)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % below;
}

TEST(against_brute_force)
{
    seed = 3;
    unsigned histogram[SMALL + 1] = {0}, none = 0;
    for (unsigned trial = 0; trial < 3000; trial++) {
        uint32_t allowed[SMALL];
        struct match_slot slot[SMALL];
        unsigned n = rnd(SMALL + 1), counters = 1 + rnd(4);
        uint32_t usable = trial % 4 ? (1u << counters) - 1 : rnd(16);
        for (unsigned i = 0; i < n; i++) /* few choices more often than many */
            allowed[i] = rnd(2) ? 1u << rnd(4) : rnd(16);
        unsigned groups = match_events(allowed, n, usable, trial % 16, slot);
        check(allowed, n, usable, slot, groups);
        assert_int_equal(groups, least_groups(allowed, n, usable));
        histogram[groups]++;
        for (unsigned i = 0; i < n; i++) none += slot[i].group == MATCH_NONE;
    }
    for (unsigned g = 0; g <= 5; g++) assert_true(histogram[g] > 10); /* the trials were not all alike */
    assert_true(none > 100);
}

/* First fit would put the first event on counter 0 and need two groups. */
TEST(not_first_fit)
{
    static const uint32_t pair[] = {3, 1}, chain[] = {3, 6, 12, 1}, p6[] = {3, 3, 3, 1, 1, 1};
    struct match_slot slot[6];
    assert_int_equal(match_events(pair, 2, 3, 0, slot), 1);
    assert_int_equal(slot[0].counter, 1);
    assert_int_equal(slot[1].counter, 0);
    assert_int_equal(match_events(chain, 4, 15, 0, slot), 1);
    check(chain, 4, 15, slot, 1);
    assert_int_equal(match_events(p6, 6, 3, 0, slot), 3);
    check(p6, 6, 3, slot, 3);
}

/* Counters that are to be taken first are, unless another event has no other. */
TEST(first_choice)
{
    static const uint32_t allowed[] = {0x1f, 0x0f, 0x2f, 0x20};
    struct match_slot slot[4];
    assert_int_equal(match_events(allowed, 3, 0x3f, 0, slot), 1);
    assert_int_equal(slot[0].counter, 0);
    assert_int_equal(match_events(allowed, 3, 0x3f, 0x30, slot), 1);
    assert_int_equal(slot[0].counter, 4);
    assert_int_equal(slot[1].counter, 0);
    assert_int_equal(slot[2].counter, 5);
    assert_int_equal(match_events(allowed, 4, 0x3f, 0x30, slot), 1);
    check(allowed, 4, 0x3f, slot, 1);
    assert_int_equal(slot[3].counter, 5);
}

/* Two events for the same only counter, and one for a counter that is not there. */
TEST(one_counter)
{
    static const uint32_t allowed[] = {1, 2, 1, 0, 3};
    struct match_slot slot[5];
    assert_int_equal(match_events(allowed, 5, 1, 0, slot), 3);
    static const uint32_t group[] = {0, MATCH_NONE, 1, MATCH_NONE, 2};
    for (unsigned i = 0; i < N(group); i++) assert_int_equal(slot[i].group, group[i]);
    assert_int_equal(match_events(allowed, 5, 0, 0, slot), 0);
    assert_int_equal(match_events(allowed, 0, 3, 0, slot), 0);
    assert_int_equal(match_events(allowed, 5, 0x80000000u, 0, slot), 0);
    static const uint32_t top = 0x80000000u;
    assert_int_equal(match_events(&top, 1, UINT32_MAX, 0, slot), 1);
    assert_int_equal(slot[0].counter, 31);
}

/* Every event of a Pentium III: 80, of which 3 want counter 0 and 3 counter 1. */
TEST(whole_catalogue)
{
    uint32_t allowed[80];
    struct match_slot slot[80];
    for (unsigned i = 0; i < 80; i++) allowed[i] = i < 3 ? 1 : i < 6 ? 2 : 3;
    assert_int_equal(match_events(allowed, 80, 3, 0, slot), 40);
    check(allowed, 80, 3, slot, 40);
}

/* Long lists against the bound of Hall's theorem: for each set of counters, the events that fit only there,
 * divided by its size. The bound is met exactly when the answer is the least. */
TEST(long_lists)
{
    enum { LONG = 1000, COUNTERS = 10 };
    static uint32_t allowed[LONG];
    static struct match_slot slot[LONG];
    seed = 7;
    for (unsigned trial = 0; trial < 5; trial++) {
        for (unsigned i = 0; i < LONG; i++) {
            allowed[i] = 1u << rnd(1 + rnd(COUNTERS));
            while (rnd(3) == 0) allowed[i] |= 1u << rnd(COUNTERS);
        }
        unsigned bound = 0;
        for (uint32_t set = 1; set < 1u << COUNTERS; set++) {
            unsigned inside = 0, size = (unsigned)__builtin_popcount(set);
            for (unsigned i = 0; i < LONG; i++) inside += !(allowed[i] & ~set);
            if ((inside + size - 1) / size > bound) bound = (inside + size - 1) / size;
        }
        unsigned groups = match_events(allowed, LONG, (1u << COUNTERS) - 1, 0, slot);
        assert_int_equal(groups, bound);
        check(allowed, LONG, (1u << COUNTERS) - 1, slot, groups);
    }
}
