/* The monitor's line editor and its terminal: keys to a line, bytes to keys, a line to what draws it. */
#include "monitor/terminal.h"
#include "tests/unit/unit.h"
#include <stdio.h>
#include <string.h>

static struct editor e;
static struct terminal_input in;

static int press(const void *state, int key)
{
    (void)state;
    return (int)editor_key(&e, key);
}

/* Bytes as they come over a line. Returns the last answer. */
static int type(const char *bytes)
{
    int answer = EDITOR_MORE;
    for (; *bytes; bytes++) {
        const int key = terminal_key(&in, (unsigned char)*bytes);
        if (key != KEY_NONE) answer = (int)editor_key(&e, key);
    }
    return answer;
}

static int begin(void **state)
{
    (void)state;
    in = (struct terminal_input){0};
    editor_begin(&e);
    return 0;
}

TEST_WITH(edits, begin, NULL)
{
    static const struct {
        const char *bytes, *line;
        unsigned at;
    } rows[] = {
        {"run", "run", 3},
        {"run\x01x", "xrun", 1},               /* Ctrl-A */
        {"run\x01\x05x", "runx", 4},           /* Ctrl-E */
        {"abc\033[D\033[Dx", "axbc", 2},       /* left */
        {"abc\033OD\033ODx", "axbc", 2},       /* as VT100's application keys */
        {"abc\033[D\033[D\033[Cx", "abxc", 3}, /* right */
        {"abc\033[C\033[Cx", "abcx", 4},       /* not beyond the end */
        {"abc\033[H\033[Dx", "xabc", 1},       /* not before the beginning */
        {"abc\033[1~x\033[4~y", "xabcy", 5},   /* Home, End */
        {"abc\033[Hx\033[Fy", "xabcy", 5},
        {"abc\x7f\x08", "a", 1}, /* rubout, backspace */
        {"\x7f\x08", "", 0},
        {"abc\033[D\033[3~", "ab", 2}, /* Delete */
        {"abc\033[3~", "abc", 3},
        {"one two\033[D\033[D\x0b", "one t", 5}, /* Ctrl-K */
        {"one two\033[D\033[D\x15", "wo", 0},    /* Ctrl-U */
        {"one two  \x17", "one ", 4},            /* Ctrl-W: the blanks behind it, too */
        {"one two\x17\x17\x17", "", 0},
        {"one two\033[D\x17", "one o", 4},
        {"a\tb", "a b", 3},
        {"a\x1b\x1bx", "a", 1},                  /* an escape in a sequence begins another */
        {"a\033[99999999999999999999b", "a", 1}, /* a number of no key */
        {"a\033[5~b", "ab", 2},                  /* page up: nothing */
        {"a\x80\xff\x1fz", "az", 2},             /* no ASCII */
        {"a\033[\x01x", "xa", 1},                /* a control character ends a sequence, and is obeyed */
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        begin(NULL);
        type(rows[i].bytes);
        if (strcmp(e.line, rows[i].line) || e.at != rows[i].at)
            print_message("row %u: \"%s\" %u\n", i, e.line, e.at);
        assert_string_equal(e.line, rows[i].line);
        assert_int_equal(e.at, rows[i].at);
        assert_int_equal(e.n, strlen(rows[i].line));
    }
}

TEST_WITH(ends, begin, NULL)
{
    assert_int_equal(type("a\r"), EDITOR_ENTERED);
    assert_string_equal(e.line, "a");
    editor_line(&e);
    assert_int_equal(terminal_key(&in, '\n'), KEY_NONE); /* of CR LF */
    assert_int_equal(type("\n"), EDITOR_ENTERED);        /* but not of LF LF */
    assert_int_equal(type("\r\r"), EDITOR_ENTERED);
    assert_int_equal(type("x\x03"), EDITOR_CANCELLED);
    assert_int_equal(type("\x0c"), EDITOR_REDRAW);
    assert_string_equal(e.line, "x");
}

