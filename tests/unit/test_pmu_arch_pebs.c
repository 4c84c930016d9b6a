/* PEBS on Intel's CPUs from Core 2 on: which events on which counters, what a record then holds, what is
 * refused and how, and the registers. Rules are written down from the SDM's tables (vol. 3B, order
 * 325384-059) and Linux' intel_*_pebs_event_constraints. */
#include "pmu/arch_pebs.h"
#include "tests/unit/arch_machines.h"

enum { ENABLE = 0x3f1, DATA_CFG = 0x3f2, LD_LAT = 0x3f6, DS = 0x600 };

/* Model, leaf 0AH, capabilities. */
static const struct part core2 = {"Core 2", "core", 23, 0x07280202, 0, 0x503, 2, 3, 0x10c2, false},
                         merom = {"Core 2", "core", 15, 0x07280202, 0, 0x503, 2, 3, 0xc2, false},
                         faults = {"Core 2", "core", 23, 0x07280202, 0, 0x503, 2, 3, 0x82, false},
                         nehalem = {"Nehalem", "nhm", 0x1a, 0x07300403, 0, 0x603, 4, 3, 0x11c3, true},
                         sandy_bridge = {"Sandy Bridge", "snb", 42, 0x07300403, 0, 0x603, 4, 3, 0x31c3, true},
                         ivy_bridge = {"Ivy Bridge", "ivb", 58, 0x07300403, 0, 0x603, 4, 3, 0x31c3, true},
                         haswell = {"Haswell", "hsw", 60, 0x07300403, 0, 0x603, 4, 3, 0x32c4, true},
                         broadwell = {"Broadwell", "bdw", 61, 0x07300403, 0, 0x603, 4, 3, 0x32c4, true},
                         skl = {"Skylake", "skl", 94, 0x07300404, 0, 0x603, 4, 3, 0x33c5, true},
                         icl = {"Ice Lake", "icl", 126, 0x08300805, 0xf, 0x8604, 8, 4, 0xf4c5, false},
                         plain = {"Ice Lake", "icl", 126, 0x08300805, 0xf, 0x8604, 8, 4, 0x34c5, false},
                         spr = {"Sapphire Rapids", "spr", 0x8f, 0x08300805, 0xf, 0x8604, 8, 4,
                                0x2f5ff,           false},
                         gracemont = {"Alder Lake-N", "adl_grt", 0xbe, 0x08300605, 0x7,
                                      0x8603,         6,         3,    0x2f5ff,    false},
                         sierra_forest = {"Sierra Forest", "", 0xaf, 0x08300605, 0x7,
                                          0x8603,          6,  3,    0x2f5ff,    false},
                         goldmont = {"Goldmont", "glm", 0x5c, 0x07300404, 0, 0x603, 4, 3, 0x33c5, false},
                         next = {"version 6 or later", "", 254, 0x0b300806, 0xf, 0x8604, 8, 4, 0xf5c5, false},
                         strange = {"Skylake", "skl", 94, 0x07300404, 0, 0x603, 4, 3, 0x3ac5, true};

static struct pebs plan;
static struct pebs_want want;
static struct pmu_code event;

static void on(const struct part *p)
{
    struct cpu_id id = id_of(p);
    machine(p);
    static const uint32_t msr[] = {ENABLE, DATA_CFG, LD_LAT, DS};
    for (unsigned i = 0; i < N(msr); i++) fake_pmu_msr(msr[i], 0);
    fake_pmu_msr(DS, 0xd5);
    fake_pmu_msr(LD_LAT, 0x77);
    fake_pmu_msr(DATA_CFG, 0x5);
    probe(&id);
    want = (struct pebs_want){0, 0};
    fake_pmu_clear_log();
}

static bool planned(const char *word, unsigned counter)
{
    event = code(word);
    memset(&plan, 0xa5, sizeof plan);
    why[0] = '\0';
    return pmu.ops->pebs_plan(&pmu, counter, &event, &want, &plan, why, sizeof why);
}

static void refused(const char *word, unsigned counter, const char *reason)
{
    if (planned(word, counter)) fail_msg("%s on %u: not refused", word, counter);
    if (!strstr(why, reason)) fail_msg("%s: \"%s\" is not in: %s", word, reason, why);
}

/* ---- which events, on which counters ---- */

/* counters: bit i is counter i as the driver numbers them, fixed ones behind the general ones. */
struct row {
    const char *word;
    uint32_t counters;
    bool precise;
};

