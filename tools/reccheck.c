/* reccheck: proves that a serial capture is complete.
 *
 * Every line that begins with '{' is a record: its CRC is checked over the bytes received, its number must
 * follow the one before, the last is "end" with the right count, and its fields have the types that
 * docs/records.md gives them. All other lines are for people.
 */
#include <inttypes.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/crc32.h"
#include "report/record.h"
#include "tools/reccheck_schema.h"

/* ---- faults ---- */

struct check {
    const char *name;   /* of the capture */
    unsigned long line; /* 1.. */
    long long expected; /* number of the next record */
    long long status;
    bool ended;
    unsigned long faults;
};

#define FAULTS_SHOWN 20

__attribute__((format(printf, 2, 3))) static void fault(struct check *c, const char *fmt, ...)
{
    va_list ap;
    if (++c->faults > FAULTS_SHOWN) return;
    va_start(ap, fmt);
    fprintf(stderr, "%s: line %lu: ", c->name, c->line);
    vfprintf(stderr, fmt, ap);
    fputc('\n', stderr);
    va_end(ap);
    if (c->faults == FAULTS_SHOWN) fprintf(stderr, "%s: further faults are only counted\n", c->name);
}

/* ---- fields ---- */

#define EXACT_MAX (1ll << 53) /* beyond it integers are strings */

/* A string is an integer only where a number could not hold it. */
static bool is_big_integer(const char *s)
{
    return *s && s[strspn(s, "0123456789")] == '\0' && strtoull(s, NULL, 10) > (unsigned long long)EXACT_MAX;
}

static bool is_integer(const json_t *v, bool negative_too)
{
    const char *s = json_string_value(v);
    if (s) return is_big_integer(s + (negative_too && *s == '-'));
    long long i = json_integer_value(v);
    return json_is_integer(v) && i <= EXACT_MAX && i >= (negative_too ? -EXACT_MAX : 0);
}

static bool is_hex(const json_t *v)
{
    const char *s = json_string_value(v);
    return s && strncmp(s, "0x", 2) == 0 && s[2] && s[2 + strspn(s + 2, "0123456789abcdef")] == '\0';
}

static bool is_kind(const json_t *v, enum kind kind)
{
    switch (kind) {
    case UINT:
        return is_integer(v, false);
    case INT:
        return is_integer(v, true);
    case REAL:
        return json_is_real(v);
    case REAL_OR_NULL:
        return json_is_real(v) || json_is_null(v);
    case STR:
        return json_is_string(v);
    case BOOL:
        return json_is_boolean(v);
    case HEX:
        return is_hex(v);
    case INT_OR_STR:
        return is_integer(v, true) || json_is_string(v);
    case LIST:
        return json_is_array(v);
    case OBJECT:
        return json_is_object(v);
    case END_OF_SPEC:
        break;
    }
    return false;
}

static const char *kind_name(enum kind kind)
{
    static const char *const names[] = {
        [UINT] = "an unsigned integer",
        [INT] = "an integer",
        [REAL] = "a real",
        [REAL_OR_NULL] = "a real or null",
        [STR] = "a string",
        [BOOL] = "a boolean",
        [HEX] = "a hexadecimal string",
        [INT_OR_STR] = "an integer or a string",
        [LIST] = "an array",
        [OBJECT] = "an object",
    };
    return names[kind];
}

static bool is_one_of(const char *s, const char *values)
{
    for (size_t n; *values; values += n + (values[n] == '|')) {
        n = strcspn(values, "|");
        if (strlen(s) == n && strncmp(s, values, n) == 0) return true;
    }
    return false;
}

static void check_object(struct check *c, const char *where, json_t *o, const struct spec *spec);

static void check_members(struct check *c, const char *where, json_t *v, const struct spec *s)
{
    const char *key;
    json_t *m;
    size_t i;

    if (s->kind == OBJECT && s->sub) check_object(c, where, v, s->sub);
    if (s->kind == OBJECT && s->of) {
        json_object_foreach(v, key, m)
        {
            if (!is_kind(m, s->of)) fault(c, "%s: member \"%s\" is not %s", where, key, kind_name(s->of));
        }
    }
    if (s->kind == LIST) {
        json_array_foreach(v, i, m)
        {
            if (!is_kind(m, s->of))
                fault(c, "%s: element %zu is not %s", where, i, kind_name(s->of));
            else if (s->sub)
                check_object(c, where, m, s->sub);
        }
    }
}

static bool is_unmodelled(json_t *o)
{
    size_t i;
    json_t *flag;
    json_array_foreach(json_object_get(o, "flags"), i, flag)
    {
        if (json_is_string(flag) && strcmp(json_string_value(flag), "unmodelled") == 0) return true;
    }
    return false;
}

static void check_field(struct check *c, const char *where, json_t *o, const struct spec *s)
{
    json_t *v = json_object_get(o, s->key);
    char place[128];

    snprintf(place, sizeof place, "%s, \"%s\"", where, s->key);
    if (s->optional && (!v || json_is_null(v))) return;
    if (s->count && is_unmodelled(o)) {
        if (v) fault(c, "%s: is there, though the event is not modelled", place);
    } else if (!v)
        fault(c, "%s: is missing", place);
    else if (!is_kind(v, s->kind))
        fault(c, "%s: is not %s", place, kind_name(s->kind));
    else if (s->values && !is_one_of(json_string_value(v), s->values))
        fault(c, "%s: \"%s\" is none of %s", place, json_string_value(v), s->values);
    else
        check_members(c, place, v, s);
}

