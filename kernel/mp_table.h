/* The processors of the MP table (Intel, MultiProcessor Specification 1.4), which boards have that are older
 * than ACPI. */
#pragma once
#include "kernel/madt.h"

/* A configuration table (4.2, 4.3.1) of `length` bytes, whose checksum has been checked. */
void mp_table_parse(const uint8_t *table, uint32_t length, struct processors_found *out);

/* Find it (4.1) and parse it. False: there is none. Before paging_init(), since it reads page 0. */
bool mp_table_find(struct processors_found *out);

/* Does the board have an IMCR (table 4-1, feature byte 2)? Without one, ports 22h and 23h may be another
 * device's. Before paging_init(), too. */
bool mp_table_imcr(void);
