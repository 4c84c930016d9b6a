/* bench=cascade on the PMU model: its payload is not executed but read, and each FADD told to the model. */
#include "kernel/user.h"
#include "measure/cascade.h"
#include "measure/reading.h"
#include "measure/sampler.h"
#include "tests/unit/sampling_machine.h"
#include "tests/unit/unit.h"
#include "tests/unit/user_stack.h"
#include <stdio.h>
#include <string.h>

#define HEAD    4 /* FLDZ, FLDZ */
#define RESULTS 32

static unsigned calls, skids, skidded; /* in the call number `skids` each interrupt comes one FADD late */
static unsigned fadds[64];             /* in each call's payload */
static size_t room;                    /* for payloads and what they need */
static bool lacks;                     /* the model has none of these events */
static bool faults;                    /* so does the 100th instruction of each payload */
static struct truth_totals totals;
static struct {
    unsigned n, left_out, failures;
    struct {
        char program[32], event[64], reason[80];
        uint64_t expected;
        double measured;
        unsigned counter;
        double min, max;
        bool tell;
    } r[RESULTS];
    char error[160];
    char lacks[64];
} got;
static _Alignas(4096) uint8_t memory[1 << 20];

/* ---- the payload ---- */

/* FADDs until the code is over. */
void user_call(void *top, user_fn *bracket, void *code, void *arg, void *reading)
{
    static const uint8_t fadd[] = {0xd8, 0xc1};
    const uint8_t *at = (const uint8_t *)code + HEAD;
    (void)bracket, (void)arg;
    ((struct reading *)reading)->tsc[1] = 1;     /* as a bracket that comes back */
    assert_int_equal((uintptr_t)code % 4096, 0); /* a page of its own */
    assert_memory_equal(code, "\xd9\xee\xd9\xee", HEAD);
    calls++;
    assert_ptr_equal(interrupts_go_to, sampler_interrupt);
    assert_true(calls <= sizeof fadds / sizeof *fadds);
    fadds[calls - 1] = 0;
    for (unsigned k = 0; memcmp(at, fadd, sizeof fadd) == 0; k++) {
        fadds[calls - 1]++;
        struct sim_insn insn = {.lin = (uintptr_t)at,
                                .phys = (uintptr_t)at & 0xffffff,
                                .len = sizeof fadd,
                                .op = OP_X87 | OP_FLOP,
                                .cpl = 3,
                                .cpl_after = 3};
        if (faults && k == 100) {
            assert_non_null(guard);
            guard->trap = (struct trap){.vector = 16, .ip = (uintptr_t)at};
            longjmp(guard->resume, 1);
        }
        sim_ticks(m.sim, 1, false, 3);
        sim_instruction(m.sim, &insn);
        at += sizeof fadd;
        if (m.pending && (calls != skids || skidded++)) deliver((uintptr_t)at, 0);
    }
    assert_memory_equal(at, "\xdd\xd8\xdd\xd8\xc3", 5); /* both stack places free again, RET */
    assert_true((const uint8_t *)top >= at + 5 + 8192 || (const uint8_t *)top <= (const uint8_t *)code);
}

/* Both halves are asked about, and the model itself has them. */
bool __real_model_lacks(uint32_t n);
bool __wrap_model_lacks(uint32_t n);
static uint32_t asked;
bool __wrap_model_lacks(uint32_t n)
{
    asked |= 1u << n;
    assert_false(__real_model_lacks(n));
    return lacks && n == 10; /* the target of plain cascades */
}

/* ---- runs ---- */

static void result(void *ctx, const struct truth_result *r)
{
    (void)ctx;
    assert_true(got.n < RESULTS);
    snprintf(got.r[got.n].program, sizeof got.r[0].program, "%s", r->program->program.name);
    snprintf(got.r[got.n].event, sizeof got.r[0].event, "%s", r->row->event);
    snprintf(got.r[got.n].reason, sizeof got.r[0].reason, "%s", r->row->reason);
    got.r[got.n].expected = r->expected;
    got.r[got.n].measured = r->count.median;
    got.r[got.n].min = r->count.min;
    got.r[got.n].max = r->count.max;
    got.r[got.n].tell = r->row->tell;
    assert_int_equal(r->row->classes, CLASS_NETBURST);
    assert_int_equal(r->count.groups, 1);
    assert_true((double)r->count.raw_min == r->count.min);
    got.r[got.n++].counter = r->count.counter;
}

