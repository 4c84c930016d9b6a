/* The kernel's formatted output against the host C library's, which rounds correctly. */
#include "kernel/decimal.h"
#include "kernel/format.h"
#include "tests/unit/unit.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char theirs[3000], ours[3000];

__attribute__((format(printf, 1, 2))) static void same(const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    memset(ours, 'x', sizeof ours);
    int want = vsnprintf(theirs, sizeof theirs, format, args);
    size_t len = format_text(ours, sizeof ours, format, again);
    va_end(again);
    va_end(args);
    if (strcmp(ours, theirs) != 0) fail_msg("%s: \"%s\", not \"%s\"", format, ours, theirs);
    assert_int_equal(len, want);
}

static size_t format(char *buf, size_t cap, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    size_t len = format_text(buf, cap, format, args);
    va_end(args);
    return len;
}

#pragma GCC diagnostic ignored "-Wformat" /* flags that have no effect have none here either */

/* ---- integers, characters, strings ---- */

TEST(integers)
{
    static const int64_t value[] = {0,          1,         -1,        7,        10,
                                    -10,        99,        255,       65535,    INT_MAX,
                                    INT_MIN,    UINT_MAX,  LONG_MAX,  LONG_MIN, 123456789,
                                    1000000000, 1ll << 53, SCHAR_MIN, -32768,   987654321012345678};
    for (size_t i = 0; i < sizeof value / sizeof value[0]; i++) {
        const int64_t v = value[i];
#define ALL(flags)                                                                                     \
    same("[%" flags "d|%" flags "i|%" flags "u|%" flags "x|%" flags "X]", (int)v, (int)v, (unsigned)v, \
         (unsigned)v, (unsigned)v);                                                                    \
    same("[%" flags "lld|%" flags "llu|%" flags "llx]", (long long)v, (unsigned long long)v,           \
         (unsigned long long)v);                                                                       \
    same("[%" flags "ld|%" flags "lu|%" flags "lX|%" flags "zu]", (long)v, (unsigned long)v,           \
         (unsigned long)v, (size_t)v);                                                                 \
    same("[%" flags "hd|%" flags "hu|%" flags "hhd|%" flags "hhx]", (int)v, (unsigned)v, (int)v, (unsigned)v)
        ALL("");
        ALL("+");
        ALL(" ");
        ALL("-");
        ALL("#");
        ALL("0");
        ALL("24");
        ALL("-24");
        ALL("+024");
        ALL("-+024");
        ALL("# 024");
        ALL(".0");
        ALL(".");
        ALL(".5");
        ALL("024.5");
        ALL("-#12.8");
        ALL(".30");
        same("%*d %-*d %.*d %*.*lld", 7, (int)v, 9, (int)v, 4, (int)v, -12, -3, (long long)v);
    }
}

TEST(text)
{
    same("%s", "");
    same("nothing");
    same("100 %% of %s%c", "it", '!');
    same("[%10s|%-10s|%.2s|%10.2s|%-10.0s|%.9s]", "abc", "abc", "abc", "abc", "abc", "abc");
    same("[%5c|%-5c|%*s|%*s]", 'a', 'b', 6, "abc", -6, "abc");
    static const char three[3] = {'o', 'n', 'e'}; /* no NUL to be looked for */
    same("%.3s %.*s", three, 2, three);
}

/* ---- doubles ---- */

/* What the kernel writes doubles with, and more. */
static void real(double v)
{
    static const char *const forms[] = {
        "%.7g",   "%.4g",  "%.10g",   "%.6g",      "%.3g",   "%.2g",  "%g",   "%.0f",  "%.2f",   "%.3f",
        "%+5.0f", "%7.2f", "%8.0f",   "%9.0f",     "%f",     "%e",    "%.0e", "%.16e", "%.17g",  "%#.0f",
        "%.0g",   "%#.0e", "%020.3f", "%-+20.3e|", "% 015g", "%.60f", "%.1f", "%.9f",  "%012.4g"};
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        same(forms[i], v);
        same(forms[i], -v);
    }
}

static uint64_t random64(void)
{
    static uint64_t x = 88172645463325252u; /* xorshift64 */
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return x;
}

/* Reads back, and with one digit less it would not. */
static void shortest(double v)
{
    char s[40];
    if (!isfinite(v)) return;
    const int digits = decimal_shortest(v);
    assert_in_range(digits, DECIMAL_SURE, DECIMAL_MOST);
    snprintf(s, sizeof s, "%.*g", digits, v);
    if (strtod(s, NULL) != v) fail_msg("%d digits of %.17g are %s", digits, v, s);
    if (digits == DECIMAL_SURE) return;
    snprintf(s, sizeof s, "%.*g", digits - 1, v);
    if (strtod(s, NULL) == v) fail_msg("%d digits of %.17g, though %s reads back", digits, v, s);
}

