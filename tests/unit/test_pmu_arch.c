/* Intel's architectural counters: what CPUID says of them, which CPU it is, and their event words. */
#include "pmu/driver.h"
#include "tests/unit/arch_machines.h"

/* ---- detection ---- */

static void parts(void **state)
{
    (void)state;
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

static void not_ours(void **state)
{
    (void)state;
    struct cpu_id hidden = id_of(&skylake), other = id_of(&skylake);
    machine(&skylake);
    hidden.fa.eax = 0; /* a hypervisor, or the firmware's limit */
    strcpy(other.vendor, "CentaurHauls");
    assert_false(pmu_probe(&hidden, &pmu));
    assert_false(pmu_probe(&other, &pmu));
    assert_null(pmu.ops);
}

/* EBX: 1 = not there, as far as the vector goes. */
static void availability(void **state)
{
    (void)state;
    struct cpu_id id = id_of(&skylake);
    struct pmu_code c;
    char near[64];
    id.fa.ebx = 1 << 6 | 1 << 2;
    machine(&skylake);
    probe(&id);
    code("llc_misses");
    assert_false(pmu_event_parse(&pmu, "branch_misses_retired", 21, &c, why, sizeof why, near, sizeof near));
    assert_non_null(strstr(why, "another model"));
    assert_false(pmu_event_parse(&pmu, "branch-misses", 13, &c, why, sizeof why, near, sizeof near));
    assert_non_null(strstr(why, "absent"));

    id.fa.ebx = 0;
    id.fa.eax = (id.fa.eax & 0xffffff) | 3 << 24; /* three events */
    probe(&id);
    code("unhalted_reference_cycles");
    assert_false(pmu_event_parse(&pmu, "llc_reference", 13, &c, why, sizeof why, near, sizeof near));
}

/* Table 18-1's order: each event goes with its bit of EBX, and with a vector that is too short for it. */
static void each_event(void **state)
{
    (void)state;
    static const char *const name[] = {
        "unhalted_core_cycles", "instruction_retired",        "unhalted_reference_cycles", "llc_reference",
        "llc_misses",           "branch_instruction_retired", "branch_misses_retired"};
    machine(&skylake);
    for (unsigned fixed = 0; fixed < 2; fixed++)
        for (unsigned k = 0; k < 2 * N(name) + 2; k++) {
            const unsigned bit = k < N(name) ? k : 31, length = k < N(name) ? 32 : k - N(name);
            struct cpu_id id = id_of(&skylake);
            struct pmu found = {.ops = &pmu_arch_ops};
            id.fa.ebx = 1u << bit;
            id.fa.eax = (id.fa.eax & 0xffff00) | length << 24 | (fixed ? 4 : 1);
            assert_true(pmu_arch_ops.detect(&id, &found));
            for (unsigned i = 0; i < N(name); i++)
                if ((pmu_event_named(&found, name[i]) != NULL) != (i != bit && i < length))
                    fail_msg("%s: bit %u, %u events", name[i], bit, length);
        }
}

/* What CPUID says, and which counters that are. Where a number says what a counter cannot be, there are none.
 */
static void described(void **state)
{
    (void)state;
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
static void unknown_model(void **state)
{
    (void)state;
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
static void guests(void **state)
{
    (void)state;
    struct cpu_id id = id_of(&conroe);
    id.has_hypervisor = true;
    machine(&conroe);
    probe(&id);
    assert_int_equal(pmu.counters, 2);
    assert_int_equal(pmu.width, 40);
}

static void fixed_bitmap(void **state)
{
    (void)state;
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
    pmu.ops->start(&pmu);
    assert_int_equal(fake_pmu_value(GLOBAL), FIXED_BIT(3));
}

/* 1AH says which core; without leaf 23H the large one has more than 0AH tells. */
static void hybrid(void **state)
{
    (void)state;
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
static void generations(void **state)
{
    (void)state;
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

static void firmware(void **state)
{
    (void)state;
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
static void firmware_gated(void **state)
{
    (void)state;
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

/* ---- events ---- */

static void events(void **state)
{
    (void)state;
    static const struct {
        const char *word;
        uint64_t select;
        uint32_t counters; /* 4 general, 3 fixed */
    } want[] = {
        {"unhalted_core_cycles", 0x3003c, 0x2f},
        {"instruction_retired", 0x300c0, 0x1f},
        {"unhalted_reference_cycles", 0x3013c, 0x0f},
        {"llc_reference", 0x34f2e, 0x0f},
        {"llc_misses", 0x3412e, 0x0f},
        {"branch_instruction_retired", 0x300c4, 0x0f},
        {"branch_misses_retired", 0x300c5, 0x0f},
        {"cpu_clk_unhalted.ref_tsc", 0x30300, 0x40},
        {"cycles:u", 0x1003c, 0x2f},
        {"instructions:k", 0x200c0, 0x1f},
        {"branches", 0x300c4, 0x0f},
        {"cache-misses", 0x3412e, 0x0f},
        {"cache-references", 0x34f2e, 0x0f},
        {"branch-misses", 0x300c5, 0x0f},
        {"ref-cycles", 0x30300, 0x40},
        {"bus-cycles", 0x3013c, 0x0f},
        {"r01c2", 0x301c2, 0x0f},
        {"instruction_retired:cmask=1", 0x10300c0, 0x0f},
        {"instruction_retired:cmask=16:inv:k", 0x108200c0, 0x0f},
        {"unhalted_core_cycles:edge", 0x7003c, 0x0f},
        {"unhalted_core_cycles:any", 0x23003c, 0x2f},
        {"/event=0xc2,umask=1,cmask=2,inv,edge,any/u", 0x2a501c2, 0x0f},
        {"r2a401c2:u", 0x2a501c2, 0x0f}, /* the same in one number */
        {"arch::llc_misses", 0x3412e, 0x0f},
        {"/event=0xff,umask=0xff,cmask=0xff/", 0xff03ffff, 0x0f},
    };
    for (unsigned i = 0; i < N(want); i++) {
        struct pmu_code c;
        char near[64];
        assert_true(pmu_event_parse(&pmu, want[i].word, strlen(want[i].word), &c, why, sizeof why, near,
                                    sizeof near));
        if (c.select != want[i].select || c.counters != want[i].counters)
            fail_msg("%s: %llx on %x", want[i].word, (unsigned long long)c.select, c.counters);
    }
    assert_int_equal(pmu_event_counters(&pmu, pmu_event_next(&pmu, pmu_event_next(&pmu, NULL))), 0x1f);
}

static void refusals(void **state)
{
    (void)state;
    static const struct {
        const char *word, *why;
    } want[] = {{"/event=0x1c0/", "0 to 0xff"},
                {"/event=0xc0,umask=0x100/", "0 to 0xff"},
                {"/event=0xc0,cmask=0x100/", "0 to 0xff"},
                {"/event=0x100,umask=0xff,cmask=0xff/", "0 to 0xff"},
                {"r1000000c0", "0 to 0xff"},
                {"instructions:any", "only u, k"},
                {"topdown.slots", "another model"},
                {"cpu_clk_unhalted.ref_tsc:cmask=1", "fixed counter"},
                {"r0400", "fixed counter"},
                {"r0200", "fixed counter"}, /* event 0 is none */
                {"/clocks/", "only a Pentium has clocks"},
                {"llc_misses:inv", "inv inverts"}};
    char near[64];
    struct pmu_code c;
    for (unsigned i = 0; i < N(want); i++) {
        assert_false(pmu_event_parse(&pmu, want[i].word, strlen(want[i].word), &c, why, sizeof why, near,
                                     sizeof near));
        if (!strstr(why, want[i].why)) fail_msg("%s: %s", want[i].word, why);
    }
    start_on(&penryn);
    assert_false(
        pmu_event_parse(&pmu, "llc_misses:any", 14, &c, why, sizeof why, near, sizeof near)); /* version 2 */
    assert_non_null(strstr(why, "cannot count both threads"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts),
        cmocka_unit_test(not_ours),
        cmocka_unit_test(availability),
        cmocka_unit_test(each_event),
        cmocka_unit_test(described),
        cmocka_unit_test(unknown_model),
        cmocka_unit_test(guests),
        cmocka_unit_test(fixed_bitmap),
        cmocka_unit_test(hybrid),
        cmocka_unit_test(generations),
        cmocka_unit_test(firmware),
        cmocka_unit_test(firmware_gated),
        cmocka_unit_test_setup(events, on_skylake),
        cmocka_unit_test_setup(refusals, on_skylake),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
