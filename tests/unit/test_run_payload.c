/* Runs of payloads: with a baseline, and those that read the counters themselves. */
#include "tests/unit/run_drive.h"

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

TEST_WITH(test_baseline, given, NULL)
{
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

TEST_WITH(test_baseline_too_long, given, NULL)
{
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

TEST_WITH(test_baseline_flags, given, NULL)
{
    prepare = with_disturbing;
    run(longer, 0, false);
    for (unsigned i = 0; i < opt.reps; i++) {
        assert_int_equal(out.base_flags[i], REP_STRAY);
        assert_int_equal(out.flags[i], 0);
    }
}

/* A payload that reads by itself: what it leaves is what counts, modulo the width, and the bracket's readings
 * are not. The call takes longer than the time that it leaves. */
static uint64_t left_time;
PAYLOAD static void reading(void *arg)
{
    uint64_t *sum = arg;
    trap_rdpmc_now += 1000;
    for (const uint64_t from = __builtin_ia32_rdtsc(); __builtin_ia32_rdtsc() - from < 1000;) {
    }
    for (unsigned i = 0; i < 5; i++) sum[i] = (7ull << 40) + 10 + i;
    sum[0] = left_time;
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

TEST_WITH(test_by_payload, given, NULL)
{
    prepare = with_readings;
    with_fault = NULL;
    left_time = 10;
    run(reading, 4, false);
    assert_string_equal(out.read, "rdpmc");
    for (unsigned i = 0; i < opt.reps; i++) {
        assert_int_equal(out.count[0].raw[i], 10);
        for (unsigned k = 1; k <= 4; k++) assert_int_equal(out.count[k].raw[i], 10 + k);
        assert_int_equal(out.count[4].base[i], 14);
    }
    assert_int_equal(trap_rdpmc_count, 0);
    with_fault = faulty;
    run_any(reading, 4, false);
    assert_int_equal(out.status, RUN_PREPARE);
    assert_string_equal(out.bench.error, "it was asked");
    with_fault = NULL;
    left_time = 7ull << 40; /* more than the call can have taken */
    run_any(reading, 4, false);
    assert_int_equal(out.status, RUN_IMPOSSIBLE);
}

/* How a payload would have to read: no counters, by RDMSR, or by a call gate. */
static uint8_t opcode;
static bool note_opcode(struct bench_run *b)
{
    opcode = b->counters->opcode;
    return false;
}

TEST_WITH(test_ways, given, NULL)
{
    static const struct {
        unsigned n, ring;
        bool rdpmc;
        uint8_t opcode;
    } ways[] = {
        {0, 0, true, 0}, {1, 0, true, 0x33}, {1, 3, true, 0x33}, {1, 0, false, 0x32}, {1, 3, false, 0}};
    prepare = note_opcode;
    for (unsigned i = 0; i < sizeof ways / sizeof *ways; i++) {
        pmu.rdpmc = pmu.user_rdpmc = ways[i].rdpmc;
        opt.ring = ways[i].ring;
        run_any(reading, ways[i].n, false);
        assert_int_equal(opcode, ways[i].opcode);
    }
}
