/* The part of ACPI that this kernel needs: the PM timer's port, and who made the tables. */
#pragma once
#include "kernel/bootinfo.h"

struct acpi_info {
    bool found;          /* a valid RSDP and root table */
    char oem[7];         /* OEM ID of the RSDP, e.g. "BOCHS " (Bochs and QEMU) */
    uint16_t pm_timer;   /* I/O port of the PM timer, 0 = none */
    bool pm_timer_32bit; /* else 24 bits wide */
};

/* Walk RSDP (from the loader, else searched in the EBDA and E0000h-FFFFFh) -> RSDT/XSDT -> FADT. Every length
 * and checksum is checked, every read goes through phys_peek(). Source: ACPI 6.5, 5.2.5-5.2.9. */
void acpi_probe(const struct bootinfo *bi, struct acpi_info *out);
