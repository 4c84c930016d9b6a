/* Decimal digits of a double, by long multiplication and division: exact, and without the heap that newlib's
 * dtoa() needs. */
#include "kernel/decimal.h"

#include <stdbool.h>
#include <string.h>

/* IEEE 754 binary64 */
#define FRACTION_BITS 52
#define EXPONENT_MASK 0x7ff
#define EXPONENT_ONES 1075 /* biased exponent of a number whose last bit counts one */

/* Bits at a time: 10 << STEP, the bound of the carry below, still fits into 32 bits. */
#define STEP 28

/* ---- private ---- */

static void double_times(struct decimal *n, int bits)
{
    uint32_t carry = 0;
    int i = DECIMAL_POINT;
    while (i > n->first || carry) {
        uint32_t t = ((uint32_t)n->digit[--i] << bits) + carry;
        n->digit[i] = (uint8_t)(t % 10);
        carry = t / 10;
    }
    n->first = i;
}

static void halve_times(struct decimal *n, int bits)
{
    uint32_t rest = 0;
    int i = n->first;
    for (; i < n->end || rest; i++) {
        uint32_t t = 10 * rest + n->digit[i];
        n->digit[i] = (uint8_t)(t >> bits);
        rest = t & ((1u << bits) - 1);
    }
    n->end = i;
}

/* m times 2 to the power e. */
static void from_binary(struct decimal *n, uint64_t m, int e)
{
    memset(n->digit, 0, sizeof n->digit);
    n->first = n->end = DECIMAL_POINT;
    for (; m; m /= 10) n->digit[--n->first] = (uint8_t)(m % 10);
    if (n->first == DECIMAL_POINT) {
        n->first--;
        return;
    }
    for (; e >= STEP; e -= STEP) double_times(n, STEP);
    if (e > 0) double_times(n, e);
    for (; e <= -STEP; e += STEP) halve_times(n, STEP);
    if (e < 0) halve_times(n, -e);
    while (n->digit[n->first] == 0) n->first++;
}

/* Of |v|: mantissa, and the power of two that its last bit counts. */
static uint64_t split(double v, int *e)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    const uint64_t m = bits & ((1ull << FRACTION_BITS) - 1);
    const int biased = (int)(bits >> FRACTION_BITS) & EXPONENT_MASK;
    *e = (biased ? biased : 1) - EXPONENT_ONES; /* 0: denormal, or 0 */
    return biased ? m | 1ull << FRACTION_BITS : m;
}

static bool less(const struct decimal *a, const struct decimal *b)
{
    int i = a->first < b->first ? a->first : b->first;
    const int end = a->end > b->end ? a->end : b->end;
    while (i < end && decimal_digit(a, i) == decimal_digit(b, i)) i++;
    return i < end && decimal_digit(a, i) < decimal_digit(b, i);
}

/* ---- public ---- */

void decimal_from(struct decimal *n, double v)
{
    int e;
    const uint64_t m = split(v, &e);
    from_binary(n, m, e);
}

int decimal_shortest(double v)
{
    struct decimal n, border;
    int e, digits = DECIMAL_SURE;
    const uint64_t m = split(v, &e);
    if (!m) return digits;
    for (; digits < DECIMAL_MOST; digits++) {
        from_binary(&n, m, e);
        decimal_round(&n, n.first + digits);
        /* Strictly between the middles to the next doubles: below a power of two that middle is nearer. */
        const bool power = m == 1ull << FRACTION_BITS;
        from_binary(&border, power ? 4 * m - 1 : 2 * m - 1, power ? e - 2 : e - 1);
        if (!less(&border, &n)) continue;
        from_binary(&border, 2 * m + 1, e - 1);
        if (less(&n, &border)) break;
    }
    return digits;
}

void decimal_round(struct decimal *n, int cut)
{
    if (cut >= n->end) return;
    bool tie = n->digit[cut] == 5;
    for (int i = cut + 1; tie && i < n->end; i++) tie = n->digit[i] == 0;
    bool up = tie ? n->digit[cut - 1] & 1 : n->digit[cut] >= 5;
    n->end = cut;
    if (!up) return;
    while (n->digit[--cut] == 9) n->digit[cut] = 0;
    n->digit[cut]++;
    if (cut < n->first) n->first = cut;
}

int decimal_digit(const struct decimal *n, int i) { return i < n->end ? n->digit[i] : 0; }
