/* Formatted output. newlib's own needs malloc(), and this kernel has no heap. */
#include "kernel/format.h"

#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "kernel/decimal.h"

/* ---- private ---- */

struct out {
    char *buf;
    size_t cap, len; /* len goes on where cap ends */
};

struct spec {
    bool left, plus, space, alternative, zero;
    int width, precision; /* precision < 0: none given */
    unsigned bytes;       /* of an integer */
    char conversion;
};

struct args {
    va_list list;
};

static void put(struct out *o, char c)
{
    if (o->len + 1 < o->cap) o->buf[o->len] = c;
    o->len++;
}

static void put_times(struct out *o, char c, int n)
{
    while (n-- > 0) put(o, c);
}

static void put_bytes(struct out *o, const char *s, size_t n)
{
    while (n--) put(o, *s++);
}

/* Print what comes before the len characters of a field. field_end() needs the return value and the width. */
static int field_begin(struct out *o, const struct spec *s, const char *prefix, size_t len)
{
    size_t prefix_len = strlen(prefix);
    int pad = s->width - (int)(prefix_len + len);
    if (!s->left && !s->zero) put_times(o, ' ', pad);
    put_bytes(o, prefix, prefix_len);
    if (!s->left && s->zero) put_times(o, '0', pad);
    return pad;
}

static void field_end(struct out *o, const struct spec *s, int pad)
{
    if (s->left) put_times(o, ' ', pad);
}

static void put_string(struct out *o, struct spec *s, const char *text, size_t len)
{
    s->zero = false;
    int pad = field_begin(o, s, "", len);
    put_bytes(o, text, len);
    field_end(o, s, pad);
}

static const char *sign(const struct spec *s, bool negative)
{
    return negative ? "-" : s->plus ? "+" : s->space ? " " : "";
}

static void put_integer(struct out *o, struct spec *s, const char *prefix, uint64_t v)
{
    const char *const digit = s->conversion == 'X' ? "0123456789ABCDEF" : "0123456789abcdef";
    const unsigned base = (s->conversion | 0x20) == 'x' ? 16 : 10;
    char text[20];
    size_t at = sizeof text;
    for (; v; v /= base) text[--at] = digit[v % base];

    int len = (int)(sizeof text - at);
    int least = s->precision < 0 ? 1 : s->precision;
    int zeros = least > len ? least - len : 0;
    if (s->precision >= 0) s->zero = false;
    int pad = field_begin(o, s, prefix, (size_t)(zeros + len));
    put_times(o, '0', zeros);
    put_bytes(o, text + at, (size_t)len);
    field_end(o, s, pad);
}

/* Digits from whole, the place of the first, on; after point the decimals. */
static void put_digits(struct out *o, const struct decimal *n, int whole, int point, int decimals, bool dot)
{
    for (; whole < point; whole++) put(o, (char)('0' + decimal_digit(n, whole)));
    if (dot) put(o, '.');
    for (; decimals > 0; decimals--) put(o, (char)('0' + decimal_digit(n, point++)));
}

static void put_exponent(struct out *o, int e)
{
    put(o, 'e');
    put(o, e < 0 ? '-' : '+');
    if (e < 0) e = -e;
    if (e >= 100) put(o, (char)('0' + e / 100));
    put(o, (char)('0' + e / 10 % 10));
    put(o, (char)('0' + e % 10));
}

static void put_real(struct out *o, struct spec *s, double v)
{
    const char *prefix = sign(s, signbit(v));
    struct decimal n;
    decimal_from(&n, v);

    bool scientific = s->conversion == 'e';
    int decimals = s->precision < 0 ? 6 : s->precision;
    if (decimals > INT_MAX / 2) decimals = INT_MAX / 2; /* places are added to it */
    if (s->conversion == 'g') {
        int significant = decimals ? decimals : 1;
        decimal_round(&n, n.first + significant);
        int e = DECIMAL_POINT - 1 - n.first;
        scientific = e < -4 || e >= significant;
        decimals = significant - 1 - (scientific ? 0 : e);
    } else {
        decimal_round(&n, (scientific ? n.first + 1 : DECIMAL_POINT) + decimals);
    }
    int e = DECIMAL_POINT - 1 - n.first;
    int point = scientific ? n.first + 1 : DECIMAL_POINT;
    if (s->conversion == 'g' && !s->alternative)
        while (decimals && decimal_digit(&n, point + decimals - 1) == 0) decimals--;

    bool dot = decimals || s->alternative;
    int whole = scientific || n.first < point ? n.first : point - 1;
    int exponent_len = !scientific ? 0 : e <= -100 || e >= 100 ? 5 : 4;
    int pad = field_begin(o, s, prefix, (size_t)(point - whole + dot + decimals + exponent_len));
    put_digits(o, &n, whole, point, decimals, dot);
    if (scientific) put_exponent(o, e);
    field_end(o, s, pad);
}

