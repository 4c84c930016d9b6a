/* The catalogue of records (report/schema.def): that its rows fit together, and that docs/records.md has its
 * tables. In the page a table stands below a line  <!-- fields of NAME -->  for each record, part and group;
 * `make records` writes them. */
#include "report/schema.h"
#include "tests/unit/unit.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAGE   "docs/records.md"
#define MARK   "<!-- fields of "
#define HEAD   "| Field | Type | Unit | Meaning |\n|---|---|---|---|\n"
#define FIELDS 256

#define EACH_FIELD(f) (const struct schema_field *f = schema_field; f < schema_field + schema_fields; f++)

static char *read_file(const char *name)
{
    FILE *f = fopen(name, "r");
    if (!f) fail_msg("cannot read %s", name);
    char *page = calloc(1, 1 << 20);
    assert_true(fread(page, 1, (1 << 20) - 1, f) < (1 << 20) - 1);
    fclose(f);
    return page;
}

/* ---- rows that fit together ---- */

/* Its fields' keys, those of its groups among them. */
static unsigned keys_of(enum schema_set_id set, const char *key[FIELDS], unsigned n)
{
    for
        EACH_FIELD(f)
        {
            if (f->set != set) continue;
            if (f->type == SCHEMA_GROUP)
                n = keys_of(f->sub, key, n);
            else
                key[n++] = f->key;
        }
    return n;
}

static void each_key_once(void **state)
{
    const char *key[FIELDS];
    (void)state;
    for (unsigned set = 0; set < SCHEMA_SETS; set++) {
        const unsigned n = keys_of((enum schema_set_id)set, key, 0);
        if (!n) fail_msg("%s has no fields", schema_set[set].name);
        for (unsigned i = 0; i < n; i++) {
            assert_non_null(schema_find((enum schema_set_id)set, key[i]));
            for (unsigned k = 0; k < i; k++)
                if (strcmp(key[i], key[k]) == 0) fail_msg("%s has %s twice", schema_set[set].name, key[i]);
        }
    }
}

/* As schema_first() needs them for its search. */
static void rows_are_in_the_order_of_their_sets(void **state)
{
    (void)state;
    for (size_t i = 1; i < schema_fields; i++)
        if (schema_field[i].set < schema_field[i - 1].set)
            fail_msg("a row of %s stands after those of %s", schema_set[schema_field[i].set].name,
                     schema_set[schema_field[i - 1].set].name);
}

static void parts_and_groups_are_used(void **state)
{
    bool used[SCHEMA_SETS] = {false};
    (void)state;
    for
        EACH_FIELD(f)
        {
            const bool group = f->type == SCHEMA_GROUP;
            if (!group && f->type != SCHEMA_OBJECT && f->of != SCHEMA_OBJECT) continue;
            used[f->sub] = true;
            if (schema_set[f->sub].is != (group ? SCHEMA_IS_GROUP : SCHEMA_IS_PART))
                fail_msg("%s is used as what it is not", schema_set[f->sub].name);
        }
    for (unsigned set = 0; set < SCHEMA_SETS; set++)
        if (used[set] != (schema_set[set].is != SCHEMA_IS_RECORD))
            fail_msg("%s is in no record", schema_set[set].name);
}

static bool in_backticks(const char *text, const char *word, size_t len)
{
    char quoted[80];
    assert_true(len < sizeof quoted - 3);
    snprintf(quoted, sizeof quoted, "`%.*s`", (int)len, word);
    return strstr(text, quoted) != NULL;
}

static void meanings_name_every_value(void **state)
{
    (void)state;
    for
        EACH_FIELD(f)
    for (const char *v = f->values; v && *v; v += strcspn(v, "|"), v += *v == '|')
        if (!in_backticks(f->meaning, v, strcspn(v, "|")))
            fail_msg("%s of %s: the meaning lacks the value %.*s", f->key, schema_set[f->set].name,
                     (int)strcspn(v, "|"), v);
}

