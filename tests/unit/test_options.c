/* The command line's meaning: every key, every fault, and the plan that comes of it. */
#include "bench/experiment.h"
#include "measure/options.h"
#include "pmu/p5.h"
#include "pmu/p6.h"
#include "tests/unit/unit.h"
#include <stdio.h>
#include <string.h>

static void payload(void *arg) { (void)arg; }

static uint64_t beta_memory(const int64_t *param, const struct cache_info *caches)
{
    (void)caches;
    return (uint64_t)param[0];
}

static uint32_t half(const int64_t *param) { return (uint32_t)param[0] / 2; }
static const struct bench_sampling own = {
    .event = {"nothing_like_it", "data_mem_refs:u"}, .by = {SAMPLE_BY_PMI, SAMPLE_BY_PEBS}, .period = half};

static const struct bench alpha = {.program = {.name = "alpha"},
                                   .op = "op",
                                   .main_job = true,
                                   BENCH_PARAM_LIST({"n", "ops", "", 100, 1000, 100, 200, false},
                                                    {"lines", "lines", "", 1, 64, 1, 8, true}),
                                   .variant = {{"a", payload}, {"b", payload}}},
                          beta = {.program = {.name = "beta", .payload = payload},
                                  .op = "op",
                                  BENCH_PARAM_LIST(
                                      {"bytes", "bytes", "", 4096, 1 << 20, 4096, PARAM_AUTO, false}),
                                  .memory = beta_memory},
                          trial = {.program = {.name = "trial", .payload = payload},
                                   .op = "op",
                                   .main_job = true,
                                   BENCH_PARAM_LIST({"n", "ops", "", 100, 1000, 100, 200, false}),
                                   .sampling = &own},
                          secret = {
                              .program = {.name = "secret", .payload = payload}, .op = "op", .hidden = true};
static const struct bench *const benches[] = {&alpha, &beta, &trial, &secret};

static const struct pmu no_pmu;
static const struct cpu_id id = {.vendor = "GenuineIntel", .f1_edx = CPUID_1_EDX_SSE2};
static struct options_context with = {benches, 4, &no_pmu, &id, NULL, 256 * 1024};
static struct options opt;
static struct plan plan;
static char faults[2048]; /* "what|part|word index|valid\n" of each */

static void on_fault(void *ctx, const struct fault *f)
{
    size_t used = strlen(faults);
    (void)ctx;
    snprintf(faults + used, sizeof faults - used, "%s|%.*s|%u|%s%s%s\n", f->what, (int)f->part_len, f->part,
             f->word ? f->word->index : 0, f->valid, f->why ? "|" : "", f->why ? f->why : "");
}

static unsigned parse(const char *line)
{
    faults[0] = '\0';
    return options_parse(line, "GRUB 2.06", &with, &opt, &plan, on_fault, NULL);
}

static void expect_fault(const char *line, const char *fault)
{
    if (parse(line) != 1 || strncmp(faults, fault, strlen(fault)) != 0)
        fail_msg("\"%s\" gave \"%s\", expected \"%s...\"", line, faults, fault);
}

static void test_defaults(void **state)
{
    (void)state;
    assert_int_equal(parse(""), 0);
    assert_int_equal(plan.n, 2); /* the main job: alpha in both variants */
    assert_ptr_equal(plan.item[0].bench, &alpha);
    assert_int_equal(plan.item[1].variant, 1);
    assert_int_equal(plan.item[0].param[0], 200);
    assert_int_equal(opt.reps, REPS_DEF);
    assert_int_equal(opt.conf, 95);
    assert_int_equal(opt.serialize, SERIALIZE_CPUID);
    assert_true(opt.text && opt.records && !opt.all && !opt.cull && !opt.usb_keep);
    assert_true(opt.tsc && opt.n_events == 0 && opt.ring == 0);
}

static void test_keys(void **state)
{
    (void)state;
    assert_int_equal(
        parse("bench=beta reps=7 warmup=0 conf=99 all=1 cull=flagged serialize=lfence tsc=133000000 "
              "console=0x3e8,9600 records=com2 text=none exit=reboot events=tsc"),
        0);
    assert_int_equal(plan.n, 1);
    assert_int_equal(plan.item[0].param[0], PARAM_AUTO);
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
    assert_int_equal(parse("records=none"), 0);
    assert_false(opt.records);
}

