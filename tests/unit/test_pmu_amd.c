/* AMD's core counters against registers: which CPU has how many and where, exact writes in their order,
 * 12-bit events, interrupts with and without a global register, and hardware that misbehaves. */
#include "pmu/amd.h"
#include "tests/unit/drive_pmu.h"
#include "tests/unit/fake_pmu.h"
#include "tests/unit/unit.h"
#include <string.h>

/* Numbers from Linux' msr-index.h and the APM (vol. 2, 13.2), not from the driver's header. */
#define OLD_CTL 0xc0010000u
#define OLD_CTR 0xc0010004u
#define CTL     0xc0010200u /* every other one */
#define CTR     0xc0010201u
#define STATUS  0xc0000300u
#define GLOBAL  0xc0000301u
#define CLEAR   0xc0000302u

/* ---- machines ---- */

static const struct part {
    const char *name, *database;
    unsigned family, model;
    uint32_t x1_ecx, x22_eax, x22_ebx;
    unsigned counters;
    bool core, ibs;
} parts[] = {
    {"K7", "amd64_k7", 6, 3, 0, 0, 0, 4, false, false},
    {"K8", "amd64_k8_revb", 15, 4, 0x106, 0, 0, 4, false, false},
    {"K8", "amd64_k8_revg", 15, 0x6b, 0x11f, 0, 0, 4, false, false},
    {"Fam10h", "amd64_fam10h_shanghai", 16, 4, 0x37ff, 0, 0, 4, false, true},
    {"Fam15h", "amd64_fam15h_interlagos", 21, 1, 0x1c9bfff, 0, 0, 6, true, true},
    {"Zen", "amd64_fam17h_zen1", 23, 1, 0x35c233ff, 0, 0, 6, true, false},
    {"Zen 2", "amd64_fam17h_zen2", 23, 0x71, 0x75c237ff, 0, 0, 6, true, true},
    {"Zen 3", "amd64_fam19h_zen3", 25, 0x21, 0x75c237ff, 0, 0, 6, true, true},
    {"Zen 4", "amd64_fam19h_zen4", 25, 0x61, 0x75c237ff, 7, 0x4406, 6, true, true},
    {"Zen 4", "amd64_fam19h_zen4", 25, 0x11, 0x75c237ff, 7, 0x4406, 6, true, true},
    {"Zen 5", "amd64_fam1ah_zen5", 26, 0x44, 0x75c237ff, 7, 0x4406, 6, true, true},
    {"Zen 6", "amd64_fam1ah_zen6", 26, 0x50, 0x75c237ff, 7, 0x4406, 6, true, true},
    {"Zen 5", "amd64_fam1ah_zen5", 26, 0x70, 0x75c237ff, 7, 0x4406, 6, true, true},
    {"Zen 6", "amd64_fam1ah_zen6", 26, 0x90, 0x75c237ff, 7, 0x4406, 6, true, true},
    {"newer than Zen 6", "", 28, 0, 0x75c237ff, 7, 0x4406, 6, true, true},
};
enum { K7, K8 = 1, FAM10H = 3, FAM15H = 4, ZEN = 5, ZEN3 = 7, ZEN4 = 8 };

static struct fake_pmu_rules rules;
static const struct part *here;

static uint32_t ctl(unsigned i) { return here->core ? CTL + 2 * i : OLD_CTL + i; }
static uint32_t ctr(unsigned i) { return here->core ? CTR + 2 * i : OLD_CTR + i; }

static struct cpu_id id_of(const struct part *p)
{
    return (struct cpu_id){.vendor = "AuthenticAMD",
                           .family = p->family,
                           .model = p->model,
                           .x1_ecx = p->x1_ecx,
                           .x22_eax = p->x22_eax,
                           .x22_ebx = p->x22_ebx};
}

/* CPL 0: EN and OS, and the gate where there is one. */
static bool counting(unsigned i)
{
    if (i >= here->counters) return false;
    bool on = (fake_pmu_value(ctl(i)) & 0x420000) == 0x420000;
    return here->x22_eax ? on && fake_pmu_value(GLOBAL) >> i & 1 : on;
}

