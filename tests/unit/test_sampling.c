/* Sampling against the PMU model: driver, handler and APIC code as in the kernel, interrupts delivered by
 * hand between two instructions. */
#include "kernel/apic.h"
#include "kernel/hw.h"
#include "kernel/user.h"
#include "measure/sampling.h"
#include "measure/sampling_handler.h"
#include "tests/unit/sim_hw.h"
#include "tests/unit/unit.h"
#include <stdlib.h>
#include <string.h>

#define LVT_PC 0x340
#define EOI    0x0b0
#define N      100000 /* instructions of the payload, at CPL 3 */

/* ---- the machine ---- */

static struct {
    struct sim *sim;
    struct cpu_id id;
    struct pmu pmu;
    struct apic apic;
    bool masks;   /* delivery masks the LVT entry: Pentium M */
    bool socket;  /* PM0 is wired to NMI */
    bool pending; /* an interrupt waits for the end of the instruction */
    unsigned fixed, nmis, strays, eois;
    uint8_t ports[0x100];
} m;
static _Alignas(4096) uint8_t page[4096]; /* the local APIC */
static uint64_t memory[(8 << 20) / 8];

uintptr_t user_flags = USER_FLAGS_PLAIN;
void (*trap_interrupt)(const struct trap_frame *f) = trap_stray;
void trap_stray(const struct trap_frame *f) { (void)f, m.strays++; }

static uint32_t *apic_at(unsigned reg) { return (uint32_t *)(page + reg); }

static void on_pmi(void *ctx)
{
    (void)ctx;
    if (*apic_at(LVT_PC) & LVT_MASKED) return;
    if (m.masks) *apic_at(LVT_PC) |= LVT_MASKED;
    m.pending = true;
}

static void on_pin(void *ctx, unsigned pin, bool overflow)
{
    (void)ctx;
    if (m.socket && pin == 0 && overflow) m.pending = true;
}

/* What vectors.S and trap.c do. */
static void interrupt(uint32_t vector, unsigned k)
{
    struct trap_frame f = {
        .vector = vector, .ip = 0x1000 + 2 * (k % 8), .cs = 0x43, .flags = 0x202, .sp = 0x7000 + k};
    for (unsigned i = 0; i < TRAP_REGS; i++) f.reg[i] = 100 * i + k;
    *apic_at(EOI) = 1;
    trap_interrupt(&f);
    m.eois += *apic_at(EOI) == 0;
}

PAYLOAD static void payload(void *arg)
{
    (void)arg;
    for (unsigned k = 0; k < N; k++) {
        sim_hw_run(1, 3);
        if (!m.pending) continue;
        m.pending = false;
        bool nmi = m.pmu.pin_nmi || (*apic_at(LVT_PC) >> 8 & 7) == 4;
        nmi ? m.nmis++ : m.fixed++;
        interrupt(nmi ? VECTOR_NMI : *apic_at(LVT_PC) & 0xff, k);
    }
}

void user_call(void *top, user_fn *fn, void *a, void *b, void *c)
{
    (void)top;
    fn(a, b, c);
}

static struct trap_guard *guard;
void trap_guard_push(struct trap_guard *g) { guard = g; }
void trap_guard_disarm(struct trap_guard *g) { (void)g; }
void trap_guard_after(struct trap_guard *g) { (void)g; }
uint8_t hw_inb(uint16_t port) { return m.ports[port & 0xff]; }
void hw_outb(uint16_t port, uint8_t value) { m.ports[port & 0xff] = value; }

static void plug(const char *model)
{
    static const struct sim_host host = {NULL, on_pmi, on_pin};
    if (m.sim) sim_free(m.sim);
    memset(&m, 0, sizeof m);
    m.sim = sim_new(model, NULL, &host);
    assert_non_null(m.sim);
    sim_hw_plug(m.sim, &m.id);
    assert_true(pmu_probe(&m.id, &m.pmu));
    m.apic = (struct apic){.mode = APIC_XAPIC, .base = (uintptr_t)page, .lvts = m.pmu.pin_nmi ? 4 : 5};
    memset(page, 0, sizeof page);
    *apic_at(LVT_PC) = LVT_MASKED;
}

