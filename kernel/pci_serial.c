#include "kernel/pci_serial.h"
#include <stddef.h>

/* Configuration header, PCI Local Bus 3.0, 6.1; classes, PCI Code and ID Assignment 1.11, 1.8. */
#define REG_ID         0x00
#define REG_COMMAND    0x04
#define COMMAND_IO     (1u << 0)
#define COMMAND_MEMORY (1u << 1)
#define REG_CLASS      0x08
#define REG_HEADER     0x0c
#define HEADER(v)      ((v) >> 16 & 0x7f) /* 0: a device's, with six BARs */
#define REG_BAR        0x10
#define BARS           6u
#define BAR_IO         (1u << 0)
#define BAR_64         (2u << 1)
#define BAR_TYPE       (3u << 1)

#define CLASS_COMMUNICATION 0x07
#define COMMUNICATION_MAX   32u
#define CLASS_SERIAL        0x0700
#define CLASS_MULTIPORT     0x0702
/* Of CLASS_SERIAL: 16550, 16650, 16750, 16850, 16950. Of CLASS_MULTIPORT: 0, none is defined. */
#define INTERFACE_16550     2
#define INTERFACE_16950     6

#define PORT_MOST 0xfff8u

/* Cards whose clock or layout is not a PC's. Facts: Linux, drivers/tty/serial/8250/8250_exar.c (921,600 and
 * 7,812,500 baud, BAR 0) and 8250_pci.c (pbn_oxsemi_*: 3,906,250 baud, 1000h into BAR 0; "legacy" UARTs at
 * I/O ports). */
static const struct card {
    uint16_t vendor;
    uint16_t device[10];
    uint32_t clock; /* baud of divisor 1 */
    uint32_t first; /* where the registers of the first port begin */
    bool memory;    /* in BAR 0; else at I/O ports */
} cards[] = {
    {0x13a8, {0x0152, 0x0154, 0x0158}, 921600, 0, true},                  /* Exar XR17C15x */
    {0x13a8, {0x0352, 0x0354, 0x0358, 0x4358, 0x8358}, 7812500, 0, true}, /* Exar XR17V35x */
    {0x1415,
     {0xc11b, 0xc11f, 0xc138, 0xc13d, 0xc158, 0xc15d, 0xc208, 0xc20d, 0xc308, 0xc30d},
     3906250,
     0x1000,
     true}, /* Oxford OXPCIe952, 954, 958: native UARTs */
    {0x1415,
     {0xc101, 0xc105, 0xc120, 0xc124, 0xc140, 0xc141, 0xc144, 0xc145},
     3906250,
     0,
     false}, /* OXPCIe952: legacy UARTs */
};

static const struct card *find_card(uint32_t id)
{
    for (const struct card *c = cards; c < cards + sizeof cards / sizeof *cards; c++)
        for (unsigned i = 0; c->vendor == (id & 0xffff) && i < sizeof c->device / sizeof *c->device; i++)
            if (c->device[i] && c->device[i] == id >> 16) return c;
    return NULL;
}

static bool is_serial(const struct pci_function *f)
{
    const uint32_t class = pci_read32(f, REG_CLASS), interface = class >> 8 & 0xff;
    return (class >> 16 == CLASS_SERIAL && interface >= INTERFACE_16550 && interface <= INTERFACE_16950) ||
           (class >> 16 == CLASS_MULTIPORT && interface == 0);
}

unsigned pci_serial_find(struct pci_function *list, unsigned max)
{
    struct pci_function all[COMMUNICATION_MAX];
    const unsigned n = pci_find_base(CLASS_COMMUNICATION, all, COMMUNICATION_MAX);
    unsigned found = 0;
    for (unsigned i = 0; i < n && i < COMMUNICATION_MAX; i++) {
        if (!is_serial(&all[i])) continue;
        if (found < max) list[found] = all[i];
        found++;
    }
    return found;
}

/* The first BAR of I/O ports that has an address; 0: none has. */
static uint64_t ports_bar(const struct pci_function *f)
{
    for (unsigned i = 0; i < BARS; i++) {
        const uint32_t low = pci_read32(f, REG_BAR + 4 * i);
        if (low & BAR_IO && low >> 2) return low & ~3u;
    }
    return 0;
}

/* BAR 0, if it is memory; 0: it is not, or has no address. */
static uint64_t memory_bar(const struct pci_function *f)
{
    const uint32_t low = pci_read32(f, REG_BAR);
    if (low & BAR_IO) return 0;
    const uint64_t high = (low & BAR_TYPE) == BAR_64 ? pci_read32(f, REG_BAR + 4) : 0;
    return high << 32 | (low & ~0xfu);
}

const char *pci_serial_port(const struct pci_function *f, bool enable, struct uart *u)
{
    const uint32_t id = pci_read32(f, REG_ID), command = pci_read32(f, REG_COMMAND) & 0xffff;
    if (id == UINT32_MAX) return "there is no such PCI function";
    if (!is_serial(f)) return "its class is not that of a serial port with the interface of a 16550";
    if (HEADER(pci_read32(f, REG_HEADER)) != 0) return "its header is not that of a device";
    const struct card *card = find_card(id);
    const bool memory = card && card->memory;
    const uint64_t base = memory ? memory_bar(f) : ports_bar(f);
    if (!base && !memory && memory_bar(f))
        return "its registers are in memory, in a layout that this kernel does not know; "
               "console=mmio:0xADDRESS, mmio16: or mmio32: names one";
    if (!base) return "the firmware has given it no address";
    if (!memory && base > PORT_MOST) return "its address is not that of an I/O port";
    const uint32_t needed = memory ? COMMAND_MEMORY : COMMAND_IO;
    if (!(command & needed)) {
        if (!enable) return "the firmware has switched it off; console=pci: with its place switches it on";
        pci_write16(f, REG_COMMAND, (uint16_t)(command | needed));
    }
    *u = (struct uart){.bus = memory ? &uart_memory : &uart_ports,
                       .base = base + (card ? card->first : 0),
                       .stride = 1,
                       .width = 1,
                       .clock = card ? card->clock : UART_PC_BAUD};
    return NULL;
}
