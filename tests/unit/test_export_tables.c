/* Tables of a results database: the catalogue, and nothing that SQL could mistake. */
#include "host/export_tables.h"
#include "tests/unit/unit.h"
#include <string.h>
#include <strings.h>

static const struct export_table *tables;
static size_t n;

static int setup(void **state)
{
    (void)state;
    tables = export_tables(&n);
    return 0;
}

static const struct export_table *named(const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(tables[i].name, name) == 0) return &tables[i];
    fail_msg("there is no table %s", name);
    return NULL;
}

static const char *type_of(const char *table, const char *object, const char *key)
{
    const struct export_column *c = export_column(named(table), object, key);
    return c ? export_sql_type(c->field->type) : NULL;
}

/* SQL's names have no case. host/store.c has tables and keys of its own. */
TEST(test_names)
{
    static const char *const own[] = {"file", "session", "fault", "field"}, *const keys[] = {"record",
                                                                                             "session", "n",
                                                                                             "i"};
    for (size_t a = 0; a < n; a++) {
        for (size_t b = 0; b < a; b++) assert_true(strcasecmp(tables[a].name, tables[b].name) != 0);
        for (unsigned k = 0; k < 4; k++) assert_true(strcasecmp(tables[a].name, own[k]) != 0);
        for (size_t i = 0; i < tables[a].columns; i++) {
            const char *name = tables[a].column[i].name;
            for (unsigned k = 0; k < 4; k++)
                if (strcasecmp(name, keys[k]) == 0) fail_msg("%s.%s is a key", tables[a].name, name);
            for (size_t j = 0; j < i; j++)
                if (strcasecmp(name, tables[a].column[j].name) == 0)
                    fail_msg("%s.%s twice", tables[a].name, name);
        }
    }
}

/* docs/records.md says what these are in records. */
TEST(test_places)
{
    assert_string_equal(type_of("result", NULL, "median"), "REAL");
    assert_string_equal(type_of("result", NULL, "params"), "TEXT");
    assert_string_equal(type_of("result", NULL, "bench"), "TEXT");
    assert_string_equal(type_of("result", "fwq", "late_min"), "INTEGER");
    assert_string_equal(type_of("cpu", "pmu", "counters"), "TEXT");
    assert_string_equal(type_of("profile_lines", NULL, "address"), "INTEGER");
    assert_string_equal(type_of("bench_params", NULL, "default"), "");
    assert_string_equal(export_column(named("cpu"), "pmu", "family")->name, "pmu_family");
    assert_string_equal(export_column(named("cpu"), NULL, "family")->name, "family");
    assert_null(export_column(named("cpu"), NULL, "caches"));
    assert_null(export_column(named("cpu"), "fwq", "family"));
    assert_null(export_column(named("result"), NULL, "fwq"));
    assert_int_equal(named("cpu_caches")->record, SCHEMA_cpu);
    assert_int_equal(named("cpu_caches")->set, SCHEMA_cache);
    assert_ptr_equal(named("cpu_caches"), named("cpu") + 1);
}

/* Every field of every set is somewhere. */
TEST(test_complete)
{
    for (const struct schema_field *f = schema_field; f < schema_field + schema_fields; f++) {
        bool found = f->type == SCHEMA_GROUP || f->type == SCHEMA_OBJECT;
        for (size_t i = 0; i < n && !found; i++) {
            found = tables[i].list && f->type == SCHEMA_LIST && strcmp(tables[i].list, f->key) == 0;
            for (size_t k = 0; k < tables[i].columns; k++) found |= tables[i].column[k].field == f;
        }
        if (!found) fail_msg("%s.%s is in no table", schema_set[f->set].name, f->key);
    }
}

AROUND_ALL(setup, NULL);
