/* Which port becomes the console: what the tables, the BIOS data area and PCI name, whole and lying, against
 * UARTs that are there, absent, silent, or not UARTs at all. */
#include "kernel/serial.h"
#include "tests/unit/acpi_tables.h"
#include "tests/unit/fake_pci.h"
#include "tests/unit/fake_uart.h"
#include "tests/unit/unit.h"
#include <string.h>

enum { TABLES = 0x7fe0000, RSDT = 0, SPCR = 0x100, DBG2 = 0x200 };
static uint8_t tables[0x400], low[0x500];
static struct bootinfo bi;
static struct fake_uart chip[4];

static void put(uint8_t *p, uint64_t value, unsigned bytes) { memcpy(p, &value, bytes); }

/* A machine with nothing but an RSDT that leads to both tables' places, and 128 MiB of RAM. */
static void machine(void)
{
    memset(tables, 0, sizeof tables);
    memset(low, 0, sizeof low);
    memset(chip, 0, sizeof chip);
    memset(&bi, 0, sizeof bi);
    fake_reset();
    fake_reach = 1ull << 32;
    fake_memory(0, low, sizeof low);
    fake_memory(TABLES, tables, sizeof tables);
    memcpy(bi.rsdp, "RSD PTR ", 8);
    put(bi.rsdp + 16, TABLES + RSDT, 4);
    for (unsigned i = 0; i < 20; i++) bi.rsdp[8] -= i == 8 ? 0 : bi.rsdp[i];
    bi.rsdp_len = 20;
    memcpy(tables + RSDT, "RSDT", 4);
    set_length(tables + RSDT, 44);
    put(tables + RSDT + 36, TABLES + SPCR, 4);
    put(tables + RSDT + 40, TABLES + DBG2, 4);
    seal_table(tables + RSDT);
    bi.map_source = MAP_MMAP;
    bi.map[0] = (struct mem_range){0x100000, 127 << 20, MEM_AVAILABLE};
    bi.n_map = 1;
}

static void spcr(unsigned kind, uint8_t space, uint8_t width, uint64_t address, unsigned rate)
{
    const struct gas at = {space, width, 0, 0, address};
    make_spcr(tables + SPCR, kind, &at, rate);
}

static void dbg2(uint8_t space, uint8_t width, uint64_t address)
{
    const struct gas at = {space, width, 0, 0, address};
    make_dbg2(tables + DBG2);
    add_dbg2(tables + DBG2, 0x8000, 0, &at);
}

/* The port in use, or "none". */
static const char *console(const char *word)
{
    static char name[SERIAL_NAME];
    const struct uart *u = serial_find(&bi, word);
    strcpy(name, "none");
    if (u) serial_name(u, name);
    return name;
}

static const struct serial_port *port(unsigned i)
{
    assert_true(i < serial_list()->n);
    return &serial_list()->port[i];
}

static void expect_note(unsigned i, const char *part)
{
    const char *note = serial_note(i);
    if (!part && note) fail_msg("a note too many: %s", note);
    if (part && (!note || !strstr(note, part)))
        fail_msg("\"%s\" is not in: %s", part, note ? note : "(none)");
}

/* ---- auto ---- */

static void test_com1(void **state)
{
    (void)state;
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
}

