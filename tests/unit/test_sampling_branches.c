/* branches= while sampling: when the records run, which sample gets which, and what is told of them. The
 * records themselves are made up here: pmu/lbr.c has tests of its own. */
#include "kernel/hw.h"
#include "measure/sampler.h"
#include "pmu/lbr.h"
#include "tests/unit/sampling_drive.h"
#include "tests/unit/unit.h"
#include <stdio.h>
#include <string.h>

#define DEPTH    4
#define DEBUGCTL 0x1d9
#define RECORDS  0x801 /* LBR, and the freezing */

static struct {
    bool absent, predicts, cycles, refuses;
    unsigned reads, armed;
    unsigned astray; /* writes to MSR 0, which starts and stops records before lbr_probe() has found them */
    unsigned asked;  /* enum lbr_branch, of the last arming */
} fake;

static uint64_t debugctl(void)
{
    uint64_t v = 0;
    rdmsr_safe(DEBUGCTL, &v);
    return v;
}

bool __wrap_lbr_probe(const struct cpu_id *id, const struct pmu *pmu, struct lbr *lbr, char *why, size_t cap);
bool __wrap_lbr_arm(struct lbr *lbr, unsigned branches, char *why, size_t cap);
uint8_t __wrap_lbr_read(const struct lbr *lbr, struct branch *to);

bool __real_wrmsr_safe(uint32_t msr, uint64_t value);
bool __wrap_wrmsr_safe(uint32_t msr, uint64_t value);
bool __wrap_wrmsr_safe(uint32_t msr, uint64_t value)
{
    fake.astray += msr == 0;
    return __real_wrmsr_safe(msr, value);
}

bool __wrap_lbr_probe(const struct cpu_id *id, const struct pmu *pmu, struct lbr *lbr, char *why, size_t cap)
{
    assert_ptr_equal(pmu, &m.pmu);
    assert_string_equal(id->vendor, m.id.vendor);
    if (fake.absent) {
        snprintf(why, cap, "nothing records branches here");
        return false;
    }
    *lbr = (struct lbr){.kind = LBR_ARCH,
                        .depth = DEPTH,
                        .filters = 0x3ff,
                        .predicts = fake.predicts,
                        .cycles = fake.cycles,
                        .info = 1,
                        .switch_msr = DEBUGCTL,
                        .on = RECORDS};
    return true;
}

bool __wrap_lbr_arm(struct lbr *lbr, unsigned branches, char *why, size_t cap)
{
    assert_false(lbr->armed);
    lbr->armed = true;
    if (fake.refuses) { /* in the middle: something is changed already */
        wrmsr_safe(DEBUGCTL, RECORDS);
        snprintf(why, cap, "MSR 1C8h does not keep what is written");
        return false;
    }
    fake.armed++;
    fake.asked = branches;
    return true;
}

/* One branch of the payload, one of the harness, and two places that were never filled; the number of the
 * reading is in all of them. */
uint8_t __wrap_lbr_read(const struct lbr *lbr, struct branch *to)
{
    uint64_t *raw = (uint64_t *)to;
    assert_true(lbr->armed);
    if (interrupts_go_to) assert_int_equal(debugctl() & 1, 0); /* they do not move while they are read */
    memset(raw, 0, sizeof *to * BRANCHES_MOST);
    raw[0] = 0x1100 + fake.reads, raw[1] = HARNESS + fake.reads;
    raw[DEPTH] = 0x1000, raw[DEPTH + 1] = 0x1002;
    raw[2 * DEPTH] = 1ull << 63 | 1ull << 60 | fake.reads, raw[2 * DEPTH + 1] = 3;
    fake.reads++;
    return LBR_RAW;
}

static void start(const char *model, enum sampling_by by, const char *event, uint64_t period)
{
    plug(model, NULL);
    memset(&fake, 0, sizeof fake);
    fake.predicts = fake.cycles = true;
    before_payload = after_payload = 0;
    ask(by, event, period);
    opt.branches = LBR_ANY;
    opt.samples = 300;
}

