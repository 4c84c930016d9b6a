/* The 8042 as in IBM's PS/2 Hardware Interface Technical Reference, "Keyboard and Auxiliary Device
 * Controller"; scan code set 1 as there, "Keyboard". */
#include "kernel/keyboard.h"
#include "kernel/hw.h"

#define KBC_DATA    0x60
#define KBC_STATUS  0x64 /* read */
#define KBC_COMMAND 0x64 /* written */

#define STATUS_OUTPUT 0x01 /* a byte waits to be read */
#define STATUS_INPUT  0x02 /* the controller has not yet taken what was written */
#define STATUS_AUX    0x20 /* the byte is the mouse's */
#define FLOATING      0xff /* of a port that nobody drives */

#define COMMAND_READ    0x20 /* the controller's command byte */
#define COMMAND_WRITE   0x60
#define COMMAND_ENABLE  0xae /* the keyboard's interface */
#define BYTE_INTERRUPTS 0x03
#define BYTE_DISABLED   0x10 /* the keyboard's clock is held */
#define BYTE_TRANSLATE  0x40 /* to set 1 */

#define KEYBOARD_ENABLE 0xf4 /* it begins to scan */
#define KEYBOARD_ACK    0xfa

#define PREFIX   0xe0
#define PREFIX_1 0xe1 /* Pause: two bytes follow */
#define RELEASED 0x80

/* An access takes about a microsecond: 20 ms, more than a keyboard needs to answer. */
#define POLLS       20000u
#define DRAIN_BYTES 64u /* what a controller may hold is 16 */
#define AT_ONCE     16u /* bytes that one question takes */

static bool present, prefixed;
static unsigned skip;
static bool down[2][RELEASED]; /* with and without the prefix */

static bool status_is(unsigned bit, bool set)
{
    for (unsigned i = 0; i < POLLS; i++)
        if (!(hw_inb(KBC_STATUS) & bit) == !set) return true;
    return false;
}

static bool command(uint8_t value)
{
    if (!status_is(STATUS_INPUT, false)) return false;
    hw_outb(KBC_COMMAND, value);
    return true;
}

static bool data(uint8_t value)
{
    if (!status_is(STATUS_INPUT, false)) return false;
    hw_outb(KBC_DATA, value);
    return true;
}

/* False: it never becomes empty. */
static bool drain(void)
{
    for (unsigned i = 0; i < DRAIN_BYTES; i++) {
        if (!(hw_inb(KBC_STATUS) & STATUS_OUTPUT)) return true;
        hw_inb(KBC_DATA);
    }
    return false;
}

/* False: no keyboard has said that it took the byte. */
static bool acknowledged(void)
{
    for (unsigned i = 0; i < AT_ONCE && status_is(STATUS_OUTPUT, true); i++)
        if (hw_inb(KBC_DATA) == KEYBOARD_ACK) return true;
    return false;
}

/* Set 1, without the prefix: by the code. 0: no key that is asked for. */
static const char codes[RELEASED] = {
    [0x01] = 27,   [0x02] = '1', [0x03] = '2', [0x04] = '3', [0x05] = '4', [0x06] = '5', [0x07] = '6',
    [0x08] = '7',  [0x09] = '8', [0x0a] = '9', [0x0b] = '0', [0x10] = 'q', [0x11] = 'w', [0x12] = 'e',
    [0x13] = 'r',  [0x14] = 't', [0x15] = 'y', [0x16] = 'u', [0x17] = 'i', [0x18] = 'o', [0x19] = 'p',
    [0x1c] = '\r', [0x1e] = 'a', [0x1f] = 's', [0x20] = 'd', [0x21] = 'f', [0x22] = 'g', [0x23] = 'h',
    [0x24] = 'j',  [0x25] = 'k', [0x26] = 'l', [0x2c] = 'z', [0x2d] = 'x', [0x2e] = 'c', [0x2f] = 'v',
    [0x30] = 'b',  [0x31] = 'n', [0x32] = 'm', [0x39] = ' ',
};

/* With the prefix, and without it on the numeric pad. */
static const uint16_t pad[RELEASED] = {
    [0x47] = KEYBOARD_HOME,  [0x48] = KEYBOARD_UP,  [0x49] = KEYBOARD_PAGE_UP, [0x4b] = KEYBOARD_LEFT,
    [0x4d] = KEYBOARD_RIGHT, [0x4f] = KEYBOARD_END, [0x50] = KEYBOARD_DOWN,    [0x51] = KEYBOARD_PAGE_DOWN,
};

#define CODE_ENTER 0x1c /* with the prefix, as without: the other Enter */

static int key_of(unsigned code, bool with_prefix)
{
    if (pad[code]) return pad[code];
    if (with_prefix && code != CODE_ENTER) return KEYBOARD_NONE;
    return codes[code] ? codes[code] : KEYBOARD_NONE;
}

static int byte_came(uint8_t byte)
{
    if (skip) {
        skip--;
        return KEYBOARD_NONE;
    }
    if (byte == PREFIX || byte == PREFIX_1) {
        prefixed = byte == PREFIX;
        skip = byte == PREFIX_1 ? 2 : 0;
        return KEYBOARD_NONE;
    }
    const bool with_prefix = prefixed;
    bool *held = &down[with_prefix][byte & ~RELEASED];
    const bool released = byte & RELEASED && *held;
    prefixed = false;
    *held = !(byte & RELEASED);
    return released ? key_of(byte & ~RELEASED, with_prefix) : KEYBOARD_NONE;
}

/* ---- public ---- */

enum keyboard_state keyboard_init(void)
{
    present = prefixed = false;
    skip = 0;
    for (unsigned i = 0; i < RELEASED; i++) down[0][i] = down[1][i] = false;
    if (hw_inb(KBC_STATUS) == FLOATING || !drain()) return KEYBOARD_ABSENT;
    if (!command(COMMAND_ENABLE) || !command(COMMAND_READ) || !status_is(STATUS_OUTPUT, true))
        return KEYBOARD_ABSENT;
    const unsigned now = hw_inb(KBC_DATA);
    if (!command(COMMAND_WRITE) ||
        !data((uint8_t)((now & ~(BYTE_INTERRUPTS | BYTE_DISABLED)) | BYTE_TRANSLATE)))
        return KEYBOARD_ABSENT;
    present = true;
    return data(KEYBOARD_ENABLE) && acknowledged() ? KEYBOARD_READY : KEYBOARD_SILENT;
}

int keyboard_scan(void)
{
    for (unsigned i = 0; present && i < AT_ONCE; i++) {
        const unsigned status = hw_inb(KBC_STATUS);
        if (status == FLOATING || !(status & STATUS_OUTPUT)) break;
        const uint8_t byte = hw_inb(KBC_DATA);
        if (!(status & STATUS_AUX)) return byte;
    }
    return KEYBOARD_NONE;
}

int keyboard_key(void)
{
    int key = KEYBOARD_NONE;
    if (!present) return key;
    for (unsigned i = 0; i < AT_ONCE && key == KEYBOARD_NONE; i++) {
        const unsigned status = hw_inb(KBC_STATUS);
        if (status == FLOATING || !(status & STATUS_OUTPUT)) break;
        const uint8_t byte = hw_inb(KBC_DATA);
        if (!(status & STATUS_AUX)) key = byte_came(byte);
    }
    return key;
}