static void check_object(struct check *c, const char *where, json_t *o, const struct spec *spec)
{
    for (; spec->key; spec++) check_field(c, where, o, spec);
}

static void check_fields(struct check *c, const char *type, json_t *o, const char *where)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (strcmp(type, types[i].type) != 0) continue;
        check_object(c, where, o, types[i].fields);
        if (types[i].fields == result_fields || types[i].fields == region_fields)
            check_field(c, where, o, json_object_get(o, "ci99") ? &ci99 : &ci95);
        return;
    }
    fault(c, "%s: no such type of record", where);
}

/* ---- lines ---- */

/* The record's CRC must be its last field, written ,"crc":"xxxxxxxx"}. */
static bool check_crc(struct check *c, const char *line, size_t len)
{
    static const char tail[] = ",\"crc\":\"xxxxxxxx\"}";
    const size_t tail_len = sizeof tail - 1, key_len = 8;
    char want[sizeof tail];

    if (len < tail_len || memcmp(line + len - tail_len, tail, key_len) != 0) {
        fault(c, "record %lld: does not end in a CRC (cut short?)", c->expected);
        return false;
    }
    uint32_t crc = crc32(0, line, len - tail_len);
    snprintf(want, sizeof want, ",\"crc\":\"%08" PRIx32 "\"}", crc);
    if (memcmp(line + len - tail_len, want, tail_len) == 0) return true;
    fault(c, "record %lld: damaged: its CRC says %.8s, its bytes %08" PRIx32, c->expected,
          line + len - tail_len + key_len, crc);
    return false;
}

static void check_number(struct check *c, long long n)
{
    if (n > c->expected + 1)
        fault(c, "records %lld to %lld are missing", c->expected, n - 1);
    else if (n > c->expected)
        fault(c, "record %lld is missing", c->expected);
    else if (n < c->expected)
        fault(c, "record %lld comes where %lld was due", n, c->expected);
    c->expected = n;
}

static void check_record(struct check *c, const char *line, size_t len)
{
    json_error_t err;
    char where[96];

    if (c->ended) {
        fault(c, "a record after \"end\"");
        return;
    }
    if (len > RECORD_MAX_BYTES) fault(c, "record %lld: %zu bytes long", c->expected, len);
    if (!check_crc(c, line, len)) {
        c->expected++; /* most likely the one that was due */
        return;
    }
    json_t *o = json_loadb(line, len, JSON_REJECT_DUPLICATES, &err);
    const char *type = json_string_value(json_object_get(o, "t"));
    json_t *n = json_object_get(o, "n");
    if (!o)
        fault(c, "record %lld: not JSON: %s", c->expected, err.text);
    else if (!type || !is_integer(n, false))
        fault(c, "record %lld: without number or type", c->expected);
    else {
        check_number(c, json_integer_value(n));
        snprintf(where, sizeof where, "record %lld (%.32s)", c->expected, type);
        check_fields(c, type, o, where);
        if (strcmp(type, "end") == 0) {
            long long records = json_integer_value(json_object_get(o, "records"));
            if (records != c->expected + 1)
                fault(c, "%s: counts %lld records, it makes %lld", where, records, c->expected + 1);
            c->status = json_integer_value(json_object_get(o, "status"));
            c->ended = true;
        }
    }
    c->expected++;
    json_decref(o);
}

static int check_capture(const char *name, FILE *in, bool text)
{
    struct check c = {.name = name};
    char *line = NULL;
    size_t room = 0;
    ssize_t len;

    while ((len = getline(&line, &room, in)) > 0) {
        c.line++;
        while (len && (line[len - 1] == '\n' || line[len - 1] == '\r')) len--;
        if (len && line[0] == '{')
            check_record(&c, line, (size_t)len);
        else if (text)
            printf("%.*s\n", (int)len, line);
    }
    free(line);
    if (!c.ended && c.expected == 0)
        fault(&c, "no records at all");
    else if (!c.ended)
        fault(&c, "no \"end\": the capture stops after record %lld", c.expected - 1);

    if (c.faults)
        printf("%s: %lld records, NOT COMPLETE, %lu fault%s\n", name, c.expected, c.faults,
               c.faults == 1 ? "" : "s");
    else
        printf("%s: %lld records, complete, status %lld\n", name, c.expected, c.status);
    return c.faults ? 1 : 0;
}

static const char usage[] = "usage: reccheck [--text] FILE|-\n"
                            "Proves that a serial capture of Anechoic is complete and undamaged.\n"
                            "  --text     show the lines for people as well\n"
                            "  -h --help  show this\n"
                            "Exit status: 0 complete, 1 damaged or incomplete, 2 wrong usage.\n";

int main(int argc, char **argv)
{
    const char *name = NULL;
    bool text = false;

    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "-h") == 0 || strcmp(argv[i], "--help") == 0) {
            fputs(usage, stdout);
            return 0;
        }
        if (strcmp(argv[i], "--text") == 0)
            text = true;
        else if (!name && (argv[i][0] != '-' || argv[i][1] == '\0'))
            name = argv[i];
        else {
            fprintf(stderr, "reccheck: cannot use \"%s\"\n%s", argv[i], usage);
            return 2;
        }
    }
    if (!name) {
        fputs(usage, stderr);
        return 2;
    }
    if (strcmp(name, "-") == 0) return check_capture("standard input", stdin, text);
    FILE *in = fopen(name, "r");
    if (!in) {
        perror(name);
        return 2;
    }
    int status = check_capture(name, in, text);
    fclose(in);
    return status;
}
