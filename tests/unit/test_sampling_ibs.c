/* Whole runs sampled by IBS, on a facility in the place of the model's: it tags, keeps a log, and interrupts
 * through entry 1 of the extended table. */
#include "kernel/hw.h"
#include "pmu/ibs.h"
#include "tests/unit/sampling_drive.h"
#include "tests/unit/unit.h"
#include <string.h>

#define ENTRY    0x510
#define CONTROL  0xc001103au
#define LOG_MOST 20000

bool __real_rdmsr_safe(uint32_t msr, uint64_t *value);
bool __real_wrmsr_safe(uint32_t msr, uint64_t value);
bool __wrap_rdmsr_safe(uint32_t msr, uint64_t *value);
bool __wrap_wrmsr_safe(uint32_t msr, uint64_t value);

static struct {
    uint64_t reg[16]; /* MSRs C0011030h to 3Fh */
    bool absent, deaf;
    unsigned invalid; /* every so many a RIP is invalid; 0: none */
    unsigned outside; /* likewise: it lies in no payload */
    uint32_t random;
    uint64_t count;
    unsigned tags, n;
    struct {
        uint64_t ip, data, data3;
    } log[LOG_MOST]; /* of those that are a sample of the payload's */
} fake;

#define REG(msr) fake.reg[(msr)&15]

bool __wrap_rdmsr_safe(uint32_t msr, uint64_t *value)
{
    if (msr >> 4 != MSR_IBS_OP_CTL >> 4) return __real_rdmsr_safe(msr, value);
    *value = REG(msr);
    return !fake.absent;
}

bool __wrap_wrmsr_safe(uint32_t msr, uint64_t value)
{
    if (msr >> 4 != MSR_IBS_OP_CTL >> 4) return __real_wrmsr_safe(msr, value);
    REG(msr) = value;
    if (msr == MSR_IBS_OP_CTL) fake.count = value >> 32 & 0x7ffffff;
    if (msr == MSR_IBS_FETCH_CTL) fake.count = value >> 16 & 0xffff;
    return !fake.absent;
}

/* A multiplicative generator of its own. */
static uint32_t draw(void) { return fake.random = (uint32_t)((uint64_t)fake.random * 48271 % 0x7fffffff); }

static void tag_op(uint64_t ip, unsigned k, bool invalid)
{
    const uint64_t control = REG(MSR_IBS_OP_CTL);
    REG(MSR_IBS_OP_RIP) = ip;
    REG(MSR_IBS_OP_DATA1) = (uint64_t)invalid << 38 | k % 100 << 16;
    REG(MSR_IBS_OP_DATA2) = 3;
    REG(MSR_IBS_OP_DATA3) = k % 3 ? 0 : 0x160081 | (uint64_t)(200 + k % 7) << 32; /* a load that missed */
    REG(MSR_IBS_DC_LINEAR) = 0x777000 + k;
    REG(MSR_IBS_DC_PHYS) = 0x888000 + k;
    REG(MSR_IBS_OP_CTL) = (control & ~(0x7ffffffull << 32)) | 1 << 18 | (uint64_t)(1 + draw() % 127) << 32;
}

static void tag_fetch(uint64_t ip, unsigned k)
{
    REG(MSR_IBS_FETCH_LINEAR) = ip;
    REG(MSR_IBS_FETCH_CTL) |= UINT64_C(1) << 49 | UINT64_C(1) << 50 | (uint64_t)(k % 50) << 32;
}

/* One op, and a fetch, of the payload; k: which. */
static void tick(unsigned k)
{
    const bool fetch = REG(MSR_IBS_FETCH_CTL) & IBS_FETCH_EN;
    const uint64_t control = fetch ? REG(MSR_IBS_FETCH_CTL) : REG(MSR_IBS_OP_CTL);
    const uint64_t most = (control & 0xffff) << 4 | (fetch ? 0 : control & 0x7f00000);
    const uint64_t ip = 0x1000 + 2 * (k % 8);
    if (!(control & (fetch ? IBS_FETCH_EN : IBS_OP_EN)) || control & (fetch ? IBS_FETCH_VAL : IBS_OP_VAL))
        return;
    if (++fake.count < most) return;
    const unsigned t = ++fake.tags;
    const bool invalid = fake.invalid && t % fake.invalid == 0,
               outside = fake.outside && t % fake.outside == 0;
    fetch ? tag_fetch(outside ? HARNESS : ip, k) : tag_op(outside ? HARNESS : ip, k, invalid);
    if (!invalid && !outside) {
        assert_true(fake.n < LOG_MOST);
        fake.log[fake.n].ip = ip;
        fake.log[fake.n].data = 0x777000 + k;
        fake.log[fake.n++].data3 = REG(MSR_IBS_OP_DATA3);
    }
    const uint32_t entry = *apic_at(ENTRY);
    if (!fake.deaf && !(entry & LVT_MASKED))
        interrupt(entry == LVT_NMI ? VECTOR_NMI : entry & 0xff, 0x9990, k);
}

