/* NetBurst's driver, cascades: which counter starts which, and what is written when the second overflows. */
#include "tests/unit/netburst_machines.h"
#include <stdlib.h>

TEST_WITH(cascades, prescott, NULL)
{
    assert_true(cascade("instr_retired:u+>uops_retired:u"));
    assert_string_equal(half[0].name, "instr_retired:u");
    assert_string_equal(half[1].name, "instr_retired:u+>uops_retired:u");
    const struct pmu_code *codes[PMU_COUNTERS] = {[12] = &half[0], [14] = &half[1]};
    assert_true(program(codes));
    assert_int_equal(pmu.netburst.counter[12].cccr, 0x39000);
    assert_int_equal(pmu.netburst.counter[14].cccr, 0x40038000); /* CASCADE, not ENABLE */
    assert_true(arm(12, 1000) && arm(14, 50));
    assert_int_equal(fake_pmu_value(CTR0 + 12), 0x10000000000ull - 1000); /* overflows at its last event */
    assert_int_equal(fake_pmu_value(CTR0 + 14), 0x10000000000ull - 49);   /* interrupts with the next */
    assert_int_equal(pmu.sampling, 1 << 14);                              /* the starter does not */
    assert_int_equal(pmu.netburst.counter[12].cccr >> 26 & 3, 0);
    fake_pmu_clear_log();
    pmu_start(&pmu);
    static const struct fake_write want[] = {{CCCR0 + 14, 0x44038000}, {CCCR0 + 12, 0x39000}};
    fake_pmu_assert_log(want, N(want));

    /* B has overflowed: it stops, A is wound up again, and only then waits B for it */
    fake_pmu_msr(CCCR0 + 12, 0x80039000);
    fake_pmu_msr(CCCR0 + 14, 0xc4038000);
    fake_pmu_clear_log();
    assert_int_equal(pmu.ops->overflowed(&pmu, &fake_pmi), 1 << 14);
    static const struct fake_write again[] = {{CCCR0 + 14, 0x04038000},
                                              {CTR0 + 14, 0x10000000000ull - 49},
                                              {CCCR0 + 12, 0x00038000},
                                              {CTR0 + 12, 0x10000000000ull - 1000},
                                              {CCCR0 + 14, 0x44038000},
                                              {CCCR0 + 12, 0x00039000},
                                              FAKE_PMI_AGAIN};
    fake_pmu_assert_log(again, N(again));

    /* pairs: 18.15.5.6; bit 11 of the target's CCCR on models that have it */
    const struct pmu_code *wrong[PMU_COUNTERS] = {[12] = &half[0], [16] = &half[1]};
    assert_false(program(wrong));
    assert_non_null(strstr(why, "no counters are free"));
    const struct pmu_code *extended[PMU_COUNTERS] = {[17] = &half[0], [16] = &half[1]};
    assert_true(program(extended));
    assert_int_equal(pmu.netburst.counter[16].cccr, 0x38800);
    plug(1, 2);
    assert_true(cascade("instr_retired:u+>uops_retired:u"));
    assert_false(program(extended));
    const struct pmu_code *plain[PMU_COUNTERS] = {[15] = &half[0], [17] = &half[1]};
    assert_false(program(plain)); /* one ESCR for two events */
    assert_true(cascade("instr_retired:u+>instr_retired:u"));
    assert_true(program(plain));

    assert_false(cascade("instr_retired+>cycles"));
    assert_non_null(strstr(got.why, "no counter of instr_retired can start one of cycles"));
    assert_false(
        cascade("instr_retired:force_ovf+>uops_retired")); /* with its first event, whatever its preset */
    assert_non_null(strstr(got.why, "use init=-1"));
}

/* "A+>B", ending where its length says. */
TEST_WITH(words, prescott, NULL)
{
    static const char not_one[] = "a cascade is written A+>B";
    static const struct {
        const char *word, *why;
    } wrong[] = {
        {"instr_retired", not_one},
        {"+", not_one},
        {"instr_retired+", not_one},
        {"instr_retired>uops_retired", not_one},
        {"instr_retired+uops_retired", not_one},
        {"+>", "the name is missing, such as cycles"},
        {"instr_retired+>", "the name is missing, such as cycles"},
        {"nothing+>uops_retired", "a Pentium 4 (Prescott) has no event of this name"},
        {"instr_retired+>uops_retired+>tc_misc", "a cascade (A+>B) is two events, and here one is expected"}};
    for (unsigned i = 0; i < N(wrong); i++) {
        const size_t n = strlen(wrong[i].word);
        char *copy = malloc(n); /* the sanitizer knows where it ends */
        memcpy(copy, wrong[i].word, n);
        strcpy(got.near, "x");
        assert_false(
            pmu_cascade_parse(&pmu, copy, n, half, got.why, sizeof got.why, got.near, sizeof got.near));
        assert_string_equal(got.why, wrong[i].why);
        assert_string_equal(got.near, "");
        free(copy);
    }
    /* names as long as they can be; the target's is the whole word */
    char word[PMU_NAME + 1] = "instr_retired";
    while (strlen(word) < PMU_NAME - 1 - strlen("u+>uops_retired") - 1) strcat(word, ":u");
    strcat(word, "+>uops_retired");
    while (strlen(word) < PMU_NAME - 2) strcat(word, ":u");
    if (strlen(word) < PMU_NAME - 1) strcat(word, "k");
    assert_int_equal(strlen(word), PMU_NAME - 1);
    assert_true(cascade(word));
    assert_string_equal(half[1].name, word);
    strcat(word, "k");
    assert_false(cascade(word));
    assert_string_equal(got.why, "longer than any cascade (95 characters)");
    assert_false(
        pmu_cascade_parse(&(struct pmu){.ops = NULL}, "a+>b", 4, half, got.why, sizeof got.why, got.near, 0));
    assert_non_null(strstr(got.why, "which only NetBurst's can (Pentium 4"));
}

TEST_WITH(every_cascade_pair, prescott, NULL)
{
    /* 18.15.5.6: both ways; one way; table 18-65 */
    static const uint8_t both[][2] = {{0, 2}, {1, 3}, {4, 6}, {5, 7}, {8, 10}, {9, 11}, {12, 14}, {13, 15}};
    static const uint8_t once[][2] = {{14, 16}, {15, 17}},
                         more[][2] = {{16, 12}, {17, 15}, {17, 16}, {16, 17}};
    uint32_t want[18][18] = {{0}};
    for (unsigned i = 0; i < N(both); i++)
        want[both[i][0]][both[i][1]] = want[both[i][1]][both[i][0]] = 1u << 30;
    for (unsigned i = 0; i < N(once); i++) want[once[i][0]][once[i][1]] = 1u << 30;
    for (unsigned i = 0; i < N(more); i++) want[more[i][0]][more[i][1]] = 1u << 11;
    for (unsigned from = 0; from < 18; from++)
        for (unsigned to = 0; to < 18; to++)
            assert_int_equal(pmu_netburst_cascade(&pmu, from, to), want[from][to]);
}
