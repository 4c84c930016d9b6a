/* Neighbours, pairs and processors, as records and as text. */
#include "measure/neighbour.h"
#include "report/emit_pair.h"
#include "tests/unit/emit_drive.h"
#include <string.h>

static void nothing(void *arg) { (void)arg; }
static const struct bench_param n_param = {"n", "adds", "", 1, 1000, 1, 100, false};
static const struct bench add = {.program = {.name = "add"},
                                 .op = "add",
                                 .params = 1,
                                 .param = &n_param,
                                 .variant = {{"x87", nothing}, {"sse", nothing}}},
                          load = {.program = {.name = "load"}, .op = "load"};
static const struct load add_load = {.bench = &add, .variant = 1}, load_load = {.bench = &load};
static const struct options normal = {.conf = 95, .serialize = SERIALIZE_LFENCE};
static const struct machine machine = {.cpus = 2, .count_origin = ORIGIN_MODELLED};

static const char *text_field(unsigned i, const char *key)
{
    return json_string_value(json_object_get(record[i], key));
}

/* Two: one ran until the end, the other one trapped. */
TEST_WITH(with_neighbours, session, forget)
{
    static const struct cpu cpu[3] = {{.index = 0}, {.index = 1}, {.index = 2}};
    static const struct result result = {
        .stats = {.n = 3, .min = 1, .median = 2, .mode = 1.5, .mean = 2.5, .max = 4, .ci = 0.5},
        .raw_min = 110};
    static struct run other[2];
    struct neighbours all = {
        .n = 2,
        .at = {{.load = &add_load, .cpu = &cpu[2], .rounds = 5000000000, .run = &other[0]},
               {.load = &load_load, .cpu = &cpu[1], .rounds = 7, .run = &other[1]}}};
    const struct plan_item at = {.bench = &load};
    const struct run measured = {.item = &at,
                                 .program = {.name = "load", .variant = ""},
                                 .bench = {.ops = 1},
                                 .beside = &all,
                                 .count = {{.event = "tsc"}}};
    other[0] = (struct run){.program = bench_program(&add, 1), .bench = {.param = {42}}};
    other[1] = (struct run){.program = bench_program(&load, 0), .status = RUN_TRAP};
    emit_result(&measured, 0, &result, &normal, &machine);
    json_t *with = json_object_get(record[0], "with"), *first = json_array_get(with, 0);
    assert_int_equal(json_array_size(with), 2);
    assert_string_equal(json_string_value(json_object_get(first, "bench")), "add");
    assert_string_equal(json_string_value(json_object_get(first, "variant")), "sse");
    assert_int_equal(json_integer_value(json_object_get(json_object_get(first, "params"), "n")), 42);
    assert_int_equal(json_integer_value(json_object_get(first, "cpu")), 2);
    assert_int_equal(json_integer_value(json_object_get(first, "rounds")), 5000000000);
    assert_null(json_object_get(first, "ended"));
    assert_true(json_is_true(json_object_get(json_array_get(with, 1), "ended")));
    assert_non_null(strstr(text, "    beside add sse on processor 2 (5000000000 rounds)\n"
                                 "    beside load on processor 1 (7 rounds, then it ended)\n"));
    /* Once for all events of the measurement, and again for the next one. */
    text[0] = '\0';
    emit_result(&measured, 0, &result, &normal, &machine);
    assert_null(strstr(text, "beside"));
    all.at[1].rounds = 8;
    emit_result(&measured, 0, &result, &normal, &machine);
    assert_non_null(strstr(text, "    beside load on processor 1 (8 rounds, then it ended)\n"));
    text[0] = '\0'; /* and again after a row without neighbours, even with the same rounds */
    struct run by_itself = measured;
    by_itself.beside = NULL;
    emit_result(&by_itself, 0, &result, &normal, &machine);
    assert_null(strstr(text, "beside"));
    emit_result(&measured, 0, &result, &normal, &machine);
    assert_non_null(strstr(text, "    beside load on processor 1 (8 rounds, then it ended)\n"));
}

TEST_WITH(without, session, forget)
{
    const struct plan_item at = {.bench = &load, .cpu = 3};
    const struct run measured = {.item = &at,
                                 .program = {.name = "load", .variant = ""},
                                 .bench = {.ops = 1},
                                 .count = {{.event = "tsc"}}};
    static const struct result result = {
        .stats = {.n = 1, .min = 1, .median = 1, .mode = 1, .mean = 1, .max = 1}};
    emit_result(&measured, 0, &result, &normal, &machine);
    assert_null(json_object_get(record[0], "with"));
    assert_int_equal(json_integer_value(json_object_get(record[0], "cpu")), 3);
}

/* ---- pairs ---- */

static struct pair_side alone = {.n = 2, .at = {{"tsc", 4, 0.5, false}, {"cycles", 3, 0, true}}},
                        together = {
                            .n = 2, .at = {{"tsc", 6, 1, false}, {"cycles", 3, 0, false}}, .param = {9}};

