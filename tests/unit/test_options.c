/* The command line's meaning: every key, every fault, and the plan that comes of it. */
#include "measure/reduce.h"
#include "pmu/p5.h"
#include "pmu/p6.h"
#include "tests/unit/options_drive.h"
#include "tests/unit/plan_at.h"
#include "tests/unit/unit.h"
#include <stdio.h>
#include <string.h>

TEST(test_defaults)
{
    assert_int_equal(parse(""), 0);
    assert_int_equal(plan_items(&plan), 2); /* the main job: alpha in both variants */
    assert_ptr_equal(plan_at(&plan, 0)->bench, &alpha);
    assert_int_equal(plan_at(&plan, 1)->variant, 1);
    assert_int_equal(plan_at(&plan, 0)->param[0], 200);
    assert_int_equal(opt.reps, REPS_DEF);
    assert_int_equal(opt.conf, 95);
    assert_int_equal(opt.serialize, SERIALIZE_CPUID);
    assert_true(opt.text && opt.records && !opt.all && !opt.cull && !opt.usb_keep && !opt.again);
    assert_true(opt.tsc && opt.n_events == 0 && opt.ring == 0);
}

TEST(test_processors)
{
    static const struct {
        const char *line;
        unsigned processors, rest;
        bool given;
    } right[] = {{"", 0, 0, false},
                 {"cpus=1", 0, 0, false},
                 {"cpus=2", 2, 0, false},
                 {"cpus=7 rest=spin", 7, REST_SPIN, true},
                 {"cpus=all rest=mwait", 7, REST_MWAIT, true},
                 {"rest=hlt", 0, REST_HLT, true}};
    with.processors = 7;
    for (unsigned i = 0; i < sizeof right / sizeof *right; i++) {
        assert_int_equal(parse(right[i].line), 0);
        assert_int_equal(opt.processors, right[i].processors);
        assert_int_equal(opt.rest, right[i].rest);
        assert_int_equal(opt.rest_given, right[i].given);
    }
    static const char *const wrong[] = {"0", "x", "2x", "-1", "1K", ""};
    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char line[32], fault[64];
        snprintf(line, sizeof line, "cpus=%s", wrong[i]);
        snprintf(fault, sizeof fault, "not a number of processors|%s|1|1 to 7, or all", wrong[i]);
        expect_fault(line, fault);
    }
    expect_fault("cpus=8", "more processors than there are|8|1|1 to 7, or all: so many are listed");
    expect_fault("cpus=300", "more processors than there are|300|1|1 to 7");
    expect_fault("rest=foo", "unknown value|foo|1|hlt, mwait, spin");
    expect_fault("cpus=2 cpus=2", "given twice");
    const struct cpu_id *id = with.id, old = {.vendor = "GenuineIntel"};
    with.id = &old;
    expect_fault("rest=mwait", "this CPU has no MWAIT|mwait|1|hlt, spin");
    with.id = id;
    with.processors = 0; /* not known: the one that booted */
    assert_int_equal(parse("cpus=all"), 0);
    assert_int_equal(opt.processors, 0);
    expect_fault("cpus=2", "more processors than there are|2|1|1 to 1");
}