static uint64_t store(uint32_t msr, uint64_t value)
{
    if (msr == CLEAR) fake_pmu_msr(STATUS, fake_pmu_value(STATUS) & ~value);
    return value;
}

static void machine(const struct part *p)
{
    here = p;
    memset(&rules, 0, sizeof rules);
    rules.counting = counting;
    rules.store = store;
    for (unsigned i = 0; i < p->counters; i++) rules.counter_msr[i] = ctr(i);
    fake_pmu_reset(&rules);
    for (unsigned i = 0; i < p->counters; i++) {
        fake_pmu_msr(ctl(i), 0);
        fake_pmu_msr(ctr(i), 0);
    }
    if (p->x22_eax)
        for (uint32_t msr = STATUS; msr <= CLEAR; msr++) fake_pmu_msr(msr, 0);
    fake_pmu_rdpmc(FAKE_RDPMC_READS);
}

static void start_on(const struct part *p)
{
    struct cpu_id id = id_of(p);
    machine(p);
    probe(&id);
    fake_pmu_clear_log();
}

static int on_k8(void **state) { return (void)state, start_on(&parts[K8]), 0; }
static int on_zen(void **state) { return (void)state, start_on(&parts[ZEN]), 0; }
static int on_zen4(void **state) { return (void)state, start_on(&parts[ZEN4]), 0; }

/* ---- detection ---- */

static void detection(void **state)
{
    (void)state;
    for (unsigned k = 0; k < N(parts); k++) {
        const struct part *p = &parts[k];
        start_on(p);
        assert_string_equal(pmu.ops->family, "AMD");
        assert_string_equal(pmu.model, p->name);
        assert_string_equal(pmu.database, p->database);
        assert_int_equal(pmu.counters, p->counters);
        assert_int_equal(pmu.usable, (1u << p->counters) - 1);
        assert_int_equal(pmu.width, 48);
        assert_true(pmu.rdpmc && pmu.user_rdpmc);
        assert_int_equal(pmu.ibs, p->ibs);
        assert_int_equal(pmu.preset, 0);
        for (unsigned i = 0; i < p->counters; i++) assert_int_equal(pmu.counter_msr[i], ctr(i));
    }
}

static void not_ours(void **state)
{
    (void)state;
    struct cpu_id k6 = id_of(&parts[K7]), hygon = id_of(&parts[ZEN]);
    machine(&parts[K7]);
    k6.family = 5;
    assert_false(pmu_probe(&k6, &pmu));
    machine(&parts[ZEN]);
    strcpy(hygon.vendor, "HygonGenuine");
    hygon.family = 24;
    probe(&hygon);
    assert_int_equal(pmu.usable, 0x3f);
    strcpy(hygon.vendor, "CentaurHauls");
    assert_false(pmu_probe(&hygon, &pmu));
}

/* Leaf 80000022h says how many. */
static void how_many(void **state)
{
    (void)state;
    struct cpu_id id = id_of(&parts[ZEN4]);
    machine(&parts[ZEN4]);
    id.x22_ebx = 0x4404;
    probe(&id);
    assert_int_equal(pmu.counters, 4);
}

static void firmware(void **state)
{
    (void)state;
    struct cpu_id id = id_of(&parts[ZEN3]);
    machine(&parts[ZEN3]);
    fake_pmu_msr(ctl(3), 0x530076);
    fake_pmu_msr(ctl(1), 0x1300c0);
    fake_pmu_msr(ctr(3), 0xffff00000001);
    probe(&id);
    assert_int_equal(pmu.preset, 1 << 3);
    assert_int_equal(fake_pmu_value(ctl(3)), 0);
    assert_int_equal(fake_pmu_value(ctl(1)), 0x1300c0);
    assert_int_equal(fake_pmu_value(ctr(3)), 0xffff00000001);
}

/* ---- events ---- */

struct want {
    const char *word;
    uint64_t select; /* 0: absent */
};

