/* What overflows outside of the payload is no sample of it: it is counted, and left out. */
#include "tests/unit/sampling_drive.h"
#include "tests/unit/sim_hw.h"
#include "tests/unit/unit.h"

static void sample_around(unsigned before, unsigned after, uint64_t period, unsigned reps)
{
    plug("p3", NULL);
    ask(SAMPLE_BY_PMI, "inst_retired:u", period);
    opt.reps = reps;
    before_payload = before;
    after_payload = after;
    ok();
    before_payload = after_payload = 0;
}

static void check_outside(unsigned samples, unsigned outside)
{
    assert_int_equal(out.samples.n, samples);
    assert_int_equal(out.inside, samples);
    assert_int_equal(out.outside, outside);
    assert_int_equal(out.interrupts, samples + outside);
    for (unsigned i = 0; i < samples; i++) assert_int_not_equal(out.samples.at[i].ip, HARNESS);
}

TEST(test_after)
{
    sample_around(0, 10, N + 5, 1);
    check_outside(0, 1);
    assert_int_equal(out.occurred, N + 10);
    sample_around(0, 10, N, 1); /* the payload's last instruction */
    check_outside(1, 0);
}

TEST(test_before)
{
    sample_around(100, 0, 100, 1); /* the harness's last */
    check_outside(N / 100, 1);
    sample_around(100, 0, 101, 1); /* the payload's first */
    check_outside((N + 100) / 101, 0);
}

/* Each call has its own bracket: between two of them is outside, too. */
TEST(test_repetitions)
{
    for (unsigned period = 200; period < 300; period += 7) {
        sample_around(300, 200, period, 4);
        assert_true(out.outside >= 4 && out.outside <= 4 * 4);
        assert_true(out.inside > 4 * N / period - 8 && out.inside < 4 * N / period + 8);
        assert_int_equal(out.inside + out.outside, out.interrupts);
        for (unsigned i = 0; i < out.samples.n; i++) assert_int_not_equal(out.samples.at[i].ip, HARNESS);
    }
}

PAYLOAD static void tiny_payload(void *arg)
{
    (void)arg;
    for (unsigned k = 0; k < 20; k++) {
        sim_hw_run(1, 3);
        if (m.pending) deliver(0x1000 + 2 * k, k);
    }
}

/* A payload that is shorter than a period: whatever the two are, every instruction is met in due share. Three
 * calls of 33 are just short of 101: each overflow would be the same one of the harness. */
TEST(test_no_lockstep)
{
    static const unsigned period[] = {33, 66, 101, 198, 331};
    for (unsigned i = 0; i < 5; i++) {
        unsigned met[20] = {0}, most = 0, all = 0;
        plug("p3", NULL);
        ask(SAMPLE_BY_PMI, "inst_retired:u", period[i]);
        opt.reps = 20000;
        before_payload = 7;
        after_payload = 6;
        run_payload(tiny_payload);
        before_payload = after_payload = 0;
        assert_int_equal(out.run.status, RUN_OK);
        for (unsigned k = 0; k < out.samples.n; k++) met[(out.samples.at[k].ip - 0x1000) / 2]++;
        for (unsigned k = 0; k < 20; k++) {
            all += met[k];
            if (met[k] > most) most = met[k];
        }
        assert_true(all > 20000 * 20 / period[i] / 2);
        assert_true(most < all / 5);
    }
}

/* all=1 keeps them, marked. */
TEST(test_kept)
{
    unsigned marked = 0;
    plug("p3", NULL);
    ask(SAMPLE_BY_PMI, "inst_retired:u", 25000);
    opt.all = true;
    before_payload = 25000;
    ok();
    before_payload = 0;
    assert_int_equal(out.samples.n, 5);
    assert_int_equal(out.inside, 4);
    assert_int_equal(out.outside, 1);
    for (unsigned i = 0; i < out.samples.n; i++) {
        const bool outside = out.samples.at[i].valid & SAMPLE_OUTSIDE;
        assert_int_equal(outside, out.samples.at[i].ip == HARNESS);
        marked += outside;
    }
    assert_int_equal(marked, 1);
}

/* What comes when the counters have been stopped already: skid that is longer than the harness. */
static bool deliver_late(void)
{
    if (m.pending) deliver(HARNESS, 0);
    return false;
}

TEST(test_late)
{
    late = true;
    cancelled = deliver_late;
    for (unsigned nmi = 0; nmi < 2; nmi++) {
        plug("p3", NULL);
        ask(SAMPLE_BY_PMI, "inst_retired:u", N + 10);
        opt.pmi_nmi = nmi;
        after_payload = 10;
        ok();
        assert_int_equal(m.nmis + m.fixed, 1);
        assert_int_equal(trap_strays, 0); /* it is known whose it is */
        assert_int_equal(out.inside + out.samples.lost, 0);
        assert_int_equal(out.outside, 1);
    }
    after_payload = 0;
    cancelled = NULL;
    late = false;
}
