/* NetBurst's allocator against a solver of its own kind: what can be solved has to be, and what is answered
 * has to satisfy every constraint. The solver here knows the manual's tables, tries everything, and shares
 * nothing with the driver. */
#include "pmu/netburst.h"
#include "tests/unit/fake_pmu.h"
#include "tests/unit/netburst_manual.h"
#include "tests/unit/unit.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N(a)   (sizeof(a) / sizeof(a)[0])
#define USABLE (0x3ffffu & ~2u)

static const struct fake_pmu_rules rules = {.counting = NULL};
static struct pmu pmu;

/* ---- what an event needs, by the manual ---- */

struct item {
    char word[64];
    unsigned esel;
    uint32_t value, counters; /* ESCR, at CPL 0-3 of thread 0 */
    uint16_t up_escr[2];
    uint32_t up;            /* 0: none */
    uint64_t replay;        /* 3F1h and 3F2h; for replay_event itself 0 */
    bool is_replay, metric; /* metric: needs a tag value of its own choice */
    unsigned front;         /* front-end tags: the mask of uop_type that a metric or uop_type itself sets */
    bool front_metric, front_plain;
    unsigned sets, sees,
        kind; /* execution tags that a plain event sets (for events of this kind) or counts */
};

static struct item catalogue[300];
static struct pmu_code parsed[300]; /* the driver's idea of them */
static unsigned n_catalogue;

static struct item *add(const char *name, unsigned select, unsigned esel, unsigned mask, uint32_t counters)
{
    struct item *i = &catalogue[n_catalogue++];
    size_t k = 0;
    memset(i, 0, sizeof *i);
    for (; name[k]; k++) i->word[k] = (char)tolower(name[k]);
    snprintf(i->word + k, sizeof i->word - k, ":0x%x", mask);
    i->esel = esel;
    i->value = select << 25 | mask << 9 | 0xc;
    i->counters = counters & USABLE;
    return i;
}

static void add_event(const struct nb_event *e, unsigned mask)
{
    struct item *i = add(e->name, e->select, e->esel, mask, e->counters);
    if (strcmp(e->name, "IOQ_active_entries") == 0) {
        i->up_escr[0] = 0x3a2;
        i->up = 0x03u << 25 | mask << 9 | 0xc;
    } else if (strcmp(e->name, "bsq_active_entries") == 0) {
        i->up_escr[0] = 0x3a0;
        i->up = 0x05u << 25 | mask << 9 | 0xc;
    } else if (strcmp(e->name, "replay_event") == 0) {
        i->is_replay = true;
    } else if (strcmp(e->name, "front_end_event") == 0) {
        i->front_plain = true;
    } else if (strcmp(e->name, "uop_type") == 0) {
        i->front = mask;
    } else if (strcmp(e->name, "execution_event") == 0) {
        i->sees = (mask | mask >> 4) & 15;
    }
}

static void fill_catalogue(void)
{
    n_catalogue = 0;
    for (unsigned k = 0; k < N(nb_events); k++) {
        unsigned all = 0, first = 16;
        for (const char *m = nb_events[k].masks; m; m = strchr(m, ',') ? strchr(m, ',') + 1 : NULL) {
            unsigned bit = (unsigned)strtoul(m, NULL, 10);
            all |= 1u << bit;
            if (bit < first) first = bit;
        }
        add_event(&nb_events[k], all);
        if (all != 1u << first) add_event(&nb_events[k], 1u << first);
    }
    static const unsigned select[] = {0x08, 0x0e};
    static const char *const name[] = {"packed_SP_uop", "scalar_DP_uop"};
    for (unsigned k = 0; k < 2; k++)
        for (unsigned tag = 1; tag < 4; tag++) { /* upstream events of the user's */
            struct item *i = add(name[k], select[k], 1, 0x8000, 0xf00);
            char with[16];
            snprintf(with, sizeof with, ":tag=%u", tag);
            strcat(i->word, with);
            i->value |= 1u << 4 | tag << 5;
            i->sets = tag;
            i->kind = select[k];
        }
    for (unsigned k = 0; k < N(nb_metrics); k++)
        for (unsigned mask = 1; mask < 3; mask++) { /* nbogus, bogus */
            const struct nb_metric *m = &nb_metrics[k];
            struct item *i = add(m->name, m->down, 5, mask, 0x3f000);
            i->up_escr[0] = m->escr[0];
            i->up_escr[1] = m->escr[1];
            if (m->upstream) i->up = m->upstream | 0xc;
            i->replay = (uint64_t)m->vert << 32 | m->enable;
            i->is_replay = m->down == 0x09;
            i->metric = m->down == 0x0c;
            if (i->metric) i->value = 0x0cu << 25 | (mask == 1 ? 1 : 0x10) << 9 | 0xc;
            i->front_metric = m->down == 0x08;
            i->front = i->front_metric ? m->upstream >> 9 & 0xffff : 0;
            i->kind = m->upstream >> 25;
        }
}

