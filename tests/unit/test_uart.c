/* The serial driver against a 16550 in software: alive, absent, and dying in the middle of a line. */
#include "kernel/uart.h"
#include "tests/unit/fake_hw.h"
#include "tests/unit/unit.h"
#include <string.h>

static struct chip {
    uint8_t lcr, dll, dlm, fcr, mcr, ier;
    char sent[256];
    unsigned n, busy, dies_after, polls; /* busy: LSR reads until a byte has left */
} chip;

static uint32_t chip_in(void *ctx, uint16_t offset, unsigned width)
{
    (void)ctx, (void)width;
    switch (offset) {
    case 0:
        return chip.lcr & 0x80 ? chip.dll : 'x';
    case 1:
        return chip.lcr & 0x80 ? chip.dlm : chip.ier;
    case 3:
        return chip.lcr;
    case 5:
        chip.polls++;
        if (chip.dies_after && chip.n >= chip.dies_after) return 0;
        if (chip.busy) return chip.busy--, 0;
        return 0x60;
    default:
        return 0;
    }
}

static void chip_out(void *ctx, uint16_t offset, uint32_t v, unsigned width)
{
    (void)ctx, (void)width;
    switch (offset) {
    case 0:
        if (chip.lcr & 0x80) {
            chip.dll = (uint8_t)v;
        } else {
            chip.sent[chip.n++] = (char)v;
            chip.busy = 3;
        }
        break;
    case 1:
        *(chip.lcr & 0x80 ? &chip.dlm : &chip.ier) = (uint8_t)v;
        break;
    case 2:
        chip.fcr = (uint8_t)v;
        break;
    case 3:
        chip.lcr = (uint8_t)v;
        break;
    case 4:
        chip.mcr = (uint8_t)v;
        break;
    }
}

static struct uart u;

static void plug(uint16_t port)
{
    static struct fake_device device = {0, 8, chip_in, chip_out, NULL};
    memset(&chip, 0, sizeof chip);
    device.first = port;
    fake_reset();
    fake_port(&device);
}

static void test_specs(void **state)
{
    (void)state;
    assert_true(uart_parse("com1", &u) && u.base == 0x3f8 && u.baud == 115200);
    assert_true(uart_parse("com4,9600 rest", &u) && u.base == 0x2e8 && u.baud == 9600);
    assert_true(uart_parse("0x3f8,1200", &u) && u.base == 0x3f8 && u.baud == 1200);
    assert_true(uart_parse("0xe030", &u) && u.base == 0xe030);
    static const char *const wrong[] = {
        "",   "com",          "com0", "com5",    "com1,",          "com1,7", "com1x",
        "0x", "0x12345",      "0x20", "0xfffc",  "0x3f8,0",        "3f8",    "com1,230400",
        "c",  "com1,115200x", "0xg",  "com1,-1", "com1,4294967297"};
    for (unsigned i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        if (uart_parse(wrong[i], &u)) fail_msg("accepted \"%s\"", wrong[i]);
}

static void test_alive(void **state)
{
    (void)state;
    plug(0x2f8);
    uart_parse("com2,9600", &u);
    assert_true(uart_init(&u));
    assert_int_equal(chip.dll | chip.dlm << 8, 12); /* 115200 / 9600 */
    assert_int_equal(chip.lcr, 3);                  /* 8N1, divisor latch closed */
    assert_int_equal(chip.ier, 0);
    uart_write(&u, "hello", 5);
    assert_memory_equal(chip.sent, "hello", 5);
    assert_int_equal(u.sent, 5);
    assert_false(u.dead);
    assert_int_equal(uart_read(&u), -1); /* no data ready */
}

static void test_absent(void **state)
{
    (void)state;
    fake_reset(); /* every port reads FFh */
    uart_parse("com1", &u);
    assert_false(uart_init(&u));
    uart_write(&u, "hello", 5);
    assert_int_equal(u.sent, 0);
    assert_int_equal(uart_read(&u), -1);
    uart_drain(&u);
}

static void test_dies(void **state)
{
    (void)state;
    plug(0x3f8);
    uart_parse("com1", &u);
    uart_init(&u);
    chip.dies_after = 3;
    uart_write(&u, "hello", 5);
    assert_true(u.dead);
    assert_int_equal(u.sent, 3);
    assert_int_equal(u.lost, 2);
    unsigned polls = chip.polls;
    uart_write(&u, "again", 5); /* costs nothing any more */
    assert_int_equal(chip.polls, polls);
    assert_int_equal(u.lost, 7);
}

/* Registers somewhere else: in memory. The driver goes through the bus alone. */
static uint8_t memory_read(const struct uart *at, unsigned reg)
{
    assert_int_equal(at->base, 0xfedc9000);
    return (uint8_t)chip_in(NULL, (uint16_t)reg, 8);
}

static void memory_write(const struct uart *at, unsigned reg, uint8_t value)
{
    assert_int_equal(at->base, 0xfedc9000);
    chip_out(NULL, (uint16_t)reg, value, 8);
}

static void test_other_bus(void **state)
{
    static const struct uart_bus bus = {"address", NULL, memory_read, memory_write};
    (void)state;
    memset(&chip, 0, sizeof chip);
    fake_reset(); /* no port answers */
    u = (struct uart){.bus = &bus, .base = 0xfedc9000, .baud = 115200};
    assert_true(uart_init(&u));
    assert_int_equal(chip.dll | chip.dlm << 8, 1);
    assert_false(uart_waiting(&u));
    uart_write(&u, "hello", 5);
    uart_drain(&u);
    assert_memory_equal(chip.sent, "hello", 5);
    assert_false(u.dead);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_specs), cmocka_unit_test(test_alive),
                                       cmocka_unit_test(test_absent), cmocka_unit_test(test_dies),
                                       cmocka_unit_test(test_other_bus)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