TEST(test_keys)
{
    static const char *const ports[] = {"auto",
                                        "spcr",
                                        "pci:00:16.3",
                                        "pci:0:3.0,9600",
                                        "com4,1200",
                                        "mmio:0xfe034001",
                                        "mmio16:0xfe034000",
                                        "mmio32:0xffffffe034000,115200",
                                        "COM1",
                                        "ttyS0,115200n8",
                                        "0X3F8,115200",
                                        "uart8250,io,0x3f8",
                                        "uart8250,mmio32,0xFE034000,115200n8"};
    for (unsigned i = 0; i < sizeof ports / sizeof *ports; i++) {
        char line[120];
        snprintf(line, sizeof line, "console=%s records=%s", ports[i], i ? ports[i] : "none");
        assert_int_equal(parse(line), 0);
    }
    assert_int_equal(
        parse("bench=beta reps=7 warmup=0 conf=99 all=1 cull=flagged serialize=lfence tsc=133000000 "
              "console=0x3e8,9600 records=com2 text=none exit=reboot events=tsc"),
        0);
    assert_int_equal(plan_items(&plan), 1);
    assert_int_equal(plan_at(&plan, 0)->param[0], PARAM_AUTO);
    assert_int_equal(opt.reps, 7);
    assert_int_equal(opt.warmup, 0);
    assert_int_equal(opt.conf, 99);
    assert_true(opt.all && opt.cull && !opt.text && opt.records);
    assert_int_equal(opt.serialize, SERIALIZE_LFENCE);
    assert_int_equal(opt.tsc_hz, 133000000);
    assert_memory_equal(opt.records_to, "com2 ", 5);
    assert_int_equal(opt.exit, EXIT_REBOOT);
    assert_int_equal(parse("usb=keep"), 0);
    assert_true(opt.usb_keep);
    assert_int_equal(parse("usb=take"), 0);
    assert_false(opt.usb_keep);
    assert_int_equal(parse("screen=on exit=qr"), 0);
    assert_true(opt.codes && !opt.screen_off);
    assert_int_equal(parse("screen=off exit=halt"), 0);
    assert_true(opt.screen_off && !opt.codes);
    assert_int_equal(parse("again=16"), 0);
    assert_int_equal(opt.again, AGAIN_MAX);
    assert_int_equal(parse("again=17"), 1);
    assert_int_equal(parse("again="), 1);
    assert_int_equal(parse("records=none"), 0);
    assert_false(opt.records);
}

/* Judged here, obeyed before (boot/main.c). */
TEST(test_apic)
{
    assert_int_equal(parse("apic=on"), 0);
    assert_int_equal(parse("apic=found"), 0);
    assert_int_equal(parse("apic=onn"), 1);
    assert_string_equal(faults, "unknown value|onn|1|found, on\n");
    assert_int_equal(parse("apic=on apic=found"), 1);
}

TEST(test_bench_words)
{
    assert_int_equal(parse("bench=all"), 0);
    assert_int_equal(plan_items(&plan), 3); /* hidden ones are not in it */
    assert_int_equal(parse("bench=list"), 0);
    assert_int_equal(opt.action, ACTION_LIST);
    assert_int_equal(plan_items(&plan), 0);
    assert_int_equal(parse("bench=secret"), 0);
    assert_int_equal(plan_items(&plan), 1);
    assert_int_equal(parse("bench=beta:bytes=64K,alpha:variant=b:n=300:lines=3..5,alpha:lines=64:variant=a"),
                     0);
    assert_int_equal(plan_items(&plan), 5);
    assert_int_equal(plan_at(&plan, 0)->param[0], 65536);
    for (unsigned i = 1; i <= 3; i++) {
        assert_int_equal(plan_at(&plan, i)->variant, 1);
        assert_int_equal(plan_at(&plan, i)->param[0], 300);
        assert_int_equal(plan_at(&plan, i)->param[1], 2 + i);
    }
    assert_int_equal(plan_at(&plan, 4)->param[1], 64);
}

TEST(test_memory)
{
    const uint64_t memory = with.memory;
    with.memory = 0; /* the payload has no data */
    assert_int_equal(parse("bench=alpha"), 0);
    expect_fault("bench=beta:bytes=4096", "more memory than is free|");
    with.memory = 4096;
    assert_int_equal(parse("bench=beta:bytes=4096"), 0);
    expect_fault("bench=beta:bytes=8K",
                 "more memory than is free|beta:bytes=8K|1|at most 4096 bytes; this needs 8192");
    with.memory = memory;
}

TEST(test_find)
{
    assert_int_equal(parse("events=find:L1D,x"), 0);
    assert_true(opt.list_events);
    assert_string_equal(opt.find, "l1d,x");
    assert_int_equal(parse("events=find:L2+MISS"), 0);
    assert_string_equal(opt.find, "l2+miss");
    expect_fault("events=find:++", "nothing to find|++|1|");
    assert_int_equal(parse("events=list"), 0);
    assert_true(opt.list_events);
    assert_string_equal(opt.find, "");
}

