/* The record builder: a flat list of fields, strings copied into the record. */
#include "report/record.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "report/json.h"

/* ---- private ---- */

static struct record scratch; /* 12 KiB: too big for the kernel's stack, so there is only this one */

static bool no_clocks;

/* Is this field left out: a clock's, or one inside of such a list or object? */
static bool withheld(struct record *r, enum field_type type)
{
    const bool timed = r->timed && no_clocks;
    r->timed = false;
    if (!timed && !r->withheld) return false;
    if (type == FIELD_CLOSE)
        r->withheld--;
    else if (type == FIELD_OPEN_OBJECT || type == FIELD_OPEN_ARRAY)
        r->withheld++;
    return true;
}

static struct field spill; /* receives the fields that do not fit, or are left out */

static struct field *add(struct record *r, enum field_type type, const char *key)
{
    if (withheld(r, type)) return &spill;
    if (r->n == RECORD_MAX_FIELDS) {
        r->overflow = true;
        return &spill;
    }
    struct field *f = &r->f[r->n++];
    f->type = type;
    f->key = key;
    return f;
}

static void add_text(struct record *r, const char *key, const char *s, size_t len)
{
    struct field *f = add(r, FIELD_STR, key);
    if (f == &spill) return;
    if (len >= RECORD_MAX_BYTES - r->text_used) {
        r->overflow = true;
        f->s = "";
        return;
    }
    char *copy = r->text + r->text_used;
    memcpy(copy, s, len);
    copy[len] = '\0';
    r->text_used += len + 1;
    f->s = copy;
}

/* ---- public ---- */

static bool hosted;
void records_hosted(bool are) { hosted = are; }

void records_have_clocks(bool have) { no_clocks = !have; }
bool record_has_clocks(void) { return !no_clocks; }

struct record *record_new(const char *type)
{
    scratch.type = type;
    scratch.n = 0;
    scratch.overflow = scratch.timed = false;
    scratch.withheld = 0;
    scratch.text_used = 0;
    return &scratch;
}

void rec_int(struct record *r, const char *key, int64_t v) { add(r, FIELD_INT, key)->i = v; }
void rec_uint(struct record *r, const char *key, uint64_t v) { add(r, FIELD_UINT, key)->u = v; }
void rec_real(struct record *r, const char *key, double v) { add(r, FIELD_REAL, key)->d = v; }

/* A whole number that a double holds exactly is written as one. */
void rec_number_value(struct record *r, const char *key, double v)
{
    const double most = 1ull << 53;
    if (v >= -most && v <= most && (double)(int64_t)v == v)
        rec_int(r, key, (int64_t)v);
    else
        rec_real(r, key, v);
}
void rec_bool(struct record *r, const char *key, bool v) { add(r, FIELD_BOOL, key)->b = v; }
void rec_str(struct record *r, const char *key, const char *s) { add_text(r, key, s, strlen(s)); }
void rec_object(struct record *r, const char *key) { add(r, FIELD_OPEN_OBJECT, key); }

/* Not inside of a list or an object. */
static bool at_top(const struct record *r)
{
    unsigned depth = 0;
    for (unsigned i = 0; i < r->n; i++) {
        const enum field_type t = r->f[i].type;
        depth += t == FIELD_OPEN_OBJECT || t == FIELD_OPEN_ARRAY;
        depth -= t == FIELD_CLOSE;
    }
    return depth == 0;
}

void rec_array(struct record *r, const char *key)
{
    const bool flags = hosted && key && strcmp(key, "flags") == 0 && at_top(r);
    add(r, FIELD_OPEN_ARRAY, key);
    if (flags) rec_str(r, NULL, "hosted");
}

void rec_close(struct record *r) { add(r, FIELD_CLOSE, NULL); }

void rec_hex(struct record *r, const char *key, uint64_t v)
{
    rec_strf(r, key, "0x%llx", (unsigned long long)v);
}

bool rec_str_fit(struct record *r, const char *key, const char *s, size_t json_bytes)
{
    size_t len = 0, used = 0;
    for (; s[len]; len++) {
        used += json_char_width(s[len]);
        if (used > json_bytes) break;
    }
    add_text(r, key, s, len);
    return s[len] == '\0';
}

void rec_vstrf(struct record *r, const char *key, const char *fmt, va_list ap)
{
    struct field *f = add(r, FIELD_STR, key);
    size_t room = RECORD_MAX_BYTES - r->text_used;
    char *copy = r->text + r->text_used;
    int len = vsnprintf(copy, room, fmt, ap);
    if (len < 0 || (size_t)len >= room) {
        r->overflow = true;
        f->s = "";
        return;
    }
    r->text_used += (size_t)len + 1;
    f->s = copy;
}

void rec_strf(struct record *r, const char *key, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    rec_vstrf(r, key, fmt, ap);
    va_end(ap);
}

const struct field *rec_find(const struct record *r, const char *key)
{
    unsigned depth = 0;
    for (const struct field *f = r->f; f < r->f + r->n; f++) {
        if (f->type == FIELD_CLOSE) {
            depth--;
            continue;
        }
        if (depth == 0 && f->key && strcmp(f->key, key) == 0) return f;
        if (f->type == FIELD_OPEN_OBJECT || f->type == FIELD_OPEN_ARRAY) depth++;
    }
    return NULL;
}

const char *rec_text(const struct record *r, const char *key, const char *fallback)
{
    const struct field *f = rec_find(r, key);
    return f && f->type == FIELD_STR ? f->s : fallback;
}

double field_number(const struct field *f, double fallback)
{
    if (!f) return fallback;
    switch (f->type) {
    case FIELD_INT:
        return (double)f->i;
    case FIELD_UINT:
        return (double)f->u;
    case FIELD_REAL:
        return f->d;
    case FIELD_BOOL:
        return f->b;
    default:
        return fallback;
    }
}

uint32_t natural_number(double v) { return v >= 0 && v <= UINT32_MAX ? (uint32_t)v : 0; }

double rec_number(const struct record *r, const char *key, double fallback)
{
    return field_number(rec_find(r, key), fallback);
}
