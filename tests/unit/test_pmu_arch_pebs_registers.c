/* The registers of PEBS on Intel's CPUs from Core 2 on: each write of arming, interrupts, stopping and
 * release, by the SDM (vol. 3B, order 325384-059). */
#include "tests/unit/arch_pebs_plan.h"

TEST(registers)
{
    static const struct {
        const struct part *on;
        const char *word;
        unsigned counter;
        uint16_t latency;
        struct fake_write arm[11];
        uint64_t beside; /* bits of GLOBAL */
    } rows[] = {
        {&core2,
         "r01cb:u",
         0,
         0,
         {{SEL0, 0x5101cb},
          {PMC0, 0xffffff9c},
          {ENABLE, 0},
          {DS, 0x200000},
          {SEL0, 0x4101cb},
          {PMC0, 0xffffff9d},
          {ENABLE, 1}}},
        {&sandy_bridge,
         "r01cd:u",
         3,
         40,
         {{SEL0 + 3, 0x5101cd},
          {A_PMC0 + 3, 0xffffffffff9c},
          {ENABLE, 0},
          {DS, 0x200000},
          {LD_LAT, 40},
          {SEL0 + 3, 0x4101cd},
          {A_PMC0 + 3, 0xffffffffff9d},
          {ENABLE, 0x800000008ull}}},
        {&sandy_bridge,
         "r02cd:u",
         3,
         0,
         {{SEL0 + 3, 0x5102cd},
          {A_PMC0 + 3, 0xffffffffff9c},
          {ENABLE, 0},
          {DS, 0x200000},
          {SEL0 + 3, 0x4102cd},
          {A_PMC0 + 3, 0xffffffffff9d},
          {ENABLE, 0x8000000000000008ull}}},
        {&haswell,
         "r01c0:u",
         1,
         0,
         {{SEL0 + 1, 0x5101c0},
          {A_PMC0 + 1, 0xffffffffff9c},
          {ENABLE, 0},
          {DS, 0x200000},
          {SEL0 + 1, 0x4101c0},
          {A_PMC0 + 1, 0xffffffffff9c},
          {ENABLE, 2}}},
        {&skl,
         "r01cd:u",
         2,
         0, /* without latency=: the least */
         {{SEL0 + 2, 0x5101cd},
          {A_PMC0 + 2, 0xffffffffff9c},
          {ENABLE, 0},
          {DS, 0x200000},
          {LD_LAT, 3},
          {SEL0 + 2, 0x4101cd},
          {A_PMC0 + 2, 0xffffffffff9d},
          {ENABLE, 0x400000004ull}}},
        {&icl,
         "r01cd:u",
         5,
         100, /* no bit of its own for latencies */
         {{SEL0 + 5, 0x5101cd},
          {A_PMC0 + 5, 0xffffffffff9c},
          {ENABLE, 0},
          {DS, 0x200000},
          {LD_LAT, 100},
          {DATA_CFG, 3},
          {SEL0 + 5, 0x4004101cdull},
          {A_PMC0 + 5, 0xffffffffff9d},
          {ENABLE, 0x20}}},
        {&spr,
         "r01cd:u",
         1,
         30, /* 03/82 runs on counter 0 beside it */
         {{SEL0 + 1, 0x5101cd},
          {A_PMC0 + 1, 0xffffffffff9c},
          {ENABLE, 0},
          {DS, 0x200000},
          {LD_LAT, 30},
          {SEL0, 0x418203},
          {DATA_CFG, 3},
          {SEL0 + 1, 0x4004101cdull},
          {A_PMC0 + 1, 0xffffffffff9d},
          {ENABLE, 2}},
         1},
        {&icl,
         "r0100:u",
         8,
         0,
         {{FIXED_CTRL, 0xa},
          {FIXED0, 0xffffffffff9c},
          {ENABLE, 0},
          {DS, 0x200000},
          {DATA_CFG, 2},
          {FIXED_CTRL, 0x100000002ull},
          {FIXED0, 0xffffffffff9c},
          {ENABLE, 0x100000000ull}}},
        {&plain,
         "r08d1:u",
         0,
         0,
         {{SEL0, 0x5108d1},
          {A_PMC0, 0xffffffffff9c},
          {ENABLE, 0},
          {DS, 0x200000},
          {SEL0, 0x4108d1},
          {A_PMC0, 0xffffffffff9d},
          {ENABLE, 1}}},
    };
    for (unsigned i = 0; i < N(rows); i++) {
        const unsigned c = rows[i].counter;
        on(rows[i].on);
        want.latency = rows[i].latency;
        assert_true(planned(rows[i].word, c));
        const struct pmu_code *codes[PMU_COUNTERS] = {[0] = NULL};
        codes[c] = &event;
        assert_true(program(codes));
        assert_false(pmu.ops->pebs_arm(&pmu, c, &event, at_2m(), why, sizeof why));
        assert_string_equal(why, "PEBS needs a period");
        fake_pmu_clear_log();
        assert_true(pmu.ops->arm(&pmu, c, 100, why, sizeof why));
        if (!pmu.ops->pebs_arm(&pmu, c, &event, at_2m(), why, sizeof why)) fail_msg("%s", why);
        unsigned n = 0;
        while (n < N(rows[i].arm) && rows[i].arm[n].msr) n++;
        fake_pmu_assert_log(rows[i].arm, n);

        pmu_start(&pmu); /* the interrupt is the buffer's, and all stay stopped until it is drained */
        const uint64_t bit = c < pmu.perfmon.general ? 1ull << c : 1ull << 32;
        fake_pmu_clear_log();
        fake_pmu_msr(STATUS, 1ull << 62 | bit);
        assert_int_equal(pmu.ops->overflowed(&pmu, &fake_pmi), 1 << c);
        const struct fake_write full[] = {{GLOBAL, 0}, {ACK, 1ull << 62 | bit}, FAKE_PMI_AGAIN};
        fake_pmu_assert_log(full, N(full));
        fake_pmu_clear_log();
        pmu.ops->pebs_again(&pmu, false);
        const struct fake_write again[] = {{GLOBAL, bit | rows[i].beside}};
        fake_pmu_assert_log(again, 1);
        fake_pmu_clear_log(); /* a record was skipped, and the counter not reset */
        pmu.ops->pebs_again(&pmu, true);
        const struct fake_write afresh[] = {rows[i].arm[n - 2], {GLOBAL, bit | rows[i].beside}};
        fake_pmu_assert_log(afresh, 2);
        fake_pmu_clear_log(); /* an overflow alone is that of a record to come */
        fake_pmu_msr(STATUS, bit);
        assert_int_equal(pmu.ops->overflowed(&pmu, &fake_pmi), 0);

        fake_pmu_clear_log();
        pmu.ops->pebs_stop(&pmu);
        static const struct fake_write stopped[] = {{ENABLE, 0}, {DS, 0xd5}};
        fake_pmu_assert_log(stopped, N(stopped));
        assert_true(program(codes)); /* and without PEBS as before */
        assert_true(c == 0 || fake_pmu_value(SEL0) == 0);
        assert_true(pmu.ops->arm(&pmu, c, 100, why, sizeof why));
        fake_pmu_msr(STATUS, bit);
        assert_int_equal(pmu.ops->overflowed(&pmu, &fake_pmi), 1 << c);
        pmu.ops->release(&pmu);
        assert_int_equal(fake_pmu_value(LD_LAT), 0x77);
        assert_int_equal(fake_pmu_value(DATA_CFG), 5);
        assert_true(fake_pmu_value(DS) == 0xd5 && fake_pmu_value(ENABLE) == 0);
    }
}