/* A number beyond INT_MAX becomes about INT_MAX, which is too much for any buffer. */
static const char *number(const char *f, struct args *a, int *n)
{
    if (*f == '*') {
        *n = va_arg(a->list, int);
        return f + 1;
    }
    for (*n = 0; *f >= '0' && *f <= '9'; f++) *n = *n < INT_MAX / 10 ? 10 * *n + (*f - '0') : INT_MAX;
    return f;
}

/* Begins after the '%' and ends before the conversion. */
static const char *read_spec(const char *f, struct args *a, struct spec *s)
{
    *s = (struct spec){.precision = -1, .bytes = sizeof(int)};
    for (;; f++) {
        if (*f == '-')
            s->left = true;
        else if (*f == '+')
            s->plus = true;
        else if (*f == ' ')
            s->space = true;
        else if (*f == '#')
            s->alternative = true;
        else if (*f == '0')
            s->zero = true;
        else
            break;
    }
    f = number(f, a, &s->width);
    if (s->width < 0) {
        s->left = true;
        s->width = -s->width;
    }
    if (*f == '.') f = number(f + 1, a, &s->precision);
    for (; *f == 'h'; f++) s->bytes /= 2;
    for (bool again = false; *f == 'l'; f++, again = true)
        s->bytes = again ? sizeof(long long) : sizeof(long);
    if (*f == 'z') {
        s->bytes = sizeof(size_t);
        f++;
    }
    s->conversion = *f;
    return f;
}

static uint64_t integer(struct args *a, const struct spec *s, bool is_signed)
{
    uint64_t v = s->bytes == sizeof v ? va_arg(a->list, uint64_t) : va_arg(a->list, unsigned);
    unsigned unused = 64 - 8 * s->bytes;
    return is_signed ? (uint64_t)((int64_t)(v << unused) >> unused) : v << unused >> unused;
}

/* False: there is no such conversion. */
static bool convert(struct out *o, struct spec *s, struct args *a)
{
    switch (s->conversion) {
    case 'd':
    case 'i': {
        int64_t v = (int64_t)integer(a, s, true);
        put_integer(o, s, sign(s, v < 0), v < 0 ? -(uint64_t)v : (uint64_t)v);
        return true;
    }
    case 'u':
    case 'x':
    case 'X': {
        uint64_t v = integer(a, s, false);
        bool prefix = s->alternative && v && s->conversion != 'u';
        put_integer(o, s, !prefix ? "" : s->conversion == 'x' ? "0x" : "0X", v);
        return true;
    }
    case 'e':
    case 'f':
    case 'g': {
        double v = va_arg(a->list, double);
        if (isfinite(v)) {
            put_real(o, s, v);
        } else {
            s->zero = false;
            int pad = field_begin(o, s, sign(s, signbit(v)), 3);
            put_bytes(o, isnan(v) ? "nan" : "inf", 3);
            field_end(o, s, pad);
        }
        return true;
    }
    case 'c': {
        char c = (char)va_arg(a->list, int);
        put_string(o, s, &c, 1);
        return true;
    }
    case 's': {
        const char *text = va_arg(a->list, const char *);
        size_t len = 0;
        while ((s->precision < 0 || len < (size_t)s->precision) && text[len]) len++;
        put_string(o, s, text, len);
        return true;
    }
    case '%':
        put(o, '%');
        return true;
    default:
        return false;
    }
}

/* ---- public ---- */

size_t format_text(char *buf, size_t cap, const char *format, va_list args)
{
    struct out o = {.buf = buf, .cap = cap};
    struct args a;
    struct spec s;
    va_copy(a.list, args);
    for (const char *f = format; *f; f++) {
        if (*f != '%') {
            put(&o, *f);
            continue;
        }
        const char *conversion = read_spec(f + 1, &a, &s);
        if (!convert(&o, &s, &a)) {
            put_bytes(&o, f, strlen(f));
            break;
        }
        f = conversion;
    }
    va_end(a.list);
    if (cap) buf[o.len < cap ? o.len : cap - 1] = '\0';
    return o.len;
}
