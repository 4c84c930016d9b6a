/* live and log at the prompt: their words and errors, keys, what is drawn and what becomes a record. The
 * words of benchmark and events go to the real parser; counting is a stand-in. */
#include "boot/modules.h"
#include "measure/options.h"
#include "monitor/command.h"
#include "pmu/netburst.h"
#include "pmu/p6.h"
#include "report/emit.h"
#include "tests/unit/fake_access.h"
#include "tests/unit/fake_console.h"
#include "tests/unit/fake_hw.h"
#include "tests/unit/fake_rates.h"
#include "tests/unit/unit.h"
#include <stdio.h>
#include <string.h>

static void payload(void *arg) { (void)arg; }
static void experiment(struct lab *lab) { (void)lab; }
static const struct bench add = {.program = {.name = "fp_add_latency"},
                                 .op = "add",
                                 .main_job = true,
                                 BENCH_PARAM_LIST({"n", "adds", "", 1, 1000000, 1, 1000, true}),
                                 .variant = {{"x87", payload}, {"sse2", payload}}},
                          lab = {.program = {.name = "tlb_reach"}, .op = "page", .experiment = experiment};
static const struct bench *const benches[] = {&add, &lab};

static struct pmu pmu;
static struct machine machine;
static struct cpu cpu = {.machine = &machine, .pmu = &pmu, .id = {.vendor = "GenuineIntel"}};
static struct session session;
static struct monitor m;
static unsigned processors_meant;

/* ---- boot/request.c ---- */

static char words[CMDLINE_MAX + 1];
static void on_fault(void *ctx, const struct fault *f) { emit_word_fault(f, ctx); }

bool request_read(struct session *s, const char *line, struct request *out)
{
    static struct options opt;
    static struct plan plan;
    strcpy(words, line);
    *out = (struct request){.opt = &opt, .plan = &plan};
    for (unsigned i = 0; i < processors_meant; i++) cpu_set_add(&out->where, i);
    return options_parse(words, "GRUB", &s->words, &opt, &plan, on_fault, words) == 0;
}

bool request_words(struct session *s, const char *line) { return (void)s, (void)line, true; }
bool request_judge(struct session *s, const char *line) { return (void)s, (void)line, true; }
void modules_load(struct session *s, const char *name, size_t bytes) { (void)s, (void)name, (void)bytes; }

/* ---- a session ---- */

static unsigned intervals;
static char last_record[RECORD_MAX_BYTES + 1];
static void on_record(const char *line, size_t len)
{
    snprintf(last_record, sizeof last_record, "%.*s", (int)len, line);
    intervals += strstr(last_record, "\"t\":\"interval\"") != NULL;
}

static bool was_cancelled(void) { return false; }

static int begin(void **state)
{
    static const struct session_sinks sinks = {on_record, console_text};
    (void)state;
    fake_reset();
    fake_tsc(0, 1000);
    fake_rates_reset();
    pmu = (struct pmu){.ops = &pmu_p6_ops,
                       .words = &pmu_p6_words,
                       .model = "Pentium III",
                       .counters = 2,
                       .width = 40,
                       .usable = 3,
                       .models = UINT32_MAX};
    machine = (struct machine){.cpus = 1, .cpu = {&cpu}, .clock = {.tsc_hz = 2000000}};
    session = (struct session){.machine = &machine, .words = {benches, 2, &pmu, &cpu.id, NULL, 1 << 26, 1}};
    m = (struct monitor){.session = &session};
    cpu.cancelled = was_cancelled;
    processors_meant = 1;
    intervals = 0;
    session_begin(&sinks);
    fake_console_reset();
    return 0;
}

/* What a line is answered with, while these keys are typed. */
static const char *answer(const char *line, const char *keys)
{
    static char text[FAKE_CONSOLE_BYTES];
    fake_console_reset();
    fake_console_type(keys, strlen(keys));
    command_obey(&m, line);
    session_pause();
    strcpy(text, console_said);
    for (char *c = text; *c; c++)
        if (*c == '\n') *c = ' ';
    assert_ptr_equal(cpu.cancelled, was_cancelled);
    return text;
}

