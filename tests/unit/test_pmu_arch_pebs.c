/* Plans of PEBS on Intel's CPUs from Core 2 on: what a record holds, what is refused and how. Written down
 * from the SDM's tables (vol. 3B, order 325384-059) and Linux' arch/x86/events/intel/ds.c. */
#include "tests/unit/arch_pebs_plan.h"

/* ---- what a record holds ---- */

#define ALWAYS  (SAMPLE_IP | SAMPLE_COUNTER | SAMPLE_REGS)
#define LATENCY (SAMPLE_DATA | SAMPLE_LEVEL | SAMPLE_TLB | SAMPLE_LATENCY)

TEST(contents)
{
    static const struct {
        const struct part *on;
        const char *word;
        unsigned counter, record;
        uint32_t valid, groups;
    } rows[] = {
        {&core2, "r01cb", 0, 144, ALWAYS | SAMPLE_NEXT, 0},
        {&faults, "r01cb", 0, 144, ALWAYS | SAMPLE_PRECISE, 0},
        {&nehalem, "r01cb", 3, 0xb0, ALWAYS | SAMPLE_NEXT, 0},
        {&nehalem, "r100b", 3, 0xb0, ALWAYS | SAMPLE_NEXT | (LATENCY & ~(unsigned)SAMPLE_TLB), 0},
        {&sandy_bridge, "r01cd", 3, 0xb0, ALWAYS | SAMPLE_NEXT | LATENCY, 0},
        {&sandy_bridge, "r02cd", 3, 0xb0, ALWAYS | SAMPLE_NEXT | SAMPLE_DATA | SAMPLE_LEVEL | SAMPLE_TLB, 0},
        {&sandy_bridge, "r81d0", 0, 0xb0, ALWAYS | SAMPLE_NEXT, 0},
        {&haswell, "r81d0", 0, 0xc0, ALWAYS | SAMPLE_PRECISE | SAMPLE_DATA, 0},
        {&haswell, "r82d0", 0, 0xc0, ALWAYS | SAMPLE_PRECISE | SAMPLE_DATA | SAMPLE_LEVEL, 0},
        {&haswell, "r01cd", 1, 0xc0, ALWAYS | SAMPLE_PRECISE | LATENCY, 0},
        {&haswell, "r01c0", 1, 0xc0, ALWAYS | SAMPLE_PRECISE, 0},
        {&skl, "r08d1", 0, 0xc8, ALWAYS | SAMPLE_PRECISE | SAMPLE_TSC | SAMPLE_DATA, 0},
        {&skl, "r01cd", 0, 0xc8, ALWAYS | SAMPLE_PRECISE | SAMPLE_TSC | LATENCY, 0},
        {&goldmont, "r08d1", 0, 0xc8, ALWAYS | SAMPLE_PRECISE | SAMPLE_TSC | SAMPLE_DATA, 0},
        {&goldmont, "r0103", 0, 0xc8, ALWAYS | SAMPLE_PRECISE | SAMPLE_TSC, 0},
        {&goldmont, "r83d0", 0, 0xc8, ALWAYS | SAMPLE_PRECISE | SAMPLE_TSC, 0},
        {&nehalem, "r010b", 0, 0xb0, ALWAYS | SAMPLE_NEXT, 0},
        {&icl, "r08d1", 0, 32 + 32 + 144, ALWAYS | SAMPLE_PRECISE | SAMPLE_TSC | SAMPLE_DATA, 3},
        {&icl, "r01cd", 0, 32 + 32 + 144, ALWAYS | SAMPLE_PRECISE | SAMPLE_TSC | LATENCY, 3},
        {&icl, "r0100", 8, 32 + 144, ALWAYS | SAMPLE_PRECISE | SAMPLE_TSC, 2},
        {&icl, "r0151", 0, 32 + 144, ALWAYS | SAMPLE_TSC, 2},
        {&plain, "r08d1", 0, 32, SAMPLE_IP | SAMPLE_COUNTER | SAMPLE_PRECISE | SAMPLE_TSC, 0},
        {&spr, "r01cd", 1, 32 + 32 + 144,
         ALWAYS | SAMPLE_PRECISE | SAMPLE_TSC | LATENCY | SAMPLE_CACHE_LATENCY | SAMPLE_RETIRE, 3},
        {&spr, "r00c0", 1, 32 + 144, ALWAYS | SAMPLE_PRECISE | SAMPLE_TSC | SAMPLE_RETIRE, 2},
        {&spr, "r0100", 8, 32 + 144, ALWAYS | SAMPLE_PRECISE | SAMPLE_TSC, 2}, /* fixed counter 0 */
        {&lion_cove, "r00c0", 10, 32 + 144, ALWAYS | SAMPLE_PRECISE | SAMPLE_TSC, 2},
        {&gracemont, "r00c0", 6, 32 + 144, ALWAYS | SAMPLE_PRECISE | SAMPLE_TSC | SAMPLE_RETIRE, 2},
        {&spr, "r02cd", 0, 32 + 32 + 144,
         ALWAYS | SAMPLE_PRECISE | SAMPLE_TSC | LATENCY | SAMPLE_CACHE_LATENCY | SAMPLE_RETIRE, 3},
        {&gracemont, "r05d0", 1, 32 + 32 + 144,
         ALWAYS | SAMPLE_PRECISE | SAMPLE_TSC | LATENCY | SAMPLE_CACHE_LATENCY | SAMPLE_RETIRE, 3},
        {&sierra_forest, "r05d0", 1, 32 + 32 + 144, /* whose sources are not told */
         ALWAYS | SAMPLE_PRECISE | SAMPLE_TSC | SAMPLE_DATA | SAMPLE_LATENCY | SAMPLE_CACHE_LATENCY |
             SAMPLE_RETIRE,
         3},
    };
    for (unsigned i = 0; i < N(rows); i++) {
        on(rows[i].on);
        if (!planned(rows[i].word, rows[i].counter)) fail_msg("%s: %s", rows[i].word, why);
        if (plan.valid != rows[i].valid || plan.record != rows[i].record || plan.groups != rows[i].groups)
            fail_msg("%s on %s: %x, %u bytes, groups %x", rows[i].word, rows[i].on->name, plan.valid,
                     plan.record, plan.groups);
        assert_int_equal(plan.memory, (rows[i].valid & SAMPLE_DATA) != 0);
        assert_int_equal(plan.counter, rows[i].counter);
        assert_int_equal(pmu.pebs_before, rows[i].on == &faults);
    }
}