TEST_WITH(history, begin, NULL)
{
    type("\033[A\033[B");
    assert_string_equal(e.line, "");
    for (unsigned i = 0; i < 3 * EDITOR_HISTORY; i++) {
        char line[16];
        snprintf(line, sizeof line, "line %u\r", i);
        type(line);
        editor_line(&e);
        type(line); /* the same again is kept once */
        editor_line(&e);
        type("\r"); /* and no empty one */
        editor_line(&e);
    }
    type("new");
    for (unsigned i = 1; i <= EDITOR_HISTORY; i++) {
        char line[16];
        type("\033[A");
        snprintf(line, sizeof line, "line %u", 3 * EDITOR_HISTORY - i);
        assert_string_equal(e.line, line);
        assert_int_equal(e.at, e.n);
    }
    type("\033[A"); /* there is no older one */
    assert_string_equal(e.line, "line 32");
    type("\x10"); /* Ctrl-P */
    assert_string_equal(e.line, "line 32");
    for (unsigned i = 0; i < EDITOR_HISTORY; i++) type("\x0e"); /* Ctrl-N */
    assert_string_equal(e.line, "new");
    type("\033[B");
    assert_string_equal(e.line, "new");
    type("\033[A!\r"); /* one from the history is edited and entered: it is the newest */
    assert_string_equal(e.line, "line 47!");
    editor_line(&e);
    type("\033[A\033[A");
    assert_string_equal(e.line, "line 47");
}

TEST_WITH(too_long, begin, NULL)
{
    for (unsigned i = 0; i < EDITOR_LINE - 1; i++) type("x");
    assert_false(e.too_long);
    type("y");
    assert_true(e.too_long);
    assert_int_equal(e.n, EDITOR_LINE - 1);
    assert_int_equal(strlen(e.line), EDITOR_LINE - 1);
    assert_int_equal(type("\r"), EDITOR_ENTERED);
    editor_line(&e);
    assert_false(e.too_long);
    type("\033[A"); /* it was not kept */
    assert_string_equal(e.line, "");
}

TEST_WITH(damaged, begin, NULL)
{
    assert_int_equal(terminal_key(&in, -2), KEY_DAMAGED);
    press(NULL, KEY_DAMAGED);
    assert_true(e.damaged);
    type("ab\x03\r");
    assert_true(e.damaged);
    editor_line(&e);
    assert_false(e.damaged);
}

/* ---- drawing ---- */

/* A terminal of 80 columns that understands what is sent; more than its row is an error. */
static char row[81];
static unsigned column;
static void terminal(const char *out, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        if (out[i] == '\r') {
            column = 0;
        } else if (out[i] == 27) {
            assert_int_equal(out[i + 1], '[');
            if (out[i + 2] == 'K') {
                memset(row + column, ' ', 80 - column);
                i += 2;
            } else {
                unsigned by, length;
                assert_int_equal(sscanf(out + i, "\033[%uC%n", &by, (int *)&length), 1);
                column += by;
                i += length - 1;
            }
        } else {
            assert_in_range(column, 0, 78);
            row[column++] = out[i];
        }
    }
}

static struct terminal_view shown;
static unsigned draw(void)
{
    struct terminal_view v;
    char out[TERMINAL_BYTES] = "", want[81];
    terminal_view(&e, "p> ", &v);
    const unsigned n = terminal_draw(&shown, &v, out);
    assert_in_range(n, 0, TERMINAL_BYTES - 1);
    terminal(out, n);
    snprintf(want, sizeof want, "%-80s", v.text);
    assert_string_equal(row, want);
    assert_int_equal(column, v.cursor);
    shown = v;
    return n;
}

TEST_WITH(draws, begin, NULL)
{
    char out[TERMINAL_BYTES] = "";
    memset(row, '?', 80);
    column = 7;
    terminal_view(&e, "p> ", &shown);
    terminal(out, terminal_draw(NULL, &shown, out));
    assert_int_equal(column, 3);
    assert_int_equal(draw(), 0);
    type("abc");
    assert_int_equal(draw(), 3); /* what is added at the end, and no more */
    type("\x7f");
    assert_true(draw() > 3);
    type("\x01x");
    draw();
    assert_string_equal(shown.text, "p> xab");
    assert_int_equal(shown.cursor, 4);
    type("\x05");
    for (unsigned i = 0; i < 300; i++) {
        type(i % 10 ? "." : "#");
        draw();
    }
    assert_int_equal(shown.text[3], '<');
    for (unsigned i = 0; i < 310; i++) {
        type("\033[D");
        draw();
    }
    assert_int_equal(shown.cursor, 3);
    assert_int_equal(shown.text[TERMINAL_COLUMNS - 1], '>');
    for (unsigned i = 0; i < 310; i++) {
        type("\033[C");
        draw();
    }
}