/* ---- runs ---- */

static struct sampling out;
static struct options opt;

static void ask(enum sampling_by by, const char *event, uint64_t period)
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

static bool (*cancelled)(void);

static void run_payload(payload_fn *fn)
{
    const struct bench bench = {.name = "loop", .op = "insn", .variant = {{"", fn}}};
    const struct plan_item item = {.bench = &bench};
    static uint32_t strays;
    struct machine machine = {
        .id = &m.id, .pmu = &m.pmu, .apic = &m.apic, .strays = &strays, .cancelled = cancelled};
    struct arena arena = {(uint8_t *)memory, sizeof memory, 0};
    memset(memory, 0xa5, sizeof memory);
    sampling_run(&item, &opt, &machine, 0, &arena, &out);
    assert_ptr_equal(trap_interrupt, trap_stray); /* silent again, however it ended */
    assert_int_equal(user_flags, USER_FLAGS_PLAIN);
    assert_true(*apic_at(LVT_PC) & LVT_MASKED);
}

static void run(void) { run_payload(payload); }

static void ok(void)
{
    run();
    if (out.run.status != RUN_OK) fail_msg("status %d: %s", (int)out.run.status, out.run.bench.error);
}

static void refused(const char *why)
{
    run();
    assert_int_equal(out.run.status, RUN_PMU);
    if (!strstr(out.run.bench.error, why)) fail_msg("\"%s\" is not in: %s", why, out.run.bench.error);
}

/* Every 1000th instruction, with what it was interrupted with. */
static void check_samples(unsigned period)
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

static void test_p6_fixed(void **state)
{
    static const char *const models[] = {"ppro", "p2", "p3"};
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        plug(models[i]);
        ask(SAMPLE_BY_PMI, "inst_retired:u", 1000);
        ok();
        check_samples(1000);
        assert_int_equal(m.fixed, 100);
        assert_int_equal(m.eois, 100);
        assert_int_equal(m.strays, 0);
        assert_int_equal(out.tries, 1);
        assert_true(out.counted);
    }
}

static void test_p6_nmi(void **state)
{
    (void)state;
    plug("p3");
    ask(SAMPLE_BY_PMI, "inst_retired:u", 777);
    opt.pmi_nmi = true;
    ok();
    check_samples(777);
    assert_int_equal(m.nmis, N / 777);
    assert_int_equal(m.eois, 0); /* an NMI has none */
}

/* The mask bit that delivery sets is taken back by each handler; otherwise there would be one sample. */
static void test_pentium_m_masks(void **state)
{
    (void)state;
    for (unsigned nmi = 0; nmi < 2; nmi++) {
        plug("p3");
        m.masks = true;
        ask(SAMPLE_BY_PMI, "inst_retired:u", 500);
        opt.pmi_nmi = nmi;
        ok();
        check_samples(500);
    }
}

/* An event that only one counter takes leaves the other one to the handler's instructions, and the other way
 * round. */
static void test_counters(void **state)
{
    (void)state;
    plug("p3");
    ask(SAMPLE_BY_PMI, "inst_retired:u", 1000);
    opt.event[0].counters = 2;
    ok();
    assert_int_equal(out.counter, 1);
    check_samples(1000);
    assert_true(out.counted);
    m.pmu.usable = 2;
    ok();
    assert_false(out.counted);
    check_samples(1000);
    m.pmu.usable = 1;
    refused("no usable counter");
}

