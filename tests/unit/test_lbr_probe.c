/* Last branch records: what each CPU has, filters, refusals. */
#include "tests/unit/lbr_machines.h"

static void missing(const char *reason)
{
    assert_false(lbr_probe(&id, &pmu, &lbr, why, sizeof why));
    assert_int_equal(lbr.depth, 0);
    if (!strstr(why, reason)) fail_msg("\"%s\" is not in: %s", reason, why);
}

/* ---- what there is ---- */

TEST(probed)
{
    static const struct {
        unsigned model, version, format;
        uint32_t from, to;
        unsigned depth;
        bool freezes, predicts, cycles;
        unsigned filters; /* LBR_SELECT's bits */
    } want[] = {
        {0x0e, 1, 0, CORE_FROM, 0, 8, false, false, false, 0}, /* Core Duo */
        {0x0f, 2, 1, CORE_FROM, CORE_TO, 4, true, false, false, 0},
        {0x17, 2, 2, CORE_FROM, CORE_TO, 4, true, false, false, 0},
        {0x1c, 3, 2, CORE_FROM, CORE_TO, 8, true, false, false, 0},
        {0x1a, 3, 3, FROM, TO, 16, true, true, false, 0x1c7},
        {0x2c, 3, 3, FROM, TO, 16, true, true, false, 0x1c7},
        {0x2a, 3, 3, FROM, TO, 16, true, true, false, 0x1ff},
        {0x3c, 3, 4, FROM, TO, 16, true, true, false, 0x3ff},
        {0x5e, 4, 5, FROM, TO, 32, true, true, true, 0x3ff},
        {0x7e, 5, 5, FROM, TO, 32, true, true, true, 0x3ff},
        {0x8c, 5, 7, FROM, TO, 32, true, true, true, 0x3ff},
        {0x37, 3, 3, CORE_FROM, CORE_TO, 8, true, true, false, 0x1c7},
        {0x5c, 4, 6, FROM, TO, 32, true, true, true, 0x3ff},
        {0x57, 3, 1, FROM, TO, 8, true, true, false, 0x1ff}, /* it has flags, and says that it has none */
    };
    for (unsigned i = 0; i < N(want); i++) {
        stack(want[i].model, want[i].version, want[i].format ? 0x3000 | want[i].format : 0, want[i].from,
              want[i].to, want[i].depth);
        found();
        assert_int_equal(lbr.depth, want[i].depth);
        assert_int_equal(lbr.freezes, want[i].freezes);
        assert_int_equal(lbr.predicts, want[i].predicts);
        assert_int_equal(lbr.cycles, want[i].cycles);
        assert_int_equal(lbr.filters, want[i].filters);
        assert_false(lbr.fused);
        assert_int_equal(fake_pmu_value(DEBUGCTL), 0); /* as they were */
        assert_int_equal(fake_pmu_value(want[i].from), 0);
        if (want[i].to) assert_int_equal(fake_pmu_value(want[i].to + want[i].depth - 1), 0);
    }
    for (unsigned depths = 1; depths < 256; depths++) {
        arch(depths, 7, 7);
        unsigned most = 0;
        for (unsigned n = 0; n < 4; n++) /* 8 to 32; those beyond are more than a sample has room for */
            if (depths >> n & 1) most = 8 * (n + 1);
        if (!most) {
            missing("names no depth");
            continue;
        }
        found();
        assert_int_equal(lbr.depth, most);
        assert_int_equal(fake_pmu_value(ARCH_CTL), 0);
    }
    arch(0xf, 7, 3);
    found();
    assert_int_equal(lbr.filters, 0x3ff);
    assert_true(lbr.predicts && lbr.cycles && lbr.freezes);
    arch(0xf, 0, 0);
    found();
    assert_true(!lbr.filters && !lbr.predicts && !lbr.cycles);
    arch(0xf, 4, 0); /* a call stack needs both filters (Linux' intel_pmu_arch_lbr_init()) */
    found();
    assert_int_equal(lbr.filters, 0);
    amd(7, 16);
    found();
    assert_int_equal(lbr.depth, 16);
    assert_int_equal(lbr.filters, 0x1ff);
    assert_true(lbr.freezes && lbr.predicts && !lbr.cycles && lbr.fused);
    assert_int_equal(fake_pmu_value(AMD_CFG), 0x100);
    amd(3, 16);
    found();
    assert_false(lbr.freezes);
    amd(7, 40); /* more than a sample has room for */
    found();
    assert_int_equal(lbr.depth, 32);
}