/* data= takes what there is, and names what there is not. */
TEST(wanted)
{
    on(&icl);
    want.data = PEBS_XMM;
    assert_true(planned("r08d1", 0) && plan.groups == 4 && plan.record == 32 + 256);
    assert_int_equal(plan.valid, SAMPLE_IP | SAMPLE_PRECISE | SAMPLE_COUNTER | SAMPLE_XMM);
    want.data = PEBS_LBR | PEBS_REGS;
    assert_true(planned("r08d1", 0));
    assert_int_equal(plan.groups, 0x1f00000a);
    assert_int_equal(plan.record, 32 + 144 + 32 * 24);
    assert_false(plan.arch_lbr);
    want.data = PEBS_ADDR;
    refused("r00c4", 0, "data=addr: no address is recorded with this event");
    want.data = PEBS_TIME;
    assert_true(planned("r00c4", 0) && plan.record == 32 && (plan.valid & SAMPLE_TSC));
    on(&spr);
    want.data = PEBS_LBR;
    assert_true(planned("r08d1", 0) && plan.arch_lbr);
    on(&skl);
    want.data = PEBS_REGS;
    assert_true(planned("r08d1", 0) && !(plan.valid & (SAMPLE_DATA | SAMPLE_TSC)));
    want.data = PEBS_XMM | PEBS_REGS;
    refused("r08d1", 0,
            "data=xmm: records of this CPU's PEBS (format 3) lack it; they have addr, regs, time");
    want.data = PEBS_LBR;
    refused("r08d1", 0, "data=lbr");
    on(&haswell);
    want.data = PEBS_TIME;
    refused("r01c2", 0, "data=time: records of this CPU's PEBS (format 2) lack it; they have regs");
    on(&goldmont);
    want.data = PEBS_ADDR;
    refused("r0103", 0, "data=addr: no address is recorded with this event");
    on(&core2);
    want.data = PEBS_ADDR;
    refused("r01cb", 0, "data=addr: records of this CPU's PEBS (format 0) lack it; they have regs");
    on(&plain);
    want.data = PEBS_ADDR;
    refused("r00c4", 0, "data=addr: records of this CPU's PEBS (format 4) lack it; they have time");
    want.data = PEBS_REGS;
    refused("r08d1", 0, "they have time");
}