static void accept(const struct part *p, const struct want *w, size_t n)
{
    start_on(p);
    for (size_t i = 0; i < n; i++) {
        struct pmu_code c;
        char near[64];
        bool ok = pmu_event_parse(&pmu, w[i].word, strlen(w[i].word), &c, why, sizeof why, near, sizeof near);
        if (ok != (w[i].select != 0) || (ok && c.select != w[i].select))
            fail_msg("%s on %s: %s %llx", w[i].word, p->name, why, (unsigned long long)c.select);
        if (ok && p != &parts[FAM15H]) assert_int_equal(c.counters, (1u << p->counters) - 1);
    }
}

static void words(void **state)
{
    (void)state;
    static const struct want
        k7[] = {{"cycles", 0x30076},
                {"instructions", 0x300c0},
                {"branches:u", 0x100c2},
                {"cache-misses", 0x31f43},
                {"cache-references", 0x30040},
                {"branch-misses", 0x300c3},
                {"ref-cycles", 0},
                {"bus-cycles", 0}},
        k8[] = {{"cycles:k", 0x20076},     {"instructions", 0x300c0},     {"branches", 0x300c2},
                {"cache-misses", 0x3077e}, {"cache-references", 0x3077d}, {"branch-misses", 0x300c3},
                {"ref-cycles", 0}},
        zen[] = {{"cycles", 0x30076},       {"instructions", 0x300c0},     {"branches", 0x300c2},
                 {"cache-misses", 0x30964}, {"cache-references", 0x3ff60}, {"branch-misses", 0x300c3},
                 {"ref-cycles", 0}},
        zen4[] = {{"cycles", 0x30076}, {"cache-misses", 0x30964}, {"ref-cycles", 0x100030120}};
    accept(&parts[K7], k7, N(k7));
    accept(&parts[K8], k8, N(k8));
    accept(&parts[FAM10H], k8, N(k8));
    accept(&parts[FAM15H], k8, N(k8));
    accept(&parts[ZEN], zen, N(zen));
    accept(&parts[ZEN4], zen4, N(zen4));
}

/* Family 15h: a few of each kind, from the BKDG of models 00h-0Fh, 3.24. */
static void bulldozer(void **state)
{
    (void)state;
    static const struct {
        const char *word;
        uint32_t counters; /* 0: none */
    } want[] = {{"cycles", 0x07},     {"instructions", 0x3f}, {"branches", 0x3f}, {"r0041", 0x3f},
                {"r0043", 0x07},      {"r0103", 0x08},        {"r0010", 0x38},    {"r02e", 0x09},
                {"r008f", 0x01},      {"r00d1", 0x07},        {"r00dc", 0x3f},    {"r1000000c0", 0x38},
                {"r1000000d6", 0x3f}, {"r00e0", 0},           {"r00a0", 0}};
    start_on(&parts[FAM15H]);
    for (unsigned i = 0; i < N(want); i++) {
        struct pmu_code c;
        char near[64];
        bool ok =
            pmu_event_parse(&pmu, want[i].word, strlen(want[i].word), &c, why, sizeof why, near, sizeof near);
        if (ok != (want[i].counters != 0) || (ok && c.counters != want[i].counters))
            fail_msg("%s: %s %x", want[i].word, why, ok ? c.counters : 0);
    }
}

static void codes(void **state)
{
    (void)state;
    static const struct want all[] = {{"r00c0", 0x300c0},
                                      {"r1000001a1:u", 0x1000101a1},
                                      {"rf000000ff", 0xf000300ff},
                                      {"/event=0x1a1,umask=1/u", 0x1000101a1},
                                      {"/event=0xfff/", 0xf000300ff},
                                      {"/event=0x60,umask=0xff,cmask=3,inv,edge/k", 0x386ff60},
                                      {"/event=0x1000/", 0}, /* 13 bits */
                                      {"/event=0xc0,any/", 0},
                                      {"r2000c0", 0}, /* bit 21 */
                                      {"/clocks/", 0},
                                      {"retired_instructions", 0}};
    accept(&parts[ZEN], all, N(all));
    static const struct want narrow[] = {{"r1000000c0", 0}, {"/event=0x1a1/", 0}, {"r00c0", 0x300c0}};
    accept(&parts[K7], narrow, N(narrow));
}

/* ---- programming ---- */

