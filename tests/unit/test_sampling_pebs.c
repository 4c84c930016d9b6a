/* Sampling by PEBS: a facility that writes its records into the DS area by itself. */
#include "tests/unit/sampling_drive.h"
#include "tests/unit/unit.h"
#include <stdio.h>
#include <string.h>

static struct {
    uint8_t *ds;
    unsigned armed, stopped;
    uint64_t reset;
    uint32_t refused; /* counters */
} fake;

static bool fake_pebs_plan(struct pmu *pmu, unsigned counter, const struct pmu_code *code,
                           const struct pebs_want *want, struct pebs *out, char *why, size_t cap)
{
    (void)pmu, (void)code, (void)want, (void)why, (void)cap;
    pebs_plain(out, counter, true);
    return true;
}
static bool fake_pebs_arm(struct pmu *pmu, unsigned counter, const struct pmu_code *code, uint64_t ds,
                          char *why, size_t cap)
{
    (void)pmu, (void)code;
    if (fake.refused >> counter & 1) {
        snprintf(why, cap, "counter %u has no PEBS", counter);
        return false;
    }
    assert_int_equal(ds % 4096, 0); /* a page of its own */
    fake.ds = (uint8_t *)(uintptr_t)ds;
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

static void test_pebs(void **state)
{
    (void)state;
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
static void test_depth(void **state)
{
    (void)state;
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

/* The first counter that the driver arms, and its reason where it arms none. */
static void test_counter(void **state)
{
    (void)state;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pebs),
        cmocka_unit_test(test_depth),
        cmocka_unit_test(test_counter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
