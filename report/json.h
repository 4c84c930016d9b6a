/* Numbers and characters as a record's line has them. */
#pragma once

/* The fewest digits that read back as d, which is finite. A whole number up to 2^53 has all of its digits,
 * without an exponent: 20000003, 0.1, 1.5e-09. */
#define REAL_TEXT 32
void real_text(char s[REAL_TEXT], double d);

/* Bytes of a string's character in a rendered record: 1, 2 (\" and \\) or 6 (\u00XX). */
unsigned json_char_width(char c);
