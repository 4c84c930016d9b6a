/* Shared by the two multiboot parsers; private to kernel/bootinfo.c and multiboot*.c. */
#pragma once
#include "kernel/bootinfo.h"

/* Fill *out, which is empty, from the information structure at physical address info. */
void multiboot1_parse(uint64_t info, struct bootinfo *out);
void multiboot2_parse(uint64_t info, struct bootinfo *out);

/* Copy len bytes of physical memory; false (and dst untouched) where they cannot be read. */
bool boot_read(void *dst, uint64_t addr, size_t len);

/* Copy the string at addr, of at most limit bytes with its NUL, into dst[size], and terminate it. False where
 * dst does not hold all of it: too long, no NUL within limit, or unreadable memory before the NUL. */
bool boot_read_string(char *dst, size_t size, uint64_t addr, uint64_t limit);
void boot_read_cmdline(struct bootinfo *out, uint64_t addr, uint64_t limit);

/* A map's entries are length bytes at addr. boot_add_range() adds one of them; false ends the walk: no room
 * is left. A range that wraps around is refused and flagged in map_truncated. */
bool boot_add_range(struct bootinfo *out, uint64_t base, uint64_t len, uint32_t type);

/* mem_lower and mem_upper, both in KiB, for a loader that gives no usable map; does nothing when there is
 * one. */
void boot_add_meminfo(struct bootinfo *out, uint32_t lower_kib, uint32_t upper_kib);

/* name_addr 0: no name. A module that cannot be kept is counted in modules_dropped. */
void boot_add_module(struct bootinfo *out, uint64_t start, uint64_t end, uint64_t name_addr,
                     uint64_t name_limit);

/* The framebuffer fields are the same in both protocols: multiboot 1 section 3.3 (offsets 88-115), multiboot
 * 2 section 3.6.12. colour_info is left alone by a reader whose type is not RGB. */
struct multiboot_fb {
    uint64_t addr;
    uint32_t pitch, width, height;
    uint8_t bpp, type;
};
enum { FB_INDEXED, FB_RGB, FB_EGA_TEXT };

/* Take the framebuffer if its geometry is coherent. rgb: position and size of red, green, blue; NULL if
 * unreadable or not of type FB_RGB. */
void boot_set_fb(struct bootinfo *out, const struct multiboot_fb *fb, const uint8_t rgb[6]);
