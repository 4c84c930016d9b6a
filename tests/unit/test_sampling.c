/* Sampling against the PMU model, driver, handler and APIC code as in the kernel: interrupts on each way that
 * a CPU has for them, and what is refused. */
#include "kernel/hw.h"
#include "measure/sampler.h"
#include "tests/unit/sampling_drive.h"
#include "tests/unit/sim_hw.h"
#include "tests/unit/unit.h"
#include <string.h>

TEST(test_p6_fixed)
{
    const char *model;
    for (unsigned i = 0; (model = sim_family_model("p6", i)) != NULL; i++) {
        plug(model, NULL);
        ask(SAMPLE_BY_PMI, "inst_retired:u", 1000);
        ok();
        check_samples(1000);
        assert_int_equal(m.fixed, 100);
        assert_int_equal(m.eois, 100);
        assert_int_equal(trap_strays, 0);
        assert_int_equal(out.tries, 1);
        assert_true(out.counted);
    }
}

TEST(test_p6_nmi)
{
    plug("p3", NULL);
    ask(SAMPLE_BY_PMI, "inst_retired:u", 777);
    opt.pmi_nmi = true;
    ok();
    check_samples(777);
    assert_int_equal(m.nmis, N / 777);
    assert_int_equal(m.eois, 0); /* an NMI has none */
}

/* The mask bit that delivery sets is taken back by each handler; otherwise there would be one sample. */
TEST(test_pentium_m_masks)
{
    for (unsigned nmi = 0; nmi < 2; nmi++) {
        plug("p3", NULL);
        m.masks = true;
        ask(SAMPLE_BY_PMI, "inst_retired:u", 500);
        opt.pmi_nmi = nmi;
        ok();
        check_samples(500);
    }
}

/* The handler's own events overflow the counter again before it returns: no interrupt is lost to an entry
 * that is still masked, which would be the last one. */
TEST(test_overflow_in_handler)
{
    for (unsigned masks = 0; masks < 2; masks++)
        for (unsigned period = 2; period <= 60; period += 29) {
            plug("p3", NULL);
            m.masks = masks;
            sim_hw_rdtsc_takes = 60; /* the handler's, while it fills the sample in */
            ask(SAMPLE_BY_PMI, "instructions", period);
            opt.samples = 100;
            run();
            assert_int_equal(out.run.status, RUN_OK);
            assert_true(out.storm);
        }
}

/* An event that only one counter takes leaves the other one to the handler's instructions, and the other way
 * round. */
TEST(test_counters)
{
    plug("p3", NULL);
    ask(SAMPLE_BY_PMI, "inst_retired:u", 1000);
    opt.event[0].counters = 2;
    ok();
    assert_int_equal(out.counter, 1);
    check_samples(1000);
    assert_true(out.counted);
    m.pmu.usable = 2;
    ok();
    assert_false(out.counted);
    check_samples(1000);
    m.pmu.usable = 1;
    refused("no usable counter");
}

TEST(test_stray_nmi)
{
    static struct sample buffer[1];
    struct samples s = {.at = buffer, .cap = 1};
    struct trap_frame f = {.vector = VECTOR_NMI};
    uint32_t none = 0, no_eoi = 1;
    plug("p3", NULL);
    struct sampler sampler = {.next = buffer,
                              .end = buffer + 1,
                              .samples = &s,
                              .pmu = &m.pmu,
                              .overflowed = m.pmu.ops->overflowed,
                              .pmi = {.at = &none, .entry = LVT_NMI},
                              .eoi = &no_eoi};
    sampler_choose_way(&sampler);
    sampler_interrupt(&sampler, &f); /* nothing is armed */
    assert_int_equal(trap_strays, 1);
    assert_ptr_equal(sampler.next, buffer);
    assert_int_equal(none, LVT_NMI); /* armed again all the same */
    sampler.fixed = true;
    sampler_interrupt(&sampler, &f); /* nor could it be one of ours */
    assert_int_equal(trap_strays, 2);
    f.vector = VECTOR_SAMPLE;
    sampler_interrupt(&sampler, &f);
    assert_int_equal(trap_strays, 2); /* a late one, after the counter was stopped: nobody else's */
    /* One that is due after an overflow that was seen without: an NMI, of ours, before the next call. */
    sampler.fixed = false;
    sampler.due = 1;
    sampler_interrupt(&sampler, &f);
    assert_int_equal(trap_strays, 3);
    assert_int_equal(sampler.due, 1);
    f.vector = VECTOR_NMI;
    sampler_interrupt(&sampler, &f);
    assert_int_equal(trap_strays, 3);
    sampler_interrupt(&sampler, &f);
    assert_int_equal(trap_strays, 4);
}

