/* The loader's information, multiboot 1 or 2, copied to a safe place before anything else runs.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MULTIBOOT1_MAGIC 0x2badb002u /* EAX at entry, Multiboot 0.6.96 section 3.2 */
#define MULTIBOOT2_MAGIC 0x36d76289u /* EAX at entry, Multiboot2 2.0 section 3.3 */

#define CMDLINE_MAX 4096 /* bytes without the NUL; a longer line is an error, never a truncation */

enum { MEM_AVAILABLE = 1 }; /* other types are the firmware's own numbers */
struct mem_range {
    uint64_t base, len;
    uint32_t type;
};

struct boot_module {
    uint64_t start, end; /* physical, end exclusive */
    char name[64];
};

struct boot_fb { /* framebuffer; type: 0 indexed, 1 RGB, 2 EGA text; addr 0 = none */
    uint64_t addr;
    uint32_t pitch, width, height; /* bytes per line; pixels (characters for EGA text) */
    uint8_t bpp, type;
    uint8_t red_pos, red_size, green_pos, green_size, blue_pos, blue_size;
};

enum map_source {
    MAP_NONE,
    MAP_MEMINFO,
    MAP_MMAP
}; /* no memory information; mem_lower/upper only; a full map */

#define BOOT_RANGES 128
#define BOOT_MODULES \
    18 /* 16 of the user's (kernel/module.h), one more that is refused by name, the event database */
struct bootinfo {
    unsigned protocol; /* 1 or 2; 0 = not a multiboot loader */
    uint64_t info;     /* the information structure itself, which cmdline_raw and smbios may point into */
    uint32_t info_bytes;
    char loader[64]; /* "" where not given */
    char cmdline[CMDLINE_MAX + 1];
    const char
        *cmdline_raw; /* the loader's own, complete copy; valid until its memory is used for other things */
    bool cmdline_too_long; /* or its end is unreadable: cmdline holds what there is, up to CMDLINE_MAX */
    enum map_source map_source;
    bool map_truncated; /* an entry was truncated or malformed, or there were more than BOOT_RANGES */
    struct mem_range map[BOOT_RANGES];
    unsigned n_map;
    struct boot_module module[BOOT_MODULES];
    unsigned n_modules, modules_dropped;
    uint8_t rsdp[36];    /* copy of the ACPI RSDP from tags 14/15 */
    unsigned rsdp_len;   /* 0 where the loader gave none (BIOS: search for it) */
    bool efi;            /* started by UEFI, as a multiboot 2 loader says; multiboot 1 cannot */
    uint64_t efi_system; /* its system table, from tags 11/12; 0: not given */
    bool efi_system_64;  /* whose pointers have 64 bits */
    uint64_t smbios; /* the loader's copy of the SMBIOS structures, from tag 13; valid as cmdline_raw is */
    uint32_t smbios_len; /* 0: not given */
    struct boot_fb fb;
};

/* Copy everything out of the information structure that the loader left. magic: EAX at entry; info: EBX at
 * entry (physical address). Never fails: missing or malformed parts are left empty and reported in the flags
 * above. */
void bootinfo_parse(uint32_t magic, uint32_t info, struct bootinfo *out);

/* Physical memory as seen by the parser: a pointer to len bytes at addr, or NULL where that range cannot be
 * looked at (address 0, wrap-around, beyond 4 GiB, or, on the host, outside the test's buffer).
 * Kernel: kernel/phys.c; tests and fuzzers bring their own. */
const void *phys_peek(uint64_t addr, size_t len);