/* ---- the solver ---- */

struct state {
    uint32_t used, escr[0x42];
    unsigned tag[18];
};

static bool fits(const struct item *const *it, const struct state *s, unsigned a, unsigned b)
{
    const struct item *x = it[a], *y = it[b];
    if (x->is_replay && y->is_replay && x->replay != y->replay) return false;
    for (unsigned swap = 0; swap < 2; swap++) {
        const struct item *m = swap ? y : x, *o = swap ? x : y;
        unsigned tag = s->tag[swap ? b : a], other = s->tag[swap ? a : b];
        if (m->front_metric && (o->front_plain || (o->front && o->front != m->front))) return false;
        if (!m->metric) continue;
        if (o->metric && o->kind != m->kind && (tag & other)) return false;
        if (o->sets && o->kind != m->kind && (tag & o->sets)) return false;
        if (tag & o->sees) return false;
    }
    return true;
}

static bool put(struct state *s, unsigned msr, uint32_t value)
{
    if (s->escr[msr - 0x3a0] && s->escr[msr - 0x3a0] != value) return false;
    s->escr[msr - 0x3a0] = value;
    return true;
}

static bool solve_from(const struct item *const *it, unsigned n, const uint32_t *allowed, unsigned k,
                       struct state *s)
{
    if (k == n) return true;
    const struct item *i = it[k];
    for (unsigned c = 0; c < 18; c++) {
        if (!(allowed[k] & ~s->used & 1u << c)) continue;
        unsigned column = 0;
        while (!(nb_column[column] >> c & 1)) column++;
        unsigned msr = nb_route[i->esel][column];
        if (!msr) continue;
        for (unsigned tag = 1; tag <= (i->metric ? 8 : 1); tag *= 2)
            for (unsigned side = 0; side < (i->up ? 2 : 1); side++) {
                struct state t = *s;
                uint32_t value = i->value;
                if (i->metric) value = (value & ~(0xffffu << 9)) | ((value >> 9 & 0xffff) * tag) << 9;
                t.used |= 1u << c;
                t.tag[k] = tag;
                if (i->up && !i->up_escr[side]) continue;
                if (!put(&t, msr, value)) continue;
                if (i->up && !put(&t, i->up_escr[side], i->up | (i->metric ? 1u << 4 | tag << 5 : 0)))
                    continue;
                bool ok = true;
                for (unsigned j = 0; j < k; j++) ok &= fits(it, &t, j, k);
                if (ok && solve_from(it, n, allowed, k + 1, &t)) return true;
            }
    }
    return false;
}

static unsigned block(const struct item *i)
{
    return i->counters & 0xf ? 0 : i->counters & 0xf0 ? 1 : i->counters & 0xf00 ? 2 : 3;
}

