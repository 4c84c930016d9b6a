/* The serial driver against a 16550 in software: alive, absent, and dying in the middle of a line. */
#include "kernel/uart.h"
#include "tests/unit/fake_hw.h"
#include "tests/unit/unit.h"
#include <string.h>

static struct chip {
    uint8_t lcr, dll, dlm, fcr, mcr, ier, iir, error; /* error: bits of LSR, of what comes in */
    bool latch_high;                                  /* DLM reads zero, as on a port that is no UART's */
    bool lcr_stuck, gone;
    bool goes; /* when MCR is written, the last register that is set up */
    const char *received;
    char sent[256];
    unsigned n, busy, dies_after, polls; /* busy: LSR reads until a byte has left */
} chip;

static uint32_t chip_in(void *ctx, uint16_t offset, unsigned width)
{
    (void)ctx, (void)width;
    if (chip.gone) return 0xff;
    switch (offset) {
    case 0:
        if (!(chip.lcr & 0x80) && chip.received && *chip.received) return (uint8_t)*chip.received++;
        return chip.lcr & 0x80 ? chip.dll : 'x';
    case 1:
        return chip.lcr & 0x80 ? chip.latch_high ? 0 : chip.dlm : chip.ier;
    case 2:
        return chip.iir;
    case 3:
        return chip.lcr_stuck ? 0x83 : chip.lcr;
    case 5:
        chip.polls++;
        if (chip.received && *chip.received) return 0x61u | chip.error;
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
        chip.gone |= chip.goes;
        break;
    }
}

static struct uart u;

static void plug(uint16_t port)
{
    static struct fake_device device = {0, 8, chip_in, chip_out, NULL};
    memset(&chip, 0, sizeof chip);
    chip.iir = 0xc1;
    chip.ier = 0x0f; /* what the firmware may have left */
    device.first = port;
    fake_reset();
    fake_port(&device);
}

