/* Text that is kept: its rows at several widths, against what a screen shows of it, and what was overwritten.
 */
#include "kernel/scrollback.h"
#include "tests/unit/unit.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROWS 4096
#define COLS 160

static struct scrollback kept;

/* The rows as kernel/screen.c's screen_write() puts them down. */
static char screen[ROWS][COLS + 1];
static unsigned rows;

static void write_down(const char *text, unsigned cols)
{
    unsigned col = 0;
    memset(screen, 0, sizeof screen);
    rows = 0;
    for (; *text; text++) {
        if (*text == '\n') {
            col = 0;
            rows++;
            continue;
        }
        if (col == cols) {
            col = 0;
            rows++;
        }
        screen[rows][col++] = (char)(*text >= ' ' && *text <= '~' ? *text : '?');
    }
    rows += col > 0;
}

static void expect(unsigned cols)
{
    char row[COLS + 1];
    size_t at = 0;
    assert_int_equal(scrollback_rows(&kept, cols), rows);
    for (unsigned r = 0; r < rows; r++) {
        assert_int_equal(scrollback_find(&kept, cols, r), at);
        memset(row, 1, sizeof row);
        at = scrollback_row(&kept, cols, at, row);
        assert_int_equal(row[cols], 1);
        for (unsigned c = strlen(screen[r]); c < cols; c++) screen[r][c] = ' ';
        assert_memory_equal(row, screen[r], cols);
    }
    for (unsigned i = 0; i < 2; i++) { /* the end stays the end */
        assert_int_equal(scrollback_row(&kept, cols, at, row), at);
        for (unsigned c = 0; c < cols; c++) assert_int_equal(row[c], ' ');
        assert_int_equal(scrollback_find(&kept, cols, rows + i), at);
    }
}

TEST(same_as_screen)
{
    static char memory[8192], text[8192];
    static const unsigned widths[] = {1, 7, 80, 160};
    srand(1);
    for (unsigned run = 0; run < 40; run++) {
        const unsigned n = run < 4 ? run : (unsigned)rand() % 4000, often = 1 + (unsigned)rand() % 200;
        for (unsigned i = 0; i < n; i++) text[i] = (char)(rand() % often ? rand() % 255 + 1 : '\n');
        text[n] = '\0';
        scrollback_begin(&kept, memory, n + 1);
        scrollback_add(&kept, text);
        assert_false(kept.full);
        for (unsigned w = 0; w < 4; w++) {
            write_down(text, widths[w]);
            expect(widths[w]);
        }
    }
}

/* A line that fills its rows has no empty one behind it. */
TEST(full_rows)
{
    static char memory[100];
    scrollback_begin(&kept, memory, sizeof memory);
    scrollback_add(&kept, "0123456789\n01234567890\n\n9");
    assert_int_equal(scrollback_rows(&kept, 10), 5);
    scrollback_add(&kept, "!\n");
    assert_int_equal(scrollback_rows(&kept, 10), 5);
    assert_int_equal(scrollback_rows(&kept, 5), 2 + 3 + 1 + 1);
}

static void row_is(unsigned cols, unsigned row, const char *want)
{
    char seen[COLS + 1];
    const size_t n = strlen(want);
    scrollback_row(&kept, cols, scrollback_find(&kept, cols, row), seen);
    assert_memory_equal(seen, want, n);
    for (size_t c = n; c < cols; c++) assert_int_equal(seen[c], ' ');
}

/* The ring is full to the last character, at every place where a line may begin in it. */
TEST(dropped)
{
    static char memory[104]; /* four are a guard */
    char line[32];
    for (unsigned lines = 1; lines < 60; lines++) {
        memset(memory, '#', sizeof memory);
        scrollback_begin(&kept, memory, 100);
        unsigned total = 0;
        for (unsigned i = 0; i < lines; i++) {
            total += (unsigned)sprintf(line, "the line %u\n", i);
            scrollback_add(&kept, line);
        }
        assert_memory_equal(memory + 100, "####", 4);
        assert_int_equal(kept.full, total > 100);
        row_is(40, scrollback_rows(&kept, 40) - 1, strtok(line, "\n"));
        if (!kept.full) {
            assert_int_equal(scrollback_rows(&kept, 40), lines);
            continue;
        }
        row_is(40, 0, "(earlier text was dropped)");
        const unsigned whole = scrollback_rows(&kept, 40) - 1;
        assert_in_range(whole, 7, 9); /* of 11 and 12 characters, but for the one that is no longer whole */
        for (unsigned i = 0; i < whole; i++) {
            sprintf(line, "the line %u", lines - whole + i);
            row_is(40, 1 + i, line);
        }
    }
    row_is(8, 0, "(earlier"); /* cut off, not wrapped */
}

/* One line longer than the ring; nothing is kept; a byte. */
TEST(limits)
{
    static char memory[64];
    char row[COLS];
    scrollback_begin(&kept, memory, sizeof memory);
    for (unsigned i = 0; i < sizeof memory; i++) scrollback_add(&kept, "x");
    assert_int_equal(scrollback_rows(&kept, 10), 7); /* full, and nothing dropped */
    row_is(10, 0, "xxxxxxxxxx");
    for (unsigned i = 0; i < 1000; i++) scrollback_add(&kept, "x");
    assert_int_equal(scrollback_rows(&kept, 10), 1 + 7);
    row_is(10, 1, "xxxxxxxxxx");
    row_is(10, 7, "xxx");
    scrollback_begin(&kept, memory, 1);
    scrollback_add(&kept, "ab\n");
    assert_int_equal(scrollback_rows(&kept, 10), 1); /* that says so */
    row_is(10, 0, "(earlier t");
    kept = (struct scrollback){0};
    scrollback_add(&kept, "lost");
    assert_int_equal(scrollback_rows(&kept, 10), 0);
    assert_int_equal(scrollback_row(&kept, 10, 0, row), 0);
}