static void test_stray_nmi(void **state)
{
    static struct sample buffer[1];
    struct samples s = {buffer, 0, 1, 0};
    struct trap_frame f = {.vector = VECTOR_NMI};
    uint32_t none = 0, no_eoi = 1;
    (void)state;
    plug("p3");
    sampler = (struct sampler){.next = buffer,
                               .end = buffer + 1,
                               .samples = &s,
                               .pmu = &m.pmu,
                               .overflowed = m.pmu.ops->overflowed,
                               .pmi = &none,
                               .eoi = &no_eoi,
                               .lvt = LVT_NMI};
    sampling_interrupt(&f); /* nothing is armed */
    assert_int_equal(m.strays, 1);
    assert_ptr_equal(sampler.next, buffer);
    assert_int_equal(none, LVT_NMI); /* armed again all the same */
    sampler.fixed = true;
    sampling_interrupt(&f);
    assert_int_equal(m.strays, 1); /* a late one, after the counter was stopped: nobody else's */
}

static bool is_prime(uint64_t n)
{
    for (uint64_t d = 2; d * d <= n; d++)
        if (n % d == 0) return false;
    return n > 1;
}

static void test_auto(void **state)
{
    (void)state;
    plug("p3");
    static const unsigned wanted[] = {1, 10, 1000, 7000};
    for (unsigned i = 0; i < 4; i++) {
        ask(SAMPLE_BY_PMI, "inst_retired:u", 0);
        opt.samples = wanted[i];
        ok();
        assert_true(is_prime(out.period));
        assert_true(out.tries <= SAMPLING_TRIES);
        if (wanted[i] > 1) assert_true(out.samples.n >= wanted[i] / 2 && out.samples.n <= 2 * wanted[i]);
        assert_int_equal(out.samples.n, N / out.period);
    }
    ask(SAMPLE_BY_PMI, "inst_retired:u", 0);
    ok();
    assert_int_equal(out.wanted, SAMPLES_DEF);
    assert_int_equal(out.period, 101);
}

static void test_lost(void **state)
{
    (void)state;
    plug("p3");
    ask(SAMPLE_BY_PMI, "inst_retired:u", 100);
    opt.samples = 30;
    ok();
    assert_int_equal(out.samples.n, 30);
    assert_int_equal(out.samples.lost, 970);
    assert_false(out.storm);
    assert_int_equal(out.samples.at[29].reg[0], 2999); /* the first ones are kept */
}

/* Every instruction interrupts: ended at the limit, and the machine is silent. */
static void test_storm(void **state)
{
    (void)state;
    plug("p3");
    ask(SAMPLE_BY_PMI, "inst_retired:u", 1);
    opt.samples = 10;
    ok();
    assert_true(out.storm);
    assert_int_equal(out.samples.n, 10);
    assert_int_equal(out.samples.lost, 10 * STORM_FACTOR + SAMPLES_DEF);
    assert_int_equal(m.fixed, out.interrupts);
    ask(SAMPLE_BY_PMI, "inst_retired:u", 1000); /* and the next run is none the worse */
    ok();
    check_samples(1000);
}

PAYLOAD static void faulty(void *arg)
{
    (void)arg;
    sim_hw_run(5000, 3);
    m.pending = false;
    if (trap_interrupt == sampling_interrupt) longjmp(guard->resume, 1);
}

/* A fault in the pass that samples: told, silent, and the next run is none the worse. */
static void test_trap(void **state)
{
    (void)state;
    plug("p3");
    ask(SAMPLE_BY_PMI, "inst_retired:u", 1000);
    run_payload(faulty);
    assert_int_equal(out.run.status, RUN_TRAP);
    uint64_t before = hw_rdmsr(0xc1);
    sim_hw_run(100, 3);
    assert_int_equal(hw_rdmsr(0xc1), before); /* stopped */
    ok();
    check_samples(1000);
}

static bool cancel(void) { return trap_interrupt == sampling_interrupt; }

static void test_cancel(void **state)
{
    (void)state;
    plug("p3");
    ask(SAMPLE_BY_PMI, "inst_retired:u", 1000);
    cancelled = cancel;
    run();
    assert_int_equal(out.run.status, RUN_CANCELLED);
    cancelled = NULL;
    ok();
}

