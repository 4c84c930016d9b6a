/* The keyboard behind an 8042: keys that are pressed, held and stuck, and controllers that do not answer. */
#include "kernel/keyboard.h"
#include "tests/unit/fake_hw.h"
#include "tests/unit/unit.h"
#include <string.h>

static struct {
    enum { WORKS, NO_KEYBOARD, ALWAYS_FULL, NEVER_TAKES, ENDLESS, NO_ANSWER } how;
    uint8_t queue[256];
    bool mouse[256];
    unsigned first, n;
    uint8_t byte; /* the controller's command byte */
    bool byte_comes, enabled, scans;
} kbc;

static void type(uint8_t byte) { kbc.queue[kbc.n++] = byte; }

static uint32_t status(void *ctx, uint16_t offset, unsigned width)
{
    (void)ctx, (void)offset, (void)width;
    if (kbc.how == NEVER_TAKES) return 0x02;
    if (kbc.how == ALWAYS_FULL || kbc.how == ENDLESS) return 0x01;
    return kbc.first < kbc.n ? 0x01 | (kbc.mouse[kbc.first] ? 0x20 : 0) : 0;
}

static uint32_t data_in(void *ctx, uint16_t offset, unsigned width)
{
    (void)ctx, (void)offset, (void)width;
    if (kbc.how == ENDLESS) return 0x1c;
    return kbc.first < kbc.n ? kbc.queue[kbc.first++] : 0;
}

static void command(void *ctx, uint16_t offset, uint32_t value, unsigned width)
{
    (void)ctx, (void)offset, (void)width;
    if (kbc.how == NO_ANSWER) return;
    if (value == 0xae) kbc.enabled = true;
    if (value == 0x20) type(kbc.byte);
    kbc.byte_comes = value == 0x60;
}

static void data_out(void *ctx, uint16_t offset, uint32_t value, unsigned width)
{
    (void)ctx, (void)offset, (void)width;
    if (kbc.byte_comes) {
        kbc.byte = (uint8_t)value;
        kbc.byte_comes = false;
    } else if (value == 0xf4 && kbc.how == WORKS) {
        kbc.scans = true;
        type(0xfa);
    }
}

static enum keyboard_state begin(int how)
{
    static const struct fake_device data = {0x60, 1, data_in, data_out, NULL},
                                    control = {0x64, 1, status, command, NULL};
    memset(&kbc, 0, sizeof kbc);
    kbc.how = how;
    kbc.byte = 0x33; /* interrupts on, clock held, no translation */
    fake_reset();
    fake_port(&data);
    fake_port(&control);
    if (how == WORKS) type(0x1c), type(0xe0), type(0x1d); /* left over */
    return keyboard_init();
}

static void press(uint8_t code)
{
    type(code);
    type(code | 0x80);
}

TEST(states)
{
    assert_int_equal(begin(WORKS), KEYBOARD_READY);
    assert_true(kbc.enabled && kbc.scans);
    assert_int_equal(kbc.byte, 0x60);
    assert_int_equal(keyboard_key(), KEYBOARD_NONE);
    assert_int_equal(begin(NO_KEYBOARD), KEYBOARD_SILENT);
    press(0x1c); /* it is there all the same */
    assert_int_equal(keyboard_key(), '\r');

    static const int bad[] = {ALWAYS_FULL, NEVER_TAKES, ENDLESS, NO_ANSWER};
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(begin(bad[i]), KEYBOARD_ABSENT);
        assert_in_range(fake_accesses(), 1, 100000); /* a tenth of a second */
        const unsigned before = fake_accesses();
        assert_int_equal(keyboard_key(), KEYBOARD_NONE);
        assert_int_equal(fake_accesses(), before);
    }
    fake_reset(); /* no controller: all is FFh */
    assert_int_equal(keyboard_init(), KEYBOARD_ABSENT);
    assert_int_equal(fake_accesses(), 1);
}

