/* Scan codes to what was typed. */
#include "kernel/keyboard.h"
#include "kernel/keymap.h"
#include "tests/unit/unit.h"
#include <string.h>

static struct keymap map;

static int code(unsigned byte) { return keymap_byte(&map, (uint8_t)byte); }

TEST(characters)
{
    /* The rows of a US keyboard, from the left, by their first code. */
    static const struct {
        unsigned first;
        const char *plain, *shifted;
    } rows[] = {{0x02, "1234567890-=", "!@#$%^&*()_+"},
                {0x10, "qwertyuiop[]", "QWERTYUIOP{}"},
                {0x1e, "asdfghjkl;'`", "ASDFGHJKL:\"~"},
                {0x2b, "\\zxcvbnm,./", "|ZXCVBNM<>?"},
                {0x39, " ", " "}};
    for (unsigned r = 0; r < sizeof rows / sizeof *rows; r++)
        for (unsigned i = 0; rows[r].plain[i]; i++) {
            const unsigned key = rows[r].first + i;
            map = (struct keymap){0};
            assert_int_equal(code(key), rows[r].plain[i]);
            assert_int_equal(code(key), rows[r].plain[i]); /* it repeats */
            assert_int_equal(code(key | 0x80), KEYBOARD_NONE);
            assert_int_equal(code(r & 1 ? 0x2a : 0x36), KEYBOARD_NONE);
            assert_int_equal(code(key), rows[r].shifted[i]);
            assert_int_equal(code(r & 1 ? 0xaa : 0xb6), KEYBOARD_NONE);
            assert_int_equal(code(key), rows[r].plain[i]);
            code(0x3a); /* Caps Lock turns letters only, and Shift turns them back */
            code(0xba);
            const char c = rows[r].plain[i];
            const int letter = c >= 'a' && c <= 'z';
            assert_int_equal(code(key), letter ? rows[r].shifted[i] : c);
            code(0x2a);
            assert_int_equal(code(key), letter ? c : rows[r].shifted[i]);
        }
}

/* The keys without characters: the same codes with the prefix, and without it on the numeric pad. */
TEST(pad)
{
    static const struct {
        unsigned byte;
        int key;
    } keys[] = {{0x47, KEYBOARD_HOME},      {0x48, KEYBOARD_UP},   {0x49, KEYBOARD_PAGE_UP},
                {0x4b, KEYBOARD_LEFT},      {0x4c, KEYBOARD_NONE}, {0x4d, KEYBOARD_RIGHT},
                {0x4e, KEYBOARD_NONE},      {0x4f, KEYBOARD_END},  {0x50, KEYBOARD_DOWN},
                {0x51, KEYBOARD_PAGE_DOWN}, {0x52, KEYBOARD_NONE}, {0x53, KEYMAP_DELETE},
                {0x54, KEYBOARD_NONE}};
    map = (struct keymap){0};
    for (unsigned i = 0; i < sizeof keys / sizeof *keys; i++) {
        assert_int_equal(code(keys[i].byte), keys[i].key);
        code(0xe0);
        assert_int_equal(code(keys[i].byte), keys[i].key);
    }
}

TEST(others)
{
    map = (struct keymap){0};
    assert_int_equal(code(0x1c), '\r');
    assert_int_equal(code(0xe0), KEYBOARD_NONE);
    assert_int_equal(code(0x1c), '\r');
    assert_int_equal(code(0x0e), '\b');
    assert_int_equal(code(0x0f), '\t');
    assert_int_equal(code(0x01), 27);
    code(0x1d);
    assert_int_equal(code(0x2e), 3); /* Ctrl-C */
    assert_int_equal(code(0x16), 21);
    assert_int_equal(code(0x02), KEYBOARD_NONE);
    code(0x9d);
    assert_int_equal(code(0x2e), 'c');
    code(0xe0), code(0x1d); /* the right one */
    assert_int_equal(code(0x1e), 1);
    code(0xe0), code(0x9d);
    assert_int_equal(code(0x1e), 'a');
    code(0xe0), code(0x2a); /* a Shift that is part of another key's codes */
    code(0xe0);
    assert_int_equal(code(0x48), KEYBOARD_UP);
    code(0xe0);
    assert_int_equal(code(0xc8), KEYBOARD_NONE);
    assert_int_equal(code(0x1e), 'a');
    assert_int_equal(code(0x53), KEYMAP_DELETE);
    code(0xe1), code(0x1d), code(0x45); /* Pause is no Ctrl */
    assert_int_equal(code(0x1e), 'a');
    assert_int_equal(code(0x3b), KEYBOARD_NONE); /* F1 */
    assert_int_equal(code(0x38), KEYBOARD_NONE); /* Alt */
    code(0xe0);
    assert_int_equal(code(0x35), '/');
    code(0xe0);
    assert_int_equal(code(0x1e), KEYBOARD_NONE);
    for (unsigned i = 0; i < 256; i++)
        for (unsigned k = 0; k < 256; k++) code(i), code(k);
}
