/* Rates on the PMU model: drivers and brackets as in the kernel, and payloads whose events are known. */
#include "kernel/core_clock.h"
#include "kernel/hw.h"
#include "kernel/user.h"
#include "measure/rates.h"
#include "tests/unit/drive_pmu.h"
#include "tests/unit/fake_trap.h"
#include "tests/unit/sim_rdpmc.h"
#include "tests/unit/unit.h"
#include "tests/unit/user_stack.h"
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define ROUND 1000u /* instructions of a call */

static struct sim *sim;
static struct cpu_id id;
static _Alignas(4096) uint64_t memory[(4 << 20) / 8];
static uint32_t strays;
static struct options opt;
static struct group group[EVENTS_MAX];
static struct machine machine;
static struct cpu cpu;
static struct rates rates;
static unsigned calls, cpl, user_calls;
static bool astray; /* calls at CPL 3 do not come back by their bracket */

void trap_guard_after(struct trap_guard *g) { (void)g; }
void core_clock_read(struct core_clock *now) { (void)now; }
double core_clock_ratio(const struct core_clock *from, const struct core_clock *to)
{
    (void)from, (void)to;
    return 0;
}

void user_call(void *top, user_fn *fn, void *a, void *b, void *c)
{
    assert_non_null(top);
    user_calls++;
    cpl = 3;
    if (!astray) fn(a, b, c);
    cpl = 0;
}

/* No device is touched. */
uint8_t hw_inb(uint16_t port)
{
    fail_msg("port %x", port);
    return 0;
}
void hw_outb(uint16_t port, uint8_t value) { fail_msg("port %x: %x", port, value); }
uint32_t hw_mmio_read(uint64_t at)
{
    fail_msg("read at %llx", (unsigned long long)at);
    return 0;
}
void hw_mmio_write(uint64_t at, uint32_t value)
{
    fail_msg("write at %llx: %x", (unsigned long long)at, value);
}

/* ---- payloads ---- */

PAYLOAD static void known(void *arg)
{
    (void)arg;
    calls++;
    sim_hw_run(ROUND, cpl);
}

/* An interrupt that nobody expects, in each call: on a busy host an interval may have one call only. */
PAYLOAD static void disturbed(void *arg)
{
    known(arg);
    strays++;
}

/* The counter goes back. */
static void backward(void *arg)
{
    const unsigned counter = group[0].counter[0];
    known(arg);
    assert_true(wrmsr_safe(pmu.counter_msr[counter],
                           (pmu.ops->read(&pmu, counter) - 5 * ROUND) & ((1ull << pmu.width) - 1)));
}

static unsigned befores;
static void before(const struct bench_run *run) { (void)run, befores++; }

/* ---- running ---- */

/* What Bochs answers, and the model does not. */
static void name_it(const char *model)
{
    static const struct {
        const char *name, *vendor;
        unsigned family, model;
    } cpus[] = {{"core2", "GenuineIntel", 6, 0x17},
                {"skylake", "GenuineIntel", 6, 0x55},
                {"k8", "AuthenticAMD", 15, 0x2f},
                {"zen4", "AuthenticAMD", 25, 0x61}};
    for (unsigned i = 0; i < N(cpus); i++) {
        if (strcmp(cpus[i].name, model) != 0) continue;
        strcpy(id.vendor, cpus[i].vendor);
        id.family = cpus[i].family;
        id.model = cpus[i].model;
    }
}

static void plug(const char *model)
{
    static const struct sim_host host;
    if (sim) sim_free(sim);
    sim = sim_new(model, NULL, &host);
    assert_non_null(sim);
    sim_hw_plug(sim, &id);
    name_it(model);
    probe(&id);
    sim_rdpmc_catch();
    opt = (struct options){.serialize = SERIALIZE_CPUID};
    machine = (struct machine){.cpus = 1, .cpu = {&cpu}, .clock = {.tsc_hz = 2000000000}};
    cpu = (struct cpu){.machine = &machine, USER_STACK, .id = id, .pmu = &pmu, .strays = &strays};
    strays = calls = befores = user_calls = 0;
}

static void ask(const char *const *event)
{
    for (opt.n_events = 0; event[opt.n_events]; opt.n_events++)
        opt.event[opt.n_events] = code(event[opt.n_events]);
    assert_int_equal(schedule_groups(&pmu, opt.event, opt.n_events, group), 1);
    assert_int_equal(group[0].n, opt.n_events);
}

static bool begin(const struct bench *bench)
{
    const struct plan_item item = {.bench = bench};
    static struct arena arena;
    assert_int_equal(mprotect(memory, sizeof memory, PROT_READ | PROT_WRITE | PROT_EXEC), 0);
    arena = (struct arena){(uint8_t *)memory, sizeof memory, 0};
    return rates_begin(&rates, bench ? &item : NULL, &opt, &cpu, opt.n_events ? group : NULL, &arena);
}

