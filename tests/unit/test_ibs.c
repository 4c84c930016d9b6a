/* IBS at register level: what each CPU can, exact writes, the order of each erratum, periods. */
#include "pmu/ibs_take.h"
#include "tests/unit/fake_pmu.h"
#include "tests/unit/unit.h"
#include <string.h>

#define N(a) (sizeof(a) / sizeof *(a))

#define FETCH  0xc0011030u
#define OP     0xc0011033u
#define RIP    0xc0011034u
#define DATA3  0xc0011037u
#define OP2    0xc001103eu
#define FETCH2 0xc001103fu

static struct ibs ibs;
static struct cpu_id id;
static char why[160];

static bool never(unsigned counter) { return (void)counter, false; }
static const struct fake_pmu_rules rules = {{0}, never, NULL, false, {0}};

/* A CPU with these capabilities in leaf 8000001Bh, and all registers. */
static void plug(unsigned family, unsigned model, uint32_t caps)
{
    fake_pmu_reset(&rules);
    for (uint32_t msr = FETCH; msr <= FETCH2; msr++) fake_pmu_msr(msr, 0);
    id = (struct cpu_id){
        .vendor = "AuthenticAMD", .family = family, .model = model, .x1_ecx = 1u << 10, .x1b_eax = caps};
}

/* As the handler does (measure/sampler_interrupt.c). */
static bool take(struct sample *out)
{
    uint32_t high;
    const uint32_t low = hw_rdmsr_halves(ibs.control, &high);
    const bool fetch = ibs.asked.fetch;
    if (!ibs_has(fetch, low, high)) return false;
    if (out) ibs_read(&ibs, fetch, low, high, out);
    ibs_go_on(&ibs, fetch, ibs.special, high);
    return true;
}

static bool ask(struct ibs_asked asked) { return ibs_init(&ibs, &id, &asked, "a CPU", why, sizeof why); }

static void can(struct ibs_asked asked)
{
    if (!ask(asked)) fail_msg("%s", why);
    fake_pmu_clear_log();
}

static void cannot(struct ibs_asked asked, const char *reason)
{
    assert_false(ask(asked));
    assert_string_equal(why, reason);
}

/* Leaf 8000001Bh, or Linux' defaults without it. */
TEST(test_caps)
{
    plug(0x10, 2, 0);
    assert_int_equal(ibs_caps(&id), 7);
    id.x1b_eax = 0x1e; /* bit 0 clear: the others mean nothing */
    assert_int_equal(ibs_caps(&id), 7);
    id.x1b_eax = 0xff;
    assert_int_equal(ibs_caps(&id), 0xff);
    strcpy(id.vendor, "HygonGenuine");
    assert_int_equal(ibs_caps(&id), 0xff);
    id.x1_ecx = ~(1u << 10);
    assert_int_equal(ibs_caps(&id), 0);
    cannot((struct ibs_asked){0}, "this CPU (a CPU) has no Instruction-Based Sampling; use sample=pmi");
    id.x1_ecx = 1u << 10;
    strcpy(id.vendor, "GenuineIntel");
    assert_int_equal(ibs_caps(&id), 0);
}

/* Each thing that is asked for needs its own bit, and no other. */
TEST(test_needs)
{
    static const struct {
        struct ibs_asked asked;
        uint32_t needs;
        const char *why;
    } cases[] = {
        {{.fetch = true}, 1 << 1, "IBS of this CPU (a CPU) has no fetches; use sample=ibs"},
        {{.cycles = true}, 1 << 2, "IBS of this CPU (a CPU) has no ops; use sample=ibs-fetch"},
        {{0}, 1 << 2, "IBS of this CPU (a CPU) has no ops; use sample=ibs-fetch"},
        {{.ops = true}, 1 << 4, "IBS of this CPU (a CPU) has no count of ops; use sample=ibs ibs=cycles"},
        {{.l3miss = true}, 1 << 11, "IBS of this CPU (a CPU) has no L3 filter; use no l3miss"},
        {{.fetch = true, .l3miss = true}, 1 << 11, "IBS of this CPU (a CPU) has no L3 filter; use no l3miss"},
        {{.latency = 128}, 1 << 12, "IBS of this CPU (a CPU) has no latency filter; use no latency="},
        {{.fetch = true, .latency = 128},
         1 << 14,
         "IBS of this CPU (a CPU) has no latency filter; use no latency="},
    };
    for (unsigned i = 0; i < N(cases); i++) {
        plug(0x19, 0x11, 0xfffff);
        can(cases[i].asked);
        plug(0x19, 0x11, 0xfffff & ~cases[i].needs);
        cannot(cases[i].asked, cases[i].why);
    }
    plug(0x1a, 0x02, 0xfffff);
    can((struct ibs_asked){.latency = 2048});
    cannot((struct ibs_asked){.latency = 127}, "latency= takes 128 to 2048 cycles here");
    cannot((struct ibs_asked){.latency = 2049}, "latency= takes 128 to 2048 cycles here");
    can((struct ibs_asked){.fetch = true, .latency = 1920});
    cannot((struct ibs_asked){.fetch = true, .latency = 1921}, "latency= takes 128 to 1920 cycles here");
}

