/* Drivers on the PMU model, each written from the manual by itself: what one programs the other must count.
 */
#include "tests/unit/drive_pmu.h"
#include "tests/unit/sim_hw.h"
#include "tests/unit/unit.h"
#include <stdio.h>
#include <string.h>

static struct sim *sim;
static struct cpu_id id;

static void plug(const char *model)
{
    static const struct sim_host host;
    if (sim) sim_free(sim);
    sim = sim_new(model, NULL, &host);
    assert_non_null(sim);
    sim_hw_plug(sim, &id);
    probe(&id);
}

/* Count word on a counter that takes it while user and kernel instructions run. */
static uint64_t count(const char *word, unsigned kernel, unsigned user)
{
    const struct pmu_code *codes[PMU_COUNTERS] = {NULL}, c = code(word);
    unsigned counter = c.counters & 1 ? 0 : 1;
    codes[counter] = &c;
    if (!program(codes)) fail_msg("%s: %s", word, why);
    pmu_start(&pmu);
    uint64_t before = pmu.ops->read(&pmu, counter);
    sim_hw_run(kernel, 0);
    sim_hw_run(user, 3);
    pmu_stop(&pmu);
    return pmu.ops->read(&pmu, counter) - before;
}

static const struct {
    const char *model, *family;
    bool rdpmc;
} cpus[] = {
    {"p5", "P5", false}, {"p55c", "P5", true}, {"ppro", "P6", true}, {"p2", "P6", true}, {"p3", "P6", true}};
#define CPUS N(cpus)

TEST(test_probe)
{
    for (unsigned i = 0; i < CPUS; i++) {
        plug(cpus[i].model);
        assert_string_equal(pmu.ops->family, cpus[i].family);
        assert_int_equal(pmu.counters, 2);
        assert_int_equal(pmu.width, 40);
        assert_int_equal(pmu.usable, 3);
        assert_int_equal(pmu.rdpmc, cpus[i].rdpmc);
    }
}

/* perf's words with privilege: 1,000 kernel and 300 user instructions of one tick each. */
TEST(test_words)
{
    for (unsigned i = 0; i < CPUS; i++) {
        plug(cpus[i].model);
        static const char *const word[] = {"instructions", "cycles"};
        for (unsigned w = 0; w < 2; w++) {
            char name[32];
            snprintf(name, sizeof name, "%s:u", word[w]);
            assert_int_equal(count(name, 1000, 300), 300);
            snprintf(name, sizeof name, "%s:k", word[w]);
            uint64_t k = count(name, 1000, 300); /* start() and stop() may count themselves */
            assert_true(k >= 1000 && k <= 1002);
            uint64_t all = count(word[w], 1000, 300);
            assert_true(all >= 1300 && all <= 1302);
        }
        assert_int_equal(count("branches:u", 10, 300), 0); /* there were none */
    }
}

/* Every event of every table can be programmed: no select that the model's reserved bits refuse. */
TEST(test_every_event)
{
    const struct pmu_event *e;
    for (unsigned i = 0; i < CPUS; i++) {
        plug(cpus[i].model);
        for (e = NULL; (e = pmu_event_next(&pmu, e)) != NULL;) count(e->name, 5, 5);
    }
}
