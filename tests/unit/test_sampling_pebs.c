/* Sampling by PEBS: a facility that writes its records into the DS area by itself. */
#include "pmu/pebs_arch.h"
#include "tests/unit/sampling_drive.h"
#include "tests/unit/unit.h"
#include <stdio.h>
#include <string.h>

static struct {
    uint8_t *ds;
    unsigned armed, stopped;
    uint64_t reset;
    uint32_t refused; /* counters */
    uint64_t index;   /* MSR 3F5h */
} fake;

bool __real_rdmsr_safe(uint32_t msr, uint64_t *value);
bool __real_wrmsr_safe(uint32_t msr, uint64_t value);
bool __wrap_rdmsr_safe(uint32_t msr, uint64_t *value);
bool __wrap_wrmsr_safe(uint32_t msr, uint64_t value);
bool __wrap_rdmsr_safe(uint32_t msr, uint64_t *value)
{
    if (msr != 0x3f5) return __real_rdmsr_safe(msr, value);
    *value = fake.index;
    return true;
}
bool __wrap_wrmsr_safe(uint32_t msr, uint64_t value)
{
    if (msr != 0x3f5) return __real_wrmsr_safe(msr, value);
    fake.index = value;
    return true;
}

static bool fake_pebs_plan(struct pmu *pmu, unsigned counter, const struct pmu_code *code,
                           const struct pebs_want *want, struct pebs *out, char *why, size_t cap)
{
    (void)pmu, (void)code, (void)why, (void)cap;
    pebs_plain(out, counter, true);
    if (want->data & PEBS_XMM) out->valid |= SAMPLE_XMM;
    if (!(want->data & PEBS_CNTR)) return true;
    out->layout = &pebs_arch;
    out->groups = PEBS_ARCH_CNTR_FIXED;
    out->record = 96;
    out->valid = SAMPLE_IP | SAMPLE_PRECISE | SAMPLE_COUNTER | SAMPLE_CYCLES;
    return true;
}
static bool fake_pebs_arm(struct pmu *pmu, unsigned counter, const struct pmu_code *code,
                          const struct pebs *buffer, char *why, size_t cap)
{
    (void)pmu, (void)code;
    if (fake.refused >> counter & 1) {
        snprintf(why, cap, "counter %u has no PEBS", counter);
        return false;
    }
    assert_int_equal((uintptr_t)buffer->ds % 4096, 0); /* a page of its own */
    fake.ds = buffer->ds;
    fake.index = buffer->index;
    memcpy(&fake.reset, fake.ds + 0x40, 8);
    fake.armed++;
    return true;
}
static void fake_pebs_stop(struct pmu *pmu) { (void)pmu, fake.stopped++; }
static uint32_t fake_overflowed(struct pmu *pmu, const struct apic_pmi_entry *pmi)
{
    return (void)pmu, (void)pmi, 0;
}

/* 64-bit layout (facts 3.6): index at 28h, threshold at 38h; records of 144 bytes. */
PAYLOAD static void payload_pebs(void *arg)
{
    uint64_t *ds = (uint64_t *)fake.ds;
    (void)arg;
    if (!interrupts_go_to) return; /* the pass that only counts */
    for (uint64_t k = 0; k < 10; k++) {
        uint64_t record[18] = {0x246, 0x5000 + k, k, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 15};
        memcpy((void *)(uintptr_t)ds[5], record, sizeof record);
        ds[5] += sizeof record;
        if (ds[5] >= ds[7]) interrupt(VECTOR_SAMPLE, 0x1000, 0);
    }
}

static struct pmu_ops ops;
static void plug_pebs(void)
{
    plug("p3", NULL);
    ops = *m.pmu.ops;
    ops.pebs_plan = fake_pebs_plan;
    ops.pebs_arm = fake_pebs_arm;
    ops.pebs_stop = fake_pebs_stop;
    ops.overflowed = fake_overflowed;
    m.pmu.ops = &ops;
    m.pmu.pebs = true;
    memset(&fake, 0, sizeof fake);
}

