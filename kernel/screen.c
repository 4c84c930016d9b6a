#include "kernel/screen.h"
#include "kernel/hw.h"
#include "kernel/scrollback.h"
#include <stdio.h>
#include <string.h>

static struct screen_ops ops;
static enum screen_kind kind;
static unsigned col, row;
static char name[40] = "none";
static const char *trouble;
static struct scrollback kept;

enum screen_kind screen_init(const struct bootinfo *bi)
{
    const struct boot_fb *fb = &bi->fb;
    col = row = 0;
    kind = SCREEN_NONE;
    trouble = "no screen that this kernel can write to";
    snprintf(name, sizeof name, "none");
    if (fb->addr && fb->type == 1) {
        if (framebuffer_init(fb, &ops)) {
            kind = SCREEN_FRAMEBUFFER;
            snprintf(name, sizeof name, "framebuffer %ux%ux%u", (unsigned)fb->width, (unsigned)fb->height,
                     fb->bpp);
        }
    } else if (bi->efi) {
        if (!fb->addr) trouble = "no screen: UEFI gave the loader no framebuffer";
    } else if (fb->addr == 0 || fb->type == 2) {
        if (ega_init(fb, &ops)) {
            kind = SCREEN_EGA;
            snprintf(name, sizeof name, "ega");
        }
    }
    return kind;
}

void screen_off(void)
{
    kind = SCREEN_NONE;
    trouble = "no screen: screen=off";
}

enum screen_kind screen_in_use(void) { return kind; }
const char *screen_name(void) { return name; }
const char *screen_trouble(void) { return kind == SCREEN_NONE ? trouble : NULL; }

static void newline(void)
{
    col = 0;
    row++;
    if (row == ops.rows) row -= ops.scroll();
}

static bool printable(char c) { return c >= ' ' && c <= '~'; }

void screen_write(const char *s)
{
    if (kind == SCREEN_NONE) return;
    scrollback_add(&kept, s);
    while (*s) {
        if (*s == '\n') {
            newline();
            s++;
            continue;
        }
        if (col == ops.cols) newline();
        unsigned n = 0;
        while (n < ops.cols - col && printable(s[n])) n++;
        if (n == 0) {
            ops.put(col, row, "?", 1);
            n = 1;
        } else {
            ops.put(col, row, s, n);
        }
        col += n;
        s += n;
    }
    hw_display_done();
}

void screen_row(const char *text, unsigned cursor)
{
    char cells[SCREEN_COLS];
    if (kind == SCREEN_NONE) return;
    const unsigned n = (unsigned)strnlen(text, ops.cols - 1), at = cursor < n ? cursor : n;
    memset(cells, ' ', ops.cols);
    memcpy(cells, text, at);
    cells[at] = at < n ? '|' : '_';
    memcpy(cells + at + (at < n), text + at, n - at);
    ops.put(0, row, cells, ops.cols);
    hw_display_done();
}

void screen_put_row(unsigned at, const char *text)
{
    char cells[SCREEN_COLS];
    if (kind == SCREEN_NONE || at >= ops.rows) return;
    memset(cells, ' ', ops.cols);
    memcpy(cells, text, strnlen(text, ops.cols));
    ops.put(0, at, cells, ops.cols);
    hw_display_done();
}

void screen_clear(void)
{
    for (unsigned at = 0; kind != SCREEN_NONE && at < ops.rows; at++) screen_put_row(at, "");
    col = row = 0;
}

/* ---- its text once more ---- */

void screen_keep(void *memory, size_t bytes) { scrollback_begin(&kept, memory, bytes); }

unsigned screen_kept_rows(void) { return scrollback_rows(&kept, ops.cols); }
unsigned screen_page_rows(void) { return ops.rows - 1; }

void screen_page(unsigned first, const char *status)
{
    char line[SCREEN_COLS];
    if (kind == SCREEN_NONE) return;
    size_t at = scrollback_find(&kept, ops.cols, first);
    for (unsigned r = 0; r < ops.rows - 1; r++) {
        at = scrollback_row(&kept, ops.cols, at, line);
        ops.put(0, r, line, ops.cols);
    }
    memset(line, ' ', sizeof line);
    memcpy(line, status, strnlen(status, ops.cols));
    ops.put(0, ops.rows - 1, line, ops.cols);
    hw_display_done();
}
