/* Presets (init=) and cascades (A+>B) as words, and on the PMU model: what a counter then holds, and when it
 * overflows. */
#include "pmu/pmu.h"
#include "tests/unit/sim_hw.h"
#include "tests/unit/unit.h"
#include <stdio.h>
#include <string.h>

#define N(a) (sizeof(a) / sizeof(a)[0])

static struct sim *sim;
static struct cpu_id id;
static struct pmu pmu;
static char why[240], near[64];

static void plug(const char *model)
{
    if (sim) sim_free(sim);
    memset(&pmu, 0, sizeof pmu);
    sim = sim_new(model, NULL, NULL);
    assert_non_null(sim);
    sim_hw_plug(sim, &id);
    assert_true(pmu_probe(&id, &pmu));
}

static bool event(const char *word, struct pmu_code *out)
{
    return pmu_event_parse(&pmu, word, strlen(word), out, why, sizeof why, near, sizeof near);
}

static void refuses(const char *word, const char *reason)
{
    struct pmu_code code;
    if (event(word, &code)) fail_msg("%s is accepted", word);
    if (!strstr(why, reason)) fail_msg("%s: \"%s\" is not in: %s", word, reason, why);
}

/* What each family can write: SDM 18.23.2 (40 bits), 18.22.2 (32, sign-extended), 18.2.6 (full-width writes).
 */
static const struct {
    const char *model;
    unsigned width, written;
} cpus[] = {{"p5", 40, 40},         {"p55c", 40, 40},     {"ppro", 40, 32},    {"p3", 40, 32},
            {"willamette", 40, 40}, {"prescott", 40, 40}, {"coreduo", 40, 32}, {"core2", 40, 32},
            {"haswell", 48, 48},    {"skylake", 48, 48},  {"k8", 48, 48},      {"zen4", 48, 48}};

static void test_ranges(void **state)
{
    (void)state;
    for (unsigned i = 0; i < N(cpus); i++) {
        char word[96], range[96];
        const int64_t least = -(int64_t)(1ull << (cpus[i].written - 1));
        const int64_t most = (int64_t)(1ull << (cpus[i].written - (cpus[i].written < cpus[i].width))) - 1;
        struct pmu_code code, plain;
        plug(cpus[i].model);
        assert_int_equal(pmu.width, cpus[i].width);
        assert_true(event("instructions:u", &plain));
        assert_false(plain.preset);
        const int64_t good[] = {least, -1, 0, 1, most}, bad[] = {least - 1, most + 1};
        for (unsigned k = 0; k < N(good); k++) {
            snprintf(word, sizeof word, "instructions:init=%lld:u", (long long)good[k]);
            if (!event(word, &code)) fail_msg("%s, %s: %s", cpus[i].model, word, why);
            assert_true(code.preset);
            assert_int_equal(code.init, good[k] == most && cpus[i].written == cpus[i].width ? -1 : good[k]);
            assert_true(pmu_code_same(&code, &plain));
            assert_int_equal(code.privilege, PRIVILEGE_USER);
            assert_string_equal(code.name, word);
        }
        snprintf(range, sizeof range, "from %lld to %lld here", (long long)least, (long long)most);
        for (unsigned k = 0; k < N(bad); k++) {
            snprintf(word, sizeof word, "instructions:u:init=%lld", (long long)bad[k]);
            refuses(word, range);
            assert_int_equal(strstr(why, "bit 31 is copied upwards") != NULL, cpus[i].written == 32);
        }
    }
}

static void test_words(void **state)
{
    struct pmu_code code;
    (void)state;
    plug("skylake");
    static const struct {
        const char *word;
        int64_t init;
    } good[] = {{"r00c0:init=-0x10", -16},
                {"r00c0:u:init=0xff", 255},
                {"/event=0xc0,cmask=1/u:init=-7", -7},
                {"Instructions:INIT=-9", -9},
                {"instructions:init=-0", 0}};
    for (unsigned i = 0; i < N(good); i++) {
        if (!event(good[i].word, &code)) fail_msg("%s: %s", good[i].word, why);
        assert_true(code.preset && code.init == good[i].init);
    }
    static const char *const wrong[] = {"",
                                        "-",
                                        "--1",
                                        "+1",
                                        "1k",
                                        "0x",
                                        "-0x",
                                        "1.5",
                                        "ten",
                                        "1 ",
                                        "99999999999999999999",
                                        "0x100000000000000000"};
    for (unsigned i = 0; i < N(wrong); i++) {
        char word[96];
        snprintf(word, sizeof word, "instructions:init=%s", wrong[i]);
        refuses(word, "init= takes a number from");
    }
    refuses("instructions:init=-1:init=-1", "init is given twice");
    refuses("/event=0xc0,init=-5/", "is not a field");
    refuses("instructions+>branches", "is two events");
    refuses(":init=-5", "no event of this name");
    pmu.preset_width = 0; /* no driver sets it */
    refuses("instructions:init=-5", "take no init=");
}

static bool counts_on(unsigned counter, const struct pmu_code *code, int64_t init)
{
    const struct pmu_code *codes[PMU_COUNTERS] = {NULL};
    codes[counter] = code;
    return pmu.ops->program(&pmu, codes, why, sizeof why) &&
           pmu_begin_at(&pmu, counter, init, why, sizeof why);
}

