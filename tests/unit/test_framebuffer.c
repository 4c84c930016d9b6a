/* A framebuffer: its pixels, in every depth, how many bytes a line takes, and pictures. */
#include "kernel/font.h"
#include "kernel/graphics.h"
#include "kernel/screen.h"
#include "tests/unit/fake_display.h"
#include "tests/unit/unit.h"
#include <stdio.h>
#include <string.h>

/* Everything is cleared, whatever stood there, and what lies behind a line's pixels is left alone. */
TEST(test_cleared)
{
    display(1366, 771, 32, display_rgb888);
    screen_init(&display_info);
    screen_write("x\n");
    for (unsigned y = 0; y < 771; y++) {
        for (unsigned x = 8; x < 1366; x++) assert_int_equal(display_pixel(x, y), 0);
        for (unsigned b = 0; b < DISPLAY_GUARD; b++)
            assert_int_equal(display_memory[(size_t)y * display_info.fb.pitch + 1366 * 4 + b], DISPLAY_JUNK);
    }
}

/* What a line costs, however large the screen: its own cells, and those that four jumps per screen move. */
TEST(test_bytes)
{
    const unsigned lines = 2000;
    char line[160];
    uint64_t cells = 0;
    display(3840, 2160, 32, display_rgb888);
    screen_init(&display_info);
    screen_write("\n"); /* clears the screen */
    fake_display(DISPLAY_BASE, display_memory, display_bytes);
    for (unsigned i = 0; i < lines; i++) {
        snprintf(line, sizeof line, "line %u of %s, with words as results have them %u\n", i,
                 i % 3 ? "many" : "a few long ones that reach far to the right", i * 7919);
        screen_write(line);
        cells += strlen(line) - 1;
    }
    const uint64_t written = fake_display_written(), least = cells * 8 * 16 * 4;
    print_message("4K: %llu bytes a line, %llu of them the line's own cells\n",
                  (unsigned long long)(written / lines), (unsigned long long)(least / lines));
    assert_true(written >= least);
    assert_true(written < 6 * least);
}

/* 208 of 255 in every channel, whatever its size: a field of 10 bits is scaled, too. */
TEST(test_channels)
{
    static const struct {
        uint8_t channel[6];
        uint32_t ink;
    } cases[] = {
        {{16, 8, 8, 8, 0, 8}, 0xd0d0d0},
        {{0, 8, 8, 8, 16, 8}, 0xd0d0d0},
        {{20, 10, 10, 10, 0, 10}, 834u << 20 | 834u << 10 | 834u}, /* 208 / 255 x 1023 */
        {{0, 10, 10, 10, 20, 10}, 834u << 20 | 834u << 10 | 834u},
        {{24, 8, 16, 8, 8, 8}, 0xd0d0d000},
        {{0, 11, 11, 11, 22, 10}, 1670u | 1670u << 11 | 834u << 22},
        {{0, 1, 1, 2, 3, 3}, 1u | 2u << 1 | 6u << 3}, /* 208 / 255 x 1, 3, 7, to the nearest */
    };
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        display(640, 400, 32, cases[i].channel);
        assert_int_equal(screen_init(&display_info), SCREEN_FRAMEBUFFER);
        screen_write("Anechoic\n");
        char seen[81];
        display_row(0, 80, cases[i].ink, seen);
        assert_string_equal(seen, "Anechoic");
    }
}

/* How many rows stay when the last one is full. */
TEST(test_jump)
{
    static const struct {
        unsigned height, rows, up;
    } screens[] = {{32, 2, 1},   {48, 3, 1},    {64, 4, 1},      {128, 8, 2},
                   {160, 10, 2}, {768, 48, 12}, {1600, 100, 25}, {2160, 100, 25}};
    for (unsigned i = 0; i < sizeof screens / sizeof *screens; i++) {
        char seen[200], wanted[200];
        display(640, screens[i].height, 32, display_rgb888);
        assert_int_equal(screen_init(&display_info), SCREEN_FRAMEBUFFER);
        for (unsigned n = 0; n < screens[i].rows; n++) {
            snprintf(wanted, sizeof wanted, "%u\n", n);
            screen_write(wanted);
        }
        for (unsigned row = 0; row < screens[i].rows; row++) {
            const unsigned n = row + screens[i].up;
            display_row(row, 80, DISPLAY_INK, seen);
            snprintf(wanted, sizeof wanted, "%u", n);
            assert_string_equal(seen, n < screens[i].rows ? wanted : "");
        }
    }
}