static void test_jitter(void **state)
{
    static uint64_t first[200];
    unsigned n = 0, differ = 0, low = 1000, high = 0;
    (void)state;
    plug("p3");
    for (unsigned seed = 1; seed <= 2; seed++)
        for (unsigned again = 0; again < 2; again++) {
            ask(SAMPLE_BY_PMI, "inst_retired:u", 1000);
            opt.jitter = 100;
            opt.jitter_seed = seed;
            ok();
            assert_true(out.samples.n >= N / 1100 && out.samples.n <= N / 900);
            if (seed == 1 && !again) n = out.samples.n;
            for (unsigned i = 0; i < out.samples.n; i++) {
                uint64_t k = out.samples.at[i].reg[0];
                if (seed == 1 && !again)
                    first[i] = k;
                else if (seed == 1)
                    assert_int_equal(k, first[i]); /* the same seed, the same samples */
                else
                    differ += k != first[i];
                if (i == 0) continue;
                unsigned gap = (unsigned)(k - out.samples.at[i - 1].reg[0]);
                assert_true(gap >= 900 && gap <= 1100);
                if (gap < low) low = gap;
                if (gap > high) high = gap;
            }
        }
    assert_true(n > 0 && differ > n / 2);
    assert_true(low < 930 && high > 1070); /* it uses its range */
}

static void test_p5(void **state)
{
    static const char *const models[] = {"p5", "p55c"};
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        plug(models[i]);
        m.socket = true;
        ask(SAMPLE_BY_NMI, "instructions:u", 1000);
        ok();
        check_samples(1000);
        assert_int_equal(m.nmis, 100);
        assert_int_equal(m.eois, 0);
        m.socket = false;
        refused("wired to NMI");
        ask(SAMPLE_BY_PMI, "instructions:u", 1000);
        refused("no performance interrupt");
        ask(SAMPLE_BY_NMI, "instructions:u", 1000);
        opt.event[0].counters = 2;
        refused("only PM0");
    }
}

/* The pin tells overflow while sampling only. */
static void test_p5_pin_is_given_back(void **state)
{
    const struct pmu_code *none[PMU_COUNTERS] = {NULL};
    char why[96];
    (void)state;
    plug("p5");
    m.socket = true;
    ask(SAMPLE_BY_NMI, "instructions:u", 1000);
    ok();
    assert_true(m.pmu.ops->program(&m.pmu, none, why, sizeof why));
    assert_int_equal(hw_rdmsr(0x11), 0);
}

static void test_refused(void **state)
{
    (void)state;
    plug("p3");
    ask(SAMPLE_BY_NMI, "inst_retired:u", 1000);
    refused("sample=pmi pmi=nmi");
    ask(SAMPLE_BY_PEBS, "inst_retired:u", 1000);
    refused("no PEBS");
    m.apic.mode = APIC_DISABLED;
    ask(SAMPLE_BY_PMI, "inst_retired:u", 1000);
    refused("no local APIC");
    m.apic.mode = APIC_XAPIC;
    ask(SAMPLE_BY_PMI, "inst_retired:u", 0x80000000);
    refused("from 1 to 2147483647 events");
}

/* ---- PEBS: a facility that writes its records into the DS area by itself ---- */

static struct {
    uint8_t *ds;
    unsigned armed, stopped;
    uint64_t reset;
} fake;

static bool fake_pebs_arm(struct pmu *pmu, unsigned counter, const struct pmu_code *code, uint64_t ds,
                          char *why, size_t cap)
{
    (void)pmu, (void)counter, (void)code, (void)why, (void)cap;
    fake.ds = (uint8_t *)(uintptr_t)ds;
    memcpy(&fake.reset, fake.ds + 0x40, 8);
    fake.armed++;
    return true;
}
static void fake_pebs_stop(struct pmu *pmu) { (void)pmu, fake.stopped++; }
static uint32_t fake_overflowed(struct pmu *pmu) { return (void)pmu, 0; }

