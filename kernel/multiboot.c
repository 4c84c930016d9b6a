/* Functions shared by the parsers of both multiboot protocols: reading memory, and filling struct bootinfo.
 */
#include "kernel/multiboot.h"
#include <string.h>

bool boot_read(void *dst, uint64_t addr, size_t len)
{
    const void *src = phys_peek(addr, len);
    if (src) memcpy(dst, src, len);
    return src != NULL;
}

/* One byte at a time: the string's end is unknown, and memory after its NUL may be unreadable. */
bool boot_read_string(char *dst, size_t size, uint64_t addr, uint64_t limit)
{
    for (size_t i = 0; i < size; i++) {
        if (i == limit || !boot_read(&dst[i], addr + i, 1)) {
            dst[i] = '\0';
            return false;
        }
        if (dst[i] == '\0') return true;
    }
    dst[size - 1] = '\0';
    return false;
}

void boot_read_cmdline(struct bootinfo *out, uint64_t addr, uint64_t limit)
{
    out->cmdline_raw = phys_peek(addr, 1);
    out->cmdline_too_long = !boot_read_string(out->cmdline, sizeof out->cmdline, addr, limit);
}

bool boot_add_range(struct bootinfo *out, uint64_t base, uint64_t len, uint32_t type)
{
    if (out->n_map == BOOT_RANGES) {
        out->map_truncated = true;
        return false;
    }
    if (base + len < base) {
        out->map_truncated = true;
        return true;
    }
    out->map[out->n_map++] = (struct mem_range){.base = base, .len = len, .type = type};
    out->map_source = MAP_MMAP;
    return true;
}

void boot_add_meminfo(struct bootinfo *out, uint32_t lower_kib, uint32_t upper_kib)
{
    if (out->map_source != MAP_NONE) return;
    /* More than 1 MiB of lower memory is an error: it would overlap the upper range. */
    if (lower_kib > 1024) out->map_truncated = true;
    if (lower_kib && lower_kib <= 1024) boot_add_range(out, 0, (uint64_t)lower_kib * 1024, MEM_AVAILABLE);
    if (upper_kib) boot_add_range(out, 0x100000, (uint64_t)upper_kib * 1024, MEM_AVAILABLE);
    if (out->n_map) out->map_source = MAP_MEMINFO;
}

void boot_add_module(struct bootinfo *out, uint64_t start, uint64_t end, uint64_t name_addr,
                     uint64_t name_limit)
{
    if (end < start || out->n_modules == BOOT_MODULES) {
        out->modules_dropped++;
        return;
    }
    struct boot_module *m = &out->module[out->n_modules++];
    m->start = start;
    m->end = end;
    if (name_addr) boot_read_string(m->name, sizeof m->name, name_addr, name_limit);
}

static bool field_fits(const uint8_t field[2], unsigned bpp)
{
    return field[1] > 0 && field[0] + field[1] <= bpp;
}

void boot_set_fb(struct bootinfo *out, const struct multiboot_fb *fb, const uint8_t rgb[6])
{
    /* A text cell is a character and an attribute byte, whatever the loader says in bpp. */
    unsigned bpp = fb->type == FB_EGA_TEXT ? 16 : fb->bpp;
    uint64_t bytes = (uint64_t)fb->pitch * fb->height;

    if (fb->type > FB_EGA_TEXT || bpp == 0 || bpp > 32 || fb->width == 0 || fb->height == 0) return;
    if (fb->pitch < (uint64_t)fb->width * ((bpp + 7) / 8)) return;
    if (fb->addr + bytes < fb->addr) return; /* it wraps around */
    if (fb->type == FB_RGB &&
        (!rgb || !field_fits(&rgb[0], bpp) || !field_fits(&rgb[2], bpp) || !field_fits(&rgb[4], bpp)))
        return;

    struct boot_fb *to = &out->fb;
    *to = (struct boot_fb){.addr = fb->addr,
                           .pitch = fb->pitch,
                           .width = fb->width,
                           .height = fb->height,
                           .bpp = (uint8_t)bpp,
                           .type = fb->type};
    if (fb->type != FB_RGB) return;
    to->red_pos = rgb[0], to->red_size = rgb[1];
    to->green_pos = rgb[2], to->green_size = rgb[3];
    to->blue_pos = rgb[4], to->blue_size = rgb[5];
}
