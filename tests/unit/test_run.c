/* Runs of one plan item on a machine whose RDPMC is made up (trap_rdpmc.h): how wide counters are read. */
#include "kernel/model.h"
#include "kernel/smi.h"
#include "tests/unit/run_drive.h"

#define LONG (1ull << 28) /* ticks, from which on 32 bits may not be enough */

/* Each repetition's count: of so many events, and the readings inside of counter k's own. */
static void check(uint64_t events, unsigned n)
{
    for (unsigned k = 0; k < n; k++) {
        const unsigned inside = 2 * (n - k) - 1;
        assert_int_equal(out.count[1 + k].overhead, inside);
        for (unsigned i = 0; i < opt.reps; i++) assert_int_equal(out.count[1 + k].raw[i], events + inside);
    }
}

/* Of one counter's overhead and repetitions there are more readings. */
#define LAST 200

static void check_readings(bool fast)
{
    assert_true(trap_rdpmc_count > LAST);
    for (unsigned i = trap_rdpmc_count - LAST; i < trap_rdpmc_count; i++)
        assert_int_equal(trap_rdpmc_index[i % TRAP_RDPMC_LOG] & PMU_RDPMC_FAST, fast ? PMU_RDPMC_FAST : 0);
    assert_string_equal(out.read, fast ? "fast rdpmc" : "rdpmc");
}

/* ---- payloads ---- */

PAYLOAD static void few(void *arg)
{
    (void)arg;
    trap_rdpmc_now += 1000;
}

/* As many as 32 bits can tell. */
PAYLOAD static void most(void *arg)
{
    (void)arg;
    trap_rdpmc_now += UINT32_MAX - 100;
}

static unsigned long_calls;
PAYLOAD static void too_many(void *arg)
{
    const uint64_t start = __builtin_ia32_rdtsc();
    (void)arg;
    if (++long_calls <= 2) strays++; /* in the warm-up, and in the repetition that is not kept */
    while (__builtin_ia32_rdtsc() - start < LONG) continue;
    trap_rdpmc_now += (5ull << 32) + 7;
}

/* ---- tests ---- */

/* By brackets of their own and by the slots, with readings that go past 2^32 in between. */
static void test_fast(void **state)
{
    static const unsigned n[] = {1, 2, 3, PMU_COUNTERS};
    (void)state;
    for (unsigned i = 0; i < sizeof n / sizeof *n; i++) {
        run(few, n[i], false);
        check(1000, n[i]);
        check_readings(true);
        run(most, n[i], false);
        check(UINT32_MAX - 100, n[i]);
        check_readings(true);
    }
}

/* A program without a plan's item. */
static void test_program(void **state)
{
    (void)state;
    by_program = true;
    run(few, 2, false);
    check(1000, 2);
    assert_string_equal(out.program.name, "payload");
}

static void test_fast_ring3(void **state)
{
    (void)state;
    opt.ring = 3;
    run(few, 2, false);
    check(1000, 2);
    check_readings(true);
    assert_true(at_ring3 > opt.reps);
}

/* The overhead is the least of the warm brackets: of no cold one, and of all the others. */
static void test_overhead(void **state)
{
    (void)state;
    opt.ring = 3;
    opt.serialize = SERIALIZE_LFENCE; /* full readings, so nothing is measured twice */
    disturbed = true;
    run(few, 1, false);
    assert_int_equal(out.count[1].overhead, 1 + 5);
    for (unsigned i = 0; i < opt.reps; i++) assert_int_equal(out.count[1].raw[i], 1000 + 1);
    assert_int_equal(at_ring3, EMPTY + opt.warmup + opt.reps);
}

/* Seen in the first warm-up. The overhead, too, is measured anew: the log holds the full readings last. */
static void test_too_long(void **state)
{
    static const unsigned n[] = {1, 3};
    (void)state;
    for (unsigned i = 0; i < sizeof n / sizeof *n; i++) {
        long_calls = 0;
        run(too_many, n[i], false);
        check((5ull << 32) + 7, n[i]);
        assert_int_equal(long_calls, 1 + opt.warmup + opt.reps);
        assert_true(trap_rdpmc_count > 2 * LAST);
        check_readings(false);
        for (unsigned r = 0; r < opt.reps; r++) {
            assert_true(out.count[0].raw[r] >= LONG);
            assert_true(out.count[1].upper_bits && !out.count[0].upper_bits);
            assert_int_equal(out.flags[r], 0);
        }
    }
}

/* Where the CPU has no fast reading, and where regions add up what they read. */
static void test_full(void **state)
{
    (void)state;
    run(few, 2, true);
    check_readings(false);
    pmu.fast_rdpmc = false;
    run(few, 2, false);
    check(1000, 2);
    check_readings(false);
    run(most, 18, false);
    check(UINT32_MAX - 100, 18);
    check_readings(false);
    for (unsigned k = 0; k < 19; k++) assert_false(out.count[k].wrapped || out.count[k].upper_bits);
}