/* A hypervisor that shows the bit and has no registers, or registers that keep nothing. */
TEST(test_hidden)
{
    static const char reason[] =
        "CPUID reports IBS (a CPU), but its registers do not work here; use sample=pmi";
    static const enum fake_pmu_fault faults[] = {FAKE_NO_READ, FAKE_NO_WRITE, FAKE_SWALLOWS};
    for (unsigned fetch = 0; fetch < 2; fetch++)
        for (unsigned i = 0; i < N(faults); i++) {
            plug(0x19, 0x11, 0x1ff);
            fake_pmu_fault(fetch ? FETCH : OP, faults[i]);
            cannot((struct ibs_asked){.fetch = fetch}, reason);
            fake_pmu_clear_log();
            ibs_release(&ibs); /* nothing to restore */
            fake_pmu_assert_log(NULL, 0);
        }
}

/* From here to there: the whole of it, for one period. */
static void check(const struct fake_write *want, unsigned n, uint32_t first, uint32_t period)
{
    fake_pmu_clear_log();
    ibs_arm(&ibs, first, period);
    ibs_start(&ibs);
    ibs_stop(&ibs);
    fake_pmu_assert_log(want, n);
}

/* MaxCnt is bits 19:4 of the period, and 26:20 in their own place (OpCntExt). */
TEST(test_periods)
{
    static const struct {
        uint32_t period;
        uint64_t op;
    } cases[] = {{0x90, 0xa0009},      {0xa0, 0xa000a},      {0xffff0, 0xaffff},
                 {0x100000, 0x1a0000}, {0x100010, 0x1a0001}, {0x7fffff0, 0x7faffff}};
    plug(0x19, 0x11, 0x7f);
    can((struct ibs_asked){0});
    assert_int_equal(ibs.least, 0x90);
    assert_int_equal(ibs.most, 0x7fffff0);
    for (unsigned i = 0; i < N(cases); i++) {
        const struct fake_write want[] = {{OP, cases[i].op}, {OP, 0}};
        check(want, 2, cases[i].period, cases[i].period);
    }
    for (uint32_t p = 0x90; p <= 0x7fffff0; p += p < 0x2000 ? 16 : 0x9f10) { /* any, by another formula */
        const struct fake_write want[] = {{OP, (uint64_t)(p >> 20) << 20 | (p & 0xfffff) >> 4 | 0xa0000},
                                          {OP, 0}};
        check(want, 2, p, p);
    }
    /* The first is made one that is possible; what it has more than a multiple of 16 is in the count. */
    const struct fake_write least[] = {{OP, 0xe000a0009}, {OP, 0}}, most[] = {{OP, 0xa0010}, {OP, 0}},
                            odd[] = {{OP, 0xf000a0010}, {OP, 0}};
    check(least, 2, 2, 0x100);
    check(most, 2, 0x1000, 0x100);
    check(odd, 2, 0xf1, 0x100);
    plug(0x19, 0x11, 0x77); /* without RdWrOpCnt */
    can((struct ibs_asked){0});
    const struct fake_write even[] = {{OP, 0xa0010}, {OP, 0}};
    check(even, 2, 0xf1, 0x100);
    plug(0x19, 0x11, 0x3f); /* without OpCntExt */
    can((struct ibs_asked){0});
    assert_int_equal(ibs.most, 0xffff0);
    plug(0x19, 0x11, 0x7f);
    can((struct ibs_asked){.fetch = true});
    assert_int_equal(ibs.least, 0x10);
    assert_int_equal(ibs.most, 0xffff0);
    const struct fake_write fetch[] = {{FETCH, 0x0201000000001234}, {FETCH, 0}};
    check(fetch, 2, 0x12340, 0x12340);
}

