/* cpu=, with= and pair= of the command line, on a machine whose firmware lists four processors. */
#include "pmu/families.h"
#include "tests/unit/options_drive.h"
#include "tests/unit/unit.h"
#include <stdio.h>
#include <string.h>

static int four(void **state)
{
    (void)state;
    with.processors = 4;
    return 0;
}

TEST_WITH(places, four, NULL)
{
    static const struct {
        const char *line;
        unsigned processors; /* that are started; 0: only the one that booted */
    } good[] = {{"cpu=0", 0},       {"cpu=1", 2},      {"cpu=3", 4},        {"cpu=0-2", 3},
                {"cpu=1,0", 2},     {"cpu=P", 4},      {"cpu=E,1", 4},      {"cpu=all", 4},
                {"cpu=each", 4},    {"cpu=core:9", 4}, {"cpu=core:0-1", 4}, {"cpu=all cpus=2", 2},
                {"cpus=2 cpu=1", 2}};
    for (unsigned i = 0; i < sizeof good / sizeof *good; i++) {
        assert_int_equal(parse(good[i].line), 0);
        if (opt.processors != good[i].processors) fail_msg("%s starts %u", good[i].line, opt.processors);
    }
    assert_int_equal(parse("reps=3"), 0);
    assert_int_equal(opt.processors, 0);
    assert_null(opt.cpus_measured.s);
    assert_int_equal(parse("cpu=E,1-2"), 0);
    assert_int_equal(opt.cpus_measured.len, 5);
    assert_memory_equal(opt.cpus_measured.s, "E,1-2", 5);
}

TEST_WITH(no_places, four, NULL)
{
    expect_fault("cpu=4", "no such processor|4|1|0 to 3: this machine has 4\n");
    expect_fault("cpu=2-9", "no such processor|2-9|1|");
    expect_fault("cpu=2-1", "no processor|2-1|1|N, N-M, core:N, P, E, all, each; several with commas\n");
    expect_fault("cpu=p", "no processor|p|1|");
    expect_fault("cpu=", "no processor||1|");
    expect_fault("cpu=1,,2", "no processor||1|");
    expect_fault("cpu=core:", "no processor|core:|1|");
    expect_fault("cpu=core:x", "no processor|core:x|1|");
    expect_fault("cpu=99999999999999999999", "no processor|");
    expect_fault("cpu=1 cpu=2", "given twice|cpu=2|2|");
    expect_fault("cpu=3 cpus=2", "another word needs more processors|cpus=2|2|cpus=all, or no cpus=\n");
    with.processors = 1;
    expect_fault("cpu=1", "no such processor|1|1|0: this machine has 1\n");
}

TEST_WITH(together, four, NULL)
{
    assert_int_equal(parse("cpu=all sample=timer"), 0);
    assert_false(opt.together);
    assert_int_equal(parse("together=1 cpu=1-2 sample=timer"), 0);
    assert_true(opt.together);
    assert_int_equal(opt.processors, 3);
    assert_int_equal(parse("cpu=all sample=timer together=0"), 0);
    assert_false(opt.together);
    expect_fault("cpu=all sample=timer together=2", "unknown value|2|3|0, 1\n");
    expect_fault("cpu=all together=1", "this word needs sample=|together=1|2|");
    expect_fault("sample=timer together=1",
                 "no processors to sample together|together=1|2|cpu=all, or other words of cpu=\n");
    expect_fault("cpu=1 with=alpha@0 sample=timer together=1",
                 "those that are sampled together are each other's neighbours|together=1|4|");
}

TEST_WITH(neighbours, four, NULL)
{
    assert_int_equal(parse("with=alpha@1,alpha:variant=b:n=300@2 with=beta:bytes=8K@3"), 0);
    assert_int_equal(opt.n_with, 3);
    assert_ptr_equal(opt.with[0].bench, &alpha);
    assert_int_equal(opt.with[0].variant, 0);
    assert_int_equal(opt.with[0].param[0], 200);
    assert_int_equal(opt.with[0].cpu, 1);
    assert_int_equal(opt.with[1].variant, 1);
    assert_int_equal(opt.with[1].param[0], 300);
    assert_int_equal(opt.with[2].param[0], 8192);
    assert_int_equal(opt.with[2].cpu, 3);
    assert_int_equal(opt.processors, 4);
    assert_int_equal(parse("with=alpha:b:n=300@0 cpu=1"), 0); /* the variant by its name alone */
    assert_int_equal(opt.with[0].variant, 1);
    assert_int_equal(opt.processors, 2);
}

