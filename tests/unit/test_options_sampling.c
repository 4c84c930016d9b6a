/* The command line's words for sampling: which goes with which sample=, and how an experiment is sampled. */
#include "pmu/arch.h"
#include "pmu/p6.h"
#include "tests/unit/options_drive.h"
#include "tests/unit/plan_at.h"
#include "tests/unit/unit.h"
#include <stdio.h>

TEST(test_sampling)
{
    assert_int_equal(parse(""), 0);
    assert_int_equal(opt.sample, SAMPLE_BY_NONE);
    assert_int_equal(parse("sample=timer"), 0);
    assert_int_equal(opt.sample, SAMPLE_BY_TIMER);
    assert_int_equal(opt.period, 0); /* auto */
    assert_int_equal(opt.reps, 1);   /* a sample is the repetition */
    assert_int_equal(opt.jitter_seed, 1);
    assert_int_equal(opt.pebs_depth, 0);
    assert_int_equal(parse("period=2147483647 samples=1000000 sample=timer reps=5"), 0);
    assert_int_equal(opt.period, 2147483647);
    assert_int_equal(opt.samples, 1000000);
    assert_int_equal(opt.reps, 5);
    assert_int_equal(parse("sample=timer period=auto"), 0);
    assert_int_equal(opt.period, 0);
    expect_fault("sample=often", "unknown value|often|1|pmi, pebs, timer, nmi, ibs, ibs-fetch");
    expect_fault("sample=timer pmi=smi", "unknown value|smi|2|fixed, nmi");
    expect_fault("sample=timer period=0", "number out of range|0|2|1 to 2147483647, in digits, or auto");
    expect_fault("sample=timer period=2147483648", "number out of range");
    expect_fault("sample=timer samples=0", "number out of range");
    expect_fault("sample=timer buffer=4097", "number out of range");
    expect_fault("sample=timer jitter=1:0", "number out of range|0|2|1 to 4294967295");
    expect_fault(
        "sample=timer timer=rtc jitter=1",
        "the RTC has powers of two only, none of which can be drawn|jitter=1|3|jitter=0, or timer=apic");
    expect_fault("sample=timer period=100 jitter=99", "period= plus or minus jitter= is out of range");
    assert_int_equal(parse("sample=timer timer=rtc jitter=0"), 0);
    assert_true(opt.jitter_given);
    assert_int_equal(parse("sample=timer timer=pit jitter=9"), 0);
    assert_true(opt.jitter_given && opt.jitter == 9);
    assert_int_equal(parse("sample=timer"), 0);
    assert_false(opt.jitter_given);
    expect_fault("sample=timer pmi=nmi",
                 "this word does not go with this sample=|pmi=nmi|2|sample=pmi, pebs or ibs");
    expect_fault("sample=timer buffer=1", "this word does not go with this sample=|buffer=1|2|sample=pebs");
    assert_int_equal(opt.timer, TIMER_AUTO);
    assert_int_equal(parse("timer=apic sample=timer"), 0);
    assert_int_equal(opt.timer, TIMER_APIC);
    assert_int_equal(parse("sample=timer timer=pit period=100"), 0);
    assert_int_equal(opt.timer, TIMER_PIT);
    assert_int_equal(parse("sample=timer timer=rtc"), 0);
    assert_int_equal(opt.timer, TIMER_RTC);
    for (unsigned n = 1; n <= 65536; n++) { /* the rates that it has */
        char line[64];
        snprintf(line, sizeof line, "sample=timer timer=rtc period=%u", n);
        if (n >= 4 && n <= 16384 && (n & (n - 1)) == 0)
            assert_int_equal(parse(line), 0);
        else if (n < 20 || n == 10000 || n >= 16383)
            assert_true(parse(line) == 1);
    }
    expect_fault("sample=timer timer=rtc period=100",
                 "the RTC does not have this period|period=100|3|a power of two from 4 to 16384, or auto");
    expect_fault("sample=timer timer=hpet", "unknown value|hpet|2|apic, pit, rtc");
    expect_fault("sample=pmi", "this CPU has no working counter|sample=pmi|1|sample=timer");
    static const struct pmu counting = {.ops = &pmu_p6_ops,
                                        .models = P6_PIII,
                                        .words = &pmu_p6_words,
                                        .counters = 2,
                                        .usable = 1},
                            dead = {
                                .ops = &pmu_p6_ops, .models = P6_PIII, .words = &pmu_p6_words, .counters = 2};
    with.pmu = &dead;
    expect_fault("sample=pmi events=inst_retired", "this CPU has no working counter");
    with.pmu = &counting;
    assert_int_equal(parse("sample=pmi events=inst_retired"), 0);
    assert_int_equal(parse("pmi=nmi buffer=1 sample=pebs events=inst_retired"), 0);
    assert_true(opt.pmi_nmi);
    assert_int_equal(opt.pebs_depth, 1);
    assert_true(opt.pebs.latency == 0 && opt.pebs.data == 0);
    assert_int_equal(parse("sample=pebs events=inst_retired latency=3 data=lbr,addr,time"), 0);
    assert_true(opt.pebs.latency == 3 && opt.pebs.data == (PEBS_LBR | PEBS_ADDR | PEBS_TIME));
    assert_int_equal(parse("sample=pebs events=inst_retired latency=65535 data=cntr,regs,xmm"), 0);
    assert_true(opt.pebs.latency == 65535 && opt.pebs.data == (PEBS_REGS | PEBS_XMM | PEBS_CNTR));
    expect_fault("sample=pebs events=inst_retired latency=2", "number out of range|2|3|3 to 65535");
    expect_fault("sample=pebs events=inst_retired latency=65536", "number out of range");
    expect_fault("sample=pebs events=inst_retired data=addr,ymm,regs",
                 "unknown value|ymm|3|addr, regs, xmm, lbr, time, cntr");
    expect_fault("sample=pebs events=inst_retired data=",
                 "unknown value||3|addr, regs, xmm, lbr, time, cntr");
    expect_fault("sample=pmi events=inst_retired latency=30",
                 "this word does not go with this sample=|latency=30|3|sample=pebs or ibs");
    expect_fault("sample=pmi events=inst_retired data=regs",
                 "this word does not go with this sample=|data=regs|3|sample=pebs");
    expect_fault("latency=30", "this word needs sample=|latency=30|1|sample=pebs, ibs or ibs-fetch");
    expect_fault("data=regs", "this word needs sample=|data=regs|1|sample=pebs");
    expect_fault("sample=pmi timer=pit events=inst_retired",
                 "this word does not go with this sample=|timer=pit|2|sample=timer");
    expect_fault("sample=pmi buffer=1 events=inst_retired",
                 "this word does not go with this sample=|buffer=1|2|sample=pebs");
    assert_int_equal(parse("sample=pmi events=inst_retired period=100 jitter=98"), 0);
    assert_int_equal(parse("sample=pmi events=inst_retired period=1"), 0);
    assert_int_equal(parse("sample=pmi events=inst_retired period=2147483547 jitter=100"), 0);
    expect_fault("sample=pmi events=inst_retired period=100 jitter=99",
                 "period= plus or minus jitter= is out of range|jitter=99|4|");
    expect_fault("sample=pmi events=inst_retired period=2147483548 jitter=100",
                 "period= plus or minus jitter= is out of range");
    expect_fault("sample=pmi events=inst_retired period=1 jitter=1",
                 "period= plus or minus jitter= is out of range");
    expect_fault("sample=pmi", "no event to sample by");
    expect_fault("sample=nmi events=tsc", "no event to sample by");
    with.pmu = &no_pmu;
    static const char *const alone[] = {"period=5", "samples=5", "jitter=5",
                                        "pmi=nmi",  "buffer=5",  "timer=rtc"};
    for (unsigned i = 0; i < 6; i++) expect_fault(alone[i], "this word needs sample=");
    expect_fault("bench=truth sample=timer", "this bench= cannot be sampled");
    assert_int_equal(parse("bench=cascade pmi=nmi"), 0); /* it interrupts, too */
    assert_true(opt.pmi_nmi);
    assert_int_equal(parse("pmi=fixed bench=cascade"), 0);
    expect_fault("bench=cascade period=5", "this word needs sample=");
    expect_fault("bench=cascade pmi=nmi buffer=5", "this word needs sample=|buffer=5|3|");
    expect_fault("bench=truth pmi=nmi", "this word needs sample=");
}

