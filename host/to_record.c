#include "host/to_record.h"
#include "report/schema.h"
#include <string.h>

/* An array has no keys. Keys are jansson's: they live as long as the object. */
static void add(struct record *to, const char *key, json_t *v)
{
    const char *member_key;
    json_t *m;
    size_t i;
    switch (json_typeof(v)) {
    case JSON_OBJECT:
        rec_object(to, key);
        json_object_foreach(v, member_key, m) { add(to, member_key, m); }
        rec_close(to);
        break;
    case JSON_ARRAY:
        rec_array(to, key);
        json_array_foreach(v, i, m) { add(to, NULL, m); }
        rec_close(to);
        break;
    case JSON_STRING:
        rec_str(to, key, json_string_value(v));
        break;
    case JSON_INTEGER:
        if (json_integer_value(v) < 0)
            rec_int(to, key, json_integer_value(v));
        else
            rec_uint(to, key, (uint64_t)json_integer_value(v));
        break;
    case JSON_REAL:
        rec_real(to, key, json_real_value(v));
        break;
    case JSON_TRUE:
    case JSON_FALSE:
        rec_bool(to, key, json_is_true(v));
        break;
    case JSON_NULL:
        rec_real(to, key, (double)__builtin_nan(""));
        break;
    }
}

struct record *to_record(json_t *object)
{
    struct record *to = record_new(json_string_value(json_object_get(object, "t")));
    const char *key;
    json_t *v;
    json_object_foreach(object, key, v)
    {
        if (!schema_has_value("n|t|crc", key)) add(to, key, v);
    }
    return to;
}
