/* How ACPI switches a PC off: the sleeping state S5. Parsed only; kernel/power_off.h does it. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct acpi_s5 {
    const char *lacks;   /* why this machine cannot be switched off, in words; NULL: it can */
    uint16_t pm1a, pm1b; /* ports of the PM1 control registers; pm1b 0: there is only one */
    uint8_t type[2];     /* SLP_TYP of each, 0-7 */
    uint16_t smi_port;   /* `enable` written there puts the machine into ACPI mode; 0: it always is */
    uint8_t enable;
};

/* The registers that a FADT names (ACPI 6.5, 5.2.9, table 5.9). length: of the table, whose checksum is
 * right. Sets everything but type; lacks, where there are none that this kernel can write. */
void s5_registers(const uint8_t *fadt, uint32_t length, struct acpi_s5 *out);

/* The physical address of the DSDT that a FADT names; 0: none. */
uint64_t s5_dsdt(const uint8_t *fadt, uint32_t length);

/* The package \_S5 of a definition block: `length` bytes of AML, its header included or not. The name is
 * looked for by its bytes, without interpreting the code before it, as other small kernels do: an object of
 * this name has no other use. False: there is none that is whole and has the form that 7.4.2 of ACPI 6.5 asks
 * for. */
bool s5_types(const uint8_t *aml, uint32_t length, uint8_t type[2]);