static void check_rows(const struct part *p, const struct row *rows, unsigned n)
{
    on(p);
    for (unsigned i = 0; i < n; i++)
        for (unsigned c = 0; c < pmu.counters; c++) {
            const bool want_it = rows[i].counters >> c & 1;
            if (planned(rows[i].word, c) != want_it)
                fail_msg("%s: %s on %u: %s", p->name, rows[i].word, c, why);
            if (want_it && !(plan.valid & (SAMPLE_PRECISE | SAMPLE_NEXT)) == rows[i].precise)
                fail_msg("%s: %s: precise?", p->name, rows[i].word);
        }
}

static void rules_of_each(void **state)
{
    (void)state;
    static const struct row of_core2[] = {{"r00c0", 1, true},  {"rfec1", 1, true},  {"r00c5", 1, true},
                                          {"r1fc7", 1, true},  {"r01cb", 1, true},  {"r10cb", 1, true},
                                          {"r00c4", 0, false}, {"r01c0", 0, false}, {"r003c", 0, false}};
    static const struct row of_nehalem[] = {{"r100b", 0xf, true}, {"r01c0", 0xf, true}, {"r02c5", 0xf, true},
                                            {"r00c5", 0, false},  {"r01cb", 0xf, true}, {"r010c", 0xf, true},
                                            {"r020c", 0, false},  {"r20c8", 0xf, true}, {"r003c", 0, false}};
    static const struct row of_bridge[] = {{"r01c0", 2, true},   {"r00c0", 0, false},  {"r01cd", 8, true},
                                           {"r02cd", 8, true},   {"r01c2", 0xf, true}, {"r04c4", 0xf, true},
                                           {"r00c4", 0, false},  {"r00c5", 0, false},  {"r81d0", 0xf, true},
                                           {"r01d1", 0xf, true}, {"r412e", 0, false}};
    static const struct row of_haswell[] = {{"r01c0", 2, true},   {"r01cd", 0xf, true}, {"r02cd", 0, false},
                                            {"r81d0", 0xf, true}, {"r82d0", 0xf, true}, {"r20d1", 0xf, true},
                                            {"r04c9", 0xf, true}, {"r01c2", 0xf, true}, {"r00c0", 0, false}};
    static const struct row of_skylake[] = {{"r01c0", 2, true},   {"r01cd", 0xf, true}, {"r3fc1", 0xf, true},
                                            {"r01c2", 0, false},  {"r01c6", 0, false},  {"r81d0", 0xf, true},
                                            {"r08d1", 0xf, true}, {"r40c4", 0xf, true}, {"r00c4", 0, false}};
    static const struct row of_icl[] = {
        {"r0100", 1 << 8, true}, {"r00c0", 0x1ff, true}, {"r01cd", 0xff, true},  {"r81d0", 0xf, true},
        {"r01d2", 0xf, true},    {"r00c4", 0xff, true},  {"r0151", 0xfff, false}};
    static const struct row of_spr[] = {{"r0100", 1 << 8, true}, {"r00c0", 0x1fe, true},
                                        {"r01cd", 0xfe, true},   {"r02cd", 1, true},
                                        {"r81d0", 0xf, true},    {"r0151", 0xfff, false}};
    static const struct row of_goldmont[] = {
        {"r00c0", 1, true}, {"r81d0", 1, true}, {"r82d0", 1, true}, {"r08d1", 1, true}, {"r4f2e", 1, false}};
    check_rows(&core2, of_core2, N(of_core2));
    check_rows(&nehalem, of_nehalem, N(of_nehalem));
    check_rows(&sandy_bridge, of_bridge, N(of_bridge));
    check_rows(&ivy_bridge, of_bridge, N(of_bridge));
    check_rows(&haswell, of_haswell, N(of_haswell));
    check_rows(&broadwell, of_haswell, N(of_haswell));
    check_rows(&skl, of_skylake, N(of_skylake));
    check_rows(&icl, of_icl, N(of_icl));
    check_rows(&spr, of_spr, N(of_spr));
    check_rows(&goldmont, of_goldmont, N(of_goldmont));
}

/* ---- what a record holds ---- */

#define ALWAYS  (SAMPLE_IP | SAMPLE_COUNTER | SAMPLE_REGS)
#define LATENCY (SAMPLE_DATA | SAMPLE_LEVEL | SAMPLE_TLB | SAMPLE_LATENCY)

