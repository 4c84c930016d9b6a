#include "tests/unit/fake_display.h"
#include "kernel/font.h"
#include "kernel/paging.h"
#include "tests/unit/unit.h"
#include <stdlib.h>
#include <string.h>

struct bootinfo display_info;
uint8_t *display_memory;
size_t display_bytes;
uint64_t display_mapped;

const uint8_t display_rgb888[6] = {16, 8, 8, 8, 0, 8}, display_rgb565[6] = {11, 5, 5, 6, 0, 5},
              display_rgb101010[6] = {20, 10, 10, 10, 0, 10};

bool paging_map_device(uint64_t addr, uint64_t len)
{
    display_mapped = len;
    return addr == DISPLAY_BASE && len != 0;
}

void display(unsigned width, unsigned height, unsigned bpp, const uint8_t channel[6])
{
    const unsigned pitch = width * ((bpp + 7) / 8) + DISPLAY_GUARD;
    free(display_memory);
    display_bytes = (size_t)pitch * height;
    display_memory = malloc(display_bytes);
    assert_non_null(display_memory);
    memset(display_memory, DISPLAY_JUNK, display_bytes);
    fake_reset();
    fake_display(DISPLAY_BASE, display_memory, display_bytes);
    display_info = (struct bootinfo){.fb = {.addr = DISPLAY_BASE,
                                            .pitch = pitch,
                                            .width = width,
                                            .height = height,
                                            .bpp = (uint8_t)bpp,
                                            .type = 1,
                                            .red_pos = channel[0],
                                            .red_size = channel[1],
                                            .green_pos = channel[2],
                                            .green_size = channel[3],
                                            .blue_pos = channel[4],
                                            .blue_size = channel[5]}};
}

uint32_t display_pixel(unsigned x, unsigned y)
{
    const unsigned size = (display_info.fb.bpp + 7u) / 8;
    uint32_t v = 0;
    for (unsigned b = 0; b < size; b++)
        v |= (uint32_t)display_memory[(size_t)y * display_info.fb.pitch + x * size + b] << 8 * b;
    return v;
}

/* The character whose glyph stands in a cell; 0: there is none such. */
static char cell(unsigned col, unsigned row, uint32_t ink)
{
    uint8_t glyph[16];
    for (unsigned y = 0; y < 16; y++) {
        glyph[y] = 0;
        for (unsigned x = 0; x < 8; x++) {
            const uint32_t v = display_pixel(col * 8 + x, row * 16 + y);
            if (v != 0 && v != ink) return 0;
            glyph[y] |= (uint8_t)(v ? 0x80 >> x : 0);
        }
    }
    for (unsigned g = 0; g < 95; g++)
        if (memcmp(font_8x16[g], glyph, 16) == 0) return (char)(' ' + g);
    return 0;
}

void display_row(unsigned row, unsigned cols, uint32_t ink, char *out)
{
    for (unsigned c = 0; c < cols; c++) {
        out[c] = cell(c, row, ink);
        if (!out[c]) fail_msg("no character at column %u of row %u", c, row);
    }
    out[cols] = '\0';
    for (unsigned c = cols; c-- && out[c] == ' ';) out[c] = '\0';
}