/* Judged here, obeyed before (boot/main.c). */
static void test_apic(void **state)
{
    (void)state;
    assert_int_equal(parse("apic=on"), 0);
    assert_int_equal(parse("apic=found"), 0);
    assert_int_equal(parse("apic=onn"), 1);
    assert_string_equal(faults, "unknown value|onn|1|found, on\n");
    assert_int_equal(parse("apic=on apic=found"), 1);
}

static void test_bench_words(void **state)
{
    (void)state;
    assert_int_equal(parse("bench=all"), 0);
    assert_int_equal(plan.n, 3); /* hidden ones are not in it */
    assert_int_equal(parse("bench=list"), 0);
    assert_int_equal(opt.action, ACTION_LIST);
    assert_int_equal(plan.n, 0);
    assert_int_equal(parse("bench=secret"), 0);
    assert_int_equal(plan.n, 1);
    assert_int_equal(parse("bench=beta:bytes=64K,alpha:variant=b:n=300:lines=3..5,alpha:lines=64:variant=a"),
                     0);
    assert_int_equal(plan.n, 5);
    assert_int_equal(plan.item[0].param[0], 65536);
    for (unsigned i = 1; i <= 3; i++) {
        assert_int_equal(plan.item[i].variant, 1);
        assert_int_equal(plan.item[i].param[0], 300);
        assert_int_equal(plan.item[i].param[1], 2 + i);
    }
    assert_int_equal(plan.item[4].param[1], 64);
}

