/* Several events sampled at once, against the PMU model: whose a sample is, what is counted of each event,
 * and overflows of several with one instruction. */
#include "kernel/hw.h"
#include "measure/sampler.h"
#include "tests/unit/sampling_drive.h"
#include "tests/unit/unit.h"
#include <string.h>

/* Of each way to tell which counter has overflowed. masks: delivery masks the local APIC's entry. */
static const struct {
    const char *model, *event;
    bool masks, counted; /* a counter is left for the handler's instructions */
} cpus[] = {{"ppro", "inst_retired:u", false, false},
            {"p3", "inst_retired:u", false, false},
            {"willamette", "instr_retired:u", true, true},
            {"prescott", "instr_retired:u", true, true},
            {"coreduo", "instructions:u", true, false},
            {"core2", "r00c0:u", true, true},
            {"skylake", "r00c0:u", true, true},
            {"k8", "instructions:u", false, true},
            {"zen4", "instructions:u", false, true}};
#define CPUS (sizeof cpus / sizeof *cpus)

/* The same event n times, each with a counter of its own. */
static void ask_for(const char *event, unsigned n, uint64_t period)
{
    ask(SAMPLE_BY_PMI, event, period);
    opt.at_once = true;
    for (opt.n_events = 1; opt.n_events < n; opt.n_events++) opt.event[opt.n_events] = opt.event[0];
}

static void plug_cpu(unsigned i)
{
    plug(cpus[i].model, NULL);
    m.masks = cpus[i].masks;
}

/* The k-th sample of the event that is in view: which instruction it came after. */
static unsigned instruction_of(unsigned k)
{
    for (unsigned i = 0; i < out.samples.n; i++)
        if (out.samples.at[i].counter == out.counter && k-- == 0) return (unsigned)out.samples.at[i].reg[0];
    fail_msg("too few samples");
    return 0;
}

static unsigned in_buffer(void)
{
    unsigned n = 0;
    for (unsigned i = 0; i < out.samples.n; i++) n += out.samples.at[i].counter == out.counter;
    return n;
}

/* Both counters overflow with the same instruction, and one interrupt tells of both. */
TEST(test_same_instruction)
{
    for (unsigned i = 0; i < CPUS; i++)
        for (unsigned nmi = 0; nmi < 2; nmi++) {
            plug_cpu(i);
            ask_for(cpus[i].event, 2, 1000);
            opt.pmi_nmi = nmi;
            ok();
            assert_int_equal(out.at_once, 2);
            assert_int_equal(out.counted, cpus[i].counted);
            assert_int_equal(out.samples.n, 2 * N / 1000);
            assert_int_equal(nmi ? m.nmis : m.fixed, N / 1000);
            assert_int_equal(out.all_came, 2 * N / 1000);
            assert_int_equal(trap_strays, 0);
            assert_int_not_equal(out.each[0].counter, out.each[1].counter);
            for (unsigned e = 0; e < 2; e++) {
                sampling_view(&out, e);
                assert_ptr_equal(out.event, opt.event[e].name);
                assert_int_equal(out.occurred, N);
                assert_int_equal(out.inside, N / 1000);
                assert_int_equal(out.interrupts, N / 1000);
                assert_int_equal(out.period, 1000);
                assert_int_equal(out.outside + out.late + out.unanswered, 0);
                assert_int_equal(out.samples.lost, 0);
                assert_int_equal(in_buffer(), N / 1000);
                for (unsigned k = 0; k < N / 1000; k++)
                    assert_int_equal(instruction_of(k), (k + 1) * 1000 - 1);
            }
        }
}

/* Each draws its own periods, from the same generator. A Pentium 4 interrupts with the event after the
 * overflow: another's interrupt in between finds it one event early. */
TEST(test_jitter)
{
    for (unsigned i = 0; i < CPUS; i++) {
        unsigned differ = 0;
        plug_cpu(i);
        ask_for(cpus[i].event, 2, 1000);
        opt.jitter = 300;
        ok();
        for (unsigned e = 0; e < 2; e++) {
            sampling_view(&out, e);
            assert_int_equal(out.jitter, 300);
            assert_int_equal(in_buffer(), out.inside);
            assert_in_range(out.inside, 80, 120);
            const bool early = strcmp(m.pmu.ops->family, "NetBurst") == 0;
            unsigned before = instruction_of(0), least = UINT32_MAX, most = 0;
            for (unsigned k = 1; k < out.inside; k++) {
                const unsigned now = instruction_of(k), apart = now - before;
                assert_in_range(apart, 700 - early, 1300);
                if (apart < least) least = apart;
                if (apart > most) most = apart;
                before = now;
            }
            assert_true(least < 760 && most > 1240);
        }
        sampling_view(&out, 0);
        unsigned first[80];
        for (unsigned k = 0; k < 80; k++) first[k] = instruction_of(k);
        sampling_view(&out, 1);
        for (unsigned k = 0; k < 80; k++) differ += first[k] != instruction_of(k);
        assert_true(differ > 70);
    }
}

