#include "host/values.h"
#include "host/fields.h"
#include "report/schema.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *text_of(const json_t *o, const char *key)
{
    const char *s = json_string_value(json_object_get(o, key));
    return s ? s : "";
}

double integer_value(const json_t *v)
{
    if (!fields_is_integer(v, true)) return (double)NAN;
    return json_is_string(v) ? strtod(json_string_value(v), NULL) : (double)json_integer_value(v);
}

double number_of(const json_t *o, const char *key)
{
    const json_t *v = json_object_get(o, key);
    return json_is_real(v) ? json_real_value(v) : integer_value(v);
}

unsigned long long hex_of(const json_t *o, const char *key)
{
    const char *s = text_of(o, key);
    return strncmp(s, "0x", 2) == 0 ? strtoull(s + 2, NULL, 16) : 0;
}

bool flag_of(const json_t *o, const char *flags)
{
    size_t i;
    json_t *flag;
    json_array_foreach(json_object_get(o, "flags"), i, flag)
    {
        if (json_is_string(flag) && schema_has_value(flags, json_string_value(flag))) return true;
    }
    return false;
}

char *params_of(const json_t *o, const char *without)
{
    char *text = NULL;
    size_t len;
    FILE *to = open_memstream(&text, &len);
    const char *key, *blank = "";
    json_t *v;
    if (!to) return NULL;
    json_object_foreach(json_object_get(o, "params"), key, v)
    {
        if (without && strcmp(key, without) == 0) continue;
        if (json_is_string(v))
            fprintf(to, "%s%s=%s", blank, key, json_string_value(v));
        else
            fprintf(to, "%s%s=%" JSON_INTEGER_FORMAT, blank, key, json_integer_value(v));
        blank = " ";
    }
    return fclose(to) == 0 ? text : NULL;
}