static void test_spcr(void **state)
{
    (void)state;
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
static void test_spcr_lies(void **state)
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
    (void)state;
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
static void test_ram(void **state)
{
    (void)state;
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

static void test_none(void **state)
{
    (void)state;
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

static void test_bda_and_dbg2(void **state)
{
    static const uint16_t odd[] = {0xff, 0xfff9, 0, 0x2e8};
    (void)state;
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
static void test_silent(void **state)
{
    (void)state;
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

static void test_strides(void **state)
{
    static const struct {
        const char *word;
        unsigned stride;
    } cases[] = {{"mmio:0xfe034001", 1}, {"mmio16:0xfe034002,9600", 2}, {"mmio32:0xfe034000,115200 x", 4}};
    static const char text[] = "hello";
    (void)state;
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

/* ---- PCI ---- */

#define ID(v, d)    [0] = (v)&0xff, [1] = (v) >> 8, [2] = (d)&0xff, [3] = (d) >> 8
#define COMMAND(c)  [4] = (c)
#define CLASS(c, i) [9] = (i), [10] = (c)&0xff, [11] = (c) >> 8
#define BAR(n, value)                                                        \
    [0x10 + 4 * (n)] = (value)&0xff, [0x11 + 4 * (n)] = (value) >> 8 & 0xff, \
                [0x12 + 4 * (n)] = (value) >> 16 & 0xff, [0x13 + 4 * (n)] = (value) >> 24
#define MULTI [14] = 0x80
#define PLAIN NULL, NULL, NULL

static void bus(struct fake_function *const *function, unsigned n) { fake_pci(function, n); }

/* AMT's SOL behind a controller of another class, a card with its ports switched off, a modem. */
static void test_pci(void **state)
{
    static struct fake_function
        host = {{0, 0, 0}, {ID(0x8086, 0x0c00), CLASS(0x0600, 0)}, PLAIN},
        mei = {{0, 0x16, 0}, {ID(0x8086, 0x8c3a), CLASS(0x0780, 0), MULTI}, PLAIN},
        sol = {{0, 0x16, 3},
               {ID(0x8086, 0x8c3d), COMMAND(7), CLASS(0x0700, 2), BAR(0, 0xf0e1), BAR(1, 0xf7d39000)},
               PLAIN},
        off = {{1, 0, 0}, {ID(0x9710, 0x9922), COMMAND(6), CLASS(0x0700, 2), BAR(0, 0xe001)}, PLAIN},
        modem = {{2, 0, 0}, {ID(0x11c1, 0x0440), COMMAND(7), CLASS(0x0703, 2), BAR(0, 0xd001)}, PLAIN},
        old = {{3, 0, 0}, {ID(0x11c1, 0x0441), COMMAND(7), CLASS(0x0700, 1), BAR(0, 0xd101)}, PLAIN};
    static struct fake_function *const all[] = {&host, &mei, &sol, &off, &modem, &old};
    (void)state;
    machine();
    bus(all, 6);
    fake_uart_port(&chip[0], 0xf0e0);
    fake_uart_port(&chip[1], 0xe000);
    assert_string_equal(console(NULL), "0xf0e0,115200");
    assert_true(serial_list()->pci_searched);
    assert_int_equal(serial_list()->n, 3); /* com1, SOL, the card; modems and a 16450 are none */
    assert_int_equal(port(1)->vendor, 0x8086);
    assert_int_equal(port(1)->device, 0x8c3d);
    expect_note(0, "no UART answers at port 0x3f8");
    expect_note(1, "the serial port at PCI 01:00.0 is passed over: the firmware has switched it off");
    expect_note(2, "115200 baud, found by PCI 00:16.3");
    expect_note(3, NULL);
    assert_int_equal(fake_config(&off, 4) & 0xffff, 6); /* only looked at */
    assert_int_equal(chip[1].writes, 0);

    assert_string_equal(console("pci:01:00.0,9600"), "0xe000,9600"); /* an order switches it on */
    assert_int_equal(fake_config(&off, 4) & 0xffff, 7);
    assert_int_equal(chip[1].divisor, 12);
    fake_config_set(&off, 4, 2, 6);
    assert_string_equal(console("pci:02:00.0"), "none");
    expect_note(0, "the serial port at PCI 02:00.0 is passed over: its class");
    assert_string_equal(console("pci:00:16.4"), "none");
    expect_note(0, "there is no such PCI function");
    assert_string_equal(console("pci:00:16.3,1200"), "0xf0e0,1200");
    assert_false(serial_list()->pci_searched);
    fake_reset(); /* nothing there */
    assert_string_equal(console("pci:00:16.3"), "none");
    expect_note(0, "the port of console= is passed over: there is no PCI here");
}

/* Cards whose clock or layout is not a PC's. */
static void test_cards(void **state)
{
    static const struct {
        uint16_t vendor, device;
        bool memory;
        uint32_t first;
        unsigned divisor; /* of 115200 */
    } cases[] = {
        {0x13a8, 0x0152, true, 0, 8},       {0x13a8, 0x0158, true, 0, 8},
        {0x13a8, 0x0352, true, 0, 68},      {0x13a8, 0x8358, true, 0, 68},
        {0x1415, 0xc158, true, 0x1000, 34}, {0x1415, 0xc30d, true, 0x1000, 34},
        {0x1415, 0xc101, false, 0, 34},     {0x1415, 0x9501, false, 0, 1},
        {0x8086, 0x1234, false, 0, 1},
    };
    static struct fake_function host = {{0, 0, 0}, {ID(0x8086, 0x0c00), CLASS(0x0600, 0)}, PLAIN}, card;
    static struct fake_function *const all[] = {&host, &card};
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        machine();
        card = (struct fake_function){{4, 0, 0}, {COMMAND(3), CLASS(0x0700, 2)}, PLAIN};
        fake_config_set(&card, 0, 2, cases[i].vendor);
        fake_config_set(&card, 2, 2, cases[i].device);
        fake_config_set(&card, 0x10, 4, cases[i].memory ? 0xf7d00000 : 0xe0f1);
        bus(all, 2);
        if (cases[i].memory)
            fake_uart_memory(&chip[0], 0xf7d00000 + cases[i].first, 1, 1);
        else
            fake_uart_port(&chip[0], 0xe0f0);
        assert_string_not_equal(console(NULL), "none");
        assert_int_equal(chip[0].divisor, cases[i].divisor);
        assert_int_equal(chip[0].lcr, 3);
        if (!cases[i].memory) continue;
        fake_config_set(&card, 4, 2, 1); /* its memory is switched off */
        const unsigned before = chip[0].writes;
        assert_string_equal(console(NULL), "none");
        expect_note(1, "at PCI 04:00.0 is passed over: the firmware has switched it off");
        assert_int_equal(chip[0].writes, before);
        fake_config_set(&card, 4, 2, 3);
        fake_config_set(&card, 0x10, 4, 0); /* no address */
        assert_string_equal(console(NULL), "none");
        expect_note(1, "no address");
    }
    /* Registers in memory, of nobody known: an LPSS UART, say, whose spacing only a table knows. */
    machine();
    card = (struct fake_function){
        {0, 0x1e, 0},
        {ID(0x8086, 0x9d27), COMMAND(7), CLASS(0x0700, 2), BAR(0, 0xf7d00004), BAR(1, 8)},
        PLAIN};
    bus(all, 2);
    fake_reach = 1ull << 40;
    fake_uart_memory(&chip[0], 0x8f7d00000, 4, 4);
    assert_string_equal(console(NULL), "none");
    expect_note(1, "a layout that this kernel does not know");
    assert_int_equal(chip[0].writes, 0);
    const struct gas at = {0, 32, 0, 3, 0x8f7d00000};
    make_spcr(tables + SPCR, 0x14, &at, 0);
    chip[0].divisor = 1;
    assert_string_equal(console(NULL), "mmio32:0x8f7d00000,115200");
    /* A BAR of 64 bits. */
    machine();
    fake_reach = 1ull << 40;
    card = (struct fake_function){
        {0, 0x1e, 0},
        {ID(0x13a8, 0x0152), COMMAND(7), CLASS(0x0700, 2), BAR(0, 0xf7d00004), BAR(1, 8)},
        PLAIN};
    bus(all, 2);
    fake_uart_memory(&chip[0], 0x8f7d00000, 1, 1);
    assert_string_equal(console(NULL), "mmio:0x8f7d00000,115200");
    /* A bridge is no device. */
    card.config[14] = 1;
    assert_string_equal(console(NULL), "none");
    expect_note(1, "not that of a device");
}

/* More than the list holds: said, and none forgotten that is used. */
static void test_many(void **state)
{
    static struct fake_function host = {{0, 0, 0}, {ID(0x8086, 0x0c00), CLASS(0x0600, 0)}, PLAIN}, card[12];
    static struct fake_function *all[13] = {&host};
    (void)state;
    machine();
    for (unsigned i = 0; i < 12; i++) {
        card[i] = (struct fake_function){
            {0, (uint8_t)(i + 1), 0}, {ID(0x1b36, 2), COMMAND(1), CLASS(0x0700, 2)}, PLAIN};
        fake_config_set(&card[i], 0x10, 4, 0xc001 + 8 * i);
        all[i + 1] = &card[i];
    }
    bus(all, 13);
    fake_uart_port(&chip[0], 0xc000 + 8 * 3);
    assert_string_equal(console(NULL), "0xc018,115200");
    assert_int_equal(serial_list()->n, 7);
    assert_int_equal(serial_list()->beyond, 6);
    assert_int_equal(port(4)->state, PORT_CONSOLE);
    assert_int_equal(port(6)->state, PORT_NAMED);
}

/* ---- records= ---- */

static void test_other(void **state)
{
    struct uart out;
    (void)state;
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

/* ---- words ---- */

static void test_words(void **state)
{
    static const char *const wrong[] = {
        "auto,9600",
        "autox",
        "spcr,9600",
        "spcrx",
        "pci:",
        "pci:00",
        "pci:00:16",
        "pci:00:16.8",
        "pci:00:20.0",
        "pci:100:0.0",
        "pci:0:0.0x",
        "pci:0:0.0,7",
        "pci:0:0.0,",
        "pci:g:0.0",
        "pci:0::0.0",
        "pci:00.16.3",
        "pci::16.3",
        "mmio:fe034000",
        "mmio:0x",
        "mmio8:0xfe034000",
        "mmio64:0xfe034000",
        "mmio32:0xfe034002",
        "mmio16:0xfe034001",
        "mmio:0xfffff",
        "mmio:0x10000000000000",
        "mmio:0xfe034000,7",
        "mmio:0xfe034000x",
        "mmio32:0xFE034000",
        "mmio:0x123456789abcdef01",
        "",
        "pci:0:0.",
        "pci:0:0.00",
    };
    struct serial_word w;
    (void)state;
    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++)
        if (serial_parse(wrong[i], &w)) fail_msg("accepted \"%s\"", wrong[i]);
    assert_true(serial_parse("auto", &w) && w.kind == SERIAL_AUTO);
    assert_true(serial_parse("spcr more", &w) && w.kind == SERIAL_SPCR);
    assert_true(serial_parse("pci:ff:1f.7,9600\t", &w) && w.kind == SERIAL_PCI);
    assert_int_equal(w.at.bus, 255);
    assert_int_equal(w.at.device, 31);
    assert_int_equal(w.at.function, 7);
    assert_int_equal(w.uart.baud, 9600);
    assert_true(serial_parse("pci:0:3.1", &w) && w.at.device == 3 && w.uart.baud == 115200);
    assert_true(serial_parse("com2", &w) && w.kind == SERIAL_ADDRESS && w.uart.base == 0x2f8);
    assert_true(serial_parse("mmio:0x100000", &w) && w.uart.stride == 1 && w.uart.width == 1);
    assert_true(serial_parse("mmio:0xfffffffffffff", &w) && w.uart.base == 0xfffffffffffff);
    assert_true(serial_parse("mmio16:0xfe034002,50", &w) && w.uart.stride == 2 && w.uart.baud == 50);
    assert_true(serial_parse("mmio32:0xfe034000", &w) && w.uart.stride == 4 && w.uart.width == 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_com1),   cmocka_unit_test(test_spcr),    cmocka_unit_test(test_spcr_lies),
        cmocka_unit_test(test_ram),    cmocka_unit_test(test_none),    cmocka_unit_test(test_bda_and_dbg2),
        cmocka_unit_test(test_silent), cmocka_unit_test(test_strides), cmocka_unit_test(test_pci),
        cmocka_unit_test(test_cards),  cmocka_unit_test(test_many),    cmocka_unit_test(test_other),
        cmocka_unit_test(test_words)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
