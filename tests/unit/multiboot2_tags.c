/* The tags of multiboot2_tags.h. */
#include "tests/unit/multiboot2_tags.h"
#include <stddef.h>

uint32_t tag_at;

uint32_t mb2(void)
{
    loader_start();
    put32(0);
    put32(0);
    return LOADER_BASE;
}

void tag(uint32_t type)
{
    while (loader_end() % 8) put8(0);
    tag_at = put32(type);
    put32(0);
}

void end_tag(void) { poke32(tag_at + 4, loader_end() - tag_at); }

void finish(void)
{
    tag(0);
    end_tag();
    poke32(LOADER_BASE, loader_end() - LOADER_BASE);
}

void string_tag(uint32_t type, const char *s)
{
    tag(type);
    put_string(s);
    end_tag();
}

void map_entry(uint64_t base, uint64_t len, uint32_t type, uint32_t size)
{
    put64(base);
    put64(len);
    put32(type);
    for (uint32_t i = 20; i < size; i++) put8(0);
}

void fb_tag(uint64_t addr, uint32_t pitch, uint32_t width, uint32_t height, uint8_t bpp, uint8_t type,
            const uint8_t rgb[6])
{
    tag(8);
    put64(addr);
    put32(pitch), put32(width), put32(height);
    put(&bpp, 1), put(&type, 1), put("\0", 2);
    if (rgb) put(rgb, 6);
    end_tag();
}

const uint8_t rgb888[6] = {16, 8, 8, 8, 0, 8};
