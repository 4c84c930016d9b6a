/* The board's own ways to disturb or end a measurement: watchdogs that somebody started, and interrupts that
 * do not pass the local APIC. All is read, and nothing is changed. */
#pragma once
#include "kernel/acpi.h"
#include "kernel/pci.h"
#include "kernel/smbios.h"

/* How the 8259s' interrupts and NMI reach the boot processor (MP specification 1.4, 3.6.2.1). */
enum imcr { IMCR_ABSENT, IMCR_PIC, IMCR_APIC };

struct board {
    enum imcr imcr;
    const char *watchdog_table; /* "WDAT", "WDRT": ACPI describes a watchdog; NULL: none */
    bool bmc;                   /* there is a management controller (ACPI's SPMI, SMBIOS type 38) */
    uint16_t tco;               /* I/O base of Intel's TCO timer that counts down; 0: none does */
    unsigned tco_left_ms;       /* until it reaches 0; the second time it resets the machine */
};

/* The tables. Before paging_init(), since the search for them reads page 0. */
void board_probe(const struct bootinfo *bi, const struct smbios *smbios, struct board *out);

/* The TCO timer. After pci_probe() has found PCI. */
void board_probe_tco(struct board *out);
