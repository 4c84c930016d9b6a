/* The page below 640 KiB in which started processors begin: real mode reaches no other memory. */
#pragma once
#include "kernel/bootinfo.h"

/* Returns the address of the highest page that the loader's map says is available, and that neither a module,
 * the boot information, the BIOS data area nor the EBDA uses. If there is none, the highest available page
 * that the BIOS does not use: its bytes are in use and must be put back afterwards. Without a memory map that
 * is 8000h, as on every PC. Returns 0 if no page is available. Before paging_init(), since it reads page 0.
 */
uint32_t start_page_find(const struct bootinfo *bi);