/* On a CPU with counters; the time stamp comes along. */
TEST(test_every_event)
{
    static struct pmu p6 = {.model = "Pentium III", .counters = 2, .usable = 3};
    const struct pmu *before = with.pmu;
    expect_fault("events=all", "this CPU has no performance counters that this kernel knows|all|1|tsc");
    p6.ops = &pmu_p6_ops;
    with.pmu = &p6;
    assert_int_equal(parse("events=all"), 0);
    assert_true(opt.every_event && opt.tsc);
    assert_int_equal(opt.n_events, 0);
    expect_fault("events=inst_retired,all", "not part of a list|all|1|events=all alone");
    expect_fault("bench=beta events=all sample=pmi", "all events are counted, not sampled|sample=pmi|3|");
    assert_int_equal(parse("events=inst_retired"), 0);
    assert_false(opt.every_event);
    with.pmu = before;
}

/* Its terms are counted, each once; several, and those with names. */
TEST(test_ratio)
{
    static struct pmu p6 = {.model = "Pentium III", .models = P6_PIII, .counters = 2, .usable = 3};
    const struct pmu *before = with.pmu;
    p6.ops = &pmu_p6_ops;
    p6.words = &pmu_p6_words;
    with.pmu = &p6;
    assert_int_equal(parse("ratio=inst_retired/cpu_clk_unhalted,l1d-miss-ratio"), 0);
    assert_int_equal(opt.n_ratios, 2);
    assert_int_equal(opt.n_events, 4);
    assert_null(opt.ratio[0].named);
    assert_int_equal(opt.ratio[0].over.len, 12);
    assert_memory_equal(opt.ratio[0].under.s, "cpu_clk_unhalted", 16);
    assert_string_equal(opt.ratio[1].named->under, "data_mem_refs");
    assert_string_equal(opt.event[2].name, "dcu_lines_in");
    assert_int_equal(
        parse("events=inst_retired ratio=/event=0xc0,umask=0/u//event=0x79,cmask=1/,r43:u/r79:u"), 0);
    assert_int_equal(opt.n_events, 5);
    assert_int_equal(opt.n_ratios, 2);
    assert_int_equal(opt.ratio[0].over.len, 21);
    assert_int_equal(parse("ratio=cycles/instructions,cpi,ipc"), 0); /* the same two */
    assert_int_equal(opt.n_events, 2);
    assert_int_equal(parse("ratio=list"), 0);
    assert_true(opt.list_ratios && opt.list_events);
    expect_fault("ratio=ipcs", "unknown ratio|ipcs|1|EVENT/EVENT, or a name that ratio=list shows");
    expect_fault("ratio=v-pipe-share", "unknown ratio|v-pipe-share|1|"); /* the Pentium's */
    expect_fault("ratio=inst_retired", "unknown ratio|");
    expect_fault("ratio=", "unknown ratio||1|");
    expect_fault("ratio=ipc,", "unknown ratio||1|");
    expect_fault("ratio=inst_retired/bogus", "unknown event|bogus|1|");
    expect_fault("ratio=inst_retired/", "unknown event||1|");
    expect_fault("ratio=r79/r79/r79", "a ratio has two terms|r79/r79/r79|1|EVENT/EVENT[,");
    expect_fault("ratio=ipc events=all",
                 "this word does not go with another|ratio=ipc|1|ratio= or events=all");
    expect_fault("bench=beta ratio=ipc sample=pmi",
                 "this word does not go with another|ratio=ipc|2|this word or sample=");
    expect_fault("bench=truth ratio=ipc", "this word does not go with another|ratio=ipc|2|bench= with names");
    assert_int_equal(parse("ratio=ipc,ipc,ipc,ipc,ipc,ipc,ipc,ipc,ipc,ipc,ipc,ipc,ipc,ipc,ipc,ipc"), 0);
    expect_fault("ratio=ipc,ipc,ipc,ipc,ipc,ipc,ipc,ipc,ipc,ipc,ipc,ipc,ipc,ipc,ipc,ipc,cpi",
                 "too many ratios|cpi|1|at most 16, and 64");
    /* Both terms of a ratio need room, though they may be counted already. */
    char line[64 * sizeof "r00," + 32];
    for (unsigned n = 62; n <= 63; n++) {
        size_t used = (size_t)snprintf(line, sizeof line, "ratio=r3e/r3f events=r00");
        for (unsigned i = 1; i < n; i++)
            used += (size_t)snprintf(line + used, sizeof line - used, ",r%02x", i);
        snprintf(line, sizeof line, "%s ratio=r3e/r3f", strstr(line, "events="));
        if (n == 63)
            expect_fault(line, "too many ratios|r3e/r3f|2|at most 16, and 64");
        else
            assert_int_equal(parse(line), 0);
    }
    assert_int_equal(EVENTS_MAX, 64);
    with.pmu = before;
}

