/* Traces as records, and as the table that people read: with what hooks cost taken out of its times. */
#include "measure/trace.h"
#include "report/emit.h"
#include "tests/unit/emit_drive.h"

static const char *const labels[] = {"in", "a channel with a very long name", NULL};
static const struct machine machine = {.time_origin = ORIGIN_EMULATED};
static struct trace_entry at[100];
static struct trace t;
static struct run traced;

static void emit(unsigned n, uint32_t written)
{
    traced = run;
    traced.program.channels = labels;
    traced.trace = &t;
    t = (struct trace){.size = 128, .asked = true, .overhead = 9, .at = at, .n = n, .written = written};
    emit_trace(&traced, &(const struct options){.ring = 3, .trace = 128}, &machine);
}

static long long number(unsigned i, const char *key)
{
    const json_t *v = json_object_get(record[i], key);
    if (!json_is_integer(v)) fail_msg("record %u: %s is no integer", i, key);
    return json_integer_value(v);
}

static long long item_of(unsigned i, const char *key, unsigned k)
{
    return json_integer_value(json_array_get(json_object_get(record[i], key), k));
}

static size_t length(unsigned i, const char *key) { return json_array_size(json_object_get(record[i], key)); }

/* In records nothing is subtracted. */
TEST_WITH(as_records, session, forget)
{
    for (unsigned i = 0; i < 90; i++) at[i] = (struct trace_entry){1000 + 30ull * i, 5 * i, i % 3};
    emit(90, 95);
    assert_int_equal(records, 4);
    assert_string_equal(json_string_value(json_object_get(record[0], "t")), "trace");
    assert_true(number(0, "ring") == 3 && number(0, "size") == 128 && number(0, "written") == 95);
    assert_true(number(0, "kept") == 90 && number(0, "lost") == 5 && number(0, "overhead") == 9);
    assert_int_equal(number(0, "from"), 1000);
    assert_int_equal(length(0, "channels"), 2);
    assert_int_equal(length(0, "flags"), 2); /* emulated, lost */
    for (unsigned i = 1, seen = 0; i < 4; i++) {
        assert_string_equal(json_string_value(json_object_get(record[i], "t")), "trace_entries");
        assert_int_equal(number(i, "first"), seen);
        const size_t n = length(i, "time");
        assert_int_equal(n, i == 3 ? 10 : 40);
        assert_true(length(i, "channel") == n && length(i, "value") == n);
        for (unsigned k = 0; k < n; k++, seen++) {
            assert_int_equal(item_of(i, "time", k), 30 * seen);
            assert_int_equal(item_of(i, "channel", k), seen % 3);
            assert_int_equal(item_of(i, "value", k), 5 * seen);
        }
    }
}

/* The PMU model has no times: what the hooks wrote, in its order. */
TEST_WITH(modelled, session, forget)
{
    records_have_clocks(false);
    at[0] = (struct trace_entry){5000, 3, 0};
    at[1] = (struct trace_entry){5021, 0xf1, TRACE_INTERRUPT};
    emit(2, 2);
    assert_null(json_object_get(record[0], "overhead"));
    assert_null(json_object_get(record[0], "from"));
    assert_null(json_object_get(record[1], "time"));
    assert_int_equal(item_of(1, "channel", 1), TRACE_INTERRUPT);
    expect("  trace: 2 entries, in their order; times are unmodelled (emulated)\n"
           "  channel                      value\n"
           "  0 in                             3\n"
           "  interrupt                      241\n");
}

/* The largest values that there are fit into a record. */
TEST_WITH(largest, session, forget)
{
    for (unsigned i = 0; i < 40; i++) at[i] = (struct trace_entry){UINT64_MAX, UINT32_MAX, UINT32_MAX};
    at[0].tsc = 0;
    emit(40, UINT32_MAX);
    assert_int_equal(records, 2);
    assert_int_equal(length(1, "time"), 40);
    assert_string_equal(json_string_value(json_array_get(json_object_get(record[1], "time"), 39)),
                        "18446744073709551615");
}

#define HEADING "           time   difference   of channel  channel                      value\n"

/* Of each difference between two hooks one hook is subtracted, of one with an interrupt in it as well. */
TEST_WITH(as_text, session, forget)
{
    at[0] = (struct trace_entry){5000, 3, 0};
    at[1] = (struct trace_entry){5009 + 12, 2, 1};
    at[2] = (struct trace_entry){5018 + 25, 4000000000u, 0};
    at[3] = (struct trace_entry){5018 + 125, 0xf1, TRACE_INTERRUPT};
    at[4] = (struct trace_entry){5027 + 225, 7, 31};
    at[5] = (struct trace_entry){5027 + 325, 0xf1, TRACE_INTERRUPT};
    at[6] = (struct trace_entry){5027 + 325, 1, 77}; /* less than a hook took: it shows */
    emit(7, 7);
    expect("  trace: 7 entries, in ticks; a hook's cost of 9 is subtracted (emulated)\n" HEADING
           "              0                            0 in                             3\n"
           "             12           12               1 a channel with a ver           2\n"
           "             25           13           25  0 in                    4000000000\n"
           "            125          100               interrupt                      241\n"
           "            225          100               31                               7\n"
           "            325          100          200  interrupt                      241\n"
           "            316           -9               77                               1\n");
}

TEST_WITH(lost_and_empty, session, forget)
{
    at[0] = (struct trace_entry){7, 1, 0};
    emit(1, 500);
    expect("  trace: 500 entries, in ticks; a hook's cost of 9 is subtracted (emulated)\n"
           "    !  the first 499 are lost: the ring has room for 128 (trace=)\n" HEADING
           "              0                            0 in                             1\n");
    emit(0, 0);
    expect("  trace: 0 entries, since no hook ran\n");
    assert_int_equal(length(2, "flags"), 2); /* emulated, empty */
    assert_null(json_object_get(record[2], "from"));
    t.asked = false;
    emit_trace(&traced, &(const struct options){.conf = 95}, &machine);
    traced.trace = NULL;
    emit_trace(&traced, &(const struct options){.conf = 95}, &machine);
    expect("");
}
