/* Runs where Linux chooses the counters (hosted/perf.c's hw_rdpmc_select()): RDPMC reads the ones that it
 * chose, and a run during which it chose again has no result. */
#include "tests/unit/chosen_arm.h"
#include "tests/unit/run_drive.h"

/* Where counter i is. */
static uint32_t place[PMU_COUNTERS], at_end[PMU_COUNTERS];
static unsigned calls, moves_at; /* in this call; 0: never */

uint32_t chosen(uint32_t counter)
{
    const uint32_t i = (counter & ~PMU_RDPMC_FAST) - TRAP_RDPMC_INDEX;
    return i < PMU_COUNTERS ? place[i] | (counter & PMU_RDPMC_FAST) : counter;
}

static int placed(void **state)
{
    given(state);
    calls = moves_at = 0;
    for (unsigned i = 0; i < PMU_COUNTERS; i++) at_end[i] = place[i] = TRAP_RDPMC_INDEX + i;
    return 0;
}

static void linux_moves(void)
{
    if (++calls == moves_at) memcpy(place, at_end, sizeof place);
}

PAYLOAD static void measured(void *arg)
{
    (void)arg;
    linux_moves();
    trap_rdpmc_now += 1000;
}

static const char moved[] =
    "Linux moved a counter during the run, since another program uses some; measure again";

static void expect_moved(payload_fn *payload, unsigned n, bool regions)
{
    run_any(payload, n, regions);
    assert_int_equal(out.status, RUN_PMU);
    assert_string_equal(out.bench.error, moved);
}

/* RDPMC takes the numbers of the counters where they are. */
TEST_WITH(chosen_ones_are_read, placed, NULL)
{
    for (unsigned fast = 0; fast < 2; fast++) {
        pmu.fast_rdpmc = fast;
        place[0] = TRAP_RDPMC_INDEX + 7;
        place[1] = TRAP_RDPMC_INDEX + 9;
        run(measured, 2, false);
        for (unsigned i = 0; i < opt.reps; i++) assert_int_equal(out.count[1].raw[i], 1000 + 3);
        assert_true(trap_rdpmc_count > 4);
        for (unsigned i = trap_rdpmc_count - 4; i < trap_rdpmc_count; i++) {
            const uint32_t index = trap_rdpmc_index[i % TRAP_RDPMC_LOG] & ~PMU_RDPMC_FAST;
            assert_true(index == place[0] || index == place[1]);
        }
    }
}

/* In each call, by each kind of reading; to a free counter, or two that change places. */
TEST_WITH(moved_in_between, placed, NULL)
{
    static const struct {
        unsigned n, from, to;
        bool fast, regions;
        enum serialize serialize;
    } at[] = {
        {1, 0, 5, true, false, SERIALIZE_CPUID},  {1, 0, 5, false, false, SERIALIZE_LFENCE},
        {3, 2, 0, false, false, SERIALIZE_CPUID}, {4, 3, 9, false, false, SERIALIZE_LFENCE},
        {2, 1, 2, false, true, SERIALIZE_CPUID},
    };
    for (unsigned i = 0; i < sizeof at / sizeof *at; i++)
        for (unsigned call = 1; call <= 3; call++) { /* the warm-up, and both repetitions */
            placed(NULL);
            pmu.fast_rdpmc = at[i].fast;
            opt.serialize = at[i].serialize;
            run(measured, at[i].n, at[i].regions);
            calls = 0;
            moves_at = call;
            at_end[at[i].from] = TRAP_RDPMC_INDEX + at[i].to;
            at_end[at[i].to] = TRAP_RDPMC_INDEX + at[i].from;
            expect_moved(measured, at[i].n, at[i].regions);
        }
}

/* A counter that the run does not read may be anywhere. So may all of them where nothing is read by RDPMC. */
TEST_WITH(others_may_move, placed, NULL)
{
    moves_at = 2;
    at_end[2] = TRAP_RDPMC_INDEX + 9;
    run(measured, 2, false);
    placed(NULL);
    moves_at = 2;
    at_end[0] = TRAP_RDPMC_INDEX + 9;
    run(measured, 0, false);
}

/* ---- no_mem=1: the payload has the numbers in its own code ---- */

PAYLOAD static void empty(void *arg)
{
    uint64_t *sum = arg;
    for (unsigned i = 0; i < 3; i++) sum[i] = i; /* the time stamp's first: less than the call takes */
}

PAYLOAD static void reads_itself(void *arg)
{
    uint64_t *sum = arg;
    linux_moves();
    for (unsigned i = 0; i < 3; i++) sum[i] = 10 + i;
}

static bool by_payload(struct bench_run *b)
{
    b->baseline = empty;
    return b->reads = true;
}

TEST_WITH(own_readings, placed, NULL)
{
    prepare = by_payload;
    run(reads_itself, 2, false);
    for (unsigned i = 0; i < 3; i++) assert_int_equal(out.count[i].raw[0], 10 + i);
    for (unsigned i = 0; i < 2; i++) { /* either counter is elsewhere */
        placed(NULL);
        prepare = by_payload;
        place[i] = TRAP_RDPMC_INDEX + 9;
        run_any(reads_itself, 2, false);
        assert_int_equal(out.status, RUN_PMU);
        assert_string_equal(out.bench.error,
                            "Linux chooses the counters, so code cannot read them by itself (no_mem=1); a "
                            "machine that is booted lets it");
        assert_int_equal(calls, 0);
        run(reads_itself, i, false); /* without that counter */
    }
    placed(NULL);
    prepare = by_payload;
    pmu.rdpmc = pmu.user_rdpmc = false; /* at ring 0, by RDMSR: the numbers are not Linux' */
    place[0] = TRAP_RDPMC_INDEX + 9;
    run(reads_itself, 2, false);
}

/* They were where the code reads them, and were not at the end. */
TEST_WITH(own_readings_moved, placed, NULL)
{
    prepare = by_payload;
    moves_at = 2;
    at_end[1] = TRAP_RDPMC_INDEX + 9;
    expect_moved(reads_itself, 2, false);
    placed(NULL);
    prepare = by_payload;
    moves_at = 2;
    at_end[1] = TRAP_RDPMC_INDEX + 9;
    run(reads_itself, 1, false);
}