/* Blocks meet only where an item of one programs an ESCR of another: each such bunch by itself. */
static bool solvable(const struct item *const *it, unsigned n, const uint32_t *allowed)
{
    unsigned bunch[4] = {0, 1, 2, 3};
    for (unsigned k = 0; k < n; k++) {
        unsigned own = block(it[k]), other = own;
        for (unsigned e = 0; it[k]->up && e < 8; e++)
            for (unsigned c = 0; c < 8; c++)
                if (nb_route[e][c] &&
                    (nb_route[e][c] == it[k]->up_escr[0] || nb_route[e][c] == it[k]->up_escr[1]))
                    other = c / 2;
        unsigned from = bunch[other], to = bunch[own];
        if (it[k]->metric || it[k]->sets || it[k]->sees) from = bunch[2]; /* tags, too */
        for (unsigned b = 0; b < 4; b++)
            if (bunch[b] == from) bunch[b] = to;
    }
    for (unsigned b = 0; b < 4; b++) {
        const struct item *part[18];
        uint32_t part_allowed[18];
        unsigned m = 0;
        for (unsigned k = 0; k < n; k++)
            if (bunch[block(it[k])] == b) {
                part[m] = it[k];
                part_allowed[m++] = allowed[k];
            }
        struct state s = {.used = 0};
        for (unsigned blk = 0; blk < 4; blk++) { /* not more than there are counters */
            static const unsigned room[] = {3, 4, 4, 6};
            unsigned in = 0;
            for (unsigned k = 0; k < m; k++) in += block(part[k]) == blk;
            if (in > room[blk]) return false;
        }
        if (!solve_from(part, m, part_allowed, 0, &s)) return false;
    }
    return true;
}

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
    bool want = solvable(it, n, allowed), got = pmu.ops->allocate(&pmu, list, n, counter);
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
    assert_true(solvable(it, n, allowed)); /* with just these counters */
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

static void all_pairs(void **state)
{
    (void)state;
    unsigned solved = 0, total = 0;
    for (unsigned a = 0; a < n_catalogue; a++)
        for (unsigned b = 0; b < n_catalogue; b++) {
            const struct item *it[] = {&catalogue[a], &catalogue[b]};
            solved += compare(it, 2);
            total++;
        }
    assert_true(solved > total * 9 / 10 && solved < total);
}

static void random_sets(void **state)
{
    (void)state;
    unsigned solved[19] = {0}, failed[19] = {0};
    for (unsigned round = 0; round < 3000; round++) {
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
static void full_sets(void **state)
{
    (void)state;
    unsigned full = 0, largest = 0;
    for (unsigned round = 0; round < 60; round++) {
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
    assert_true(full > 20);
}

/* One block alone is where it gets tight. */
static void crowded_blocks(void **state)
{
    (void)state;
    for (unsigned b = 0; b < 4; b++) {
        unsigned solved = 0, failed = 0;
        for (unsigned round = 0; round < 2000; round++) {
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
        assert_true(solved > 50 && failed > 50);
    }
}

/* The same with counters missing. */
static void few_counters(void **state)
{
    (void)state;
    for (unsigned round = 0; round < 1500; round++) {
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
        assert_int_equal(pmu.ops->allocate(&pmu, list, n, counter), solvable(it, n, allowed));
    }
    prescott(NULL);
}

/* One event, each time on other counters. */
static void odd_counters(void **state)
{
    (void)state;
    const struct item *instr = catalogue;
    while (strncmp(instr->word, "instr_retired", 13) != 0) instr++;
    unsigned solved = 0, failed = 0;
    for (unsigned round = 0; round < 3000; round++) {
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
        bool want = solvable(it, n, allowed);
        solved += want;
        failed += !want;
        assert_int_equal(pmu.ops->allocate(&pmu, list, n, counter), want);
    }
    assert_true(solved > 300 && failed > 300);
}

/* Cascades get counters of which one starts the other, also beside events that want the same ones. */
static void cascades(void **state)
{
    (void)state;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(all_pairs, prescott),    cmocka_unit_test_setup(random_sets, prescott),
        cmocka_unit_test_setup(full_sets, prescott),    cmocka_unit_test_setup(crowded_blocks, prescott),
        cmocka_unit_test_setup(few_counters, prescott), cmocka_unit_test_setup(odd_counters, prescott),
        cmocka_unit_test_setup(cascades, prescott),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
