/* Paragraphs for an 80-column screen, and walking through nested fields. */
#include <stdio.h>
#include <string.h>

#include "report/json.h"
#include "report/text.h"

/* ---- private ---- */

#define GLUE '\x01' /* a blank that does not break, until the line goes out */

static void put_line(struct para *p, unsigned len)
{
    char line[TEXT_COLUMNS + 1];
    while (len && (p->line[len - 1] == ' ' || p->line[len - 1] == GLUE)) len--;
    for (unsigned i = 0; i < len; i++) line[i] = p->line[i] == GLUE ? ' ' : p->line[i];
    line[len] = '\0';
    p->put(line);
}

/* Break at the last blank; a word longer than a line is cut. */
static void wrap(struct para *p)
{
    unsigned cut = p->n;
    while (cut > p->indent && p->line[cut - 1] != ' ') cut--;
    if (cut <= p->indent) cut = p->n;
    put_line(p, cut);
    memmove(p->line + p->indent, p->line + cut, p->n - cut);
    memset(p->line, ' ', p->indent);
    p->n = p->indent + p->n - cut;
    p->wrapped = true;
}

static void put_char(struct para *p, char c)
{
    if (p->n == TEXT_COLUMNS) {
        if (c == ' ' && !p->glue) { /* the break falls between two words */
            put_line(p, p->n);
            memset(p->line, ' ', p->indent);
            p->n = p->indent;
            p->wrapped = true;
            return;
        }
        wrap(p);
    }
    if (c == ' ' && p->wrapped && p->n == p->indent) return;
    p->line[p->n++] = c == ' ' && p->glue ? GLUE : c;
}

/* ---- public ---- */

void para_begin(struct para *p, text_put put, const char *label, unsigned indent)
{
    p->put = put;
    p->indent = indent;
    p->n = 0;
    p->wrapped = p->glue = false;
    if (*label == '{') para_str(p, " "); /* that would be a record */
    para_str(p, label);
    while (p->n < indent) p->line[p->n++] = ' ';
}

void para_str(struct para *p, const char *s)
{
    for (; *s; s++) {
        unsigned char c = (unsigned char)*s;
        if (c >= 0x20 && c < 0x7f) {
            put_char(p, *s);
            continue;
        }
        char esc[8];
        snprintf(esc, sizeof esc, "\\x%02x", c);
        for (char *e = esc; *e; e++) put_char(p, *e);
    }
}

void para_printf(struct para *p, const char *fmt, ...)
{
    char s[128];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(s, sizeof s, fmt, ap);
    va_end(ap);
    para_str(p, s);
}

void para_bytes(struct para *p, double bytes)
{
    static const char unit[][4] = {"B", "KiB", "MiB", "GiB", "TiB"};
    unsigned u = 0;
    for (; bytes >= 1024 && u < 4; u++) bytes /= 1024;
    para_printf(p, "%.4g %s", bytes, unit[u]);
}

void para_field(struct para *p, const struct field *f)
{
    switch (f->type) {
    case FIELD_INT:
        para_printf(p, "%lld", (long long)f->i);
        break;
    case FIELD_UINT:
        para_printf(p, "%llu", (unsigned long long)f->u);
        break;
    case FIELD_REAL: {
        char s[REAL_TEXT];
        real_text(s, f->d);
        para_str(p, s);
        break;
    }
    case FIELD_BOOL:
        para_str(p, f->b ? "yes" : "no");
        break;
    case FIELD_STR:
        para_str(p, f->s);
        break;
    default:
        break;
    }
}

void para_list(struct para *p, const struct record *r, const char *key)
{
    const char *comma = "";
    for (const struct field *f = members(rec_find(r, key)); f; f = member_next(f)) {
        para_str(p, comma);
        para_field(p, f);
        comma = ", ";
    }
}

void para_end(struct para *p) { put_line(p, p->n); }

const struct field *members(const struct field *open)
{
    if (!open || (open->type != FIELD_OPEN_OBJECT && open->type != FIELD_OPEN_ARRAY)) return NULL;
    return open[1].type == FIELD_CLOSE ? NULL : open + 1;
}

const struct field *member_next(const struct field *f)
{
    for (unsigned depth = 0;; f++) {
        if (f->type == FIELD_OPEN_OBJECT || f->type == FIELD_OPEN_ARRAY) depth++;
        if (f->type == FIELD_CLOSE) depth--;
        if (depth == 0) break;
    }
    return f[1].type == FIELD_CLOSE ? NULL : f + 1;
}

const struct field *member(const struct field *open, const char *key)
{
    for (const struct field *f = members(open); f; f = member_next(f))
        if (f->key && strcmp(f->key, key) == 0) return f;
    return NULL;
}

const char *member_text(const struct field *open, const char *key, const char *fallback)
{
    const struct field *f = member(open, key);
    return f && f->type == FIELD_STR ? f->s : fallback;
}

bool has_flag(const struct record *r, const char *key, const char *flag)
{
    for (const struct field *f = members(rec_find(r, key)); f; f = member_next(f))
        if (f->type == FIELD_STR && strcmp(f->s, flag) == 0) return true;
    return false;
}
