/* NetBurst's allocator against a solver of its own kind (netburst_solver.h): what can be solved has to be,
 * and what is answered has to satisfy every constraint. */
#include "pmu/netburst.h"
#include "tests/unit/fake_pmu.h"
#include "tests/unit/netburst_manual.h"
#include "tests/unit/netburst_solver.h"
#include "tests/unit/unit.h"
#include <string.h>

#define N(a) (sizeof(a) / sizeof(a)[0])

static const struct fake_pmu_rules rules = {.counting = NULL};
static struct pmu pmu;
static struct pmu_code parsed[CATALOGUE]; /* the driver's idea of them */

/* ---- comparing ---- */

static void parse_catalogue(void)
{
    char why[200], near[100];
    for (unsigned k = 0; k < n_catalogue; k++) {
        const struct item *i = &catalogue[k];
        if (!pmu_event_parse(&pmu, i->word, strlen(i->word), &parsed[k], why, sizeof why, near, sizeof near))
            fail_msg("%s: %s", i->word, why);
        assert_int_equal(parsed[k].counters, i->counters);
        assert_int_equal((uint32_t)parsed[k].select, i->value);
    }
}

static int prescott(void **state)
{
    (void)state;
    struct cpu_id id = {.vendor = "GenuineIntel", .family = 15, .model = 4, .stepping = 1};
    fake_pmu_reset(&rules);
    fake_pmu_msr(0x1a0, 0x80);
    memset(&pmu, 0, sizeof pmu);
    assert_true(pmu_netburst_ops.detect(&id, &pmu));
    pmu.ops = &pmu_netburst_ops;
    pmu.usable = USABLE;
    if (!n_catalogue) {
        fill_catalogue();
        parse_catalogue();
    }
    return 0;
}

static const struct pmu_code *code_of(const struct item *i) { return &parsed[i - catalogue]; }

/* Facts 3.3: an ESCR may be powered down unless a counter is enabled for an event in it or its pair. */
static bool has_power(const struct netburst_plan *plan, unsigned msr)
{
    for (unsigned column = 0; column < 8; column++)
        for (unsigned c = 0; c < 18; c++) {
            const unsigned esel = plan->cccr[c] >> 13 & 7, own = nb_route[esel][column];
            if (!(nb_column[column] >> c & 1) || !(plan->cccr[c] >> 12 & 1) || !own) continue;
            if (own != msr && nb_route[esel][column ^ 1] != msr) continue;
            if (plan->escr[own - 0x3a0] >> 25) return true;
        }
    return false;
}

static void check_power(const struct item *const *it, const struct pmu_code *const *list,
                        const uint32_t *allowed, unsigned n)
{
    struct netburst_plan plan;
    assert_true(pmu_netburst_plan(&pmu, list, allowed, n, &plan));
    for (unsigned k = 0; k < n; k++) {
        bool ok = !it[k]->up;
        for (unsigned side = 0; side < 2 && it[k]->up; side++) {
            const unsigned msr = it[k]->up_escr[side];
            const uint32_t value = msr ? plan.escr[msr - 0x3a0] & ~0x1f0u : 0;
            ok |= value == it[k]->up && has_power(&plan, msr);
        }
        if (!ok) fail_msg("%s: no power", it[k]->word);
    }
}

/* 1: solved, 0: has no solution; anything else fails the test. */
static unsigned compare(const struct item *const *it, unsigned n)
{
    const struct pmu_code *list[18];
    uint32_t allowed[18] = {0};
    uint8_t counter[18];
    for (unsigned k = 0; k < n; k++) {
        list[k] = code_of(it[k]);
        allowed[k] = it[k]->counters;
    }
    bool want = solvable(it, n, allowed, USABLE), got = pmu.ops->allocate(&pmu, list, n, counter);
    if (want != got) {
        for (unsigned k = 0; k < n; k++) print_error("  %s\n", it[k]->word);
        fail_msg("%u events: %s", n, want ? "have a solution that was not found" : "have none");
    }
    if (!got) return 0;
    const struct pmu_code *program[PMU_COUNTERS] = {NULL};
    for (unsigned k = 0; k < n; k++) {
        assert_true(counter[k] < 18 && counter[k] != 1 && !program[counter[k]]);
        program[counter[k]] = list[k];
        allowed[k] = 1u << counter[k];
    }
    assert_true(solvable(it, n, allowed, USABLE)); /* with just these counters */
    check_power(it, list, allowed, n);
    return 1;
}

static uint64_t seed = 88172645463325252u;
static unsigned rnd(unsigned below)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (unsigned)(seed >> 33) % below;
}

TEST_WITH(all_pairs, prescott, NULL)
{
    unsigned solved = 0, total = 0;
    for (unsigned a = 0; a < n_catalogue; a++)
        for (unsigned b = 0; b < n_catalogue; b++) {
            const struct item *it[] = {&catalogue[a], &catalogue[b]};
            solved += compare(it, 2);
            total++;
        }
    assert_true(solved > total * 9 / 10 && solved < total);
}

TEST_WITH(random_sets, prescott, NULL)
{
    unsigned solved[19] = {0}, failed[19] = {0};
    for (unsigned round = 0; round < 1000; round++) {
        const struct item *it[18];
        unsigned n = 1 + rnd(17);
        for (unsigned k = 0; k < n; k++) it[k] = &catalogue[rnd(n_catalogue)];
        if (compare(it, n))
            solved[n]++;
        else
            failed[n]++;
    }
    for (unsigned n = 3; n < 8; n++) assert_true(solved[n] && failed[n]);
}

