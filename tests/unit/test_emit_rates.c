/* Intervals of a log, as records and as a table. */
#include "measure/neighbour.h"
#include "report/emit_rates.h"
#include "tests/unit/emit_drive.h"
#include "tests/unit/errata_named.h"
#include <string.h>

static const struct bench_param n_param = {"n", "adds", "", 1, 1000, 1, 100, false};
static const struct bench add = {.program = {.name = "add"}, .op = "add", .params = 1, .param = &n_param};
static const struct machine machine_of = {.cpus = 2, .count_origin = ORIGIN_MODELLED},
                            silicon = {.cpus = 2, .count_origin = ORIGIN_SILICON};
static const struct cpu first = {.machine = &machine_of},
                        counts_smis = {.machine = &silicon, .smi_counter = true};
static struct options opt;
static struct plan_item add_item;
static struct rates rates;
static struct rates_interval interval;
static struct logged l;

/* Of n events, in an interval of half a second. */
static void given(unsigned n, bool idle)
{
    static char names[PMU_COUNTERS][8];
    add_item = (struct plan_item){.bench = &add, .cpu = 1};
    opt = (struct options){.ring = 3, .tsc = false};
    rates = (struct rates){.idle = idle, .t = {.cpu = &first}};
    rates.run = (struct run){.item = &add_item,
                             .program = {.name = idle ? "idle" : "add", .variant = idle ? "" : "x87"},
                             .cpu = &first,
                             .n = n + 1};
    rates.run.bench.param[0] = 77;
    interval =
        (struct rates_interval){.ticks = 1000000, .rounds = idle ? 0 : 4000, .slices = 9, .interrupts = 3};
    for (unsigned i = 0; i < n; i++) {
        snprintf(names[i], sizeof names[i], "event%u", i);
        rates.run.count[1 + i] = (struct counted){.event = names[i], .counter = i + 2};
        interval.count[i] = 1000 * (i + 1);
    }
    l = (struct logged){&rates, &interval, &opt, 2000000, 5000000, 2, 7};
}

static double number_at(const json_t *o, const char *key)
{
    return json_number_value(json_object_get(o, key));
}
static const json_t *event_at(unsigned r, unsigned i)
{
    return json_array_get(json_object_get(record[r], "events"), i);
}

TEST_WITH(fields, session, forget)
{
    given(2, false);
    emit_interval(&l);
    assert_int_equal(records, 1);
    const json_t *r = record[0];
    assert_string_equal(json_string_value(json_object_get(r, "bench")), "add");
    assert_string_equal(json_string_value(json_object_get(r, "variant")), "x87");
    assert_true(number_at(json_object_get(r, "params"), "n") == 77);
    assert_true(number_at(r, "cpu") == 1 && number_at(r, "ring") == 3);
    assert_true(number_at(r, "number") == 2 && number_at(r, "of") == 7);
    assert_true(number_at(r, "at") == 2.5 && number_at(r, "seconds") == 0.5);
    assert_true(number_at(r, "tsc") == 1000000 && number_at(r, "slices") == 9);
    assert_true(number_at(r, "rounds") == 4000);
    assert_true(number_at(r, "interrupts") == 3 && number_at(r, "interrupts_rate") == 6);
    assert_null(json_object_get(r, "smis"));
    assert_int_equal(json_array_size(json_object_get(r, "events")), 2);
    assert_string_equal(json_string_value(json_object_get(event_at(0, 1), "event")), "event1");
    assert_true(number_at(event_at(0, 1), "counter") == 3);
    assert_true(number_at(event_at(0, 1), "count") == 2000 && number_at(event_at(0, 1), "rate") == 4000);
    assert_string_equal(json_string_value(json_array_get(json_object_get(r, "flags"), 0)), "modelled");
}

