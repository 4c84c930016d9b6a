/* Which port becomes the console: what the tables, the BIOS data area and PCI name, whole and lying, against
 * UARTs that are there, absent, silent, or not UARTs at all. */
#include "tests/unit/fake_serial.h"

TEST(test_com1)
{
    machine();
    fake_uart_port(&chip[0], 0x3f8);
    put(low + 0x400, 0x3f8, 2); /* the same port by another name */
    put(low + 0x402, 0x2f8, 2);
    dbg2(1, 8, 0x2e8);
    assert_string_equal(console(NULL), "0x3f8,115200");
    assert_int_equal(chip[0].divisor, 1);
    assert_string_equal(serial_list()->wanted, "auto");
    assert_int_equal(serial_list()->n, 3);
    assert_int_equal(serial_list()->ticks, 0); /* this CPU has no TSC */
    assert_false(serial_list()->pci_asked);
    assert_int_equal(port(0)->by, BY_COM1);
    assert_int_equal(port(0)->state, PORT_CONSOLE);
    assert_int_equal(port(1)->by, BY_BDA);
    assert_int_equal(port(2)->by, BY_DBG2);
    assert_int_equal(port(2)->state, PORT_NAMED);
    expect_note(0, NULL);
    assert_string_equal(console("auto"), "0x3f8,115200");
    assert_string_equal(console("nonsense"), "0x3f8,115200");
    assert_string_equal(serial_list()->wanted, "auto");
    assert_string_equal(console("ttyS0,9600"), "0x3f8,9600");
    expect_note(0, "console=ttyS0 is com1");
    expect_note(1, NULL);
    assert_string_equal(console("com1"), "0x3f8,115200");
    expect_note(0, NULL);
}

TEST(test_spcr)
{
    machine();
    fake_uart_port(&chip[0], 0x3f8);
    fake_uart_port(&chip[1], 0x2f8);
    spcr(0, 1, 8, 0x2f8, 3);
    assert_string_equal(console(NULL), "0x2f8,9600");
    assert_int_equal(chip[1].divisor, 12);
    assert_int_equal(chip[0].writes, 0); /* somebody else's */
    assert_int_equal(serial_list()->n, 2);
    assert_int_equal(port(1)->state, PORT_NAMED); /* com1 */
    expect_note(0, "the console is the UART at port 0x2f8, 9600 baud, found by ACPI's SPCR");
    expect_note(1, NULL);

    chip[1].divisor = 6; /* as it is: 19200 */
    spcr(0, 1, 8, 0x2f8, 0);
    assert_string_equal(console("spcr"), "0x2f8,19200");
    assert_int_equal(chip[1].divisor, 6);
    assert_string_equal(serial_list()->wanted, "spcr");
    chip[1].divisor = 0; /* nobody has set it */
    assert_string_equal(console(NULL), "0x2f8,115200");
    assert_int_equal(chip[1].divisor, 1);
    chip[1].divisor = 0xffff; /* 1 baud */
    assert_string_equal(console(NULL), "0x2f8,115200");
    assert_string_equal(console("com1"), "0x3f8,115200"); /* a word overrides it */
    assert_int_equal(port(0)->state, PORT_NAMED);
    expect_note(0, NULL);
    assert_string_equal(console("com2,1200"), "0x2f8,1200"); /* its rate, too */
    assert_int_equal(chip[1].divisor, 96);
    assert_int_equal(port(0)->by, BY_WORD);
}