/* LFENCE does not keep a second fast reading from being less than the first. */
static void test_lfence(void **state)
{
    (void)state;
    opt.serialize = SERIALIZE_LFENCE;
    run(few, 2, false);
    check_readings(false);
}

/* As long as a counter takes that adds 15 a tick: 28 bits of ticks for one of 32 bits. */
static void test_wrapped(void **state)
{
    (void)state;
    pmu.fast_rdpmc = false;
    pmu.width = 32;
    long_calls = 0;
    run(too_many, 1, false);
    assert_true(out.count[1].wrapped && !out.count[0].wrapped && !out.count[1].upper_bits);
    pmu.width = 40;
    long_calls = 0;
    run(too_many, 1, false);
    assert_false(out.count[1].wrapped);
}

/* The model is asked for each counter by its own number, and not where there is none. */
static void test_unmodelled(void **state)
{
    static const struct fake_cpuid lacks[] = {{0, 0, {.eax = MODEL_LEAF_LACKS}},
                                              {MODEL_LEAF_LACKS, TRAP_RDPMC_INDEX + 1, {.eax = 1}}};
    (void)state;
    fake_reset();
    assert_false(model_present());
    fake_cpuid(lacks, 2);
    assert_false(model_present());
    run(few, 3, false);
    for (unsigned k = 0; k <= 3; k++) assert_false(out.count[k].unmodelled);
    modelled = true;
    run(few, 3, false);
    for (unsigned k = 0; k <= 3; k++) assert_int_equal(out.count[k].unmodelled, k == 2);
}

/* The time stamp alone is not read by RDPMC. */
static void test_no_counters(void **state)
{
    (void)state;
    run(few, 0, false);
    assert_int_equal(trap_rdpmc_count, 0);
    assert_null(out.read);
}

/* A repetition in which SMIs came has the flag; where they cannot be counted none has. */
static unsigned smis;
PAYLOAD static void smi_in_the_third(void *arg)
{
    (void)arg;
    if (++smis == 2 + 3) fake_msr(0x34, 6); /* after the two warm-ups */
}

static void test_smi_flag(void **state)
{
    (void)state;
    opt.reps = 5;
    opt.warmup = 2;
    for (unsigned counted = 0; counted < 2; counted++) {
        fake_reset();
        fake_msr(0x34, 5);
        smis = 0;
        smi_counter = counted;
        run(smi_in_the_third, 0, false);
        for (unsigned i = 0; i < opt.reps; i++)
            assert_int_equal(out.flags[i], counted && i == 2 ? REP_SMI : 0);
    }
}

/* Where an event counts SMIs: on the first counter that can count it and that the run leaves free, for the
 * run as a whole. */
static unsigned programmed, started, stopped; /* programmed: bit i: counter i */
static bool refuses_smis;
enum { SMI_COUNTERS = 1 << 2 | 1 << 3 };

static bool note_program(struct pmu *p, const struct pmu_code *const code[PMU_COUNTERS], char *why,
                         size_t cap)
{
    (void)p, (void)why, (void)cap;
    programmed = 0;
    for (unsigned i = 0; i < PMU_COUNTERS; i++) programmed |= (code[i] != NULL) << i;
    return !(refuses_smis && programmed & SMI_COUNTERS);
}

static bool encode_smis(const struct pmu *p, const struct pmu_fields *f, struct pmu_code *code, char *why,
                        size_t cap)
{
    (void)p, (void)why, (void)cap;
    assert_true(f->event == 0x2b && f->usr && f->os);
    *code = (struct pmu_code){.counters = SMI_COUNTERS};
    return true;
}

static void note_start(struct pmu *p) { (void)p, started++; }
static void note_stop(struct pmu *p) { (void)p, stopped++; }
static uint64_t read_smis(const struct pmu *p, unsigned counter) { return (void)p, 40 + counter; }