TEST(test_faults)
{
    expect_fault("bench=gamma", "unknown benchmark|gamma|1|all, list, truth, tags, cascade or article by "
                                "itself, alpha, beta, trial\n");
    expect_fault("bench=", "benchmark name missing||1|");
    expect_fault("bench=alpha,", "benchmark name missing||1|");
    expect_fault("bench=alpha:x=1", "unknown parameter|x=1|1|n=, lines=, variant=a|b");
    expect_fault("bench=alpha:n", "parameter without a value|n|1|");
    expect_fault("bench=secret:n=1", "unknown parameter|n=1|1|secret takes no parameters");
    expect_fault("bench=alpha:n=150",
                 "number between two steps|150|1|n=100 to 1000 in steps of 100; K, M or G");
    expect_fault("bench=alpha:lines=0", "number out of range|0|1|lines=1 to 64, or a range");
    expect_fault("bench=alpha:lines=5..3", "range that ends before it begins|5..3|1|");
    expect_fault("bench=alpha:lines=1..", "not a number|1..|1|");
    expect_fault("bench=alpha:n=100..200",
                 "this parameter takes no range|100..200|1|one value from 100 to 1000");
    expect_fault("bench=beta:bytes=99999999999999999999", "number out of range|");
    expect_fault("bench=beta:bytes=4M", "number out of range|4M|1|");
    expect_fault("bench=beta:bytes=512K",
                 "more memory than is free|beta:bytes=512K|1|at most 262144 bytes; this needs 524288");
    expect_fault("bench=alpha:n=100:n=200", "given twice|n=200|1|n= once");
    expect_fault("bench=alpha:variant=a:variant=b", "given twice|variant=b|1|");
    expect_fault("text=none records=none", "text=none and records=none||0|");
    expect_fault("serialize=serialize", "unknown value|serialize|1|cpuid, lfence");
    expect_fault("bench=alpha:variant=c", "unknown variant|c|1|a, b");
    expect_fault("reps=0", "number out of range|0|1|1 to 1000000, in digits\n");
    expect_fault("reps=1000001", "number out of range|1000001|1|");
    expect_fault("reps=-1", "not a number|-1|1|");
    expect_fault("reps=5x", "not a number|5x|1|");
    expect_fault("reps=", "not a number||1|");
    expect_fault("reps=10K", "not a number|10K|1|1 to 1000000, in digits\n");
    expect_fault("reps=99999999999999999999", "number out of range|");
    expect_fault("bench=alpha:n=1k", "not a number|1k|1|");
    expect_fault("bench=beta:bytes=1KK", "not a number|1KK|1|");
    expect_fault("bench=alpha:lines=1,2",
                 "a comma begins another benchmark, but this is a number|2|1|one value, or a range such as");
    expect_fault("conf=90", "unknown value|90|1|95, 99");
    expect_fault("all=yes", "unknown value|yes|1|0, 1");
    expect_fault("serialize=mfence", "unknown value|mfence|1|cpuid, lfence");
    expect_fault("events=inst_retired",
                 "this CPU has no performance counters that this kernel knows|inst_retired|1|tsc");
    expect_fault("events=find:", "nothing to find||1|find: and 1 to 63 characters, such as find:l2+miss\n");
    expect_fault("events=find:0123456789012345678901234567890123456789012345678901234567890123",
                 "too long|0123456789012345678901234567890123456789012345678901234567890123|1|");
    expect_fault("exit=now", "unknown value|now|1|" EXIT_HELP);
    expect_fault("exit=wait,now", "unknown value|wait,now|1|" EXIT_HELP);
    expect_fault("exit=wait records=none", "exit=wait and records=none||0|one of them");
    expect_fault("console=com9", "not a serial port|com9|1|auto, com1");
    expect_fault("console=auto,9600", "not a serial port|auto,9600|1|auto, com1");
    expect_fault("records=auto",
                 "not a serial port|auto|1|none, com1"); /* as the console: then none is named */
    expect_fault("console=pci:00:20.0", "not a serial port|pci:00:20.0|1|");
    expect_fault("console=mmio32:0xfe034001", "not a serial port|mmio32:0xfe034001|1|");
    expect_fault("console=com1,7", "not a serial port|com1,7|1|");
    expect_fault("console=ttyUSB0,115200", "not a serial port|ttyUSB0,115200|1|auto, com1");
    expect_fault("console=COM1,115200e7", "not a serial port|COM1,115200e7|1|auto, com1");
    expect_fault("console=uart8250,io,com1", "not a serial port|uart8250,io,com1|1|auto, com1");
    expect_fault("records=lpt", "not a serial port|lpt|1|none, com1");
    expect_fault("usb=off", "unknown value|off|1|take, keep");
    expect_fault("screen=dark", "unknown value|dark|1|on, off");
    expect_fault("exit=qr,halt screen=off", "exit=qr and screen=off||0|one of them");
    expect_fault("text=off", "unknown value|off|1|none, on");
    expect_fault("tsc=5", "number out of range|5|1|1000000 to 100000000000");
    expect_fault("reps=5 nonsense=1", "unknown word|nonsense=1|2|bench= ");
}