static void test_memory(void **state)
{
    (void)state;
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

static void test_find(void **state)
{
    (void)state;
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

static void test_faults(void **state)
{
    (void)state;
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
    expect_fault("console=com9", "not a serial port|com9|1|com1");
    expect_fault("console=com1,7", "not a serial port|com1,7|1|");
    expect_fault("records=lpt", "not a serial port|lpt|1|none, com1");
    expect_fault("usb=off", "unknown value|off|1|take, keep");
    expect_fault("text=off", "unknown value|off|1|none, on");
    expect_fault("tsc=5", "number out of range|5|1|1000000 to 100000000000");
    expect_fault("reps=5 nonsense=1", "unknown word|nonsense=1|2|bench= ");
}

/* Words that choose: which value means what, and for which of them. */
static void test_choices(void **state)
{
    (void)state;
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

static void test_sampling(void **state)
{
    (void)state;
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
    expect_fault("sample=often", "unknown value|often|1|pmi, pebs, timer, nmi");
    expect_fault("sample=timer pmi=smi", "unknown value|smi|2|fixed, nmi");
    expect_fault("sample=timer period=0", "number out of range|0|2|1 to 2147483647, in digits, or auto");
    expect_fault("sample=timer period=2147483648", "number out of range");
    expect_fault("sample=timer samples=0", "number out of range");
    expect_fault("sample=timer buffer=4097", "number out of range");
    expect_fault("sample=timer jitter=1:0", "number out of range|0|2|1 to 4294967295");
    expect_fault("sample=timer jitter=1", "a timer takes no jitter|jitter=1|2|");
    expect_fault("sample=timer pmi=nmi",
                 "this word does not go with this sample=|pmi=nmi|2|sample=pmi or pebs");
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

/* An experiment says how it is sampled; the command line goes before; all but it is as ever. */
/* A word that this CPU has nothing for is none at any level; behind it stands nothing else, as behind others.
 */
static void test_absent(void **state)
{
    static const struct pmu p5 = {.ops = &pmu_p5_ops,
                                  .models = P5_PLAIN,
                                  .words = &pmu_p5_words,
                                  .counters = 2,
                                  .width = 40,
                                  .usable = 3};
    (void)state;
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

static void test_experiment(void **state)
{
    static const struct pmu pmu = {
        .ops = &pmu_p6_ops, .models = P6_PIII, .words = &pmu_p6_words, .counters = 2, .width = 40};
    static struct options o;
    (void)state;
    assert_int_equal(parse("bench=trial jitter=5 buffer=1"), 0); /* words of sampling without sample= */
    expect_fault("bench=trial timer=pit", "this word needs sample=|timer=pit|2|");
    assert_true(options_sampling(&opt, &plan.item[0], &pmu, 0, &o));
    assert_int_equal(o.sample, SAMPLE_BY_PMI);
    assert_int_equal(o.period, 100);
    assert_int_equal(o.ring, 3);
    assert_int_equal(o.reps, 1);
    assert_int_equal(o.warmup, 0);
    assert_int_equal(o.n_events, 1); /* the second: the first is none of a Pentium III's */
    assert_string_equal(o.event[0].name, "data_mem_refs:u");
    assert_true(options_sampling(&opt, &plan.item[0], &pmu, 1, &o));
    assert_int_equal(o.sample, SAMPLE_BY_PEBS);
    assert_false(options_sampling(&opt, &plan.item[0], &pmu, 2, &o));
    assert_true(options_sampling(&opt, &plan.item[0], &no_pmu, 0, &o));
    assert_int_equal(o.n_events, 0);
    assert_int_equal(parse("bench=trial:n=1000 sample=pmi ring=0 reps=3 warmup=7 period=auto samples=9"), 0);
    assert_true(options_sampling(&opt, &plan.item[0], &pmu, 0, &o));
    assert_int_equal(o.period, 0);
    assert_int_equal(o.ring, 0);
    assert_int_equal(o.reps, 3);
    assert_int_equal(o.warmup, 7);
    assert_int_equal(o.samples, 9);
    assert_false(options_sampling(&opt, &plan.item[0], &pmu, 1, &o));
    assert_int_equal(parse("bench=trial sample=timer"), 0);
    assert_true(options_sampling(&opt, &plan.item[0], &pmu, 0, &o));
    assert_int_equal(o.n_events, 0);
    assert_int_equal(o.period, 0); /* events are no ticks */
    expect_fault("bench=trial,beta sample=pmi", "this CPU has no working counter");
    assert_int_equal(parse("bench=beta"), 0);
    assert_false(options_sampling(&opt, &plan.item[0], &pmu, 0, &o));
    assert_int_equal(parse("bench=beta sample=timer"), 0);
    assert_true(options_sampling(&opt, &plan.item[0], &pmu, 0, &o));
    assert_int_equal(o.ring, 0);
    assert_int_equal(parse("bench=all"), 0);
    assert_int_equal(plan.n, 3); /* without it */
}

static void test_many_faults(void **state)
{
    (void)state;
    assert_int_equal(parse("reps=0 bench=x,y conf=1"), 4);
    assert_int_equal(parse("reps reps=1 reps=2"), 2);
    assert_non_null(strstr(faults, "word without a value|reps|1|reps=..."));
    assert_non_null(strstr(faults, "given twice|reps=2|3|"));
    assert_int_equal(parse("reps=5\001"), 1);
    assert_non_null(strstr(faults, "control character|"));
    /* 10 x 64 x 2 variants are more than a plan holds */
    assert_int_equal(parse("bench=alpha:lines=1..64,alpha:lines=1..64,alpha:lines=1..64,alpha:lines=1..64,"
                           "alpha:lines=1..64,alpha:lines=1..64,alpha:lines=1..64,alpha:lines=1..64"),
                     0);
    assert_int_equal(plan.n, PLAN_ITEMS);
    assert_int_equal(parse("bench=alpha:lines=1..64,alpha:lines=1..64,alpha:lines=1..64,alpha:lines=1..64,"
                           "alpha:lines=1..64,alpha:lines=1..64,alpha:lines=1..64,alpha:lines=1..64,beta"),
                     1);
    assert_non_null(strstr(faults, "too many measurements|beta|"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_defaults),    cmocka_unit_test(test_keys),
                                       cmocka_unit_test(test_bench_words), cmocka_unit_test(test_find),
                                       cmocka_unit_test(test_memory),      cmocka_unit_test(test_faults),
                                       cmocka_unit_test(test_choices),     cmocka_unit_test(test_sampling),
                                       cmocka_unit_test(test_experiment),  cmocka_unit_test(test_absent),
                                       cmocka_unit_test(test_many_faults), cmocka_unit_test(test_apic)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