/* Each lie: com1 is used, and one sentence names the table and its fault. */
TEST(test_spcr_lies)
{
    static const struct {
        const char *note;
        uint8_t space, width, kind;
        uint64_t address;
    } cases[] = {
        {"SPCR is passed over: its address is 0", 1, 8, 0, 0},
        {"no UART answers at port 0x2f8, which ACPI's SPCR names", 1, 8, 0, 0x2f8},
        {"no UART answers at address 0xfe034000, which ACPI's SPCR names", 0, 32, 0, 0xfe034000},
        {"SPCR is passed over: its address is that of RAM", 0, 32, 0, 0x7fdfff0},
        {"SPCR is passed over: its address is that of RAM", 0, 8, 0, 0xffff8 + 8},
        {"SPCR is passed over: this kernel cannot reach", 0, 32, 0, 0x8fe034000},
        {"SPCR is passed over: its UART is not compatible", 0, 32, 3, 0xfe034000},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        machine();
        fake_uart_port(&chip[0], 0x3f8);
        spcr(cases[i].kind, cases[i].space, cases[i].width, cases[i].address, 7);
        assert_string_equal(console(NULL), "0x3f8,115200");
        assert_int_equal(port(0)->by, BY_SPCR);
        assert_int_equal(port(0)->state, PORT_PASSED);
        expect_note(0, cases[i].note);
        expect_note(1, NULL);
    }
    machine();
    fake_uart_port(&chip[0], 0x3f8);
    fake_uart_port(&chip[1], 0x2f8);
    spcr(0, 1, 8, 0x2f8, 7);
    tables[SPCR + 60]++;
    assert_string_equal(console(NULL), "0x3f8,115200");
    expect_note(0, "SPCR is passed over: its checksum is wrong");
    set_length(tables + SPCR, 35);
    assert_string_equal(console(NULL), "0x3f8,115200");
    expect_note(0, "SPCR is passed over: its length is wrong");
    set_length(tables + SPCR, 0x7fffffff);
    assert_string_equal(console(NULL), "0x3f8,115200");
    expect_note(0, "SPCR is passed over: its length is wrong");
    assert_int_equal(chip[1].writes, 0);
    assert_string_equal(console("spcr"), "none"); /* an order: no other port gets bytes */
    expect_note(0, "its length is wrong");
    expect_note(1, NULL);
    memset(tables + SPCR, 0, 4);
    assert_string_equal(console("spcr"), "none");
    expect_note(0, "SPCR is passed over: the firmware has no such table");
    assert_string_equal(console(NULL), "0x3f8,115200"); /* no table is no fault */
    expect_note(0, NULL);
}

/* RAM that the map does not have is recognised by what it does; without a map, nothing below 3 GiB is
 * touched. */
TEST(test_ram)
{
    for (unsigned stride = 1; stride <= 4; stride *= 2) {
        machine();
        chip[0].ram = true;
        fake_uart_memory(&chip[0], 0xd0000000, stride, stride);
        spcr(0, 0, (uint8_t)(8 * stride), 0xd0000000, 7);
        assert_string_equal(console("spcr"), "none");
        expect_note(0, "no UART answers at address 0xd0000000");
    }
    machine();
    chip[0].ram = true;
    bi.map_source = MAP_MEMINFO;
    fake_uart_memory(&chip[0], 0xbffffff8, 1, 1);
    spcr(0, 0, 8, 0xbffffff8, 7);
    assert_string_equal(console("spcr"), "none");
    expect_note(0, "that of RAM");
    assert_int_equal(chip[0].writes, 0);
    assert_string_equal(console("mmio:0xbffffff8"), "none"); /* a slip of the pen */
    expect_note(0, "the port of console= is passed over: its address is that of RAM");
    assert_int_equal(chip[0].writes, 0);
}

TEST(test_none)
{
    machine();
    put(low + 0x400, 0x2f8, 2);
    dbg2(0, 32, 0xfe034000);
    assert_string_equal(console(NULL), "none");
    expect_note(0, "no UART answers at port 0x3f8");
    expect_note(1, "no UART answers at port 0x2f8, which the BIOS data area names");
    expect_note(2, "no UART answers at address 0xfe034000, which ACPI's DBG2 names");
    expect_note(3, NULL);
    assert_true(fake_accesses() < 50);
    assert_true(serial_list()->pci_asked && !serial_list()->pci);
    machine();
    bi.efi = true; /* there is no BIOS data area: whatever lies there */
    put(low + 0x400, 0x2f8, 2);
    assert_string_equal(console(NULL), "none");
    assert_int_equal(serial_list()->n, 1);
}

TEST(test_bda_and_dbg2)
{
    static const uint16_t odd[] = {0xff, 0xfff9, 0, 0x2e8};
    machine();
    memcpy(low + 0x400, odd, 8);
    fake_uart_port(&chip[0], 0x2e8);
    assert_string_equal(console(NULL), "0x2e8,115200");
    expect_note(0, "no UART answers at port 0x3f8");
    expect_note(1, "found by the BIOS data area");

    machine();
    dbg2(0, 32, 0xfe034000);
    fake_uart_memory(&chip[0], 0xfe034000, 4, 4);
    assert_string_equal(console(NULL), "mmio32:0xfe034000,115200");
    expect_note(1, "the console is the UART at address 0xfe034000, 115200 baud, found by ACPI's DBG2");
    tables[DBG2 + 60]++;
    assert_string_equal(console(NULL), "none");
    expect_note(1, "DBG2 is passed over: its checksum is wrong");
}