/* All models of family 6, by Linux' intel-family.h and intel_pmu_init(); 5DH, which Linux has not, by the
 * SDM's table 35-1. Others have no stack that is known. */
TEST(models)
{
    static const struct {
        uint8_t model[12];
        unsigned depth, filters, format;
        uint32_t from, to;
    } want[] = {
        {{0x0e}, 8, 0, 0, CORE_FROM, 0},                                            /* Yonah */
        {{0x0f, 0x16, 0x17, 0x1d}, 4, 0, 2, CORE_FROM, CORE_TO},                    /* Merom, Penryn */
        {{0x1c, 0x26, 0x27, 0x35, 0x36}, 8, 0, 2, CORE_FROM, CORE_TO},              /* Bonnell, Saltwell */
        {{0x1a, 0x1e, 0x1f, 0x2e, 0x25, 0x2c, 0x2f}, 16, 0x1c7, 3, FROM, TO},       /* Nehalem, Westmere */
        {{0x2a, 0x2d, 0x3a, 0x3e}, 16, 0x1ff, 3, FROM, TO},                         /* Sandy, Ivy Bridge */
        {{0x3c, 0x3f, 0x45, 0x46, 0x3d, 0x47, 0x4f, 0x56}, 16, 0x3ff, 4, FROM, TO}, /* Haswell, Broadwell */
        {{0x4e, 0x5e, 0x55, 0x8e, 0x9e, 0xa5, 0xa6, 0x66}, 32, 0x3ff, 5, FROM, TO}, /* Skylake and the like */
        {{0x7d, 0x7e, 0x6a, 0x6c, 0x8c, 0x8d, 0xa7}, 32, 0x3ff, 5, FROM, TO}, /* Ice, Tiger, Rocket Lake */
        {{0x37, 0x4a, 0x4d, 0x5a, 0x5d, 0x4c, 0x75}, 8, 0x1c7, 3, CORE_FROM, CORE_TO}, /* Silvermont */
        {{0x5c, 0x5f, 0x7a, 0x86, 0x96, 0x9c}, 32, 0x3ff, 6, FROM, TO},                /* Goldmont, Tremont */
        {{0x57, 0x85}, 8, 0x1ff, 1, FROM, TO},                                         /* Knights */
    };
    unsigned row[256] = {0};
    for (unsigned i = 0; i < N(want); i++)
        for (const uint8_t *m = want[i].model; *m; m++) row[*m] = i + 1;
    for (unsigned m = 0; m < 256; m++) {
        const unsigned i = row[m] ? row[m] - 1 : 0;
        stack(m, 3, want[i].format, want[i].from, want[i].to, want[i].depth);
        if (!row[m]) {
            missing("this model's last branch records are not known");
            continue;
        }
        found();
        assert_int_equal(lbr.depth, want[i].depth);
        assert_int_equal(lbr.filters, want[i].filters);
        assert_int_equal(lbr.from, want[i].from);
    }
}