/* MSR_PEBS_FRONTEND while it is armed, and as it was found after it. Without a plan of PEBS the event is not
 * programmed. */
TEST(front_end)
{
    on(&skl);
    event = code("r01c6:u");
    event.extra_msr = FRONTEND;
    event.extra = 0x400106;
    const struct pmu_code *codes[PMU_COUNTERS] = {[1] = &event};
    assert_false(program(codes));
    assert_string_equal(why, "r01c6:u needs MSR 3F7h, which only sample=pebs programs");
    assert_true(pmu.ops->pebs_plan(&pmu, 1, &event, &want, &plan, why, sizeof why));
    assert_true(program(codes) && pmu.ops->arm(&pmu, 1, 100, why, sizeof why));
    assert_true(pmu.ops->pebs_arm(&pmu, 1, &event, at_2m(), why, sizeof why));
    assert_int_equal(fake_pmu_value(FRONTEND), 0x400106);
    pmu.ops->pebs_stop(&pmu);
    assert_int_equal(fake_pmu_value(FRONTEND), 0x400106); /* a pass without PEBS counts the same */
    pmu.ops->release(&pmu);
    assert_int_equal(fake_pmu_value(FRONTEND), 0x11);
    assert_false(program(codes));
}

/* A fixed counter's bit is 32 and its number (SDM vol. 3B figure 20-65). */
TEST(fixed_counters)
{
    static const char *const words[] = {"r00c0:u", "r003c:u"};
    for (unsigned i = 0; i < N(words); i++) {
        on(&icl);
        if (!planned(words[i], 8 + i)) fail_msg("%s: %s", words[i], why);
        const struct pmu_code *codes[PMU_COUNTERS] = {[0] = NULL};
        codes[8 + i] = &event;
        assert_true(program(codes) && pmu.ops->arm(&pmu, 8 + i, 100, why, sizeof why));
        assert_true(pmu.ops->pebs_arm(&pmu, 8 + i, &event, at_2m(), why, sizeof why));
        assert_true(fake_pmu_value(ENABLE) == 1ull << (32 + i));
    }
}