static void legacy(void **state)
{
    (void)state;
    struct pmu_code instr = code("instructions:k"), cycles = code("cycles");
    assert_true(PROGRAM(&instr, NULL, NULL, &cycles));
    pmu.ops->start(&pmu);
    hw_rdtsc();
    pmu.ops->stop(&pmu);
    hw_rdtsc();
    assert_int_equal(pmu.ops->read(&pmu, 0), 7);
    assert_int_equal(pmu.ops->read(&pmu, 1), 0);
    assert_int_equal(pmu.ops->read(&pmu, 3), 7);
    static const struct fake_write want[] = {
        {OLD_CTL, 0},       {OLD_CTL + 1, 0},       {OLD_CTL + 2, 0},    {OLD_CTL + 3, 0},
        {OLD_CTR, 0},       {OLD_CTR + 1, 0},       {OLD_CTR + 2, 0},    {OLD_CTR + 3, 0},
        {OLD_CTL, 0x200c0}, {OLD_CTL + 3, 0x30076}, {OLD_CTL, 0x4200c0}, {OLD_CTL + 3, 0x430076},
        {OLD_CTL, 0x200c0}, {OLD_CTL + 3, 0x30076},
    };
    fake_pmu_assert_log(want, N(want));
}

static void global(void **state)
{
    (void)state;
    struct pmu_code ref = code("ref-cycles"), instr = code("instructions:u");
    assert_true(PROGRAM(NULL, &ref, NULL, NULL, NULL, &instr));
    pmu.ops->start(&pmu);
    hw_rdtsc();
    pmu.ops->stop(&pmu);
    assert_int_equal(pmu.ops->read(&pmu, 1), 7);
    assert_int_equal(pmu.ops->read(&pmu, 5), 0);
    static const struct fake_write want[] = {
        {GLOBAL, 0},          {CTL, 0},
        {CTL + 2, 0},         {CTL + 4, 0},
        {CTL + 6, 0},         {CTL + 8, 0},
        {CTL + 10, 0},        {CTR, 0},
        {CTR + 2, 0},         {CTR + 4, 0},
        {CTR + 6, 0},         {CTR + 8, 0},
        {CTR + 10, 0},        {CTL + 2, 0x100430120ull},
        {CTL + 10, 0x4100c0}, {GLOBAL, 0x22},
        {GLOBAL, 0},
    };
    fake_pmu_assert_log(want, N(want));
}

static void release(void **state)
{
    (void)state;
    struct cpu_id id = id_of(&parts[ZEN4]);
    machine(&parts[ZEN4]);
    fake_pmu_msr(GLOBAL, 0x3f);
    fake_pmu_msr(ctr(2), 0x800000000001);
    fake_pmu_msr(ctl(2), 0x1000100a1);
    probe(&id);
    struct pmu_code c = code("cycles");
    assert_true(PROGRAM(&c, NULL, &c));
    pmu.ops->start(&pmu);
    pmu.ops->release(&pmu);
    assert_int_equal(fake_pmu_value(GLOBAL), 0x3f);
    assert_int_equal(fake_pmu_value(ctl(0)), 0);
    assert_int_equal(fake_pmu_value(ctl(2)), 0x1000100a1);
    assert_int_equal(fake_pmu_value(ctr(2)), 0x800000000001);
}

/* ---- interrupts ---- */

/* No status: bit 47 tells. */
static void interrupt_legacy(void **state)
{
    (void)state;
    struct pmu_code instr = code("instructions");
    assert_true(PROGRAM(NULL, NULL, &instr));
    fake_pmu_clear_log();
    assert_true(pmu.ops->arm(&pmu, 2, 1000, why, sizeof why));
    pmu.ops->start(&pmu);
    static const struct fake_write armed[] = {
        {CTL + 4, 0x1300c0}, {CTR + 4, 0xfffffffffc18}, {CTL + 4, 0x5300c0}};
    fake_pmu_assert_log(armed, N(armed));
    fake_pmu_clear_log();
    assert_int_equal(pmu.ops->overflowed(&pmu), 0);
    fake_pmu_assert_log(NULL, 0);
    fake_pmu_msr(CTR + 4, 12);
    assert_int_equal(pmu.ops->overflowed(&pmu), 4);
    static const struct fake_write again[] = {
        {CTL + 4, 0x1300c0}, {CTR + 4, 0xfffffffffc18}, {CTL + 4, 0x5300c0}};
    fake_pmu_assert_log(again, N(again));
    assert_false(pmu.ops->arm(&pmu, 2, 0, why, sizeof why));
    assert_string_equal(why, "a period goes from 1 to 2147483647 here");
}