static void failure(void *ctx, const struct run *run)
{
    (void)ctx;
    got.failures++;
    if (got.failures == 1) snprintf(got.error, sizeof got.error, "%s", run->bench.error);
    assert_int_equal(run->status == RUN_TRAP, faults);
    if (faults) assert_int_equal(run->trap.vector, 16);
    assert_memory_equal(run->program.name, "cascade_", 8);
    assert_null(run->program.variant);
}

static void left_out(void *ctx, const struct truth_program *p, const char *what)
{
    (void)ctx, (void)p;
    got.left_out++;
    snprintf(got.lacks, sizeof got.lacks, "%s", what);
}

static void run(bool nmi)
{
    const struct options opt = {.reps = 3, .ring = 3, .pmi_nmi = nmi};
    const struct machine machine = {.modelled = true};
    const struct cpu cpu = {.machine = &machine, USER_STACK, .id = m.id, .pmu = &m.pmu, .apic = m.apic};
    const struct truth_sink sink = {.result = result, .failure = failure, .left_out = left_out};
    struct arena arena = {memory, room ? room : sizeof memory, 0};
    memset(&got, 0, sizeof got);
    calls = skidded = 0;
    cascade_run(&opt, &cpu, &arena, &sink, &totals);
    assert_null(interrupts_go_to); /* silent again, however it ended */
    assert_true(*apic_at(LVT_PC) & LVT_MASKED);
    assert_int_equal(trap_strays, 0);
    assert_int_equal(m.outs, 0); /* the 8259 has no part in this */
    assert_null(faults ? NULL : guard);
}

/* Each program's interrupts, on the counter that has to be the target. */
static void check(unsigned programs)
{
    static const struct {
        const char *name;
        unsigned sum, counter;
    } want[] = {{"cascade_1000_7", 1007, 10},   {"cascade_1_500", 501, 10},
                {"cascade_500_2", 502, 10},     {"cascade_16_to_12", 1007, 12},
                {"cascade_17_to_15", 1007, 15}, {"cascade_17_to_16", 1007, 16},
                {"cascade_16_to_17", 1007, 17}};
    assert_int_equal(got.n, 3 * programs);
    assert_int_equal(totals.verdict[TRUTH_AGREES], 3 * programs);
    assert_int_equal(totals.programs, programs);
    assert_int_equal(calls, 3 * programs);
    for (unsigned i = 0; i < got.n; i++) {
        const unsigned p = i / 3;
        /* Both interrupts, and half of what a third one would need. */
        assert_int_equal(fadds[i], 2 * want[p].sum + want[p].sum / 2);
        assert_string_equal(got.r[i].program, want[p].name);
        assert_int_equal(got.r[i].counter, want[p].counter);
        const uint64_t expected = i % 3 == 2 ? 2 : (i % 3 + 1) * want[p].sum;
        assert_int_equal(got.r[i].expected, expected);
        assert_int_equal((uint64_t)got.r[i].measured, expected);
    }
}

/* ---- tests ---- */

TEST(test_plain)
{
    plug("willamette", NULL);
    run(false);
    check(3);
    assert_int_equal(got.left_out, 4);
    assert_string_equal(got.lacks, "extended cascades");
    assert_int_equal(m.fixed, 3 * 3 * 2);
    assert_int_equal(m.nmis, 0);
}

TEST(test_extended)
{
    plug("prescott", NULL);
    run(false);
    check(7);
    assert_int_equal(got.left_out, 0);
    assert_string_equal(got.r[0].event, "x87_fp_uop+>x87_fp_uop 1st interrupt");
    assert_string_equal(got.r[9].event, "x87_fp_retired:tag=1+>x87_fp_retired:tag=1 1st interrupt");
}

