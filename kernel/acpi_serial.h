/* Serial ports in ACPI's tables: Microsoft's SPCR (Serial Port Console Redirection Table, revisions 1 to 4)
 * and DBG2 (Debug Port Table 2, revision 0). Length and checksum of the table have been checked
 * (acpi_find()). */
#pragma once
#include "kernel/uart.h"

struct acpi_port {
    struct uart uart;  /* bus NULL: none that can be used */
    const char *fault; /* then why, in words that follow "passed over: " */
};

void spcr_read(const uint8_t *table, uint32_t length, struct acpi_port *out);
/* The serial ports among its debug ports. Returns their number, max at most. */
unsigned dbg2_read(const uint8_t *table, uint32_t length, struct acpi_port *out, unsigned max);