TEST_WITH(no_neighbours, four, NULL)
{
    expect_fault("with=alpha@0", "a neighbour on the processor that is measured|with=alpha@0|1|");
    expect_fault("cpu=2 with=alpha@2", "a neighbour on the processor that is measured|with=alpha@2|2|");
    expect_fault("with=alpha", "no processor for this neighbour|alpha|1|BENCH[:param=value...]@N,");
    expect_fault("with=alpha@x", "no processor for this neighbour|x|1|");
    expect_fault("with=alpha@", "no processor for this neighbour||1|");
    expect_fault("with=@1", "benchmark name missing||1|");
    expect_fault("with=gamma@1", "unknown benchmark|gamma|1|");
    expect_fault("with=alpha@4", "no such processor|4|1|0 to 3: this machine has 4\n");
    expect_fault("with=alpha@1,beta@1", "two neighbours on one processor|1|1|");
    expect_fault("with=alpha@1 with=beta@1", "two neighbours on one processor|1|2|");
    expect_fault("with=alpha:lines=1..3@1", "a range|alpha:lines=1..3|1|one value for each parameter\n");
    expect_fault("with=alpha:x=1@1", "unknown parameter|x=1|1|");
    expect_fault("with=alpha:b:variant=a@1", "given twice|variant=a|1|");
    expect_fault("with=trial@1", "an experiment is no neighbour|trial|1|");
    expect_fault("with=beta:bytes=1M@1", "more memory than is free|");
    expect_fault("bench=truth with=alpha@1", "this bench= takes no neighbours|with=alpha@1|2|");
    assert_int_equal(parse("cpu=1,2 with=alpha@2"), 0); /* judged when it is known who is measured */
}

TEST_WITH(pairs, four, NULL)
{
    assert_int_equal(parse("pair=alpha:b+beta:bytes=4K"), 0);
    assert_true(opt.paired);
    assert_int_equal(plan.n, 0);
    assert_int_equal(opt.pair[0].variant, 1);
    assert_int_equal(opt.pair[1].param[0], 4096);
    assert_int_equal(opt.processors, 4);
    expect_fault("pair=alpha", "a pair needs two benchmarks|alpha|1|");
    expect_fault("pair=alpha+", "benchmark name missing||1|");
    expect_fault("pair=alpha+beta+alpha", "unknown benchmark|beta+alpha|1|");
    expect_fault("pair=alpha+beta bench=alpha", "pair= has its own benchmarks|bench=alpha|2|");
    expect_fault("bench=truth pair=alpha+beta", "pair= has its own benchmarks|bench=truth|1|");
    expect_fault("pair=alpha+beta cpu=1", "pair= chooses its processors by topology|cpu=1|2|");
    expect_fault("pair=alpha+beta with=alpha@1", "pair= has its own neighbours|with=alpha@1|2|");
    static struct pmu known = {.usable = 3, .counters = 2};
    known.ops = &pmu_p6_ops;
    with.pmu = &known;
    expect_fault("pair=alpha+beta events=all",
                 "a pair has up to 64 events|pair=alpha+beta|1|pair= and events=EVENT,");
    with.pmu = &no_pmu;
    with.processors = 1;
    expect_fault("pair=alpha+beta", "a pair needs two processors|alpha+beta|1|");
}

/* ---- events of several PMUs ---- */

static char lacking[64];
static void lacks(void *ctx, const struct text_part *event)
{
    (void)ctx;
    const size_t n = strlen(lacking);
    snprintf(lacking + n, sizeof lacking - n, "%.*s;", (int)event->len, event->s);
}

/* An event that the boot processor's counters lack is a fault, unless others are measured. */
TEST_WITH(events, four, NULL)
{
    static struct options there;
    static struct pmu known;
    assert_int_equal(parse("events=tsc,nothing_like_it"), 1);
    assert_int_equal(parse("cpu=1 events=tsc,nothing_like_it"), 0); /* no counters here at all */
    with.pmu = &known;
    known = (struct pmu){.ops = &pmu_p6_ops, .usable = 3, .counters = 2};
    assert_int_equal(parse("events=tsc,nothing_like_it,inst_retired"), 1);
    assert_int_equal(parse("events=tsc,nothing_like_it,inst_retired cpu=1"), 0);
    assert_true(opt.elsewhere);
    assert_int_equal(opt.n_events, 1);
    assert_int_equal(opt.n_event_words, 2);
    lacking[0] = '\0';
    options_elsewhere(&opt, &known, lacks, NULL, &there);
    assert_string_equal(lacking, "nothing_like_it;");
    assert_int_equal(there.n_events, 1);
    assert_string_equal(there.event[0].name, "inst_retired");
    assert_true(there.tsc);
    lacking[0] = '\0';
    options_elsewhere(&opt, &no_pmu, lacks, NULL, &there);
    assert_string_equal(lacking, "nothing_like_it;inst_retired;");
    assert_int_equal(there.n_events, 0);
    with.pmu = &no_pmu;
}
