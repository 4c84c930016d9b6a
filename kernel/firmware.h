/* What the firmware tells of the machine. */
#pragma once
#include "kernel/machine.h"

/* ACPI's and SMBIOS' tables, the processors that it lists, the page where these can begin, the board's
 * devices, the date: m->acpi, found, start_page, smbios, board, has_date and date. m->boot is there. Before
 * paging_init(), since it reads page 0, and before memory_check(), since the loader's copies lie in the pool.
 */
void firmware_read(struct machine *m);