/* Both registers are as they were found in the end, whatever was planned after the event that needed them. */
TEST(planned_over)
{
    static const struct {
        const char *word;
        unsigned counter;
        uint32_t frontend;
        uint16_t latency;
    } rows[] = {{"r01c6:u", 1, 0x400106, 0x77}, {"r01cd:u", 2, 0x400106, 3}, {"r08d1:u", 0, 0x400106, 3}};
    on(&skl);
    for (unsigned i = 0; i < N(rows); i++) {
        const unsigned c = rows[i].counter;
        event = code(rows[i].word);
        if (i == 0) event.extra_msr = FRONTEND, event.extra = rows[i].frontend;
        const struct pmu_code *codes[PMU_COUNTERS] = {[0] = NULL};
        codes[c] = &event;
        assert_true(pmu.ops->pebs_plan(&pmu, c, &event, &want, &plan, why, sizeof why));
        assert_true(program(codes) && pmu.ops->arm(&pmu, c, 100, why, sizeof why));
        assert_true(pmu.ops->pebs_arm(&pmu, c, &event, at_2m(), why, sizeof why));
        assert_int_equal(fake_pmu_value(FRONTEND), rows[i].frontend);
        assert_int_equal(fake_pmu_value(LD_LAT), rows[i].latency);
        pmu.ops->pebs_stop(&pmu);
    }
    pmu.ops->release(&pmu);
    assert_int_equal(fake_pmu_value(FRONTEND), 0x11);
    assert_int_equal(fake_pmu_value(LD_LAT), 0x77);
}

/* Nothing runs beside PREC_DIST on a Sandy Bridge; a register that is not kept is absent; another counter
 * than the planned one is not armed. */
TEST(armed_or_not)
{
    struct pmu_code beside;
    on(&sandy_bridge);
    assert_true(planned("r01c0:u", 1));
    beside = code("instructions:k");
    const struct pmu_code *two[PMU_COUNTERS] = {[1] = &event, [4] = &beside};
    assert_true(program(two));
    assert_true(pmu.ops->arm(&pmu, 1, 100, why, sizeof why));
    assert_false(pmu.ops->pebs_arm(&pmu, 1, &event, at_2m(), why, sizeof why));
    assert_string_equal(why, "beside PREC_DIST no other counter of this CPU may run");
    on(&ivy_bridge);
    assert_true(planned("r01c0:u", 1) && program(two));
    assert_true(pmu.ops->arm(&pmu, 1, 100, why, sizeof why));
    assert_true(pmu.ops->pebs_arm(&pmu, 1, &event, at_2m(), why, sizeof why));

    on(&skl);
    assert_true(planned("r08d1:u", 0));
    const struct pmu_code *one[PMU_COUNTERS] = {&event};
    assert_true(program(one) && pmu.ops->arm(&pmu, 0, 100, why, sizeof why));
    assert_false(pmu.ops->pebs_arm(&pmu, 1, &event, at_2m(), why, sizeof why));
    fake_pmu_fault(ENABLE, FAKE_SWALLOWS);
    assert_false(pmu.ops->pebs_arm(&pmu, 0, &event, at_2m(), why, sizeof why));
    assert_non_null(strstr(why, "3F1h"));
}
