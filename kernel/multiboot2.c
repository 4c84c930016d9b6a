/* Multiboot 2 information: Multiboot2 Specification 2.0, section 3.6. */
#include "kernel/multiboot.h"
#include <stddef.h>
#include <string.h>

enum {
    TAG_END = 0,
    TAG_CMDLINE = 1,
    TAG_LOADER_NAME = 2,
    TAG_MODULE = 3,
    TAG_MEMINFO = 4,
    TAG_MMAP = 6,
    TAG_FRAMEBUFFER = 8,
    TAG_EFI32_SYSTEM = 11,
    TAG_EFI64_SYSTEM = 12,
    TAG_SMBIOS = 13,
    TAG_RSDP_OLD = 14,
    TAG_RSDP_NEW = 15,
};

enum {
    HEADER = 8,     /* of the structure: total_size, reserved; of a tag: type, size */
    TAG_MAX = 4096, /* GRUB gives about a dozen and one for each module */
    RSDP_V1_SIZE = 20,
};

/* A tag's contents: the number of bytes after its header, and the part of them within total_size. */
struct body {
    uint64_t addr, len;
    bool cut; /* the tag is longer than total_size allows */
};

static bool read_at(void *dst, const struct body *b, unsigned offset, size_t len)
{
    return b->len >= offset + len && boot_read(dst, b->addr + offset, len);
}

static void read_cmdline(const struct body *b, struct bootinfo *out)
{
    boot_read_cmdline(out, b->addr, b->len);
}

static void read_loader_name(const struct body *b, struct bootinfo *out)
{
    boot_read_string(out->loader, sizeof out->loader, b->addr, b->len);
}

static void read_module(const struct body *b, struct bootinfo *out)
{
    uint32_t range[2];
    if (read_at(range, b, 0, sizeof range))
        boot_add_module(out, range[0], range[1], b->addr + sizeof range, b->len - sizeof range);
    else
        out->modules_dropped++;
}

static void read_mmap(const struct body *b, struct bootinfo *out)
{
    struct {
        uint32_t size, version;
    } entry;
    struct {
        uint64_t base, len;
        uint32_t type, reserved;
    } e;

    if (out->map_source == MAP_MMAP) return;
    if (!read_at(&entry, b, 0, sizeof entry) || entry.size < sizeof e) {
        out->map_truncated = true;
        return;
    }
    uint64_t offset = sizeof entry;
    unsigned i = 0; /* bounds the walk: entries that are refused take no room */
    for (; b->len - offset >= entry.size && i <= BOOT_RANGES; offset += entry.size, i++) {
        if (!boot_read(&e, b->addr + offset, sizeof e)) break;
        if (!boot_add_range(out, e.base, e.len, e.type)) return;
    }
    if (b->cut || offset != b->len) out->map_truncated = true;
}

static void read_framebuffer(const struct body *b, struct bootinfo *out)
{
    /* Two reserved bytes follow the type: the colour information is at 24 (32 from the tag's start). */
    enum { COLOUR_INFO = 24 };
    struct multiboot_fb fb;
    uint8_t rgb[6];
    if (!read_at(&fb, b, 0, offsetof(struct multiboot_fb, type) + 1)) return;
    bool rgb_given = fb.type == FB_RGB && read_at(rgb, b, COLOUR_INFO, sizeof rgb);
    boot_set_fb(out, &fb, rgb_given ? rgb : NULL);
}

/* Either tag means that UEFI started this machine. */
static void read_efi(const struct body *b, struct bootinfo *out, unsigned bytes)
{
    uint64_t table = 0;
    out->efi = true;
    if (!read_at(&table, b, 0, bytes)) return;
    out->efi_system = table;
    out->efi_system_64 = bytes == sizeof table;
}

static void read_efi32(const struct body *b, struct bootinfo *out) { read_efi(b, out, 4); }
static void read_efi64(const struct body *b, struct bootinfo *out) { read_efi(b, out, 8); }

/* Version and six reserved bytes, then the structures. */
static void read_smbios(const struct body *b, struct bootinfo *out)
{
    enum { STRUCTURES = 8 };
    if (b->len <= STRUCTURES) return;
    out->smbios = b->addr + STRUCTURES;
    out->smbios_len = (uint32_t)(b->len - STRUCTURES);
}

/* GRUB gives both tags on a machine with ACPI 2.0 or later; the longer copy has the XSDT. */
static void read_rsdp(const struct body *b, struct bootinfo *out)
{
    unsigned len = b->len < sizeof out->rsdp ? (unsigned)b->len : (unsigned)sizeof out->rsdp;
    if (len < RSDP_V1_SIZE || len <= out->rsdp_len) return;
    if (boot_read(out->rsdp, b->addr, len)) out->rsdp_len = len;
}

static const struct {
    uint32_t type;
    void (*read)(const struct body *, struct bootinfo *);
} readers[] = {
    {TAG_CMDLINE, read_cmdline}, {TAG_LOADER_NAME, read_loader_name}, {TAG_MODULE, read_module},
    {TAG_MMAP, read_mmap},       {TAG_FRAMEBUFFER, read_framebuffer}, {TAG_RSDP_OLD, read_rsdp},
    {TAG_RSDP_NEW, read_rsdp},   {TAG_EFI32_SYSTEM, read_efi32},      {TAG_EFI64_SYSTEM, read_efi64},
    {TAG_SMBIOS, read_smbios},
};

void multiboot2_parse(uint64_t info, struct bootinfo *out)
{
    struct {
        uint32_t total_size, reserved;
    } header;
    struct {
        uint32_t type, size;
    } tag;
    uint32_t meminfo[2] = {0, 0};

    if (!boot_read(&header, info, sizeof header)) return;
    out->info = info;
    out->info_bytes = header.total_size;
    uint64_t offset = HEADER;
    for (unsigned i = 0; i < TAG_MAX && offset + HEADER <= header.total_size; i++) {
        if (!boot_read(&tag, info + offset, sizeof tag)) break;
        if (tag.type == TAG_END || tag.size < HEADER) break;

        uint64_t left = header.total_size - offset;
        struct body body = {.addr = info + offset + HEADER, .cut = tag.size > left};
        body.len = (body.cut ? left : tag.size) - HEADER;
        for (size_t r = 0; r < sizeof readers / sizeof *readers; r++)
            if (readers[r].type == tag.type) readers[r].read(&body, out);
        /* The map may follow this tag, and takes precedence. */
        if (tag.type == TAG_MEMINFO) read_at(meminfo, &body, 0, sizeof meminfo);

        offset += ((uint64_t)tag.size + 7) & ~7ull; /* tags are 8-byte aligned */
    }
    boot_add_meminfo(out, meminfo[0], meminfo[1]);
}