static void units_in_backticks_are_fields(void **state)
{
    char key[80];
    (void)state;
    for
        EACH_FIELD(f)
    if (f->unit && sscanf(f->unit, "`%79[^`]", key) == 1 && !schema_find(f->set, key))
        fail_msg("%s of %s: there is no field %s for its unit", f->key, schema_set[f->set].name, key);
}

#define MODEL_PAGE "docs/pmu-model.md"

/* The PMU model has no time: a field with such a unit is absent there. Exceptions are listed, with the
 * reason, in docs/pmu-model.md, as `record.field`. */
static void clocks_are_absent_on_the_model(void **state)
{
    static const char units[] = "tsc|ticks|core cycles|s|ms|us|ns|Hz|ppm|1/s|`event`/s";
    char name[100];
    char *page = read_file(MODEL_PAGE);
    (void)state;
    for
        EACH_FIELD(f)
        {
            if (!f->unit || !schema_has_value(units, f->unit)) continue;
            if (f->presence == SCHEMA_TIMED || f->presence == SCHEMA_TIMED_OPTIONAL) continue;
            snprintf(name, sizeof name, "%s.%s", schema_set[f->set].name, f->key);
            if (!in_backticks(page, name, strlen(name)))
                fail_msg("%s is neither TIMED nor among the exceptions in " MODEL_PAGE, name);
        }
    free(page);
}

static void values_are_whole_words(void **state)
{
    (void)state;
    assert_true(schema_has_value("a|bc|d", "a"));
    assert_true(schema_has_value("a|bc|d", "bc"));
    assert_true(schema_has_value("a|bc|d", "d"));
    assert_false(schema_has_value("a|bc|d", "b"));
    assert_false(schema_has_value("a|bc|d", "c"));
    assert_false(schema_has_value("a|bc|d", ""));
    assert_false(schema_has_value("a|bc|d", "a|bc"));
}

static void records_are_found_by_type(void **state)
{
    (void)state;
    for (unsigned set = 0; set < SCHEMA_SETS; set++)
        assert_int_equal(schema_record(schema_set[set].name),
                         schema_set[set].is == SCHEMA_IS_RECORD ? set : SCHEMA_SETS);
    assert_int_equal(schema_record("result"), SCHEMA_result);
    assert_int_equal(schema_record("cache"), SCHEMA_SETS); /* a part */
    assert_int_equal(schema_record("res"), SCHEMA_SETS);
    assert_string_equal(schema_find(SCHEMA_result, "median")->unit, "`unit`");
    assert_string_equal(schema_find(SCHEMA_result, "ring")->key, "ring"); /* of a group of a group */
    assert_null(schema_find(SCHEMA_result, "nested_markers"));
}

/* ---- the page ---- */

static void put_type(FILE *out, const struct schema_field *f)
{
    static const char *const name[] = {[SCHEMA_UINT] = "uint",
                                       [SCHEMA_INT] = "int",
                                       [SCHEMA_REAL] = "real",
                                       [SCHEMA_REAL_OR_NULL] = "real or null",
                                       [SCHEMA_STR] = "string",
                                       [SCHEMA_BOOL] = "bool",
                                       [SCHEMA_NUMBER] = "number",
                                       [SCHEMA_HEX] = "hex",
                                       [SCHEMA_INT_OR_STR] = "int or string",
                                       [SCHEMA_LIST] = "array of ",
                                       [SCHEMA_MAP] = "object of "};
    static const char *const presence[] = {
        [SCHEMA_ALWAYS] = "",  [SCHEMA_OPTIONAL] = "?", [SCHEMA_COUNTED] = "!",
        [SCHEMA_EITHER] = "!", [SCHEMA_TIMED] = "~",    [SCHEMA_TIMED_OPTIONAL] = "~?"};
    const bool has_members = f->type == SCHEMA_LIST || f->type == SCHEMA_MAP;
    const enum schema_type innermost = has_members ? f->of : f->type;
    if (has_members) fputs(name[f->type], out);
    if (innermost == SCHEMA_OBJECT)
        fprintf(out, "`%s`", schema_set[f->sub].name);
    else
        fputs(name[innermost], out);
    fputs(presence[f->presence], out);
}