static const struct bench known_bench = {.program = {.name = "known", .payload = known, .variant = ""}},
                          disturbed_bench = {.program = {.name = "d", .payload = disturbed, .variant = ""}},
                          backward_bench = {.program = {.name = "backward",
                                                        .payload = backward,
                                                        .variant = ""}},
                          before_bench = {
                              .program = {.name = "b", .payload = known, .before = before, .variant = ""}};

static struct rates_interval interval(uint64_t ticks)
{
    struct rates_interval i;
    const unsigned was = calls;
    if (!rates_interval(&rates, ticks, &i))
        fail_msg("status %d: %s", rates.run.status, rates.run.bench.error);
    assert_true(i.ticks >= ticks);
    assert_int_equal(i.rounds, rates.idle ? 0 : calls - was);
    return i;
}

#define TICKS 3000000u /* about a millisecond, and some hundred calls */

/* A call of 1,000 instructions is 1,000 instructions, on one family after the other; :u counts none of them
 * at ring 0, and all at ring 3. */
TEST(known_rates)
{
    static const struct {
        const char *model, *event[3];
    } cpus[] = {{"p5", {"instructions:k", "instructions:u"}},
                {"p55c", {"instructions:k", "instructions:u"}},
                {"p3", {"inst_retired:k", "inst_retired:u"}},
                {"willamette", {"instr_retired:k", "instr_retired:u"}},
                {"prescott", {"instr_retired:k", "instr_retired:u"}},
                {"core2", {"instructions:k", "instructions:u"}},
                {"skylake", {"instructions:k", "instructions:u"}},
                {"k8", {"instructions:k", "instructions:u"}},
                {"zen4", {"instructions:k", "instructions:u"}}};
    for (unsigned c = 0; c < N(cpus); c++)
        for (unsigned ring = 0; ring <= 3; ring += 3) {
            plug(cpus[c].model);
            if (ring && !pmu.user_rdpmc) continue; /* through a call gate, which the host has not */
            opt.ring = ring;
            ask(cpus[c].event);
            if (!begin(&known_bench)) fail_msg("%s: %s", cpus[c].model, rates.run.bench.error);
            for (unsigned n = 0; n < 3; n++) {
                const struct rates_interval i = interval(TICKS);
                assert_int_equal(i.count[ring != 0], (uint64_t)ROUND * i.rounds);
                assert_int_equal(i.count[ring == 0], 0);
                assert_in_range(i.slices, 1, 200);
                assert_false(i.wrapped || i.interrupts);
            }
            assert_int_equal(user_calls != 0, ring != 0);
            rates_end(&rates);
        }
}

/* What the payload has changed is no rate; nor is a call that did not come back by its bracket. */
TEST(no_counts)
{
    static const char *const models[] = {"p5", "p3", "willamette", "skylake", "k8"};
    static const char *const word[] = {"instructions", NULL};
    struct rates_interval i;
    for (unsigned c = 0; c < N(models); c++) {
        plug(models[c]);
        ask(word);
        assert_true(begin(&backward_bench));
        assert_false(rates_interval(&rates, TICKS, &i));
        assert_int_equal(rates.run.status, RUN_IMPOSSIBLE);
        assert_non_null(strstr(rates.run.bench.error, "instructions counted -"));
        rates_end(&rates);
        if (!pmu.user_rdpmc) continue;
        opt.ring = 3;
        assert_true(begin(&known_bench));
        interval(TICKS);
        astray = true;
        assert_false(rates_interval(&rates, TICKS, &i));
        astray = false;
        assert_int_equal(rates.run.status, RUN_IMPOSSIBLE);
        rates_end(&rates);
    }
}

/* The counter goes round while it is counted: before, and 500 instructions after. */
TEST(wrap_around)
{
    static const char *const models[] = {"p5", "p3", "willamette", "skylake", "k8"};
    static const char *const word[] = {"instructions", NULL};
    for (unsigned c = 0; c < N(models); c++) {
        plug(models[c]);
        const uint64_t top = (1ull << pmu.width) - 500, bits32 = (uint32_t)top;
        ask(word);
        assert_true(begin(&known_bench));
        const unsigned counter = group[0].counter[0];
        pmu_stop(&pmu);
        wrmsr_safe(pmu.counter_msr[counter], top);
        if (pmu.ops->read(&pmu, counter) != top) wrmsr_safe(pmu.counter_msr[counter], bits32);
        assert_int_equal(pmu.ops->read(&pmu, counter), top);
        pmu_start(&pmu);
        const struct rates_interval i = interval(TICKS);
        assert_int_equal(i.count[0], (uint64_t)ROUND * i.rounds);
        assert_true(pmu.ops->read(&pmu, counter) < top);
        rates_end(&rates);
    }
}