/* The PMU model counts, and has no seconds. */
TEST_WITH(modelled, session, forget)
{
    records_have_clocks(false);
    given(2, false);
    emit_interval(&l);
    static const char *const times[] = {"at", "seconds", "tsc", "interrupts_rate"};
    for (unsigned i = 0; i < 4; i++) assert_null(json_object_get(record[0], times[i]));
    assert_null(json_object_get(event_at(0, 0), "rate"));
    assert_true(number_at(event_at(0, 0), "count") == 1000);
    expect("\n"
           "  Counts of add x87 n=77 on processor 1, ring 3 (modelled); time is unmodelled,\n"
           "  so these are counts of each interval\n"
           "  a  event0\n"
           "  b  event1\n"
           "  no.                       irqs     rounds           a           b\n"
           "------------------------------------------------------------------------------"
           "-\n"
           "    2                         3       4000        1000        2000\n");
    session_pause();
}

/* A number that nobody knows has none; one in doubt says so. */
TEST_WITH(doubts, session, forget)
{
    given(3, false);
    rates.t.cpu = rates.run.cpu = &counts_smis;
    interval.smis = 5;
    interval.wrapped = true;
    rates.run.count[1].unmodelled = true;
    rates.run.count[2].errata = erratum_named("990");
    emit_interval(&l);
    assert_true(number_at(record[0], "smis") == 5);
    assert_null(json_object_get(event_at(0, 0), "count"));
    assert_null(json_object_get(event_at(0, 0), "rate"));
    const json_t *flags = json_object_get(event_at(0, 0), "flags");
    assert_int_equal(json_array_size(flags), 1);
    assert_string_equal(json_string_value(json_array_get(flags, 0)), "unmodelled");
    flags = json_object_get(event_at(0, 1), "flags");
    assert_string_equal(json_string_value(json_array_get(flags, 0)), "wrapped");
    assert_string_equal(json_string_value(json_array_get(flags, 1)), "overcount");
    assert_non_null(strstr(text, "event1 (may be too many): erratum 990"));
    assert_non_null(strstr(text, "   unmod."));
    assert_non_null(strstr(text, " 4000.00!"));
}

/* Idle has no rounds, and tsc is an event like others. */
TEST_WITH(idle, session, forget)
{
    given(0, true);
    opt.tsc = true;
    emit_interval(&l);
    assert_null(json_object_get(record[0], "rounds"));
    assert_int_equal(json_array_size(json_object_get(record[0], "events")), 1);
    assert_string_equal(json_string_value(json_object_get(event_at(0, 0), "event")), "tsc");
    assert_null(json_object_get(event_at(0, 0), "counter"));
    assert_true(number_at(event_at(0, 0), "rate") == 2000000);
    assert_non_null(strstr(text, "(a loop that waits"));
}

/* One heading for all rows of a log; with more events than columns a row takes more lines. */
TEST_WITH(table, session, forget)
{
    static const char wanted[] =
        "\n"
        "  Rates of add x87 n=77 on processor 1, ring 3 (modelled)\n"
        "  a  event0\n"
        "  b  event1\n"
        "  no.     at s counted s  irq/s   rounds/s        a /s        b /s\n"
        "------------------------------------------------------------------------------"
        "-\n"
        "    2    2.500    0.5000  6.000    8000.00     2000.00     4000.00\n"
        "    3    2.500    0.5000  6.000    8000.00     2000.00     4000.00\n";
    given(2, false);
    emit_interval(&l);
    l.number = 3;
    emit_interval(&l);
    assert_string_equal(text, wanted);
    session_pause();
    text[0] = '\0';
    emit_interval(&l);
    assert_non_null(strstr(text, "Rates of"));
    session_pause();
    given(PMU_COUNTERS, false);
    text[0] = '\0';
    emit_interval(&l);
    assert_non_null(strstr(text, "  r  event17\n"));
    assert_non_null(strstr(text, "        a /s        b /s        c /s\n"));
    assert_non_null(
        strstr(text, "\n                                                  p /s        q /s        r /s\n"));
    assert_non_null(strstr(text, "     34000.0     36000.0\n"));
}
