/* Switches a PC off by ACPI (ACPI 6.5, 4.8.3.2.1 and 16.1.3). The methods _PTS and \_GTS are not executed,
 * since that needs an interpreter of AML: boards that need them stay on. */
#pragma once
#include "kernel/acpi_s5.h"

/* s5->lacks is NULL. Returns if the machine is still on after two seconds or, where the firmware has
 * to enter ACPI mode first, three seconds more. */
void power_off(const struct acpi_s5 *s5);
