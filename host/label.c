#include "host/label.h"
#include <stdio.h>

static const char *string(const json_t *o, const char *key)
{
    const char *s = json_string_value(json_object_get(o, key));
    return s ? s : "";
}

static const struct {
    const char *key, *text;
    json_int_t usual; /* this is not said */
} numbers[] = {
    {"ring", " ring=%lld", 0},  {"cpu", " cpu=%lld", 0},       {"region", " region %lld", -1},
    {"id", " region %lld", -1}, {"occurrence", " (%lld)", -1},
};

char *label_of(const json_t *o)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    const char *key;
    json_t *v;
    if (!to) return NULL;
    fprintf(to, "%s%s%s%s", string(o, "bench"), string(o, "program"), *string(o, "variant") ? " " : "",
            string(o, "variant"));
    json_object_foreach(json_object_get(o, "params"), key, v)
    {
        if (json_is_string(v))
            fprintf(to, " %s=%s", key, json_string_value(v));
        else
            fprintf(to, " %s=%" JSON_INTEGER_FORMAT, key, json_integer_value(v));
    }
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        v = json_object_get(o, numbers[i].key);
        if (v && json_integer_value(v) != numbers[i].usual)
            fprintf(to, numbers[i].text, json_integer_value(v));
    }
    return fclose(to) == 0 ? text : NULL;
}