/* Three events, more than the buffer holds: what is kept and what is lost is counted for each. */
TEST(test_lost)
{
    plug("zen4", NULL);
    ask_for("instructions:u", 3, 100);
    opt.samples = 300;
    ok();
    assert_int_equal(out.samples.n, 900);
    for (unsigned e = 0; e < 3; e++) {
        sampling_view(&out, e);
        assert_int_equal(in_buffer(), 300);
        assert_int_equal(out.inside, 300);
        assert_int_equal(out.samples.lost, N / 100 - 300);
        assert_int_equal(out.interrupts, N / 100);
    }
    assert_int_equal(out.all_came, 3 * N / 100);
}

TEST(test_storm)
{
    plug("p3", NULL);
    ask_for("inst_retired:u", 2, 1);
    opt.samples = 10;
    ok();
    assert_true(out.storm);
    assert_int_equal(out.samples.n, 20);
    uint32_t lost = 0;
    for (unsigned e = 0; e < 2; e++) {
        sampling_view(&out, e);
        assert_int_equal(out.inside, 10);
        lost += (uint32_t)out.samples.lost;
    }
    assert_in_range(lost, 20 * SAMPLER_STORM + SAMPLER_MORE - 1, 20 * SAMPLER_STORM + SAMPLER_MORE + 1);
    ask(SAMPLE_BY_PMI, "inst_retired:u", 1000); /* and the next run, of one event, is none the worse */
    ok();
    check_samples(1000);
}

PAYLOAD static void little(void *arg)
{
    (void)arg;
    for (unsigned k = 0; k < 300; k++) {
        sim_hw_run(1, 3);
        if (m.pending) deliver(0x1000 + 2 * (k % 8), k);
    }
}

/* Called until each has enough; each call begins anywhere in a period, of each. What the harness overflows is
 * outside, with and without an interrupt. */
TEST(test_repeated)
{
    for (unsigned i = 0; i < CPUS; i++)
        for (unsigned given = 0; given < 2; given++) {
            plug_cpu(i);
            ask_for(cpus[i].event, 2, given ? 211 : 0);
            opt.repeat = true;
            opt.samples = 100;
            before_payload = after_payload = 40;
            late = true;
            run_payload(little);
            before_payload = after_payload = 0;
            late = false;
            if (out.run.status != RUN_OK) fail_msg("%s: %s", cpus[i].model, out.run.bench.error);
            assert_true(out.run.reps > 20);
            unsigned kept = 0, outside = 0;
            for (unsigned e = 0; e < 2; e++) {
                sampling_view(&out, e);
                assert_in_range(out.inside, 100, 200);
                assert_int_equal(in_buffer(), out.inside);
                assert_true(out.period == 211 || !given);
                kept += out.inside;
                outside += out.outside;
            }
            assert_int_equal(kept, out.samples.n);
            assert_true(outside > 0);
        }
}

/* As many as are wanted are enough: another run that wants just what the last one had is as long. */
TEST(test_enough)
{
    unsigned wanted = 100;
    for (unsigned run = 0; run < 3; run++) {
        plug("p3", NULL);
        ask_for("inst_retired:u", 2, 211);
        opt.repeat = true;
        opt.samples = wanted;
        run_payload(little);
        assert_int_equal(out.run.status, RUN_OK);
        unsigned least = UINT32_MAX;
        for (unsigned e = 0; e < 2; e++) {
            sampling_view(&out, e);
            if (out.inside < least) least = out.inside;
        }
        assert_in_range(least, wanted, wanted + 1);
        if (run) assert_int_equal(least, wanted);
        wanted = least;
    }
}

/* A costly handler: the next try has the longer periods that were found, each for its event. */
TEST(test_share)
{
    plug("p3", NULL);
    ask_for("inst_retired:u", 2, 0);
    opt.repeat = true;
    opt.samples = 100;
    sim_hw_rdtsc_takes = 300;
    run_payload(little);
    assert_int_equal(out.run.status, RUN_OK);
    assert_true(out.tries > 1);
    assert_true(sampling_share(&out) < SHARE_MOST);
    for (unsigned e = 0; e < 2; e++) {
        sampling_view(&out, e);
        assert_in_range(out.inside, 100, 200);
    }
}

TEST(test_refused)
{
    plug("p3", NULL);
    ask_for("inst_retired:u", 3, 1000);
    refused("these 3 events do not fit on the counters of one run");
    ask_for("inst_retired:u", 2, 1000);
    opt.event[1].counters = opt.event[0].counters = 2;
    refused("these 2 events do not fit");
    ask_for("inst_retired:u", 2, 1000);
    opt.event[1].preset = true;
    refused("sampling presets its counters itself");
    ask_for("inst_retired:u", 2, 1000);
    opt.event[1].privilege = PRIVILEGE_KERNEL;
    refused("counts at CPL 0 only");
    ask_for("inst_retired:u", 2, 1000);
    m.deaf = true;
    refused("the counter passed its period but no interrupt came");
}
