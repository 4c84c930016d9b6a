/* A linear RGB framebuffer of 16, 24 or 32 bits, glyphs 8 x 16. The contents are kept as characters: only
 * cells that change are drawn, and display memory is never read. Scan lines are composed in RAM and sent in
 * one piece, which fills write-combining buffers (kernel/paging.c). */
#include "kernel/font.h"
#include "kernel/graphics.h"
#include "kernel/hw.h"
#include "kernel/paging.h"
#include "kernel/screen.h"
#include <string.h>

#define GLYPH_W   8u
#define GLYPH_H   16u
#define MAX_COLS  SCREEN_COLS
#define MAX_ROWS  100u
#define PIXEL_MAX 4u   /* bytes */
#define LEVEL     208u /* of 255: the brightness of a glyph in every channel */

static const struct boot_fb *fb;
static unsigned cols, rows, bytes_per_pixel;
static uint32_t ink;
static char shown[MAX_ROWS][MAX_COLS];
static bool cleared; /* by the first line, when the memory is write-combining */
static uint8_t scan_line[MAX_COLS * GLYPH_W * PIXEL_MAX];

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* The level scaled to a field of size bits, rounded: deep colour has 10 bits and not 8.
 */
static uint32_t channel(uint8_t pos, uint8_t size)
{
    const uint64_t full = (1ull << size) - 1;
    return (uint32_t)((LEVEL * full + 127) / 255) << pos;
}

static void draw(unsigned row, unsigned col, unsigned n)
{
    const unsigned bytes = n * GLYPH_W * bytes_per_pixel;
    uint64_t to = fb->addr + (uint64_t)row * GLYPH_H * fb->pitch + col * GLYPH_W * bytes_per_pixel;
    for (unsigned y = 0; y < GLYPH_H; y++, to += fb->pitch) {
        uint8_t *p = scan_line;
        for (unsigned c = col; c < col + n; c++) {
            const uint8_t dots = font_8x16[shown[row][c] - ' '][y];
            for (unsigned x = 0; x < GLYPH_W; x++) {
                uint32_t v = dots & (0x80 >> x) ? ink : 0;
                for (unsigned b = 0; b < bytes_per_pixel; b++, v >>= 8) *p++ = (uint8_t)v;
            }
        }
        hw_display_write(to, scan_line, bytes);
    }
}

/* Once, and also beyond the last cell, where other text may be. */
static void clear(void)
{
    const uint64_t line = (uint64_t)fb->width * bytes_per_pixel;
    cleared = true;
    memset(shown, ' ', sizeof shown);
    memset(scan_line, 0, sizeof scan_line);
    for (uint32_t y = 0; y < fb->height; y++)
        for (uint64_t x = 0; x < line; x += sizeof scan_line)
            hw_display_write(fb->addr + (uint64_t)y * fb->pitch + x, scan_line,
                             (size_t)least(line - x, sizeof scan_line));
}

/* Draw cells that differ, neighbours in one piece. */
static void put(unsigned col, unsigned row, const char *s, unsigned n)
{
    if (!cleared) clear();
    for (unsigned i = 0; i < n; i++) {
        const unsigned first = i;
        for (; i < n && shown[row][col + i] != s[i]; i++) shown[row][col + i] = s[i];
        if (i > first) draw(row, col + first, i - first);
    }
}

/* A quarter of the screen at once: a line is drawn five times at most before it has left, instead of once a
 * row. */
static unsigned scroll(void)
{
    static char blank[MAX_COLS];
    const unsigned up = rows < 8 ? 1 : rows / 4;
    memset(blank, ' ', sizeof blank);
    for (unsigned r = 0; r < rows; r++) put(0, r, r + up < rows ? shown[r + up] : blank, cols);
    return up;
}

static bool field_fits(uint8_t pos, uint8_t size) { return pos + size <= 32; }

bool framebuffer_init(const struct boot_fb *info, struct screen_ops *ops)
{
    fb = info;
    bytes_per_pixel = (fb->bpp + 7u) / 8;
    cols = (unsigned)least(fb->width / GLYPH_W, MAX_COLS);
    rows = (unsigned)least(fb->height / GLYPH_H, MAX_ROWS);
    if (bytes_per_pixel < 2 || bytes_per_pixel > PIXEL_MAX || cols < 40 || rows < 2) return false;
    if (!field_fits(fb->red_pos, fb->red_size) || !field_fits(fb->green_pos, fb->green_size) ||
        !field_fits(fb->blue_pos, fb->blue_size))
        return false;
    if (fb->pitch < (uint64_t)fb->width * bytes_per_pixel) return false;
    if (!paging_map_device(fb->addr, (uint64_t)fb->pitch * fb->height)) return false;
    ink = channel(fb->red_pos, fb->red_size) | channel(fb->green_pos, fb->green_size) |
          channel(fb->blue_pos, fb->blue_size);
    cleared = false;
    *ops = (struct screen_ops){cols, rows, put, scroll};
    return true;
}

/* ---- as a picture ---- */

/* In pieces of scan_line's size; a multiple of 8 dots. */
#define PIECE (MAX_COLS * GLYPH_W)

static void picture_line(unsigned y, const uint8_t *dots)
{
    const unsigned width = (unsigned)least(fb->width, GRAPHICS_WIDTH_MAX);
    for (unsigned from = 0; from < width; from += PIECE) {
        const unsigned to = (unsigned)least(width, from + PIECE);
        uint8_t *p = scan_line;
        for (unsigned x = from; x < to; x++) {
            uint32_t v = dots[x / 8] & (0x80 >> x % 8) ? ink : 0;
            for (unsigned b = 0; b < bytes_per_pixel; b++, v >>= 8) *p++ = (uint8_t)v;
        }
        hw_display_write(fb->addr + (uint64_t)y * fb->pitch + (uint64_t)from * bytes_per_pixel, scan_line,
                         (size_t)(p - scan_line));
    }
}

void framebuffer_graphics(struct graphics *g)
{
    if (!cleared) clear();
    *g = (struct graphics){(unsigned)least(fb->width, GRAPHICS_WIDTH_MAX), fb->height, picture_line};
}