static bool prime(uint32_t n)
{
    for (uint32_t d = 2; d < n; d++)
        if (n % d == 0) return false;
    return n > 1;
}

/* 16 times a prime, from the wanted one on; the ends are what they are. */
TEST(test_found_periods)
{
    plug(0x19, 0x11, 0x3f);
    can((struct ibs_asked){0});
    assert_int_equal(ibs_period_near(&ibs, 0), 16 * 11);
    assert_int_equal(ibs_period_near(&ibs, 16 * 11 + 15), 16 * 11);
    assert_int_equal(ibs_period_near(&ibs, 16 * 12), 16 * 13);
    assert_int_equal(ibs_period_near(&ibs, 0xffff0), 16 * 65521); /* the last one below 10000h */
    assert_int_equal(ibs_period_near(&ibs, UINT32_MAX), 16 * 65521);
    for (uint32_t n = 0; n < 40000; n += 37) {
        const uint32_t p = ibs_period_near(&ibs, n);
        assert_true(p % 16 == 0 && prime(p / 16) && p >= 0x90 && p / 16 >= n / 16 && p < n + 16 * 80 + 0x90);
    }
    can((struct ibs_asked){.fetch = true});
    assert_int_equal(ibs_period_near(&ibs, 0), 16 * 2);
}

/* What is asked for, in the control and in the second one. */
TEST(test_controls)
{
    static const struct {
        unsigned family, model;
        uint32_t caps;
        struct ibs_asked asked;
        uint32_t msr;
        uint64_t control;
    } cases[] = {
        {0x15, 0x60, 0x1f, {.cycles = true}, OP, 0x20010},
        {0x15, 0x60, 0x1f, {0}, OP, 0xa0010},
        {0x19, 0x11, 0xbff, {.l3miss = true}, OP, 0xb0010},
        {0x19, 0x11, 0xbff, {.fetch = true}, FETCH, 0x0201000000000010},
        {0x19, 0x11, 0xbff, {.fetch = true, .l3miss = true}, FETCH, 0x0a01000000000010},
        /* Zen 5 filters loads by latency only together with L3 misses; Zen 6 alone. */
        {0x1a, 0x02, 0x1bff, {.latency = 128}, OP, 0x80000000000b0010},
        {0x1a, 0x44, 0x1bff, {.latency = 255}, OP, 0x80000000000b0010},
        {0x1a, 0x60, 0x1bff, {.latency = 256}, OP, 0x88000000000b0010},
        {0x1a, 0x50, 0x1bff, {.latency = 2048}, OP, 0xf8000000000a0010},
        {0x1a, 0x50, 0x1bff, {.latency = 2048, .l3miss = true}, OP, 0xf8000000000b0010},
    };
    for (unsigned i = 0; i < N(cases); i++) {
        plug(cases[i].family, cases[i].model, cases[i].caps);
        can(cases[i].asked);
        const struct fake_write want[] = {{cases[i].msr, cases[i].control}, {cases[i].msr, 0}};
        check(want, 2, 0x100, 0x100);
    }
}

