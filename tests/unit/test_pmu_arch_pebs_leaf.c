/* Architectural PEBS (leaf 23H), and the counters in records of format 6: plans, refusals, and each write of
 * arming, interrupts, stopping and release. Bits are Linux 6.19's (arch/x86/include/asm/msr-index.h and
 * perf_event.h). No CPU has been seen with it. */
#include "pmu/pebs_arch.h"
#include "tests/unit/arch_pebs_plan.h"

enum { BASE = 0x3f4, INDEX = 0x3f5, CFG_C = 0x1903, FIXED_CFG_C = 0x1983 };

static const struct part
    panther_lake = {"Panther Lake", "", 0xcc, 0x08300a06, 0xf, 0x8604, 10, 4, 0x2fff, false},
    darkmont = {"Clearwater Forest", "", 0xdd, 0x08300806, 0x7, 0x8603, 8, 3, 0x2fff, false},
    tomorrows = {"version 6 or later", "", 254, 0x0b300806, 0xf, 0x8604, 8, 4, 0x2fff, false},
    arrow_lake = {"Arrow Lake", "", 0xc6, 0x08300a05, 0xf, 0x8604, 10, 4, 0x2f6ff, false};

/* 23H.4:EBX, and 23H.5. */
#define ALL_GROUPS 0x60020338u /* AUX, GPR, XMM, LBR, counters' fixed and general ones, ALLOW */
static struct cpu_id leaf;
static void with_leaf(const struct part *p, uint32_t groups, struct cpuid_regs counters)
{
    leaf = id_of(p);
    machine(p);
    static const uint32_t msr[] = {LD_LAT, DS, BASE, INDEX};
    for (unsigned i = 0; i < N(msr); i++) fake_pmu_msr(msr[i], 0x70 + i);
    for (unsigned n = 0; n < p->general; n++) fake_pmu_msr(CFG_C + 4 * n, 0);
    for (unsigned n = 0; n < p->fixed; n++) fake_pmu_msr(FIXED_CFG_C + 4 * n, 0);
    leaf.f23_eax = (1u << p->general) - 1;
    leaf.f23_ebx = (1u << p->fixed) - 1;
    leaf.f23_4_ebx = groups;
    leaf.f23_5 = counters;
    leaf.f1_edx = 0; /* no DS area */
    probe(&leaf);
    want = (struct pebs_want){0, 0};
    fake_pmu_clear_log();
}
static void on_panther_lake(void)
{
    with_leaf(&panther_lake, ALL_GROUPS, (struct cpuid_regs){0x3ff, 0x001, 0xf, 0x1});
}

#define ALWAYS (SAMPLE_IP | SAMPLE_COUNTER | SAMPLE_RETIRE)

