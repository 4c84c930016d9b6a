/* Intel's architectural counters: what CPUID says of them, which CPU it is, and what firmware left in them.
 */
#include "pmu/driver.h"
#include "tests/unit/arch_machines.h"

TEST(parts)
{
    static const struct part *const all[] = {&yonah,     &conroe,   &penryn,     &sandy,   &skylake,
                                             &kaby_lake, &ice_lake, &lunar_lake, &tomorrow};
    for (unsigned k = 0; k < N(all); k++) {
        const struct part *p = all[k];
        start_on(p);
        assert_string_equal(pmu.ops->family, "arch");
        assert_string_equal(pmu.model, p->name);
        assert_string_equal(pmu.database, p->database);
        assert_int_equal(pmu.counters, p->general + p->fixed);
        assert_int_equal(pmu.usable, (1u << (p->general + p->fixed)) - 1);
        assert_int_equal(pmu.width, p->eax >> 16 & 0xff);
        assert_true(pmu.rdpmc && pmu.user_rdpmc && pmu.ds && pmu.pebs && pmu.lbr);
        assert_int_equal(pmu.dtes64, p->caps != 0);
        assert_int_equal(pmu.any_thread, p->any);
        assert_int_equal(pmu.freeze_smm, p->caps >> 12 & 1);
        assert_int_equal(pmu.preset, 0);
        assert_null(pmu.core_type);
        for (unsigned i = 0; i < p->fixed; i++) {
            assert_int_equal(pmu.counter_msr[p->general + i],
                             (p->eax & 0xff) < 6 ? FIXED0 + i : V6_FIXED0 + V6_STEP * i);
            assert_int_equal(pmu.rdpmc_index[p->general + i], 0x40000000 + i);
        }
        assert_int_equal(fake_pmu_value(DEBUGCTL), 0); /* the probe leaves nothing behind */
        if (p->fixed) assert_int_equal(fake_pmu_value(GLOBAL), (1u << p->general) - 1);
    }
}

TEST(not_ours)
{
    struct cpu_id hidden = id_of(&skylake), other = id_of(&skylake);
    machine(&skylake);
    hidden.fa.eax = 0; /* a hypervisor, or the firmware's limit */
    strcpy(other.vendor, "CentaurHauls");
    assert_false(pmu_probe(&hidden, &pmu));
    assert_false(pmu_probe(&other, &pmu));
    assert_null(pmu.ops);
}

/* What CPUID says, and which counters that are. Where a number says what a counter cannot be, there are none.
 */