TEST(refused)
{
    stack(0x5e, 4, 0x3005, FROM, TO, 32);
    fake_pmu_fault(FROM, FAKE_SWALLOWS);
    id.has_hypervisor = true;
    missing("the hypervisor hides the last branch records: MSR 680h does not keep");
    id.has_hypervisor = false;
    missing("this CPU does not answer for its last branch records: MSR 680h does not keep");
    stack(0x5e, 4, 0x3005, FROM, TO, 16); /* half of them */
    missing("MSR 69Fh faults");
    stack(0x5e, 4, 0x3005, FROM, TO, 32);
    fake_pmu_fault(DEBUGCTL, FAKE_SWALLOWS);
    missing("MSR 1D9h does not keep");
    stack(0x5e, 4, 0x3005, FROM, TO, 32);
    fake_pmu_fault(TOS, FAKE_NO_READ);
    missing("MSR 1C9h faults");
    stack(0x5e, 4, 0x3000, FROM, TO, 32);
    missing("IA32_PERF_CAPABILITIES names no format");
    stack(0x5e, 4, 0, FROM, TO, 32);
    missing("IA32_PERF_CAPABILITIES names no format");
    stack(0x5e, 4, 0x3008, FROM, TO, 32);
    missing("records of format 8");
    stack(0x1c, 3, 0x3002, CORE_FROM, CORE_TO, 8);
    id.stepping = 9;
    missing("an erratum");
    stack(0xfe, 5, 0x3005, FROM, TO, 32);
    missing("this model's last branch records are not known");
    arch(0xf, 7, 7);
    fake_pmu_fault(ARCH_DEPTH, FAKE_NO_WRITE);
    missing("MSR 14CFh faults");
    arch(0xf, 7, 7);
    id.max_leaf = 0x1b; /* what leaf 1CH answers is another leaf's */
    missing("names no depth");
    amd(1, 16);
    missing("reads AMD's last branch records from Zen 4 on");
    pmu.classes = CLASS_AMD | CLASS_ZEN | CLASS_ZEN4;
    missing("80000022h does not name LbrExtV2");
    amd(7, 0);
    missing("80000022h names no depth");
    amd(7, 16);
    fake_pmu_fault(AMD_CFG, FAKE_SWALLOWS);
    missing("MSR C000010Fh does not keep");
    pmu = (struct pmu){.ops = &pmu_netburst_ops};
    missing("this kernel does not read the last branch records of NetBurst, but Intel's from Core Duo on");
    pmu = (struct pmu){.ops = NULL};
    missing("last branch records of this CPU, but");
}

/* ---- filters ---- */

static unsigned chosen(unsigned branches, unsigned ring)
{
    if (!lbr_choose(&lbr, ring, &branches, why, sizeof why)) fail_msg("%s", why);
    return branches;
}

static void not_chosen(unsigned branches, unsigned ring, const char *reason)
{
    assert_false(lbr_choose(&lbr, ring, &branches, why, sizeof why));
    if (!strstr(why, reason)) fail_msg("\"%s\" is not in: %s", reason, why);
}

TEST(filters)
{
    stack(0x5e, 4, 0x3005, FROM, TO, 32);
    found();
    assert_int_equal(chosen(LBR_ANY, 3), LBR_ANY | LBR_RING3);
    assert_int_equal(chosen(LBR_ANY, 0), LBR_ANY | LBR_RING0);
    assert_int_equal(chosen(LBR_RING3, 3), LBR_ANY | LBR_RING3);
    assert_int_equal(chosen(LBR_COND | LBR_RINGS, 3), LBR_COND | LBR_RINGS);
    not_chosen(LBR_ANY | LBR_RING0, 3, "use branches=lbr:u, or ring=0");
    not_chosen(LBR_ANY | LBR_RING3, 0, "use branches=lbr:k, or ring=3");
    assert_int_equal(chosen(lbr_words[3].branches, 3), 0x238 | LBR_RING3); /* call_stack */
    not_chosen(lbr_words[3].branches, 0, "recorded at ring 3 alone");
    not_chosen(lbr_words[3].branches | LBR_RINGS, 3, "recorded at ring 3 alone");
    stack(0x17, 2, 0x3002, CORE_FROM, CORE_TO, 4); /* no filter at all: others are left out afterwards */
    found();
    assert_int_equal(chosen(LBR_ANY, 3), LBR_ANY | LBR_RING3);
    not_chosen(LBR_COND, 3, "branches=lbr: takes any here");
    stack(0x1a, 3, 0x3003, FROM, TO, 16);
    found();
    assert_int_equal(chosen(LBR_COND, 3), LBR_COND | LBR_RING3);
    not_chosen(LBR_RET | LBR_FAR, 3, "takes any, ind_jmp, cond, u, k here");
    amd(7, 16);
    found();
    not_chosen(lbr_words[3].branches, 3,
               "takes any, any_call, any_ret, call, ind_call, ind_jmp, cond, u, k here");
}
