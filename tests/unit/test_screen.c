/* The screen: what a picture shows after scrolling, how many bytes of display memory that takes, and machines
 * without one. The display's memory is reached through hw_display_write() alone: nothing may read it. */
#include "kernel/font.h"
#include "kernel/graphics.h"
#include "kernel/paging.h"
#include "kernel/screen.h"
#include "tests/unit/fake_hw.h"
#include "tests/unit/unit.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define BASE  0xc0000000ull
#define GUARD 64 /* bytes behind a line's pixels, which are nobody's */

static struct bootinfo bi;
static uint8_t *memory;
static size_t bytes;

static uint64_t mapped; /* bytes */

bool paging_map_device(uint64_t addr, uint64_t len)
{
    mapped = len;
    return addr == BASE && len != 0;
}

/* A framebuffer whose memory is full of rubbish. Channels: {position, size} of red, green and blue. */
static void display(unsigned width, unsigned height, unsigned bpp, const uint8_t channel[6])
{
    const unsigned pitch = width * ((bpp + 7) / 8) + GUARD;
    free(memory);
    bytes = (size_t)pitch * height;
    memory = malloc(bytes);
    assert_non_null(memory);
    memset(memory, 0xa5, bytes);
    fake_reset();
    fake_display(BASE, memory, bytes);
    bi = (struct bootinfo){.fb = {.addr = BASE,
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

static const uint8_t rgb888[6] = {16, 8, 8, 8, 0, 8}, rgb565[6] = {11, 5, 5, 6, 0, 5},
                     rgb101010[6] = {20, 10, 10, 10, 0, 10};

static uint32_t pixel(unsigned x, unsigned y)
{
    const unsigned size = (bi.fb.bpp + 7u) / 8;
    uint32_t v = 0;
    for (unsigned b = 0; b < size; b++)
        v |= (uint32_t)memory[(size_t)y * bi.fb.pitch + x * size + b] << 8 * b;
    return v;
}

/* The character whose glyph stands in a cell; 0: there is none such. */
static char cell(unsigned col, unsigned row, uint32_t ink)
{
    uint8_t glyph[16];
    for (unsigned y = 0; y < 16; y++) {
        glyph[y] = 0;
        for (unsigned x = 0; x < 8; x++) {
            const uint32_t v = pixel(col * 8 + x, row * 16 + y);
            if (v != 0 && v != ink) return 0;
            glyph[y] |= (uint8_t)(v ? 0x80 >> x : 0);
        }
    }
    for (unsigned g = 0; g < 95; g++)
        if (memcmp(font_8x16[g], glyph, 16) == 0) return (char)(' ' + g);
    return 0;
}

static void read_row(unsigned row, unsigned cols, uint32_t ink, char *out)
{
    for (unsigned c = 0; c < cols; c++) {
        out[c] = cell(c, row, ink);
        if (!out[c]) fail_msg("no character at column %u of row %u", c, row);
    }
    out[cols] = '\0';
    for (unsigned c = cols; c-- && out[c] == ' ';) out[c] = '\0';
}

static void text_line(unsigned i, char *out, size_t size)
{
    snprintf(out, size, "line %u of %s, with words as results have them %u", i,
             i % 3 ? "many" : "a few long ones that reach far to the right", i * 7919);
}

/* The last lines stand on the screen, in order, without a gap, the last one included. */
static void expect_last_lines(unsigned printed, unsigned least, unsigned rows, unsigned cols, uint32_t ink)
{
    char seen[256], wanted[256];
    unsigned shown = 0, first = 0;
    for (unsigned r = 0; r < rows; r++) {
        read_row(r, cols, ink, seen);
        if (!seen[0]) {
            for (unsigned later = r; later < rows; later++) {
                read_row(later, cols, ink, seen);
                assert_string_equal(seen, "");
            }
            break;
        }
        if (r == 0) assert_int_equal(sscanf(seen, "line %u", &first), 1);
        text_line(first + r, wanted, sizeof wanted);
        assert_string_equal(seen, wanted);
        shown++;
    }
    assert_int_equal(first + shown, printed);
    assert_true(shown >= least);
}

static void print(unsigned lines)
{
    char line[256];
    for (unsigned i = 0; i < lines; i++) {
        text_line(i, line, sizeof line);
        screen_write(line);
        screen_write("\n");
    }
}

static void test_scroll(void **state)
{
    (void)state;
    static const struct {
        unsigned width, height, bpp, cols, rows;
        const uint8_t *channel;
        uint32_t ink;
    } screens[] = {
        {1280, 800, 32, 160, 50, rgb888, 0xd0d0d0}, {800, 600, 24, 100, 37, rgb888, 0xd0d0d0},
        {1024, 768, 16, 128, 48, rgb565, 0xce79},   {1920, 1080, 32, 160, 67, rgb101010, 834u * 0x100401},
        {800, 40, 32, 100, 2, rgb888, 0xd0d0d0},
    };
    for (unsigned i = 0; i < sizeof screens / sizeof screens[0]; i++) {
        display(screens[i].width, screens[i].height, screens[i].bpp, screens[i].channel);
        assert_int_equal(screen_init(&bi), SCREEN_FRAMEBUFFER);
        for (unsigned lines = 1, printed = 0; printed < 3 * screens[i].rows; lines = lines * 2 + 1) {
            screen_init(&bi);
            print(lines);
            printed = lines;
            const unsigned room = screens[i].rows - 1;
            const unsigned least = room * 3 / 4;
            expect_last_lines(lines, lines < least ? lines : least, screens[i].rows, screens[i].cols,
                              screens[i].ink);
        }
    }
}

/* Everything is cleared, whatever stood there, and what lies behind a line's pixels is left alone. */
static void test_cleared(void **state)
{
    (void)state;
    display(1366, 771, 32, rgb888);
    screen_init(&bi);
    screen_write("x\n");
    for (unsigned y = 0; y < 771; y++) {
        for (unsigned x = 8; x < 1366; x++) assert_int_equal(pixel(x, y), 0);
        for (unsigned b = 0; b < GUARD; b++)
            assert_int_equal(memory[(size_t)y * bi.fb.pitch + 1366 * 4 + b], 0xa5);
    }
}

/* What a line costs, however large the screen: its own cells, and those that four jumps per screen move. */
static void test_bytes(void **state)
{
    (void)state;
    const unsigned lines = 2000;
    char line[256];
    uint64_t cells = 0;
    display(3840, 2160, 32, rgb888);
    screen_init(&bi);
    screen_write("\n"); /* clears the screen */
    fake_display(BASE, memory, bytes);
    print(lines);
    for (unsigned i = 0; i < lines; i++) {
        text_line(i, line, sizeof line);
        cells += strlen(line);
    }
    const uint64_t written = fake_display_written(), least = cells * 8 * 16 * 4;
    print_message("4K: %llu bytes a line, %llu of them the line's own cells\n",
                  (unsigned long long)(written / lines), (unsigned long long)(least / lines));
    assert_true(written >= least);
    assert_true(written < 6 * least);
}

/* 208 of 255 in every channel, whatever its size: a field of 10 bits is scaled, too. */
static void test_channels(void **state)
{
    (void)state;
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
        assert_int_equal(screen_init(&bi), SCREEN_FRAMEBUFFER);
        screen_write("Anechoic\n");
        char seen[81];
        read_row(0, 80, cases[i].ink, seen);
        assert_string_equal(seen, "Anechoic");
    }
}

/* A line that fills a row goes on in the next one; a row is as wide as the display, up to 160. */
static void test_wraps(void **state)
{
    static const struct {
        unsigned width, cols;
    } screens[] = {{800, 100}, {1280, 160}, {1287, 160}, {3840, 160}};
    (void)state;
    for (unsigned i = 0; i < sizeof screens / sizeof *screens; i++) {
        char line[400], seen[200];
        const unsigned cols = screens[i].cols;
        display(screens[i].width, 160, 32, rgb888);
        assert_int_equal(screen_init(&bi), SCREEN_FRAMEBUFFER);
        for (unsigned c = 0; c < 2 * cols + 3; c++) line[c] = (char)('!' + c % 94);
        line[2 * cols + 3] = '\0';
        screen_write(line);
        screen_write("\n");
        for (unsigned row = 0; row < 3; row++) {
            read_row(row, cols, 0xd0d0d0, seen);
            assert_int_equal(strlen(seen), row < 2 ? cols : 3);
            assert_memory_equal(seen, line + row * cols, strlen(seen));
        }
        screen_write("\x7f\xe4~\t ");
        read_row(3, cols, 0xd0d0d0, seen);
        assert_string_equal(seen, "??~?"); /* what is not ASCII's */
        for (unsigned x = cols * 8; x < screens[i].width; x++)
            for (unsigned y = 0; y < 160; y++) assert_int_equal(pixel(x, y), 0);
    }
}

/* How many rows stay when the last one is full. */
static void test_jump(void **state)
{
    static const struct {
        unsigned height, rows, up;
    } screens[] = {{32, 2, 1},   {48, 3, 1},    {64, 4, 1},      {128, 8, 2},
                   {160, 10, 2}, {768, 48, 12}, {1600, 100, 25}, {2160, 100, 25}};
    (void)state;
    for (unsigned i = 0; i < sizeof screens / sizeof *screens; i++) {
        char seen[200], wanted[200];
        display(640, screens[i].height, 32, rgb888);
        assert_int_equal(screen_init(&bi), SCREEN_FRAMEBUFFER);
        for (unsigned n = 0; n < screens[i].rows; n++) {
            snprintf(wanted, sizeof wanted, "%u\n", n);
            screen_write(wanted);
        }
        for (unsigned row = 0; row < screens[i].rows; row++) {
            const unsigned n = row + screens[i].up;
            read_row(row, 80, 0xd0d0d0, seen);
            snprintf(wanted, sizeof wanted, "%u", n);
            assert_string_equal(seen, n < screens[i].rows ? wanted : "");
        }
    }
}

/* The smallest display and the narrowest line; fields that reach beyond a pixel; pixels of an odd size. */
static void test_limits(void **state)
{
    static const uint8_t high[] = {24, 8, 8, 8, 0, 8}, red[] = {25, 8, 8, 8, 0, 8},
                         green[] = {16, 8, 28, 5, 0, 8}, blue[] = {16, 8, 8, 8, 23, 10},
                         rgb333[] = {6, 3, 3, 3, 0, 3};
    static const struct {
        unsigned width, height, bpp;
        const uint8_t *channel;
        bool fits;
    } screens[] = {
        {320, 32, 32, rgb888, true},  {319, 32, 32, rgb888, false},  {320, 31, 32, rgb888, false},
        {640, 400, 32, high, true},   {640, 400, 32, red, false},    {640, 400, 32, green, false},
        {640, 400, 32, blue, false},  {640, 400, 9, rgb333, true},   {640, 400, 15, rgb333, true},
        {640, 400, 8, rgb333, false}, {640, 400, 33, rgb888, false}, {640, 400, 30, rgb101010, true},
        {640, 400, 25, rgb888, true}};
    (void)state;
    for (unsigned i = 0; i < sizeof screens / sizeof *screens; i++) {
        display(screens[i].width, screens[i].height, screens[i].bpp, screens[i].channel);
        mapped = 0;
        if ((screen_init(&bi) == SCREEN_FRAMEBUFFER) != screens[i].fits) fail_msg("screen %u", i);
        if (!screens[i].fits) continue;
        assert_int_equal(mapped, (uint64_t)bi.fb.pitch * bi.fb.height);
        const uint64_t full[] = {(1u << screens[i].channel[1]) - 1, (1u << screens[i].channel[3]) - 1,
                                 (1u << screens[i].channel[5]) - 1};
        uint32_t ink = 0;
        for (unsigned c = 0; c < 3; c++)
            ink |= (uint32_t)((208 * full[c] + 127) / 255) << screens[i].channel[2 * c];
        char seen[200];
        screen_write("Anechoic\n");
        read_row(0, 40, ink, seen);
        assert_string_equal(seen, "Anechoic");
    }
    display(640, 400, 32, rgb888);
    bi.fb.pitch = 640 * 4; /* nothing behind a line's pixels */
    assert_int_equal(screen_init(&bi), SCREEN_FRAMEBUFFER);
    bi.fb.pitch = 640 * 4 - 1;
    assert_int_equal(screen_init(&bi), SCREEN_NONE);
}

static void test_refused(void **state)
{
    (void)state;
    display(640, 400, 32, rgb888);
    bi.fb.type = 0; /* indexed */
    assert_int_equal(screen_init(&bi), SCREEN_NONE);
    assert_non_null(screen_trouble());
    display(640, 400, 8, rgb888);
    assert_int_equal(screen_init(&bi), SCREEN_NONE);
    display(640, 400, 32, rgb888);
    bi.fb.addr = 0x100000000; /* cannot be mapped here */
    assert_int_equal(screen_init(&bi), SCREEN_NONE);
    assert_string_equal(screen_name(), "none");
    screen_write("nobody sees this\n");
    display(640, 400, 32, rgb888);
    assert_int_equal(screen_init(&bi), SCREEN_FRAMEBUFFER);
    assert_null(screen_trouble());
    assert_string_equal(screen_name(), "framebuffer 640x400x32");
}

/* At B8000h there is memory on many machines that show none of it. */
static void test_text(void **state)
{
    (void)state;
    static const uint16_t colour = 0x3d4, mono = 0x3b4, none = 0;
    const volatile uint16_t *vram = mmap((void *)0xb8000, 0x8000, PROT_READ | PROT_WRITE,
                                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    assert_true(vram == (void *)0xb8000);
    fake_reset();
    fake_memory(0x463, &colour, sizeof colour);
    bi = (struct bootinfo){.protocol = 1};
    assert_int_equal(screen_init(&bi), SCREEN_EGA);
    screen_write("Hi\n");
    assert_int_equal(vram[0], 0x0700 | 'H');
    for (unsigned i = 0; i < 300; i++) screen_write("\n"); /* round the display's memory */
    screen_write("end");

    bi.efi = true; /* UEFI, and the loader gave no framebuffer */
    assert_int_equal(screen_init(&bi), SCREEN_NONE);
    assert_non_null(strstr(screen_trouble(), "UEFI"));
    assert_string_equal(screen_name(), "none");

    static const uint16_t *const others[] = {&mono, &none};
    for (unsigned i = 0; i < 2; i++) { /* no BIOS has set up a colour adapter */
        fake_reset();
        fake_memory(0x463, others[i], sizeof *others[i]);
        bi = (struct bootinfo){.protocol = 1};
        assert_int_equal(screen_init(&bi), SCREEN_NONE);
        assert_non_null(screen_trouble());
    }
    bi.fb = (struct boot_fb){.addr = 0xb8000, .pitch = 160, .width = 80, .height = 25, .bpp = 16, .type = 2};
    fake_reset();
    assert_int_equal(screen_init(&bi), SCREEN_EGA); /* the loader says so */
}

/* The font is Debian's, taken as it lies there: these glyphs say by their shape which they are. Rows with
 * ink, the first of them, and what is inked in each. */
static void test_font(void **state)
{
    static const struct {
        char c;
        unsigned inked, first;
        uint8_t row;
    } want[] = {{' ', 0, 0, 0}, {'-', 1, 9, 0x7e}, {'=', 2, 7, 0x7e}, {'_', 1, 14, 0x7f}, {'|', 14, 2, 0x08}};
    (void)state;
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
static void test_picture(void **state)
{
    static const struct {
        unsigned width, bpp;
        const uint8_t *channel;
        uint32_t ink;
    } screens[] = {{640, 32, rgb888, 0xd0d0d0},
                   {1366, 24, rgb888, 0xd0d0d0},
                   {1283, 16, rgb565, 25u << 11 | 51u << 5 | 25u},
                   {5000, 32, rgb888, 0xd0d0d0}};
    static uint8_t dots[GRAPHICS_WIDTH_MAX / 8];
    const char *why;
    struct graphics g;
    (void)state;
    for (unsigned i = 0; i < sizeof dots; i++) dots[i] = (uint8_t)(i * 37 + i / 8);
    for (unsigned i = 0; i < sizeof screens / sizeof *screens; i++) {
        display(screens[i].width, 100, screens[i].bpp, screens[i].channel);
        assert_int_equal(screen_init(&bi), SCREEN_FRAMEBUFFER);
        assert_true(graphics_found(&why));
        assert_true(graphics_open(&g, &why));
        assert_int_equal(g.width, screens[i].width < 4096 ? screens[i].width : 4096);
        assert_int_equal(g.height, 100);
        g.line(0, dots);
        g.line(99, dots);
        for (unsigned x = 0; x < screens[i].width; x++) {
            const bool white = x < 4096 && dots[x / 8] & 0x80 >> x % 8;
            assert_int_equal(pixel(x, 0), white ? screens[i].ink : 0);
            assert_int_equal(pixel(x, 99), white ? screens[i].ink : 0);
            assert_int_equal(pixel(x, 50), 0); /* what was rubbish before is black */
        }
        for (unsigned x = 0; x < GUARD; x++) assert_int_equal(memory[bi.fb.pitch - GUARD + x], 0xa5);
    }
    fake_reset(); /* no screen, and so no picture */
    bi = (struct bootinfo){.efi = true};
    assert_int_equal(screen_init(&bi), SCREEN_NONE);
    assert_false(graphics_found(&why));
    assert_string_equal(why, "no screen: UEFI gave the loader no framebuffer");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scroll),   cmocka_unit_test(test_cleared), cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_channels), cmocka_unit_test(test_wraps),   cmocka_unit_test(test_jump),
        cmocka_unit_test(test_limits),   cmocka_unit_test(test_refused), cmocka_unit_test(test_text),
        cmocka_unit_test(test_font),     cmocka_unit_test(test_picture)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