/* Grown event by event for as long as they fit: sets that fill the machine, and those that just miss. */
TEST_WITH(full_sets, prescott, NULL)
{
    unsigned full = 0, largest = 0;
    for (unsigned round = 0; round < 20; round++) {
        const struct item *it[18];
        unsigned n = 0;
        for (unsigned tries = 0; tries < 60 && n < 17; tries++) {
            it[n] = &catalogue[rnd(n_catalogue)];
            n += compare(it, n + 1);
        }
        full += n >= 15;
        if (n > largest) largest = n;
    }
    assert_int_equal(largest, 17); /* all that there are, with counter 1 out */
    assert_true(full > 6);
}

/* One block alone is where it gets tight. */
TEST_WITH(crowded_blocks, prescott, NULL)
{
    for (unsigned b = 0; b < 4; b++) {
        unsigned solved = 0, failed = 0;
        for (unsigned round = 0; round < 700; round++) {
            const struct item *it[18];
            unsigned n = 2 + rnd(b == 3 ? 5 : 3);
            for (unsigned k = 0; k < n; k++) do
                    it[k] = &catalogue[rnd(n_catalogue)];
                while (block(it[k]) != b);
            if (compare(it, n))
                solved++;
            else
                failed++;
        }
        assert_true(solved > 20 && failed > 20);
    }
}

/* The same with counters missing. */
TEST_WITH(few_counters, prescott, NULL)
{
    for (unsigned round = 0; round < 500; round++) {
        const struct item *it[18];
        const struct pmu_code *list[18];
        struct pmu_code codes[18];
        uint32_t allowed[18];
        uint8_t counter[18];
        unsigned n = 1 + rnd(7);
        pmu.usable = USABLE & (rnd(1 << 18) | rnd(1 << 18));
        for (unsigned k = 0; k < n; k++) {
            it[k] = &catalogue[rnd(n_catalogue)];
            codes[k] = *code_of(it[k]);
            if (rnd(4) == 0) codes[k].counters &= rnd(1 << 18); /* tied, as for PEBS */
            list[k] = &codes[k];
            allowed[k] = codes[k].counters & pmu.usable;
        }
        assert_int_equal(pmu.ops->allocate(&pmu, list, n, counter), solvable(it, n, allowed, pmu.usable));
    }
    prescott(NULL);
}

/* One event, each time on other counters. */
TEST_WITH(odd_counters, prescott, NULL)
{
    const struct item *instr = catalogue;
    while (strncmp(instr->word, "instr_retired", 13) != 0) instr++;
    unsigned solved = 0, failed = 0;
    for (unsigned round = 0; round < 1000; round++) {
        const struct item *it[18];
        const struct pmu_code *list[18];
        struct pmu_code codes[18];
        uint32_t allowed[18];
        uint8_t counter[18];
        unsigned n = 2 + rnd(4);
        for (unsigned k = 0; k < n; k++) {
            it[k] = instr;
            codes[k] = *code_of(instr);
            codes[k].counters = allowed[k] = (1u << (12 + rnd(4))) | (1u << (12 + rnd(4)));
            list[k] = &codes[k];
        }
        bool want = solvable(it, n, allowed, USABLE);
        solved += want;
        failed += !want;
        assert_int_equal(pmu.ops->allocate(&pmu, list, n, counter), want);
    }
    assert_true(solved > 100 && failed > 100);
}

/* Cascades get counters of which one starts the other, also beside events that want the same ones. */
TEST_WITH(cascades, prescott, NULL)
{
    char why[200], near[100];
    static const char *const words[] = {"instr_retired+>uops_retired", "tc_misc+>uop_queue_writes",
                                        "itlb_reference:miss+>global_power_events",
                                        "memory_complete+>memory_cancel"};
    for (unsigned round = 0; round < 400; round++) {
        struct pmu_code c[18];
        const struct pmu_code *list[18];
        uint8_t counter[18];
        const char *word = words[round % N(words)];
        unsigned n = 2;
        assert_true(pmu_cascade_parse(&pmu, word, strlen(word), c, why, sizeof why, near, sizeof near));
        list[0] = &c[0];
        list[1] = &c[1];
        const unsigned own = c[0].counters & 0xf     ? 0
                             : c[0].counters & 0xf0  ? 1
                             : c[0].counters & 0xf00 ? 2
                                                     : 3;
        for (unsigned extra = rnd(3); extra-- > 0; n++) {
            const struct item *i;
            do i = &catalogue[rnd(n_catalogue)];
            while (block(i) == own || i->metric || i->sets || i->sees || i->up || i->is_replay || i->front);
            list[n] = code_of(i);
        }
        if (!pmu.ops->allocate(&pmu, list, n, counter)) {
            assert_true(n > 3); /* the others may exclude each other */
            continue;
        }
        static const uint8_t pairs[][2] = {{0, 2},   {2, 0},   {4, 6},   {6, 4},   {5, 7},
                                           {7, 5},   {8, 10},  {10, 8},  {9, 11},  {11, 9},
                                           {12, 14}, {14, 12}, {13, 15}, {15, 13}, {14, 16},
                                           {15, 17}, {16, 12}, {17, 15}, {17, 16}, {16, 17}};
        bool allowed = false;
        for (unsigned p = 0; p < N(pairs); p++)
            allowed |= pairs[p][0] == counter[0] && pairs[p][1] == counter[1];
        assert_true(allowed);
    }
}
