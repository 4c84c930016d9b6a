/* What the firmware says that this machine is: its BIOS, its maker, its board (SMBIOS 3.7, DSP0134). */
#pragma once
#include "kernel/bootinfo.h"

#define SMBIOS_TEXT 48 /* with its NUL; a longer string ends there */

struct smbios {
    const char *source; /* "multiboot", "efi", "bios"; "none": there are no such tables */
    const char *fault;  /* what is wrong with them, in words; NULL: nothing */
    char bios_vendor[SMBIOS_TEXT], bios_version[SMBIOS_TEXT], bios_date[SMBIOS_TEXT];
    char system_maker[SMBIOS_TEXT], system_product[SMBIOS_TEXT];
    char board_maker[SMBIOS_TEXT], board_product[SMBIOS_TEXT]; /* "" where nothing is said */
    bool bmc; /* a management controller (type 38: IPMI device) */
};

/* The structures' bytes. */
struct smbios_table {
    uint64_t addr;
    uint32_t len; /* at most SMBIOS_TABLE_MAX */
    bool longer;  /* it was said to be longer */
};
#define SMBIOS_TABLE_MAX 0x40000u /* a server has some 20 KiB */

/* Find the tables: in the loader's tag, by UEFI's system table, or in F0000h-FFFFFh, in this order. NULL:
 * there are none; *fault may say why. Else the source, as above. */
const char *smbios_find(const struct bootinfo *bi, struct smbios_table *out, const char **fault);

/* Read the first BIOS, system and board structure of a table. What is not printable ASCII becomes '?'. What
 * was read before a fault is kept. Never fails: *out may stay empty. */
void smbios_read(const struct smbios_table *table, struct smbios *out);

/* Both. Every read goes through phys_peek(). Before the loader's memory is used for anything else. */
void smbios_probe(const struct bootinfo *bi, struct smbios *out);