/* The smallest display and the narrowest line; fields that reach beyond a pixel; pixels of an odd size. */
TEST(test_limits)
{
    static const uint8_t high[] = {24, 8, 8, 8, 0, 8}, red[] = {25, 8, 8, 8, 0, 8},
                         green[] = {16, 8, 28, 5, 0, 8}, blue[] = {16, 8, 8, 8, 23, 10},
                         rgb333[] = {6, 3, 3, 3, 0, 3};
    static const struct {
        unsigned width, height, bpp;
        const uint8_t *channel;
        bool fits;
    } screens[] = {{320, 32, 32, display_rgb888, true},
                   {319, 32, 32, display_rgb888, false},
                   {320, 31, 32, display_rgb888, false},
                   {640, 400, 32, high, true},
                   {640, 400, 32, red, false},
                   {640, 400, 32, green, false},
                   {640, 400, 32, blue, false},
                   {640, 400, 9, rgb333, true},
                   {640, 400, 15, rgb333, true},
                   {640, 400, 8, rgb333, false},
                   {640, 400, 33, display_rgb888, false},
                   {640, 400, 30, display_rgb101010, true},
                   {640, 400, 25, display_rgb888, true}};
    for (unsigned i = 0; i < sizeof screens / sizeof *screens; i++) {
        display(screens[i].width, screens[i].height, screens[i].bpp, screens[i].channel);
        display_mapped = 0;
        if ((screen_init(&display_info) == SCREEN_FRAMEBUFFER) != screens[i].fits) fail_msg("screen %u", i);
        if (!screens[i].fits) continue;
        assert_int_equal(display_mapped, (uint64_t)display_info.fb.pitch * display_info.fb.height);
        const uint64_t full[] = {(1u << screens[i].channel[1]) - 1, (1u << screens[i].channel[3]) - 1,
                                 (1u << screens[i].channel[5]) - 1};
        uint32_t ink = 0;
        for (unsigned c = 0; c < 3; c++)
            ink |= (uint32_t)((208 * full[c] + 127) / 255) << screens[i].channel[2 * c];
        char seen[200];
        screen_write("Anechoic\n");
        display_row(0, 40, ink, seen);
        assert_string_equal(seen, "Anechoic");
    }
    display(640, 400, 32, display_rgb888);
    display_info.fb.pitch = 640 * 4; /* nothing behind a line's pixels */
    assert_int_equal(screen_init(&display_info), SCREEN_FRAMEBUFFER);
    display_info.fb.pitch = 640 * 4 - 1;
    assert_int_equal(screen_init(&display_info), SCREEN_NONE);
}

/* The font is Debian's, taken as it lies there: these glyphs say by their shape which they are. Rows with
 * ink, the first of them, and what is inked in each. */
TEST(test_font)
{
    static const struct {
        char c;
        unsigned inked, first;
        uint8_t row;
    } want[] = {{' ', 0, 0, 0}, {'-', 1, 9, 0x7e}, {'=', 2, 7, 0x7e}, {'_', 1, 14, 0x7f}, {'|', 14, 2, 0x08}};
    for (unsigned i = 0; i < sizeof want / sizeof *want; i++) {
        const uint8_t *glyph = font_8x16[want[i].c - ' '];
        unsigned inked = 0, first = 0;
        for (unsigned y = 0; y < 16; y++) {
            if (!glyph[y]) continue;
            assert_int_equal(glyph[y], want[i].row);
            if (!inked++) first = y;
        }
        assert_int_equal(inked, want[i].inked);
        assert_int_equal(first, want[i].first);
    }
}

/* As a picture (kernel/graphics.h): each dot of a line, on screens of every depth, also where a line is
 * longer than one piece, or ends in the middle of a byte; what is beyond stays as it was. */
TEST(test_picture)
{
    static const struct {
        unsigned width, bpp;
        const uint8_t *channel;
        uint32_t ink;
    } screens[] = {{640, 32, display_rgb888, 0xd0d0d0},
                   {1366, 24, display_rgb888, 0xd0d0d0},
                   {1283, 16, display_rgb565, 25u << 11 | 51u << 5 | 25u},
                   {5000, 32, display_rgb888, 0xd0d0d0}};
    static uint8_t dots[GRAPHICS_WIDTH_MAX / 8];
    const char *why;
    struct graphics g;
    for (unsigned i = 0; i < sizeof dots; i++) dots[i] = (uint8_t)(i * 37 + i / 8);
    for (unsigned i = 0; i < sizeof screens / sizeof *screens; i++) {
        display(screens[i].width, 100, screens[i].bpp, screens[i].channel);
        assert_int_equal(screen_init(&display_info), SCREEN_FRAMEBUFFER);
        assert_true(graphics_found(&why));
        assert_true(graphics_open(&g, &why));
        assert_int_equal(g.width, screens[i].width < 4096 ? screens[i].width : 4096);
        assert_int_equal(g.height, 100);
        g.line(0, dots);
        g.line(99, dots);
        for (unsigned x = 0; x < screens[i].width; x++) {
            const bool white = x < 4096 && dots[x / 8] & 0x80 >> x % 8;
            assert_int_equal(display_pixel(x, 0), white ? screens[i].ink : 0);
            assert_int_equal(display_pixel(x, 99), white ? screens[i].ink : 0);
            assert_int_equal(display_pixel(x, 50), 0); /* what was rubbish before is black */
        }
        for (unsigned x = 0; x < DISPLAY_GUARD; x++)
            assert_int_equal(display_memory[display_info.fb.pitch - DISPLAY_GUARD + x], DISPLAY_JUNK);
    }
    fake_reset(); /* no screen, and so no picture */
    display_info = (struct bootinfo){.efi = true};
    assert_int_equal(screen_init(&display_info), SCREEN_NONE);
    assert_false(graphics_found(&why));
    assert_string_equal(why, "no screen: UEFI gave the loader no framebuffer");
}
