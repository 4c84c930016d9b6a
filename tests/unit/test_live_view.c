/* What `live` draws. */
#include "monitor/live_view.h"
#include "tests/unit/unit.h"
#include <string.h>

#define HZ 1000000u

static const struct machine machine = {.cpus = 1, .count_origin = ORIGIN_MODELLED};
static const struct cpu cpu = {.machine = &machine};
static struct rates rates;
static struct live_view view;
static char row[LIVE_ROWS][LIVE_COLUMNS + 1];

static void begin(unsigned n, bool idle, bool tsc)
{
    rates = (struct rates){.idle = idle, .t = {.cpu = &cpu}};
    rates.run =
        (struct run){.program = {.name = "fp_add_latency", .variant = "x87"}, .cpu = &cpu, .n = n + 1};
    for (unsigned i = 1; i <= n; i++) rates.run.count[i].event = "instr_retired";
    live_view_begin(&view, &rates, tsc);
}

/* An interval of a tenth of a second. */
static void add(uint64_t count)
{
    const struct rates_interval i = {.ticks = HZ / 10, .count = {count}, .rounds = 25, .interrupts = 0};
    live_view_add(&view, &rates, &i, HZ);
}

static unsigned rows(void) { return live_view_rows(&view, &rates, 3, row); }

TEST(numbers)
{
    begin(1, false, false);
    add(100);
    add(50);
    assert_int_equal(rows(), 5);
    assert_string_equal(row[0], "q leaves. Interval 2, 0.100 s, modelled, cpu 0, ring 3: fp_add_latency x87");
    assert_string_equal(row[1],
                        "                          a second  of the most  the intervals before, to now");
    assert_string_equal(row[2],
                        "instr_retired              500.000  [#####     ]                             @+");
    assert_string_equal(row[3],
                        "rounds of the benchmark    250.000  [##########]                             @@");
    assert_string_equal(row[4], "interrupts                       0  [          ]");
}

/* The PMU model has no seconds: what each interval counted. */
TEST(modelled)
{
    static const struct machine model = {.cpus = 1, .count_origin = ORIGIN_MODELLED, .modelled = true};
    static const struct cpu on_model = {.machine = &model};
    begin(1, false, false);
    rates.run.cpu = &on_model;
    add(100);
    add(50);
    assert_int_equal(rows(), 5);
    assert_string_equal(row[0], "q leaves. Interval 2, modelled, cpu 0, ring 3: fp_add_latency x87");
    assert_string_equal(row[1],
                        "                           counted  of the most  the intervals before, to now");
    assert_string_equal(row[2],
                        "instr_retired                   50  [#####     ]                             @+");
}

/* The last 30 count, and the most is theirs. */
TEST(history)
{
    begin(1, true, false);
    add(1000000);
    for (unsigned i = 0; i < LIVE_HISTORY - 8; i++) add(20);
    const unsigned rising[] = {30, 36, 42, 48, 56, 62, 86, 100};
    for (unsigned i = 0; i < 8; i++) add(rising[i]);
    rows();
    assert_int_equal(view.intervals, LIVE_HISTORY + 1);
    const char *past = strchr(row[2], ']') + 2;
    assert_int_equal(strlen(past), LIVE_HISTORY);
    assert_memory_equal(past, "----------------------", 22);
    assert_string_equal(past + 22, "-==++*%@");
    assert_non_null(strstr(row[2], "[##########]"));
}

/* No number where there is none; a long name is cut; one in doubt is marked. */
TEST(doubts)
{
    const struct rates_interval i = {.ticks = HZ, .count = {7, 8}, .wrapped = true};
    begin(2, true, false);
    rates.run.count[1].unmodelled = true;
    rates.run.count[2].event = "netburst::replay_event:NBOGUS:L1_LD_MISS";
    live_view_begin(&view, &rates, false);
    live_view_add(&view, &rates, &i, HZ);
    assert_int_equal(rows(), 5);
    assert_string_equal(row[2], "instr_retired           unmodelled");
    assert_string_equal(row[3], "netburst::replay_even.."
                                "      8.000! [##########]                              @");
}

/* The most that there can be fits a terminal, and no row is wider than it. */
TEST(most)
{
    struct rates_interval i = {.ticks = HZ};
    static const struct cpu smis = {.machine = &machine, .smi_counter = true};
    begin(PMU_COUNTERS, false, true);
    rates.t.cpu = &smis;
    rates.run.program.name = "a_benchmark_of_the_users_own_whose_name_is_as_long_as_it_may_be_and_longer";
    live_view_begin(&view, &rates, true);
    for (unsigned k = 0; k < PMU_COUNTERS; k++) i.count[k] = UINT64_MAX;
    for (unsigned n = 0; n < 40; n++) live_view_add(&view, &rates, &i, HZ);
    assert_int_equal(rows(), LIVE_ROWS);
    assert_in_range(LIVE_ROWS, 1, 24);
    for (unsigned r = 0; r < LIVE_ROWS; r++) assert_in_range(strlen(row[r]), 1, 79);
    assert_non_null(strstr(row[2], "tsc                        1000000"));
}
