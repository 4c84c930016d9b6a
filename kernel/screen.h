/* The screen as a second console: EGA/VGA text, or a plain RGB framebuffer. Text only, records never. */
#pragma once
#include "kernel/bootinfo.h"

enum screen_kind { SCREEN_NONE, SCREEN_EGA, SCREEN_FRAMEBUFFER };

/* Use what the loader left (multiboot 2 tag 8, multiboot 1 flag 12), else EGA text at B8000h if memory is
 * there. A framebuffer that cannot be used (indexed colours, beyond this kernel's reach) is SCREEN_NONE. */
enum screen_kind screen_init(const struct bootinfo *bi);
/* Printable ASCII and '\n'; long lines wrap, the screen scrolls. */
void screen_write(const char *s);
const char *screen_name(void); /* "ega", "framebuffer 1280x800x32" or "none" */

/* ---- the two kinds, behind one table (kernel/ega.c, kernel/framebuffer.c) ---- */
struct screen_ops {
    unsigned cols, rows;
    void (*put)(unsigned col, unsigned row, char c);
    void (*scroll)(void); /* everything one row up, the last one blank */
};
bool ega_init(const struct boot_fb *fb, struct screen_ops *ops);
bool framebuffer_init(const struct boot_fb *fb, struct screen_ops *ops);