static void contents(void **state)
{
    (void)state;
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
        {&icl, "r08d1", 0, 32 + 32 + 144, ALWAYS | SAMPLE_PRECISE | SAMPLE_TSC | SAMPLE_DATA, 3},
        {&icl, "r01cd", 0, 32 + 32 + 144, ALWAYS | SAMPLE_PRECISE | SAMPLE_TSC | LATENCY, 3},
        {&icl, "r0100", 8, 32 + 144, ALWAYS | SAMPLE_PRECISE | SAMPLE_TSC, 2},
        {&icl, "r0151", 0, 32 + 144, ALWAYS | SAMPLE_TSC, 2},
        {&plain, "r08d1", 0, 32, SAMPLE_IP | SAMPLE_COUNTER | SAMPLE_PRECISE | SAMPLE_TSC, 0},
        {&spr, "r01cd", 1, 32 + 32 + 144,
         ALWAYS | SAMPLE_PRECISE | SAMPLE_TSC | LATENCY | SAMPLE_CACHE_LATENCY | SAMPLE_RETIRE, 3},
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
static void wanted(void **state)
{
    (void)state;
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
            "data=xmm: records of this CPU's PEBS (format 3) have it not; they have addr, regs, time");
    want.data = PEBS_LBR;
    refused("r08d1", 0, "data=lbr");
    on(&haswell);
    want.data = PEBS_TIME;
    refused("r01c2", 0, "data=time: records of this CPU's PEBS (format 2) have it not; they have regs");
    on(&core2);
    want.data = PEBS_ADDR;
    refused("r01cb", 0, "data=addr: records of this CPU's PEBS (format 0) have it not; they have regs");
    on(&plain);
    want.data = PEBS_REGS;
    refused("r08d1", 0, "they have time");
}

/* ---- latency ---- */

static void latencies(void **state)
{
    (void)state;
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
    on(&icl);
    assert_true(planned("r01cd", 0) && plan.latency_bits == UINT32_MAX);
    on(&spr);
    assert_true(planned("r01cd", 1) && plan.latency_bits == 0xffff0000ffff);
}

