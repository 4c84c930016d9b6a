/* 16550 and compatible serial ports. No wait is unbounded: an absent or dead UART costs time once, then
 * nothing. */
#pragma once
#include "kernel/hw.h"
#include <stdbool.h>
#include <stdint.h>

struct uart {
    uint16_t port; /* I/O base */
    uint32_t baud;
    bool present;        /* answered at uart_init() */
    bool dead;           /* a transmit wait ran out; nothing more is sent */
    uint32_t sent, lost; /* bytes */
};

/* "com1".."com4" or "0x3f8" (ports 0x100-0xfff8), then optionally ",RATE" (a divisor of 115200).
 * end: how the text ends ('\0' or a blank). Returns false, leaving *u alone, when it is anything else. */
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
    return u->present && !u->dead && (hw_inb(u->port + UART_LSR) & UART_LSR_DATA);
}
/* One received byte, UART_DAMAGED for one with a parity, framing, overrun or break error, UART_NOTHING. Never
 * waits. */
enum { UART_NOTHING = -1, UART_DAMAGED = -2 };
int uart_read(struct uart *u);
/* Wait (bounded) until the last byte has left the shift register, before the machine is switched off. */
void uart_drain(struct uart *u);
