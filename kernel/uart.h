/* 16550 and compatible serial ports. Every wait is bounded: an absent or dead UART costs time once, then
 * none. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct uart;

/* Access to the registers of a UART. For another kind of serial port add a row in kernel/uart.c. */
struct uart_bus {
    const char *name; /* its name in messages: "port" */
    /* Parses the address at the beginning of spec into *base. Returns the rest of spec, or NULL: not an
     * address of this kind.
     */
    const char *(*parse)(const char *spec, uint32_t *base);
    uint8_t (*read)(const struct uart *u, unsigned reg);
    void (*write)(const struct uart *u, unsigned reg, uint8_t value);
};

struct uart {
    const struct uart_bus *bus;
    uint32_t base; /* of its registers: an I/O port */
    uint32_t baud;
    bool present;        /* answered at uart_init() */
    bool dead;           /* a transmit wait ran out; nothing more is sent */
    uint32_t sent, lost; /* bytes */
};

/* "com1".."com4" or "0x3f8" (ports 0x100-0xfff8), then optionally ",RATE" (a divisor of 115200), up to the
 * end or a blank. Returns false, leaving *u alone, when it is anything else. */
bool uart_parse(const char *spec, struct uart *u);
#define UART_SPEC_HELP                                                                                       \
    "com1, com2, com3, com4 or a port such as 0x3f8, then optionally ,RATE (50 to 115200, a divisor of the " \
    "latter)"

/* 8 data bits, no parity, 1 stop bit, FIFO on, no interrupts. Returns u->present. */
bool uart_init(struct uart *u);
void uart_write(struct uart *u, const char *data, unsigned len);
/* Has a byte come in? For code that must not branch much (kernel/repeated.h). */
#define UART_LSR      5
#define UART_LSR_DATA 0x01
static inline bool uart_waiting(const struct uart *u)
{
    return u->present && !u->dead && (u->bus->read(u, UART_LSR) & UART_LSR_DATA);
}
/* One received byte, UART_DAMAGED for one with a parity, framing, overrun or break error, UART_NOTHING. Never
 * waits. */
enum { UART_NOTHING = -1, UART_DAMAGED = -2 };
int uart_read(struct uart *u);
/* Wait (bounded) until the last byte has left the shift register, before the machine is switched off. */
void uart_drain(struct uart *u);
