/* A framebuffer in memory, read back as text by the glyphs of the font. It is reached through
 * hw_display_write() alone: nothing may read it. What is beyond a line's pixels is nobody's. */
#pragma once
#include "kernel/bootinfo.h"
#include "tests/unit/fake_hw.h"

#define DISPLAY_BASE  0xc0000000ull
#define DISPLAY_GUARD 64   /* bytes behind a line's pixels */
#define DISPLAY_JUNK  0xa5 /* of each byte before anything is written */

extern struct bootinfo display_info; /* what a loader would say about it */
extern uint8_t *display_memory;
extern size_t display_bytes;
extern uint64_t display_mapped; /* bytes, by the last paging_map_device() */

/* Channels: {position, size} of red, green and blue. A fake_reset() comes first. */
void display(unsigned width, unsigned height, unsigned bpp, const uint8_t channel[6]);
extern const uint8_t display_rgb888[6], display_rgb565[6], display_rgb101010[6];
#define DISPLAY_INK 0xd0d0d0 /* a glyph's pixels where channels have 8 bits */

uint32_t display_pixel(unsigned x, unsigned y);
/* A row as text, without blanks at its end. A cell that is no character fails. */
void display_row(unsigned row, unsigned cols, uint32_t ink, char *out);
