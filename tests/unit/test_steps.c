/* steps= on the PMU model. The bracket is not executed but acted, as bracket_many reads. */
#include "kernel/core_clock.h"
#include "kernel/hw.h"
#include "kernel/user.h"
#include "measure/reading.h"
#include "measure/steps.h"
#include "tests/unit/sampling_machine.h"
#include "tests/unit/unit.h"
#include "tests/unit/user_stack.h"
#include <stdio.h>
#include <string.h>

#define LEAD 13 /* instructions before the first reading, */
#define GAP  3  /* from one reading to the next, */
#define HEAD 6  /* from the last of them to the payload, */
#define TAIL 9  /* and from its end to the next reading */
#define N    40

#define MSR_DEBUGCTL    0x1d9
#define MSR_GLOBAL_CTRL 0x38f
#define FREEZE_PMC      (1u << 12)

static struct options opt, with;
static struct group group[EVENTS_MAX];
static struct steps out;
static unsigned length, jitter, brackets, trap_at, cancel_at,
    back_at; /* from there on counters seem to run backward */
static _Alignas(4096) uint8_t memory[1 << 20];

void core_clock_read(struct core_clock *now) { (void)now; }
double core_clock_ratio(const struct core_clock *from, const struct core_clock *to)
{
    (void)from, (void)to;
    return 0;
}

static unsigned twice; /* instructions of the payload that come once more in each second repetition */
PAYLOAD static void payload(void *arg)
{
    (void)arg;
    sim_hw_run(length + (twice && brackets % 2 ? twice : 0), 3);
}

static uint64_t reading(unsigned k, const struct reading *r)
{
    const unsigned counter = out.run.count[k + 1].counter;
    assert_int_equal(r->select[k], m.pmu.rdpmc_index[counter]);
    return m.pmu.ops->read(&m.pmu, counter);
}

/* As slots.h: the readings of the start are subtracted from what lies shift less the slots that are skipped
 * below end[], those of the end are added there. */
void user_call(void *top, user_fn *fn, void *code, void *arg, void *reading_)
{
    struct reading *r = reading_;
    const unsigned n = out.run.n - 1;
    uint64_t *start =
        (uint64_t *)((uintptr_t)r->end - (r->slots.shift - (SLOTS_COUNTERS - n) * sizeof(uint64_t)));
    (void)top;
    assert_ptr_equal(fn, (user_fn *)bracket_many);
    brackets++;
    if (brackets == trap_at) longjmp(guard->resume, 1);
    sim_hw_run(LEAD + (jitter ? brackets % jitter : 0), 3);
    for (unsigned k = 0; k < n; k++) {
        sim_hw_run(GAP, 3);
        start[k] -= reading(k, r);
    }
    sim_hw_run(HEAD, 3);
    ((payload_fn *)code)(arg);
    sim_hw_run(TAIL, 3);
    for (unsigned k = n; k-- > 0;) {
        r->end[k] += reading(k, r) - (brackets >= back_at ? 1000 : 0);
        sim_hw_run(GAP, 3);
    }
    r->tsc[1] = hw_rdtsc();
}

static bool cancelled(void) { return cancel_at && brackets >= cancel_at; }

/* What WRMSR has last put there; 0 where the CPU has no such register. */
static uint64_t msr(uint32_t n)
{
    uint64_t v = 0;
    rdmsr_safe(n, &v);
    return v;
}

static void add(const char *word)
{
    char why[240], near[8];
    struct pmu_code *code = &opt.event[opt.n_events++];
    if (!pmu_event_parse(&m.pmu, word, strlen(word), code, why, sizeof why, near, sizeof near))
        fail_msg("%s: %s", word, why);
}

/* The first group of what was added. */
static void run_any(void)
{
    static const struct bench bench = {.program = {.name = "payload", .payload = payload}};
    static const struct plan_item item = {.bench = &bench};
    static const struct machine machine;
    static uint32_t strays;
    const struct cpu cpu = {USER_STACK,        .machine = &machine,    .pmu = &m.pmu,
                            .strays = &strays, .cancelled = cancelled, .id = m.id};
    struct arena arena = {memory, sizeof memory, 0};
    char why[192];
    if (!steps_schedule(&opt, &m.pmu, &with, group, why, sizeof why)) fail_msg("%s", why);
    brackets = 0;
    steps_run(&item, &with, &cpu, &group[0], &arena, &out);
}

static void run(void)
{
    run_any();
    if (out.run.status != RUN_OK) fail_msg("status %d: %s", (int)out.run.status, out.run.bench.error);
}

static void on(const char *model, uint32_t from, uint32_t to, uint32_t by)
{
    plug(model, NULL);
    opt = (struct options){.reps = 5, .warmup = 2, .ring = 3, .steps = {true, false, from, to, by}};
    length = N;
    twice = jitter = trap_at = cancel_at = 0;
    back_at = UINT32_MAX;
}

static const char *const cpus[] = {"core2", "haswell", "skylake", "zen4"};
#define CPUS (sizeof cpus / sizeof *cpus)