static void test_smi_event(void **state)
{
    static const struct pmu_ops smi_ops = {.program = note_program,
                                           .encode = encode_smis,
                                           .start = note_start,
                                           .stop = note_stop,
                                           .read = read_smis};
    static const struct {
        unsigned n;
        enum origin origin;
        bool msr, refuses;
        unsigned usable, programmed, smis;
    } cases[] = {
        {0, ORIGIN_SILICON, false, false, 0xf, 0x4, 42},    {1, ORIGIN_SILICON, false, false, 0xf, 0x5, 42},
        {3, ORIGIN_SILICON, false, false, 0xf, 0xf, 43},    {4, ORIGIN_SILICON, false, false, 0xf, 0xf, 0},
        {1, ORIGIN_SILICON, false, false, 0xb, 0x9, 43},    {1, ORIGIN_SILICON, false, false, 0x3, 0x1, 0},
        {1, ORIGIN_SILICON, true, false, 0xf, 0x1, 0}, /* the MSR is better */
        {1, ORIGIN_SILICON, false, true, 0xf, 0x1, 0}, /* which is no reason to count nothing */
        {0, ORIGIN_SILICON, false, true, 0xf, 0x4, 0},      {1, ORIGIN_EMULATED, false, false, 0xf, 0x1, 0},
        {1, ORIGIN_VIRTUALIZED, false, false, 0xf, 0x1, 0},
    };
    (void)state;
    fake_reset();
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        pmu.ops = &smi_ops;
        pmu.smi_event = 0x2b;
        pmu.usable = cases[i].usable;
        origin = cases[i].origin;
        smi_counter = cases[i].msr;
        refuses_smis = cases[i].refuses;
        programmed = started = stopped = 0;
        run(few, cases[i].n, false);
        assert_int_equal(out.counts_smis, cases[i].smis != 0);
        assert_int_equal(out.smis, cases[i].smis);
        assert_int_equal(programmed, cases[i].programmed);
        assert_int_equal(started, cases[i].n || cases[i].smis);
        assert_int_equal(stopped, cases[i].n || cases[i].smis);
        for (unsigned r = 0; r < opt.reps; r++) assert_int_equal(out.flags[r], 0);
    }
    pmu.smi_event = 0;
    run(few, 1, false);
    assert_false(out.counts_smis);
}

/* The counter of SMIs: by family and model, and by whether its MSR can be read. */
static void test_smi_counter(void **state)
{
    (void)state;
    static const struct {
        uint32_t family, model;
        bool has;
    } cpus[] = {{6, 0x17, false}, {6, 0x1a, true}, {6, 0x1c, false}, {6, 0x37, true},
                {6, 0x8f, true},  {15, 4, false},  {5, 9, false},    {18, 1, true} /* Nova Lake */};
    fake_reset();
    fake_msr(0x34, 5);
    for (unsigned i = 0; i < sizeof cpus / sizeof cpus[0]; i++) {
        struct cpu_id id = {.vendor = "GenuineIntel", .family = cpus[i].family, .model = cpus[i].model};
        if (smi_counter_present(&id) != cpus[i].has) fail_msg("family %u model %x", id.family, id.model);
        id.has_hypervisor = true;
        assert_false(smi_counter_present(&id));
    }
    fake_reset();
    assert_false(smi_counter_present(&(struct cpu_id){.vendor = "GenuineIntel", .family = 6, .model = 0x1a}));
}

/* A payload with a baseline: as many repetitions of both, the baseline's first, and no empty bracket. */
static char order[64];
static void called(char what)
{
    const size_t n = strlen(order);
    if (n + 1 < sizeof order) order[n] = what;
}

PAYLOAD static void longer(void *arg)
{
    (void)arg;
    called('l');
    trap_rdpmc_now += 1000;
}

PAYLOAD static void shorter(void *arg)
{
    (void)arg;
    called('s');
    trap_rdpmc_now += 400;
}

PAYLOAD static void once(void *arg)
{
    (void)arg;
    called('o');
    trap_rdpmc_now += 7;
}

static bool with_baseline(struct bench_run *b)
{
    assert_int_equal(b->fence_bytes, opt.serialize == SERIALIZE_CPUID ? 0 : 3);
    b->baseline = shorter;
    b->once = once;
    return true;
}

static void test_baseline(void **state)
{
    (void)state;
    prepare = with_baseline;
    for (unsigned n = 0; n < 4; n++) {
        memset(order, 0, sizeof order);
        opt.serialize = n & 1 ? SERIALIZE_LFENCE : SERIALIZE_CPUID;
        run(longer, n, false);
        assert_string_equal(order, "ossslll"); /* a warm-up and two repetitions of each */
        for (unsigned k = 0; k < n; k++)
            for (unsigned i = 0; i < opt.reps; i++) {
                assert_int_equal(out.count[1 + k].raw[i] - out.count[1 + k].base[i], 600);
                assert_true(out.count[1 + k].base[i] >= 400);
                assert_int_equal(out.count[1 + k].overhead, 0); /* reduce() takes the baseline's least */
            }
        assert_true(out.count[0].base[0] > 0 && out.count[0].raw[0] > 0);
    }
    prepare = NULL;
    run(few, 1, false);
    assert_true(!out.base_flags && !out.count[0].base && !out.count[1].base);
}

/* Too long for fast readings: both are measured again, but not what is called once. */
static bool with_short_baseline(struct bench_run *b)
{
    b->baseline = shorter;
    b->once = once;
    return true;
}

