/* libFuzzer target: SPCR and DBG2, and the words that name a port.
 *
 * The first byte picks what is parsed. A table is the rest, and exactly that: a parser that looks one byte
 * further meets AddressSanitizer. Its length and checksum have been checked before (kernel/acpi.c). */
#include "kernel/acpi_serial.h"
#include "kernel/serial.h"
#include <stdlib.h>
#include <string.h>

enum { TABLE_HEADER = 36, PORTS = 4 };

static void check(bool holds)
{
    if (!holds) abort();
}

/* What a port that can be used must be: whoever writes to it relies on that. */
static void check_uart(const struct uart *u)
{
    check(u->bus == &uart_ports || u->bus == &uart_memory);
    if (u->bus == &uart_ports) {
        check(u->base >= 0x100 && u->base <= 0xfff8);
    } else {
        check(u->stride == 1 || u->stride == 2 || u->stride == 4);
        check(u->width == 1 || u->width == 2 || u->width == 4);
        check(u->width <= u->stride);
        check(u->base >= UART_MEMORY_LEAST && u->base >> 52 == 0 && u->base % u->width == 0);
    }
}

static void check_port(const struct acpi_port *p)
{
    check(!p->uart.bus != !p->fault);
    if (p->fault) return;
    check_uart(&p->uart);
    check(p->uart.clock > 0 && p->uart.baud <= p->uart.clock);
}

static void word(const char *text)
{
    struct serial_word w;
    char name[SERIAL_NAME];
    if (!serial_parse(text, &w)) return;
    if (w.kind == SERIAL_PCI) check(w.at.device < 32 && w.at.function < 8 && w.uart.baud >= 50);
    if (w.kind != SERIAL_ADDRESS) return;
    check_uart(&w.uart);
    serial_name(&w.uart, name); /* the words that it makes mean the same */
    struct serial_word again;
    check(serial_parse(name, &again) && again.uart.base == w.uart.base && again.uart.bus == w.uart.bus);
    check(again.uart.stride == w.uart.stride && again.uart.baud == w.uart.baud);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct acpi_port port[PORTS];
    if (size == 0) return 0;
    const uint32_t length = (uint32_t)size - 1;
    uint8_t *exact = calloc(1, length + 1); /* the last byte ends a word */
    if (!exact) abort();
    memcpy(exact, data + 1, length);
    memset(port, 0xa5, sizeof port);
    switch (data[0] % 3) {
    case 0:
        word((const char *)exact);
        break;
    case 1:
        exact = realloc(exact, length ? length : 1);
        if (length < TABLE_HEADER) break;
        spcr_read(exact, length, port);
        check_port(port);
        break;
    case 2:
        exact = realloc(exact, length ? length : 1);
        if (length < TABLE_HEADER) break;
        const unsigned n = dbg2_read(exact, length, port, PORTS);
        check(n <= PORTS);
        for (unsigned i = 0; i < n; i++) check_port(&port[i]);
        break;
    }
    free(exact);
    return 0;
}