/* An instruction is a cycle of the model, so each row has as many as it has cycles, and those before the
 * reading of the cycles. The counters stop in the cycle that was asked for. */
TEST(test_rows)
{
    for (unsigned c = 0; c < CPUS; c++) {
        on(cpus[c], 0, 1000, 1);
        add("instructions");
        run();
        assert_int_equal(out.events, 1);
        assert_int_equal(out.whole.cycles.median, HEAD + N + TAIL);
        assert_int_equal(out.empty.cycles.median, HEAD + TAIL);
        assert_int_equal(out.whole.count[0].median, GAP + HEAD + N + TAIL + GAP);
        assert_int_equal(out.n, HEAD + N + TAIL + 1);
        assert_true(out.ended);
        for (unsigned i = 0; i < out.n; i++) {
            const struct step *s = &out.at[i];
            assert_int_equal(s->asked, i);
            assert_int_equal(s->frozen, 5);
            assert_int_equal(s->cycles.median, i);
            assert_int_equal(s->cycles.least, i);
            assert_int_equal(s->cycles.most, i);
            assert_int_equal(s->count[0].median, GAP + i);
            assert_int_equal(s->count[0].least, GAP + i);
            assert_int_equal(s->count[0].most, GAP + i);
        }
        assert_int_equal(out.as_empty, HEAD + TAIL + 1); /* instructions do not tell the two apart */
    }
}

/* The range that was asked for, and no more; at the end of the bracket there is an end. */
TEST(test_range)
{
    on("skylake", 10, 31, 10);
    add("instructions");
    run();
    assert_int_equal(out.n, 3);
    assert_false(out.ended);
    for (unsigned i = 0; i < 3; i++) assert_int_equal(out.at[i].cycles.median, 10 + 10 * i);
    on("skylake", HEAD + N + TAIL, 4000, 1);
    add("instructions");
    run();
    assert_int_equal(out.n, 1);
    assert_true(out.ended);
    on("skylake", HEAD + N + TAIL + 1, 4000, 1);
    add("instructions");
    run_any();
    assert_int_equal(out.run.status, RUN_PMU);
    assert_string_equal(out.run.bench.error, "its bracket takes 55 cycles: steps= must begin before its end");
}

TEST(test_automatic)
{
    on("skylake", 0, 0, 1);
    opt.steps.automatic = true;
    add("instructions");
    run();
    assert_int_equal(out.n, HEAD + N + TAIL + 1);
    assert_int_equal(out.range.to, HEAD + N + TAIL);
    assert_int_equal(out.range.by, 1);
    length = 10 * STEPS_AUTO;
    opt.reps = 1;
    run();
    assert_int_equal(out.range.by, 11);
    assert_true(out.n <= STEPS_AUTO && out.n > STEPS_AUTO / 2);
    assert_int_equal(out.at[out.n - 1].cycles.median, (out.n - 1) * 11);
}

/* The way to the first reading is not always as long, here by 0 to 4 instructions: the row says after how
 * many cycles the counters stopped, and what was counted until then. Eight in a row have 0, 0, 1, 1, 2, 2,
 * 3, 4. */
TEST(test_jitter)
{
    on("zen4", 20, 20, 1);
    jitter = 5;
    opt.reps = 8;
    add("instructions");
    run();
    const struct step *s = &out.at[0];
    assert_int_equal(s->frozen, 8);
    assert_int_equal(s->cycles.most, 20);
    assert_int_equal(s->cycles.median, 19);
    assert_int_equal(s->cycles.least, 16);
    assert_int_equal(s->count[0].median, GAP + 19);
    assert_int_equal(s->count[0].least, GAP + 16);
    assert_int_equal(s->count[0].most, GAP + 20);
}

/* Repetitions that ended before do not count. */
TEST(test_some_end)
{
    on("haswell", HEAD + N + TAIL + 3, HEAD + N + TAIL + 3, 1);
    twice = 10;
    opt.reps = 6;
    add("instructions");
    run();
    assert_int_equal(out.n, 1);
    assert_int_equal(out.at[0].frozen, 3);
    assert_int_equal(out.at[0].count[0].median, GAP + HEAD + N + TAIL + 3);
    assert_false(out.ended);
}

/* Five events are two tables, and none of them is on the counter of cycles, or on one that stops late. */
TEST(test_groups)
{
    char why[192];
    on("skylake", 0, 5, 1);
    for (unsigned i = 0; i < 5; i++) add(i % 2 ? "r00c4" : "r01d1");
    assert_int_equal(m.pmu.freezes_late, 1 << 1);
    const unsigned n = steps_schedule(&opt, &m.pmu, &with, group, why, sizeof why);
    assert_true(n >= 2);
    unsigned events = 0;
    for (unsigned g = 0; g < n; g++) {
        assert_true(group[g].n >= 2 && group[g].n <= STEPS_EVENTS + 1);
        events += group[g].n - 1u;
        assert_int_equal(group[g].event[group[g].n - 1], 5);
        assert_int_equal(m.pmu.rdpmc_index[group[g].counter[group[g].n - 1]], 0x40000001);
        for (unsigned k = 0; k + 1u < group[g].n; k++) {
            assert_int_not_equal(group[g].counter[k], group[g].counter[group[g].n - 1]);
            assert_int_not_equal(group[g].counter[k], 1);
        }
    }
    assert_int_equal(events, 5);
}

