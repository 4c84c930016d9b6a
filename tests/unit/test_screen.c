/* The screen: what a picture shows after scrolling, and machines without one. */
#include "kernel/screen.h"
#include "tests/unit/fake_display.h"
#include "tests/unit/unit.h"
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

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
        display_row(r, cols, ink, seen);
        if (!seen[0]) {
            for (unsigned later = r; later < rows; later++) {
                display_row(later, cols, ink, seen);
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
        {1280, 800, 32, 160, 50, display_rgb888, 0xd0d0d0},
        {800, 600, 24, 100, 37, display_rgb888, 0xd0d0d0},
        {1024, 768, 16, 128, 48, display_rgb565, 0xce79},
        {1920, 1080, 32, 160, 67, display_rgb101010, 834u * 0x100401},
        {800, 40, 32, 100, 2, display_rgb888, 0xd0d0d0},
    };
    for (unsigned i = 0; i < sizeof screens / sizeof screens[0]; i++) {
        display(screens[i].width, screens[i].height, screens[i].bpp, screens[i].channel);
        assert_int_equal(screen_init(&display_info), SCREEN_FRAMEBUFFER);
        for (unsigned lines = 1, printed = 0; printed < 3 * screens[i].rows; lines = lines * 2 + 1) {
            screen_init(&display_info);
            print(lines);
            printed = lines;
            const unsigned room = screens[i].rows - 1;
            const unsigned least = room * 3 / 4;
            expect_last_lines(lines, lines < least ? lines : least, screens[i].rows, screens[i].cols,
                              screens[i].ink);
        }
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
        display(screens[i].width, 160, 32, display_rgb888);
        assert_int_equal(screen_init(&display_info), SCREEN_FRAMEBUFFER);
        for (unsigned c = 0; c < 2 * cols + 3; c++) line[c] = (char)('!' + c % 94);
        line[2 * cols + 3] = '\0';
        screen_write(line);
        screen_write("\n");
        for (unsigned row = 0; row < 3; row++) {
            display_row(row, cols, DISPLAY_INK, seen);
            assert_int_equal(strlen(seen), row < 2 ? cols : 3);
            assert_memory_equal(seen, line + row * cols, strlen(seen));
        }
        screen_write("\x7f\xe4~\t ");
        display_row(3, cols, DISPLAY_INK, seen);
        assert_string_equal(seen, "??~?"); /* what is not ASCII's */
        for (unsigned x = cols * 8; x < screens[i].width; x++)
            for (unsigned y = 0; y < 160; y++) assert_int_equal(display_pixel(x, y), 0);
    }
}

/* What is drawn in place: rows anywhere, and text goes on at the top after the screen is cleared. */
static void test_rows_in_place(void **state)
{
    char seen[200], wide[200];
    (void)state;
    display(640, 400, 32, display_rgb888);
    assert_int_equal(screen_init(&display_info), SCREEN_FRAMEBUFFER);
    print(40);
    screen_put_row(3, "drawn");
    display_row(3, 80, DISPLAY_INK, seen);
    assert_string_equal(seen, "drawn"); /* and nothing of what was there */
    memset(wide, 'x', sizeof wide - 1);
    wide[sizeof wide - 1] = '\0';
    screen_put_row(4, wide);
    display_row(4, 80, DISPLAY_INK, seen);
    assert_int_equal(strlen(seen), 80);
    screen_put_row(1000, "nowhere");
    screen_clear();
    for (unsigned row = 0; row < 25; row++) {
        display_row(row, 80, DISPLAY_INK, seen);
        assert_string_equal(seen, "");
    }
    screen_write("goes on\n");
    display_row(0, 80, DISPLAY_INK, seen);
    assert_string_equal(seen, "goes on");
    screen_off();
    screen_put_row(0, "nobody sees this");
    screen_clear();
    display_row(0, 80, DISPLAY_INK, seen);
    assert_string_equal(seen, "goes on");
}

