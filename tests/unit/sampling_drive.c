#include "tests/unit/sampling_drive.h"
#include "kernel/hw.h"
#include "kernel/user.h"
#include "measure/reading.h"
#include "tests/unit/unit.h"
#include "tests/unit/user_stack.h"
#include <string.h>

struct sampling out;
struct options opt;
bool (*cancelled)(void);
uint64_t tsc_hz, repeat_ticks;
unsigned before_payload, after_payload, calls;
bool late;
uint64_t set_back;
static uint64_t memory[(8 << 20) / 8];

PAYLOAD static void payload(void *arg)
{
    (void)arg;
    for (unsigned k = 0; k < N; k++) {
        sim_hw_run(1, 3);
        if (m.pending) deliver(0x1000 + 2 * (k % 8), k);
    }
}

/* Instructions of the harness. */
static void harness(unsigned n)
{
    while (n--) {
        sim_hw_run(1, 3);
        if (m.pending && !late) deliver(HARNESS, n);
    }
}

void user_call(void *top, user_fn *fn, void *a, void *b, void *c)
{
    struct reading *reading = c;
    (void)top;
    calls++;
    harness(before_payload);
    uint64_t before = hw_rdtsc();
    fn(a, b, c);
    /* The machine's time, not the host's. */
    reading->tsc[0] = before;
    reading->tsc[1] = hw_rdtsc() - set_back;
    harness(after_payload);
}

void ask(enum sampling_by by, const char *event, uint64_t period)
{
    char why[160], near[8];
    memset(&opt, 0, sizeof opt);
    opt.sample = by;
    opt.period = period;
    opt.reps = 1;
    opt.ring = 3;
    opt.jitter_seed = 1;
    opt.pebs_depth = 4;
    if (!event) return;
    opt.n_events = 1;
    if (!pmu_event_parse(&m.pmu, event, strlen(event), &opt.event[0], why, sizeof why, near, sizeof near))
        fail_msg("%s: %s", event, why);
}

void run_payload(payload_fn *fn)
{
    const struct bench bench = {.program = {.name = "loop", .payload = fn}, .op = "insn"};
    const struct plan_item item = {.bench = &bench};
    static uint32_t strays;
    static struct cpu booted;
    const struct machine machine = {.cpu = {&booted},
                                    .clock.tsc_hz = tsc_hz,
                                    .repeat_ticks = repeat_ticks,
                                    .payloads = 0x1000,
                                    .payloads_end = HARNESS};
    const struct cpu cpu = {.machine = &machine,
                            USER_STACK,
                            .id = m.id,
                            .pmu = &m.pmu,
                            .apic = m.apic,
                            .strays = &strays,
                            .cancelled = cancelled};
    struct arena arena = {(uint8_t *)memory, sizeof memory, 0};
    memset(memory, 0xa5, sizeof memory);
    sampling_run(&item, &opt, &cpu, 0, &arena, &out);
    assert_null(interrupts_go_to); /* silent again, however it ended */
    assert_true(*apic_at(LVT_PC) & *apic_at(LVT_LINT1) & LVT_MASKED);
}

void run(void) { run_payload(payload); }

void ok(void)
{
    run();
    if (out.run.status != RUN_OK) fail_msg("status %d: %s", (int)out.run.status, out.run.bench.error);
    assert_int_equal(out.run.n, 1); /* its time; what is sampled is in no count */
}

void refused(const char *why)
{
    run();
    assert_int_equal(out.run.status, RUN_PMU);
    if (!strstr(out.run.bench.error, why)) fail_msg("\"%s\" is not in: %s", why, out.run.bench.error);
}

void check_samples(unsigned period)
{
    assert_int_equal(out.occurred, N);
    assert_int_equal(out.samples.n, N / period);
    assert_int_equal(out.samples.lost, 0);
    assert_int_equal(out.interrupts, N / period);
    for (unsigned i = 0; i < out.samples.n; i++) {
        const struct sample *s = &out.samples.at[i];
        unsigned k = (i + 1) * period - 1;
        assert_int_equal(s->valid, SAMPLE_IP | SAMPLE_REGS | SAMPLE_TSC | SAMPLE_COUNTER);
        assert_int_equal(s->counter, out.counter);
        assert_int_equal(s->ip, 0x1000 + 2 * (k % 8));
        assert_int_equal(s->flags, 0x202);
        assert_true(i == 0 || s->tsc > s[-1].tsc);
        for (unsigned r = 0; r < 16; r++) assert_int_equal(s->reg[r], r == 4 ? 0x7000 + k : 100 * r + k);
        assert_int_equal(s->data, 0);
    }
}