static void test_baseline_too_long(void **state)
{
    (void)state;
    memset(order, 0, sizeof order);
    long_calls = 0;
    prepare = with_short_baseline;
    run(too_many, 1, false);
    assert_string_equal(order, "ossssss");
    assert_int_equal(out.count[1].raw[0] - out.count[1].base[0], (5ull << 32) + 7 - 400);
    assert_string_equal(out.read, "rdpmc");
}

/* What disturbs the baseline is known apart. */
PAYLOAD static void disturbing(void *arg)
{
    (void)arg;
    strays++;
}

static bool with_disturbing(struct bench_run *b)
{
    b->baseline = disturbing;
    return true;
}

static void test_baseline_flags(void **state)
{
    (void)state;
    prepare = with_disturbing;
    run(longer, 0, false);
    for (unsigned i = 0; i < opt.reps; i++) {
        assert_int_equal(out.base_flags[i], REP_STRAY);
        assert_int_equal(out.flags[i], 0);
    }
}

/* A payload that reads by itself: what it leaves is what counts, modulo the width, and the bracket's readings
 * are not. */
PAYLOAD static void reading(void *arg)
{
    uint64_t *sum = arg;
    trap_rdpmc_now += 1000;
    for (unsigned i = 0; i < 5; i++) sum[i] = (7ull << 40) + 10 + i;
}

static const char *faulty(const struct bench_run *b)
{
    return ((const uint64_t *)b->arg)[4] == (7ull << 40) + 14 ? "it was asked" : NULL;
}

static const char *(*with_fault)(const struct bench_run *b);
static bool with_readings(struct bench_run *b)
{
    assert_int_equal(b->counters->n, 4);
    assert_int_equal(b->counters->opcode, 0x33);
    for (unsigned i = 0; i < 4; i++) assert_int_equal(b->counters->select[i], TRAP_RDPMC_INDEX + i);
    b->reads = true;
    b->baseline = reading;
    b->fault = with_fault;
    return true;
}

static void test_by_payload(void **state)
{
    (void)state;
    prepare = with_readings;
    with_fault = NULL;
    run(reading, 4, false);
    assert_string_equal(out.read, "rdpmc");
    for (unsigned i = 0; i < opt.reps; i++) {
        assert_int_equal(out.count[0].raw[i], (7ull << 40) + 10);
        for (unsigned k = 1; k <= 4; k++) assert_int_equal(out.count[k].raw[i], 10 + k);
        assert_int_equal(out.count[4].base[i], 14);
    }
    assert_int_equal(trap_rdpmc_count, 0);
    with_fault = faulty;
    run_any(reading, 4, false);
    assert_int_equal(out.status, RUN_PREPARE);
    assert_string_equal(out.bench.error, "it was asked");
}

/* How a payload would have to read: no counters, by RDMSR, or by a call gate. */
static uint8_t opcode;
static bool note_opcode(struct bench_run *b)
{
    opcode = b->counters->opcode;
    return false;
}

static void test_ways(void **state)
{
    static const struct {
        unsigned n, ring;
        bool rdpmc;
        uint8_t opcode;
    } ways[] = {
        {0, 0, true, 0}, {1, 0, true, 0x33}, {1, 3, true, 0x33}, {1, 0, false, 0x32}, {1, 3, false, 0}};
    (void)state;
    prepare = note_opcode;
    for (unsigned i = 0; i < sizeof ways / sizeof *ways; i++) {
        pmu.rdpmc = pmu.user_rdpmc = ways[i].rdpmc;
        opt.ring = ways[i].ring;
        run_any(reading, ways[i].n, false);
        assert_int_equal(opcode, ways[i].opcode);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup(test_fast, given),
                                       cmocka_unit_test_setup(test_fast_ring3, given),
                                       cmocka_unit_test_setup(test_program, given),
                                       cmocka_unit_test_setup(test_overhead, given),
                                       cmocka_unit_test_setup(test_too_long, given),
                                       cmocka_unit_test_setup(test_full, given),
                                       cmocka_unit_test_setup(test_no_counters, given),
                                       cmocka_unit_test_setup(test_lfence, given),
                                       cmocka_unit_test_setup(test_wrapped, given),
                                       cmocka_unit_test_setup(test_unmodelled, given),
                                       cmocka_unit_test_setup(test_baseline, given),
                                       cmocka_unit_test_setup(test_baseline_too_long, given),
                                       cmocka_unit_test_setup(test_baseline_flags, given),
                                       cmocka_unit_test_setup(test_by_payload, given),
                                       cmocka_unit_test_setup(test_ways, given),
                                       cmocka_unit_test_setup(test_smi_flag, given),
                                       cmocka_unit_test_setup(test_smi_event, given),
                                       cmocka_unit_test(test_smi_counter)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