TEST(test_nmi)
{
    plug("prescott", NULL);
    run(true);
    check(7);
    assert_int_equal(m.nmis, 7 * 3 * 2);
    assert_int_equal(m.fixed, 0);
}

/* Each has its own guard: the one that traps ends, the next begins. */
TEST(test_trap)
{
    uint64_t cccr;
    plug("prescott", NULL);
    faults = true;
    run(false);
    assert_int_equal(got.failures, 7);
    assert_int_equal(totals.failed, 7);
    assert_int_equal(got.n, 0);
    for (unsigned i = 0; i < 18; i++) { /* stopped */
        assert_int_equal(sim_rdmsr(m.sim, 0x360 + i, &cccr), 1);
        if (m.pmu.netburst.counter[i].cccr) assert_int_equal(cccr & (1u << 12 | 1u << 11 | 1u << 30), 0);
    }
    faults = false;
    guard = NULL;
    run(false);
    check(7);
}

/* An erratum: refused, with the driver's reason; a CPU that has it without saying so shows it. */
TEST(test_mute)
{
    plug("northwood", NULL);
    run(false);
    assert_int_equal(totals.verdict[TRUTH_REFUSED], 7);
    assert_int_equal(got.n, 7);
    assert_non_null(strstr(got.r[6].reason, "erratum"));
    plug("prescott", "cascade-pmi");
    run(false);
    assert_int_equal(totals.verdict[TRUTH_DIFFERS], 21);
    for (unsigned i = 0; i < got.n; i++) assert_int_equal((int)got.r[i].measured, 0);
}

/* Where an interrupt comes late once, the range says so, and that it was the skid. */
TEST(test_skid)
{
    for (skids = 1; skids <= 3; skids++) {
        plug("willamette", NULL);
        run(false);
        assert_int_equal(got.n, 9);
        assert_int_equal(totals.verdict[TRUTH_WITHIN], 2);
        assert_int_equal(totals.verdict[TRUTH_AGREES], 7);
        for (unsigned i = 0; i < got.n; i++) {
            const double expected = (double)got.r[i].expected;
            assert_true(got.r[i].min == expected && got.r[i].max == expected + (i < 2));
            assert_true(got.r[i].measured == expected + (i < 2 && skids == 3)); /* the last repetition's */
            assert_int_equal(got.r[i].tell, i < 2);
            assert_true((strstr(got.r[i].reason, "skid") != NULL) == (i < 2));
        }
    }
    skids = 0;
}

/* Two zeros, 2.5 * 1,007 sums and what takes them away again, from a page's beginning on. */
TEST(test_memory)
{
    enum { BYTES = 4 + 2 * 2517 + 5 };
    plug("willamette", NULL);
    room = 4096 + BYTES - 1;
    run(false);
    assert_true(got.failures >= 1 && totals.failed == got.failures);
    assert_string_equal(got.error, "not enough memory for the payload");
    room = 4096 + BYTES;
    run(false);
    assert_string_equal(got.error, "not enough memory for a reading");
    room = 0;
}

TEST(test_unmodelled)
{
    plug("willamette", NULL);
    lacks = true;
    asked = 0;
    run(false);
    lacks = false;
    assert_int_equal(totals.verdict[TRUTH_UNMODELLED], 3);
    assert_int_equal(got.n, 3);
    assert_int_equal(asked, 1u << 8 | 1u << 10);
}

TEST(test_none)
{
    plug("p3", NULL);
    run(false);
    assert_int_equal(got.left_out, 7);
    assert_string_equal(got.lacks, "counters that start each other");
    assert_int_equal(totals.programs, 0);
    plug("prescott", NULL);
    m.apic.lvts = 3;
    run(false);
    assert_int_equal(got.left_out, 7);
    assert_non_null(strstr(got.lacks, "APIC"));
}