/* The branches of sample i are those of the n-th reading. */
static void has(unsigned i, unsigned n)
{
    const struct sample *s = &out.samples.at[i];
    const struct branch *b = out.samples.branch + i * BRANCHES_MOST;
    assert_true(s->valid & SAMPLE_BRANCHES);
    assert_int_equal(s->branches, 2);
    assert_int_equal(b[0].from, 0x1100 + n);
    assert_int_equal(b[0].to, 0x1000);
    assert_int_equal(b[0].cycles, n & 0xffff);
    assert_true(b[0].mispredicted);
    assert_int_equal(b[0].known, BRANCH_CYCLES | BRANCH_PREDICTION | BRANCH_FROM_PAYLOAD | BRANCH_TO_PAYLOAD);
    assert_int_equal(b[1].from, HARNESS + n);
    assert_int_equal(b[1].known, BRANCH_PREDICTION | BRANCH_TO_PAYLOAD); /* its cycles are not valid */
}

/* ---- the payload looks whether they are recorded ---- */

static unsigned recorded, not_recorded;
PAYLOAD static void payload(void *arg)
{
    (void)arg;
    for (unsigned k = 0; k < 2000; k++) {
        const bool on = (debugctl() & RECORDS) == RECORDS;
        if (interrupts_go_to && !on) fail_msg("not recorded at instruction %u", k);
        on ? recorded++ : not_recorded++;
        sim_hw_run(1, 3);
        if (m.pending) deliver(0x1000 + 2 * (k % 8), k);
    }
}

/* Asked after each call: what the harness does now is no longer recorded. */
static unsigned looked;
static bool is_over(void)
{
    assert_int_equal(debugctl() & 1, 0);
    looked++;
    return false;
}

/* In the pass with interrupts, from each one to the next, and in no other. */
TEST(recording)
{
    for (unsigned nmi = 0; nmi < 2; nmi++) {
        start("skylake", SAMPLE_BY_PMI, "instruction_retired:u", 100);
        opt.pmi_nmi = nmi;
        recorded = not_recorded = looked = 0;
        cancelled = is_over;
        run_payload(payload);
        cancelled = NULL;
        assert_true(looked >= 2);
        if (out.run.status != RUN_OK) fail_msg("%s", out.run.bench.error);
        assert_int_equal(recorded, 2000);
        assert_int_equal(not_recorded, 2000);
        assert_int_equal(debugctl(), 0);
        assert_int_equal(fake.armed, 1);
        assert_int_equal(fake.asked, LBR_ANY | LBR_RING3);
        assert_int_equal(out.branches, LBR_ANY | LBR_RING3);
        assert_int_equal(out.branches_deep, DEPTH);
        assert_false(out.unpredicted);
        assert_int_equal(out.branches_known, BRANCH_CYCLES | BRANCH_PREDICTION);
        assert_int_equal(out.samples.n, 20);
        assert_int_equal(fake.reads, 20);
        for (unsigned i = 0; i < 20; i++) has(i, i);
    }
    opt.branches = 0; /* without the word nothing is touched */
    memset(&fake, 0, sizeof fake);
    run();
    assert_int_equal(fake.armed + fake.reads + fake.astray, 0);
    assert_null(out.samples.branch);
    assert_false(out.samples.at[0].valid & SAMPLE_BRANCHES);
}

/* The local APIC's timer interrupts each hundredth instruction: a reading for each sample, too. */
PAYLOAD static void payload_timed(void *arg)
{
    (void)arg;
    for (unsigned k = 0; k < 2000; k++) {
        if (interrupts_go_to && (debugctl() & RECORDS) != RECORDS)
            fail_msg("not recorded at instruction %u", k);
        sim_hw_run(1, 3);
        if (interrupts_go_to && k % 100 == 99) interrupt(VECTOR_SAMPLE, 0x1000 + 2 * (k % 8), k);
    }
}