TEST(plans)
{
    static const struct {
        const char *word;
        unsigned counter, data;
        uint32_t valid, groups;
        unsigned record, skid, least;
        uint32_t config_msr;
    } rows[] = {
        {"r00c0", 1, 0, SAMPLE_PRECISE | SAMPLE_REGS, 0x20000000, 64 + 160, 1, 2, 0x1907},
        {"r00c0", 0, 0, SAMPLE_PRECISE | SAMPLE_REGS, 0x20000000, 64 + 160, 0, 128, 0x1903},
        {"r0100", 10, 0, SAMPLE_PRECISE | SAMPLE_REGS, 0x20000000, 64 + 160, 0, 128, 0x1983},
        {"r003c", 11, PEBS_TIME, 0, 0, 64, 1, 2, 0x1987},
        {"r08d1", 3, 0, SAMPLE_PRECISE | SAMPLE_REGS | SAMPLE_DATA, 0x60000000, 64 + 64 + 160, 1, 2, 0x190f},
        {"r01cd", 2, PEBS_ADDR, SAMPLE_PRECISE | SAMPLE_DATA | SAMPLE_LATENCY | SAMPLE_CACHE_LATENCY,
         0x40000000, 64 + 64, 1, 2, 0x190b},
        {"r0151", 9, PEBS_XMM, SAMPLE_XMM, 0x20000, 64 + 272, 1, 2, 0x1927},
        {"r00c4", 1, PEBS_LBR, SAMPLE_PRECISE | SAMPLE_BRANCHES, 0x300, 64 + 48 + 768, 1, 2, 0x1907},
        {"r00c4", 1, PEBS_CNTR, SAMPLE_PRECISE | SAMPLE_INSTRUCTIONS | SAMPLE_CYCLES, 0x20, 64 + 16 + 16, 1,
         2, 0x1907},
        {"r0100", 10, PEBS_CNTR, SAMPLE_PRECISE | SAMPLE_CYCLES, 0x20, 96, 0, 128, 0x1983},
    };
    for (unsigned i = 0; i < N(rows); i++) {
        on_panther_lake();
        assert_true(pmu.pebs && !pmu.ds);
        want.data = (uint8_t)rows[i].data;
        if (!planned(rows[i].word, rows[i].counter)) fail_msg("%s: %s", rows[i].word, why);
        const uint32_t time = rows[i].data & ~(unsigned)PEBS_TIME ? 0 : SAMPLE_TSC;
        if (plan.valid != (ALWAYS | time | rows[i].valid) || plan.groups != rows[i].groups ||
            plan.record != rows[i].record || plan.skid != rows[i].skid || plan.least != rows[i].least ||
            plan.config_msr != rows[i].config_msr)
            fail_msg("row %u: %x, %x, %u bytes, skid %u, least %u, %x", i, plan.valid, plan.groups,
                     plan.record, plan.skid, plan.least, plan.config_msr);
        assert_true(plan.layout == &pebs_arch && plan.arch_lbr);
    }
}

/* The leaf decides: what is recorded, and on which counters. */
TEST(refusals)
{
    with_leaf(&panther_lake, 0x60000000, (struct cpuid_regs){0xfe, 2, 1, 1});
    want.data = PEBS_XMM;
    refused("r00c0", 1, "data=xmm: records of this CPU's PEBS (format 15) lack it; they have regs, time");
    want.data = PEBS_LBR;
    refused("r00c0", 1, "data=lbr");
    want.data = PEBS_CNTR;
    refused("r00c0", 1, "data=cntr");
    want.data = PEBS_ADDR;
    refused("r00c0", 1, "data=addr: no address is recorded with this event");
    want.data = 0;
    refused("r00c0", 0, "PEBS does not take r00c0 on counter 0");
    refused("r003c", 11, "PEBS does not take r003c on fixed counter 1");
    refused("r01cd", 1, "PEBS does not take r01cd on counter 1"); /* Linux' table: 2 to 9 */
    refused("r01cd", 9, "on counter 9");                          /* ... of which the leaf has 2 to 7 */
    assert_true(planned("r00c0", 1) && plan.skid == 0 && planned("r00c0", 2) && plan.skid == 1);
    want.latency = 30;
    refused("r00c0", 1, "latency= is for loads' latencies, event r01cd");

    with_leaf(&darkmont, ALL_GROUPS, (struct cpuid_regs){0xff, 1, 7, 1});
    assert_true(planned("r08d1", 0) && plan.valid & SAMPLE_DATA);
    with_leaf(&tomorrows, ALL_GROUPS, (struct cpuid_regs){0xff, 1, 0xf, 1});
    refused("r00c0", 1, "this kernel does not know this CPU's PEBS (format 15)");
    with_leaf(&panther_lake, ALL_GROUPS, (struct cpuid_regs){0, 0, 0, 0}); /* a hypervisor hides it */
    refused("r00c0", 1, "this CPU has no PEBS");
    machine(&panther_lake); /* ... or the registers */
    probe(&leaf);
    refused("r00c0", 1, "this CPU has no PEBS");
    with_leaf(&arrow_lake, ALL_GROUPS,
              (struct cpuid_regs){0x3ff, 1, 0xf, 1}); /* the leaf alone is not enough */
    refused("r00c0", 1, "this CPU has no PEBS");
}

static _Alignas(4096) uint8_t area[1 << 16];

static bool arm(unsigned counter)
{
    return pmu.ops->arm(&pmu, counter, 100, why, sizeof why) &&
           pmu.ops->pebs_arm(&pmu, counter, &event, &plan, why, sizeof why);
}

