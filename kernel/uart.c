#include "kernel/uart.h"
#include "kernel/hw.h"
#include "kernel/repeated.h"
#include <string.h>

/* Register offsets and bits: National Semiconductor PC16550D data sheet, section 8. */
#define THR 0
#define RBR 0
#define DLL 0
#define IER 1
#define DLM 1
#define IIR 2
#define FCR 2
#define LCR 3
#define MCR 4
#define LSR UART_LSR

#define LCR_8N1   0x03
#define LCR_DLAB  0x80
#define FCR_ON    0x07 /* enable, clear both FIFOs */
#define MCR_READY 0x03 /* DTR, RTS */
#define IIR_FIFO  0xc0 /* both bits: a working FIFO; that of the first 16550 does not work */
#define LSR_DATA  UART_LSR_DATA
#define LSR_ERROR 0x1e /* overrun, parity, framing, break */
#define LSR_THRE  0x20
#define LSR_TEMT  0x40

#define CLOCK_BAUD 115200u
#define MIN_BAUD   50u
/* Reads of LSR before a UART is given up: a port read takes about a microsecond on an ISA or LPC bus, so two
 * seconds; a byte at 50 baud takes 0.2 s, and a management controller behind serial-over-LAN may stall that
 * long. */
#define MAX_POLLS  2000000u

/* ---- I/O ports ---- */

static const char *port_parse(const char *spec, uint32_t *base)
{
    static const uint16_t com[] = {0x3f8, 0x2f8, 0x3e8, 0x2e8};
    uint32_t port = 0;
    unsigned digits = 0;
    if (strncmp(spec, "com", 3) == 0 && spec[3] >= '1' && spec[3] <= '4') {
        *base = com[spec[3] - '1'];
        return spec + 4;
    }
    if (spec[0] != '0' || spec[1] != 'x') return NULL;
    for (spec += 2; digits < 4; spec++, digits++) {
        if (*spec >= '0' && *spec <= '9')
            port = port << 4 | (uint32_t)(*spec - '0');
        else if (*spec >= 'a' && *spec <= 'f')
            port = port << 4 | (uint32_t)(*spec - 'a' + 10);
        else
            break;
    }
    if (port < 0x100 || port > 0xfff8) return NULL;
    *base = port;
    return spec;
}

REPEATED static uint8_t port_read(const struct uart *u, unsigned reg)
{
    return hw_inb((uint16_t)(u->base + reg));
}

static void port_write(const struct uart *u, unsigned reg, uint8_t value)
{
    hw_outb((uint16_t)(u->base + reg), value);
}

static const struct uart_bus buses[] = {{"port", port_parse, port_read, port_write}};

/* ---- any UART ---- */

static uint8_t in(const struct uart *u, unsigned reg) { return u->bus->read(u, reg); }
static void out(const struct uart *u, unsigned reg, unsigned value) { u->bus->write(u, reg, (uint8_t)value); }

bool uart_parse(const char *spec, struct uart *u)
{
    const struct uart_bus *bus = buses, *end = buses + sizeof buses / sizeof *buses;
    const char *rest = NULL;
    uint32_t base, baud = CLOCK_BAUD;
    while (bus < end && !(rest = bus->parse(spec, &base))) bus++;
    if (!rest) return false;
    if (*rest == ',') {
        baud = 0;
        for (rest++; *rest >= '0' && *rest <= '9'; rest++) {
            baud = baud * 10 + (uint32_t)(*rest - '0');
            if (baud > CLOCK_BAUD) return false;
        }
        if (baud < MIN_BAUD || CLOCK_BAUD % baud != 0) return false;
    }
    if (*rest != '\0' && *rest != ' ' && *rest != '\t') return false;
    u->bus = bus;
    u->base = base;
    u->baud = baud;
    return true;
}

bool uart_init(struct uart *u)
{
    uint32_t divisor = CLOCK_BAUD / u->baud;
    u->dead = false;
    u->sent = u->lost = 0;
    out(u, LCR, LCR_DLAB | LCR_8N1);
    out(u, DLL, divisor & 0xff);
    out(u, DLM, divisor >> 8 & 0xff);
    /* The divisor latch reads back on every 8250 and later; an empty bus reads FFh. */
    bool latch = in(u, DLL) == (divisor & 0xff) && in(u, DLM) == (divisor >> 8 & 0xff);
    out(u, LCR, LCR_8N1);
    u->present = latch && in(u, LCR) == LCR_8N1;
    if (!u->present) return false;
    out(u, IER, 0);
    out(u, FCR, FCR_ON);
    if ((in(u, IIR) & IIR_FIFO) != IIR_FIFO) out(u, FCR, 0);
    out(u, MCR, MCR_READY);
    return true;
}

static bool wait_for(struct uart *u, uint8_t bits)
{
    for (uint32_t i = 0; i < MAX_POLLS; i++) {
        uint8_t lsr = in(u, LSR);
        if (lsr == 0xff) break; /* an empty bus: the UART has gone */
        if ((lsr & bits) == bits) return true;
    }
    u->dead = true;
    return false;
}

void uart_write(struct uart *u, const char *data, unsigned len)
{
    if (!u->present) return;
    for (unsigned i = 0; i < len; i++) {
        if (u->dead || !wait_for(u, LSR_THRE)) {
            u->lost += len - i;
            return;
        }
        out(u, THR, (uint8_t)data[i]);
        u->sent++;
    }
}

int uart_read(struct uart *u)
{
    if (!u->present || u->dead) return UART_NOTHING;
    uint8_t lsr = in(u, LSR);
    if (lsr == 0xff || !(lsr & LSR_DATA)) return UART_NOTHING;
    uint8_t byte = in(u, RBR); /* also removes a damaged byte */
    return lsr & LSR_ERROR ? UART_DAMAGED : byte;
}

void uart_drain(struct uart *u)
{
    if (u->present && !u->dead) wait_for(u, LSR_TEMT);
}