TEST(test_at_once)
{
    static const struct pmu counting = {.ops = &pmu_p6_ops,
                                        .models = P6_PIII,
                                        .words = &pmu_p6_words,
                                        .counters = 2,
                                        .usable = 3,
                                        .width = 40};
    with.pmu = &counting;
    assert_int_equal(parse("bench=beta sample=pmi events=inst_retired,cycles"), 0);
    assert_false(opt.at_once);
    assert_int_equal(parse("bench=beta sample=pmi events=inst_retired,cycles at_once=1"), 0);
    assert_true(opt.at_once);
    assert_int_equal(parse("bench=beta sample=pmi events=inst_retired at_once=0"), 0);
    assert_false(opt.at_once);
    expect_fault("bench=beta sample=pmi events=inst_retired,cycles at_once=2", "unknown value|2|4|0, 1");
    expect_fault("bench=beta sample=pmi events=inst_retired at_once=1",
                 "there are not several events to sample at once|at_once=1|4|events= with two or more");
    expect_fault("bench=beta sample=pebs events=inst_retired,cycles at_once=1",
                 "this word does not go with this sample=|at_once=1|4|sample=pmi");
    expect_fault("bench=beta sample=timer at_once=1",
                 "this word does not go with this sample=|at_once=1|3|sample=pmi");
    expect_fault("bench=beta events=inst_retired,cycles at_once=1", "this word needs sample=|at_once=1|3|");
    expect_fault("bench=trial at_once=1", "this word needs sample=|at_once=1|2|");
    with.processors = 2;
    expect_fault("bench=beta cpu=all sample=pmi events=inst_retired,cycles together=1 at_once=1",
                 "several events or several processors are sampled at once, not both|at_once=1|6|");
    with.processors = 0;
    with.pmu = &no_pmu;
}