static void show(int how, unsigned event)
{
    emit_pair(&(struct pair_figure){.m = &machine,
                                    .how = how,
                                    .load = &add_load,
                                    .beside = &load_load,
                                    .cpu = 0,
                                    .beside_cpu = 1,
                                    .alone = &alone,
                                    .together = &together,
                                    .event = event},
              &normal);
}

TEST_WITH(a_pair, session, forget)
{
    show(PAIR_THREADS, 0);
    show(PAIR_THREADS, 1);
    show(PAIR_PACKAGES, 0);
    assert_string_equal(text_field(0, "how"), "threads");
    assert_string_equal(text_field(2, "how"), "packages");
    assert_string_equal(text_field(0, "beside"), "load");
    assert_string_equal(text_field(0, "unit"), "tsc/add");
    assert_string_equal(text_field(0, "variant"), "sse");
    assert_int_equal(json_integer_value(json_object_get(json_object_get(record[0], "params"), "n")), 9);
    assert_int_equal(json_integer_value(json_object_get(record[0], "beside_cpu")), 1);
    assert_true(json_real_value(json_object_get(record[0], "slowdown")) == 1.5);
    assert_true(json_real_value(json_object_get(record[1], "slowdown")) == 1);
    assert_int_equal(json_array_size(json_object_get(record[0], "flags")), 0);
    assert_int_equal(json_array_size(json_object_get(record[1], "flags")), 2);
    assert_string_equal(text,
                        "\n"
                        "two threads of one core           alone together  slowdown  95 % interval\n"
                        "-------------------------------------------------------------------------------\n"
                        "add sse on processor 0\n"
                        "    tsc/add                       4.000    6.000     1.500  1.208 to 1.840\n"
                        "\n"
                        "Modelled: counted by the PMU model in the emulator, not by a processor.\n"
                        "two threads of one core           alone together  slowdown  95 % interval\n"
                        "-------------------------------------------------------------------------------\n"
                        "add sse on processor 0\n"
                        "    cycles/add                    3.000    3.000     1.000  1.000 to 1.000\n"
                        "    ! a raw count was below the overhead, which was lowered to it\n"
                        "\n"
                        "Modelled: counted by the PMU model in the emulator, not by a processor.\n"
                        "two packages                      alone together  slowdown  95 % interval\n"
                        "-------------------------------------------------------------------------------\n"
                        "add sse on processor 0\n"
                        "    tsc/add                       4.000    6.000     1.500  1.208 to 1.840\n");
}

TEST_WITH(no_interval, session, forget)
{
    alone.at[0].ci = (double)__builtin_nan("");
    show(PAIR_CACHE, 0);
    alone.at[0].ci = 0.5;
    assert_true(json_is_null(json_object_get(record[0], "low")));
    assert_non_null(strstr(text, "two cores that share a cache"));
    assert_non_null(strstr(text,
                           "    tsc/add                       4.000    6.000     1.500  not known\n"
                           "    ! no interval: that of the mean alone reaches 0, or a mean has none; more\n"
                           "      reps= may give one\n"));
    /* As wide as the mean: five repetitions on a busy host, one of which was interrupted. */
    alone.at[0].ci = 4;
    text[0] = '\0';
    show(PAIR_CACHE, 0);
    alone.at[0].ci = 0.5;
    assert_true(json_is_null(json_object_get(record[1], "high")));
}

/* Numbers that need more columns take them from the unit's, so that the row ends where the others do. */
TEST_WITH(wide_numbers, session, forget)
{
    static const struct {
        double v;
        const char *row; /* up to its slowdown */
    } rows[] = {
        {12345678, "    tsc/add                    12345678 12345678     1.000  "},
        {123456789, "    tsc/add                  123456789 123456789     1.000  "},
        {1234567890, "    tsc/add                1234567890 1234567890     1.000  "},
        {12345678901, "    tsc/add              12345678901 12345678901     1.000  "},
    };
    const struct pair_side before[2] = {alone, together};
    for (unsigned i = 0; i < N(rows); i++) {
        alone.at[0].mean = together.at[0].mean = rows[i].v;
        alone.at[0].ci = together.at[0].ci = 0;
        text[0] = '\0';
        show(PAIR_THREADS, 0);
        if (!strstr(text, rows[i].row)) fail_msg("%s is not in: %s", rows[i].row, text);
    }
    alone = before[0];
    together = before[1];
}

/* ---- where ---- */

TEST_WITH(measuring, session, forget)
{
    static struct topology t;
    t.place[3] = (struct topology_place){.kind = CORE_KIND_E, .thread = 1};
    t.place[3].unit[LEVEL_PACKAGE] = 1;
    t.place[3].unit[LEVEL_CORE] = 5;
    emit_measuring(&t, 3);
    emit_measuring(&t, 0);
    assert_string_equal(text_field(0, "kind"), "E");
    assert_null(text_field(1, "kind"));
    assert_string_equal(text, "\n    On processor 3 (E-core, package 1, core 5, thread 1)\n"
                              "\n    On processor 0 (package 0, core 0, thread 0)\n");
}