/* Words that choose: which value means what, and for which of them. */
TEST(test_choices)
{
    assert_int_equal(parse(""), 0);
    assert_false(opt.off[CONTROL_TURBO] || opt.off[CONTROL_PREFETCH] || opt.usb_keep || opt.cull);
    assert_int_equal(parse("turbo=off"), 0);
    assert_true(opt.off[CONTROL_TURBO] && !opt.off[CONTROL_PREFETCH]);
    assert_int_equal(parse("prefetch=off turbo=found"), 0);
    assert_true(opt.off[CONTROL_PREFETCH] && !opt.off[CONTROL_TURBO]);
    assert_int_equal(parse("usb=keep cull=flagged apic=on"), 0);
    assert_true(opt.usb_keep && opt.cull);
    assert_int_equal(parse("usb=take cull=none apic=found"), 0);
    assert_false(opt.usb_keep || opt.cull);
    expect_fault("turbo=on", "unknown value|on|1|found, off");
}

/* A word that this CPU has nothing for is none at any level; behind it stands nothing else, as behind others.
 */
TEST(test_absent)
{
    static const struct pmu p5 = {.ops = &pmu_p5_ops,
                                  .models = P5_PLAIN,
                                  .words = &pmu_p5_words,
                                  .counters = 2,
                                  .width = 40,
                                  .usable = 3};
    with.pmu = &p5;
    assert_int_equal(parse("events=branch-misses"), 0);
    assert_string_equal(opt.absent, "branch-misses");
    assert_int_equal(parse("events=branch-misses:u,instructions:u,branch-misses:uk"), 0);
    assert_string_equal(opt.absent, "branch-misses, branch-misses");
    assert_int_equal(opt.n_events, 1);
    assert_false(opt.tsc);
    char many[200] = "events=branch-misses";
    while (strlen(many) + sizeof ",branch-misses" < sizeof many) strcat(many, ",branch-misses");
    assert_int_equal(parse(many), 0);
    assert_string_equal(opt.absent + strlen(opt.absent) - 18, "branch-misses, ...");
    expect_fault("events=branch-misses:edge", "unknown event|branch-misses:edge|1|");
    expect_fault("events=branch-missesu",
                 "unknown event|branch-missesu|1|events=list shows all, events=find:WORD+WORD finds "
                 "some|a ");
    with.pmu = &no_pmu;
}

