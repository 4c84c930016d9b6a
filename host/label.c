#include "host/label.h"
#include "host/values.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *key, *text;
    json_int_t usual; /* this is not said */
} numbers[] = {
    {"ring", " ring=%lld", 0},  {"cpu", " cpu=%lld", 0},       {"region", " region %lld", -1},
    {"id", " region %lld", -1}, {"occurrence", " (%lld)", -1},
};

/* One neighbour: "l1_miss bytes=65536 @1". */
static void one_beside(FILE *to, const json_t *o)
{
    char *params = params_of(o, NULL);
    fprintf(to, "%s%s%s%s%s @%lld", text_of(o, "bench"), *text_of(o, "variant") ? " " : "",
            text_of(o, "variant"), params && *params ? " " : "", params ? params : "",
            (long long)json_integer_value(json_object_get(o, "cpu")));
    free(params);
}

char *beside_of(const json_t *o)
{
    const json_t *with = json_object_get(o, "with"), *one;
    char *text = NULL;
    size_t size, i;
    if (json_is_string(with)) return strdup(json_string_value(with));
    FILE *to = open_memstream(&text, &size);
    if (!to) return NULL;
    json_array_foreach(with, i, one)
    {
        if (i) fputs(", ", to);
        one_beside(to, one);
    }
    return fclose(to) == 0 ? text : NULL;
}

char *label_of(const json_t *o)
{
    char *text = NULL, *params = params_of(o, NULL);
    size_t size;
    FILE *to = params ? open_memstream(&text, &size) : NULL;
    if (!to) {
        free(params);
        return NULL;
    }
    fprintf(to, "%s%s%s%s%s%s", text_of(o, "bench"), text_of(o, "program"), *text_of(o, "variant") ? " " : "",
            text_of(o, "variant"), *params ? " " : "", params);
    free(params);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        const json_t *v = json_object_get(o, numbers[i].key);
        if (v && json_integer_value(v) != numbers[i].usual)
            fprintf(to, numbers[i].text, json_integer_value(v));
    }
    char *beside = beside_of(o);
    if (beside && *beside) fprintf(to, " beside %s", beside);
    free(beside);
    return fclose(to) == 0 ? text : NULL;
}