/* ---- latency ---- */

TEST(latencies)
{
    on(&skl);
    want.latency = 30;
    assert_true(planned("r01cd", 0));
    refused("r08d1", 0, "latency= is for loads' latencies, event r01cd, not for r08d1");
    on(&nehalem);
    want.latency = 30;
    refused("r01cb", 0, "event r100b");
    on(&core2);
    want.latency = 30;
    refused("r01cb", 0, "measures no latencies: leave latency= out");
    on(&goldmont);
    want.latency = 30;
    refused("r81d0", 0, "measures no latencies");
    /* The event's own threshold, and one that contradicts it. */
    static const char own[] = "/event=0xcd,umask=0x1,ldlat=32/";
    on(&skl);
    assert_true(planned(own, 0) && pmu.perfmon.pebs.latency == 32);
    want.latency = 32;
    assert_true(planned(own, 0));
    want.latency = 33;
    refused(own, 0,
            "latency=33 contradicts /event=0xcd,umask=0x1,ldlat=32/, which says 32: leave one of them out");
    want.latency = 0;
    assert_true(planned("r01cd", 0) && pmu.perfmon.pebs.latency == PEBS_LATENCY_LEAST);
    refused("/event=0xd1,umask=0x8,ldlat=32/", 0, "ldlat= is for loads' latencies, event r01cd, not for");
    on(&core2);
    refused("/event=0xcb,umask=0x1,ldlat=32/", 0, "measures no latencies: leave ldlat= out");
    on(&icl);
    assert_true(planned("r01cd", 0) && plan.latency_bits == UINT32_MAX);
    on(&spr);
    assert_true(planned("r01cd", 1) && plan.latency_bits == 0xffff0000ffff);
}

/* The latency's source, each of its 256 values: table 18-24, and Linux' ds.c (pebs_data_source[] with what
 * intel_pmu_pebs_data_source_nhm(), _skl() and _grt() change of it, load_latency_data(),
 * adl_latency_data_small()).
 */