/* A benchmark whose variants are found: by name, all of them, and what is said where there are none. */
static unsigned there;
static bool reported;
static unsigned found_n(void) { return there; }
static struct program found_program(unsigned i)
{
    static char name[40];
    snprintf(name, sizeof name, "a_snippet_of_a_longer_name_%u", i);
    return (struct program){.name = "found", .variant = name};
}
static const char *found_missing(void) { return reported ? NULL : "a module"; }
static const struct bench_found finder = {found_n, found_program, found_missing};
static const struct bench found = {.program = {.name = "found", .users = true},
                                   .op = "op",
                                   BENCH_PARAM_LIST({"size", "bytes", "", 1, 4096, STEP_DOUBLES, 64, true},
                                                    {"loop", "", "", 0, 9, 1, 0, true}),
                                   .found = &finder};

TEST(test_found)
{
    static const struct bench *const benches[] = {&alpha, &found};
    const struct options_context before = with;
    with.bench = benches;
    with.n_bench = 2;
    there = 0;
    reported = false;
    expect_fault("bench=found", "nothing to measure|found|1|a module");
    expect_fault("bench=found:variant=x", "nothing to measure|found:variant=x|1|a module");
    reported = true;
    assert_int_equal(parse("bench=found,alpha"), 0);
    assert_int_equal(plan_items(&plan), 2);
    there = 12000;
    assert_int_equal(parse("bench=found:variant=a_snippet_of_a_longer_name_11999:size=128,alpha"), 0);
    assert_int_equal(plan_items(&plan), 3);
    assert_int_equal(plan_at(&plan, 0)->variant, 11999);
    assert_int_equal(parse("bench=found:loop=0..2"), 0);
    assert_int_equal(plan_items(&plan), 36000);
    expect_fault("bench=found:variant=x",
                 "unknown variant|x|1|a_snippet_of_a_longer_name_0, a_snippet_of_a_longer_name_1, "
                 "a_snippet_of_a_longer_name_2, a_snippet_of_a_longer_name_3, a_snippet_of_a_longer_name_4, "
                 "a_snippet_of_a_longer_name_5, ...");
    expect_fault("bench=found:size=96", "no power of two|96|1|size=1 to 4096, a power of two");
    expect_fault("bench=found:size=8192", "number out of range|8192|");
    assert_int_equal(parse("bench=found:variant=a_snippet_of_a_longer_name_1:size=2..64"), 0);
    assert_int_equal(plan_items(&plan), 6);
    assert_int_equal(plan_at(&plan, 5)->param[0], 64);
    assert_string_equal(plan_at(&plan, 2)->sweep, "size");
    expect_fault("bench=found:y=1",
                 "unknown parameter|y=1|1|size=, loop=, variant=a_snippet_of_a_longer_name_0|a_snippet_"
                 "of_a_longer_name_1|...");
    expect_fault("bench=found sample=timer", "snippets are counted, not sampled|sample=timer|2|");
    there = 1;
    expect_fault("bench=found:variant=x", "unknown variant|x|1|a_snippet_of_a_longer_name_0\n");
    with = before;
}

