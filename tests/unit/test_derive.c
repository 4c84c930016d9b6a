/* Ratios of what was measured, and of nothing else; on the model's Pentium III. */
#include "measure/derive.h"
#include "tests/unit/sim_hw.h"
#include "tests/unit/unit.h"
#include <string.h>

static struct pmu pmu;
static struct measured m;
static struct derived got[16];
static char formula[16][200]; /* of each */
static unsigned n;

static void add(const char *word, double value)
{
    static struct pmu_code codes[EVENTS_MAX];
    struct pmu_code *code = &codes[m.n];
    char why[96], near[96];
    assert_true(pmu_event_parse(&pmu, word, strlen(word), code, why, sizeof why, near, sizeof near));
    m.event[m.n].code = code;
    m.event[m.n].overhead_lowered = false;
    m.event[m.n].group = 0;
    m.event[m.n++].value = value;
}

static void out(void *ctx, const struct derived *d)
{
    (void)ctx;
    strcpy(formula[n], d->formula);
    got[n] = *d;
    got[n].formula = formula[n];
    if (got[n].name == d->formula) got[n].name = formula[n];
    n++;
}

static int setup(void **state)
{
    static const struct sim_host host;
    static struct cpu_id id;
    struct sim *sim = sim_new("p3", NULL, &host);
    sim_hw_plug(sim, &id);
    *state = sim;
    return pmu_probe(&id, &pmu) ? 0 : -1;
}

static int teardown(void **state)
{
    sim_free(*state);
    return 0;
}

TEST(test_ratios)
{
    m.n = n = 0;
    add("inst_retired", 300); /* is what perf calls instructions */
    add("cycles", 200);
    m.event[1].overhead_lowered = true;
    add("dcu_lines_in", 10);
    add("dcu_miss_outstanding", 70);
    derive(&pmu, &m, NULL, 0, out, NULL);
    assert_int_equal(n, 2);
    assert_string_equal(got[0].name, "IPC");
    assert_true(got[0].value == 1.5);
    assert_string_equal(got[1].name, "L1D miss penalty, cycles");
    assert_true(got[1].value == 7);
    assert_true(got[0].overhead_lowered && !got[1].overhead_lowered);
}

/* The article's throughput. */
TEST(test_uops)
{
    m.n = n = 0;
    add("cycles", 100);
    add("uops_retired", 21);
    derive(&pmu, &m, NULL, 0, out, NULL);
    assert_int_equal(n, 1);
    assert_string_equal(got[0].name, DERIVED_UOPS_PER_CYCLE);
    assert_string_equal(got[0].formula, "uops_retired / cycles");
    assert_true(got[0].value == 0.21);
}

/* Ratios with a term in common are none of them told instead of another. */
TEST(test_common_terms)
{
    static const char *const names[] = {"IPC", DERIVED_UOPS_PER_CYCLE, "micro-operations per instruction"};
    m.n = n = 0;
    add("cycles:k", 0.5);
    add("instructions:k", 1);
    add("uops_retired:k", 2);
    derive(&pmu, &m, NULL, 0, out, NULL);
    assert_int_equal(n, 3);
    for (unsigned i = 0; i < 3; i++) {
        assert_string_equal(got[i].name, names[i]);
        assert_string_equal(got[i].suffix, ":k");
    }
    assert_true(got[0].value == 2 && got[1].value == 4 && got[2].value == 2);
}

TEST(test_privilege)
{
    m.n = n = 0;
    add("instructions:u", 100);
    add("cycles:k", 50);
    derive(&pmu, &m, NULL, 0, out, NULL);
    assert_int_equal(n, 0); /* terms of different privilege do not make a ratio */
    add("cycles:u", 400);
    derive(&pmu, &m, NULL, 0, out, NULL);
    assert_int_equal(n, 1);
    assert_string_equal(got[0].suffix, ":u");
    assert_true(got[0].value == 0.25);
}

TEST(test_zero)
{
    m.n = n = 0;
    add("instructions", 100);
    add("cycles", 0);
    derive(&pmu, &m, NULL, 0, out, NULL);
    assert_int_equal(n, 0);
}