TEST(sources)
{
    enum {
        NO = LEVEL_UNKNOWN,
        L1 = LEVEL_L1,
        FB = LEVEL_FILL_BUFFER,
        L2 = LEVEL_L2,
        L3 = LEVEL_L3,
        OC = LEVEL_OTHER_CACHE | 0x80,
        RC = LEVEL_REMOTE_CACHE,
        RM = LEVEL_REMOTE_CACHE | 0x80, /* 80h: modified */
        ME = LEVEL_MEMORY,
        MR = LEVEL_REMOTE_MEMORY,
        IO = LEVEL_IO,
        UC = LEVEL_UNCACHED
    };
    static const uint8_t by_nehalem[] = {NO, L1, FB, L2, L3, L3, OC, OC, RC, RM, ME, MR, ME, MR, IO, UC};
    static const uint8_t by_bridge[] = {NO, L1, FB, L2, L3, L3, L3, OC, RC, RM, ME, MR, ME, MR, IO, UC};
    static const uint8_t by_lake[] = {NO, L1, FB, L2, L3, L3, L3, OC, ME, MR, ME, MR, RC, RM, IO, UC};
    static const uint8_t by_gracemont[] = {NO, L1, FB, L2, L3, L3, OC, OC, L3, RM, ME, MR, ME, MR, IO, UC};
    static const struct {
        const struct part *on;
        const char *word;
        unsigned counter;
        const uint8_t *level;
        uint8_t walk, locked, data, address; /* 0: not said */
    } cores[] = {
        {&nehalem, "r100b", 0, by_nehalem, 0, 0, 0, 0},
        {&westmere, "r100b", 0, by_nehalem, 0, 0, 0, 0},
        {&sandy_bridge, "r01cd", 3, by_bridge, 0x10, 0x20, 0, 0},
        {&haswell, "r01cd", 0, by_bridge, 0x10, 0x20, 0, 0},
        {&skl, "r01cd", 0, by_lake, 0x10, 0x20, 0, 0},
        {&icl, "r01cd", 0, by_lake, 0x10, 0x20, 0, 0},
        {&spr, "r01cd", 1, by_lake, 0x10, 0x20, 0x40, 0x80},
        {&gracemont, "r05d0", 0, by_gracemont, 0x20, 0x10, 0x40, 0},
    };
    for (unsigned i = 0; i < N(cores); i++) {
        on(cores[i].on);
        assert_true(planned(cores[i].word, cores[i].counter));
        for (unsigned v = 0; v < 256; v++) {
            const unsigned level = cores[i].level[v & 15];
            const unsigned tlb = !cores[i].walk ? TLB_UNKNOWN : v & cores[i].walk ? TLB_WALK : TLB_HIT;
            const unsigned traits = SAMPLE_LOAD | (level & 0x80 ? SAMPLE_WAS_MODIFIED : 0) |
                                    (v & cores[i].locked ? SAMPLE_LOCKED : 0) |
                                    (v & cores[i].data ? SAMPLE_BLOCKED_DATA : 0) |
                                    (v & cores[i].address ? SAMPLE_BLOCKED_ADDRESS : 0);
            const uint32_t said = pebs_source(plan.source, plan.source_kind, (uint8_t)v);
            if (said != (traits | (level & 0x7f) << 16 | tlb << 24))
                fail_msg("%s, %02x: %08x", cores[i].on->name, v, said);
        }
    }
}

/* Of other accesses: precise store (18.9.4.3), and with an address (table 18-46). */
TEST(other_sources)
{
    static const struct {
        const struct part *on;
        const char *word;
        unsigned counter;
        uint8_t value;
        unsigned level, tlb, traits;
    } rows[] = {
        {&sandy_bridge, "r02cd", 3, 0x01, LEVEL_L1, TLB_HIT, SAMPLE_STORE},
        {&sandy_bridge, "r02cd", 3, 0x30, LEVEL_UNKNOWN, TLB_WALK, SAMPLE_STORE | SAMPLE_LOCKED},
        {&haswell, "r81d0", 0, 0x31, LEVEL_UNKNOWN, TLB_UNKNOWN, SAMPLE_LOAD},
        {&haswell, "r82d0", 0, 0x31, LEVEL_L1, TLB_UNKNOWN, SAMPLE_STORE},
        {&haswell, "r82d0", 0, 0x30, LEVEL_UNKNOWN, TLB_UNKNOWN, SAMPLE_STORE},
        {&spr, "r02cd", 0, 0xd3, LEVEL_L2, TLB_WALK, SAMPLE_STORE},
    };
    for (unsigned i = 0; i < N(rows); i++) {
        on(rows[i].on);
        assert_true(planned(rows[i].word, rows[i].counter));
        const uint32_t said = pebs_source(plan.source, plan.source_kind, rows[i].value);
        if (said != (rows[i].traits | rows[i].level << 16 | rows[i].tlb << 24))
            fail_msg("row %u: %08x", i, said);
    }
}