static void put_table(FILE *out, enum schema_set_id set)
{
    fputs(HEAD, out);
    for
        EACH_FIELD(f)
        {
            if (f->set != set) continue;
            if (f->type == SCHEMA_GROUP) {
                const char *key[FIELDS], *name = schema_set[f->sub].name;
                const unsigned n = keys_of(f->sub, key, 0);
                for (unsigned i = 0; i < n; i++) fprintf(out, "%s`%s`", i ? ", " : "| ", key[i]);
                fprintf(out, " |  |  | See [%s](#%s). |\n", name, name);
                continue;
            }
            fprintf(out, "| `%s` | ", f->key);
            put_type(out, f);
            fprintf(out, " | %s | %s |\n", f->unit, f->meaning);
        }
}

/* The page as it has to be: below each mark its set's table in place of what lines of a table are there. */
static char *page_with_tables(const char *page)
{
    bool there[SCHEMA_SETS] = {false};
    char *made = NULL, name[80];
    size_t size = 0;
    FILE *out = open_memstream(&made, &size);
    for (bool table = false; *page;) {
        const size_t line = strcspn(page, "\n") + 1;
        const bool mark = sscanf(page, MARK "%79s", name) == 1;
        table = mark || (table && *page == '|');
        if (!table || mark) fwrite(page, 1, line, out);
        page += line;
        if (!mark) continue;
        unsigned set = 0;
        while (set < SCHEMA_SETS && strcmp(schema_set[set].name, name) != 0) set++;
        if (set == SCHEMA_SETS) {
            fail_msg(PAGE ": " MARK "%s: the catalogue has no such set", name);
            break;
        }
        if (there[set]) fail_msg(PAGE ": the fields of %s twice", name);
        there[set] = true;
        put_table(out, (enum schema_set_id)set);
    }
    fclose(out);
    for (unsigned set = 0; set < SCHEMA_SETS; set++)
        if (!there[set]) fail_msg(PAGE " has no line  " MARK "%s -->", schema_set[set].name);
    return made;
}

static void page_has_the_tables(void **state)
{
    char *page = read_file(PAGE), *made = page_with_tables(page);
    (void)state;
    const bool same = strcmp(page, made) == 0;
    free(page);
    free(made);
    if (!same) fail_msg(PAGE ": its tables are not those of report/schema.def; `make records` writes them");
}

/* As the only test, since a page that cannot be made is a failure. */
static void write_page(void **state)
{
    char *page = read_file(PAGE), *made = page_with_tables(page);
    FILE *out = fopen(PAGE, "w");
    (void)state;
    assert_non_null(out);
    assert_int_equal(fwrite(made, 1, strlen(made), out), strlen(made));
    assert_int_equal(fclose(out), 0);
    free(page);
    free(made);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest writing[] = {cmocka_unit_test(write_page)};
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_key_once),
                                       cmocka_unit_test(rows_are_in_the_order_of_their_sets),
                                       cmocka_unit_test(parts_and_groups_are_used),
                                       cmocka_unit_test(meanings_name_every_value),
                                       cmocka_unit_test(units_in_backticks_are_fields),
                                       cmocka_unit_test(clocks_are_absent_on_the_model),
                                       cmocka_unit_test(values_are_whole_words),
                                       cmocka_unit_test(records_are_found_by_type),
                                       cmocka_unit_test(page_has_the_tables)};
    if (argc == 2 && strcmp(argv[1], "--write") == 0) return cmocka_run_group_tests(writing, NULL, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
