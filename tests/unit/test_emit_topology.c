/* The topology as records: judged by the catalogue as they are made, and compared with what they are of. */
#include "report/emit.h"
#include "report/schema.h"
#include "tests/unit/emit_drive.h"
#include "tests/unit/fake_topology.h"
#include <string.h>

static struct topology t;

static const char *string(unsigned i, const char *key) { return json_string_value(field(i, key)); }
static long long number(unsigned i, const char *key)
{
    assert_true(json_is_integer(field(i, key)));
    return json_integer_value(field(i, key));
}

static void emit(const char *machine)
{
    forget(NULL);
    fake_topology(machine, &t);
    emit_topology(&t);
}

TEST_WITH(a_lone_processor_has_none, session, forget)
{
    const struct topology_ids one = {.shift = {0}};
    fake_build(&t, &one, 1);
    emit_topology(&t);
    assert_int_equal(records, 0);
}

TEST_WITH(levels_that_are_told, session, forget)
{
    emit("interlagos_dp");
    assert_int_equal(records, 33);
    assert_string_equal(string(0, "t"), "topology");
    assert_int_equal(number(0, "processors"), 32);
    assert_int_equal(number(0, "packages"), 2);
    assert_int_equal(number(0, "dies"), 4);
    assert_int_equal(number(0, "modules"), 16);
    assert_int_equal(number(0, "cores"), 32);
    assert_int_equal(number(0, "threads"), 1);
    assert_null(field(0, "complexes"));
    assert_null(field(0, "tiles"));
    assert_null(field(0, "die_groups"));
    assert_string_equal(string(0, "ids"), "cpuid");
    assert_int_equal(json_array_size(field(0, "leaves")), 3);
    assert_string_equal(json_string_value(json_array_get(field(0, "leaves"), 0)), "cpuid.8000001Eh");
    assert_string_equal(string(32, "t"), "place");
    assert_int_equal(number(32, "cpu"), 31);
    assert_int_equal(number(32, "apic_id"), 0x4f);
    assert_int_equal(number(32, "package"), 1);
    assert_int_equal(number(32, "die"), 3);
    assert_int_equal(number(32, "module"), 15);
    assert_int_equal(number(32, "core"), 31);
    assert_int_equal(number(32, "thread"), 0);
    assert_null(field(32, "kind"));
    assert_null(field(32, "complex"));
}

TEST_WITH(every_level_that_there_is, session, forget)
{
    fake_topology("strix_point", &t);
    t.units[LEVEL_MODULE] = t.units[LEVEL_TILE] = t.units[LEVEL_DIE_GROUP] = 1;
    t.ids_twice = true;
    emit_topology(&t);
    for (unsigned i = 0; i < 2; i++) {
        const enum schema_set_id set = schema_record(string(i, "t"));
        for (const struct schema_field *f = schema_first(set); f; f = schema_next(f))
            if (!field(i, f->key)) fail_msg("%s has no %s", string(i, "t"), f->key);
    }
    assert_string_equal(string(0, "ids"), "apic");
    assert_string_equal(string(1, "kind"), "P");
    assert_string_equal(string(24, "kind"), "E");
}

/* Two processors have a number in common where they share a cache, and only there. */
TEST_WITH(caches_by_their_numbers, session, forget)
{
    emit("meteor_lake");
    const json_t *l2 = json_array_get(field(0, "caches"), 3), *l3 = json_array_get(field(0, "caches"), 4);
    assert_int_equal(json_integer_value(json_object_get(l2, "level")), 2);
    assert_int_equal(json_integer_value(json_object_get(l2, "bytes")), 2 << 20);
    assert_int_equal(json_integer_value(json_object_get(l2, "number")), 7);
    assert_int_equal(json_integer_value(json_object_get(l2, "shared")), 4);
    assert_string_equal(json_string_value(json_object_get(l3, "kind")), "unified");
    assert_int_equal(json_integer_value(json_object_get(l3, "first")), 35);
    for (unsigned a = 0; a < 18; a++) {
        const json_t *of = field(1 + a, "caches");
        assert_int_equal(json_array_size(of), t.place[a].caches);
        assert_int_equal(json_array_size(of), a < 16 ? 4 : 3);
    }
    emit("katmai_dp"); /* who shares its caches is not told */
    assert_null(json_object_get(json_array_get(field(0, "caches"), 0), "number"));
    assert_int_equal(json_array_size(field(1, "caches")), 0);
}