TEST(described)
{
    enum { GUEST = 1, HYBRID = 2 };
    static const struct {
        uint32_t eax, ecx, edx, flags, f23_eax, f23_ebx;
        unsigned general, fixed, width; /* fixed: a bit each */
        bool any;
    } want[] = {
        {0x07300404, 0, 0x603, 0, 0, 0, 4, 7, 48, true},
        {0x07200404, 0, 0x603, 0, 0, 0, 0, 0, 0, false}, /* 32 bits */
        {0x07210404, 0, 0x603, 0, 0, 0, 4, 7, 33, true},
        {0x073f0404, 0, 0x7e3, 0, 0, 0, 4, 7, 63, true},
        {0x07400404, 0, 0x603, 0, 0, 0, 0, 0, 0, false}, /* 64 bits */
        {0x07300404, 0, 0x7e3, 0, 0, 0, 4, 7, 48, true},
        {0x07300404, 0, 0x403, 0, 0, 0, 4, 7, 48, true}, /* fixed ones of 32, and so on: as the others */
        {0x07300404, 0, 0x423, 0, 0, 0, 4, 7, 33, true},
        {0x07280404, 0, 0x603, 0, 0, 0, 4, 7, 40, true},
        {0x07280404, 0, 0x803, 0, 0, 0, 4, 7, 40, true},
        {0x07300004, 0, 0x603, 0, 0, 0, 0, 0, 0, false}, /* no counter */
        {0x07300104, 0, 0x603, 0, 0, 0, 1, 7, 48, true},
        {0x0730ff04, 0, 0x61f, 0, 0, 0, ARCH_GENERAL, 0xf, 48, true},
        {0x07300404, 0, 0x602, 0, 0, 0, 4, 7, 48, true},
        {0x07300404, 0, 0x602, GUEST, 0, 0, 4, 3, 48, true},
        {0x07300404, 0, 0x400, GUEST, 0, 0, 4, 0, 48, true},
        {0x07300401, 0, 0x603, 0, 0, 0, 4, 0, 48, false},
        {0x07300402, 0, 0x603, 0, 0, 0, 4, 7, 48, false},
        {0x07300403, 0, 0x8603, 0, 0, 0, 4, 7, 48, false},
        {0x07300403, 0, 0x603, 0, 0, 0, 4, 7, 48, true},
        {0x07300404, 0xf, 0x603, 0, 0, 0, 4, 7, 48, true}, /* ECX: from version 5 on */
        {0x07300405, 0, 0x8602, 0, 0, 0, 4, 3, 48, false},
        {0x07300405, 8, 0x8602, 0, 0, 0, 4, 0xb, 48, false},
        {0x07300405, 0, 0x8400, 0, 0, 0, 4, 0, 48, false},
        {0x07300406, 5, 0x8600, 0, 0, 0, 4, 5, 48, false},
        {0x07300605, 7, 0x8603, HYBRID, 0, 0, 8, 0xf, 48, false},
        {0x07300705, 7, 0x8603, HYBRID, 0, 0, 7, 7, 48, false},
        {0x07300605, 7, 0x8603, HYBRID, 0x3f, 5, 6, 5, 48, false}, /* leaf 23H */
        {0x07300605, 7, 0x8603, 0, 1, 9, 1, 9, 48, false},
    };
    for (unsigned k = 0; k < N(want); k++) {
        struct cpu_id id = id_of(&ice_lake);
        struct pmu found = {.ops = &pmu_arch_ops};
        unsigned fixed = 0;
        id.fa = (struct cpuid_regs){want[k].eax, 0, want[k].ecx, want[k].edx};
        id.has_hypervisor = want[k].flags & GUEST;
        id.f7_edx = want[k].flags & HYBRID ? 1u << 15 : 0;
        id.f1a_eax = 0x40000001;
        id.f23_eax = want[k].f23_eax;
        id.f23_ebx = want[k].f23_ebx;
        machine(&ice_lake);
        assert_true(pmu_arch_ops.detect(&id, &found));
        for (unsigned i = found.perfmon.general; i < found.counters; i++) {
            assert_int_equal(found.rdpmc_index[i] >> 4, 0x4000000);
            assert_int_equal(found.counter_msr[i], FIXED0 + (found.rdpmc_index[i] & 15));
            fixed |= 1u << (found.rdpmc_index[i] & 15);
        }
        if (found.perfmon.general != want[k].general || fixed != want[k].fixed ||
            found.width != want[k].width || found.any_thread != want[k].any)
            fail_msg("case %u: %u and %x, %u bits", k, found.perfmon.general, fixed, found.width);
        assert_int_equal(found.fixed,
                         fixed ? ((1u << found.counters) - 1) & ~((1u << want[k].general) - 1) : 0);
        const unsigned told = want[k].edx >> 5 & 0xff;
        if (found.counters)
            assert_int_equal(found.perfmon.fixed_width,
                             told > 32 && told < 64 ? told : want[k].eax >> 16 & 0xff);
        assert_int_equal(pmu_event_named(&found, "cpu_clk_unhalted.ref_tsc") != NULL, fixed >> 2 & 1);
        assert_int_equal(pmu_event_named(&found, "topdown.slots") != NULL, fixed >> 3 & 1);
        assert_int_equal(found.perfmon.global_ctrl, found.counters && (want[k].eax & 0xff) >= 2 ? GLOBAL : 0);
    }
}