/* ---- periods ---- */

TEST(skids)
{
    static const struct {
        const struct part *on;
        const char *word;
        unsigned counter, skid, least, step, reset, high;
    } rows[] = {
        {&core2, "r00c0", 0, 1, 2, 1, 0, 0xff},           {&sandy_bridge, "r01c0", 1, 0, 2, 1, 1, 0xffff},
        {&sandy_bridge, "r01c2", 1, 1, 2, 1, 1, 0xffff},  {&haswell, "r01c0", 1, 0, 2, 1, 1, 0xffff},
        {&broadwell, "r01c0", 1, 0, 128, 64, 1, 0xffff},  {&broadwell, "r01c2", 3, 1, 2, 1, 3, 0xffff},
        {&skl, "r01c0", 1, 0, 2, 1, 1, 0xffff},           {&icl, "r0100", 8, 0, 2, 1, 8, 0xffff},
        {&icl, "r00c0", 8, 0, 2, 1, 8, 0xffff},           {&icl, "r00c0", 2, 1, 2, 1, 2, 0xffff},
        {&spr, "r0100", 8, 0, 128, 1, 32, 0xffff},        {&spr, "r08d1", 0, 0, 128, 1, 0, 0xffff},
        {&spr, "r08d1", 1, 1, 2, 1, 1, 0xffff},           {&goldmont, "r00c0", 0, 0, 2, 1, 0, 0xffff},
        {&goldmont, "r4f2e", 0, 1, 2, 1, 0, 0xffff},      {&spr, "r0151", 0, 1, 2, 1, 0, 0xffff},
        {&nehalem, "r01c0", 0, 1, 2, 1, 0, 0xffff},       {&goldmont_plus, "r08d1", 0, 0, 2, 1, 0, 0xffff},
        {&goldmont_plus, "r08d1", 1, 1, 2, 1, 1, 0xffff}, {&tremont, "r08d1", 0, 0, 2, 1, 0, 0xffff},
        {&tremont, "r00c0", 4, 0, 2, 1, 8, 0xffff},       {&gracemont, "r08d1", 0, 0, 128, 1, 0, 0xffff},
        {&gracemont, "r08d1", 1, 1, 2, 1, 1, 0xffff},     {&sierra_forest, "r08d1", 1, 0, 128, 1, 1, 0xffff},
        {&sierra_forest, "r08d1", 2, 1, 2, 1, 2, 0xffff}, {&lion_cove, "r08d1", 0, 0, 128, 1, 0, 0xffff},
        {&lion_cove, "r0100", 10, 0, 128, 1, 32, 0xffff},
    };
    for (unsigned i = 0; i < N(rows); i++) {
        on(rows[i].on);
        assert_true(planned(rows[i].word, rows[i].counter));
        if (plan.skid != rows[i].skid || plan.least != rows[i].least || plan.step != rows[i].step ||
            plan.reset != rows[i].reset || plan.reset_high != rows[i].high)
            fail_msg("row %u: %u %u %u %u %x", i, plan.skid, plan.least, plan.step, plan.reset,
                     plan.reset_high);
    }
}

/* ---- the front end ---- */

/* Plans C6/01, or another unit mask, with this value for MSR_PEBS_FRONTEND. */
static bool front_end(const char *word, uint32_t value)
{
    event = code(word);
    event.extra_msr = value ? FRONTEND : 0;
    event.extra = value;
    return pmu.ops->pebs_plan(&pmu, 0, &event, &want, &plan, why, sizeof why);
}

