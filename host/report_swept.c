#include "host/report_swept.h"
#include <math.h>
#include <stdlib.h>

/* params: name -> the values that it takes. */
static void note_values(json_t *params, const json_t *o)
{
    const char *name;
    json_t *v;
    json_object_foreach(json_object_get(o, "params"), name, v)
    {
        char value[32];
        if (!json_is_integer(v)) continue;
        json_t *of = json_object_get(params, name);
        if (!of) json_object_set_new(params, name, of = json_object());
        snprintf(value, sizeof value, "%lld", (long long)json_integer_value(v));
        json_object_set_new(of, value, json_true());
    }
}

/* "lines": the record's own word, or the one parameter of the benchmark that takes the most values. */
static const char *swept(const json_t *benches, const json_t *o)
{
    const char *sweep = text_of(o, "sweep"), *name, *best = NULL;
    size_t most = 2;
    json_t *values;
    if (*sweep) return sweep;
    json_object_foreach(json_object_get(benches, text_of(o, "bench")), name, values)
    {
        if (json_object_size(values) <= most || !json_object_get(json_object_get(o, "params"), name))
            continue;
        most = json_object_size(values);
        best = name;
    }
    return best;
}

json_t *sweeps_of(const struct runs *rs)
{
    json_t *benches = json_object(), *found = json_object(), *o;
    size_t i;
    for (size_t k = 0; k < rs->n; k++) json_array_foreach(run_records(&rs->run[k], "result"), i, o)
        {
            json_t *params = json_object_get(benches, text_of(o, "bench"));
            if (!params) json_object_set_new(benches, text_of(o, "bench"), params = json_object());
            note_values(params, o);
        }
    for (size_t k = 0; k < rs->n; k++) json_array_foreach(run_records(&rs->run[k], "result"), i, o)
        {
            const char *param = swept(benches, o);
            if (!param || isnan(number_of(o, "median"))) continue;
            char *others = measurement_of(o, param);
            char *key = formatted("%s by %s: %s", others, param, text_of(o, "event"));
            json_t *of = json_object_get(found, key);
            if (!of) {
                json_object_set_new(found, key, of = json_array());
                for (size_t n = 0; n < rs->n; n++) json_array_append_new(of, json_array());
                json_array_append_new(of, json_string(param));
            }
            json_array_append(json_array_get(of, k), o);
            free(others);
            free(key);
        }
    json_decref(benches);
    return found;
}