/* A CPU of a generation that is not known, by the version; PEBS and its area. */
TEST(unknown_model)
{
    static const char *const name[] = {"version 1",          "version 2",         "version 3",
                                       "version 4",          "version 5",         "version 6 or later",
                                       "version 6 or later", "version 6 or later"};
    for (unsigned v = 1; v <= N(name); v++) {
        struct cpu_id id = id_of(&ice_lake);
        struct pmu found = {.ops = &pmu_arch_ops};
        id.model = 254;
        id.fa.eax = 0x07300400 | v;
        id.f1_edx = v == 3 ? 0 : 1u << 21;
        machine(&ice_lake); /* without version 6's addresses: a hypervisor's */
        if (v == 4) fake_pmu_msr(MISC, 1u << 12);
        assert_true(pmu_arch_ops.detect(&id, &found));
        assert_string_equal(found.model, name[v - 1]);
        assert_int_equal(found.counter_msr[1], PMC0 + 1);
        assert_int_equal(found.ds, v != 3);
        assert_int_equal(found.pebs, v != 3 && v != 4);
    }
}

/* What the CPU says about itself is taken as it is under a hypervisor; on silicon Core 2 says too little. */
TEST(guests)
{
    struct cpu_id id = id_of(&conroe);
    id.has_hypervisor = true;
    machine(&conroe);
    probe(&id);
    assert_int_equal(pmu.counters, 2);
    assert_int_equal(pmu.width, 40);
}

TEST(fixed_bitmap)
{
    struct cpu_id id = id_of(&ice_lake);
    machine(&ice_lake);
    id.fa.edx = 0x8600; /* none in a row ... */
    id.fa.ecx = 0xb;    /* ... 0, 1 and 3 */
    probe(&id);
    assert_int_equal(pmu.counters, 8 + 3);
    assert_int_equal(pmu.counter_msr[10], FIXED0 + 3);
    assert_int_equal(code("topdown.slots").counters, 1 << 10);
    struct pmu_code slots = code("topdown.slots:k");
    fake_pmu_clear_log();
    const struct pmu_code *set[PMU_COUNTERS] = {[10] = &slots};
    assert_true(program(set));
    assert_int_equal(fake_pmu_value(FIXED_CTRL), 0x1000);
    pmu_start(&pmu);
    assert_int_equal(fake_pmu_value(GLOBAL), FIXED_BIT(3));
}

/* 1AH says which core; without leaf 23H the large one has more than 0AH tells. */
TEST(hybrid)
{
    static const struct part p_core = {"Alder Lake", "adl_glc", 151, 0x07300605, 7,
                                       0x8603,       8,         4,   0x3f00,     false};
    struct part e_core = p_core;
    struct cpu_id id = id_of(&p_core);
    id.f7_edx = 1u << 15;
    id.f1a_eax = 0x40000001;
    machine(&p_core);
    probe(&id);
    assert_string_equal(pmu.core_type, "Core");
    assert_string_equal(pmu.database, "adl_glc");
    assert_int_equal(pmu.counters, 12);
    assert_int_equal(pmu.usable, 0xfff);

    id.fa.eax = 0x08300805; /* its Atom cores switched off, and the bit still there */
    id.fa.ecx = 0xf;
    id.fa.edx = 0x8604;
    probe(&id);
    assert_int_equal(pmu.counters, 12);
    assert_int_equal(pmu.perfmon.general, 8);
    assert_int_equal(pmu.usable, 0xfff);
    id.fa = id_of(&p_core).fa;

    id.f1a_eax = 0x20000001;
    e_core.general = 6;
    e_core.fixed = 3;
    machine(&e_core);
    probe(&id);
    assert_string_equal(pmu.core_type, "Atom");
    assert_string_equal(pmu.model, "Alder Lake");
    assert_string_equal(pmu.database, "adl_grt");
    assert_int_equal(pmu.counters, 9);
    assert_int_equal(pmu.usable, 0x1ff);
    assert_true(cpu_atom(&id));

    id.f1a_eax = 0x40000002; /* Lunar Lake's: leaf 23H is the core's own */
    id.f23_eax = 0xff;
    id.f23_ebx = 0xf;
    machine(&p_core);
    probe(&id);
    assert_int_equal(pmu.counters, 12);
}

