/* Runs with presets and cascades on the PMU model. The brackets are not executed but acted: so many
 * instructions before the first reading, between it and the payload, and after the payload. */
#include "kernel/core_clock.h"
#include "kernel/hw.h"
#include "kernel/user.h"
#include "measure/preset.h"
#include "measure/reading.h"
#include "tests/unit/sampling_machine.h"
#include "tests/unit/unit.h"
#include "tests/unit/user_stack.h"
#include <stdio.h>
#include <string.h>

#define LEAD 13 /* instructions before the first reading, */
#define HEAD 6  /* to the payload, */
#define LOAD 2  /* in a mark once or twice, */
#define TAIL 9  /* and to the last reading */
#define N    1000

static struct options opt;
static struct run out;
static unsigned brackets, jitter, fewer;
static _Alignas(4096) uint8_t memory[1 << 20];

payload_fn preset_mark1_rdpmc, preset_mark2_rdpmc;

void core_clock_read(struct core_clock *now) { (void)now; }
double core_clock_ratio(const struct core_clock *from, const struct core_clock *to)
{
    (void)from, (void)to;
    return 0;
}

static unsigned length = N;
PAYLOAD static void payload(void *arg)
{
    (void)arg;
    sim_hw_run(length, 3);
}

static unsigned counter_of(unsigned k) { return out.count[k + 1].counter; }
static uint64_t reading(unsigned k, const struct reading *r)
{
    const uint64_t fast = r->select[k] & PMU_RDPMC_FAST ? UINT32_MAX : UINT64_MAX;
    assert_int_equal(r->select[k] & ~PMU_RDPMC_FAST, m.pmu.rdpmc_index[counter_of(k)]);
    return m.pmu.ops->read(&m.pmu, counter_of(k)) & fast;
}

static void act(payload_fn *code, void *arg, struct reading *r)
{
    struct mark {
        uint32_t select;
        uint64_t value;
    } *mark = arg;
    const unsigned n = out.n - 1;
    unsigned lead = LEAD + (jitter && ++brackets % 8 == 0 ? jitter : 0);
    if (fewer && code == payload && ++brackets % 3 == 0) lead -= fewer; /* never while they are calibrated */
    sim_hw_run(lead, 3);
    for (unsigned k = 0; k < n; k++) r->start[k] = reading(k, r);
    sim_hw_run(HEAD, 3);
    if (code == preset_mark1_rdpmc || code == preset_mark2_rdpmc) {
        sim_hw_run(LOAD * (code == preset_mark1_rdpmc ? 1 : 2), 3);
        for (unsigned k = 0; k < n; k++)
            if (mark->select == r->select[k]) mark->value = reading(k, r);
        sim_hw_run(3, 3);
    } else if (code == payload) {
        payload(arg);
    }
    sim_hw_run(TAIL, 3);
    for (unsigned k = n; k-- > 0;) r->end[k] = reading(k, r);
    r->tsc[1] = 1; /* as a bracket that comes back */
}

void user_call(void *top, user_fn *fn, void *code, void *arg, void *r)
{
    (void)top, (void)fn;
    act((payload_fn *)code, arg, r);
}

/* With the event or cascade of this word. */
static void run_any(const char *model, const char *word)
{
    char why[240], near[8];
    const size_t n = strlen(word);
    static const struct bench bench = {.program = {.name = "payload", .payload = payload}};
    static const struct plan_item item = {.bench = &bench};
    static const struct machine machine;
    static uint32_t strays;
    if (!m.sim || model) plug(model, NULL);
    const struct cpu cpu = {.machine = &machine, USER_STACK, .pmu = &m.pmu, .strays = &strays};
    struct arena arena = {memory, sizeof memory, 0};
    struct group group[EVENTS_MAX];
    opt.n_events = 1;
    if (pmu_cascade_mark(word, n) < n) {
        opt.n_events = 2;
        assert_true(pmu_cascade_parse(&m.pmu, word, n, opt.event, why, sizeof why, near, sizeof near));
    } else if (!pmu_event_parse(&m.pmu, word, n, &opt.event[0], why, sizeof why, near, sizeof near)) {
        fail_msg("%s: %s", word, why);
    }
    assert_int_equal(schedule_groups(&m.pmu, opt.event, opt.n_events, group), 1);
    assert_int_equal(group[0].n, opt.n_events);
    run_item(&item, &opt, &cpu, group, &arena, &out);
}

static void run(const char *model, const char *word)
{
    run_any(model, word);
    if (out.status != RUN_OK) fail_msg("status %d: %s", (int)out.status, out.bench.error);
}

static int given(void **state)
{
    (void)state;
    opt = (struct options){.reps = 5, .warmup = 2, .ring = 3};
    brackets = jitter = fewer = 0;
    length = N;
    return 0;
}

/* Every repetition. */
static void check(unsigned k, uint64_t raw, uint64_t overhead)
{
    assert_int_equal(out.count[k].overhead, overhead);
    for (unsigned i = 0; i < opt.reps; i++) assert_int_equal(out.count[k].raw[i], raw);
}

static const struct {
    const char *model, *event;
} cpus[] = {{"ppro", "inst_retired"},      {"p3", "inst_retired"},    {"willamette", "instr_retired"},
            {"prescott", "instr_retired"}, {"core2", "instructions"}, {"skylake", "r00c0"},
            {"k8", "instructions"},        {"zen4", "instructions"}};
