#include "host/label.h"
#include "host/values.h"
#include <stdio.h>
#include <stdlib.h>

static const struct {
    const char *key, *text;
    json_int_t usual; /* this is not said */
} numbers[] = {
    {"ring", " ring=%lld", 0},  {"cpu", " cpu=%lld", 0},       {"region", " region %lld", -1},
    {"id", " region %lld", -1}, {"occurrence", " (%lld)", -1},
};

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
    return fclose(to) == 0 ? text : NULL;
}