TEST(test_p5)
{
    const char *model;
    for (unsigned i = 0; (model = sim_family_model("p5", i)) != NULL; i++) {
        plug(model, NULL);
        m.socket = true;
        ask(SAMPLE_BY_NMI, "instructions:u", 1000);
        ok();
        check_samples(1000);
        assert_int_equal(m.nmis, 100);
        assert_int_equal(m.eois, 0);
        m.apic.mode = APIC_ABSENT; /* then the pin is NMI, whatever LINT1's entry was */
        ok();
        check_samples(1000);
        m.apic.mode = APIC_XAPIC;
        m.socket = false;
        refused("wires PM0 to NMI");
        ask(SAMPLE_BY_PMI, "instructions:u", 1000);
        refused("no performance interrupt");
        ask(SAMPLE_BY_NMI, "instructions:u", 1000);
        opt.event[0].counters = 2;
        refused("only PM0");
    }
}

/* The pin tells overflow while sampling only. */
TEST(test_p5_pin_is_given_back)
{
    const struct pmu_code *none[PMU_COUNTERS] = {NULL};
    char why[96];
    plug("p5", NULL);
    m.socket = true;
    ask(SAMPLE_BY_NMI, "instructions:u", 1000);
    ok();
    assert_true(m.pmu.ops->program(&m.pmu, none, why, sizeof why));
    assert_int_equal(hw_rdmsr(0x11), 0);
}

/* What the ring makes impossible is no profile of nothing. */
TEST(test_ring)
{
    plug("p3", NULL);
    ask(SAMPLE_BY_PMI, "inst_retired:u", 1000);
    opt.ring = 0;
    refused(
        "inst_retired:u counts at CPL 3 only, but the payload runs at CPL 0: use ring=3, or leave :u out");
    ask(SAMPLE_BY_PMI, "inst_retired:k", 1000);
    refused(
        "inst_retired:k counts at CPL 0 only, but the payload runs at CPL 3: use ring=0, or leave :k out");
    ask(SAMPLE_BY_PMI, "inst_retired:uk", 1000);
    ok();
    assert_int_equal(out.samples.n, N / 1000);
}

TEST(test_refused)
{
    plug("p3", NULL);
    ask(SAMPLE_BY_NMI, "inst_retired:u", 1000);
    refused("sample=pmi pmi=nmi");
    ask(SAMPLE_BY_PEBS, "inst_retired:u", 1000);
    refused("no PEBS");
    m.pmu.pebs = true; /* of a CPU whose PEBS the driver cannot arm */
    ask(SAMPLE_BY_PEBS, "inst_retired:u", 1000);
    refused("no PEBS; use sample=pmi");
    m.apic.mode = APIC_DISABLED;
    ask(SAMPLE_BY_PMI, "inst_retired:u", 1000);
    refused("no local APIC");
    m.apic.mode = APIC_XAPIC;
    ask(SAMPLE_BY_PMI, "inst_retired:u", 0x80000000);
    refused("takes 1 to 2147483647 events");
}

static uint32_t written;

/* 2^31 below 0, of 40 bits. */
PAYLOAD static void set_back_counter(void *arg)
{
    (void)arg;
    for (unsigned k = 0; k < 100; k++) sim_hw_run(1, 3);
    hw_wrmsr(written, 0x80000000);
}

/* Code that writes the time stamp or a counter: what that says is no count, and no result. */
TEST(test_no_count)
{
    enum { PERFCTR0 = 0xc1 };
    plug("p3", NULL);
    ask(SAMPLE_BY_PMI, "inst_retired:u", 1000);
    set_back = 1ull << 40;
    run();
    set_back = 0;
    assert_int_equal(out.run.status, RUN_IMPOSSIBLE);
    assert_non_null(strstr(out.run.bench.error, "the time stamp counted -"));
    for (unsigned of_handler = 0; of_handler < 2; of_handler++) {
        ok();
        written = PERFCTR0 + (out.counter ^ of_handler);
        run_payload(set_back_counter);
        assert_int_equal(out.run.status, RUN_IMPOSSIBLE);
        const char *said = of_handler ? "instructions:k counted -2147483" : "inst_retired:u counted -2147483";
        if (!strstr(out.run.bench.error, said)) fail_msg("%s", out.run.bench.error);
    }
}

/* Each of those sampled at once, too. */
TEST(test_no_count_at_once)
{
    plug("p3", NULL);
    ask(SAMPLE_BY_PMI, "inst_retired:u", 1000);
    opt.event[1] = opt.event[0];
    opt.n_events = 2;
    opt.at_once = true;
    for (written = 0xc1; written <= 0xc2; written++) {
        run_payload(set_back_counter);
        assert_int_equal(out.run.status, RUN_IMPOSSIBLE);
        assert_non_null(strstr(out.run.bench.error, "inst_retired:u counted -2147483648"));
    }
}