PAYLOAD static void payload_ops(void *arg)
{
    (void)arg;
    if (interrupts_go_to) fake.n = fake.tags = 0; /* of the last pass that samples */
    for (unsigned k = 0; k < N; k++) {
        sim_hw_run(1, 3);
        tick(k);
    }
}

static void plug_ibs(const char *cpu, uint32_t caps)
{
    plug(cpu, NULL);
    m.id.x1_ecx |= CPUID_X1_ECX_IBS;
    m.id.x1b_eax = caps;
    m.apic.extended = 4;
    memset(&fake, 0, sizeof fake);
    fake.random = 1;
    REG(CONTROL) = 0x101;
    *apic_at(ENTRY) = 0x100ff;
}

static void ask_ibs(bool fetch, uint32_t period)
{
    ask(fetch ? SAMPLE_BY_IBS_FETCH : SAMPLE_BY_IBS, NULL, period);
    opt.ibs.fetch = fetch;
}

static void ran(void)
{
    run_payload(payload_ops);
    if (out.run.status != RUN_OK) fail_msg("status %d: %s", (int)out.run.status, out.run.bench.error);
    assert_int_equal(*apic_at(ENTRY), 0x100ff); /* silent again */
    assert_int_equal(REG(MSR_IBS_OP_CTL) | REG(MSR_IBS_FETCH_CTL), 0);
    assert_int_equal(trap_strays, 0);
}

static void refused_ibs(const char *why)
{
    run_payload(payload_ops);
    assert_int_equal(out.run.status, RUN_PMU);
    if (!strstr(out.run.bench.error, why)) fail_msg("\"%s\" is not in: %s", why, out.run.bench.error);
    assert_int_equal(*apic_at(ENTRY), 0x100ff);
}

/* Each tag is a sample, in order. */
static void check_log(bool fetch)
{
    assert_int_equal(out.samples.n, fake.n);
    assert_int_equal(out.inside, fake.n);
    for (unsigned i = 0; i < fake.n; i++) {
        const struct sample *s = &out.samples.at[i];
        const bool load = !fetch && fake.log[i].data3 & 1;
        assert_int_equal(s->ip, fake.log[i].ip);
        assert_true((s->valid & (SAMPLE_IP | SAMPLE_PRECISE | SAMPLE_TSC)) ==
                    (SAMPLE_IP | SAMPLE_PRECISE | SAMPLE_TSC));
        assert_false(s->valid & (SAMPLE_REGS | SAMPLE_COUNTER));
        assert_true(i == 0 || s->tsc > s[-1].tsc);
        assert_int_equal(s->data, load ? fake.log[i].data : 0);
        assert_int_equal(s->physical, load ? fake.log[i].data + 0x111000 : 0);
        assert_int_equal(s->level, load ? LEVEL_MEMORY : fetch ? LEVEL_L1 : LEVEL_UNKNOWN);
        assert_int_equal(s->latency, load ? fake.log[i].data3 >> 32 : fetch ? s->latency : 0);
    }
}

TEST(test_ops)
{
    for (unsigned nmi = 0; nmi < 2; nmi++)
        for (uint32_t period = 144; period < 3000; period = period * 3 / 32 * 16) {
            plug_ibs("zen4", 0xbff);
            ask_ibs(false, period);
            opt.pmi_nmi = nmi;
            ran();
            check_log(false);
            assert_string_equal(out.event, "ibs_op");
            assert_string_equal(out.unit, "ops");
            assert_int_equal(out.period, period);
            assert_in_range(out.inside, N / period, N / (period - 127) + 1); /* each begins at 1 to 127 */
            assert_int_equal(out.interrupts, fake.tags);
            assert_int_equal(m.eois, nmi ? 0 : fake.tags);
            assert_true(out.counted && !out.counted_part); /* no counter rests while the handler runs */
            assert_int_equal(out.dropped | out.outside | out.late | out.samples.lost, 0);
        }
}

/* Counting cycles the count begins at 0. */
/* A CPU that does not count ops counts cycles, unless it is asked for ops. */
TEST(test_cycles)
{
    for (unsigned asked = 0; asked < 2; asked++) {
        plug_ibs("zen", 0);
        ask_ibs(false, 160);
        opt.ibs.cycles = asked;
        ran();
        assert_string_equal(out.unit, "cycles");
        assert_int_equal(out.inside, N / 160);
        check_log(false);
    }
    plug_ibs("zen", 0);
    ask_ibs(false, 160);
    opt.ibs.ops = true;
    refused_ibs("IBS of this CPU (Zen) has no count of ops; use sample=ibs ibs=cycles");
}

