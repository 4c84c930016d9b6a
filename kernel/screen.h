/* The screen as a second console: EGA/VGA text, or a plain RGB framebuffer. Text only, records never. */
#pragma once
#include "kernel/bootinfo.h"
#include <stddef.h>

enum screen_kind { SCREEN_NONE, SCREEN_EGA, SCREEN_FRAMEBUFFER };

/* Use what the loader left (multiboot 2 tag 8, multiboot 1 flag 12), else EGA text at B8000h if a BIOS has
 * set up a colour adapter and memory is there. SCREEN_NONE: a framebuffer that cannot be used (indexed
 * colours, beyond this kernel's reach), or UEFI without one, where no text mode is displayed, even if memory
 * answers at B8000h. */
enum screen_kind screen_init(const struct bootinfo *bi);
/* screen=off: in its place. The display stays as the loader left it, to the last register. */
void screen_off(void);
/* Printable ASCII and '\n'; long lines wrap, the screen scrolls. */
void screen_write(const char *s);
/* The row where screen_write() goes on, between two lines: text, cut off at the screen's width, with a mark
 * where the cursor is (0: before the first character). Written again and again while a line is typed; it is
 * not kept. */
void screen_row(const char *text, unsigned cursor);
/* For what is drawn in place, again and again: the screen is cleared, and screen_write() goes on in its first
 * row; a row, counted from the top, becomes text, cut off at the screen's width. Rows below the last one are
 * ignored. Neither is kept. */
void screen_clear(void);
void screen_put_row(unsigned row, const char *text);
enum screen_kind screen_in_use(void);
const char *screen_name(void);    /* "ega", "framebuffer 1280x800x32" or "none" */
const char *screen_trouble(void); /* a sentence about why there is none; NULL where there is one */

/* ---- its text once more, after the session ---- */

/* Keep what is written from now on, as far as there is room: the last of it. */
void screen_keep(void *memory, size_t bytes);
unsigned screen_kept_rows(void); /* rows of this screen, one that says what was dropped included */
unsigned screen_page_rows(void); /* of a page: all but the last row */
/* Shows a page of them, from row `first` on, and in the last row a line about it, cut off at the screen's
 * width. The next screen_write() continues where the last one ended. */
void screen_page(unsigned first, const char *status);

/* ---- the two kinds, behind one table (kernel/ega.c, kernel/framebuffer.c) ---- */
#define SCREEN_COLS 160u /* at most */
struct screen_ops {
    unsigned cols, rows;
    void (*put)(unsigned col, unsigned row, const char *s, unsigned n); /* n printable characters */
    unsigned (*scroll)(void); /* move everything up by 1 to rows rows, and clear those at the bottom */
};
bool ega_init(const struct boot_fb *fb, struct screen_ops *ops);
bool framebuffer_init(const struct boot_fb *fb, struct screen_ops *ops);
