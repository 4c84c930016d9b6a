/* A record as one line of JSON. */
#include "report/json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernel/crc32.h"
#include "kernel/decimal.h"
#include "report/record.h"

/* ---- private ---- */

/* Beyond this some integers are not doubles (RFC 8259 section 6), and readers that keep integers in doubles
 * would round them silently: they are written as strings. */
#define EXACT_MAX (1ull << 53)

#define NESTING_MAX 16

struct out {
    char *buf;
    size_t len, cap; /* cap includes the NUL */
    bool full;
};

static void put_bytes(struct out *o, const char *s, size_t n)
{
    if (o->full || n >= o->cap - o->len) {
        o->full = true;
        return;
    }
    memcpy(o->buf + o->len, s, n);
    o->len += n;
}

static void put(struct out *o, const char *s) { put_bytes(o, s, strlen(s)); }

/* The output is pure ASCII for any input: a byte from 80h on is written as the Latin-1 character of its
 * number, so the record shows the bytes of a damaged command line. */
static void put_string(struct out *o, const char *s)
{
    put(o, "\"");
    for (; *s; s++) {
        char esc[8];
        switch (json_char_width(*s)) {
        case 1:
            put_bytes(o, s, 1);
            break;
        case 2:
            esc[0] = '\\';
            esc[1] = *s;
            put_bytes(o, esc, 2);
            break;
        default:
            snprintf(esc, sizeof esc, "\\u%04x", (unsigned char)*s);
            put_bytes(o, esc, 6);
        }
    }
    put(o, "\"");
}

static void put_uint(struct out *o, bool negative, uint64_t magnitude)
{
    char s[28];
    const char *quote = magnitude > EXACT_MAX ? "\"" : "";
    snprintf(s, sizeof s, "%s%s%llu%s", quote, negative ? "-" : "", (unsigned long long)magnitude, quote);
    put(o, s);
}

static void put_real(struct out *o, double d)
{
    char s[REAL_TEXT];
    if (!isfinite(d)) {
        put(o, "null");
        return;
    }
    real_text(s, d);
    put(o, s);
    if (!strpbrk(s, ".e")) put(o, ".0"); /* marks it as a real for readers */
}

static void put_value(struct out *o, const struct field *f)
{
    const bool negative = f->type == FIELD_INT && f->i < 0;
    switch (f->type) {
    case FIELD_INT:
        put_uint(o, negative, negative ? -(uint64_t)f->i : (uint64_t)f->i);
        break;
    case FIELD_UINT:
        put_uint(o, false, f->u);
        break;
    case FIELD_REAL:
        put_real(o, f->d);
        break;
    case FIELD_STR:
        put_string(o, f->s);
        break;
    case FIELD_BOOL:
        put(o, f->b ? "true" : "false");
        break;
    case FIELD_OPEN_OBJECT:
        put(o, "{");
        break;
    case FIELD_OPEN_ARRAY:
        put(o, "[");
        break;
    case FIELD_CLOSE:
        break;
    }
}

/* False: opening and closing fields do not match. */
static bool put_fields(struct out *o, const struct record *r)
{
    char close[NESTING_MAX];
    unsigned depth = 0;
    bool comma = true; /* "t" stands before the first field */

    for (const struct field *f = r->f; f < r->f + r->n; f++) {
        if (f->type == FIELD_CLOSE) {
            if (depth == 0) return false;
            put_bytes(o, &close[--depth], 1);
            comma = true;
            continue;
        }
        if (comma) put(o, ",");
        comma = true;
        if (f->key) {
            put_string(o, f->key);
            put(o, ":");
        }
        put_value(o, f);
        if (f->type == FIELD_OPEN_OBJECT || f->type == FIELD_OPEN_ARRAY) {
            if (depth == NESTING_MAX) return false;
            close[depth++] = f->type == FIELD_OPEN_OBJECT ? '}' : ']';
            comma = false;
        }
    }
    return depth == 0;
}

/* ---- public ---- */

void real_text(char s[REAL_TEXT], double d)
{
    if (__builtin_fabs(d) <= EXACT_MAX && d == (double)(int64_t)d)
        snprintf(s, REAL_TEXT, "%.0f", d);
    else
        snprintf(s, REAL_TEXT, "%.*g", decimal_shortest(d), d);
}

unsigned json_char_width(char c)
{
    unsigned char u = (unsigned char)c;
    if (u < 0x20 || u >= 0x7f) return 6;
    return u == '"' || u == '\\' ? 2 : 1;
}

size_t json_render(const struct record *r, unsigned n, char *buf, size_t cap)
{
    struct out o = {.buf = buf, .cap = cap};
    char s[32];

    snprintf(s, sizeof s, "{\"n\":%u,\"t\":", n);
    put(&o, s);
    put_string(&o, r->type);
    if (!put_fields(&o, r) || o.full) return 0;
    snprintf(s, sizeof s, ",\"crc\":\"%08lx\"}", (unsigned long)crc32(0, o.buf, o.len));
    put(&o, s);
    if (o.full) return 0;
    o.buf[o.len] = '\0';
    return o.len;
}
