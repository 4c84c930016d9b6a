#include "kernel/pci.h"
#include "kernel/hw.h"
#include "kernel/lock.h"
#include <string.h>

#define ADDRESS 0xcf8
#define ENABLE  (1u << 31)
#define DATA    0xcfc

/* Configuration header, PCI Local Bus 3.0, 6.1 */
#define REG_ID       0x00
#define REG_CLASS    0x08 /* revision, interface, subclass, base class */
#define REG_HEADER   0x0c
#define HEADER_MULTI (1u << 23) /* of function 0: the device has others */

#define BUSES     256u
#define DEVICES   32u
#define FUNCTIONS 8u

#define CLASS_HOST_BRIDGE 0x0600
#define CLASS_VGA         0x0300
#define VENDOR_INTEL      0x8086
#define VENDOR_COMPAQ     0x0e11

/* All processors use the one address port. Between select() and the access to the data port, and
 * unselect(), it is the caller's. */
static struct lock ports;

static void select(const struct pci_function *f, unsigned reg)
{
    lock_take(&ports);
    hw_outl(ADDRESS, ENABLE | (reg & 0xf00) << 16 | (uint32_t)f->bus << 16 | (uint32_t)f->device << 11 |
                         (uint32_t)f->function << 8 | (reg & 0xfc));
}

static void unselect(void) { lock_give(&ports); }

uint32_t pci_read32(const struct pci_function *f, unsigned reg)
{
    select(f, reg);
    const uint32_t value = hw_inl(DATA);
    unselect();
    return value;
}

void pci_write8(const struct pci_function *f, unsigned reg, uint8_t value)
{
    select(f, reg);
    hw_outb((uint16_t)(DATA + (reg & 3)), value);
    unselect();
}

void pci_write16(const struct pci_function *f, unsigned reg, uint16_t value)
{
    select(f, reg);
    hw_outw((uint16_t)(DATA + (reg & 3)), value);
    unselect();
}

void pci_write32(const struct pci_function *f, unsigned reg, uint32_t value)
{
    select(f, reg);
    hw_outl(DATA, value);
    unselect();
}

/* The BIOS32 service directory (Phoenix, "Standard BIOS 32-bit Service Directory Proposal" 0.4): 16 bytes, or
 * as many paragraphs as its byte 9 says, that sum to zero. */
static bool bios32(void)
{
    enum { START = 0xe0000, END = 0x100000, PARAGRAPH = 16, AT_LENGTH = 9 };
    for (uint32_t at = START; at < END; at += PARAGRAPH) {
        const uint8_t *p = phys_peek(at, PARAGRAPH);
        if (!p || memcmp(p, "_32_", 4) != 0) continue;
        const unsigned bytes = p[AT_LENGTH] * PARAGRAPH;
        const uint8_t *all = bytes ? phys_peek(at, bytes) : NULL;
        uint8_t sum = 0;
        for (unsigned i = 0; all && i < bytes; i++) sum += all[i];
        if (all && sum == 0) return true;
    }
    return false;
}

/* Look on bus 0 for a device that every PC has: a host bridge or a VGA, or, since early host bridges have no
 * class, a device made by Intel or Compaq. (Linux, pci_sanity_check() in arch/x86/pci/direct.c.) */
static bool sane(void)
{
    struct pci_function f = {0, 0, 0};
    for (; f.device < DEVICES; f.device++) {
        const uint32_t id = pci_read32(&f, REG_ID), class = pci_read32(&f, REG_CLASS) >> 16;
        if (id == UINT32_MAX) continue;
        if (class == CLASS_HOST_BRIDGE || class == CLASS_VGA) return true;
        if ((id & 0xffff) == VENDOR_INTEL || (id & 0xffff) == VENDOR_COMPAQ) return true;
    }
    return false;
}

/* Port CFBh, which switches chip sets of 1993 from mechanism 2 to 1, is left alone: they have no USB. */
bool pci_probe(const struct bootinfo *bi, bool acpi)
{
    if (!bi->efi && !acpi && !bios32()) return false;
    lock_take(&ports);
    const uint32_t before = hw_inl(ADDRESS);
    hw_outl(ADDRESS, ENABLE);
    const bool keeps = hw_inl(ADDRESS) == ENABLE;
    unselect();
    const bool found = keeps && sane();
    lock_take(&ports);
    hw_outl(ADDRESS, before);
    unselect();
    return found;
}

/* All 256 buses, not only those that bridges of bus 0 lead to: large machines have several host bridges. */
static unsigned find(unsigned class, unsigned shift, struct pci_function *list, unsigned max)
{
    unsigned found = 0;
    for (unsigned at = 0; at < BUSES * DEVICES * FUNCTIONS; at++) {
        const struct pci_function f = {(uint8_t)(at / FUNCTIONS / DEVICES),
                                       (uint8_t)(at / FUNCTIONS % DEVICES), (uint8_t)(at % FUNCTIONS)};
        const bool present = pci_read32(&f, REG_ID) != UINT32_MAX;
        if (present && pci_read32(&f, REG_CLASS) >> shift == class) {
            if (found < max) list[found] = f;
            found++;
        }
        if (f.function == 0 && !(present && pci_read32(&f, REG_HEADER) & HEADER_MULTI)) at += FUNCTIONS - 1;
    }
    return found;
}

unsigned pci_find(uint16_t class, struct pci_function *list, unsigned max)
{
    return find(class, 16, list, max);
}

unsigned pci_find_base(uint8_t base_class, struct pci_function *list, unsigned max)
{
    return find(base_class, 24, list, max);
}
