#include "kernel/start_page.h"
#include "kernel/multiboot.h"

#define PAGE     0x1000u
#define LOW_END  0xa0000u /* display memory begins */
#define ANY_PC   0x8000u
#define EBDA     0x40e /* BIOS data area: the segment of the extended one */
#define BASE_KIB 0x413 /* and the memory below it, in KiB */

/* As Linux' reserve_bios_regions(): the BIOS keeps what is above both, and values below 128 KiB are wrong
 * (UEFI leaves anything there). */
#define BIOS_LEAST 0x20000u

static uint32_t lower(uint32_t end, uint32_t bios) { return bios >= BIOS_LEAST && bios < end ? bios : end; }

static uint32_t end_of_low_memory(const struct bootinfo *bi)
{
    uint16_t segment = 0, kib = 0;
    if (!bi->efi) {
        boot_read(&segment, EBDA, sizeof segment);
        boot_read(&kib, BASE_KIB, sizeof kib);
    }
    return lower(lower(LOW_END, (uint32_t)segment << 4), (uint32_t)kib << 10) & ~(PAGE - 1);
}

static bool overlaps(uint32_t page, uint64_t start, uint64_t end)
{
    return start < page + PAGE && end > page;
}

/* The map may have reserved ranges inside of available ones. Without one, nothing is known to be reserved. */
static bool available(const struct bootinfo *bi, uint32_t page)
{
    bool inside = bi->map_source == MAP_NONE && page == ANY_PC;
    for (unsigned i = 0; i < bi->n_map; i++) {
        const struct mem_range *r = &bi->map[i];
        if (r->type == MEM_AVAILABLE)
            inside |= r->base <= page && r->base + r->len >= page + PAGE;
        else if (overlaps(page, r->base, r->base + r->len))
            return false;
    }
    return inside;
}

static bool in_use(const struct bootinfo *bi, uint32_t page)
{
    bool used = overlaps(page, bi->info, bi->info + bi->info_bytes) ||
                overlaps(page, bi->smbios, bi->smbios + bi->smbios_len);
    for (unsigned i = 0; i < bi->n_modules; i++)
        used |= overlaps(page, bi->module[i].start, bi->module[i].end);
    return used;
}

uint32_t start_page_find(const struct bootinfo *bi)
{
    uint32_t borrowed = 0;
    for (uint32_t page = end_of_low_memory(bi) - PAGE; page; page -= PAGE) {
        if (!available(bi, page)) continue;
        if (!in_use(bi, page)) return page;
        if (!borrowed) borrowed = page;
    }
    return borrowed;
}
