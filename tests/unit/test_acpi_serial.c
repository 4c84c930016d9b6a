/* SPCR and DBG2: kinds of UART, address spaces, spacing and width, rates and clocks; and tables that lie. */
#include "kernel/acpi_serial.h"
#include "tests/unit/acpi_tables.h"
#include "tests/unit/unit.h"
#include <stdlib.h>
#include <string.h>

static uint8_t spcr[SPCR_BYTES], dbg2[DBG2_BYTES];
static struct acpi_port port, ports[4];
static const struct gas com2 = {1, 8, 0, 1, 0x2f8}, high = {0, 32, 0, 3, 0xfe034000};

/* The parser gets exactly the table's bytes, so that one more is caught. */
static void read_spcr(void)
{
    const uint32_t length = table_length(spcr);
    uint8_t *exact = malloc(length);
    memcpy(exact, spcr, length);
    memset(&port, 0xa5, sizeof port);
    spcr_read(exact, length, &port);
    free(exact);
    assert_true(!port.uart.bus != !port.fault);
}

static unsigned read_dbg2(unsigned max)
{
    const uint32_t length = table_length(dbg2);
    uint8_t *exact = malloc(length);
    memcpy(exact, dbg2, length);
    memset(ports, 0xa5, sizeof ports);
    const unsigned n = dbg2_read(exact, length, ports, max);
    free(exact);
    for (unsigned i = 0; i < n; i++) assert_true(!ports[i].uart.bus != !ports[i].fault);
    return n;
}

TEST(test_port)
{
    static const struct {
        uint8_t code;
        uint32_t baud;
    } rates[] = {{3, 9600}, {4, 19200}, {6, 57600}, {7, 115200}, {0, 0}, {1, 0}, {5, 0}, {8, 0}, {255, 0}};
    for (unsigned i = 0; i < sizeof rates / sizeof *rates; i++) {
        make_spcr(spcr, 0, &com2, rates[i].code);
        read_spcr();
        assert_ptr_equal(port.uart.bus, &uart_ports);
        assert_int_equal(port.uart.base, 0x2f8);
        assert_int_equal(port.uart.baud, rates[i].baud);
        assert_int_equal(port.uart.clock, 115200);
    }
    set_length(spcr, SPCR_SHORT); /* as revisions 1 to 3 have it */
    read_spcr();
    assert_null(port.fault);
}

/* Registers in memory: how far apart and how wide, by the address's two fields. */
TEST(test_memory)
{
    static const struct {
        uint8_t width, access, stride, bytes;
        unsigned kind;
    } cases[] = {
        {8, 1, 1, 1, 0},  {8, 0, 1, 1, 0},     {0, 0, 1, 1, 0},    {16, 2, 2, 2, 0},    {16, 0, 2, 2, 0},
        {32, 3, 4, 4, 0}, {32, 0, 4, 4, 0},    {0, 3, 4, 4, 0},    {32, 1, 4, 1, 0x12}, {32, 2, 4, 2, 0x12},
        {8, 3, 4, 4, 1},  {16, 1, 2, 1, 0x12}, {8, 1, 4, 4, 0x14}, {0, 0, 4, 4, 0x14},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct gas at = {0, cases[i].width, 0, cases[i].access, 0xfe034000};
        make_spcr(spcr, cases[i].kind, &at, 7);
        read_spcr();
        assert_ptr_equal(port.uart.bus, &uart_memory);
        assert_int_equal(port.uart.base, 0xfe034000);
        assert_int_equal(port.uart.stride, cases[i].stride);
        assert_int_equal(port.uart.width, cases[i].bytes);
    }
}

TEST(test_clock)
{
    make_spcr(spcr, 0x12, &high, 7);
    set_spcr_clock(spcr, 48000000, 0);
    read_spcr();
    assert_int_equal(port.uart.clock, 3000000);
    assert_int_equal(port.uart.baud, 115200);
    set_spcr_clock(spcr, 48000000, 1500000); /* the exact rate overrides the code */
    read_spcr();
    assert_int_equal(port.uart.baud, 1500000);
    spcr[8] = 3; /* revision 3 has a clock, and no exact rate */
    seal_table(spcr);
    read_spcr();
    assert_int_equal(port.uart.baud, 115200);
    assert_int_equal(port.uart.clock, 3000000);
    spcr[8] = 2; /* there the field is reserved */
    seal_table(spcr);
    read_spcr();
    assert_int_equal(port.uart.clock, 115200);
    spcr[8] = 4;
    set_spcr_clock(spcr, 1000000, 0);
    read_spcr();
    assert_non_null(strstr(port.fault, "clock"));
    set_spcr_clock(spcr, 15, 0); /* less than a baud: as none */
    read_spcr();
    assert_int_equal(port.uart.clock, 115200);
    set_length(spcr, 83); /* the exact rate is not all inside */
    set_spcr_clock(spcr, 48000000, 1500000);
    read_spcr();
    assert_int_equal(port.uart.baud, 115200);
}