#define CPUS (sizeof cpus / sizeof *cpus)

/* The count is what it is without a preset. It overflows with the payload's event number -init, not with one
 * of the harness before, and not with one after the payload. */
TEST_WITH(test_preset, given, NULL)
{
    static const struct {
        int64_t init;
        bool overflows;
    } trials[] = {{-1, true},         {-500, true}, {-N, true}, {-N - 1, false},
                  {-N - TAIL, false}, {0, false},   {7, false}};
    for (unsigned c = 0; c < CPUS; c++)
        for (unsigned t = 0; t < sizeof trials / sizeof *trials; t++) {
            char word[96];
            snprintf(word, sizeof word, "%s:u:init=%lld", cpus[c].event, (long long)trials[t].init);
            run(cpus[c].model, word);
            assert_int_equal(out.n, 2);
            check(1, HEAD + N + TAIL, HEAD + TAIL);
            const struct preset *p = out.count[1].preset;
            assert_non_null(p);
            assert_true(p->given && p->init == trials[t].init && !p->starter);
            assert_int_equal(p->off, 0);
            assert_int_equal(p->overflowed, trials[t].overflows ? opt.reps : 0);
            /* and the counter itself says so */
            const uint64_t end = m.pmu.ops->read(&m.pmu, counter_of(0));
            assert_int_equal(end, (uint64_t)(trials[t].init + N + TAIL) & ((1ull << m.pmu.width) - 1));
        }
}

TEST_WITH(test_off, given, NULL)
{
    jitter = 4; /* instructions more before one bracket of eight */
    run("p3", "inst_retired:u:init=-500");
    check(1, HEAD + N + TAIL, HEAD + TAIL);
    assert_int_equal(out.count[1].preset->off, 4);
    jitter = 0, fewer = 5; /* too early is as far off as too late */
    run("p3", "inst_retired:u:init=-500");
    check(1, HEAD + N + TAIL, HEAD + TAIL);
    assert_int_equal(out.count[1].preset->off, 5);
}

/* B counts what comes after the payload's event number M. */
TEST_WITH(test_cascade, given, NULL)
{
    static const struct {
        unsigned m, b;
    } trials[] = {{1, N - 1}, {500, 500}, {N - 1, 1}, {N, 0}, {N + 1, 0}, {N + TAIL + 1, 0}};
    static const char *const models[] = {"willamette", "prescott"};
    for (unsigned c = 0; c < 2; c++)
        for (unsigned t = 0; t < sizeof trials / sizeof *trials; t++) {
            char word[96];
            const bool started = trials[t].m <= N;
            snprintf(word, sizeof word, "instr_retired:u:init=-%u+>instr_retired:u", trials[t].m);
            run(models[c], word);
            assert_int_equal(out.n, 3);
            check(1, HEAD + N + TAIL, HEAD + TAIL);
            const struct preset *a = out.count[1].preset, *b = out.count[2].preset;
            assert_int_equal(a->overflowed, started ? opt.reps : 0);
            assert_null(a->starter);
            assert_true(a->given && !b->given);
            assert_string_equal(b->starter, out.count[1].event);
            assert_string_equal(out.count[2].event, word);
            assert_int_equal(b->after, trials[t].m);
            assert_int_equal(b->started, a->overflowed);
            for (unsigned i = 0; i < opt.reps; i++)
                assert_int_equal(out.count[2].raw[i] - out.count[2].overhead, trials[t].b);
            assert_int_equal(out.count[2].overhead, started ? TAIL : trials[t].m == N + 1 ? TAIL - 1 : 0);
        }
}

/* A target may have a preset, too. */
TEST_WITH(test_target, given, NULL)
{
    run("willamette", "instr_retired:u:init=-400+>instr_retired:u:init=-600");
    check(2, N - 400 + TAIL, TAIL);
    assert_int_equal(out.count[2].preset->init, -600);
    assert_int_equal(out.count[2].preset->overflowed, opt.reps);
    assert_int_equal(out.count[2].preset->off, 0);
    assert_int_equal(m.pmu.ops->read(&m.pmu, counter_of(1)), TAIL);
    run("willamette", "instr_retired:u:init=-401+>instr_retired:u:init=-600");
    assert_int_equal(out.count[2].preset->overflowed, 0);
}

/* Without a preset nothing of this happens. */
TEST_WITH(test_plain, given, NULL)
{
    run("p3", "inst_retired:u");
    check(1, HEAD + N + TAIL, HEAD + TAIL);
    assert_null(out.bench.presets);
    assert_null(out.count[1].preset);
}

static void refused(const char *model, const char *word, const char *why)
{
    run_any(model, word);
    assert_int_equal(out.status, RUN_PMU);
    if (!strstr(out.bench.error, why)) fail_msg("\"%s\" is not in: %s", why, out.bench.error);
}

TEST_WITH(test_refused, given, NULL)
{
    /* 32 bits that WRMSR takes, and what the harness counts */
    run("p3", "inst_retired:u:init=-2147483629"); /* 2^31 - LEAD - HEAD */
    refused("p3", "inst_retired:u:init=-2147483630",
            "init=-2147483630: the harness counts 19 before the payload, and a counter takes -2147483648 at "
            "least");
    opt.serialize = SERIALIZE_LFENCE;
    refused("willamette", "instr_retired:u:init=-5", "serialize=cpuid");
}