/* Counters stop at the end, and the next user finds them so. */
TEST(stopped)
{
    static const char *const word[] = {"instructions", NULL};
    plug("p3");
    ask(word);
    assert_true(begin(&known_bench));
    interval(TICKS);
    rates_end(&rates);
    const uint64_t at = pmu.ops->read(&pmu, group[0].counter[0]);
    sim_hw_run(100, 0);
    assert_int_equal(pmu.ops->read(&pmu, group[0].counter[0]), at);
}

/* What has to run before each call runs, and is not counted: one bracket for each. */
TEST(one_at_a_time)
{
    static const char *const word[] = {"instructions", NULL};
    plug("p3");
    ask(word);
    assert_true(begin(&before_bench));
    const unsigned was = befores;
    const struct rates_interval i = interval(TICKS);
    assert_int_equal(i.slices, i.rounds);
    assert_int_equal(befores - was, i.rounds);
    assert_int_equal(i.count[0], (uint64_t)ROUND * i.rounds);
    rates_end(&rates);
}

TEST(interrupts)
{
    plug("p3");
    assert_true(begin(&disturbed_bench));
    const uint32_t was = strays;
    const struct rates_interval i = interval(TICKS);
    assert_true(i.rounds);
    assert_int_equal(i.interrupts, i.rounds);
    assert_int_equal(i.interrupts, strays - was);
    assert_int_equal(rates.run.n, 1); /* the time stamp alone */
    assert_int_equal(sim_rdpmc_reads, 0);
    rates_end(&rates);
}

/* It waits as long as it is told, and counts no round. */
TEST(idle)
{
    plug("p3");
    assert_true(begin(NULL));
    const struct rates_interval i = interval(TICKS);
    assert_true(rates.idle && i.rounds == 0 && calls == 0);
    assert_in_range(i.slices, 1, RATES_SLICES); /* fewer where the host does something else meanwhile */
    rates_end(&rates);
}

/* ---- the user's wish ---- */

static unsigned asked;
static bool at_third(void) { return ++asked == 3; }

TEST(cancelled)
{
    static const char *const word[] = {"instructions", NULL};
    struct rates_interval i = {.ticks = 1};
    plug("p3");
    cpu.cancelled = at_third;
    asked = 0;
    ask(word);
    assert_true(begin(NULL));
    assert_false(rates_interval(&rates, 100 * TICKS, &i));
    assert_int_equal(rates.run.status, RUN_CANCELLED);
    assert_int_equal(asked, 3);
    assert_int_equal(i.ticks, 1); /* nothing of what is not complete */
    rates_end(&rates);
    assert_int_equal(rates.run.status, RUN_CANCELLED);
}

/* ---- what is refused ---- */

static uint64_t stamps[3];
static bool reads, series;
static bool prepare(struct bench_run *run)
{
    run->reads = reads;
    run->stamps = series ? stamps : NULL;
    run->stamp_count = series ? 2 : 0;
    if (!reads && !series) snprintf(run->error, sizeof run->error, "not today");
    return reads || series;
}

TEST(refused)
{
    static const struct bench own = {
        .program = {.name = "own", .payload = known, .prepare = prepare, .variant = ""}};
    static const char *const why[] = {"not today", "by itself", "by itself"};
    for (unsigned i = 0; i < 3; i++) {
        plug("p3");
        reads = i == 1;
        series = i == 2;
        assert_false(begin(&own));
        assert_int_equal(rates.run.status, RUN_PREPARE);
        assert_non_null(strstr(rates.run.bench.error, why[i]));
        assert_int_equal(calls, 0);
        rates_end(&rates);
    }
}

/* ---- long calls ---- */

/* Fast readings of 32 bits are enough for 2^28 ticks: a longer call is read in full from then on, and what
 * was read before is not counted. Of 32 bits in all the value is in doubt. */
PAYLOAD static void long_one(void *arg)
{
    const uint64_t from = __builtin_ia32_rdtsc();
    known(arg);
    while (__builtin_ia32_rdtsc() - from < 1ull << 28) continue;
}

TEST(long_calls)
{
    static const struct bench bench = {.program = {.name = "long", .payload = long_one, .variant = ""}};
    static const char *const word[] = {"instr_retired", NULL};
    struct rates_interval i;
    plug("willamette");
    assert_true(pmu.fast_rdpmc);
    ask(word);
    assert_true(begin(&bench));
    assert_string_equal(rates.run.read, "fast rdpmc");
    assert_true(rates_interval(&rates, 1, &i));
    assert_string_equal(rates.run.read, "rdpmc");
    assert_int_equal(i.rounds, 1);
    assert_int_equal(i.count[0], ROUND);
    assert_false(i.wrapped);
    assert_int_equal(calls, 3); /* the first guess, the one that is not counted, and this */
    rates_end(&rates);
    plug("p3");
    pmu.width = 32;
    ask((const char *const[]){"instructions", NULL});
    assert_true(begin(&bench));
    assert_true(rates_interval(&rates, 1, &i));
    assert_true(i.wrapped);
    rates_end(&rates);
}
