#include "measure/options_parser.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- pieces of words ---- */

bool piece_is(struct piece p, const char *literal)
{
    return strlen(literal) == p.len && memcmp(p.s, literal, p.len) == 0;
}

bool piece_number(struct piece p, bool suffix, int64_t *out)
{
    static const char units[] = "KMG";
    const int64_t limit = 1ll << 62;
    int64_t v = 0;
    size_t digits = 0;
    for (; digits < p.len && p.s[digits] >= '0' && p.s[digits] <= '9'; digits++) {
        const int64_t digit = p.s[digits] - '0';
        if (v > (limit - digit) / 10) return false;
        v = v * 10 + digit;
    }
    if (digits == 0) return false;
    if (suffix && digits + 1 == p.len) {
        const char *u = memchr(units, p.s[digits], sizeof units - 1);
        if (!u) return false;
        for (long i = 0; i <= u - units; i++) {
            if (v > limit / 1024) return false;
            v *= 1024;
        }
        digits++;
    }
    *out = v;
    return digits == p.len;
}

const char *piece_number_fault(struct piece p, bool suffix)
{
    size_t digits = 0;
    while (digits < p.len && p.s[digits] >= '0' && p.s[digits] <= '9') digits++;
    if (suffix && digits && digits + 1 == p.len && memchr("KMG", p.s[digits], 3)) digits++;
    return digits && digits == p.len ? "number out of range" : "not a number";
}

struct piece piece_cut(struct piece p, char c, struct piece *rest)
{
    const char *at = p.len ? memchr(p.s, c, p.len) : NULL;
    if (!at) {
        *rest = (struct piece){.s = NULL};
        return p;
    }
    size_t before = (size_t)(at - p.s);
    *rest = (struct piece){at + 1, p.len - before - 1};
    return (struct piece){p.s, before};
}

void parser_fault(struct parser *ps, struct piece part, const char *what, const char *valid_fmt, ...)
{
    struct fault f = {.line = ps->line,
                      .word = ps->word,
                      .part = part.s,
                      .part_len = part.len,
                      .what = what,
                      .why = ps->why};
    va_list ap;
    va_start(ap, valid_fmt);
    vsnprintf(f.valid, sizeof f.valid, valid_fmt, ap);
    va_end(ap);
    ps->faults++;
    ps->report(ps->ctx, &f);
}

/* ---- values ---- */

void key_number(struct parser *ps, struct piece v, int64_t min, int64_t max, int64_t *out)
{
    if (!piece_number(v, false, out) || *out < min || *out > max) {
        parser_fault(ps, v, piece_number_fault(v, false), "%lld to %lld, in digits", (long long)min,
                     (long long)max);
        *out = min;
    }
}

int key_choice(struct parser *ps, struct piece v, const char *const *names, unsigned n)
{
    char valid[128] = "";
    size_t used = 0;
    for (unsigned i = 0; i < n; i++) {
        if (piece_is(v, names[i])) return (int)i;
        used += (size_t)snprintf(valid + used, sizeof valid - used, "%s%s", i ? ", " : "", names[i]);
    }
    parser_fault(ps, v, "unknown value", "%s", valid);
    return -1;
}
