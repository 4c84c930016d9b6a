#include "kernel/screen.h"
#include <stdio.h>

static struct screen_ops ops;
static enum screen_kind kind;
static unsigned col, row;
static char name[40] = "none";

enum screen_kind screen_init(const struct bootinfo *bi)
{
    const struct boot_fb *fb = &bi->fb;
    col = row = 0;
    kind = SCREEN_NONE;
    if (fb->addr && fb->type == 1) {
        if (framebuffer_init(fb, &ops)) {
            kind = SCREEN_FRAMEBUFFER;
            snprintf(name, sizeof name, "framebuffer %ux%ux%u", (unsigned)fb->width, (unsigned)fb->height,
                     fb->bpp);
        }
    } else if (fb->addr == 0 || fb->type == 2) {
        if (ega_init(fb, &ops)) {
            kind = SCREEN_EGA;
            snprintf(name, sizeof name, "ega");
        }
    }
    return kind;
}

const char *screen_name(void) { return name; }

static void newline(void)
{
    col = 0;
    if (row + 1 < ops.rows)
        row++;
    else
        ops.scroll();
}

void screen_write(const char *s)
{
    if (kind == SCREEN_NONE) return;
    for (; *s; s++) {
        if (*s == '\n') {
            newline();
            continue;
        }
        if (col == ops.cols) newline();
        ops.put(col++, row, *s >= ' ' && *s <= '~' ? *s : '?');
    }
}