TEST(keys)
{
    static const struct {
        uint8_t bytes[6];
        int key;
    } rows[] = {
        {{0x1c, 0x9c}, '\r'},
        {{0xe0, 0x1c, 0xe0, 0x9c}, '\r'}, /* the other Enter */
        {{0x01, 0x81}, 27},
        {{0x39, 0xb9}, ' '},
        {{0x10, 0x90}, 'q'},
        {{0x31, 0xb1}, 'n'},
        {{0x19, 0x99}, 'p'},
        {{0xe0, 0x4b, 0xe0, 0xcb}, KEYBOARD_LEFT},
        {{0xe0, 0x4d, 0xe0, 0xcd}, KEYBOARD_RIGHT},
        {{0x4d, 0xcd}, KEYBOARD_RIGHT},
        {{0xe0, 0x47, 0xe0, 0xc7}, KEYBOARD_HOME},
        {{0xe0, 0x48, 0xe0, 0xc8}, KEYBOARD_UP},
        {{0xe0, 0x49, 0xe0, 0xc9}, KEYBOARD_PAGE_UP},
        {{0xe0, 0x4f, 0xe0, 0xcf}, KEYBOARD_END},
        {{0xe0, 0x50, 0xe0, 0xd0}, KEYBOARD_DOWN},
        {{0xe0, 0x51, 0xe0, 0xd1}, KEYBOARD_PAGE_DOWN},
        {{0x49, 0xc9}, KEYBOARD_PAGE_UP}, /* of the numeric pad */
        {{0x4a, 0xca}, KEYBOARD_NONE},    /* its minus */
        {{0x51, 0x51, 0x51, 0xd1}, KEYBOARD_PAGE_DOWN},
        {{0x3b, 0xbb}, KEYBOARD_NONE},                         /* F1 */
        {{0xe0, 0x39, 0xe0, 0xb9}, KEYBOARD_NONE},             /* no key of ours */
        {{0xe1, 0x1d, 0x45, 0xe1, 0x9d, 0xc5}, KEYBOARD_NONE}, /* Pause is not Ctrl */
        {{0x9c}, KEYBOARD_NONE},                               /* released, and never pressed */
        {{0x1c, 0x1c, 0x1c, 0x1c, 0x9c}, '\r'},                /* held */
        {{0x1c, 0x31, 0xb1, 0x31}, 'n'},                       /* Enter sticks */
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        begin(WORKS);
        for (unsigned k = 0; k < 6 && rows[i].bytes[k]; k++) type(rows[i].bytes[k]);
        assert_int_equal(keyboard_key(), rows[i].key);
        assert_int_equal(keyboard_key(), KEYBOARD_NONE);
    }
}

TEST(odd_bytes)
{
    begin(WORKS); /* a mouse's bytes are not keys */
    type(0x1c);
    type(0x9c);
    kbc.mouse[kbc.n - 1] = kbc.mouse[kbc.n - 2] = true;
    assert_int_equal(keyboard_key(), KEYBOARD_NONE);

    begin(WORKS); /* a key that repeats for ever is no key, and no endless loop */
    kbc.how = ENDLESS;
    for (unsigned i = 0; i < 1000; i++) assert_int_equal(keyboard_key(), KEYBOARD_NONE);
    assert_in_range(fake_accesses(), 1000, 50000);
    kbc.how = WORKS;
    press(0x31);
    assert_int_equal(keyboard_key(), 'n');
}

/* Each letter and digit, by the rows of a US keyboard from the left and their first code. */
TEST(letters_and_digits)
{
    static const struct {
        uint8_t first;
        const char *keys;
    } rows[] = {{0x02, "1234567890"}, {0x10, "qwertyuiop"}, {0x1e, "asdfghjkl"}, {0x2c, "zxcvbnm"}};
    for (unsigned r = 0; r < sizeof rows / sizeof *rows; r++)
        for (unsigned i = 0; rows[r].keys[i]; i++) {
            begin(WORKS);
            type((uint8_t)(rows[r].first + i));
            type((uint8_t)((rows[r].first + i) | 0x80)); /* released */
            assert_int_equal(keyboard_key(), rows[r].keys[i]);
        }
}