TEST(test_fetch)
{
    plug_ibs("zen4", 0xbff);
    ask_ibs(true, 480);
    ran();
    check_log(true);
    assert_string_equal(out.event, "ibs_fetch");
    assert_string_equal(out.unit, "fetches");
    assert_int_equal(out.occurred, 0); /* nobody counts them */
    assert_int_equal(out.inside, N / 480);
}

/* Invalid ones are dropped, and those of other code are outside. */
TEST(test_others)
{
    plug_ibs("zen4", 0xbff);
    fake.invalid = 7;
    fake.outside = 5;
    ask_ibs(false, 160);
    ran();
    check_log(false);
    assert_true(out.dropped && out.outside);
    assert_int_equal(out.dropped, fake.tags / 7);
    assert_int_equal(out.outside, fake.tags / 5 - fake.tags / 35);
    assert_int_equal(out.interrupts, fake.tags);
    opt.all = true; /* raw samples have those outside, but not what is none */
    ran();
    assert_int_equal(out.samples.n, fake.n + out.outside);
    plug_ibs("zen4", 0xbff);
    opt.all = false;
    opt.pebs.latency = 204; /* not the hardware's here, but the same afterwards */
    m.id.x1b_eax |= IBS_CAPS_LATENCY;
    ran();
    unsigned fit = 0;
    for (unsigned i = 0; i < fake.n; i++) fit += fake.log[i].data3 & 1 && fake.log[i].data3 >> 32 >= 204;
    assert_true(fit && fit < fake.n);
    assert_int_equal(out.inside, fit);
    assert_int_equal(out.dropped, fake.n - fit);
}

TEST(test_limits)
{
    plug_ibs("zen4", 0xbff);
    ask_ibs(false, 160);
    opt.samples = 100;
    ran();
    assert_int_equal(out.inside, 100);
    assert_int_equal(out.samples.lost, fake.tags - 100);
    assert_false(out.storm);
    opt.samples = 1; /* four times that, and a thousand more: enough */
    ask_ibs(false, 144);
    opt.samples = 1;
    for (unsigned i = 0; i < 2; i++) {
        ran();
        assert_int_equal(out.storm, fake.tags >= 1004);
    }
    plug_ibs("zen4", 0xbff); /* a sample with the payload's last op, whose interrupt does not come any more */
    fake.deaf = true;
    ask_ibs(false, 160);
    refused_ibs("IBS took samples but no interrupt came");
    assert_int_equal(fake.tags, 1);
    plug_ibs("zen4", 0xbff);
    ask_ibs(false, 128);
    refused_ibs("period= takes 144 to 134217712 ops here");
    ask_ibs(true, 0x100000);
    refused_ibs("period= takes 16 to 1048560 fetches here");
    plug_ibs("zen4", 0xbff);
    REG(CONTROL) = 0;
    ask_ibs(false, 160);
    refused_ibs("the firmware gave IBS no interrupt");
    plug_ibs("zen4", 0xbff);
    fake.absent = true;
    refused_ibs("its registers do not work here; use sample=pmi");
    plug("skylake", NULL);
    *apic_at(ENTRY) = 0x100ff;
    refused_ibs("has no Instruction-Based Sampling; use sample=pebs or sample=pmi");
}

/* period=auto: 16 times a prime, and as many samples as are wanted. */
TEST(test_auto)
{
    for (unsigned fetch = 0; fetch < 2; fetch++)
        for (unsigned wanted = 20; wanted <= 320; wanted *= 4) {
            plug_ibs("zen4", 0xbff);
            ask_ibs(fetch, 0);
            opt.samples = wanted;
            ran();
            const uint32_t prime = out.period / 16;
            assert_int_equal(out.period % 16, 0);
            for (uint32_t d = 2; d < prime; d++) assert_true(prime % d);
            assert_in_range(out.inside, wanted / 2, 2 * wanted);
        }
}

/* A short payload is called again, each time from anywhere in a period. */
PAYLOAD static void payload_short(void *arg)
{
    (void)arg;
    if (!interrupts_go_to) fake.n = fake.tags = 0;
    for (unsigned k = 0; k < 500; k++) {
        sim_hw_run(1, 3);
        tick(k);
    }
}

TEST(test_repeat)
{
    plug_ibs("zen4", 0xbff);
    ask_ibs(false, 4800);
    opt.repeat = true;
    opt.samples = 50;
    repeat_ticks = 20000000; /* enough for 500 calls, and few to look for how long one takes */
    run_payload(payload_short);
    repeat_ticks = 0;
    assert_int_equal(out.run.status, RUN_OK);
    assert_int_equal(out.inside, 50);
    assert_in_range(out.run.reps, 250, 1000);
    unsigned places = 0;
    for (unsigned i = 0; i < out.samples.n; i++) places |= 1u << (out.samples.at[i].ip & 15) / 2;
    assert_int_equal(places, 0xff);
}
