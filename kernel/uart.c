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
#define MCR_RTS   0x02
#define IIR_FIFO  0xc0 /* both bits: a working FIFO; that of the first 16550 does not work */
#define LSR_DATA  UART_LSR_DATA
#define LSR_ERROR 0x1e /* overrun, parity, framing, break */
#define LSR_THRE  0x20
#define LSR_TEMT  0x40

#define MIN_BAUD    50u
/* Reads of LSR before a UART is given up: a port read takes about a microsecond on an ISA or LPC bus, so two
 * seconds; a byte at 50 baud takes 0.2 s, and a management controller behind serial-over-LAN may stall that
 * long. */
#define MAX_POLLS   2000000u
/* The same before the first byte, when FIFO and holding register have just been emptied: 50 ms at most. Below
 * SLOW_BAUD a byte of the loader's may still take longer than that to leave. */
#define FIRST_POLLS 20000u
#define SLOW_BAUD   1200u

const char *uart_parse_name(const char *spec, const char *name)
{
    for (; *name; spec++, name++)
        if ((*spec >= 'A' && *spec <= 'Z' ? *spec | 0x20 : *spec) != *name) return NULL;
    return spec;
}

const char *uart_parse_hex(const char *spec, unsigned max, uint64_t *value)
{
    *value = 0;
    for (; max; spec++, max--) {
        if (*spec >= '0' && *spec <= '9')
            *value = *value << 4 | (unsigned)(*spec - '0');
        else if ((*spec | 0x20) >= 'a' && (*spec | 0x20) <= 'f')
            *value = *value << 4 | (unsigned)((*spec | 0x20) - 'a' + 10);
        else
            break;
    }
    return spec;
}

/* ---- I/O ports ---- */

static const char *port_parse(const char *spec, char separator, struct uart *u)
{
    static const struct {
        const char *name;
        char first;
    } names[] = {{"com", '1'}, {"ttys", '0'}}; /* ttyS0 is Linux' name of com1 */
    static const uint16_t com[] = {0x3f8, 0x2f8, 0x3e8, 0x2e8};
    for (unsigned i = 0; i < 2 && separator == ':'; i++) {
        const char *digit = uart_parse_name(spec, names[i].name);
        const unsigned n = digit ? (unsigned)*digit - (unsigned)names[i].first : 4;
        if (n > 3) continue;
        u->base = com[n];
        return digit + 1;
    }
    if (separator == ',' && !(spec = uart_parse_name(spec, "io,"))) return NULL;
    if (!(spec = uart_parse_name(spec, "0x"))) return NULL;
    spec = uart_parse_hex(spec, 4, &u->base);
    return u->base < 0x100 || u->base > 0xfff8 ? NULL : spec;
}

REPEATED static uint8_t port_read(const struct uart *u, unsigned reg)
{
    return hw_inb((uint16_t)(u->base + reg));
}

static void port_write(const struct uart *u, unsigned reg, uint8_t value)
{
    hw_outb((uint16_t)(u->base + reg), value);
}

REPEATED_DATA const struct uart_bus uart_ports = {"port", port_parse, port_read, port_write};

/* ---- memory ---- */

static const char *memory_parse(const char *spec, char separator, struct uart *u)
{
    static const struct {
        const char *name;
        uint8_t bytes;
    } kinds[] = {{"mmio", 1}, {"mmio16", 2}, {"mmio32", 4}};
    for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const char *address = uart_parse_name(spec, kinds[i].name);
        if (!address || *address != separator || !(address = uart_parse_name(address + 1, "0x"))) continue;
        spec = uart_parse_hex(address, 16, &u->base);
        u->stride = u->width = kinds[i].bytes;
        return u->base >= UART_MEMORY_LEAST && !(u->base & (u->width - 1u)) && u->base >> 52 == 0 ? spec
                                                                                                  : NULL;
    }
    return NULL;
}

/* Not REPEATED, which has no room: a Pentium, whose caches would see it, has no such UART. */
static uint8_t memory_read(const struct uart *u, unsigned reg)
{
    const uint64_t at = u->base + reg * u->stride;
    if (u->width == 1) return hw_mmio_read8(at);
    return (uint8_t)(u->width == 2 ? hw_mmio_read16(at) : hw_mmio_read(at));
}

static void memory_write(const struct uart *u, unsigned reg, uint8_t value)
{
    const uint64_t at = u->base + reg * u->stride;
    if (u->width == 1)
        hw_mmio_write8(at, value);
    else if (u->width == 2)
        hw_mmio_write16(at, value);
    else
        hw_mmio_write(at, value);
}

REPEATED_DATA const struct uart_bus uart_memory = {"address", memory_parse, memory_read, memory_write};

static const struct uart_bus *const buses[] = {&uart_ports, &uart_memory};

/* ---- any UART ---- */

static uint8_t in(const struct uart *u, unsigned reg) { return u->bus->read(u, reg); }
static void out(const struct uart *u, unsigned reg, unsigned value) { u->bus->write(u, reg, (uint8_t)value); }