/* By model, stepping and kind of core, as libpfm4 and Linux tell them apart. */
TEST(generations)
{
    enum { NO, CORE, ATOM }; /* which core of a hybrid part */
    static const struct {
        unsigned model, stepping, kind;
        const char *name, *database;
    } want[] = {
        {0x55, 4, NO, "Skylake-SP", "skx"},
        {0x55, 5, NO, "Cascade Lake", "clx"},
        {0x55, 7, NO, "Cascade Lake", "clx"},
        {0x55, 11, NO, "Cooper Lake", "clx"},
        {0x5e, 15, NO, "Skylake", "skl"},
        {0x8f, 8, NO, "Sapphire Rapids", "spr"},
        {0xcf, 2, NO, "Emerald Rapids", "emr"},
        {0xad, 1, NO, "Granite Rapids", "gnr"},
        {0xae, 1, NO, "Granite Rapids", "gnr"},
        {0x97, 2, CORE, "Alder Lake", "adl_glc"},
        {0x9a, 3, ATOM, "Alder Lake", "adl_grt"},
        {0x97, 5, NO, "Alder Lake", "adl_glc"}, /* with its Atom cores switched off, it is none */
        {0xb7, 1, CORE, "Raptor Lake", "adl_glc"},
        {0xba, 2, ATOM, "Raptor Lake", "adl_grt"},
        {0xbf, 2, ATOM, "Raptor Lake", "adl_grt"},
        {0xbe, 0, NO, "Alder Lake-N", "adl_grt"},
        {0xaa, 4, CORE, "Meteor Lake", ""},
        {0xaa, 4, ATOM, "Meteor Lake", ""},
        {0x66, 3, NO, "Cannon Lake", ""},
    };
    static const uint32_t type[] = {[CORE] = 0x40000001, [ATOM] = 0x20000001};
    for (unsigned i = 0; i < N(want); i++) {
        struct part p = ice_lake;
        p.model = want[i].model;
        struct cpu_id id = id_of(&p);
        id.stepping = want[i].stepping;
        id.f7_edx = want[i].kind ? 1u << 15 : 0;
        id.f1a_eax = type[want[i].kind];
        machine(&p);
        probe(&id);
        assert_string_equal(pmu.model, want[i].name);
        assert_string_equal(pmu.database, want[i].database);
        id.family = 18; /* whose models are others */
        assert_null(pmu_arch_cpu(&id));
    }
}

TEST(firmware)
{
    struct cpu_id id = id_of(&skylake);
    machine(&skylake);
    fake_pmu_msr(SEL0 + 2, 0x53003c);
    fake_pmu_msr(PMC0 + 2, 0x123456789abc);
    fake_pmu_msr(SEL0 + 1, 0x1300c0); /* not enabled */
    fake_pmu_msr(FIXED_CTRL, 0xb0);
    fake_pmu_msr(GLOBAL, 0x20000000full);
    fake_pmu_msr(DEBUGCTL, 0x1801);
    probe(&id);
    assert_int_equal(pmu.preset, 1 << 2 | 1 << 5);
    assert_int_equal(fake_pmu_value(SEL0 + 2), 0);
    assert_int_equal(fake_pmu_value(SEL0 + 1), 0x1300c0);
    assert_int_equal(fake_pmu_value(FIXED_CTRL), 0);
    assert_int_equal(fake_pmu_value(PMC0 + 2), 0x123456789abc); /* full-width */
    assert_int_equal(fake_pmu_value(GLOBAL), 0x20000000full);
    assert_int_equal(fake_pmu_value(DEBUGCTL), 0x1801);
}

/* What 38Fh gates did not run: it is left as it was. */
TEST(firmware_gated)
{
    struct cpu_id id = id_of(&skylake);
    machine(&skylake);
    fake_pmu_msr(SEL0 + 2, 0x53003c);
    fake_pmu_msr(SEL0 + 3, 0x4300c0);
    fake_pmu_msr(FIXED_CTRL, 0x333);
    fake_pmu_msr(GLOBAL, 0x200000007ull);
    probe(&id);
    assert_int_equal(pmu.preset, 1 << 2 | 1 << 5);
    assert_int_equal(fake_pmu_value(SEL0 + 2), 0);
    assert_int_equal(fake_pmu_value(SEL0 + 3), 0x4300c0);
    assert_int_equal(fake_pmu_value(FIXED_CTRL), 0x303);
    assert_int_equal(fake_pmu_value(GLOBAL), 0x200000007ull);
}