static void interrupt_global(void **state)
{
    (void)state;
    struct pmu_code instr = code("instructions"), ref = code("ref-cycles");
    assert_true(PROGRAM(&instr, &ref));
    assert_true(pmu.ops->arm(&pmu, 1, 2, why, sizeof why));
    pmu.ops->start(&pmu);
    assert_int_equal(fake_pmu_value(ctl(1)), 0x100530120);
    assert_int_equal(fake_pmu_value(ctl(0)), 0x4300c0);
    fake_pmu_clear_log();
    fake_pmu_msr(STATUS, 2);
    assert_int_equal(pmu.ops->overflowed(&pmu), 2);
    static const struct fake_write want[] = {{GLOBAL, 0}, {CTR + 2, 0xfffffffffffe}, {CLEAR, 2}, {GLOBAL, 3}};
    fake_pmu_assert_log(want, N(want));
    assert_int_equal(fake_pmu_value(STATUS), 0);
    fake_pmu_msr(STATUS, 1); /* not armed: cleared, not reported */
    assert_int_equal(pmu.ops->overflowed(&pmu), 0);
    assert_int_equal(fake_pmu_value(STATUS), 0);
}

/* ---- what goes wrong ---- */

static void bad_hardware(void **state)
{
    (void)state;
    struct cpu_id id = id_of(&parts[ZEN]);
    struct pmu_code c;
    machine(&parts[ZEN]);
    fake_pmu_fault(ctl(0), FAKE_SWALLOWS);
    fake_pmu_fault(ctl(1), FAKE_NO_WRITE);
    fake_pmu_fault(ctr(2), FAKE_STUCK);
    fake_pmu_fault(ctr(3), FAKE_NO_READ);
    probe(&id);
    assert_int_equal(pmu.usable, 0x30);
    assert_int_equal(pmu.state[0], COUNTER_ABSENT);
    assert_int_equal(pmu.state[1], COUNTER_ABSENT);
    assert_int_equal(pmu.state[2], COUNTER_NOT_ADVANCING);
    assert_int_equal(pmu.state[3], COUNTER_ABSENT);
    c = code("cycles");
    assert_false(PROGRAM(&c));
    assert_string_equal(why, "MSR C0010200h does not keep what is written to it: 30076h became 0h");
    assert_false(PROGRAM(NULL, &c));
    assert_string_equal(why, "MSR C0010202h faults when 0h is written to it");
    assert_true(PROGRAM(NULL, NULL, NULL, NULL, &c));

    fake_pmu_reset(&rules); /* an emulator without them */
    fake_pmu_rdpmc(FAKE_RDPMC_UD);
    here = &parts[ZEN4];
    id = id_of(here);
    probe(&id);
    assert_int_equal(pmu.usable, 0);
    assert_false(pmu.rdpmc || pmu.user_rdpmc);
    c = code("cycles");
    assert_false(PROGRAM(&c));
    assert_string_equal(why, "MSR C0000301h faults when 0h is written to it");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(detection),
        cmocka_unit_test(not_ours),
        cmocka_unit_test(how_many),
        cmocka_unit_test(firmware),
        cmocka_unit_test(words),
        cmocka_unit_test(codes),
        cmocka_unit_test(bulldozer),
        cmocka_unit_test_setup(legacy, on_k8),
        cmocka_unit_test_setup(global, on_zen4),
        cmocka_unit_test(release),
        cmocka_unit_test_setup(interrupt_legacy, on_zen),
        cmocka_unit_test_setup(interrupt_global, on_zen4),
        cmocka_unit_test(bad_hardware),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
