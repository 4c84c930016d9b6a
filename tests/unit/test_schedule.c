/* Events into groups; the matching itself is test_match.c's. */
#include "measure/schedule.h"
#include "tests/unit/unit.h"
#include <string.h>

#define N(a) (sizeof(a) / sizeof(a)[0])

static struct pmu_code code[EVENTS_MAX + 6];
static struct group group[EVENTS_MAX + 6];
static struct pmu_ops ops;
static struct pmu pmu = {.ops = &ops};

/* As if the family's events were independent. */
static unsigned matched(unsigned n, uint32_t usable)
{
    ops.allocate = NULL;
    pmu.usable = usable;
    return schedule_groups(&pmu, code, n, group);
}

static void ask(unsigned n, const uint32_t *counters)
{
    for (unsigned i = 0; i < n; i++) code[i].counters = counters[i];
}

/* P6: FLOPS only on counter 0, MUL only on counter 1, others on both. */
TEST(test_restrictions)
{
    static const uint32_t counters[] = {3, 1, 2, 1, 3};
    ask(5, counters);
    assert_int_equal(matched(5, 3), 3); /* five events on two counters */
    unsigned seen = 0;
    for (unsigned g = 0; g < 3; g++)
        for (unsigned i = 0; i < group[g].n; i++) {
            assert_true(counters[group[g].event[i]] >> group[g].counter[i] & 1);
            assert_true(i == 0 || group[g].counter[0] != group[g].counter[1]);
            seen |= 1u << group[g].event[i];
        }
    assert_int_equal(seen, 31);
}

TEST(test_nothing_fits)
{
    static const uint32_t counters[] = {2, 1};
    ask(2, counters);
    assert_int_equal(matched(2, 1), 1); /* counter 1 is not usable: event 0 is in no group */
    assert_int_equal(group[0].n, 1);
    assert_int_equal(group[0].event[0], 1);
    assert_int_equal(matched(2, 0), 0);
    assert_int_equal(matched(0, 3), 0);
}

/* ---- a family whose events share what selects them ---- */

/* An event needs a selector of its own, and each of the selectors that know it serves only some counters: the
 * bits of serves[select][k] are counters. Like NetBurst's ESCRs. */
#define SELECTORS 6
static uint32_t serves[EVENTS_MAX + 6][SELECTORS];
static unsigned asked; /* how often allocate() was */

static bool assign(const struct pmu_code *const *codes, unsigned n, unsigned k, uint32_t selectors,
                   uint32_t counters, uint8_t *counter)
{
    if (k == n) return true;
    for (unsigned e = 0; e < SELECTORS; e++) {
        if (selectors >> e & 1) continue;
        uint32_t may = serves[codes[k]->select][e] & codes[k]->counters & ~counters;
        for (unsigned c = 0; c < PMU_COUNTERS; c++) {
            counter[k] = (uint8_t)c;
            if (may >> c & 1 && assign(codes, n, k + 1, selectors | 1u << e, counters | 1u << c, counter))
                return true;
        }
    }
    return false;
}

static bool allocate(const struct pmu *p, const struct pmu_code *const *codes, unsigned n, uint8_t *counter)
{
    assert_ptr_equal(p, &pmu);
    assert_in_range(n, 1, PMU_COUNTERS);
    asked++;
    return assign(codes, n, 0, 0, 0, counter);
}

static unsigned searched(unsigned n, uint32_t usable)
{
    ops.allocate = allocate;
    pmu.usable = usable;
    asked = 0;
    memset(group, 0xff, sizeof group);
    return schedule_groups(&pmu, code, n, group);
}

static uint32_t seed;
static uint32_t draw(uint32_t below) /* xorshift32: the same on every host */
{
    seed ^= seed << 13;
    seed ^= seed >> 17;
    seed ^= seed << 5;
    return seed % below;
}

/* n events with few or many ways each, some with none. */
static void random_events(unsigned n, unsigned selectors, unsigned counters, unsigned density)
{
    memset(serves, 0, sizeof serves);
    for (unsigned i = 0; i < n; i++) {
        code[i] = (struct pmu_code){.select = i};
        for (unsigned e = 0; e < selectors; e++)
            for (unsigned c = 0; c < counters; c++)
                if (draw(100) < density) serves[i][e] |= 1u << c;
        for (unsigned e = 0; e < selectors; e++) code[i].counters |= serves[i][e];
    }
}

/* Does the set of events, one bit each, fit into one run? */
static bool together(unsigned set, unsigned n, uint32_t usable)
{
    static struct pmu_code usable_only[16];
    const struct pmu_code *codes[16];
    uint8_t counter[16];
    unsigned k = 0;
    for (unsigned i = 0; i < n; i++) {
        usable_only[i] = code[i];
        usable_only[i].counters &= usable;
        if (set >> i & 1) codes[k++] = &usable_only[i];
    }
    return assign(codes, k, 0, 0, 0, counter);
}

/* The least number of groups for every set of events: one group has the first of them and any others that
 * fit. */
