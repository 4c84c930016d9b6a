/* Multiboot 1 information: Multiboot Specification 0.6.96, section 3.3. */
#include "kernel/multiboot.h"
#include <stddef.h>

enum {
    INFO_MEMORY = 1 << 0,
    INFO_CMDLINE = 1 << 2,
    INFO_MODS = 1 << 3,
    INFO_MMAP = 1 << 6,
    INFO_LOADER_NAME = 1 << 9,
    INFO_FRAMEBUFFER = 1 << 12,
};

/* Offsets of the fields that are read. Each group is read by itself and only when its flag is set: the
 * structure has grown, and an older loader's is shorter. */
enum {
    AT_FLAGS = 0,
    AT_MEM = 4, /* lower, upper */
    AT_CMDLINE = 16,
    AT_MODS = 20, /* count, address */
    AT_MMAP = 44, /* length, address */
    AT_LOADER_NAME = 64,
    AT_FRAMEBUFFER = 88,
    AT_COLOUR_INFO = 110,
    INFO_BYTES = 116,
};

static void read_mmap(uint64_t addr, uint64_t length, struct bootinfo *out)
{
    /* size does not count itself, and may be larger than the 20 bytes described so far. */
    struct __attribute__((packed)) {
        uint32_t size;
        uint64_t base, len;
        uint32_t type;
    } e;
    enum { SIZE_FIELD = 4, SIZE_MIN = sizeof e - SIZE_FIELD };

    /* The walk is bounded by entries as well as by bytes: entries that are refused take no room. */
    for (unsigned i = 0; length; i++) {
        if (i > BOOT_RANGES || length < sizeof e || !boot_read(&e, addr, sizeof e) || e.size < SIZE_MIN ||
            e.size > length - SIZE_FIELD) {
            out->map_truncated = true;
            return;
        }
        if (!boot_add_range(out, e.base, e.len, e.type)) return;
        addr += (uint64_t)e.size + SIZE_FIELD;
        length -= (uint64_t)e.size + SIZE_FIELD;
    }
}

static void read_modules(uint64_t addr, uint32_t count, struct bootinfo *out)
{
    const uint32_t n = count < BOOT_MODULES ? count : BOOT_MODULES;
    uint32_t i;
    for (i = 0; i < n; i++) {
        uint32_t m[4]; /* start, end, string, reserved */
        if (!boot_read(m, addr + (uint64_t)i * sizeof m, sizeof m)) break;
        boot_add_module(out, m[0], m[1], m[2], UINT64_MAX);
    }
    out->modules_dropped += count - i;
}

static void read_framebuffer(uint64_t info, struct bootinfo *out)
{
    struct multiboot_fb fb;
    uint8_t rgb[6];
    if (!boot_read(&fb, info + AT_FRAMEBUFFER, offsetof(struct multiboot_fb, type) + 1)) return;
    bool rgb_given = fb.type == FB_RGB && boot_read(rgb, info + AT_COLOUR_INFO, sizeof rgb);
    boot_set_fb(out, &fb, rgb_given ? rgb : NULL);
}

/* Two consecutive 32-bit fields, if the flag announces them and they can be read. */
static bool read_pair(uint64_t info, uint32_t flags, uint32_t flag, unsigned offset, uint32_t pair[2])
{
    return (flags & flag) && boot_read(pair, info + offset, 2 * sizeof pair[0]);
}

void multiboot1_parse(uint64_t info, struct bootinfo *out)
{
    uint32_t flags, string, pair[2];
    if (!boot_read(&flags, info + AT_FLAGS, sizeof flags)) return;
    out->info = info;
    out->info_bytes = INFO_BYTES;

    if ((flags & INFO_CMDLINE) && boot_read(&string, info + AT_CMDLINE, sizeof string) && string)
        boot_read_cmdline(out, string, UINT64_MAX);
    if ((flags & INFO_LOADER_NAME) && boot_read(&string, info + AT_LOADER_NAME, sizeof string))
        boot_read_string(out->loader, sizeof out->loader, string, UINT64_MAX);
    if (read_pair(info, flags, INFO_MMAP, AT_MMAP, pair)) read_mmap(pair[1], pair[0], out);
    if (read_pair(info, flags, INFO_MEMORY, AT_MEM, pair)) boot_add_meminfo(out, pair[0], pair[1]);
    if (read_pair(info, flags, INFO_MODS, AT_MODS, pair)) read_modules(pair[1], pair[0], out);
    if (flags & INFO_FRAMEBUFFER) read_framebuffer(info, out);
}
