/* What bench=list and events=list say of a benchmark, of a driver's event and of the database's. */
#define _GNU_SOURCE /* memmem */
#include "pmu/arch.h"
#include "pmu/p5.h"
#include "report/emit.h"
#include "report/emit_events.h"
#include "tests/unit/database_drive.h"
#include "tests/unit/emit_drive.h"
#include <stdlib.h>
#include <string.h>

static const char *string(unsigned i, const char *key) { return json_string_value(field(i, key)); }

/* A list's items, " a b", of any type. */
static const char *items(const json_t *list)
{
    static char out[1000];
    size_t k;
    json_t *v;
    out[0] = '\0';
    assert_true(json_is_array(list));
    json_array_foreach((json_t *)(uintptr_t)list, k, v)
    {
        const size_t used = strlen(out);
        if (json_is_string(v))
            snprintf(out + used, sizeof out - used, " %s", json_string_value(v));
        else
            snprintf(out + used, sizeof out - used, " %lld", (long long)json_integer_value(v));
    }
    return out;
}

static void no_payload(void *arg) { (void)arg; }

static const struct bench walk = {
    .program = {.name = "walk", .desc = "walks"},
    .op = "step",
    .cost = "a step",
    .main_job = true,
    BENCH_PARAM_LIST({"n", "steps", "how many", 10, 1000, 2, 500, true},
                     {"bytes", "bytes", "of memory", 1, 64, 1, PARAM_AUTO, false}),
    .variant = {{.name = "up", .payload = no_payload}, {.name = "down", .payload = no_payload}}};
static const struct bench stand = {.program = {.name = "stand", .desc = "stands"}, .op = "call", .cost = "0"};

static void a_benchmark(void **state)
{
    (void)state;
    emit_bench(&walk);
    emit_bench(&stand);
    assert_string_equal(string(0, "bench"), "walk");
    assert_string_equal(string(0, "desc"), "walks");
    assert_string_equal(string(0, "cost"), "a step");
    assert_string_equal(string(0, "unit"), "tsc/step");
    assert_true(json_is_true(field(0, "main")));
    assert_string_equal(items(field(0, "variants")), " up down");
    assert_int_equal(json_array_size(field(0, "params")), 2);
    json_t *n = json_array_get(field(0, "params"), 0), *bytes = json_array_get(field(0, "params"), 1);
    json_t *want = json_pack("{s:s,s:s,s:s,s:i,s:i,s:i,s:i,s:b}", "name", "n", "unit", "steps", "help",
                             "how many", "min", 10, "max", 1000, "step", 2, "default", 500, "range", 1);
    assert_true(json_equal(n, want));
    json_decref(want);
    want = json_pack("{s:s,s:s,s:s,s:i,s:i,s:s,s:b}", "name", "bytes", "unit", "bytes", "help", "of memory",
                     "min", 1, "max", 64, "default", "auto", "range", 0);
    assert_true(json_equal(bytes, want));
    json_decref(want);
    assert_true(json_is_false(field(1, "main")));
    assert_string_equal(items(field(1, "variants")), "");
    assert_int_equal(json_array_size(field(1, "params")), 0);
}

/* The P5's table: SDM table 19-36 has 28h for reads or writes, 16h for instructions. */
static void events_of_a_driver(void **state)
{
    static const struct pmu p5 = {.ops = &pmu_p5_ops, .counters = 2, .usable = 3};
    (void)state;
    assert_true(emit_events(&p5, "data_read_or_write"));
    assert_true(emit_events(&p5, "instructions_executed_v_pipe"));
    assert_true(emit_events(&p5, "bus_cycle_duration"));
    for (unsigned i = 0; i < records; i++) {
        if (field(i, "stands_for") || !field(i, "code")) continue;
        assert_non_null(string(i, "desc"));
        assert_non_null(string(i, "kind"));
        assert_string_equal(items(field(i, "counters")), " 0 1");
        assert_string_equal(items(field(i, "umasks")), "");
        assert_null(field(i, "umask"));
        if (strcmp(string(i, "event"), "data_read_or_write") == 0)
            assert_string_equal(string(i, "code"), "0x28");
        if (strcmp(string(i, "event"), "instructions_executed_v_pipe") == 0)
            assert_string_equal(string(i, "code"), "0x17");
    }
}