TEST(test_stack)
{
    assert_int_equal(parse("bench=alpha"), 0);
    assert_int_equal(opt.stack, 0);
    assert_int_equal(parse("stack=16384"), 0);
    assert_int_equal(opt.stack, 16384);
    assert_int_equal(parse("stack=1M"), 0);
    assert_int_equal(opt.stack, 1 << 20);
    expect_fault("stack=16383", "not a size of a stack|16383|1|16384 to 268435456 bytes; K or M may follow");
    expect_fault("stack=257M", "not a size of a stack|257M|1|");
    expect_fault("stack=-1", "not a size of a stack|-1|1|");
    expect_fault("stack=much", "not a size of a stack|much|1|");
    expect_fault("stack=1M stack=1M", "given twice|stack=1M|2|stack= once");
}

/* Without bench= the benchmarks of the user's modules are run, experiments and snippets among them, in place
 * of the main job. */
static void run_nothing(struct lab *lab) { (void)lab; }
static void nothing(void *arg) { (void)arg; }
TEST(test_modules)
{
    static const struct bench mine = {.program = {.name = "mine", .payload = nothing, .users = true},
                                      .op = "call"},
                              asks = {.program = {.name = "asks", .users = true},
                                      .op = "call",
                                      .experiment = run_nothing},
                              unseen = {.program = {.name = "unseen", .payload = nothing, .users = true},
                                        .op = "call",
                                        .hidden = true};
    static const struct bench *const benches[] = {&alpha, &found, &unseen, &mine, &asks};
    const struct options_context before = with;
    with.bench = benches;
    with.n_bench = 5;
    there = 0;
    assert_int_equal(parse("reps=3"), 0); /* no modules */
    assert_int_equal(plan.n, 1);
    assert_false(opt.modules_default);
    with.modules = true;
    assert_int_equal(parse("reps=3"), 0);
    assert_int_equal(plan.n, 2); /* no snippets are there */
    assert_string_equal(plan.line[0].bench->program.name, "mine");
    assert_string_equal(plan.line[1].bench->program.name, "asks");
    assert_true(opt.modules_default);
    there = 3;
    assert_int_equal(parse(""), 0);
    assert_int_equal(plan_items(&plan), 3 + 2);
    expect_fault("sample=timer", "snippets are counted, not sampled|sample=timer|1|");
    there = 0;
    expect_fault("sample=timer", "an experiment measures by itself|sample=timer|1|");
    with.n_bench = 4;
    assert_int_equal(parse("sample=timer"), 0);
    assert_int_equal(parse("bench=alpha"), 0);
    assert_false(opt.modules_default);
    assert_string_equal(plan.line[0].bench->program.name, "alpha");
    assert_int_equal(parse("exit=monitor"), 0); /* at the prompt one says what to measure */
    assert_int_equal(plan.n, 0);
    with.n_bench = 2; /* all modules were refused */
    assert_int_equal(parse(""), 0);
    assert_int_equal(plan.n, 0);
    assert_true(opt.modules_default);
    with = before;
}

TEST(test_many_faults)
{
    assert_int_equal(parse("reps=0 bench=x,y conf=1"), 4);
    assert_int_equal(parse("reps reps=1 reps=2"), 2);
    assert_non_null(strstr(faults, "word without a value|reps|1|reps=..."));
    assert_non_null(strstr(faults, "given twice|reps=2|3|"));
    assert_int_equal(parse("reps=5\001"), 1);
    assert_non_null(strstr(faults, "control character|"));
    assert_int_equal(parse("bench=alpha:lines=1..64:n=300,alpha:lines=2..4"), 0);
    assert_int_equal(plan_items(&plan), 2 * 64 + 2 * 3);
    char line[16 + 8 * (PLAN_LINES + 1)] = "bench=secret"; /* as many as a plan holds, and one more */
    for (unsigned i = 1; i < PLAN_LINES; i++) strcat(line, ",secret");
    assert_int_equal(parse(line), 0);
    assert_int_equal(plan_items(&plan), PLAN_LINES);
    assert_int_equal(parse(strcat(line, ",beta")), 1);
    assert_non_null(strstr(faults, "too many benchmarks|beta|"));
}