/* The line that is edited: its cursor is between two characters, or after the last one. */
static void test_edited_row(void **state)
{
    static const struct {
        const char *text;
        unsigned cursor;
        const char *seen;
    } rows[] = {
        {"", 0, "_"},       {"", 200, "_"},     {"abc", 0, "|abc"},   {"abc", 1, "a|bc"},
        {"abc", 2, "ab|c"}, {"abc", 3, "abc_"}, {"abc", 200, "abc_"}, {"a b", 1, "a| b"},
    };
    char seen[200], wide[200];
    (void)state;
    display(640, 400, 32, display_rgb888);
    assert_int_equal(screen_init(&display_info), SCREEN_FRAMEBUFFER);
    screen_write("above\n");
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        screen_row("an older line", 7);
        screen_row(rows[i].text, rows[i].cursor);
        display_row(1, 80, DISPLAY_INK, seen);
        assert_string_equal(seen, rows[i].seen);
    }
    memset(wide, 'x', sizeof wide - 1);
    wide[sizeof wide - 1] = '\0';
    for (unsigned cursor = 0; cursor < 100; cursor++) { /* 80 columns: of the text 79, and the cursor */
        screen_row(wide, cursor);
        display_row(1, 80, DISPLAY_INK, seen);
        assert_int_equal(strlen(seen), 80);
        for (unsigned c = 0; c < 80; c++)
            assert_int_equal(seen[c], c != cursor && (c < 79 || cursor < 79) ? 'x' : c < 79 ? '|' : '_');
    }
    display_row(0, 80, DISPLAY_INK, seen);
    assert_string_equal(seen, "above");
    display_row(2, 80, DISPLAY_INK, seen);
    assert_string_equal(seen, "");
    screen_off();
    screen_row("nobody sees this", 0);
}

static void test_refused(void **state)
{
    (void)state;
    display(640, 400, 32, display_rgb888);
    display_info.fb.type = 0; /* indexed */
    assert_int_equal(screen_init(&display_info), SCREEN_NONE);
    assert_non_null(screen_trouble());
    display(640, 400, 8, display_rgb888);
    assert_int_equal(screen_init(&display_info), SCREEN_NONE);
    display(640, 400, 32, display_rgb888);
    display_info.fb.addr = 0x100000000; /* cannot be mapped here */
    assert_int_equal(screen_init(&display_info), SCREEN_NONE);
    assert_string_equal(screen_name(), "none");
    screen_write("nobody sees this\n");
    display(640, 400, 32, display_rgb888);
    assert_int_equal(screen_init(&display_info), SCREEN_FRAMEBUFFER);
    assert_null(screen_trouble());
    assert_string_equal(screen_name(), "framebuffer 640x400x32");
}

static volatile uint16_t *const vram = (uint16_t *)0xb8000;

/* At B8000h there is memory on many machines that show none of it. */
static void test_text(void **state)
{
    (void)state;
    static const uint16_t colour = 0x3d4, mono = 0x3b4, none = 0;
    fake_reset();
    fake_memory(0x463, &colour, sizeof colour);
    display_info = (struct bootinfo){.protocol = 1};
    assert_int_equal(screen_init(&display_info), SCREEN_EGA);
    screen_write("Hi\n");
    assert_int_equal(vram[0], 0x0700 | 'H');
    for (unsigned i = 0; i < 300; i++) screen_write("\n"); /* round the display's memory */
    screen_write("end");

    display_info.efi = true; /* UEFI, and the loader gave no framebuffer */
    assert_int_equal(screen_init(&display_info), SCREEN_NONE);
    assert_non_null(strstr(screen_trouble(), "UEFI"));
    assert_string_equal(screen_name(), "none");

    static const uint16_t *const others[] = {&mono, &none};
    for (unsigned i = 0; i < 2; i++) { /* no BIOS has set up a colour adapter */
        fake_reset();
        fake_memory(0x463, others[i], sizeof *others[i]);
        display_info = (struct bootinfo){.protocol = 1};
        assert_int_equal(screen_init(&display_info), SCREEN_NONE);
        assert_non_null(screen_trouble());
    }
    display_info.fb =
        (struct boot_fb){.addr = 0xb8000, .pitch = 160, .width = 80, .height = 25, .bpp = 16, .type = 2};
    fake_reset();
    assert_int_equal(screen_init(&display_info), SCREEN_EGA); /* the loader says so */
}

/* ---- pages of what is kept ---- */

