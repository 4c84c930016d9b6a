#include "kernel/board.h"
#include "kernel/hw.h"
#include "kernel/mp_table.h"

/* MP specification 1.4, 3.6.2.1: the register is selected first. */
#define IMCR_SELECT   0x22
#define IMCR_DATA     0x23
#define IMCR_NUMBER   0x70
#define IMCR_THROUGH  1 /* the local APIC */
#define INTEL         0x8086u
#define LPC           0x0601u
#define SMBUS         0x0c05u
#define PCI_ID        0x00
#define PCI_CLASS     0x08
#define LPC_PMBASE    0x40 /* ICH9 datasheet, 13.1.11 */
#define LPC_ACPI_CNTL 0x44
#define ACPI_ON_ICH0  0x10u /* up to ICH5 */
#define ACPI_ON_ICH6  0x80u
#define SMBUS_TCOBASE 0x50 /* 100 series on: Linux, i2c-i801.c */
#define SMBUS_TCOCTL  0x54
#define TCO_ENABLED   0x100u
#define TCO_FROM_PM   0x60 /* ICH9 datasheet, 13.9 */
#define TCO_RLD       0x00 /* read: the present value */
#define TCO1_CNT      0x08
#define TCO_HALTED    0x800u
#define TCO_MS        600 /* a tick */

static enum imcr imcr_read(void)
{
    if (!mp_table_imcr()) return IMCR_ABSENT;
    hw_outb(IMCR_SELECT, IMCR_NUMBER);
    return hw_inb(IMCR_DATA) & IMCR_THROUGH ? IMCR_APIC : IMCR_PIC;
}

void board_probe(const struct bootinfo *bi, const struct smbios *smbios, struct board *out)
{
    static const char *const signature[] = {"WDAT", "WDRT", "SPMI"};
    struct acpi_table table[3];
    acpi_find(bi, signature, 3, table);
    *out = (struct board){.imcr = imcr_read(), .bmc = smbios->bmc || table[2].bytes};
    for (unsigned i = 0; i < 2 && !out->watchdog_table; i++)
        if (table[i].bytes) out->watchdog_table = signature[i];
}

static bool is_intels(const struct pci_function *f, unsigned class)
{
    return (pci_read32(f, PCI_ID) & 0xffff) == INTEL && pci_read32(f, PCI_CLASS) >> 16 == class;
}

/* The I/O base; 0: none. bits: of the counter. */
static uint16_t tco_base(uint32_t *bits)
{
    static const struct pci_function lpc = {0, 0x1f, 0}, smbus = {0, 0x1f, 4};
    *bits = 0x3ff;
    if (is_intels(&smbus, SMBUS) && pci_read32(&smbus, SMBUS_TCOCTL) & TCO_ENABLED)
        return pci_read32(&smbus, SMBUS_TCOBASE) & 0xffe0;
    if (!is_intels(&lpc, LPC)) return 0;
    const uint32_t pm = pci_read32(&lpc, LPC_PMBASE) & 0xff80, on = pci_read32(&lpc, LPC_ACPI_CNTL);
    if (!(on & ACPI_ON_ICH6)) *bits = 0x3f;
    return pm && on & (ACPI_ON_ICH0 | ACPI_ON_ICH6) ? (uint16_t)(pm + TCO_FROM_PM) : 0;
}

void board_probe_tco(struct board *out)
{
    uint32_t bits;
    const uint16_t base = tco_base(&bits);
    if (!base) return;
    const uint16_t control = hw_inw(base + TCO1_CNT);
    const uint32_t left = hw_inw(base + TCO_RLD) & bits;
    if (control == 0xffff || control & TCO_HALTED || !left) return;
    out->tco = base;
    out->tco_left_ms = left * TCO_MS;
}