/* Without events= instructions. */
TEST(test_no_event)
{
    on("core2", 3, 3, 1);
    run();
    assert_string_equal(out.run.count[1].event, "instructions");
    assert_int_equal(out.at[0].count[0].median, GAP + 3);
}

/* But not instead of those that were asked for, where this processor has none of them. */
TEST(test_absent_events)
{
    char why[192];
    on("core2", 3, 3, 1);
    opt.n_event_words = 1;
    assert_int_equal(steps_schedule(&opt, &m.pmu, &with, group, why, sizeof why), 0);
    assert_string_equal(why, "none of events= can be counted here");
}

TEST(test_refused)
{
    static const char *const without[] = {"p5", "p55c", "p3", "prescott", "coreduo", "k8", "zen"};
    char why[192];
    for (unsigned i = 0; i < sizeof without / sizeof *without; i++) {
        on(without[i], 0, 5, 1);
        assert_int_equal(steps_schedule(&opt, &m.pmu, &with, group, why, sizeof why), 0);
        assert_non_null(strstr(why, "do not stop by themselves"));
        assert_non_null(strstr(why, "sample=pmi"));
    }
}

/* A CPU that takes the bit, and counts on. */
static bool no_freeze(struct pmu *pmu, unsigned counter, char *why, size_t cap)
{
    (void)pmu, (void)counter, (void)why, (void)cap;
    return true;
}

TEST(test_does_not_freeze)
{
    on("skylake", 3, 30, 1);
    add("instructions");
    struct pmu_ops ops = *m.pmu.ops;
    ops.freeze = no_freeze;
    m.pmu.ops = &ops;
    run_any();
    assert_int_equal(out.run.status, RUN_PMU);
    assert_string_equal(
        out.run.bench.error,
        "the counters did not stop when the counter of cycles overflowed: it counted 55 more, "
        "until the bracket ended; sample=pmi may work here");
}

/* A hypervisor may let RDMSR read counters, and not RDPMC. */
TEST(test_without_rdpmc)
{
    on("zen4", 3, 30, 1);
    add("instructions");
    m.pmu.user_rdpmc = false;
    run_any();
    assert_int_equal(out.run.status, RUN_PMU);
    assert_string_equal(out.run.bench.error, "steps= reads counters by RDPMC, which cannot be used here");
}

/* As on silicon, where the counters stop some cycles after the overflow: a row says when they did, and has
 * what was counted until then. */
#define LATE 4
static struct msr_write preset_late(const struct pmu *pmu, unsigned counter, int64_t value)
{
    return pmu_arch_ops.preset(pmu, counter, value ? value - LATE : 0);
}

TEST(test_late)
{
    on("skylake", 0, 30, 10);
    add("instructions");
    struct pmu_ops ops = *m.pmu.ops;
    ops.preset = preset_late;
    m.pmu.ops = &ops;
    run();
    assert_int_equal(out.n, 4);
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(out.at[i].asked, 10 * i);
        assert_int_equal(out.at[i].cycles.median, 10 * i + LATE);
        assert_int_equal(out.at[i].count[0].median, GAP + 10 * i + LATE);
    }
}

/* A counter that was set back has counted nothing. */
TEST(test_backward)
{
    for (unsigned c = 0; c < CPUS; c++)
        for (back_at = 1; back_at < 18; back_at += 4) { /* before the first is to stop */
            const unsigned from = back_at;
            on(cpus[c], 0, 30, 1);
            back_at = from;
            add("instructions");
            run_any();
            assert_int_equal(out.run.status, RUN_IMPOSSIBLE);
            assert_non_null(strstr(out.run.bench.error, "counted -"));
        }
}

/* However it ends, IA32_DEBUGCTL is as it was, and nothing counts. */
TEST(test_left_as_found)
{
    for (unsigned c = 0; c < CPUS; c++)
        for (unsigned how = 0; how < 3; how++) {
            on(cpus[c], 0, 30, 1);
            add("instructions");
            trap_at = how == 1 ? 40 : 0;
            cancel_at = how == 2 ? 40 : 0;
            run_any();
            assert_int_equal(out.run.status, how == 1 ? RUN_TRAP : how == 2 ? RUN_CANCELLED : RUN_OK);
            assert_int_equal(msr(MSR_DEBUGCTL) & FREEZE_PMC, 0);
            const uint64_t before = m.pmu.ops->read(&m.pmu, out.run.count[1].counter);
            sim_hw_run(100, 0);
            assert_int_equal(m.pmu.ops->read(&m.pmu, out.run.count[1].counter), before);
            m.pmu.ops->release(&m.pmu);
            assert_int_equal(msr(MSR_DEBUGCTL), m.pmu.perfmon.found.debugctl);
            assert_int_equal(msr(m.pmu.perfmon.global_ctrl), m.pmu.perfmon.found.global_ctrl);
            assert_int_equal(msr(m.pmu.perfmon.global_status), 0);
        }
}