/* perf's words for caches; what two rows have in common is told once. */
TEST(test_cache_words)
{
    m.n = n = 0;
    add("L1-dcache-loads", 40); /* data_mem_refs */
    add("L1-dcache-load-misses", 10);
    add("L1-icache-loads", 8); /* ifu_ifetch */
    add("L1-icache-load-misses", 2);
    add("LLC-store-misses", 1);
    derive(&pmu, &m, NULL, 0, out, NULL);
    assert_int_equal(n, 2);
    assert_string_equal(got[0].name, "L1D miss ratio");
    assert_true(got[0].value == 0.25);
    assert_string_equal(got[1].name, "L1I load miss ratio");
    assert_true(got[1].value == 0.25);
}

static struct asked_ratio asked(const char *over, const char *under)
{
    return (struct asked_ratio){.over = {over, strlen(over)}, .under = {under, strlen(under)}};
}

/* First what was asked for, in that order, with or without a value. */
TEST(test_asked)
{
    const struct ratio *cpi = NULL, *ipc = ratio_at(0);
    for (unsigned i = 0; ratio_at(i); i++)
        if (strcmp(ratio_at(i)->name, "CPI") == 0) cpi = ratio_at(i);
    assert_non_null(cpi);
    struct asked_ratio a[] = {asked("cycles", "inst_retired"), asked("l2_ld:i", "cycles:u"),
                              asked("cycles", "l2_ld:i"),      asked("dcu_lines_in", "cycles"),
                              asked("cycles", "instructions"), asked("instructions", "cycles")};
    a[4].named = cpi;
    a[5].named = ipc;
    m.n = n = 0;
    add("inst_retired", 300);
    add("cycles", 600);
    add("l2_ld:i", 0);
    m.event[1].group = 1;
    m.event[1].overhead_lowered = true;
    derive(&pmu, &m, a, 6, out, NULL);
    assert_int_equal(n, 6); /* IPC once */
    assert_string_equal(got[0].formula, "cycles / inst_retired");
    assert_string_equal(got[0].name, "cycles / inst_retired");
    assert_null(got[0].lacks);
    assert_true(got[0].value == 2 && got[0].several_runs && got[0].overhead_lowered);
    assert_string_equal(got[1].lacks, "its denominator has no value"); /* counted at both levels */
    assert_string_equal(got[2].lacks, "its denominator is 0");
    assert_string_equal(got[3].lacks, "its numerator has no value");
    assert_string_equal(got[4].name, "CPI");
    assert_true(got[4].value == 2);
    assert_string_equal(got[5].name, "IPC");
    assert_true(got[5].value == 0.5);
    m.event[1].group = 0;
    n = 0;
    derive(&pmu, &m, a, 1, out, NULL);
    assert_int_equal(n, 2); /* and IPC, unasked; CPI is not */
    assert_false(got[0].several_runs);
    m.n = n = 0;
    derive(&pmu, &m, a, 1, out, NULL); /* nothing was counted */
    assert_int_equal(n, 1);
    assert_string_equal(got[0].lacks, "its numerator has no value");
}

/* Each has a word of its own, which names events of some CPU. */
TEST(test_words)
{
    static const char *const cpus[] = {"p55c", "p3", "prescott"};
    char word[64][RATIO_WORD];
    bool known[64] = {false};
    unsigned i;
    for (i = 0; ratio_at(i); i++) {
        ratio_word(ratio_at(i), word[i], sizeof word[i]);
        assert_int_equal(strspn(word[i], "abcdefghijklmnopqrstuvwxyz0123456789-"), strlen(word[i]));
        for (unsigned k = 0; k < i; k++) assert_string_not_equal(word[i], word[k]);
    }
    assert_string_equal(word[0], "ipc");
    for (unsigned c = 0; c < 3; c++) {
        static const struct sim_host host;
        static struct cpu_id id;
        struct sim *sim = sim_new(cpus[c], NULL, &host);
        sim_hw_plug(sim, &id);
        assert_true(pmu_probe(&id, &pmu));
        for (unsigned k = 0; k < i; k++) known[k] |= ratio_known(&pmu, ratio_at(k));
        sim_free(sim);
    }
    for (unsigned k = 0; k < i; k++)
        if (!known[k] && !strchr(ratio_at(k)->over, '-')) /* perf's words for caches: newer CPUs */
            fail_msg("no CPU has %s", word[k]);
}

AROUND_ALL(setup, teardown);