/* On each counter that can count instructions: what was written is what is read, and after as many events as
 * it says the counter is past its highest value. */
static void test_presets(void **state)
{
    (void)state;
    for (unsigned i = 0; i < N(cpus); i++) {
        struct pmu_code code;
        plug(cpus[i].model);
        const uint64_t mask = (1ull << cpus[i].width) - 1;
        int64_t least, most;
        pmu_presets(&pmu, &least, &most);
        const int64_t inits[] = {least, -500, -1, 0, 5, most};
        assert_true(event("instructions:u", &code));
        for (unsigned c = 0; c < pmu.counters; c++) {
            if (!(code.counters & pmu.usable & 1u << c)) continue;
            for (unsigned k = 0; k < N(inits); k++) {
                if (!counts_on(c, &code, inits[k])) fail_msg("%s: %s", cpus[i].model, why);
                assert_int_equal(pmu.ops->read(&pmu, c), (uint64_t)inits[k] & mask);
                sim_hw_run(3, 3); /* it is stopped */
                assert_int_equal(pmu.ops->read(&pmu, c), (uint64_t)inits[k] & mask);
                pmu_start(&pmu);
                sim_hw_run(499, 3);
                assert_int_equal(pmu.ops->read(&pmu, c), (uint64_t)(inits[k] + 499) & mask);
                sim_hw_run(1, 3);
                assert_int_equal(pmu.ops->read(&pmu, c), (uint64_t)(inits[k] + 500) & mask);
                pmu_stop(&pmu);
                /* again, over what it left */
                assert_true(pmu_begin_at(&pmu, c, -2, why, sizeof why));
                pmu_start(&pmu);
                sim_hw_run(5, 3);
                pmu_stop(&pmu);
                assert_int_equal(pmu.ops->read(&pmu, c), 3);
            }
        }
        pmu.ops->release(&pmu);
    }
}

/* Of what WRMSR cannot write, a P6 makes something else: hence the range. */
static void test_sign(void **state)
{
    struct pmu_code code;
    (void)state;
    plug("p3");
    assert_true(event("instructions:u", &code));
    assert_true(counts_on(0, &code, 1ll << 31));
    assert_int_equal(pmu.ops->read(&pmu, 0), 0xff80000000);
    assert_true(counts_on(0, &code, -(1ll << 31) - 1));
    assert_int_equal(pmu.ops->read(&pmu, 0), 0x7fffffff);
}

static void test_no_cascade(void **state)
{
    static const char *const models[] = {"p5", "p3", "core2", "skylake", "zen4"};
    static const char word[] = "instructions:init=-5+>cycles";
    struct pmu_code half[2];
    (void)state;
    for (unsigned i = 0; i < N(models); i++) {
        plug(models[i]);
        assert_false(
            pmu_cascade_parse(&pmu, word, sizeof word - 1, half, why, sizeof why, near, sizeof near));
        assert_non_null(strstr(why, "which only NetBurst's can (Pentium 4"));
    }
}

/* B counts the instructions after the Mth of A, on every pair of counters that the driver gives them. */
static void test_cascade(void **state)
{
    static const unsigned m[] = {1, 2, 57, 299, 300, 301};
    static const char *const models[] = {"willamette", "northwood", "prescott"};
    (void)state;
    for (unsigned i = 0; i < N(models); i++)
        for (unsigned k = 0; k < N(m); k++) {
            char word[96];
            uint8_t counter[2];
            struct pmu_code half[2];
            const struct pmu_code *codes[2] = {&half[0], &half[1]}, *on[PMU_COUNTERS] = {NULL};
            plug(models[i]);
            snprintf(word, sizeof word, "instr_retired:u:init=-%u+>instr_retired:u", m[k]);
            if (!pmu_cascade_parse(&pmu, word, strlen(word), half, why, sizeof why, near, sizeof near))
                fail_msg("%s: %s", word, why);
            assert_true(half[0].preset && half[0].init == -(int64_t)m[k] && !half[1].preset);
            assert_true(pmu_code_starts(&half[0], &half[1]) && !pmu_code_starts(&half[1], &half[0]));
            assert_false(pmu_code_same(&half[0], &half[1]));
            assert_true(pmu.ops->allocate(&pmu, codes, 2, counter));
            for (unsigned h = 0; h < 2; h++) on[counter[h]] = &half[h];
            assert_true(pmu.ops->program(&pmu, on, why, sizeof why));
            for (unsigned again = 0; again < 3; again++) {
                for (unsigned h = 0; h < 2; h++)
                    assert_true(pmu_begin_at(&pmu, counter[h], half[h].init, why, sizeof why));
                pmu_start(&pmu);
                sim_hw_run(300, 3);
                pmu_stop(&pmu);
                assert_int_equal(pmu.ops->read(&pmu, counter[0]), (300ull - m[k]) & ((1ull << 40) - 1));
                assert_int_equal(pmu.ops->read(&pmu, counter[1]), m[k] < 300 ? 300 - m[k] : 0);
            }
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ranges), cmocka_unit_test(test_words),   cmocka_unit_test(test_presets),
        cmocka_unit_test(test_sign),   cmocka_unit_test(test_cascade), cmocka_unit_test(test_no_cascade),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    if (sim) sim_free(sim);
    return failed;
}