TEST(test_ibs)
{
    static const struct pmu counting = {
        .ops = &pmu_p6_ops, .models = P6_PIII, .words = &pmu_p6_words, .counters = 2, .usable = 3};
    assert_int_equal(parse("bench=beta sample=ibs"), 0); /* whether there is one is seen when it is sampled */
    assert_int_equal(opt.sample, SAMPLE_BY_IBS);
    assert_true(!opt.ibs.fetch && !opt.ibs.cycles && !opt.ibs.l3miss && opt.period == 0 && opt.reps == 1);
    assert_int_equal(parse("bench=beta sample=ibs ibs=ops"), 0);
    assert_true(opt.ibs.ops && !opt.ibs.cycles && !opt.ibs.l3miss);
    assert_int_equal(parse("bench=beta ibs=cycles sample=ibs pmi=nmi samples=5 period=144"), 0);
    assert_true(opt.ibs.cycles && !opt.ibs.l3miss && opt.pmi_nmi && opt.period == 144);
    assert_int_equal(parse("bench=beta sample=ibs ibs=l3miss,cycles"), 0);
    assert_true(opt.ibs.cycles && opt.ibs.l3miss);
    assert_int_equal(parse("bench=beta sample=ibs-fetch ibs=l3miss"), 0);
    assert_int_equal(opt.sample, SAMPLE_BY_IBS_FETCH);
    assert_true(opt.ibs.fetch && !opt.ibs.cycles && opt.ibs.l3miss);
    expect_fault("bench=beta sample=ibs ibs=ops,cycles",
                 "a period has one unit|ibs=ops,cycles|3|ibs=ops or ibs=cycles");
    expect_fault("bench=beta sample=ibs ibs=fetches", "unknown value|fetches|3|ops, cycles, l3miss");
    expect_fault("bench=beta sample=ibs ibs=ops,", "unknown value||3|ops, cycles, l3miss");
    for (unsigned i = 0; i < 2; i++)
        expect_fault(i ? "bench=beta sample=ibs-fetch ibs=cycles"
                       : "bench=beta sample=ibs-fetch ibs=ops,l3miss",
                     i ? "a period of fetches is in fetches|ibs=cycles|3|sample=ibs-fetch with ibs=l3miss"
                       : "a period of fetches is in fetches|ibs=ops,l3miss|3|");
    expect_fault("bench=beta ibs=ops", "this word needs sample=|ibs=ops|2|sample=ibs or ibs-fetch");
    expect_fault("bench=trial ibs=ops", "this word needs sample=|ibs=ops|2|");
    expect_fault("bench=beta sample=timer ibs=ops",
                 "this word does not go with this sample=|ibs=ops|3|sample=ibs or ibs-fetch");
    for (unsigned n = 1; n < 100; n++) {
        char line[64];
        snprintf(line, sizeof line, "bench=beta sample=ibs period=%u", n);
        assert_int_equal(parse(line), n % 16 != 0);
    }
    expect_fault("bench=beta sample=ibs period=1000",
                 "IBS counts in steps of 16|period=1000|3|a multiple of 16, or auto");
    expect_fault("bench=beta sample=ibs jitter=16",
                 "the processor itself varies the periods of IBS|jitter=16|3|");
    expect_fault("bench=beta sample=ibs timer=pit", "this word does not go with this sample=|timer=pit|3|");
    expect_fault("bench=beta sample=ibs buffer=3", "this word does not go with this sample=|buffer=3|3|");
    expect_fault("bench=beta sample=ibs at_once=1", "this word does not go with this sample=|at_once=1|3|");
    with.pmu = &counting;
    expect_fault(
        "bench=beta sample=ibs events=inst_retired",
        "IBS samples ops or fetches, not events|sample=ibs|2|sample=ibs or ibs-fetch without events=");
    with.pmu = &no_pmu;
    /* An experiment's event and period are those of a counter. */
    static struct options o;
    assert_int_equal(parse("bench=trial sample=ibs"), 0);
    const struct plan_item *item = plan_at(&plan, 0);
    assert_true(options_sampling(&opt, item, &counting, 0, &o));
    assert_true(o.sample == SAMPLE_BY_IBS && o.n_events == 0 && o.period == 0 && o.ring == 3);
    assert_false(options_sampling(&opt, item, &counting, 1, &o));
}

