/* The part of ACPI that this kernel needs: the PM timer's port, how to switch off, who made the tables, and
 * tables by name. */
#pragma once
#include "kernel/acpi_s5.h"
#include "kernel/bootinfo.h"

struct acpi_info {
    bool found;          /* a valid RSDP and root table */
    char oem[7];         /* OEM ID of the RSDP, e.g. "BOCHS " (Bochs and QEMU) */
    uint16_t pm_timer;   /* I/O port of the PM timer, 0 = none */
    bool pm_timer_32bit; /* else 24 bits wide */
    struct acpi_s5 s5;   /* how the machine is switched off, or why it cannot be */
};

/* Walk RSDP (from the loader, else searched in the EBDA and E0000h-FFFFFh) -> RSDT/XSDT -> FADT -> DSDT.
 * Every length and checksum is checked, every read goes through phys_peek(). Source: ACPI 6.5, 5.2.5-5.2.9.
 */
void acpi_probe(const struct bootinfo *bi, struct acpi_info *out);

struct acpi_table {
    const uint8_t *bytes; /* length of them; NULL: there is no such table that can be used */
    uint32_t length;
    const char *fault; /* why the one that is there cannot be; NULL: there is none */
};
/* The first whole table of each of n signatures (four letters), by the XSDT, else the RSDT. Returns whether
 * there is a valid root table. Before paging_init(), since the search for the RSDP reads page 0. */
bool acpi_find(const struct bootinfo *bi, const char *const *signature, unsigned n, struct acpi_table *out);