static void says(const char *line, const char *part)
{
    const char *text = answer(line, "q");
    if (!strstr(text, part)) fail_msg("%s: got \"%s\", not \"%s\"", line, text, part);
}

/* ---- words ---- */

TEST_WITH(wrong_words, begin, NULL)
{
    static const char *const rows[][2] = {
        {"log cycles", "log needs more arguments. Valid: log EVENT every MS for N"},
        {"live", "live needs more arguments. Valid: live EVENT [MS]"},
        {"log cycles every 0 for 3", "\"0\" is not an interval. Valid: 1 to 3600000 milliseconds"},
        {"log cycles every 3600001 for 3", "\"3600001\" is not an interval"},
        {"log cycles every 99999999999999999999999 for 3", "is not an interval"},
        {"log cycles every -5 for 3", "\"-5\" is not an interval"},
        {"log cycles every 5ms for 3", "\"5ms\" is not an interval"},
        {"log cycles every 5 for x", "\"x\" is not a number of intervals. Valid: 1 to 1000000"},
        {"log cycles every 5 for 0", "\"0\" is not a number of intervals"},
        {"log cycles every 5 for 1000001", "\"1000001\" is not a number of intervals"},
        {"log cycles evry 5 for 3", "\"evry\" where \"every\" is needed"},
        {"log cycles every 5 four 3", "\"four\" where \"for\" is needed"},
        {"live cycles 0", "\"0\" is not an interval"},
        {"live cycles 5x fp_add_latency", "\"5x\" is not an interval"},
        {"live cycles reps=3", "\"reps=3\" means nothing here. Valid: a benchmark, ring=, cpu="},
        {"live cycles bench", "unknown benchmark: \"bench\""},
        {"live cycles 5 6", "this is a number: \"6\""},
        {"live cycles fp_add_latency fp_add_latency", "given twice"},
        {"live cycles fp_add_latency,fp_add_latency", "one benchmark at a time"},
        {"live cycles fp_add_latency:n=1..3", "one benchmark at a time, with one value for each parameter"},
        {"live cycles fp_add_latency:n=0", "n=0"},
        {"live cycles tlb_reach", "tlb_reach is an experiment, which measures by itself"},
        {"live cycles truth", "no benchmark that runs again and again"},
        {"live cycles list", "no benchmark that runs again and again"},
        {"live list", "`events` lists events. Valid here: EVENT[,EVENT...], or tsc"},
        {"live find:l2", "`events` lists events"},
        {"live nonsense", "unknown event: \"nonsense\""},
        {"live cycles,", "unknown event"},
        {"live L1-dcache-loads,LLC-loads", "this CPU has no event for"},
        {"live cycles ring=2", "unknown value: \"2\" in \"ring=2\""},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) says(rows[i][0], rows[i][1]);
    assert_int_equal(fake_rates_begun + intervals, 0);
    assert_false(m.failed);
}

/* Two counters: which ones fit is said, and nothing is shared in time. */
TEST_WITH(fit, begin, NULL)
{
    says("live cycles,inst_retired,dcu_lines_in",
         "these events do not fit the counters at once, and counts are never estimated. 2 fit: cycles, "
         "inst_retired. Not with them: dcu_lines_in.");
    says("log cycles,flops,mul every 5 for 3", "2 fit: cycles, flops. Not with them: mul."); /* 0; 0, 1 */
    pmu.preset_width = 32;
    says("live cycles:init=-5", "rates have no presets and cascades. Valid: events without init= and +>.");
    pmu.usable = 2;
    says("live flops",
         "this event does not fit the counters at once, and counts are never estimated. 0 fit: none. Not "
         "with them: flops.");
    pmu.usable = 0;
    says("live cycles", "no performance counter counts on this processor. Valid: tsc.");
    assert_int_equal(fake_rates_begun, 0);
}

/* ---- without what it needs ---- */

