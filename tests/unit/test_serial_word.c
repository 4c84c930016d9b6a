/* The values of console= and records=. */
#include "kernel/serial.h"
#include "tests/unit/unit.h"

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
        "mmio32:fE034000",
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

/* Digits in upper case are as good. */
static void test_upper_case(void **state)
{
    struct serial_word w;
    (void)state;
    assert_true(serial_parse("pci:00:1F.3", &w) && w.kind == SERIAL_PCI && w.at.device == 0x1f &&
                w.at.function == 3);
    assert_true(serial_parse("mmio32:0xFE034000", &w) && w.uart.base == 0xfe034000);
    assert_true(serial_parse("mmio:0XfE034000,9600", &w) && w.uart.base == 0xfe034000 && w.uart.baud == 9600);
    assert_true(serial_parse("ttyS1", &w) && w.kind == SERIAL_ADDRESS && w.uart.base == 0x2f8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_upper_case), cmocka_unit_test(test_words)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