/* The order of writes in which each erratum, and each later way to disable, is obeyed: start, go on, stop. */
TEST(test_order)
{
    static const struct {
        unsigned family, model;
        uint32_t caps;
        bool fetch;
        struct fake_write want[10];
    } cases[] = {
        /* 420 of family 10h: no count first, EN then. */
        {0x10, 2, 0x1f, false, {{OP, 0xa0010}, {OP, 0xa0020}, {OP, 0xa0000}, {OP, 0}}},
        {0x10,
         2,
         0x1f,
         true,
         {{FETCH, 0x0201000000000010}, {FETCH, 0x0201000000000020}, {FETCH, 0x0201000000000000}, {FETCH, 0}}},
        {0x11, 2, 0x1f, false, {{OP, 0xa0010}, {OP, 0xa0020}, {OP, 0}}},
        /* 718 of family 15h, models 0 to 1Fh: DATA3 is cleared. */
        {0x15, 0x1f, 0x1f, false, {{DATA3, 0}, {OP, 0xa0010}, {DATA3, 0}, {OP, 0xa0020}, {OP, 0}}},
        {0x15, 0x1f, 0x1f, true, {{FETCH, 0x0201000000000010}, {FETCH, 0x0201000000000020}, {FETCH, 0}}},
        {0x15, 0x20, 0x1f, false, {{OP, 0xa0010}, {OP, 0xa0020}, {OP, 0}}},
        /* Families 16h to 18h: a fetch count begins anew with EN's edge. */
        {0x16,
         0,
         0x1f,
         true,
         {{FETCH, 0x0200000000000010},
          {FETCH, 0x0201000000000010},
          {FETCH, 0x0200000000000020},
          {FETCH, 0x0201000000000020},
          {FETCH, 0}}},
        {0x18,
         0,
         0x1f,
         true,
         {{FETCH, 0x0200000000000010},
          {FETCH, 0x0201000000000010},
          {FETCH, 0x0200000000000020},
          {FETCH, 0x0201000000000020},
          {FETCH, 0}}},
        {0x17, 0, 0x1f, false, {{OP, 0xa0010}, {OP, 0xa0020}, {OP, 0}}},
        /* Disabled by the second control. */
        {0x1a,
         0x50,
         0x201f,
         false,
         {{OP2, 1}, {OP, 0xa0010}, {OP2, 0}, {OP2, 1}, {OP, 0xa0020}, {OP2, 0}, {OP2, 1}, {OP, 0}}},
        {0x1a,
         0x50,
         0x601f,
         true,
         {{FETCH2, 1},
          {FETCH, 0x0201000000000010},
          {FETCH2, 6},
          {FETCH2, 1},
          {FETCH, 0x0201000000000020},
          {FETCH2, 6},
          {FETCH2, 1},
          {FETCH, 0}}},
    };
    for (unsigned i = 0; i < N(cases); i++) {
        unsigned n = 0;
        while (n < N(cases[i].want) && cases[i].want[n].msr) n++;
        plug(cases[i].family, cases[i].model, cases[i].caps);
        can((struct ibs_asked){.fetch = cases[i].fetch, .latency = cases[i].caps & 0x4000 ? 511 : 0});
        fake_pmu_clear_log();
        ibs_arm(&ibs, 0x100, 0x200);
        ibs_start(&ibs);
        fake_pmu_msr(cases[i].fetch ? FETCH : OP, UINT64_C(1) << (cases[i].fetch ? 49 : 18));
        assert_true(take(NULL));
        assert_false(ibs_stop(&ibs));
        fake_pmu_assert_log(cases[i].want, n);
    }
}

/* Counting ops, the processor preloads the count's low seven bits, which have to be written back; other bits
 * of what is read are not. */
TEST(test_random_bits)
{
    static const struct {
        uint32_t caps;
        bool cycles;
        uint64_t kept;
    } cases[] = {{0x1f, false, 0x7f00000000}, {0x1f, true, 0}, {0x17, false, 0}};
    for (unsigned i = 0; i < N(cases); i++)
        for (uint64_t low = 0; low < 128; low++) {
            const uint64_t read = 0x87ffff8000000000 | low << 32 | 1u << 18 | 0xfff0ffff;
            plug(0x19, 0x11, cases[i].caps);
            can((struct ibs_asked){.cycles = cases[i].cycles});
            ibs_arm(&ibs, 0x100, 0x200);
            fake_pmu_msr(OP, read);
            assert_true(take(NULL));
            const struct fake_write want[] = {
                {OP, (cases[i].cycles ? 0x20020 : 0xa0020) | (low << 32 & cases[i].kept)}};
            fake_pmu_assert_log(want, 1);
        }
}

/* What is not armed writes as many registers, and enables nothing. */
TEST(test_not_armed)
{
    static const struct fake_write want[] = {{DATA3, 0}, {OP, 0}, {OP, 0}};
    plug(0x15, 0x1f, 0x1f);
    for (unsigned armed = 0; armed < 2; armed++) {
        can((struct ibs_asked){0});
        if (armed) ibs_arm(&ibs, 0x100, 0x200);
        ibs_disarm(&ibs);
        ibs_start(&ibs);
        assert_false(ibs_stop(&ibs));
        fake_pmu_assert_log(want, 3);
    }
}