TEST_WITH(impossible, begin, NULL)
{
    processors_meant = 2;
    says("live cycles", "one processor at a time. Valid: cpu=N");
    processors_meant = 1;
    pmu.ops = NULL;
    pmu.usable = 0;
    pmu.words = NULL;
    says("live cycles", "no performance counter counts on this processor, or none that this kernel knows");
    assert_int_equal(fake_rates_begun, 0);
    answer("live tsc", "q");
    assert_int_equal(fake_rates_begun, 1);
    machine.clock.tsc_hz = 0;
    says("live tsc", "the rate of the time stamp is not known here. Boot with tsc=HZ");
    assert_int_equal(fake_rates_begun, 1);
}

TEST_WITH(failure, begin, NULL)
{
    fake_rates_why = "not today";
    says("log cycles every 5 for 3", "idle: not today");
    assert_true(m.failed && fake_rates_ended == 1 && intervals == 0);
}

/* ---- log ---- */

TEST_WITH(logged, begin, NULL)
{
    fake_rates_interval.count[0] = 500;
    fake_rates_interval.count[1] = 70;
    fake_rates_interval.rounds = 9;
    const char *text = answer("log inst_retired,cycles every 5 for 3 fp_add_latency:n=7", "");
    assert_string_equal(words, "events=inst_retired,cycles bench=fp_add_latency:n=7");
    assert_int_equal(fake_rates_ticks, 10000);
    assert_true(intervals == 3 && fake_rates_intervals == 3 && fake_rates_ended == 1 && !m.failed);
    assert_non_null(strstr(text, "a  inst_retired"));
    assert_non_null(strstr(text, "100000")); /* 500 in 5 ms */
    assert_non_null(strstr(last_record, "\"number\":3,\"of\":3"));
    assert_non_null(strstr(last_record, "\"count\":500,\"rate\":100000.0"));
    assert_non_null(strstr(last_record, "\"count\":70,\"rate\":14000.0"));
    answer("log tsc every 5 for 1 bench=fp_add_latency ring=3", "");
    assert_string_equal(words, "events=tsc bench=fp_add_latency ring=3");
    fake_rates_most = 6;
    says("log tsc every 3600000 for 1000000", "stopped by Ctrl-C after 2 of 1000000 intervals");
    assert_int_equal(fake_rates_ticks, 7200000000);
}

/* ---- live ---- */

/* q and Ctrl-C leave, other keys and sequences do not; what is typed behind is left for the prompt. */
TEST_WITH(keys, begin, NULL)
{
    static const struct {
        const char *typed;
        unsigned left;
    } rows[] = {{"q", 0}, {"Q", 0}, {"\003", 0}, {"x\r\033[Aq", 0}, {"qexit\r", 5}, {"abc", 0}};
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        fake_rates_reset();
        const char *text = answer("live inst_retired 50", rows[i].typed);
        assert_int_equal(fake_console_left(), rows[i].left);
        assert_int_equal(fake_rates_intervals, 0); /* it is asked before the first one */
        assert_int_equal(fake_rates_ended, 1);
        assert_string_equal(text, "");
    }
    assert_false(m.failed);
}

static unsigned quiet;
static bool not_yet(void) { return quiet++ < 2; }

TEST_WITH(drawn, begin, NULL)
{
    fake_rates_interval.count[0] = 25;
    fake_rates_most = 2;
    fake_console_quiet(not_yet);
    const char *text = answer("live inst_retired 500 fp_add_latency", "");
    assert_int_equal(fake_rates_ticks, 1000000);
    assert_int_equal(fake_rates_intervals, 2);
    assert_non_null(strstr(text, "q leaves. Interval 2, 0.500 s, cpu 0, ring 0: fp_add_latency"));
    assert_non_null(strstr(text, "inst_retired                50.000  [##########]"));
    assert_non_null(strstr(console_terminal_said, "\033[H\033[2J\033[Hq leaves. Interval 1"));
    answer("live inst_retired", "q");
    assert_int_equal(fake_rates_ticks, 2000000); /* a second */
    assert_int_equal(intervals, 0);
}