/* 4 records of 224 bytes and 8 more: 4096 bytes. Each is a threshold of 896, 38h units. */
TEST(registers)
{
    static const struct {
        const char *word;
        unsigned counter, data;
        uint16_t latency;
        struct fake_write arm[12], stop[6];
    } rows[] = {
        {"r00c0:u",
         1,
         PEBS_REGS,
         0,
         {{V6_SEL0 + 4, 0x5100c0},
          {V6_PMC0 + 4, 0xffffffffff9c},
          {INDEX, 0},
          {BASE, 0},
          {V6_SEL0 + 4, 0x4100c0},
          {V6_PMC0 + 4, 0xffffffffff9d},
          {INDEX, 0x38100000000},
          {0x1907, 0xa0000000ffffff9d}},
         {{0x1907, 0}, {INDEX, 0x73}, {BASE, 0x72}}},
        {"r0100:u",
         10,
         PEBS_REGS,
         0,
         {{FIXED_CTRL, 0xa},
          {V6_FIXED0, 0xffffffffff9c},
          {INDEX, 0},
          {BASE, 0},
          {FIXED_CTRL, 0x2},
          {V6_FIXED0, 0xffffffffff9c},
          {INDEX, 0x38100000000},
          {0x1983, 0xa0000000ffffff9c}},
         {{0x1983, 0}, {INDEX, 0x73}, {BASE, 0x72}}},
        {"r01cd:u",
         2,
         PEBS_ADDR | PEBS_CNTR, /* 160 bytes, 28h units */
         30,
         {{V6_SEL0 + 8, 0x5101cd},
          {V6_PMC0 + 8, 0xffffffffff9c},
          {INDEX, 0},
          {BASE, 0},
          {LD_LAT, 30},
          {FIXED_CTRL, 0x2},
          {FIXED_CTRL, 0x22},
          {V6_SEL0 + 8, 0x4101cd},
          {V6_PMC0 + 8, 0xffffffffff9d},
          {0, 0}},
         {{0x190b, 0}, {0x1983, 0}, {0x1987, 0}, {INDEX, 0x73}, {BASE, 0x72}}},
    };
    for (unsigned i = 0; i < N(rows); i++) {
        const unsigned c = rows[i].counter;
        on_panther_lake();
        want.data = (uint8_t)rows[i].data;
        want.latency = rows[i].latency;
        assert_true(planned(rows[i].word, c));
        const struct pmu_code *codes[PMU_COUNTERS] = {[0] = NULL};
        codes[c] = &event;
        pebs_init(&plan, area, 4, 100);
        assert_true(program(codes));
        assert_false(pmu.ops->pebs_arm(&pmu, c, &event, &plan, why, sizeof why));
        assert_string_equal(why, "PEBS needs a period");
        fake_pmu_clear_log();
        if (!arm(c)) fail_msg("%s", why);
        struct fake_write writes[16];
        unsigned n = 0, stops = 0;
        for (; rows[i].arm[n].msr; n++) {
            writes[n] = rows[i].arm[n];
            if (writes[n].msr == BASE) writes[n].value = (uintptr_t)area; /* 4096 << 0 */
        }
        if (rows[i].data & PEBS_CNTR) {
            writes[n++] = (struct fake_write){0x1983, 1ull << 35};
            writes[n++] = (struct fake_write){0x1987, 1ull << 35};
            writes[n++] = (struct fake_write){INDEX, 1ull << 32 | 0x28ull << 36};
            writes[n++] = (struct fake_write){0x190b, 0xc0000020ffffff9d};
        }
        fake_pmu_assert_log(writes, n);

        pmu_start(&pmu);
        const uint64_t bit = c < 10 ? 1ull << c : 1ull << 32;
        const uint64_t all = bit | (rows[i].data & PEBS_CNTR ? 3ull << 32 : 0);
        assert_int_equal(fake_pmu_value(GLOBAL), all);
        fake_pmu_clear_log();
        fake_pmu_msr(STATUS, 1ull << 54 | bit);
        assert_int_equal(pmu.ops->overflowed(&pmu, &fake_pmi), 1 << c);
        const struct fake_write full[] = {{GLOBAL, 0}, {ACK, 1ull << 54 | bit}, FAKE_PMI_AGAIN};
        fake_pmu_assert_log(full, N(full));
        fake_pmu_clear_log();
        pmu.ops->pebs_again(&pmu, false);
        const struct fake_write again[] = {{GLOBAL, all}};
        fake_pmu_assert_log(again, 1);

        fake_pmu_clear_log();
        pmu.ops->pebs_stop(&pmu);
        while (rows[i].stop[stops].msr) stops++;
        fake_pmu_assert_log(rows[i].stop, stops);
        pmu.ops->release(&pmu);
        assert_int_equal(fake_pmu_value(LD_LAT), 0x70);
        assert_int_equal(fake_pmu_value(DS), 0x71);
        assert_int_equal(fake_pmu_value(FIXED_CTRL), 0);
    }
}

