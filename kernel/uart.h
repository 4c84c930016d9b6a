/* 16550 and compatible serial ports. Every wait is bounded: an absent or dead UART costs time once, then
 * none. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct uart;

/* Access to the registers of a UART. For another kind of serial port add a row in kernel/uart.c. */
struct uart_bus {
    const char *name; /* its name in messages: "port", "address" */
    /* Parses the address at the beginning of spec into u: base, stride, width. separator: ':' in "mmio:0x",
     * ',' in Linux' "mmio,0x". Returns the rest of spec, or NULL: not an address of this kind. */
    const char *(*parse)(const char *spec, char separator, struct uart *u);
    uint8_t (*read)(const struct uart *u, unsigned reg);
    void (*write)(const struct uart *u, unsigned reg, uint8_t value);
};
extern const struct uart_bus uart_ports, uart_memory;

/* Lower addresses of memory are RAM, the display and the BIOS. */
#define UART_MEMORY_LEAST 0x100000u
#define UART_REGISTERS    8u
#define UART_PC_BAUD      115200u /* of divisor 1: a PC's 1.8432 MHz by 16 */

struct uart {
    const struct uart_bus *bus;
    uint64_t base;       /* of its registers: an I/O port, or a physical address */
    uint8_t stride;      /* in memory, bytes from one register to the next: 1, 2 or 4 */
    uint8_t width;       /* in memory, bytes of an access: 1, 2 or 4 */
    uint32_t clock;      /* baud of divisor 1; 0: UART_PC_BAUD */
    uint32_t baud;       /* 0: as the firmware has set it, which uart_init() reads */
    bool present;        /* answered at uart_init() */
    bool dead;           /* a transmit wait ran out; nothing more is sent */
    bool interrupted;    /* the console's: Ctrl-C came in (kernel/console.c) */
    uint32_t sent, lost; /* bytes */
    /* Called with what uart_read() would return for a byte that comes in while uart_write() waits; NULL: it
     * stays in the FIFO, which loses those that come when it is full. */
    void (*received)(int byte);
};

/* "com1".."com4", "ttyS0".."ttyS3", "0x3f8" (ports 0x100-0xfff8), or "mmio:ADDRESS", "mmio16:ADDRESS",
 * "mmio32:ADDRESS" (registers in memory, 1, 2 or 4 bytes apart and as wide), then optionally ",RATE" (a
 * divisor of 115200), up to the end or a blank. Names in any case; also as Linux' console= and earlycon= have
 * them: "uart8250,io,0x3f8", "uart8250,mmio32,0xfe034000", ",115200n8". Returns false, leaving *u alone, when
 * it is anything else. */
bool uart_parse(const char *spec, struct uart *u);
/* The same ",RATE", or nothing, up to the end or a blank; 115200 where there is none. */
bool uart_parse_rate(const char *rest, uint32_t *baud);
/* What follows this name, in lower case here and in any there; NULL: spec begins otherwise. */
const char *uart_parse_name(const char *spec, const char *name);
/* Hexadecimal digits, 0 to max of them. Returns what follows them. */
const char *uart_parse_hex(const char *spec, unsigned max, uint64_t *value);
/* 8 data bits, no parity, 1 stop bit, FIFO on, no interrupts. Returns u->present. False with u->dead: it
 * answers, and takes no byte within 50 ms. What reads FFh everywhere is not written to. */
bool uart_init(struct uart *u);
void uart_write(struct uart *u, const char *data, unsigned len);
#define UART_LSR      5
#define UART_LSR_DATA 0x01
/* One received byte, UART_DAMAGED for one with a parity, framing, overrun or break error, UART_NOTHING. Never
 * waits. */
enum { UART_NOTHING = -1, UART_DAMAGED = -2 };
int uart_read(struct uart *u);
/* For code that must not branch much (kernel/repeated.h): the byte that is there, by what the one reading of
 * LSR said of it: that reading has cleared the errors. */
int uart_byte(struct uart *u, uint8_t lsr);
/* RTS: tells a line with hardware handshake whether bytes may come. */
void uart_accept(struct uart *u, bool on);
/* Wait (bounded) until the last byte has left the shift register, before the machine is switched off. */
void uart_drain(struct uart *u);
