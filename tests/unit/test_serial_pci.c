/* Ports that PCI names: on its bus, behind its BARs, of cards that are known and not. */
#include "kernel/pci_serial.h"
#include "tests/unit/fake_pci.h"
#include "tests/unit/fake_serial.h"

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
TEST(test_pci)
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
TEST(test_cards)
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
    static const struct fake_function lpss = {
        {0, 0x1e, 0},
        {ID(0x8086, 0x9d27), COMMAND(7), CLASS(0x0700, 2), BAR(0, 0xf7d00004), BAR(1, 8)},
        PLAIN};
    card = lpss;
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
    fake_config_set(&card, 0, 2, 0x13a8); /* a card whose layout is known */
    fake_config_set(&card, 2, 2, 0x0152);
    bus(all, 2);
    fake_uart_memory(&chip[0], 0x8f7d00000, 1, 1);
    assert_string_equal(console(NULL), "mmio:0x8f7d00000,115200");
    /* A bridge is no device. */
    card.config[14] = 1;
    assert_string_equal(console(NULL), "none");
    expect_note(1, "not that of a device");
}

/* More communication devices, most of them modems, than a search keeps; and a second search, after a device
 * has gone. */
TEST(test_many_modems)
{
    static struct fake_function host = {{0, 0, 0}, {ID(0x8086, 0x0c00), CLASS(0x0600, 0)}, PLAIN}, card[40];
    static struct fake_function *all[41] = {&host};
    struct pci_function found[4];
    for (unsigned i = 0; i < 40; i++) {
        card[i] = (struct fake_function){{(uint8_t)(1 + i / 20), (uint8_t)(i % 20), 0},
                                         {ID(0x1b36, 2), COMMAND(1), CLASS(0x0703, 2)},
                                         PLAIN};
        all[i + 1] = &card[i];
    }
    for (unsigned last = 28; last < 36; last++) { /* one serial port: among the first 32, or after them */
        machine();
        card[last].config[10] = 0;
        bus(all, 41);
        assert_int_equal(pci_serial_find(found, 4), last < 32);
        card[last].config[10] = 3;
    }
    card[0].config[10] = card[1].config[10] = 0;
    bus(all, 3);
    assert_int_equal(pci_serial_find(found, 4), 2);
    all[1] = &card[1]; /* the first one is gone */
    bus(all, 2);
    assert_int_equal(pci_serial_find(found, 4), 1);
    assert_true(found[0].bus == 1 && found[0].device == 1);
}

/* More than the list holds: said, and none forgotten that is used. */
TEST(test_many)
{
    static struct fake_function host = {{0, 0, 0}, {ID(0x8086, 0x0c00), CLASS(0x0600, 0)}, PLAIN}, card[12];
    static struct fake_function *all[13] = {&host};
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