TEST(digits_that_read_back)
{
    shortest(0);
    shortest(-0.1);
    shortest(DBL_MAX);
    for (int e = -1074; e < 1024; e++) {
        const double v = ldexp(1, e);
        shortest(v);
        shortest(nextafter(v, 0));
        shortest(nextafter(v, INFINITY));
    }
    for (int i = 0; i < 2000; i++) {
        const uint64_t bits = random64();
        double v;
        memcpy(&v, &bits, sizeof v);
        shortest(v);
        shortest((double)(bits % 1000000007) / 1000);
    }
}

TEST(doubles_that_are_special)
{
    static const double value[] = {0,
                                   1,
                                   0.5,
                                   1.5,
                                   2.5,
                                   0.25,
                                   0.125,
                                   0.375,
                                   9.5,
                                   99.5,
                                   999.5,
                                   9999.5,
                                   0.05,
                                   0.95,
                                   0.995,
                                   9.995,
                                   1e-4,
                                   1e-5,
                                   9.9999e-5,
                                   99999.95,
                                   999999.5,
                                   1e6,
                                   1e7,
                                   9999999.5,
                                   1e15,
                                   1e16,
                                   1e17,
                                   1e22,
                                   1e23,
                                   1e99,
                                   1e100,
                                   1e-99,
                                   1e-100,
                                   0.1,
                                   0.2,
                                   0.3,
                                   DBL_MAX,
                                   DBL_MIN,
                                   DBL_TRUE_MIN,
                                   DBL_EPSILON,
                                   0x1p53,
                                   0x1p53 + 2,
                                   0x1.fffffffffffffp-1023,
                                   INFINITY,
                                   NAN,
                                   0x1p-28,
                                   0x1p28,
                                   0x1p-29,
                                   0x1p81,
                                   0x1.fffffffffffffp80};
    for (size_t i = 0; i < sizeof value / sizeof value[0]; i++) real(value[i]);
    same("%.1100f", DBL_TRUE_MIN);
    same("%.1100g", DBL_TRUE_MIN);
    same("%.1500e", DBL_MIN);
    same("%.1000f", DBL_MAX);
    same("%.1500g", DBL_MAX);
    /* glibc 2.36 prints 1.e+06 for the second. */
    char buf[32];
    format(buf, sizeof buf, "%#g %#g %#.3g", 0.5, 999999.5, 1e5);
    assert_string_equal(buf, "0.500000 1.00000e+06 1.00e+05");
    same("%.2000f", 0.0);
}

TEST(doubles_of_every_power_of_two)
{
    for (int e = -1074; e < 1024; e++) {
        real(ldexp(1, e));
        real(nextafter(ldexp(1, e), 0));
    }
}

TEST(doubles_of_random_bits)
{
    for (int i = 0; i < 2000; i++) {
        uint64_t bits = random64();
        double v;
        memcpy(&v, &bits, sizeof v);
        real(v);
    }
}

/* Counts, means, shares: what a session prints. Halves, eighths and the like fall upon ties. */
TEST(doubles_as_results_are)
{
    for (int i = 0; i < 3000; i++) {
        uint64_t count = random64() >> (random64() & 63);
        real((double)count);
        real((double)count / (double)(1u << (random64() & 15)));
        real((double)count / (double)(1 + (random64() & 0xffff)));
        real((double)(count % 100000) / 1000);
    }
}

/* ---- the buffer ---- */

TEST(is_never_overrun)
{
    for (size_t cap = 0; cap < 40; cap++) {
        char buf[41];
        memset(buf, 'x', sizeof buf);
        const char *const whole = "  -42 1234.568 name     0xfeed";
        size_t len = format(buf, cap, "%5d %.3f %-8s %#llx", -42, 1234.5678, "name", 0xfeedull);
        assert_int_equal(len, strlen(whole));
        for (size_t i = cap; i < sizeof buf; i++) assert_int_equal(buf[i], 'x');
        if (cap) assert_int_equal(strncmp(buf, whole, cap - 1), 0);
        if (cap) assert_int_equal(strlen(buf), cap - 1 < len ? cap - 1 : len);
    }
    assert_int_equal(format(NULL, 0, "%s", "counted"), 7);
}

/* Nothing of the arguments behind it is read: their place is not known. */
TEST(unknown_conversions_are_shown)
{
    char buf[64];
    assert_int_equal(format(buf, sizeof buf, "%d %-5p %s", 7, (void *)buf, "s"), 9);
    assert_string_equal(buf, "7 %-5p %s");
    format(buf, sizeof buf, "%d 5 %", 7);
    assert_string_equal(buf, "7 5 %");
}