TEST(front_ends)
{
    static const struct part *const has[] = {&skl, &icl, &spr, &lion_cove};
    for (unsigned i = 0; i < N(has); i++) {
        on(has[i]);
        assert_true(front_end("r01c6", 0x500206) && pmu.perfmon.pebs.frontend == 0x500206);
        assert_true(plan.valid & SAMPLE_PRECISE);
        /* bits that raise #GP: intel_skl_extra_regs, intel_glc_extra_regs */
        assert_int_equal(front_end("r01c6", 0x18), i >= 2);
        if (i < 2)
            assert_non_null(strstr(
                why, "r01c6 needs 18h in MSR 3F7h, where this CPU takes no bits but those of 7FFF17h"));
        refused("r01c6", 0, "r01c6 is one of several events, which MSR 3F7h selects: give it by name");
        assert_true(planned("r01cd", 2) && pmu.perfmon.pebs.frontend == 0);
    }
    on(&spr);
    assert_true(front_end("r03c6", 0x12)); /* Redwood Cove's */
    on(&haswell);
    refused("r01c6", 0, "does not take r01c6");
}

/* ---- refusals ---- */

TEST(refusals)
{
    on(&skl);
    refused("r00c0", 0, "this CPU's PEBS does not take r00c0 (c0/00); it takes event/umask c0/01, cd/01");
    refused("r01c0", 0, "PEBS does not take r01c0 on counter 0");
    refused("r00c4", 0, "this CPU's PEBS takes event c4 with other unit masks only, not r00c4 (c4/00)");
    static const char *const modified[] = {"/event=0xd1,umask=8,cmask=1/", "/event=0xd1,umask=8,edge/",
                                           "/event=0xd1,umask=8,any/", "/event=0xd1,umask=8,cmask=1,inv/"};
    for (unsigned i = 0; i < N(modified); i++)
        refused(modified[i], 0, "without any, edge, inv and cmask only");
    on(&icl);
    refused("r0100", 0, "on counter 0");
    refused("r81d0", 9, "on fixed counter 1");
    on(&next);
    refused("r08d1", 0, "this kernel does not know this CPU's PEBS (format 5); use sample=pmi");
    on(&strange);
    refused("r08d1", 0, "this kernel does not know this CPU's PEBS (format 10)");

    on(&skl);
    pmu.dtes64 = false;
    refused("r08d1", 0, "32-bit layout");
    pmu.pebs = false;
    refused("r08d1", 0, "this CPU has no PEBS; use sample=pmi");
}

/* Microcode: refused only where it is known to be too old. */
TEST(microcode)
{
    static const struct {
        unsigned model, stepping;
        uint32_t revision;
        const char *why;
    } rows[] = {{0x0f, 6, 0xd0, "AJ67"},  {0x0f, 6, 0, NULL},       {0x17, 6, 0xd0, NULL},
                {0x2a, 7, 0x27, "28h"},   {0x2a, 7, 0x28, NULL},    {0x2a, 6, 0x1000, "early"},
                {0x2a, 6, 0, NULL},       {0x2d, 6, 0x617, "618h"}, {0x2d, 6, 0x618, NULL},
                {0x2d, 7, 0x70b, "70Ch"}, {0x2d, 7, 0x70c, NULL},   {0x2d, 5, 0x70c, "early"},
                {0x3c, 3, 1, NULL},       {0x5e, 3, 1, NULL}};
    for (unsigned i = 0; i < N(rows); i++) {
        const char *is = pmu_pebs_broken(rows[i].model, rows[i].stepping, rows[i].revision);
        assert_int_equal(is != NULL, rows[i].why != NULL);
        if (is) assert_true(strstr(is, rows[i].why) && strstr(is, "; use sample=pmi"));
    }
    on(&merom);
    assert_true(planned("r01cb", 0)); /* in a model, or under a hypervisor: no revision */
    pmu.microcode = 0xd0;
    refused("r01cb", 0, "errata AJ67, AJ68, AJ69 and AJ106");
}