TEST(test_specs)
{
    assert_true(uart_parse("com1", &u) && u.base == 0x3f8 && u.baud == 115200);
    assert_true(uart_parse("com4,9600 rest", &u) && u.base == 0x2e8 && u.baud == 9600);
    assert_true(uart_parse("0x3f8,1200", &u) && u.base == 0x3f8 && u.baud == 1200);
    assert_true(uart_parse("0xe030", &u) && u.base == 0xe030);
    static const uint16_t com[] = {0x3f8, 0x2f8, 0x3e8, 0x2e8}; /* where an AT has them */
    for (unsigned i = 0; i < 4; i++) {
        const char spec[] = {'c', 'o', 'm', (char)('1' + i), '\t', '\0'};
        assert_true(uart_parse(spec, &u) && u.base == com[i]);
    }
    assert_true(uart_parse("0x2af", &u) && u.base == 0x2af);
    assert_true(uart_parse("0x9ab0", &u) && u.base == 0x9ab0);
    assert_true(uart_parse("0x100", &u) && u.base == 0x100); /* below are the board's own devices */
    assert_true(uart_parse("0xfff8,50", &u) && u.base == 0xfff8 && u.baud == 50);
    assert_true(uart_parse("com1,115200", &u) && u.baud == 115200);
    assert_true(uart_parse("com1,19200", &u) && u.baud == 19200);
    assert_true(uart_parse("0X3F8", &u) && u.base == 0x3f8);
    assert_true(uart_parse("0xE0bF", &u) && u.base == 0xe0bf);
    assert_true(uart_parse("ttyS0", &u) && u.base == 0x3f8 && u.baud == 115200);
    assert_true(uart_parse("ttyS3,9600", &u) && u.base == 0x2e8 && u.baud == 9600);
    static const char *const wrong[] = {"0xff",
                                        "0xfff9",
                                        "0x003f8",
                                        "0x0",
                                        "0x,9600",
                                        "com1,48",
                                        "com1,49",
                                        "com1,115201",
                                        "com1,230401",
                                        "com1,:",
                                        "0x3:8",
                                        "0x3f/",
                                        "0x3`8",
                                        "com1,0",
                                        "",
                                        "com",
                                        "com0",
                                        "com5",
                                        "com1,",
                                        "com1,7",
                                        "com1x",
                                        "0x",
                                        "0x12345",
                                        "0x20",
                                        "0xfffc",
                                        "0x3f8,0",
                                        "3f8",
                                        "com1,230400",
                                        "c",
                                        "com1,115200x",
                                        "0xg",
                                        "0xG0",
                                        "ttyS4",
                                        "ttyS",
                                        "ttyS00",
                                        "com1,-1",
                                        "com1,4294967297"};
    for (unsigned i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        if (uart_parse(wrong[i], &u)) fail_msg("accepted \"%s\"", wrong[i]);
}

TEST(test_alive)
{
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

/* 300 baud needs both bytes of the divisor. */
TEST(test_slow)
{
    plug(0x3f8);
    uart_parse("com1,300", &u);
    assert_true(uart_init(&u));
    assert_int_equal(chip.dll, 0x80); /* 384 */
    assert_int_equal(chip.dlm, 0x01);
    plug(0x3f8);
    chip.latch_high = true;
    assert_false(uart_init(&u));
    plug(0x3f8);
    chip.lcr_stuck = true;
    assert_false(uart_init(&u));
}

/* PC16550D, 8.4 to 8.6: the FIFO is enabled and cleared; both bits of IIR say that it works. */
TEST(test_fifo)
{
    static const struct {
        uint8_t iir, fcr;
    } chips[] = {{0xc1, 0x07}, {0x81, 0}, {0x41, 0}, {0x01, 0}};
    for (unsigned i = 0; i < 4; i++) {
        plug(0x3f8);
        chip.iir = chips[i].iir;
        uart_parse("com1", &u);
        assert_true(uart_init(&u));
        assert_int_equal(chip.fcr, chips[i].fcr);
        assert_int_equal(chip.ier, 0);
        assert_int_equal(chip.mcr & 3, 3); /* DTR and RTS, for whoever looks at them */
        assert_int_equal(chip.mcr & 0x10, 0);
    }
}

TEST(test_reads)
{
    plug(0x3f8);
    uart_parse("com1", &u);
    uart_init(&u);
    chip.received = "ab";
    assert_int_equal(uart_read(&u), 'a');
    for (unsigned bit = 1; bit <= 4; bit++) { /* overrun, parity, framing, break */
        chip.received = "c";
        chip.error = (uint8_t)(1 << bit);
        assert_int_equal(uart_read(&u), UART_DAMAGED);
        assert_string_equal(chip.received, ""); /* the damaged byte is gone */
    }
    chip.error = 0;
    assert_int_equal(uart_read(&u), UART_NOTHING);
    chip.received = "d";
    u.dead = true;
    assert_int_equal(uart_read(&u), UART_NOTHING);
    u.dead = false;
    chip.gone = true; /* unplugged: everything reads FFh */
    assert_int_equal(uart_read(&u), UART_NOTHING);
}

/* Before the machine goes off, the last byte leaves: TEMT, and not only THRE, which the FIFO sets. */
TEST(test_drains)
{
    plug(0x3f8);
    uart_parse("com1", &u);
    uart_init(&u);
    uart_write(&u, "x", 1);
    chip.busy = 7;
    uart_drain(&u);
    assert_int_equal(chip.busy, 0);
    assert_false(u.dead);
    u.dead = true;
    const unsigned polls = chip.polls;
    uart_drain(&u); /* nothing is waited for any more */
    u.dead = false;
    u.present = false;
    uart_drain(&u);
    assert_int_equal(chip.polls, polls);
}

/* One that is unplugged is given up at once, one that stalls after two million reads. */
TEST(test_patience)
{
    plug(0x3f8);
    uart_parse("com1", &u);
    uart_init(&u);
    chip.gone = true;
    const unsigned before = fake_accesses();
    uart_write(&u, "hello", 5);
    assert_true(u.dead);
    assert_int_equal(u.lost, 5);
    assert_true(fake_accesses() - before < 5);
    plug(0x3f8);
    u.bus = &uart_ports;
    uart_init(&u);
    chip.busy = 1999999;
    uart_write(&u, "x", 1);
    assert_int_equal(chip.sent[0], 'x');
    assert_false(u.dead);
    chip.busy = 2000000;
    uart_write(&u, "y", 1);
    assert_true(u.dead);
    assert_int_equal(u.lost, 1);
}

TEST(test_absent)
{
    fake_reset(); /* every port reads FFh */
    uart_parse("com1", &u);
    assert_false(uart_init(&u));
    assert_int_equal(fake_accesses(), 2); /* nothing was written */
    assert_false(u.dead);
    uart_write(&u, "hello", 5);
    assert_int_equal(u.sent, 0);
    assert_int_equal(uart_read(&u), -1);
    uart_drain(&u);
}

/* A UART that goes while it is set up: FFh has the bit of an empty register, but is not a status. */
TEST(test_goes)
{
    plug(0x3f8);
    chip.goes = true;
    uart_parse("com1", &u);
    assert_false(uart_init(&u));
    assert_true(chip.gone && u.dead && !u.present);
}

TEST(test_dies)
{
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

/* One that takes no byte at all: 20,000 reads, or where a byte may take long, two million. */
TEST(test_silent)
{
    static const struct {
        const char *spec;
        unsigned polls;
    } cases[] = {{"com1", 20000}, {"com1,1200", 20000}, {"com1,600", 2000000}};
    for (unsigned i = 0; i < 3; i++) {
        plug(0x3f8);
        uart_parse(cases[i].spec, &u);
        chip.busy = cases[i].polls - 2; /* one read is before them, to see whether anything is there */
        assert_true(uart_init(&u));
        chip.busy = cases[i].polls + 1;
        const unsigned before = chip.polls;
        assert_false(uart_init(&u));
        assert_int_equal(chip.polls - before, cases[i].polls + 1);
        assert_true(u.dead);
        assert_int_equal(chip.n, 0);
    }
}

/* The rate that the firmware has set, and clocks that are not a PC's. */
TEST(test_rates)
{
    static const struct {
        uint32_t clock, baud, found, divisor, becomes;
    } cases[] = {
        {0, 0, 12, 12, 9600},
        {115200, 0, 0, 1, 115200},
        {115200, 0, 0xffff, 1, 115200},
        {7812500, 115200, 1, 68, 115200},
        {3906250, 115200, 1, 34, 115200},
        {3906250, 0, 34, 34, 114889},
        {50000, 115200, 1, 1, 115200},
        {7812500, 50, 1, 0xffff, 119}, /* the latch has 16 bits */
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        plug(0x3f8);
        chip.dll = cases[i].found & 0xff;
        chip.dlm = (uint8_t)(cases[i].found >> 8);
        u = (struct uart){.bus = &uart_ports, .base = 0x3f8, .clock = cases[i].clock, .baud = cases[i].baud};
        assert_true(uart_init(&u));
        assert_int_equal(chip.dll | chip.dlm << 8, cases[i].divisor);
        assert_int_equal(u.baud, cases[i].becomes);
    }
}

TEST(test_other_bus)
{
    static const struct uart_bus bus = {"address", NULL, memory_read, memory_write};
    memset(&chip, 0, sizeof chip);
    fake_reset(); /* no port answers */
    u = (struct uart){.bus = &bus, .base = 0xfedc9000, .baud = 115200};
    assert_true(uart_init(&u));
    assert_int_equal(chip.dll | chip.dlm << 8, 1);
    assert_int_equal(uart_read(&u), UART_NOTHING);
    uart_write(&u, "hello", 5);
    uart_drain(&u);
    assert_memory_equal(chip.sent, "hello", 5);
    assert_false(u.dead);
}