/* An experiment says how it is sampled; the command line goes before; all but it is as ever. */
TEST(test_experiment)
{
    static struct pmu pmu = {.ops = &pmu_p6_ops,
                             .models = P6_PIII,
                             .words = &pmu_p6_words,
                             .counters = 2,
                             .width = 40,
                             .classes = CLASS_P6};
    static struct options o;
    assert_int_equal(parse("bench=trial jitter=5 buffer=1"), 0); /* words of sampling without sample= */
    expect_fault("bench=trial timer=pit", "this word needs sample=|timer=pit|2|sample=timer");
    assert_true(options_sampling(&opt, plan_at(&plan, 0), &pmu, 0, &o));
    assert_int_equal(o.sample, SAMPLE_BY_PMI);
    assert_int_equal(o.period, 100);
    assert_int_equal(o.ring, 3);
    assert_int_equal(o.reps, 1);
    assert_int_equal(o.warmup, 0);
    assert_int_equal(o.n_events,
                     1); /* the third: the first is none of a Pentium III's, the second another CPU's */
    assert_string_equal(o.event[0].name, "data_mem_refs:u");
    assert_int_equal(o.pebs.latency, 0);
    assert_true(options_sampling(&opt, plan_at(&plan, 0), &pmu, 1, &o));
    assert_int_equal(o.sample, SAMPLE_BY_PEBS);
    assert_string_equal(o.event[0].name, "inst_retired:k");
    assert_int_equal(o.period, 50); /* its own */
    assert_int_equal(o.pebs.latency, 9);
    assert_true(options_sampling(&opt, plan_at(&plan, 0), &pmu, 2, &o));
    assert_int_equal(o.sample, SAMPLE_BY_PEBS); /* another way, by the same method */
    assert_string_equal(o.event[0].name, "data_mem_refs:u");
    assert_int_equal(o.period, 100);
    assert_false(options_sampling(&opt, plan_at(&plan, 0), &pmu, 3, &o));
    pmu.ibs = true;
    assert_true(options_sampling(&opt, plan_at(&plan, 0), &pmu, 3, &o));
    assert_int_equal(o.sample, SAMPLE_BY_IBS);
    assert_int_equal(o.n_events, 0);
    assert_int_equal(o.period, 50);
    pmu.ibs = false;
    pmu.classes = CLASS_NETBURST; /* the third row is not for these */
    assert_true(options_sampling(&opt, plan_at(&plan, 0), &pmu, 0, &o));
    assert_string_equal(o.event[0].name, "inst_retired:u");
    pmu.classes = CLASS_P5;
    assert_true(options_sampling(&opt, plan_at(&plan, 0), &pmu, 0, &o));
    assert_string_equal(o.event[0].name, "inst_retired:u");
    assert_true(options_sampling(&opt, plan_at(&plan, 0), &pmu, 1, &o));
    assert_string_equal(o.event[0].name, "data_mem_refs:u"); /* without CLASS_P5 */
    pmu.classes = CLASS_P6;
    assert_true(options_sampling(&opt, plan_at(&plan, 0), &no_pmu, 0, &o));
    assert_int_equal(o.n_events, 0); /* none fits: the first way, which is refused */
    assert_int_equal(o.sample, SAMPLE_BY_PMI);
    assert_false(options_sampling(&opt, plan_at(&plan, 0), &no_pmu, 1, &o));
    assert_int_equal(parse("bench=trial:n=1000 sample=pmi ring=0 reps=3 warmup=7 period=auto samples=9"), 0);
    assert_true(options_sampling(&opt, plan_at(&plan, 0), &pmu, 0, &o));
    assert_int_equal(o.period, 0);
    assert_int_equal(o.ring, 0);
    assert_int_equal(o.reps, 3);
    assert_int_equal(o.warmup, 7);
    assert_int_equal(o.samples, 9);
    assert_false(options_sampling(&opt, plan_at(&plan, 0), &pmu, 1, &o));
    assert_int_equal(parse("bench=trial sample=pebs latency=33"), 0);
    assert_true(options_sampling(&opt, plan_at(&plan, 0), &pmu, 0, &o));
    assert_string_equal(o.event[0].name, "inst_retired:k"); /* the first by this method */
    assert_int_equal(o.pebs.latency, 33);                   /* the user's */
    assert_int_equal(parse("bench=trial sample=nmi"), 0);   /* which no row has: its first event */
    assert_true(options_sampling(&opt, plan_at(&plan, 0), &pmu, 0, &o));
    assert_int_equal(o.sample, SAMPLE_BY_NMI);
    assert_string_equal(o.event[0].name, "data_mem_refs:u");
    assert_int_equal(parse("bench=trial sample=ibs-fetch"), 0);
    assert_true(options_sampling(&opt, plan_at(&plan, 0), &pmu, 0, &o));
    assert_int_equal(o.period, 0); /* fetches are no events */
    assert_int_equal(parse("bench=trial sample=timer"), 0);
    assert_true(options_sampling(&opt, plan_at(&plan, 0), &pmu, 0, &o));
    assert_int_equal(o.n_events, 0);
    assert_int_equal(o.period, 0); /* events are no ticks */
    expect_fault("bench=trial,beta sample=pmi", "this CPU has no working counter");
    assert_int_equal(parse("bench=beta"), 0);
    assert_false(options_sampling(&opt, plan_at(&plan, 0), &pmu, 0, &o));
    assert_int_equal(parse("bench=beta sample=timer"), 0);
    assert_true(options_sampling(&opt, plan_at(&plan, 0), &pmu, 0, &o));
    assert_int_equal(o.ring, 0);
    assert_int_equal(parse("bench=all"), 0);
    assert_int_equal(plan_items(&plan), 3); /* without it */
}

/* Events whose second register PEBS programs are for it alone. */
TEST(test_events_of_pebs)
{
    static const struct pmu skylake = {.ops = &pmu_arch_ops,
                                       .counters = 4,
                                       .usable = 0xf,
                                       .perfmon = {.general = 4, .constraints = CONSTRAINTS_SKL}};
    with.pmu = &skylake;
    static const char valid[] =
        "an event of PEBS|events=/event=0xcd,umask=0x1,ldlat=30/|%u|sample=pebs, or another event";
    char want[128];
    snprintf(want, sizeof want, valid, 1u);
    expect_fault("events=/event=0xcd,umask=0x1,ldlat=30/", want);
    snprintf(want, sizeof want, valid, 2u);
    expect_fault("sample=pmi events=/event=0xcd,umask=0x1,ldlat=30/", want);
    assert_int_equal(parse("sample=pebs events=/event=0xcd,umask=0x1,ldlat=30/"), 0);
    assert_true(opt.event[0].extra_msr == 0x3f6 && opt.event[0].extra == 30);
    assert_int_equal(parse("events=r01cd"), 0);
    expect_fault("sample=pebs events=/event=0xcd,umask=0x1,ldlat=2/", "unknown event");
}
