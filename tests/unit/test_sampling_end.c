/* The ends of sampling: a full buffer, a storm, a fault, Ctrl-C; the machine is silent, the next run none the
 * worse. */
#include "kernel/hw.h"
#include "measure/sampler.h"
#include "tests/unit/sampling_drive.h"
#include "tests/unit/sim_hw.h"
#include "tests/unit/unit.h"

TEST(test_lost)
{
    plug("p3", NULL);
    ask(SAMPLE_BY_PMI, "inst_retired:u", 100);
    opt.samples = 30;
    ok();
    assert_int_equal(out.samples.n, 30);
    assert_int_equal(out.samples.lost, 970);
    assert_false(out.storm);
    assert_int_equal(out.samples.at[29].reg[0], 2999); /* the first ones are kept */
}

/* Every instruction interrupts: ended at the limit, and the machine is silent. */
TEST(test_storm)
{
    plug("p3", NULL);
    ask(SAMPLE_BY_PMI, "inst_retired:u", 1);
    opt.samples = 10;
    ok();
    assert_true(out.storm);
    assert_int_equal(out.samples.n, 10);
    assert_int_equal(out.samples.lost, 10 * SAMPLER_STORM + SAMPLER_MORE);
    assert_int_equal(m.fixed, out.interrupts);
    ask(SAMPLE_BY_PMI, "inst_retired:u", 1000); /* and the next run is none the worse */
    ok();
    check_samples(1000);
}

PAYLOAD static void faulty(void *arg)
{
    (void)arg;
    sim_hw_run(5000, 3);
    m.pending = false;
    if (interrupts_go_to == sampler_interrupt) longjmp(guard->resume, 1);
}

/* A fault in the pass that samples: told, silent, and the next run is none the worse. */
TEST(test_trap)
{
    plug("p3", NULL);
    ask(SAMPLE_BY_PMI, "inst_retired:u", 1000);
    run_payload(faulty);
    assert_int_equal(out.run.status, RUN_TRAP);
    uint64_t before = hw_rdmsr(0xc1);
    sim_hw_run(100, 3);
    assert_int_equal(hw_rdmsr(0xc1), before); /* stopped */
    ok();
    check_samples(1000);
}

/* Nothing arrives: that is no profile of nothing. */
TEST(test_silent)
{
    plug("p3", NULL);
    m.deaf = true;
    ask(SAMPLE_BY_PMI, "inst_retired:u", 1000);
    refused("no interrupt came");
    const uint32_t occurred =
        (uint32_t)out.occurred; /* two periods of it are enough to judge by, not fewer */
    ask(SAMPLE_BY_PMI, "inst_retired:u", occurred / 2);
    refused("no interrupt came");
    ask(SAMPLE_BY_PMI, "inst_retired:u", occurred / 2 + 1);
    ok();
    ask(SAMPLE_BY_PMI, "inst_retired:u", 100000000); /* which the payload does not reach */
    ok();
    assert_int_equal(out.samples.n, 0);
    m.deaf = false;
    ask(SAMPLE_BY_PMI, "inst_retired:u", 1000);
    ok();
}

static bool cancel(void) { return interrupts_go_to == sampler_interrupt; }

TEST(test_cancel)
{
    plug("p3", NULL);
    ask(SAMPLE_BY_PMI, "inst_retired:u", 1000);
    cancelled = cancel;
    run();
    assert_int_equal(out.run.status, RUN_CANCELLED);
    cancelled = NULL;
    ok();
}