/* A UART that answers and takes no byte costs 20,000 reads, 50 ms at most; the next one is used. */
TEST(test_silent)
{
    machine();
    chip[0].silent = true;
    fake_uart_port(&chip[0], 0x2f8);
    fake_uart_port(&chip[1], 0x3f8);
    spcr(0, 1, 8, 0x2f8, 7);
    assert_string_equal(console(NULL), "0x3f8,115200");
    assert_true(fake_accesses() > 20000 && fake_accesses() < 20100);
    expect_note(0, "a UART that accepts no bytes is at port 0x2f8, which ACPI's SPCR names");
    assert_int_equal(chip[0].n, 0);
}

/* ---- memory ---- */

TEST(test_strides)
{
    static const struct {
        const char *word;
        unsigned stride;
    } cases[] = {{"mmio:0xfe034001", 1}, {"mmio16:0xfe034002,9600", 2}, {"mmio32:0xfe034000,115200 x", 4}};
    static const char text[] = "hello";
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
        for (unsigned answers = 1; answers <= 4; answers *= 2) { /* only the right spacing is a UART */
            struct serial_word word;
            machine();
            assert_true(serial_parse(cases[i].word, &word));
            fake_uart_memory(&chip[0], word.uart.base, cases[i].stride, answers);
            const struct uart *found = serial_find(&bi, cases[i].word);
            assert_true(!found == (answers != cases[i].stride));
            if (!found) continue;
            struct uart u = *found;
            uart_write(&u, text, 5);
            assert_string_equal(chip[0].sent, text);
            assert_int_equal(chip[0].divisor, i == 1 ? 12 : 1);
        }
    machine(); /* registers 32 bits apart that take bytes */
    const struct gas at = {0, 32, 0, 1, 0xfe034000};
    make_spcr(tables + SPCR, 0x12, &at, 7);
    set_spcr_clock(tables + SPCR, 48000000, 0);
    fake_uart_memory(&chip[0], 0xfe034000, 4, 1);
    assert_string_equal(console(NULL), "mmio32:0xfe034000,115200");
    assert_int_equal(chip[0].divisor, 26);
    assert_true(serial_uses(0xfe03401f, 0xfe034020) && serial_uses(0, 0xfe034001));
    assert_false(serial_uses(0, 0xfe034000) || serial_uses(0xfe034020, UINT64_MAX));
    machine();
    fake_reach = 1ull << 40; /* the x86_64 kernel */
    fake_uart_memory(&chip[0], 0x8fe034000, 4, 4);
    assert_string_equal(console("mmio32:0x8fe034000"), "mmio32:0x8fe034000,115200");
    fake_uart_port(&chip[1], 0x3f8);
    assert_string_equal(console("com1"), "0x3f8,115200");
    assert_false(serial_uses(0, UINT64_MAX)); /* a port is not in memory */
}

/* ---- records= ---- */

TEST(test_other)
{
    struct uart out;
    machine();
    fake_uart_port(&chip[0], 0x3f8);
    fake_uart_port(&chip[1], 0x2f8);
    fake_uart_memory(&chip[2], 0xfe034000, 4, 4);
    spcr(0, 0, 32, 0xfe034000, 7);
    const struct uart *found = serial_find(&bi, "com1");
    assert_non_null(found);
    struct uart live = *found;
    uart_write(&live, "abc", 3);
    const unsigned writes = chip[0].writes;
    assert_null(serial_find_other("com1", &live, &out));
    assert_int_equal(out.sent, 3); /* the console's own, as it is */
    assert_non_null(strstr(serial_find_other("com1,9600", &live, &out), "another rate"));
    assert_int_equal(chip[0].writes, writes);
    assert_null(serial_find_other("com2,9600", &live, &out));
    assert_int_equal(out.base, 0x2f8);
    assert_int_equal(chip[1].divisor, 12);
    assert_null(serial_find_other("spcr", &live, &out));
    assert_ptr_equal(out.bus, &uart_memory);
    expect_note(0, NULL);
    assert_non_null(strstr(serial_find_other("com3", &live, &out), "no UART answers"));
    expect_note(0, "no UART answers at port 0x3e8");
    assert_non_null(strstr(serial_find_other("mmio:0x2000000", &live, &out), "that of RAM"));
    assert_non_null(strstr(serial_find_other("pci:00:00.0", &live, &out), "no PCI"));
    assert_non_null(strstr(serial_find_other("auto", &live, &out), "no such port"));
    assert_non_null(strstr(serial_find_other("com9", &live, &out), "no such port"));
}
