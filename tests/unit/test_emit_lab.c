/* Records and text of experiments' results: exact numbers, and reasons instead of numbers. */
#include "report/emit_lab.h"
#include "tests/unit/emit_drive.h"
#include "tests/unit/errata_named.h"
#include <string.h>

static struct machine machine = {.time_origin = ORIGIN_EMULATED, .count_origin = ORIGIN_MODELLED};
static const struct options options = {.ring = 3};

static const struct lab_quantity *of(const char *name, double v, enum lab_source source, enum lab_state state)
{
    static struct lab_quantity q;
    q = (struct lab_quantity){name, "misses", v, source, state};
    return &q;
}

/* " a b" */
static const char *flags(const json_t *o)
{
    static char out[100];
    size_t k;
    json_t *v;
    out[0] = '\0';
    json_array_foreach(json_object_get(o, "flags"), k, v) { strcat(strcat(out, " "), json_string_value(v)); }
    return out;
}

/* Of the events that were counted: with counts only, in the text once, and a model has none. */
TEST_WITH(errata, session, forget)
{
    static struct machine real;
    struct run doubted = run;
    const struct lab_sink *s = emit_lab_sink(&real, &options);
    const double v[4] = {1, 2, 3, 4};
    const unsigned index[2] = {0, 1};
    doubted.errata = erratum_named("SKL044");
    s->row(s->ctx, &doubted, NULL, of("count", 1, LAB_COUNTS, LAB_COUNTED), 1, NULL);
    s->row(s->ctx, &doubted, "t", of("cell", 1, LAB_COUNTS, LAB_COUNTED), 1, NULL);
    s->series(s->ctx, &doubted, "many", "x", v, 4, LAB_COUNTS);
    s->matrix(s->ctx, &doubted, "pairs", "x", index, v, 2, LAB_COUNTS);
    const unsigned n = records;
    for (unsigned i = 0; i < n; i++) {
        assert_string_equal(flags(record[i]), " erratum");
        assert_string_equal(json_string_value(json_array_get(field(i, "errata"), 0)), "SKL044");
    }
    static const char doubt[] = "! may be wrong: erratum SKL044\n";
    const char *said = strstr(text, doubt);
    if (n != 5 || !said || strstr(said + strlen(doubt), "SKL044")) fail_msg("%u records: %s", n, text);
    s->row(s->ctx, &doubted, NULL, of("time", 1, LAB_TIMES, LAB_COUNTED), 1, NULL);
    s->row(s->ctx, &doubted, NULL, of("none", 1, LAB_COUNTS, LAB_ABSENT), 1, NULL);
    assert_true(!field(n, "errata") && !field(n + 1, "errata"));
    s = emit_lab_sink(&machine, &options);
    s->row(s->ctx, &doubted, NULL, of("modelled", 1, LAB_COUNTS, LAB_COUNTED), 1, NULL);
    assert_string_equal(flags(record[n + 2]), " modelled");
}

TEST_WITH(values, session, forget)
{
    const struct lab_sink *s = emit_lab_sink(&machine, &options);
    s->row(s->ctx, &run, NULL, of("whole", 9007199254740992.0, LAB_COUNTS, LAB_COUNTED), 1, NULL);
    s->row(s->ctx, &run, NULL, of("half", -0.5, LAB_TIMES, LAB_COUNTED), 1, "why");
    s->row(s->ctx, &run, NULL, of("told", 7, LAB_KNOWN, LAB_COUNTED), 1, NULL);
    s->row(s->ctx, &run, NULL, of("none", 5, LAB_COUNTS, LAB_UNMODELLED), 1, NULL);
    s->row(s->ctx, &run, NULL, of("no", 5, LAB_COUNTS, LAB_ABSENT), 1, NULL);
    assert_int_equal(json_integer_value(field(0, "value")), 9007199254740992);
    assert_true(json_is_real(field(1, "value")));
    assert_string_equal(json_string_value(field(1, "note")), "why");
    assert_int_equal(json_integer_value(field(2, "ring")), 3);
    assert_string_equal(flags(record[0]), " modelled");
    assert_string_equal(flags(record[1]), " emulated");
    assert_string_equal(flags(record[2]), "");
    assert_null(field(3, "value"));
    assert_string_equal(flags(record[3]), " unmodelled");
    assert_null(field(4, "value"));
    assert_string_equal(flags(record[4]), " absent");
    assert_non_null(strstr(text, "\nl1_profile (modelled)\n  whole"));
    assert_non_null(strstr(text, "\nl1_profile (emulated)\n  half"));
    assert_non_null(strstr(text, "9007199254740992 misses\n"));
    assert_non_null(strstr(text, "-0.50 misses\n      why\n"));
    assert_non_null(strstr(text, " 7 misses\n"));
    assert_non_null(strstr(text, "unmodelled\n"));
    assert_non_null(strstr(text, "absent\n"));
    s->row(s->ctx, &run, NULL, of("small", 0.004, LAB_TIMES, LAB_COUNTED), 1, NULL);
    s->row(s->ctx, &run, NULL, of("exact", 5.005, LAB_TIMES, LAB_COUNTED), 1, NULL);
    s->row(s->ctx, &run, NULL, of("third", 1.0 / 3, LAB_TIMES, LAB_COUNTED), 1, NULL);
    assert_non_null(strstr(text, " 0.004 misses\n"));
    assert_non_null(strstr(text, " 5.005 misses\n"));
    assert_non_null(strstr(text, " 0.333 misses\n"));
    assert_null(strstr(text, " 5 misses\n")); /* a value that there is not */
}

