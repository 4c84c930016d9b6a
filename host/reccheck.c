/* reccheck: proves that a serial capture is complete.
 *
 * Every line that begins with '{' is a record: its CRC is checked over the bytes received, its number must
 * follow the previous one, the last must be "end" with the right count, and fields must match the catalogue
 * (report/schema.def). All other lines are text for people.
 */
#include <inttypes.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/reccheck_fields.h"
#include "report/crc32.h"
#include "report/record.h"

/* ---- faults ---- */

struct check {
    const char *name;   /* of the capture */
    unsigned long line; /* 1.. */
    long long expected; /* number of the next record */
    long long status;
    bool strict;
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

/* Control characters are not valid JSON, and are found by that check. */
static void check_ascii(struct check *c, const char *line, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (!(line[i] & 0x80)) continue;
        fault(c, "record %lld: byte %02xh is not ASCII", c->expected, (unsigned char)line[i]);
        return;
    }
}

static void field_fault(void *ctx, const char *what) { fault(ctx, "%s", what); }

static void check_record(struct check *c, const char *line, size_t len)
{
    const struct fields_check fields = {c->strict, field_fault, c};
    json_error_t err;
    char where[96];

    if (c->ended) {
        fault(c, "a record after \"end\"");
        return;
    }
    if (len > RECORD_MAX_BYTES) fault(c, "record %lld: %zu bytes long", c->expected, len);
    if (!check_crc(c, line, len)) {
        c->expected++; /* most likely the expected one */
        return;
    }
    check_ascii(c, line, len);
    json_t *o = json_loadb(line, len, JSON_REJECT_DUPLICATES, &err);
    const char *type = json_string_value(json_object_get(o, "t"));
    json_t *n = json_object_get(o, "n");
    if (!o)
        fault(c, "record %lld: not JSON: %s", c->expected, err.text);
    else if (!type || !fields_is_integer(n, false))
        fault(c, "record %lld: without number or type", c->expected);
    else {
        check_number(c, json_integer_value(n));
        snprintf(where, sizeof where, "record %lld (%.32s)", c->expected, type);
        fields_check(&fields, o, where);
        if (strcmp(type, "end") == 0) {
            long long records = json_integer_value(json_object_get(o, "records"));
            if (records != c->expected + 1)
                fault(c, "%s: counts %lld records; by its number there are %lld", where, records,
                      c->expected + 1);
            c->status = json_integer_value(json_object_get(o, "status"));
            c->ended = true;
        }
    }
    c->expected++;
    json_decref(o);
}

static int check_capture(const char *name, FILE *in, bool strict, bool text)
{
    struct check c = {.name = name, .strict = strict};
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

static const char usage[] = "usage: reccheck [--strict] [--text] FILE|-\n"
                            "Proves that a serial capture of Anechoic is complete and undamaged.\n"
                            "  --strict   refuse fields that this version does not know\n"
                            "  --text     show the lines for people as well\n"
                            "  -h --help  show this\n"
                            "Exit status: 0 complete, 1 damaged or incomplete, 2 wrong usage.\n";

int main(int argc, char **argv)
{
    const char *name = NULL;
    bool strict = false, text = false;

    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "-h") == 0 || strcmp(argv[i], "--help") == 0) {
            fputs(usage, stdout);
            return 0;
        }
        if (strcmp(argv[i], "--strict") == 0)
            strict = true;
        else if (strcmp(argv[i], "--text") == 0)
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
    if (strcmp(name, "-") == 0) return check_capture("standard input", stdin, strict, text);
    FILE *in = fopen(name, "r");
    if (!in) {
        perror(name);
        return 2;
    }
    int status = check_capture(name, in, strict, text);
    fclose(in);
    return status;
}