/* A register that is not kept is not there. */
TEST(absent)
{
    static const struct {
        uint32_t msr;
        const char *name;
    } rows[] = {{BASE, "3F4h"}, {INDEX, "3F5h"}, {0x1907, "1907h"}};
    for (unsigned i = 0; i < N(rows); i++) {
        on_panther_lake();
        assert_true(planned("r00c0:u", 1));
        const struct pmu_code *codes[PMU_COUNTERS] = {[1] = &event};
        pebs_init(&plan, area, 40, 100);
        assert_true(program(codes));
        fake_pmu_fault(rows[i].msr, FAKE_SWALLOWS);
        assert_false(arm(1));
        if (!strstr(why, rows[i].name)) fail_msg("%s: %s", rows[i].name, why);
        fake_pmu_fault(rows[i].msr, FAKE_SOUND);
        if (rows[i].msr == 0x1907) assert_true(fake_pmu_value(INDEX) == 0x73 && fake_pmu_value(BASE) == 0x72);
        if (!arm(1)) fail_msg("%s", why);
        assert_int_equal(fake_pmu_value(BASE), (uintptr_t)area | 2); /* 48 records: 16384 bytes */
    }
}

/* Format 6: what the fixed counters show is recorded; format 5 has no such group. */
TEST(format_6)
{
    on(&arrow_lake);
    want.data = PEBS_CNTR;
    assert_true(planned("r00c0:u", 1));
    assert_int_equal(plan.groups, 0x10);
    assert_int_equal(plan.record, 32 + 16 + 16);
    assert_int_equal(plan.valid, SAMPLE_IP | SAMPLE_COUNTER | SAMPLE_PRECISE | SAMPLE_INSTRUCTIONS |
                                     SAMPLE_CYCLES | SAMPLE_RETIRE);
    const struct pmu_code *codes[PMU_COUNTERS] = {[1] = &event};
    assert_true(program(codes));
    assert_true(pmu.ops->arm(&pmu, 1, 100, why, sizeof why));
    fake_pmu_clear_log();
    assert_true(pmu.ops->pebs_arm(&pmu, 1, &event, at_2m(), why, sizeof why));
    static const struct fake_write writes[] = {{ENABLE, 0},
                                               {DS, 0x200000},
                                               {FIXED_CTRL, 0x2},
                                               {FIXED_CTRL, 0x22},
                                               {DATA_CFG, 0x0003000000000010},
                                               {SEL0 + 1, 0x4004100c0},
                                               {A_PMC0 + 1, 0xffffffffff9d},
                                               {ENABLE, 2}};
    fake_pmu_assert_log(writes, N(writes));
    pmu_start(&pmu);
    assert_int_equal(fake_pmu_value(GLOBAL), 2 | 3ull << 32);

    on(&arrow_lake);
    want.data = PEBS_CNTR | PEBS_REGS;
    assert_true(planned("r003c:u", 11)); /* fixed counter 1 samples: instructions remain */
    assert_true(plan.record == 32 + 144 + 16 + 8 && plan.valid & SAMPLE_INSTRUCTIONS);
    assert_false(plan.valid & SAMPLE_CYCLES);
    want.data = 0;
    assert_true(planned("r00c0:u", 1) && plan.record == 32 + 144); /* only if it is asked for */
    on(&lion_cove);
    want.data = PEBS_CNTR;
    refused("r00c0", 1,
            "data=cntr: records of this CPU's PEBS (format 5) lack it; they have regs, xmm, lbr, time");
}