TEST(timer)
{
    start("skylake", SAMPLE_BY_TIMER, NULL, 100);
    opt.timer = TIMER_APIC;
    run_payload(payload_timed);
    if (out.run.status != RUN_OK) fail_msg("%s", out.run.bench.error);
    assert_int_equal(out.samples.n, 20);
    assert_int_equal(fake.reads, 20);
    for (unsigned i = 0; i < 20; i++) has(i, i);
    assert_int_equal(debugctl(), 0);
}

/* Samples of the harness go, and the branches of those that stay are still their own. */
TEST(outside)
{
    for (unsigned all = 0; all < 2; all++) {
        start("skylake", SAMPLE_BY_PMI, "instruction_retired:u", 1000);
        opt.all = all;
        before_payload = 2500;
        after_payload = 1500;
        run();
        if (out.run.status != RUN_OK) fail_msg("%s", out.run.bench.error);
        assert_int_equal(out.inside + out.outside, fake.reads);
        assert_true(out.outside >= 3);
        assert_int_equal(out.samples.n, all ? fake.reads : out.inside);
        for (unsigned i = 0; i < out.samples.n; i++) has(i, all ? i : i + 2); /* two came before it */
    }
}

/* No place is written to that a sample does not have. */
TEST(full)
{
    start("skylake", SAMPLE_BY_PMI, "instruction_retired:u", 100);
    opt.samples = 10;
    run();
    assert_int_equal(out.samples.n, 10);
    assert_int_equal(out.samples.lost, N / 100 - 10);
    assert_int_equal(fake.reads, 10);
    for (unsigned i = 0; i < 10; i++) has(i, i);
}

/* Counters that overflow together have a sample each, with the same branches. */
TEST(at_once)
{
    char why[160], near[8];
    start("skylake", SAMPLE_BY_PMI, "instruction_retired:u", 1000);
    opt.n_events = 2;
    assert_true(pmu_event_parse(&m.pmu, "unhalted_core_cycles:u", 22, &opt.event[1], why, sizeof why, near,
                                sizeof near));
    opt.at_once = true;
    run();
    if (out.run.status != RUN_OK) fail_msg("%s", out.run.bench.error);
    assert_int_equal(out.samples.n, 2 * N / 1000);
    for (unsigned i = 0; i < out.samples.n; i++) has(i, i);
}

/* Where the model predicts nothing, what the records of PEBS say is not known either. */
TEST(unpredicted)
{
    start("skylake", SAMPLE_BY_PMI, "instruction_retired:u", 1000);
    fake.predicts = false;
    run();
    if (out.run.status != RUN_OK) fail_msg("%s", out.run.bench.error);
    assert_false(out.unpredicted); /* no model said so */
    assert_int_equal(out.branches_known, BRANCH_CYCLES);
    for (unsigned i = 0; i < 2 * out.samples.n; i++) {
        const struct branch *b = out.samples.branch + i / 2 * BRANCHES_MOST + i % 2;
        assert_false(b->known & BRANCH_PREDICTION);
        assert_false(b->mispredicted);
    }
    start("skylake", SAMPLE_BY_PMI, "instruction_retired:u", 1000);
    fake.predicts = false;
    fake.cycles = false;
    run();
    assert_int_equal(out.run.status, RUN_OK);
    assert_int_equal(out.branches_known, 0);
}

TEST(refusals)
{
    start("skylake", SAMPLE_BY_PMI, "instruction_retired:u", 1000);
    fake.absent = true;
    refused("nothing records branches here");
    assert_int_equal(fake.armed, 0);
    start("skylake", SAMPLE_BY_PMI, "instruction_retired:u", 1000);
    opt.branches = LBR_ANY | LBR_RING0;
    refused("use branches=lbr:u, or ring=0");
    start("skylake", SAMPLE_BY_PMI, "instruction_retired:u", 1000);
    fake.refuses = true;
    refused("MSR 1C8h does not keep what is written");
    assert_int_equal(debugctl() & 1, 0); /* and as it was found */
}
