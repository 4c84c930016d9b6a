#include "kernel/acpi_serial.h"
#include <string.h>

/* ---- what both have: a kind and a generic address ---- */

/* DBG2's table 3, also SPCR's since its revision 2: subtypes of port type 8000h. */
enum {
    KIND_16550 = 0x00,
    KIND_16450 = 0x01,     /* revision 1 of SPCR: a 16550 without the DBGP's features */
    KIND_16550_GAS = 0x12, /* spacing and width are those of the generic address */
    KIND_LPSS = 0x14,      /* Intel's: 32-bit registers, four bytes apart */
};

/* ACPI 6.5, 5.2.3.2 */
struct __attribute__((packed)) generic_address {
    uint8_t space, bit_width, bit_offset, access_size;
    uint64_t address;
};
enum { SPACE_MEMORY = 0, SPACE_IO = 1, ACCESS_DWORD = 3 };

#define PORT_LEAST 0x100u /* below are the board's own devices */
#define PORT_MOST  0xfff8u
#define CLOCK_BY   16 /* a UART's clock by its baud */

static uint64_t field(const uint8_t *p, unsigned bytes)
{
    uint64_t v = 0;
    memcpy(&v, p, bytes); /* little-endian */
    return v;
}

/* Registers are as far apart as they are wide, or as an access is: firmware states one, the other, or both
 * (coreboot: width 0, accesses of 32 bits; Linux goes by the access). */
static const char *in_memory(const struct generic_address *at, unsigned kind, struct uart *u)
{
    const bool lpss = kind == KIND_LPSS;
    if (at->bit_width != 0 && at->bit_width != 8 && at->bit_width != 16 && at->bit_width != 32)
        return "its registers are neither 8 nor 16 nor 32 bits wide";
    if (at->access_size > ACCESS_DWORD)
        return "it asks for accesses that are neither 8 nor 16 nor 32 bits wide";
    const uint8_t apart = at->bit_width / 8, access = at->access_size ? 1u << (at->access_size - 1) : 0;
    u->stride = lpss ? 4 : apart > access ? apart : access ? access : 1;
    u->width = lpss ? 4 : access ? access : u->stride;
    if (u->base < UART_MEMORY_LEAST || u->base >> 52 || u->base & (u->width - 1u))
        return "its address is not one of a device";
    u->bus = &uart_memory;
    return NULL;
}

static const char *read_port(unsigned kind, const struct generic_address *at, struct uart *u)
{
    if (kind != KIND_16550 && kind != KIND_16450 && kind != KIND_16550_GAS && kind != KIND_LPSS)
        return "its UART is not compatible with a 16550";
    if (at->address == 0) return "its address is 0: the firmware uses no port";
    u->base = at->address;
    if (at->space == SPACE_MEMORY) return in_memory(at, kind, u);
    if (at->space != SPACE_IO) return "its address is neither in memory nor an I/O port";
    if (at->address < PORT_LEAST || at->address > PORT_MOST) return "its address is not that of an I/O port";
    u->bus = &uart_ports;
    return NULL;
}

/* ---- SPCR ---- */

enum {
    SPCR_REVISION = 8,
    SPCR_KIND = 36,
    SPCR_ADDRESS = 40,
    SPCR_BAUD = 58,
    SPCR_CLOCK = 76, /* Hz, since revision 3; 0: not known */
    SPCR_SHORTEST = 80,
    SPCR_EXACT_BAUD = 80, /* since revision 4; 0: see SPCR_BAUD */
    SPCR_EXACT_END = 84,
};

void spcr_read(const uint8_t *table, uint32_t length, struct acpi_port *out)
{
    static const uint32_t rates[] = {[3] = 9600, [4] = 19200, [6] = 57600, [7] = 115200};
    struct generic_address at;
    struct uart u = {.clock = UART_PC_BAUD};
    *out = (struct acpi_port){.fault = "it is shorter than such a table"};
    if (length < SPCR_SHORTEST) return;
    memcpy(&at, table + SPCR_ADDRESS, sizeof at);
    out->fault = read_port(table[SPCR_KIND], &at, &u);
    if (out->fault) return;
    const uint8_t code = table[SPCR_BAUD], revision = table[SPCR_REVISION];
    u.baud = code < sizeof rates / sizeof *rates ? rates[code] : 0; /* 0: as it is; so are undefined ones */
    const uint32_t clock = revision >= 3 ? (uint32_t)field(table + SPCR_CLOCK, 4) / CLOCK_BY : 0;
    if (clock) u.clock = clock;
    if (revision >= 4 && length >= SPCR_EXACT_END && field(table + SPCR_EXACT_BAUD, 4))
        u.baud = (uint32_t)field(table + SPCR_EXACT_BAUD, 4);
    if (u.baud > u.clock) {
        out->fault = "its clock is too slow for its rate";
        return;
    }
    out->uart = u;
}

/* ---- DBG2 ---- */

enum {
    DBG2_OFFSET = 36,
    DBG2_COUNT = 40,
    DBG2_HEADER = 44,
    /* a device's entry */
    DEVICE_LENGTH = 1,
    DEVICE_ADDRESSES = 3,
    DEVICE_TYPE = 12,
    DEVICE_SUBTYPE = 14,
    DEVICE_ADDRESS = 18, /* offset in the entry of its generic addresses */
    DEVICE_SHORTEST = 22,
    TYPE_SERIAL = 0x8000,
};

/* DBG2 states neither rate nor clock: debuggers use 115200 on a PC's clock. */
static void read_device(const uint8_t *device, uint32_t length, struct acpi_port *out)
{
    struct generic_address at;
    struct uart u = {.clock = UART_PC_BAUD, .baud = UART_PC_BAUD};
    const uint32_t where = (uint32_t)field(device + DEVICE_ADDRESS, 2);
    *out = (struct acpi_port){.fault = "its entry has no address"};
    if (device[DEVICE_ADDRESSES] == 0 || where < DEVICE_SHORTEST || where + sizeof at > length) return;
    memcpy(&at, device + where, sizeof at);
    out->fault = read_port((unsigned)field(device + DEVICE_SUBTYPE, 2), &at, &u);
    if (!out->fault) out->uart = u;
}

unsigned dbg2_read(const uint8_t *table, uint32_t length, struct acpi_port *out, unsigned max)
{
    unsigned n = 0;
    if (max == 0) return 0;
    *out = (struct acpi_port){.fault = "it is shorter than such a table"};
    if (length < DBG2_HEADER) return 1;
    uint64_t at = field(table + DBG2_OFFSET, 4);
    for (uint64_t left = field(table + DBG2_COUNT, 4); left && n < max; left--) {
        const uint32_t size = at >= DBG2_HEADER && at + DEVICE_SHORTEST <= length
                                  ? (uint32_t)field(table + at + DEVICE_LENGTH, 2)
                                  : 0;
        if (size < DEVICE_SHORTEST || at + size > length) { /* the entries behind it cannot be found */
            out[n++] = (struct acpi_port){.fault = "an entry's length is wrong"};
            break;
        }
        if (field(table + at + DEVICE_TYPE, 2) == TYPE_SERIAL) read_device(table + at, size, &out[n++]);
        at += size;
    }
    return n;
}