/* Codes, counters and names of a made-up driver's events. */
static void events_as_their_rows(void **state)
{
    static const struct pmu_umask umasks[] = {
        {.name = "a", .set = 1}, {.name = "other", .set = 2}, {.name = "b", .set = 1}};
    static const struct pmu_ops ops = {.umasks = umasks, .n_umasks = N(umasks)};
    static const struct pmu pmu = {.ops = &ops, .counters = 3};
    static const struct {
        struct pmu_event e;
        const char *want;
    } cases[] = {
        {{.name = "x", .code = 5, .umask = 0xa, .counters = 5, .desc = "d", .umasks = 1, .kind = KIND_CYCLES},
         "{\"event\":\"x\",\"code\":\"0x05\",\"umask\":\"0x0a\",\"desc\":\"d\",\"kind\":\"cycles\","
         "\"counters\":[0,2],"
         "\"umasks\":[\"a\",\"b\"]}"},
        {{.name = "y", .code = 0x128, .counters = 0xa, .desc = "", .kind = KIND_BUS_CYCLES},
         "{\"event\":\"y\",\"code\":\"0x128\",\"desc\":\"\",\"kind\":\"bus "
         "cycles\",\"counters\":[1],\"umasks\":[]}"},
        {{.name = "z", .counters = 7, .desc = "", .umasks = 3, .kind = KIND_WEIGHTED},
         "{\"event\":\"z\",\"code\":\"0x00\",\"desc\":\"\",\"kind\":\"outstanding x "
         "cycles\",\"counters\":[0,1,2],"
         "\"umasks\":[]}"},
    };
    (void)state;
    for (unsigned i = 0; i < N(cases); i++) {
        emit_event(&pmu, &cases[i].e);
        json_object_del(record[i], "n");
        json_object_del(record[i], "t");
        json_object_del(record[i], "crc");
        char *is = json_dumps(record[i], JSON_COMPACT);
        assert_string_equal(is, cases[i].want);
        free(is);
    }
}

/* The record of this event. */
static unsigned of(const char *event)
{
    unsigned i = 0;
    while (i < records && (!string(i, "event") || strcmp(string(i, "event"), event) != 0)) i++;
    if (i == records) fail_msg("%s is missing", event);
    return i;
}

/* Of Skylake, as Intel's lists have them. Latencies need MSR 3F6H, off-core responses 1A6H. */
static void events_of_the_database(void **state)
{
    struct pmu skl = cpu_of("skl", &pmu_arch_ops);
    (void)state;
    assert_true(emit_events(&skl, "cycle_activity"));
    unsigned i = of("cycle_activity");
    assert_string_equal(string(i, "code"), "0xa3");
    assert_null(field(i, "umask"));
    assert_string_equal(items(field(i, "umasks")), "");
    i = of("cycle_activity:cycles_l2_pending");
    assert_string_equal(string(i, "code"), "0xa3");
    assert_string_equal(string(i, "umask"), "0x01");
    assert_string_equal(items(field(i, "umasks")), "");
    assert_string_equal(items(field(i, "counters")), " 0 1 2 3 4 5 6 7");
    assert_true(strlen(string(i, "desc")) > 10);
    assert_string_not_equal(string(i, "desc"), string(of("cycle_activity"), "desc"));
    forget(NULL);
    assert_true(emit_events(&skl, "mem_trans_retired"));
    for (i = 0; i < records; i++) {
        if (!field(i, "umask")) continue;
        assert_string_equal(string(i, "code"), "0xcd");
        assert_string_equal(items(field(i, "counters")), " 0 1 2 3");
    }
    assert_string_equal(string(of("mem_trans_retired:load_latency"), "msr"), "0x3f6");
    assert_null(field(of("mem_trans_retired"), "msr"));
    forget(NULL);
    assert_true(emit_events(&skl, "offcore_response_0+dmnd_data_rd"));
    assert_string_equal(string(of("offcore_response_0:dmnd_data_rd"), "msr"), "0x1a6");
}

static void only_cycle_activity(const char *line, size_t len)
{
    if (memmem(line, len, "\"cycle_activity\"", 16)) record_line(line, len);
}

/* The whole list has an event once, with the names of its unit masks. */
static void whole_list(void **state)
{
    static const struct session_sinks sinks = {only_cycle_activity, NULL};
    struct pmu skl = cpu_of("skl", &pmu_arch_ops);
    (void)state;
    session_begin(&sinks);
    assert_true(emit_events(&skl, NULL));
    assert_int_equal(records, 1);
    const char *names = items(field(0, "umasks"));
    assert_non_null(strstr(names, " cycles_l2_pending "));
    assert_non_null(strstr(names, " stalls_total"));
    assert_null(strchr(names, ':'));
    assert_int_equal(json_array_size(field(0, "counters")), 8);
}

static int begin_all(void **state)
{
    open_it(state);
    return session(state);
}

static int end_all(void **state)
{
    forget(state);
    return close_it(state);
}

int main(int argc, char **argv)
{
    (void)argc;
    const struct CMUnitTest tests[] = {
        SHOWN(a_benchmark), SHOWN(events_of_a_driver), SHOWN(events_as_their_rows),
        cmocka_unit_test_setup_teardown(events_of_the_database, begin_all, end_all),
        cmocka_unit_test_setup_teardown(whole_list, begin_all, end_all)};
    find_build(argv[0]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
