/* Loads a kernel as a Multiboot 2 loader does (Multiboot2 2.0), from the machine's memory: the option ROM of
 * start.S.
 *
 * Bochs has put two files there (tools/bochs-machine.sh): the kernel, which is an ELF file, and the parcel.
 * That begins with strings, each ended by a NUL: the command line; of each module its number of bytes and its
 * name; an empty one. The modules themselves follow, without gaps.
 */
#include <stdint.h>

enum { KERNEL = 64 << 20, PARCEL = 72 << 20, PAGE = 4096 };
#define HEADER_MAGIC 0xe85250d6u

enum {
    TAG_END = 0,
    TAG_CMDLINE = 1,
    TAG_LOADER_NAME = 2,
    TAG_MODULE = 3,
    TAG_MMAP = 6,
    TAG_FRAMEBUFFER = 8,
    TAG_RSDP_OLD = 14
};

struct elf { /* ELF32 */
    uint8_t ident[16];
    uint16_t type, machine;
    uint32_t version, entry, phoff, shoff, flags;
    uint16_t ehsize, phentsize, phnum;
};
struct segment {
    uint32_t type, offset, vaddr, paddr, filesz, memsz, flags, align;
};
enum { PT_LOAD = 1 };

struct info { /* section 3.6 */
    uint32_t total_size, reserved;
};

static uint32_t page_above(uint32_t at) { return (at + PAGE - 1) & -PAGE; }

/* In words, since Bochs executes an iteration at a time. */
static void copy(uint32_t to, const void *from, uint32_t n)
{
    uint32_t words = n / 4;
    __asm__ volatile("rep movsl; mov %3, %%ecx; rep movsb"
                     : "+D"(to), "+S"(from), "+c"(words)
                     : "r"(n % 4)
                     : "memory");
}

static void clear(uint32_t at, uint32_t n)
{
    uint32_t words = n / 4;
    __asm__ volatile("rep stosl; mov %2, %%ecx; rep stosb"
                     : "+D"(at), "+c"(words)
                     : "r"(n % 4), "a"(0)
                     : "memory");
}

static uint32_t length(const char *s)
{
    uint32_t n = 0;
    while (s[n]) n++;
    return n;
}

/* A session cannot begin: switch off, which Bochs does for this word at this port. */
static _Noreturn void give_up(void)
{
    for (const char *s = "Shutdown";; s = *s ? s + 1 : "Shutdown")
        __asm__ volatile("outb %0, %1" ::"a"(*s), "d"((uint16_t)0x8900));
}

/* Section 3.1: within the first 32 KiB, at a multiple of 8 bytes. */
static void need_header(const uint32_t *file)
{
    const uint32_t *end = file + 32768 / 4;
    for (const uint32_t *h = file; h < end; h += 2)
        if (h[0] == HEADER_MAGIC && h[0] + h[1] + h[2] + h[3] == 0) return;
    give_up();
}

/* Puts the kernel's segments where they belong; returns where the last one ends. */
static uint32_t load_segments(const struct elf *elf)
{
    uint32_t end = 0;
    for (unsigned i = 0; i < elf->phnum; i++) {
        const struct segment *s = (const void *)((const uint8_t *)elf + elf->phoff + i * elf->phentsize);
        if (s->type != PT_LOAD) continue;
        copy(s->paddr, (const uint8_t *)elf + s->offset, s->filesz);
        clear(s->paddr + s->filesz, s->memsz - s->filesz);
        if (s->paddr + s->memsz > end) end = s->paddr + s->memsz;
    }
    return end;
}

/* Appends a tag: its first bytes, which may be none, and the others. */
static void add_tag(struct info *info, uint32_t type, const void *first, uint32_t first_bytes,
                    const void *rest, uint32_t bytes)
{
    uint32_t at = (uint32_t)info + info->total_size, head[2] = {type, 8 + first_bytes + bytes};
    copy(at, head, 8);
    copy(at + 8, first, first_bytes);
    copy(at + 8 + first_bytes, rest, bytes);
    info->total_size += (head[1] + 7) & -8u;
}

static void add_string(struct info *info, uint32_t type, const char *s)
{
    add_tag(info, type, s, 0, s, length(s) + 1);
}

/* ACPI 6.3, section 5.2.5.1; Bochs's BIOS has no copy elsewhere. */
static void add_rsdp(struct info *info)
{
    for (const char *p = (const char *)0xe0000; p < (const char *)0x100000; p += 16) {
        const uint32_t *word = (const uint32_t *)p;
        uint8_t sum = 0;
        if (word[0] != 0x20445352 || word[1] != 0x20525450) continue; /* "RSD PTR " */
        for (unsigned i = 0; i < 20; i++) sum += (uint8_t)p[i];
        if (sum != 0) continue;
        add_tag(info, TAG_RSDP_OLD, p, 0, p, 20);
        return;
    }
}

/* After the strings come the modules, which go to pages of their own from at on. */
static void add_modules(struct info *info, const char *s, const char *data, uint32_t at)
{
    while (*s) {
        uint32_t range[2] = {at, at};
        for (; *s; s++) range[1] = (range[1] - at) * 10 + (uint32_t)(*s - '0') + at;
        s++;
        copy(at, data, range[1] - at);
        add_tag(info, TAG_MODULE, range, sizeof range, s, length(s) + 1);
        data += range[1] - at;
        at = page_above(range[1]);
        s += length(s) + 1;
    }
}

/* map: the memory map's entries, as section 3.6.8 has them. Returns the addresses of the information, and of
 * the kernel's entry in the upper half. */
uint64_t load(const void *map, uint32_t map_bytes);
uint64_t load(const void *map, uint32_t map_bytes)
{
    const struct elf *elf = (const struct elf *)KERNEL;
    const char *const words = (const char *)PARCEL, *end;
    const uint32_t entries[2] = {24, 0};                               /* bytes of each; version */
    const uint32_t screen[6] = {0xb8000, 0, 160, 80, 25, 16 | 2 << 8}; /* the BIOS's: characters */

    need_header((const uint32_t *)elf);
    struct info *info = (struct info *)page_above(load_segments(elf));
    info->total_size = sizeof *info;
    info->reserved = 0;
    add_string(info, TAG_CMDLINE, words);
    /* Of a loader that is not GRUB the kernel takes the first word for its own name, which is not here. */
    add_string(info, TAG_LOADER_NAME, "GRUB's stand-in for Bochs");
    add_tag(info, TAG_FRAMEBUFFER, screen, 0, screen, sizeof screen);
    add_rsdp(info);
    add_tag(info, TAG_MMAP, entries, sizeof entries, map, map_bytes);
    const char *modules = words + length(words) + 1;
    for (end = modules; *end;) end += length(end) + 1;
    end++;
    /* A module's tag has at most eight times the bytes of its strings. */
    const uint32_t tags = (uint32_t)info + info->total_size + 8 * (uint32_t)(end - modules);
    add_modules(info, modules, end, page_above(tags + sizeof *info));
    add_tag(info, TAG_END, map, 0, map, 0);
    return (uint64_t)elf->entry << 32 | (uint32_t)info;
}
