/* Glyphs for ASCII 32-126 of a Debian font (kernel/font.S). One byte a row, the leftmost pixel in bit 7. */
#pragma once
#include <stdint.h>
extern const uint8_t font_8x16[95][16];