bool uart_parse_rate(const char *rest, uint32_t *baud)
{
    uint32_t rate = UART_PC_BAUD;
    if (*rest == ',') {
        rate = 0;
        for (rest++; *rest >= '0' && *rest <= '9'; rest++) {
            rate = rate * 10 + (uint32_t)(*rest - '0');
            if (rate > UART_PC_BAUD) return false;
        }
        if (rate < MIN_BAUD || UART_PC_BAUD % rate != 0) return false;
        const char *frame = uart_parse_name(rest, "n8"); /* Linux' no parity, 8 bits; no other is sent */
        if (frame) rest = frame;
    }
    if (*rest != '\0' && *rest != ' ' && *rest != '\t') return false;
    *baud = rate;
    return true;
}

bool uart_parse(const char *spec, struct uart *u)
{
    const char *of_linux = uart_parse_name(spec, "uart8250,");
    if (!of_linux) of_linux = uart_parse_name(spec, "uart,");
    for (unsigned i = 0; i < sizeof buses / sizeof *buses; i++) {
        struct uart one = {.bus = buses[i], .clock = UART_PC_BAUD};
        const char *rest = buses[i]->parse(of_linux ? of_linux : spec, of_linux ? ',' : ':', &one);
        if (!rest) continue;
        if (!uart_parse_rate(rest, &one.baud)) return false;
        *u = one;
        return true;
    }
    return false;
}

static uint32_t clock(const struct uart *u) { return u->clock ? u->clock : UART_PC_BAUD; }

#define DIVISOR_MAX 0xffffu

/* The nearest one, and *u has its rate. With baud 0 that of the firmware; one that is no rate is 115200's. */
static uint32_t divisor(struct uart *u)
{
    if (!u->baud) {
        const uint32_t found = in(u, DLL) | (uint32_t)in(u, DLM) << 8;
        u->baud = found ? clock(u) / found : 0;
        if (u->baud >= MIN_BAUD) return found;
        u->baud = UART_PC_BAUD;
    }
    uint32_t n = (clock(u) + u->baud / 2) / u->baud;
    if (n == 0) n = 1;
    if (n > DIVISOR_MAX) n = DIVISOR_MAX, u->baud = clock(u) / n;
    return n;
}

/* Memory keeps what is written to it. Of a UART the latch is another register than IER, whose upper bits are
 * zero. */
static bool is_memory(const struct uart *u, uint32_t was)
{
    out(u, LCR, LCR_DLAB | LCR_8N1);
    out(u, DLM, 0x5a);
    out(u, LCR, LCR_8N1);
    const bool same = in(u, IER) == 0x5a;
    out(u, LCR, LCR_DLAB | LCR_8N1);
    out(u, DLM, was >> 8 & 0xff);
    out(u, LCR, LCR_8N1);
    return same;
}

/* FIFO and holding register are empty: it can take a byte. */
static bool takes_bytes(const struct uart *u)
{
    for (uint32_t left = u->baud < SLOW_BAUD ? MAX_POLLS : FIRST_POLLS; left; left--) {
        const uint8_t lsr = in(u, LSR);
        if (lsr == 0xff) return false;
        if (lsr & LSR_THRE) return true;
    }
    return false;
}

bool uart_init(struct uart *u)
{
    u->dead = u->present = false;
    u->sent = u->lost = 0;
    if (in(u, LSR) == 0xff && in(u, LCR) == 0xff) return false;
    out(u, LCR, LCR_DLAB | LCR_8N1);
    const uint32_t n = divisor(u);
    out(u, DLL, n & 0xff);
    out(u, DLM, n >> 8 & 0xff);
    /* The divisor latch reads back on every 8250 and later; an empty bus reads FFh. */
    bool latch = in(u, DLL) == (n & 0xff) && in(u, DLM) == (n >> 8 & 0xff);
    out(u, LCR, LCR_8N1);
    if (!latch || in(u, LCR) != LCR_8N1 || (u->bus == &uart_memory && is_memory(u, n))) return false;
    out(u, IER, 0);
    out(u, FCR, FCR_ON);
    if ((in(u, IIR) & IIR_FIFO) != IIR_FIFO) out(u, FCR, 0);
    out(u, MCR, MCR_READY);
    u->dead = !takes_bytes(u);
    return u->present = !u->dead;
}

int uart_byte(struct uart *u, uint8_t lsr)
{
    if (lsr == 0xff) return UART_NOTHING; /* it has gone */
    const uint8_t byte = in(u, RBR);      /* also removes a damaged byte */
    return lsr & LSR_ERROR ? UART_DAMAGED : byte;
}

static bool wait_for(struct uart *u, uint8_t bits)
{
    for (uint32_t i = 0; i < MAX_POLLS; i++) {
        uint8_t lsr = in(u, LSR);
        if (lsr == 0xff) break; /* an empty bus: the UART has gone */
        if (lsr & LSR_DATA && u->received) u->received(uart_byte(u, lsr));
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
    const uint8_t lsr = in(u, LSR);
    if (!(lsr & LSR_DATA)) return UART_NOTHING;
    return uart_byte(u, lsr);
}

void uart_accept(struct uart *u, bool on)
{
    if (u->present && !u->dead) out(u, MCR, on ? MCR_READY : MCR_READY & ~MCR_RTS);
}

void uart_drain(struct uart *u)
{
    if (u->present && !u->dead) wait_for(u, LSR_TEMT);
}
