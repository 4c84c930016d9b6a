/* Where a started processor begins: in memory below 640 KiB that nobody uses. */
#include "kernel/start_page.h"
#include "tests/unit/fake_hw.h"
#include "tests/unit/unit.h"
#include <string.h>

enum { KIB = 1024, PAGE = 4096 };

static struct bootinfo bi;
static uint8_t low[0x500]; /* with the BIOS data area */

static void range(uint64_t base, uint64_t end, uint32_t type)
{
    bi.map[bi.n_map++] = (struct mem_range){base, end - base, type};
    bi.map_source = MAP_MMAP;
}

static void module(uint64_t start, uint64_t end)
{
    bi.module[bi.n_modules++] = (struct boot_module){.start = start, .end = end};
}

static void bios(unsigned ebda_segment, unsigned base_kib)
{
    low[0x40e] = (uint8_t)ebda_segment, low[0x40f] = (uint8_t)(ebda_segment >> 8);
    low[0x413] = (uint8_t)base_kib, low[0x414] = (uint8_t)(base_kib >> 8);
}

static int pc(void **state)
{
    (void)state;
    fake_reset();
    fake_memory(1, low + 1, sizeof low - 1);
    memset(&bi, 0, sizeof bi);
    bios(0x9fc0, 639);
    range(0, 639 * KIB, 1);
    range(639 * KIB, 640 * KIB, 2);
    range(0xf0000, 0x100000, 2);
    range(0x100000, 128 * 1024 * KIB, 1);
    return 0;
}

TEST_WITH(test_bios, pc, NULL)
{
    assert_int_equal(start_page_find(&bi), 0x9e000);
    bios(0x9f00, 639); /* an EBDA of 4 KiB, which the map does not have */
    assert_int_equal(start_page_find(&bi), 0x9e000);
    bios(0x9e40, 639);
    assert_int_equal(start_page_find(&bi), 0x9d000);
    bios(0x9fc0, 600); /* a boot ROM has taken memory */
    assert_int_equal(start_page_find(&bi), 0x95000);
    bios(0x9e80, 1); /* not plausible */
    assert_int_equal(start_page_find(&bi), 0x9d000);
    bios(0xffff, 0xffff);
    assert_int_equal(start_page_find(&bi), 0x9e000);
    bi.efi = true; /* anything is there */
    bios(0x8000, 512);
    assert_int_equal(start_page_find(&bi), 0x9e000);
}

/* OVMF 2022.11 and GRUB 2.06. */
TEST_WITH(test_uefi, pc, NULL)
{
    memset(&bi, 0, sizeof bi);
    bi.efi = true;
    range(0, 0x80000, 1);
    range(0x80000, 0xa0000, 1);
    module(0x2000, 0x7fc88);
    assert_int_equal(start_page_find(&bi), 0x9f000);
    bi.map[1].type = 4;
    assert_int_equal(start_page_find(&bi), 0x1000);
    module(0x1ff0, 0x2000);                          /* the end of the last free page */
    assert_int_equal(start_page_find(&bi), 0x7f000); /* it is put back */
}

TEST_WITH(test_in_use, pc, NULL)
{
    module(0x9e000 - 1, 0x9e001);
    assert_int_equal(start_page_find(&bi), 0x9c000);
    module(0x9d000, 0x9d000); /* empty */
    module(0x9b000, 0x9c001);
    assert_int_equal(start_page_find(&bi), 0x9a000);
    bi.info = 0x9a800, bi.info_bytes = 0x100;
    assert_int_equal(start_page_find(&bi), 0x99000);
    bi.smbios = 0x98ff0, bi.smbios_len = 0x11;
    assert_int_equal(start_page_find(&bi), 0x97000);
    range(0x90000, 0x98000, 3); /* ACPI's tables, inside an available range */
    assert_int_equal(start_page_find(&bi), 0x8f000);
}

TEST_WITH(test_nothing_else, pc, NULL)
{
    module(PAGE, 639 * KIB); /* all of it: the highest page is lent */
    assert_int_equal(start_page_find(&bi), 0x9e000);
    bi.map[0].type = 2;
    assert_int_equal(start_page_find(&bi), 0);
    memset(&bi, 0, sizeof bi); /* no map */
    assert_int_equal(start_page_find(&bi), 0x8000);
    module(0x8000, 0x8010);
    assert_int_equal(start_page_find(&bi), 0x8000);
    memset(&bi, 0, sizeof bi); /* only so much */
    range(0, PAGE, 1);
    assert_int_equal(start_page_find(&bi), 0);
    bi.map[0].len = 2 * PAGE - 1;
    assert_int_equal(start_page_find(&bi), 0);
    bi.map[0].len = 2 * PAGE;
    assert_int_equal(start_page_find(&bi), PAGE);
}