TEST(test_spcr_lies)
{
    static const struct {
        unsigned kind;
        struct gas at;
        const char *fault;
    } cases[] = {
        {0, {1, 8, 0, 1, 0}, "is 0"},
        {0, {0, 8, 0, 1, 0}, "is 0"},
        {3, {0, 32, 0, 3, 0xfe034000}, "16550"}, /* Arm's PL011 */
        {2, {0, 32, 0, 3, 0xfe034000}, "16550"},
        {0x13, {0, 32, 0, 3, 0xfe034000}, "16550"},
        {0x15, {0, 32, 0, 3, 0xfe034000}, "16550"},
        {0, {1, 8, 0, 1, 0xff}, "I/O port"},
        {0, {1, 8, 0, 1, 0xfff9}, "I/O port"},
        {0, {1, 8, 0, 1, 0x100003f8}, "I/O port"},
        {0, {2, 8, 0, 1, 0x3f8}, "neither in memory nor"}, /* PCI's configuration space */
        {0, {0x7f, 8, 0, 1, 0x3f8}, "neither in memory nor"},
        {0, {0, 64, 0, 3, 0xfe034000}, "registers"},
        {0, {0, 7, 0, 1, 0xfe034000}, "registers"},
        {0, {0, 32, 0, 4, 0xfe034000}, "accesses"},
        {0, {0, 32, 0, 255, 0xfe034000}, "accesses"},
        {0, {0, 32, 0, 3, 0xfe034002}, "one of a device"},
        {0, {0, 16, 0, 2, 0xfe034001}, "one of a device"},
        {0, {0, 8, 0, 1, 0xfffff}, "one of a device"},
        {0, {0, 8, 0, 1, 1ull << 52}, "one of a device"},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        make_spcr(spcr, cases[i].kind, &cases[i].at, 7);
        read_spcr();
        if (!port.fault || !strstr(port.fault, cases[i].fault)) fail_msg("case %u: %s", i, port.fault);
    }
    for (uint32_t length = 36; length < SPCR_SHORT; length++) {
        make_spcr(spcr, 0, &com2, 7);
        set_length(spcr, length);
        read_spcr();
        assert_non_null(port.fault);
    }
}

TEST(test_dbg2)
{
    static const struct gas com3 = {1, 8, 0, 1, 0x3e8};
    make_dbg2(dbg2);
    assert_int_equal(read_dbg2(4), 0);
    add_dbg2(dbg2, 0x8003, 0, &high); /* a network card */
    assert_int_equal(read_dbg2(4), 0);
    add_dbg2(dbg2, 0x8000, 0, &com3);
    add_dbg2(dbg2, 0x8000, 3, &high);
    add_dbg2(dbg2, 0x8000, 0x14, &high);
    assert_int_equal(read_dbg2(4), 3);
    assert_ptr_equal(ports[0].uart.bus, &uart_ports);
    assert_int_equal(ports[0].uart.base, 0x3e8);
    assert_int_equal(ports[0].uart.baud, 115200);
    assert_non_null(strstr(ports[1].fault, "16550"));
    assert_ptr_equal(ports[2].uart.bus, &uart_memory);
    assert_int_equal(ports[2].uart.stride, 4);
    assert_int_equal(read_dbg2(2), 2); /* there is no room for the third */
    assert_int_equal(read_dbg2(0), 0);
}

TEST(test_dbg2_lies)
{
    static const uint32_t offsets[] = {0, 43, 85, 0x7fffffff, 0xfffffff0, 0xffffffff};
    static const uint16_t lengths[] = {0, 21, 41, 0xffff};
    make_dbg2(dbg2);
    set_length(dbg2, 43);
    assert_int_equal(read_dbg2(4), 1);
    assert_non_null(strstr(ports[0].fault, "shorter"));
    for (unsigned i = 0; i < sizeof offsets / sizeof *offsets; i++) {
        make_dbg2(dbg2);
        add_dbg2(dbg2, 0x8000, 0, &com2);
        memcpy(dbg2 + 36, &offsets[i], 4);
        assert_int_equal(read_dbg2(4), 1);
        assert_non_null(strstr(ports[0].fault, "length"));
    }
    for (unsigned i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        make_dbg2(dbg2);
        const uint32_t at = add_dbg2(dbg2, 0x8000, 0, &com2);
        memcpy(dbg2 + at + 1, &lengths[i], 2);
        assert_int_equal(read_dbg2(4), 1);
        assert_non_null(strstr(ports[0].fault, "length"));
    }
    make_dbg2(dbg2); /* more devices than there are entries: the first one counts */
    add_dbg2(dbg2, 0x8000, 0, &com2);
    memset(dbg2 + 40, 0xff, 4);
    assert_int_equal(read_dbg2(4), 2);
    assert_null(ports[0].fault);
    assert_non_null(strstr(ports[1].fault, "length"));

    static const uint16_t where[] = {0, 21, 29, 0xffff};
    for (unsigned i = 0; i < sizeof where / sizeof *where; i++) {
        make_dbg2(dbg2);
        const uint32_t at = add_dbg2(dbg2, 0x8000, 0, &com2);
        memcpy(dbg2 + at + 18, &where[i], 2);
        assert_int_equal(read_dbg2(4), 1);
        assert_non_null(strstr(ports[0].fault, "no address"));
    }
    make_dbg2(dbg2);
    dbg2[add_dbg2(dbg2, 0x8000, 0, &com2) + 3] = 0; /* no generic address at all */
    assert_int_equal(read_dbg2(4), 1);
    assert_non_null(strstr(ports[0].fault, "no address"));
}
