/* A linear RGB framebuffer of 16, 24 or 32 bits, glyphs 8 x 16. What is shown is kept as characters, so that
 * scrolling redraws only cells that differ and never reads display memory. */
#include "kernel/font.h"
#include "kernel/paging.h"
#include "kernel/screen.h"

#define GLYPH_W  8u
#define GLYPH_H  16u
#define MAX_COLS 160u
#define MAX_ROWS 100u

static const struct boot_fb *fb;
static unsigned cols, rows, bytes_per_pixel;
static uint32_t ink;
static char shown[MAX_ROWS][MAX_COLS];

static uint32_t channel(uint8_t level, uint8_t pos, uint8_t size)
{
    return (uint32_t)(size >= 8 ? level : level >> (8 - size)) << pos;
}

static void draw(unsigned col, unsigned row, char c)
{
    const uint8_t *glyph = font_8x16[(c < ' ' || c > '~' ? '?' : c) - ' '];
    for (unsigned y = 0; y < GLYPH_H; y++) {
        uint8_t *p = (uint8_t *)(uintptr_t)fb->addr + (uint64_t)(row * GLYPH_H + y) * fb->pitch +
                     col * GLYPH_W * bytes_per_pixel;
        for (unsigned x = 0; x < GLYPH_W; x++, p += bytes_per_pixel) {
            uint32_t v = glyph[y] & (0x80 >> x) ? ink : 0;
            if (bytes_per_pixel == 4)
                *(volatile uint32_t *)p = v;
            else
                for (unsigned b = 0; b < bytes_per_pixel; b++)
                    ((volatile uint8_t *)p)[b] = (uint8_t)(v >> 8 * b);
        }
    }
}

static void put(unsigned col, unsigned row, char c)
{
    if (shown[row][col] == c) return;
    shown[row][col] = c;
    draw(col, row, c);
}

static void scroll(void)
{
    for (unsigned r = 0; r < rows; r++)
        for (unsigned c = 0; c < cols; c++) put(c, r, r + 1 < rows ? shown[r + 1][c] : ' ');
}

bool framebuffer_init(const struct boot_fb *info, struct screen_ops *ops)
{
    fb = info;
    bytes_per_pixel = (fb->bpp + 7u) / 8;
    cols = fb->width / GLYPH_W > MAX_COLS ? MAX_COLS : fb->width / GLYPH_W;
    rows = fb->height / GLYPH_H > MAX_ROWS ? MAX_ROWS : fb->height / GLYPH_H;
    if (bytes_per_pixel < 2 || bytes_per_pixel > 4 || cols < 40 || rows < 2) return false;
    if (fb->red_pos > 31 || fb->green_pos > 31 || fb->blue_pos > 31) return false;
    if (fb->pitch < fb->width * bytes_per_pixel) return false;
    if (!paging_map_device(fb->addr, (uint64_t)fb->pitch * fb->height)) return false;
    ink = channel(0xd0, fb->red_pos, fb->red_size) | channel(0xd0, fb->green_pos, fb->green_size) |
          channel(0xd0, fb->blue_pos, fb->blue_size);
    for (unsigned r = 0; r < rows; r++)
        for (unsigned c = 0; c < cols; c++) {
            shown[r][c] = ' ';
            draw(c, r, ' ');
        }
    *ops = (struct screen_ops){cols, rows, put, scroll};
    return true;
}