/* What a source's byte says, by table 18-24 and Linux' ds.c. */
static void sources(void **state)
{
    (void)state;
    static const struct {
        const struct part *on;
        const char *word;
        unsigned counter;
        uint8_t value;
        unsigned level, tlb, traits;
    } rows[] = {
        {&nehalem, "r100b", 0, 0x06, LEVEL_OTHER_CACHE, TLB_UNKNOWN, SAMPLE_LOAD | SAMPLE_WAS_MODIFIED},
        {&nehalem, "r100b", 0, 0x31, LEVEL_L1, TLB_UNKNOWN, SAMPLE_LOAD},
        {&sandy_bridge, "r01cd", 3, 0x00, LEVEL_UNKNOWN, TLB_HIT, SAMPLE_LOAD},
        {&sandy_bridge, "r01cd", 3, 0x01, LEVEL_L1, TLB_HIT, SAMPLE_LOAD},
        {&sandy_bridge, "r01cd", 3, 0x02, LEVEL_FILL_BUFFER, TLB_HIT, SAMPLE_LOAD},
        {&sandy_bridge, "r01cd", 3, 0x03, LEVEL_L2, TLB_HIT, SAMPLE_LOAD},
        {&sandy_bridge, "r01cd", 3, 0x04, LEVEL_L3, TLB_HIT, SAMPLE_LOAD},
        {&sandy_bridge, "r01cd", 3, 0x06, LEVEL_L3, TLB_HIT, SAMPLE_LOAD},
        {&sandy_bridge, "r01cd", 3, 0x07, LEVEL_OTHER_CACHE, TLB_HIT, SAMPLE_LOAD | SAMPLE_WAS_MODIFIED},
        {&sandy_bridge, "r01cd", 3, 0x08, LEVEL_REMOTE_CACHE, TLB_HIT, SAMPLE_LOAD},
        {&sandy_bridge, "r01cd", 3, 0x1a, LEVEL_MEMORY, TLB_WALK, SAMPLE_LOAD},
        {&sandy_bridge, "r01cd", 3, 0x2d, LEVEL_REMOTE_MEMORY, TLB_HIT, SAMPLE_LOAD | SAMPLE_LOCKED},
        {&sandy_bridge, "r01cd", 3, 0x0e, LEVEL_IO, TLB_HIT, SAMPLE_LOAD},
        {&sandy_bridge, "r01cd", 3, 0x0f, LEVEL_UNCACHED, TLB_HIT, SAMPLE_LOAD},
        {&sandy_bridge, "r02cd", 3, 0x01, LEVEL_L1, TLB_HIT, SAMPLE_STORE},
        {&sandy_bridge, "r02cd", 3, 0x30, LEVEL_UNKNOWN, TLB_WALK, SAMPLE_STORE | SAMPLE_LOCKED},
        {&haswell, "r81d0", 0, 0x31, LEVEL_UNKNOWN, TLB_UNKNOWN, SAMPLE_LOAD},
        {&haswell, "r82d0", 0, 0x31, LEVEL_L1, TLB_UNKNOWN, SAMPLE_STORE},
        {&haswell, "r82d0", 0, 0x30, LEVEL_UNKNOWN, TLB_UNKNOWN, SAMPLE_STORE},
        {&skl, "r01cd", 0, 0x08, LEVEL_MEMORY, TLB_HIT, SAMPLE_LOAD},
        {&skl, "r01cd", 0, 0x0d, LEVEL_REMOTE_CACHE, TLB_HIT, SAMPLE_LOAD | SAMPLE_WAS_MODIFIED},
        {&icl, "r01cd", 0, 0xc1, LEVEL_L1, TLB_HIT, SAMPLE_LOAD},
        {&spr, "r01cd", 1, 0x41, LEVEL_L1, TLB_HIT, SAMPLE_LOAD | SAMPLE_BLOCKED_DATA},
        {&spr, "r01cd", 1, 0x81, LEVEL_L1, TLB_HIT, SAMPLE_LOAD | SAMPLE_BLOCKED_ADDRESS},
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

static void skids(void **state)
{
    (void)state;
    static const struct {
        const struct part *on;
        const char *word;
        unsigned counter, skid, least, step, reset, high;
    } rows[] = {
        {&core2, "r00c0", 0, 1, 2, 1, 0, 0xff},          {&sandy_bridge, "r01c0", 1, 0, 2, 1, 1, 0xffff},
        {&sandy_bridge, "r01c2", 1, 1, 2, 1, 1, 0xffff}, {&haswell, "r01c0", 1, 0, 2, 1, 1, 0xffff},
        {&broadwell, "r01c0", 1, 0, 128, 64, 1, 0xffff}, {&broadwell, "r01c2", 3, 1, 2, 1, 3, 0xffff},
        {&skl, "r01c0", 1, 0, 2, 1, 1, 0xffff},          {&icl, "r0100", 8, 0, 2, 1, 8, 0xffff},
        {&icl, "r00c0", 8, 0, 2, 1, 8, 0xffff},          {&icl, "r00c0", 2, 1, 2, 1, 2, 0xffff},
        {&spr, "r0100", 8, 0, 128, 1, 32, 0xffff},       {&spr, "r08d1", 0, 0, 128, 1, 0, 0xffff},
        {&spr, "r08d1", 1, 1, 2, 1, 1, 0xffff},          {&goldmont, "r00c0", 0, 0, 2, 1, 0, 0xffff},
        {&goldmont, "r4f2e", 0, 1, 2, 1, 0, 0xffff},     {&spr, "r0151", 0, 1, 2, 1, 0, 0xffff},
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

/* ---- refusals ---- */

static void refusals(void **state)
{
    (void)state;
    on(&skl);
    refused("r00c0", 0, "this CPU's PEBS does not take r00c0 (c0/00); it takes event/umask c0/01, cd/01");
    refused("r01c0", 0, "PEBS does not take r01c0 on counter 0");
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
static void microcode(void **state)
{
    (void)state;
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

/* ---- registers ---- */

static void registers(void **state)
{
    (void)state;
    static const struct {
        const struct part *on;
        const char *word;
        unsigned counter;
        uint16_t latency;
        struct fake_write arm[9];
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
        assert_false(pmu.ops->pebs_arm(&pmu, c, &event, 0x200000, why, sizeof why));
        assert_string_equal(why, "PEBS needs a period");
        fake_pmu_clear_log();
        assert_true(pmu.ops->arm(&pmu, c, 100, why, sizeof why));
        if (!pmu.ops->pebs_arm(&pmu, c, &event, 0x200000, why, sizeof why)) fail_msg("%s", why);
        unsigned n = 0;
        while (n < N(rows[i].arm) && rows[i].arm[n].msr) n++;
        fake_pmu_assert_log(rows[i].arm, n);

        pmu.ops->start(&pmu); /* the interrupt is the buffer's, and all stay stopped until it is drained */
        const uint64_t bit = c < pmu.perfmon.general ? 1ull << c : 1ull << 32;
        fake_pmu_clear_log();
        fake_pmu_msr(STATUS, 1ull << 62 | bit);
        assert_int_equal(pmu.ops->overflowed(&pmu, &fake_pmi), 1 << c);
        const struct fake_write full[] = {{GLOBAL, 0}, {ACK, 1ull << 62 | bit}, FAKE_PMI_AGAIN};
        fake_pmu_assert_log(full, N(full));
        fake_pmu_clear_log();
        pmu.ops->pebs_again(&pmu, false);
        const struct fake_write again[] = {{GLOBAL, bit}};
        fake_pmu_assert_log(again, 1);
        fake_pmu_clear_log(); /* a record was skipped, and the counter not reset */
        pmu.ops->pebs_again(&pmu, true);
        const struct fake_write afresh[] = {rows[i].arm[n - 2], {GLOBAL, bit}};
        fake_pmu_assert_log(afresh, 2);
        fake_pmu_clear_log(); /* an overflow alone is that of a record to come */
        fake_pmu_msr(STATUS, bit);
        assert_int_equal(pmu.ops->overflowed(&pmu, &fake_pmi), 0);

        fake_pmu_clear_log();
        pmu.ops->pebs_stop(&pmu);
        static const struct fake_write stopped[] = {{ENABLE, 0}, {DS, 0xd5}};
        fake_pmu_assert_log(stopped, N(stopped));
        assert_true(program(codes)); /* and without PEBS as before */
        assert_true(pmu.ops->arm(&pmu, c, 100, why, sizeof why));
        fake_pmu_msr(STATUS, bit);
        assert_int_equal(pmu.ops->overflowed(&pmu, &fake_pmi), 1 << c);
        pmu.ops->release(&pmu);
        assert_int_equal(fake_pmu_value(LD_LAT), 0x77);
        assert_int_equal(fake_pmu_value(DATA_CFG), 5);
        assert_true(fake_pmu_value(DS) == 0xd5 && fake_pmu_value(ENABLE) == 0);
    }
}

/* Nothing runs beside PREC_DIST on a Sandy Bridge; a register that is not kept is absent; another counter
 * than the planned one is not armed. */
static void armed_or_not(void **state)
{
    (void)state;
    struct pmu_code beside;
    on(&sandy_bridge);
    assert_true(planned("r01c0:u", 1));
    beside = code("instructions:k");
    const struct pmu_code *two[PMU_COUNTERS] = {[1] = &event, [4] = &beside};
    assert_true(program(two));
    assert_true(pmu.ops->arm(&pmu, 1, 100, why, sizeof why));
    assert_false(pmu.ops->pebs_arm(&pmu, 1, &event, 0x200000, why, sizeof why));
    assert_string_equal(why, "beside PREC_DIST no other counter of this CPU may run");
    on(&ivy_bridge);
    assert_true(planned("r01c0:u", 1) && program(two));
    assert_true(pmu.ops->arm(&pmu, 1, 100, why, sizeof why));
    assert_true(pmu.ops->pebs_arm(&pmu, 1, &event, 0x200000, why, sizeof why));

    on(&skl);
    assert_true(planned("r08d1:u", 0));
    const struct pmu_code *one[PMU_COUNTERS] = {&event};
    assert_true(program(one) && pmu.ops->arm(&pmu, 0, 100, why, sizeof why));
    assert_false(pmu.ops->pebs_arm(&pmu, 1, &event, 0x200000, why, sizeof why));
    fake_pmu_fault(ENABLE, FAKE_SWALLOWS);
    assert_false(pmu.ops->pebs_arm(&pmu, 0, &event, 0x200000, why, sizeof why));
    assert_non_null(strstr(why, "3F1h"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rules_of_each), cmocka_unit_test(contents),
                                       cmocka_unit_test(wanted),        cmocka_unit_test(latencies),
                                       cmocka_unit_test(sources),       cmocka_unit_test(skids),
                                       cmocka_unit_test(refusals),      cmocka_unit_test(microcode),
                                       cmocka_unit_test(registers),     cmocka_unit_test(armed_or_not)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