/* 64-bit layout (facts 3.6): index at 28h, threshold at 38h; records of 144 bytes. */
PAYLOAD static void payload_pebs(void *arg)
{
    uint64_t *ds = (uint64_t *)fake.ds;
    (void)arg;
    if (trap_interrupt == trap_stray) return; /* the pass that only counts */
    for (uint64_t k = 0; k < 10; k++) {
        uint64_t record[18] = {0x246, 0x5000 + k, k, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 15};
        memcpy((void *)(uintptr_t)ds[5], record, sizeof record);
        ds[5] += sizeof record;
        if (ds[5] >= ds[7]) interrupt(VECTOR_SAMPLE, 0);
    }
}

static void test_pebs(void **state)
{
    static const struct bench bench = {.name = "pebs", .op = "insn", .variant = {{"", payload_pebs}}};
    static const struct plan_item item = {.bench = &bench};
    static uint32_t strays;
    (void)state;
    plug("p3");
    struct pmu_ops ops = *m.pmu.ops;
    ops.pebs_arm = fake_pebs_arm;
    ops.pebs_stop = fake_pebs_stop;
    ops.overflowed = fake_overflowed;
    m.pmu.ops = &ops;
    m.pmu.pebs = true;
    struct machine machine = {.id = &m.id, .pmu = &m.pmu, .apic = &m.apic, .strays = &strays};
    for (unsigned depth = 1; depth <= 12; depth++) {
        struct arena arena = {(uint8_t *)memory, sizeof memory, 0};
        ask(SAMPLE_BY_PEBS, "inst_retired:u", 100000);
        opt.pebs_depth = depth;
        memset(&fake, 0, sizeof fake);
        m.strays = m.eois = 0;
        sampling_run(&item, &opt, &machine, 0, &arena, &out);
        assert_int_equal(out.run.status, RUN_OK);
        assert_int_equal(fake.armed, 2); /* tried, and used */
        assert_int_equal(fake.stopped, 2);
        assert_int_equal(fake.reset, -99999ull & 0xffffffffff);
        assert_int_equal(out.samples.n, 10); /* what lies below the threshold is fetched in the end */
        assert_int_equal(out.samples.lost, 0);
        assert_int_equal(out.interrupts, 10 / depth);
        assert_int_equal(m.eois, 10 / depth);
        assert_int_equal(m.strays, 0);
        for (unsigned i = 0; i < 10; i++) {
            assert_int_equal(out.samples.at[i].valid,
                             SAMPLE_IP | SAMPLE_PRECISE | SAMPLE_REGS | SAMPLE_COUNTER);
            assert_int_equal(out.samples.at[i].ip, 0x5000 + i);
            assert_int_equal(out.samples.at[i].reg[0], i);
            assert_int_equal(out.samples.at[i].reg[15], 15);
        }
    }
    ask(SAMPLE_BY_PEBS, "inst_retired:u", 1);
    struct arena arena = {(uint8_t *)memory, sizeof memory, 0};
    sampling_run(&item, &opt, &machine, 0, &arena, &out);
    assert_int_equal(out.run.status, RUN_PMU);
    assert_non_null(strstr(out.run.bench.error, "from 2 to 2147483647 events"));
    m.pmu.ops = NULL;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_p6_fixed),
                                       cmocka_unit_test(test_p6_nmi),
                                       cmocka_unit_test(test_pentium_m_masks),
                                       cmocka_unit_test(test_counters),
                                       cmocka_unit_test(test_stray_nmi),
                                       cmocka_unit_test(test_auto),
                                       cmocka_unit_test(test_lost),
                                       cmocka_unit_test(test_storm),
                                       cmocka_unit_test(test_trap),
                                       cmocka_unit_test(test_cancel),
                                       cmocka_unit_test(test_jitter),
                                       cmocka_unit_test(test_p5),
                                       cmocka_unit_test(test_p5_pin_is_given_back),
                                       cmocka_unit_test(test_refused),
                                       cmocka_unit_test(test_pebs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
