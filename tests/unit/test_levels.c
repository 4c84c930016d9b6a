/* levels=1: the codes that events become, and the split of what was measured; on the model's Pentium III. */
#include "measure/levels.h"
#include "tests/unit/sim_hw.h"
#include "tests/unit/unit.h"
#include <string.h>

static struct pmu pmu;
static struct options opt;
static struct measured m;
static struct levels got[8];
static unsigned n;

static void add(const char *word)
{
    char why[96];
    assert_true(
        pmu_event_parse(&pmu, word, strlen(word), &opt.event[opt.n_events++], why, sizeof why, NULL, 0));
}

static void out(void *ctx, const struct levels *l)
{
    (void)ctx;
    got[n++] = *l;
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

TEST(test_add)
{
    static const char *const want[] = {
        "inst_retired", "inst_retired:u", "inst_retired:k",    "l2_ld:i:u",           "r01c4",
        "r01c4:u",      "r01c4:k",        "/event=0x79,edge/", "/event=0x79,edge/:u", "/event=0x79,edge/:k"};
    opt.n_events = 0;
    add("inst_retired");
    add("l2_ld:i:u"); /* has its level already */
    add("r01c4");
    add("/event=0x79,edge/");
    assert_int_equal(levels_add(&opt, &pmu), 0);
    assert_int_equal(opt.n_events, 10);
    for (unsigned i = 0; i < 10; i++) assert_string_equal(opt.event[i].name, want[i]);
    assert_int_equal(opt.event[1].privilege, PRIVILEGE_USER);
    assert_int_equal(opt.event[2].privilege, PRIVILEGE_KERNEL);
    opt.n_events = 0;
    for (unsigned i = 0; i < 22; i++) add("inst_retired");
    assert_int_equal(levels_add(&opt, &pmu), 1); /* no room for the last */
    assert_int_equal(opt.n_events, 64);
    assert_string_equal(opt.event[63].name, "inst_retired");
}

TEST(test_derive)
{
    static const double value[] = {101, 25, 75, 7, 0, 0, 0, 9};
    opt.n_events = 0;
    add("inst_retired");
    add("l2_ld:i:u");
    add("flops");
    assert_int_equal(levels_add(&opt, &pmu), 0);
    add("cycles"); /* its two levels were not measured */
    m.n = 0;
    for (unsigned i = 0; i < opt.n_events; i++)
        m.event[m.n++].code = &opt.event[i], m.event[i].value = value[i], m.event[i].group = 0;
    m.event[2].group = 1;
    n = 0;
    levels_derive(&pmu, &m, out, NULL);
    assert_int_equal(n, 2);
    assert_string_equal(got[0].event, "inst_retired");
    assert_true(got[0].user == 25 && got[0].kernel == 75 && got[0].both == 101 && got[0].share == 0.25);
    assert_true(got[0].several_runs && !got[1].several_runs);
    assert_string_equal(got[1].event, "flops");
    assert_true(got[1].share < 0);
}

AROUND_ALL(setup, teardown);