/* A sample that nobody fetched shows when IBS stops; and in the end everything is as it was. */
TEST(test_stop_and_release)
{
    for (unsigned fetch = 0; fetch < 2; fetch++) {
        const uint32_t msr = fetch ? FETCH : OP;
        plug(0x1a, 0x50, 0x7fff);
        fake_pmu_msr(msr, 0x1234);
        fake_pmu_msr(fetch ? FETCH2 : OP2, 0x41);
        can((struct ibs_asked){.fetch = fetch});
        assert_int_equal(fake_pmu_value(msr), 0); /* off meanwhile */
        ibs_arm(&ibs, 0x100, 0x200);
        ibs_start(&ibs);
        const uint64_t control = fake_pmu_value(msr);
        assert_false(take(NULL));
        fake_pmu_msr(msr, control | UINT64_C(1) << (fetch ? 49 : 18));
        assert_true(ibs_stop(&ibs));
        assert_false(ibs_stop(&ibs));
        ibs_release(&ibs);
        assert_int_equal(fake_pmu_value(msr), 0x1234);
        assert_int_equal(fake_pmu_value(fetch ? FETCH2 : OP2), 0x41);
    }
}

/* Registers that the handler needs, and no other: each RDMSR is long. Those that it does not need are not
 * there. */
TEST(test_reads)
{
    static const struct {
        uint64_t data1, data3;
        uint32_t caps;
        bool access, target;
    } cases[] = {{0, 0, 0x3f, false, false},
                 {0, 1, 0x3f, true, false},
                 {0, 2, 0x3f, true, false},
                 {1ull << 37, 0, 0x3f, false, true},
                 {1ull << 37, 0, 0x1f, false, false},
                 {1ull << 37, 3, 0x3f, true, true},
                 {~(1ull << 37), ~3ull, 0x3f, false, false}};
    struct sample s;
    for (unsigned i = 0; i < N(cases); i++) {
        plug(0x19, 0x11, cases[i].caps);
        can((struct ibs_asked){0});
        fake_pmu_reset(&rules);
        fake_pmu_msr(RIP, 0x1111);
        fake_pmu_msr(RIP + 1, cases[i].data1);
        fake_pmu_msr(DATA3, cases[i].data3);
        if (cases[i].access) {
            fake_pmu_msr(RIP + 2, 0x2222);
            fake_pmu_msr(DATA3 + 1, 0x3333);
            fake_pmu_msr(DATA3 + 2, 0x4444);
        }
        if (cases[i].target) fake_pmu_msr(0xc001103b, 0x5555);
        memset(&s, 0, sizeof s);
        fake_pmu_msr(OP, 0);
        fake_pmu_clear_log();
        assert_false(take(&s)); /* no sample: nothing is read or written */
        fake_pmu_assert_log(NULL, 0);
        assert_int_equal(s.ip, 0);
        fake_pmu_msr(OP, UINT64_C(1) << 18);
        assert_true(take(&s));
        assert_int_equal(s.ip, 0x1111);
        assert_true(s.reg[1] == cases[i].data1 && s.reg[3] == cases[i].data3);
        assert_int_equal(s.reg[2], cases[i].access ? 0x2222 : 0);
        assert_int_equal(s.data, cases[i].access ? 0x3333 : 0);
        assert_int_equal(s.physical, cases[i].access ? 0x4444 : 0);
        assert_int_equal(s.target, cases[i].target ? 0x5555 : 0);
    }
    for (unsigned phys = 0; phys < 2; phys++) {
        plug(0x19, 0x11, 0x3f);
        can((struct ibs_asked){.fetch = true});
        fake_pmu_reset(&rules);
        fake_pmu_msr(FETCH + 1, 0x1111);
        if (phys) fake_pmu_msr(FETCH + 2, 0x2222);
        memset(&s, 0, sizeof s);
        fake_pmu_msr(FETCH, (uint64_t)phys << 52 | UINT64_C(0x2345) << 32 | UINT64_C(1) << 49);
        assert_true(take(&s));
        assert_int_equal(s.reg[0], (uint64_t)phys << 52 | UINT64_C(0x2345) << 32 | UINT64_C(1) << 49);
        assert_int_equal(s.ip, 0x1111);
        assert_int_equal(s.physical, phys ? 0x2222 : 0);
    }
}