TEST(test_pebs)
{
    plug_pebs();
    for (unsigned depth = 1; depth <= 12; depth++) {
        ask(SAMPLE_BY_PEBS, "inst_retired:u", 100000);
        opt.pebs_depth = depth;
        memset(&fake, 0, sizeof fake);
        trap_strays = m.eois = 0;
        run_payload(payload_pebs);
        assert_int_equal(out.run.status, RUN_OK);
        assert_int_equal(fake.armed, 3); /* tried, used, and ready for another call */
        assert_int_equal(fake.stopped, 2);
        assert_int_equal(fake.reset, -99999ull & 0xffffffffff);
        assert_int_equal(out.samples.n, 10); /* what lies below the threshold is fetched in the end */
        assert_int_equal(out.samples.lost, 0);
        assert_int_equal(out.interrupts, 10 / depth);
        assert_int_equal(m.eois, 10 / depth);
        assert_int_equal(trap_strays, 0);
        for (unsigned i = 0; i < 10; i++) {
            assert_int_equal(out.samples.at[i].valid,
                             SAMPLE_IP | SAMPLE_PRECISE | SAMPLE_REGS | SAMPLE_COUNTER);
            assert_int_equal(out.samples.at[i].ip, 0x5000 + i);
            assert_int_equal(out.samples.at[i].reg[0], i);
            assert_int_equal(out.samples.at[i].reg[15], 15);
        }
    }
    ask(SAMPLE_BY_PEBS, "inst_retired:u", 1);
    run_payload(payload_pebs);
    assert_int_equal(out.run.status, RUN_PMU);
    assert_non_null(strstr(out.run.bench.error, "takes 2 to 2147483647 events"));
    m.pmu.ops = NULL;
}

/* Without buffer= a default, and with jitter= one, since each sample has a period of its own. */
TEST(test_depth)
{
    plug_pebs();
    ask(SAMPLE_BY_PEBS, "inst_retired:u", 100000);
    opt.pebs_depth = 0;
    m.eois = 0;
    run_payload(payload_pebs);
    assert_int_equal(out.run.status, RUN_OK);
    assert_int_equal(m.eois, 0); /* the buffer is not full */
    plug_pebs();
    ask(SAMPLE_BY_PEBS, "inst_retired:u", 100000);
    opt.pebs_depth = 0;
    opt.jitter = 100;
    m.eois = 0;
    run_payload(payload_pebs);
    assert_int_equal(out.run.status, RUN_OK);
    assert_int_equal(m.eois, 10);
    m.pmu.ops = NULL;
}

/* Architectural: base and index are in registers. Records of 96 bytes were planned; in two
 * fragments each takes 112. */
PAYLOAD static void payload_arch(void *arg)
{
    (void)arg;
    if (!interrupts_go_to) return;
    for (uint64_t k = 0; k < 10; k++) {
        const uint64_t record[] = {1ull << 63 | 1ull << 31 | 64,
                                   0,
                                   0x5000 + k,
                                   1,
                                   2,
                                   0,
                                   0,
                                   0,
                                   1ull << 37 | 48,
                                   0,
                                   2ull << 32,
                                   0,
                                   7000 + k,
                                   0};
        const uint64_t at = fake.index & 0x7fffff0, threshold = fake.index >> 36 << 4;
        memcpy(fake.ds + at, record, sizeof record);
        fake.index += sizeof record;
        if (at + sizeof record >= threshold) interrupt(VECTOR_SAMPLE, 0x1000, 0);
    }
}

TEST(test_architectural)
{
    plug_pebs();
    for (unsigned depth = 1; depth <= 12; depth++) {
        ask(SAMPLE_BY_PEBS, "inst_retired:u", 100000);
        opt.pebs_depth = depth;
        opt.pebs.data = PEBS_CNTR;
        m.eois = 0;
        run_payload(payload_arch);
        assert_int_equal(out.run.status, RUN_OK);
        assert_true(out.samples.n == 10 && out.samples.lost == 0 && !out.samples.more);
        assert_int_equal(m.eois, 10 / ((depth * 96 + 111) / 112)); /* the threshold is in bytes */
        assert_int_equal(fake.index & 0x7fffff0, 0);
        for (unsigned i = 0; i < 10; i++) {
            const struct sample *s = &out.samples.at[i];
            assert_int_equal(s->valid, SAMPLE_IP | SAMPLE_PRECISE | SAMPLE_COUNTER | SAMPLE_CYCLES);
            assert_int_equal(s->ip, 0x5000 + i);
            assert_int_equal(out.samples.counts[i][1], 7000 + i);
        }
    }
    ask(SAMPLE_BY_PEBS, "inst_retired:u", 100000);
    opt.pebs.data = PEBS_XMM;
    run_payload(payload_pebs);
    assert_true(out.run.status == RUN_OK && out.samples.xmm && !out.samples.counts);
    m.pmu.ops = NULL;
}

/* The first counter that the driver arms, and its reason where it arms none. */
TEST(test_counter)
{
    for (unsigned refused = 0; refused < 4; refused++) {
        plug_pebs();
        fake.refused = refused;
        ask(SAMPLE_BY_PEBS, "inst_retired:u", 100000);
        run_payload(payload_pebs);
        assert_int_equal(out.run.status, refused == 3 ? RUN_PMU : RUN_OK);
        if (refused == 3)
            assert_string_equal(out.run.bench.error, "counter 1 has no PEBS");
        else
            assert_int_equal(out.counter, refused == 1);
        m.pmu.ops = NULL;
    }
}
