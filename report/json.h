/* The little that the builder must know about JSON. Private to report/. */
#pragma once

/* Bytes that a character of a string takes in a rendered record: 1, 2 (\" and \\) or 6 (\u00XX). */
unsigned json_char_width(char c);
