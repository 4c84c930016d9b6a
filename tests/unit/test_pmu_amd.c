/* AMD's core counters: which CPU has how many and where, what firmware left, and event words up to 12-bit
 * events. */
#include "tests/unit/amd_machines.h"
#include "tests/unit/unit.h"
#include <stdio.h>
#include <string.h>

/* ---- detection ---- */

TEST(detection)
{
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

TEST(not_ours)
{
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
TEST(how_many)
{
    struct cpu_id id = id_of(&parts[ZEN4]);
    machine(&parts[ZEN4]);
    id.x22_ebx = 0x4404;
    probe(&id);
    assert_int_equal(pmu.counters, 4);
    id.x22_ebx = 0x4400; /* it says nothing */
    probe(&id);
    assert_int_equal(pmu.counters, 6);
    id.x22_eax = 0; /* it is not there */
    id.x22_ebx = 0x4404;
    probe(&id);
    assert_int_equal(pmu.counters, 6);
}

TEST(firmware)
{
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

    id = id_of(&parts[ZEN4]);
    machine(&parts[ZEN4]);
    fake_pmu_msr(ctl(3), 0x530076);
    fake_pmu_msr(ctl(1), 0x5300c0);
    fake_pmu_msr(GLOBAL, 0x8);
    probe(&id);
    assert_int_equal(pmu.preset, 1 << 3);
    assert_int_equal(fake_pmu_value(ctl(1)), 0x5300c0); /* C0000301h had it gated */
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

TEST(words)
{
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
    static const struct part jaguar = {"Fam16h", "amd64_fam16h", 22, 0, 0x154037ff, 0, 0, 4, false, true};
    static const struct want k16[] = {{"cycles", 0x30076},       {"instructions", 0x300c0},
                                      {"branches", 0x300c2},     {"branch-misses", 0x300c3},
                                      {"cache-misses", 0x31f43}, {"cache-references", 0x30040},
                                      {"ref-cycles", 0},         {"r100000040", 0x100030040}};
    accept(&jaguar, k16, N(k16));
    accept(&parts[ZEN], zen, N(zen));
    accept(&parts[ZEN4], zen4, N(zen4));
}

/* Family 15h: a few of each kind, from the BKDG of models 00h-0Fh, 3.24. */
TEST(bulldozer)
{
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

TEST(codes)
{
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
    static const struct want flops[] = {{"rff03", 0}, {"/event=3,umask=8/u", 0}, {"r0002", 0x30002}};
    accept(&parts[ZEN], flops, N(flops));
    accept(&parts[ZEN4], flops, N(flops));
    static const struct want k8_flops[] = {{"rff03", 0x3ff03}}; /* as many as a counter takes */
    accept(&parts[FAM10H], k8_flops, N(k8_flops));
    static const struct want narrow[] = {{"r1000000c0", 0}, {"/event=0x1a1/", 0}, {"r00c0", 0x300c0}};
    accept(&parts[K7], narrow, N(narrow));
}

/* Zen to Zen 3: what retires may be counted too often, and nothing else. */
TEST(overcounts)
{
    static const uint16_t wrong[] = {0xc0, 0xc1, 0xc2, 0xc3, 0xc4,  0xc5, 0xc8,
                                     0xc9, 0xca, 0xcc, 0xd1, 0x1c7, 0x1d0};
    for (unsigned p = 0; p < N(parts); p++) {
        if (p == K7) continue; /* eight bits of event */
        start_on(&parts[p]);
        const bool zen = parts[p].family == 23 || p == ZEN3;
        for (unsigned event = 0, i = 0; event < 0x200; event++) {
            char word[24], near[64];
            struct pmu_code c;
            snprintf(word, sizeof word, "/event=0x%x,umask=1/", event);
            const bool listed = i < N(wrong) && event == wrong[i];
            i += listed;
            if (!pmu_event_parse(&pmu, word, strlen(word), &c, why, sizeof why, near, sizeof near)) continue;
            if ((c.errata != 0) != (zen && listed))
                fail_msg("%s on %s: %d", word, parts[p].name, c.errata != 0);
        }
    }
}
