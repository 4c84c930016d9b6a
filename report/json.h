/* The only fact about JSON that the builder needs. Private to report/. */
#pragma once

/* Bytes of a string's character in a rendered record: 1, 2 (\" and \\) or 6 (\u00XX). */
unsigned json_char_width(char c);