TEST_WITH(rows, session, forget)
{
    const struct lab_sink *s = emit_lab_sink(&machine, &options);
    struct lab_quantity q[] = {{"pages", "pages", 64, LAB_KNOWN, LAB_COUNTED},
                               {"misses", "", 0, LAB_COUNTS, LAB_COUNTED}};
    s->row(s->ctx, &run, "a table", q, 2, NULL);
    q[0].value = 65;
    q[1].state = LAB_UNMODELLED;
    s->row(s->ctx, &run, "a table", q, 2, NULL);
    const json_t *cells = field(0, "cells"), *none = json_array_get(field(1, "cells"), 1);
    assert_int_equal(json_array_size(cells), 2);
    assert_int_equal(json_integer_value(json_object_get(json_array_get(cells, 1), "value")), 0);
    assert_string_equal(flags(record[0]), " modelled");
    assert_null(json_object_get(none, "value"));
    assert_string_equal(flags(none), " unmodelled");
    assert_string_equal(
        text, "\nl1_profile (modelled)\n  a table\n        pages     misses\n           64          0\n"
              "           65 unmodelled\n");
}

/* A table goes on below a matrix, and begins again below anything else. */
TEST_WITH(interrupted_rows, session, forget)
{
    static const char heading[] = "l1_profile (modelled)\n", table[] = "  a table\n";
    const struct lab_sink *s = emit_lab_sink(&machine, &options);
    const struct lab_quantity q = {"pages", "pages", 64, LAB_KNOWN, LAB_COUNTED},
                              misses = {"misses", "", 0, LAB_COUNTS, LAB_COUNTED};
    const struct lab_quantity cells[] = {q, misses};
    s->row(s->ctx, &run, "a table", cells, 2, NULL);
    assert_non_null(strstr(text, heading));
    text[0] = '\0';
    s->row(s->ctx, &run, "a table", cells, 2, NULL);
    assert_string_equal(text, "           64          0\n");
    report_note("experiment", "between two rows");
    text[0] = '\0';
    s->row(s->ctx, &run, "a table", cells, 2, NULL);
    assert_true(strstr(text, heading) && strstr(text, table));
}

/* As many processors as the text shows, and one more. */
TEST_WITH(matrices, session, forget)
{
    const struct lab_sink *s = emit_lab_sink(&machine, &options);
    static double v[33 * 33];
    static unsigned index[33];
    for (unsigned i = 0; i < 33; i++) index[i] = i + 2;
    for (unsigned n = 31; n <= 33; n++) {
        for (unsigned i = 0; i < n * n; i++) v[i] = 1000 + i;
        text[0] = '\0';
        s->matrix(s->ctx, &run, "pairs", "x", index, v, n, LAB_COUNTS);
        assert_int_equal(strstr(text, ": the first 32 of 33 processors; the records have all") != NULL,
                         n > 32);
        for (unsigned row = 0, shown = n < 32 ? n : 32; row < shown; row++) {
            char begin[40];
            snprintf(begin, sizeof begin, "\n%7u%6u%6u", index[row], 1000 + row * n, 1001 + row * n);
            if (!strstr(text, begin)) fail_msg("%s is not in: %s", begin, text);
            snprintf(begin, sizeof begin, "%6u\n", 1000 + row * n + shown - 1);
            if (!strstr(text, begin)) fail_msg("%s does not end a row: %s", begin, text);
        }
        for (unsigned i = records; i; i--) json_decref(record[i - 1]);
        records = 0;
    }
}

/* A row's name is no column, and no quantity of the record. */
TEST_WITH(named_rows, session, forget)
{
    const struct lab_sink *s = emit_lab_sink(&machine, &options);
    struct lab_quantity q[] = {{"event", "data read", 0, LAB_NAMED, LAB_COUNTED},
                               {"here", "", 7, LAB_COUNTS, LAB_COUNTED},
                               {"there", "", 0.5, LAB_KNOWN, LAB_COUNTED}};
    s->row(s->ctx, &run, "a table", q, 3, NULL);
    q[0].unit = "a name that is longer than its column";
    s->row(s->ctx, &run, "a table", q, 2, NULL);
    assert_string_equal(json_string_value(field(0, "label")), "data read");
    assert_int_equal(json_array_size(field(0, "cells")), 2);
    assert_int_equal(json_array_size(field(1, "cells")), 1);
    assert_string_equal(flags(record[0]), " modelled");
    assert_string_equal(
        text, "\nl1_profile (modelled)\n  a table\n                                     here      there\n"
              "  data read                             7       0.50\n"
              "  a name that is longer than its column          7\n");
}

TEST_WITH(a_series, session, forget)
{
    const struct lab_sink *s = emit_lab_sink(&machine, &options);
    double v[250];
    for (unsigned i = 0; i < N(v); i++) v[i] = i + 0.5 * (i % 2);
    s->series(s->ctx, &run, "numbers", "apples", v, N(v), LAB_TIMES);
    assert_int_equal(records, 3);
    for (unsigned k = 0; k < N(v); k++) {
        const json_t *one = json_array_get(field(k / 100, "values"), k % 100);
        assert_true(json_number_value(one) == v[k] && json_is_integer(one) == (k % 2 == 0));
    }
    assert_int_equal(json_integer_value(field(2, "first")), 200);
    assert_int_equal(json_array_size(field(2, "values")), 50);
    assert_string_equal(flags(record[1]), " emulated");
    const char *at = strstr(text, "numbers, apples: 0");
    assert_non_null(at);
    assert_non_null(at = strstr(at, "from 100 on: 100"));
    assert_non_null(strstr(at, "from 200 on: 200"));
}
