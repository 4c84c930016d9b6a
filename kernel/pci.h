/* PCI's configuration space by mechanism 1 (ports CF8h and CFCh; PCI Local Bus 3.0, 3.2.2.3.2), which every
 * board with USB has. Nothing is written before pci_probe() has found it. */
#pragma once
#include "kernel/bootinfo.h"

struct pci_function {
    uint8_t bus, device, function; /* 0-255, 0-31, 0-7 */
};

/* Is there a PCI bus that mechanism 1 reaches? Ports are touched only if the firmware indicates PCI: UEFI,
 * ACPI's tables (acpi), or a BIOS with the 32-bit services of which PCI's are one. */
bool pci_probe(const struct bootinfo *bi, bool acpi);

/* Find the functions of a class (base class << 8 | subclass) on all buses, in ascending order. Returns their
 * number; the first max of them are in list. */
unsigned pci_find(uint16_t class, struct pci_function *list, unsigned max);
unsigned pci_find_base(uint8_t base_class, struct pci_function *list, unsigned max); /* any subclass */

/* reg: 0-255, or to 4095 where AMD's processors are told so (kernel/ibs_entry.c), a multiple of the width.
 * Where nothing answers, reads give all ones. */
uint32_t pci_read32(const struct pci_function *f, unsigned reg);
void pci_write8(const struct pci_function *f, unsigned reg, uint8_t value);
void pci_write16(const struct pci_function *f, unsigned reg, uint16_t value);
void pci_write32(const struct pci_function *f, unsigned reg, uint32_t value);
