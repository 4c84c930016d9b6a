/* All decimal digits of a double, so that rounding works on the exact value. */
#ifndef KERNEL_DECIMAL_H
#define KERNEL_DECIMAL_H

#include <stdint.h>

/* The largest double has 309 digits before the point, and rounding may carry into one more; the smallest,
 * 2^-1074, has 1074 after it, and the middle between two doubles (decimal_shortest()) two more. */
#define DECIMAL_POINT  310
#define DECIMAL_DIGITS (DECIMAL_POINT + 1076)

/* digit[DECIMAL_POINT - 1] counts ones. Those before first are zero; those from end on count as zero. */
struct decimal {
    uint8_t digit[DECIMAL_DIGITS];
    int first; /* the most significant digit that is not zero; for 0 the ones */
    int end;   /* one after the least significant digit */
};

/* Of the magnitude of v, which is finite. */
void decimal_from(struct decimal *n, double v);

/* Round to nearest, ties to even (as IEEE 754 and other C libraries do), so that cut becomes the end.
 * cut > 0 and cut >= first; at or beyond the end nothing is rounded. */
void decimal_round(struct decimal *n, int cut);

/* The fewest significant digits, DECIMAL_SURE to DECIMAL_MOST, that read back as v, which is finite. Digits
 * at their end may be zeros. What has up to DECIMAL_SURE digits keeps them on its way through a double, and
 * DECIMAL_MOST tell all doubles apart (IEEE 754-2008, 5.12.2). */
#define DECIMAL_SURE 15
#define DECIMAL_MOST 17
int decimal_shortest(double v);

/* Any i >= 0. */
int decimal_digit(const struct decimal *n, int i);

#endif