static void expect_page(unsigned rows, unsigned first, unsigned count, const char *status)
{
    char seen[200], wanted[200];
    for (unsigned r = 0; r + 1 < rows; r++) {
        display_row(r, 100, DISPLAY_INK, seen);
        wanted[0] = '\0';
        if (first + r < count) text_line(first + r, wanted, sizeof wanted);
        assert_string_equal(seen, wanted);
    }
    display_row(rows - 1, 100, DISPLAY_INK, seen);
    assert_string_equal(seen, status);
}

static void test_pages(void **state)
{
    static char memory[32 * 1024];
    char seen[200], wide[300];
    (void)state;
    display(800, 160, 32, display_rgb888); /* 10 rows of 100 */
    screen_init(&display_info);
    screen_write("before it is kept\n");
    screen_keep(memory, sizeof memory);
    assert_int_equal(screen_kept_rows(), 0);
    print(100);
    assert_int_equal(screen_kept_rows(), 100);
    assert_int_equal(screen_page_rows(), 9);
    screen_page(0, "the first");
    expect_page(10, 0, 100, "the first");
    screen_page(50, "");
    expect_page(10, 50, 100, "");
    screen_page(95, "behind the end");
    expect_page(10, 95, 100, "behind the end");
    memset(wide, 'w', sizeof wide - 1);
    wide[sizeof wide - 1] = '\0';
    screen_page(91, wide);
    display_row(9, 100, DISPLAY_INK, seen);
    assert_int_equal(strspn(seen, "w"), 100);
    for (unsigned y = 0; y < 160; y++)
        for (unsigned b = 0; b < DISPLAY_GUARD; b++)
            assert_int_equal(display_memory[y * display_info.fb.pitch + 800 * 4 + b], DISPLAY_JUNK);
    memset(memory, '\xb0', sizeof memory / 2); /* overwritten: no glyph is looked for outside of the font */
    screen_page(0, "");
    display_row(0, 100, DISPLAY_INK, seen);
    assert_int_equal(strspn(seen, "?"), 100);
    screen_keep(memory, 0);
    screen_write("not kept\n");
    assert_int_equal(screen_kept_rows(), 0);
}

/* In text mode too, wherever in display memory the screen is by then. */
static void test_text_pages(void **state)
{
    static char memory[4096];
    static const uint16_t colour = 0x3d4;
    char line[20];
    (void)state;
    fake_reset();
    fake_memory(0x463, &colour, sizeof colour);
    display_info = (struct bootinfo){.protocol = 1};
    assert_int_equal(screen_init(&display_info), SCREEN_EGA);
    screen_keep(memory, sizeof memory);
    for (unsigned i = 0; i < 60; i++) {
        snprintf(line, sizeof line, "row %u\n", i);
        screen_write(line);
    }
    assert_int_equal(screen_page_rows(), 24);
    screen_page(7, "keys");
    const volatile uint16_t *page = vram + (60 - 24) * 80; /* it has scrolled so far */
    for (unsigned r = 0; r < 25; r++) {
        snprintf(line, sizeof line, r == 24 ? "keys" : "row %u", r + 7);
        for (unsigned c = 0; c < 80; c++)
            assert_int_equal(page[r * 80 + c], 0x0700 | (c < strlen(line) ? line[c] : ' '));
    }
}

/* screen=off: not a byte, not a port. */
static void test_off(void **state)
{
    (void)state;
    display(640, 400, 32, display_rgb888);
    screen_init(&display_info);
    screen_off();
    fake_reset();
    fake_display(DISPLAY_BASE, display_memory, display_bytes);
    assert_int_equal(screen_in_use(), SCREEN_NONE);
    assert_string_equal(screen_trouble(), "no screen: screen=off");
    screen_write("nobody sees this\n");
    screen_page(0, "nor this");
    assert_int_equal(screen_kept_rows(), 0);
    assert_int_equal(fake_display_written(), 0);
    assert_int_equal(fake_accesses(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_off),        cmocka_unit_test(test_scroll),
        cmocka_unit_test(test_wraps),      cmocka_unit_test(test_rows_in_place),
        cmocka_unit_test(test_edited_row), cmocka_unit_test(test_refused),
        cmocka_unit_test(test_text),       cmocka_unit_test(test_pages),
        cmocka_unit_test(test_text_pages)};
    if (mmap((void *)0xb8000, 0x8000, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) != vram)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
