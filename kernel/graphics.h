/* The screen as a picture of black and white dots, after all text: for codes that a camera reads.
 *
 * A framebuffer is drawn on as it is. A screen in text mode is switched to VGA mode 12h (640 x 480) by its
 * registers, since the BIOS cannot be called. */
#pragma once
#include "kernel/bootinfo.h"

#define GRAPHICS_WIDTH_MAX 4096 /* of wider screens the left part is used */

struct graphics {
    unsigned width, height;
    /* Scan line y: bit 7 of the first byte is the leftmost dot; 1 is white. GRAPHICS_WIDTH_MAX / 8 bytes at
     * most. */
    void (*line)(unsigned y, const uint8_t *dots);
};

/* What graphics_open() would use. Changes nothing that is displayed. False: *why is a sentence. */
bool graphics_found(const char **why);
/* Switches the mode, where that is needed. False: *why. */
bool graphics_open(struct graphics *g, const char **why);

/* ---- the two kinds (kernel/framebuffer.c, kernel/vga12.c) ---- */
void framebuffer_graphics(struct graphics *g); /* after framebuffer_init() was true */
bool vga12_found(void);                        /* a VGA, no older adapter */
bool vga12_open(struct graphics *g);           /* False: no memory answers at A0000h */