static unsigned least_groups(unsigned n, uint32_t usable)
{
    static bool fits[1 << 8];
    static unsigned least[1 << 8];
    unsigned all = 0;
    for (unsigned set = 1; set < 1u << n; set++) fits[set] = together(set, n, usable);
    for (unsigned i = 0; i < n; i++)
        if (fits[1u << i]) all |= 1u << i;
    for (unsigned set = 1; set < 1u << n; set++) {
        least[set] = UINT32_MAX;
        for (unsigned part = set; part; part = (part - 1) & set)
            if (part & (set & -set) && fits[part] && least[set & ~part] != UINT32_MAX &&
                least[set & ~part] + 1 < least[set])
                least[set] = least[set & ~part] + 1;
    }
    return least[all];
}

/* Every event that fits at all is in one group, on a counter of its own that it may be on, and the set fits.
 */
static void check_groups(unsigned n, uint32_t usable, unsigned groups)
{
    uint8_t counter[PMU_COUNTERS];
    unsigned seen[EVENTS_MAX] = {0};
    for (unsigned g = 0; g < groups; g++) {
        const struct pmu_code *codes[PMU_COUNTERS];
        uint32_t taken = 0;
        assert_in_range(group[g].n, 1, PMU_COUNTERS);
        for (unsigned i = 0; i < group[g].n; i++) {
            unsigned e = group[g].event[i], c = group[g].counter[i];
            assert_true(e < n);
            seen[e]++;
            assert_true(code[e].counters & usable & 1u << c);
            assert_false(taken & 1u << c);
            taken |= 1u << c;
            assert_true(i == 0 || group[g].event[i - 1] < e);
            codes[i] = &code[e];
        }
        assert_true(assign(codes, group[g].n, 0, 0, 0, counter));
        assert_true(g == 0 || group[g - 1].event[0] < group[g].event[0]);
    }
    for (unsigned i = 0; i < n; i++) {
        bool alone = false;
        for (unsigned e = 0; e < SELECTORS; e++) alone |= (serves[i][e] & usable) != 0;
        assert_int_equal(seen[i], alone);
    }
}

TEST(test_brute_force)
{
    seed = 2463534242u;
    for (unsigned i = 0; i < 3000; i++) {
        unsigned n = 1 + draw(8), counters = 2 + draw(4), selectors = 1 + draw(SELECTORS);
        uint32_t usable = draw(4) ? (1u << counters) - 1 : draw(1u << counters);
        random_events(n, selectors, counters, 5 + draw(60));
        unsigned groups = searched(n, usable);
        assert_int_equal(groups, least_groups(n, usable));
        check_groups(n, usable, groups);
    }
}

/* Events 2i and 2j + 1 exclude each other unless i = j: first fit, which puts 0 and 1 together, takes three
 * groups. */
static bool crown(const struct pmu *p, const struct pmu_code *const *codes, unsigned n, uint8_t *counter)
{
    (void)p;
    for (unsigned i = 0; i < n; i++) {
        uint64_t a = codes[i]->select;
        for (unsigned k = 0; k < i; k++) {
            uint64_t b = codes[k]->select;
            if (a % 2 != b % 2 && a / 2 != b / 2) return false;
        }
        counter[i] = (uint8_t)i;
    }
    return true;
}

TEST(test_better_than_first_fit)
{
    for (unsigned i = 0; i < 6; i++) code[i] = (struct pmu_code){.select = i, .counters = 63};
    assert_int_equal(matched(6, 63), 1); /* what the counters say by themselves */
    ops.allocate = crown;
    assert_int_equal(schedule_groups(&pmu, code, 6, group), 2);
    for (unsigned g = 0; g < 2; g++) {
        assert_int_equal(group[g].n, 3);
        for (unsigned i = 0; i < 3; i++) {
            assert_int_equal(group[g].event[i], 2 * i + g);
            assert_int_equal(group[g].counter[i], i);
        }
    }
}

/* A long list, and the same groups each time; the number of questions is bounded. */
TEST(test_bounded)
{
    static struct group before[EVENTS_MAX];
    unsigned most = 0;
    seed = 88172645u;
    for (unsigned i = 0; i < 6; i++) {
        random_events(EVENTS_MAX, 2 + draw(SELECTORS - 1), 4 + draw(6), 5 + draw(25));
        unsigned groups = searched(EVENTS_MAX, 0x3ff), first = asked;
        assert_true(asked <= SCHEDULE_TRIALS + 2 * EVENTS_MAX * EVENTS_MAX + EVENTS_MAX * EVENTS_MAX);
        if (asked > most) most = asked;
        check_groups(EVENTS_MAX, 0x3ff, groups);
        memcpy(before, group, groups * sizeof *group);
        searched(3, 0x3ff); /* something else in between */
        assert_int_equal(searched(EVENTS_MAX, 0x3ff), groups);
        assert_memory_equal(before, group, groups * sizeof *group);
        assert_int_equal(asked, first);
        assert_true(groups >= matched(EVENTS_MAX, 0x3ff) || groups == 0);
    }
    /* One of them uses the trials up: all of its own, and those of first fit and of most pairs. */
    assert_true(most > SCHEDULE_TRIALS + EVENTS_MAX * EVENTS_MAX * 3 / 2);
}

