/* branches= of the command line: its words, and what it samples by without sample=. */
#include "pmu/arch.h"
#include "pmu/lbr.h"
#include "tests/unit/options_drive.h"
#include "tests/unit/unit.h"
#include <stdio.h>
#include <string.h>

static struct pmu counting(uint32_t classes, const struct pmu_ops *ops)
{
    return (struct pmu){.ops = ops,
                        .words = &pmu_words_arch,
                        .counters = 4,
                        .usable = 15,
                        .width = 48,
                        .models = 0x7f,
                        .classes = classes,
                        .perfmon.general = 4};
}

TEST(words)
{
    static const struct {
        const char *word;
        unsigned branches;
    } want[] = {
        {"lbr", LBR_ANY},
        {"lbr:any", LBR_ANY},
        {"lbr:u", LBR_ANY | LBR_RING3},
        {"lbr:any,u,k", LBR_ANY | LBR_RINGS},
        {"lbr:cond", LBR_COND},
        {"lbr:any_call", LBR_REL_CALL | LBR_IND_CALL | LBR_FAR},
        {"lbr:any_ret", LBR_RET | LBR_FAR},
        {"lbr:call", LBR_REL_CALL},
        {"lbr:ind_call,ind_jmp", LBR_IND_CALL | LBR_IND_JMP},
        {"lbr:cond,any_ret,k", LBR_COND | LBR_RET | LBR_FAR | LBR_RING0},
        {"lbr:call_stack", LBR_CALL_STACK | LBR_REL_CALL | LBR_IND_CALL | LBR_RET},
        {"lbr:stack,u", LBR_CALL_STACK | LBR_REL_CALL | LBR_IND_CALL | LBR_RET | LBR_RING3},
    };
    const struct pmu pmu = counting(CLASS_ARCH, &pmu_arch_ops);
    char line[80];
    with.pmu = &pmu;
    for (unsigned i = 0; i < sizeof want / sizeof *want; i++) {
        snprintf(line, sizeof line, "bench=beta sample=timer branches=%s", want[i].word);
        if (parse(line)) fail_msg("%s: %s", line, faults);
        assert_int_equal(opt.branches, want[i].branches);
    }
    assert_int_equal(parse("bench=beta"), 0);
    assert_int_equal(opt.branches, 0);
    expect_fault(
        "bench=beta branches=bts",
        "unknown value|bts|2|lbr, or lbr: and kinds of branches: any, any_call, any_ret, call_stack, stack, "
        "call, ind_call, ind_jmp, cond, u, k");
    expect_fault("bench=beta branches=lbr:any,calls",
                 "unknown kind of branches|calls|2|any, any_call, any_ret,");
    expect_fault("bench=beta branches=lbr:", "unknown kind of branches||2|");
    expect_fault("bench=beta branches=lbr:any,", "unknown kind of branches||2|");
    expect_fault("bench=beta branches=LBR", "unknown value|LBR|2|lbr");
    expect_fault("bench=beta branches=lbr:call_stack,cond",
                 "a call stack is made of calls and returns alone|lbr:call_stack,cond|2|lbr:call_stack");
    expect_fault("bench=beta branches", "word without a value");
    expect_fault("bench=beta sample=pebs buffer=4 events=r20c4 branches=lbr",
                 "the branches are read at each interrupt|buffer=4|3|buffer=1");
    assert_int_equal(parse("bench=beta sample=pebs buffer=4 events=r20c4 branches=lbr data=lbr"), 0);
    with.pmu = &no_pmu;
}

/* The event that counts branches that are taken, at the payload's ring. */
TEST(by_default)
{
    static const struct {
        uint32_t classes;
        bool amd;
        const char *user, *kernel;
    } want[] = {
        {CLASS_ARCH | CLASS_BRIDGE, false, "r20c4:u", "r20c4:k"},
        {CLASS_ARCH | CLASS_BRIDGE | CLASS_LAKE, false, "r20c4:u", "r20c4:k"},
        {CLASS_ARCH | CLASS_CORE2, false, "r0cc4:u", "r0cc4:k"},
        {CLASS_AMD | CLASS_ZEN, true, "r00c4:u", "r00c4:k"},
        {CLASS_ARCH, false, "branches:u", "branches:k"},
    };
    for (unsigned i = 0; i < sizeof want / sizeof *want; i++) {
        const struct pmu pmu = counting(want[i].classes, want[i].amd ? &pmu_amd_ops : &pmu_arch_ops);
        with.pmu = &pmu;
        if (parse("bench=beta branches=lbr")) fail_msg("%s", faults);
        assert_int_equal(opt.sample, SAMPLE_BY_PMI);
        assert_int_equal(opt.ring, 3);
        assert_int_equal(opt.reps, 1);
        assert_int_equal(opt.n_events, 1);
        assert_false(opt.tsc);
        assert_string_equal(opt.event[0].name, want[i].user);
        assert_int_equal(opt.n_event_words, 1); /* of which other processors are asked, too */
        assert_memory_equal(opt.event_word[0].s, want[i].user, opt.event_word[0].len);
        assert_int_equal(parse("bench=beta branches=lbr ring=0"), 0);
        assert_string_equal(opt.event[0].name, want[i].kernel);
        assert_int_equal(parse("bench=beta branches=lbr sample=pmi"), 0); /* ring 0, as without branches= */
        assert_string_equal(opt.event[0].name, want[i].kernel);
        assert_int_equal(opt.ring, 0);
        if (want[i].amd) continue;
        assert_int_equal(parse("bench=beta branches=lbr events=instruction_retired:u period=100"), 0);
        assert_int_equal(opt.sample, SAMPLE_BY_PMI);
        assert_int_equal(opt.n_events, 1);
        assert_int_equal(opt.period, 100);
        assert_string_equal(opt.event[0].name, "instruction_retired:u");
        assert_int_equal(parse("bench=beta branches=lbr sample=timer"), 0);
        assert_int_equal(opt.n_events, 0);
        assert_int_equal(opt.sample, SAMPLE_BY_TIMER);
    }
    const struct pmu pmu = counting(CLASS_ARCH, &pmu_arch_ops);
    with.pmu = &pmu;
    expect_fault("bench=beta sample=pebs branches=lbr", "no event to sample by");
    expect_fault("bench=truth branches=lbr", "this bench= cannot be sampled|branches=lbr|2|");
    with.processors = 2;
    expect_fault("pair=alpha+beta branches=lbr", "a pair is counted, not sampled|branches=lbr|2|");
    assert_int_equal(parse("bench=trial branches=lbr"), 0); /* it samples by itself */
    assert_int_equal(opt.sample, SAMPLE_BY_NONE);
    assert_int_equal(opt.branches, LBR_ANY);
    with.pmu = &no_pmu;
    expect_fault("bench=beta branches=lbr", "this CPU has no working counter|branches=lbr|2|");
}
