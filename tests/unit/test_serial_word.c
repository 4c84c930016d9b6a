/* The values of console= and records=. */
#include "kernel/serial.h"
#include "tests/unit/unit.h"

TEST(test_words)
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
        "mmio32:fE034000",
        "mmio:0x123456789abcdef01",
        "",
        "pci:0:0.",
        "pci:0:0.00",
    };
    struct serial_word w;
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

/* Digits in upper case are as good. */
TEST(test_upper_case)
{
    struct serial_word w;
    assert_true(serial_parse("pci:00:1F.3", &w) && w.kind == SERIAL_PCI && w.at.device == 0x1f &&
                w.at.function == 3);
    assert_true(serial_parse("mmio32:0xFE034000", &w) && w.uart.base == 0xfe034000);
    assert_true(serial_parse("mmio:0XfE034000,9600", &w) && w.uart.base == 0xfe034000 && w.uart.baud == 9600);
    assert_true(serial_parse("ttyS1", &w) && w.kind == SERIAL_ADDRESS && w.uart.base == 0x2f8);
}

/* As other programs spell it: Linux' console=, earlycon=, and names in any case. */
TEST(test_spellings)
{
    static const struct {
        const char *spec;
        uint64_t base;
        unsigned stride; /* 0: a port */
        uint32_t baud;
    } cases[] = {
        {"COM1", 0x3f8, 0, 115200},
        {"Com4,9600", 0x2e8, 0, 9600},
        {"ttyS0,115200n8", 0x3f8, 0, 115200},
        {"TTYS3,9600N8", 0x2e8, 0, 9600},
        {"ttys1", 0x2f8, 0, 115200},
        {"0X3F8,115200N8", 0x3f8, 0, 115200},
        {"0x3F8,115200", 0x3f8, 0, 115200},
        {"uart8250,io,0x3f8", 0x3f8, 0, 115200},
        {"UART8250,IO,0x2F8,9600n8", 0x2f8, 0, 9600},
        {"uart,io,0x3f8,57600", 0x3f8, 0, 57600},
        {"uart8250,mmio,0xfe034001", 0xfe034001, 1, 115200},
        {"uart8250,mmio16,0xfe034002,9600", 0xfe034002, 2, 9600},
        {"uart8250,mmio32,0xfe034000,115200n8", 0xfe034000, 4, 115200},
        {"MMIO32:0XFE034000", 0xfe034000, 4, 115200},
    };
    static const char *const wrong[] = {"com1,115200e7",
                                        "com1,115200n",
                                        "com1,115200n88",
                                        "com1,115200o8",
                                        "com1,n8",
                                        "com1,115200n8r",
                                        "com1,115200,8n1",
                                        "com",
                                        "com0",
                                        "com5",
                                        "COM10",
                                        "ttyS4",
                                        "ttyS",
                                        "ttyUSB0",
                                        "tty0",
                                        "hvc0",
                                        "3f8",
                                        "0x3f8h",
                                        "1016",
                                        "uart8250",
                                        "uart8250,",
                                        "uart8250,io",
                                        "uart8250,io,com1",
                                        "uart8250,io,3f8",
                                        "uart8250,io:0x3f8",
                                        "uart8250,0x3f8",
                                        "uart8250,mmio32be,0xfe034000",
                                        "uart8250,mmio32,0xfe034001",
                                        "io,0x3f8",
                                        "mmio32,0xfe034000",
                                        "uart8250,uart,io,0x3f8"};
    struct serial_word w;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (!serial_parse(cases[i].spec, &w)) fail_msg("refused \"%s\"", cases[i].spec);
        assert_int_equal(w.kind, SERIAL_ADDRESS);
        assert_int_equal(w.uart.base, cases[i].base);
        assert_int_equal(w.uart.stride, cases[i].stride);
        assert_int_equal(w.uart.baud, cases[i].baud);
    }
    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++)
        if (serial_parse(wrong[i], &w)) fail_msg("accepted \"%s\"", wrong[i]);
    assert_true(serial_parse("AUTO", &w) && w.kind == SERIAL_AUTO);
    assert_true(serial_parse("SPCR", &w) && w.kind == SERIAL_SPCR);
    assert_true(serial_parse("PCI:00:1f.3,9600n8", &w) && w.kind == SERIAL_PCI && w.uart.baud == 9600);
}