/* 18 counters, each with a selector's worth of room: one group; the 65th event is not looked at. */
static bool any(const struct pmu *p, const struct pmu_code *const *codes, unsigned n, uint8_t *counter)
{
    (void)p;
    (void)codes;
    for (unsigned i = 0; i < n; i++) counter[i] = (uint8_t)i;
    return true;
}

TEST(test_all_counters)
{
    for (unsigned i = 0; i < N(code); i++) code[i] = (struct pmu_code){.select = 0, .counters = 0x3ffff};
    ops.allocate = any;
    pmu.usable = 0x3ffff;
    assert_int_equal(schedule_groups(&pmu, code, 18, group), 1);
    assert_int_equal(group[0].n, 18);
    assert_int_equal(group[0].counter[17], 17);
    assert_int_equal(schedule_groups(&pmu, code, 19, group), 2);
    assert_int_equal(schedule_groups(&pmu, code, N(code), group), 4); /* 64 of them */
    assert_int_equal(group[0].n + group[1].n + group[2].n + group[3].n, EVENTS_MAX);
    pmu.usable = 0x3fffe; /* the driver insists upon a counter that does not count: that is no fit */
    assert_int_equal(schedule_groups(&pmu, code, 18, group), 0);
}

/* Groups of 5, 1 and 4 events, then of 2 at most. */
TEST(test_split)
{
    static const unsigned n[] = {5, 1, 4}, want[] = {2, 2, 1, 1, 2, 2};
    struct group all[3], out[10];
    unsigned event = 0, at = 0;
    for (unsigned g = 0; g < N(n); g++)
        for (all[g].n = 0; all[g].n < n[g]; all[g].n++, event++) {
            all[g].event[all[g].n] = event;
            all[g].counter[all[g].n] = 17 - event;
        }
    assert_int_equal(schedule_split(all, N(n), 2, out), N(want));
    for (unsigned g = 0; g < N(want); g++) {
        assert_int_equal(out[g].n, want[g]);
        for (unsigned i = 0; i < out[g].n; i++, at++) {
            assert_int_equal(out[g].event[i], at);
            assert_int_equal(out[g].counter[i], 17 - at);
        }
    }
    assert_int_equal(schedule_split(all, N(n), 5, out), 3);
    assert_int_equal(schedule_split(all, 0, 2, out), 0);
}

/* Each event with a preset has a run of its own, which is one of the last; a cascade's two have one together,
 * on the counters that the family gives to both. */
static bool next_to_each_other(const struct pmu *p, const struct pmu_code *const *codes, unsigned n,
                               uint8_t *counter)
{
    (void)p;
    for (unsigned i = 0; i < n; i++) {
        if (codes[i]->cascade == CASCADE_TARGET && i == 0) return false; /* alone */
        if (!codes[i]->counters) return false;
        counter[i] = codes[i]->cascade == CASCADE_TARGET ? counter[i - 1] + 2
                                                         : (uint8_t)(__builtin_ctz(codes[i]->counters) + i);
    }
    return true;
}

TEST(test_presets)
{
    static const uint32_t counters[] = {3, 3, 2, 3, 3};
    memset(code, 0, sizeof code);
    ask(5, counters);
    code[0].preset = code[2].preset = true;
    assert_int_equal(matched(5, 3), 4); /* 1 and 3, 4, 0, 2 */
    assert_int_equal(group[0].n, 2);
    assert_int_equal(group[0].event[0], 1);
    assert_int_equal(group[0].event[1], 3);
    static const unsigned last[][2] = {{0, 0}, {2, 1}};
    for (unsigned g = 2; g < 4; g++) {
        assert_int_equal(group[g].n, 1);
        assert_int_equal(group[g].event[0], last[g - 2][0]);
        assert_int_equal(group[g].counter[0], last[g - 2][1]);
    }
    assert_int_equal(matched(5, 1), 4); /* 1, 3, 4, 0: no counter is left for 2 */
    assert_int_equal(group[3].event[0], 0);

    static const uint32_t four[] = {0xf, 0xf, 0xf, 0xf};
    memset(code, 0, sizeof code);
    ask(4, four);
    code[1] = (struct pmu_code){.name = "a", .counters = 2, .cascade = CASCADE_STARTER, .preset = true};
    code[2] = (struct pmu_code){.name = "a+>b", .counters = 8, .cascade = CASCADE_TARGET};
    ops.allocate = next_to_each_other;
    pmu.usable = 0xf;
    assert_int_equal(schedule_groups(&pmu, code, 4, group), 2);
    assert_int_equal(group[0].n, 2); /* 0 and 3 */
    assert_int_equal(group[0].event[1], 3);
    assert_int_equal(group[1].n, 2);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(group[1].event[i], 1 + i);
        assert_int_equal(group[1].counter[i], 1 + 2 * i);
    }
    pmu.usable = 7; /* its target has no counter */
    assert_int_equal(schedule_groups(&pmu, code, 4, group), 1);
}
