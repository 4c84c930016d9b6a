/* bootinfo_parse(): the dispatch, and Multiboot 1 information whole and broken (0.6.96, section 3.3). */
#include "kernel/bootinfo.h"
#include "tests/unit/fake_loader.h"
#include "tests/unit/unit.h"
#include <string.h>

static struct bootinfo bi;

TEST(test_other_magic)
{
    static const struct bootinfo empty;
    loader_start();
    uint32_t info = put32(0xffffffff);
    for (unsigned i = 0; i < 30; i++) put32(LOADER_BASE);
    loader_parse(0x12345678, info, &bi);
    assert_memory_equal(&bi, &empty, sizeof bi);
}

/* Field offsets of Multiboot 0.6.96, section 3.3. */
enum { M1_LOWER = 4, M1_UPPER = 8, M1_CMDLINE = 16, M1_MODS = 20, M1_MMAP = 44, M1_LOADER = 64, M1_FB = 88 };
enum { M1_SIZE = 116 };

static uint32_t mb1(uint32_t flags)
{
    loader_start();
    uint32_t info = put_zeros(M1_SIZE);
    poke32(info, flags);
    return info;
}

static void put_entry(uint32_t size, uint64_t base, uint64_t len, uint32_t type)
{
    put32(size);
    put64(base);
    put64(len);
    put32(type);
    for (uint32_t i = 20; i < size; i++) put8(0);
}

TEST(test_mb1_everything)
{
    uint32_t info = mb1(1 << 0 | 1 << 2 | 1 << 3 | 1 << 6 | 1 << 9 | 1 << 12);
    poke32(info + M1_LOWER, 639);
    poke32(info + M1_UPPER, 130048);
    poke32(info + M1_CMDLINE, put_string("anechoic.elf bench=empty\ttab"));
    poke32(info + M1_LOADER, put_string("GRUB 2.06-13+deb12u1"));

    uint32_t name = put_string("events.json");
    uint32_t mods = put32(0x200000);
    put32(0x200800), put32(name), put32(0);
    put32(0x300000), put32(0x300000), put32(0), put32(0);
    poke32(info + M1_MODS, 2);
    poke32(info + M1_MODS + 4, mods);

    uint32_t map = loader_end();
    put_entry(20, 0, 0x9fc00, 1);
    put_entry(24, 0x9fc00, 0x400, 2); /* the size field may be larger than 20 */
    put_entry(20, 0x100000, 0x7ee0000, 1);
    put_entry(28, 0x100000000, 0x180000000, 1);
    poke32(info + M1_MMAP, loader_end() - map);
    poke32(info + M1_MMAP + 4, map);

    const uint8_t rgb[6] = {16, 8, 8, 8, 0, 8};
    poke32(info + M1_FB, 0xfd000000);
    poke32(info + M1_FB + 8, 1024 * 4);
    poke32(info + M1_FB + 12, 1024);
    poke32(info + M1_FB + 16, 768);
    poke(info + M1_FB + 20, "\x20\x01", 2); /* bits per pixel, type */
    poke(info + M1_FB + 22, rgb, 6);

    loader_parse(MULTIBOOT1_MAGIC, info, &bi);
    assert_int_equal(bi.protocol, 1);
    assert_string_equal(bi.cmdline, "anechoic.elf bench=empty\ttab");
    assert_false(bi.cmdline_too_long);
    assert_string_equal(bi.loader, "GRUB 2.06-13+deb12u1");

    assert_int_equal(bi.map_source, MAP_MMAP);
    assert_false(bi.map_truncated);
    assert_int_equal(bi.n_map, 4);
    assert_int_equal(bi.map[1].base, 0x9fc00);
    assert_int_equal(bi.map[1].len, 0x400);
    assert_int_equal(bi.map[1].type, 2);
    assert_int_equal(bi.map[3].base, 0x100000000);
    assert_int_equal(bi.map[3].len, 0x180000000);
    assert_int_equal(bi.map[3].type, MEM_AVAILABLE);

    assert_int_equal(bi.n_modules, 2);
    assert_int_equal(bi.module[0].start, 0x200000);
    assert_int_equal(bi.module[0].end, 0x200800);
    assert_string_equal(bi.module[0].name, "events.json");
    assert_string_equal(bi.module[1].name, "");
    assert_int_equal(bi.modules_dropped, 0);

    assert_int_equal(bi.fb.addr, 0xfd000000);
    assert_int_equal(bi.fb.pitch, 4096);
    assert_int_equal(bi.fb.width, 1024);
    assert_int_equal(bi.fb.height, 768);
    assert_int_equal(bi.fb.bpp, 32);
    assert_int_equal(bi.fb.type, 1);
    assert_int_equal(bi.fb.red_pos, 16);
    assert_int_equal(bi.fb.green_pos, 8);
    assert_int_equal(bi.fb.blue_pos, 0);
    assert_int_equal(bi.fb.blue_size, 8);
    assert_int_equal(bi.rsdp_len, 0); /* multiboot 1 has none */

    /* Each bit of the flags has its own fields (figure 1 there). */
    for (unsigned bit = 0; bit < 32; bit++) {
        poke32(info, 1u << bit);
        loader_parse(MULTIBOOT1_MAGIC, info, &bi);
        assert_int_equal(bi.map_source, bit == 0 ? MAP_MEMINFO : bit == 6 ? MAP_MMAP : MAP_NONE);
        assert_int_equal(bi.cmdline[0], bit == 2 ? 'a' : 0);
        assert_int_equal(bi.cmdline_raw ? *bi.cmdline_raw : 0, bit == 2 ? 'a' : 0);
        assert_int_equal(bi.n_modules, bit == 3 ? 2 : 0);
        assert_int_equal(bi.loader[0], bit == 9 ? 'G' : 0);
        assert_int_equal(bi.fb.width, bit == 12 ? 1024 : 0);
    }
    poke32(info, 0); /* the same fields without their flags count for nothing */
    loader_parse(MULTIBOOT1_MAGIC, info, &bi);
    assert_string_equal(bi.cmdline, "");
    assert_string_equal(bi.loader, "");
    assert_int_equal(bi.map_source, MAP_NONE);
    assert_int_equal(bi.n_map, 0);
    assert_int_equal(bi.n_modules, 0);
    assert_int_equal(bi.fb.addr, 0);
}

TEST(test_mb1_meminfo_only)
{
    uint32_t info = mb1(1 << 0);
    poke32(info + M1_LOWER, 640);
    poke32(info + M1_UPPER, 0xffffffff); /* KiB: does not fit 32 bits in bytes */
    loader_parse(MULTIBOOT1_MAGIC, info, &bi);
    assert_int_equal(bi.map_source, MAP_MEMINFO);
    assert_int_equal(bi.n_map, 2);
    assert_int_equal(bi.map[0].base, 0);
    assert_int_equal(bi.map[0].len, 640 * 1024);
    assert_int_equal(bi.map[1].base, 0x100000);
    assert_int_equal(bi.map[1].len, 0xffffffffull * 1024);
    assert_false(bi.map_truncated);

    poke32(info + M1_LOWER, 4096); /* would reach into the upper range */
    loader_parse(MULTIBOOT1_MAGIC, info, &bi);
    assert_int_equal(bi.n_map, 1);
    assert_int_equal(bi.map[0].base, 0x100000);
    assert_true(bi.map_truncated);

    poke32(info + M1_LOWER, 1025);
    loader_parse(MULTIBOOT1_MAGIC, info, &bi);
    assert_int_equal(bi.n_map, 1);
    assert_true(bi.map_truncated);
    poke32(info + M1_LOWER, 1024); /* up to it */
    loader_parse(MULTIBOOT1_MAGIC, info, &bi);
    assert_int_equal(bi.n_map, 2);
    assert_int_equal(bi.map[0].len, 1024 * 1024);
    assert_false(bi.map_truncated);

    poke32(info + M1_LOWER, 0);
    poke32(info + M1_UPPER, 0);
    loader_parse(MULTIBOOT1_MAGIC, info, &bi);
    assert_int_equal(bi.map_source, MAP_NONE);
}

TEST(test_mb1_broken_maps)
{
    uint32_t info = mb1(1 << 0 | 1 << 6);
    poke32(info + M1_UPPER, 1024);
    uint32_t map = loader_end();
    put_entry(20, 0, 0x9f000, 1);
    put_entry(20, 0x100000, 0x700000, 1);
    poke32(info + M1_MMAP + 4, map);

    poke32(info + M1_MMAP, 47); /* the last entry is one byte short */
    loader_parse(MULTIBOOT1_MAGIC, info, &bi);
    assert_int_equal(bi.map_source, MAP_MMAP);
    assert_int_equal(bi.n_map, 1);
    assert_true(bi.map_truncated);

    poke32(info + M1_MMAP, 72); /* one entry more than can be read */
    loader_parse(MULTIBOOT1_MAGIC, info, &bi);
    assert_int_equal(bi.n_map, 2);
    assert_true(bi.map_truncated);

    poke32(info + M1_MMAP, 48);
    poke32(map + 24, 19); /* size of the second entry */
    loader_parse(MULTIBOOT1_MAGIC, info, &bi);
    assert_int_equal(bi.n_map, 1);
    assert_true(bi.map_truncated);
    poke32(map + 24, 21); /* reaches behind the map */
    loader_parse(MULTIBOOT1_MAGIC, info, &bi);
    assert_int_equal(bi.n_map, 1);
    assert_true(bi.map_truncated);
    poke32(map + 24, 0xfffffffc); /* would step back to itself in 32-bit arithmetic */
    loader_parse(MULTIBOOT1_MAGIC, info, &bi);
    assert_int_equal(bi.n_map, 1);
    assert_true(bi.map_truncated);

    poke32(map + 24, 20);
    poke32(map + 28 + 8, 0); /* an empty range is one */
    loader_parse(MULTIBOOT1_MAGIC, info, &bi);
    assert_int_equal(bi.n_map, 2);
    assert_int_equal(bi.map[1].len, 0);
    assert_false(bi.map_truncated);
    poke32(map + 28 + 8, 0x700000);
    poke32(map + 28 + 4, 0xffffffff); /* base + len wraps around */
    poke32(map + 28 + 12, 0xffffffff);
    loader_parse(MULTIBOOT1_MAGIC, info, &bi);
    assert_int_equal(bi.n_map, 1);
    assert_true(bi.map_truncated);

    poke32(info + M1_MMAP + 4, 0); /* unreadable from the start: mem_upper is left */
    loader_parse(MULTIBOOT1_MAGIC, info, &bi);
    assert_int_equal(bi.map_source, MAP_MEMINFO);
    assert_int_equal(bi.n_map, 1);
    assert_int_equal(bi.map[0].len, 1024 * 1024);
    assert_true(bi.map_truncated);
}

TEST(test_mb1_long_map)
{
    uint32_t info = mb1(1 << 6), map = loader_end();
    for (unsigned i = 0; i < BOOT_RANGES; i++) put_entry(20, i * 0x1000, 0x1000, 1);
    poke32(info + M1_MMAP, loader_end() - map);
    poke32(info + M1_MMAP + 4, map);
    loader_parse(MULTIBOOT1_MAGIC, info, &bi);
    assert_int_equal(bi.n_map, BOOT_RANGES);
    assert_false(bi.map_truncated);

    put_entry(20, 0x800000, 0x1000, 1);
    poke32(info + M1_MMAP, loader_end() - map);
    loader_parse(MULTIBOOT1_MAGIC, info, &bi);
    assert_int_equal(bi.n_map, BOOT_RANGES);
    assert_true(bi.map_truncated);
}

/* Entries that are refused take no room, and are looked at a bounded number of times. */
TEST(test_mb1_many_wrapping_entries)
{
    uint32_t info = mb1(1 << 6), map = loader_end();
    for (unsigned i = 0; i < 2 * BOOT_RANGES; i++) put_entry(20, UINT64_MAX, 2, 1);
    put_entry(20, 0x100000, 0x1000, 1);
    for (uint32_t wrapping = BOOT_RANGES; wrapping <= 2 * BOOT_RANGES;
         wrapping++) { /* the last ones and that */
        const uint32_t entries = wrapping + 1, from = loader_end() - entries * 24;
        assert_true(from >= map);
        poke32(info + M1_MMAP, entries * 24);
        poke32(info + M1_MMAP + 4, from);
        loader_parse(MULTIBOOT1_MAGIC, info, &bi);
        assert_int_equal(bi.n_map, wrapping == BOOT_RANGES);
        assert_int_equal(bi.map_source, wrapping == BOOT_RANGES ? MAP_MMAP : MAP_NONE);
        assert_true(bi.map_truncated);
    }
}

TEST(test_mb1_cmdline_length)
{
    uint32_t info = mb1(1 << 2);
    poke32(info + M1_CMDLINE, loader_end());
    put_letters(CMDLINE_MAX);
    put8(0);
    loader_parse(MULTIBOOT1_MAGIC, info, &bi);
    assert_int_equal(strlen(bi.cmdline), CMDLINE_MAX);
    assert_false(bi.cmdline_too_long);

    info = mb1(1 << 2);
    poke32(info + M1_CMDLINE, loader_end());
    put_letters(CMDLINE_MAX + 1);
    put8(0);
    loader_parse(MULTIBOOT1_MAGIC, info, &bi);
    assert_int_equal(strlen(bi.cmdline), CMDLINE_MAX);
    assert_true(bi.cmdline_too_long);

    info = mb1(1 << 2); /* readable memory ends before the string does: cut short, so not to be obeyed */
    poke32(info + M1_CMDLINE, loader_end());
    put("exit=qemu", 9);
    loader_parse(MULTIBOOT1_MAGIC, info, &bi);
    assert_string_equal(bi.cmdline, "exit=qemu");
    assert_true(bi.cmdline_too_long);

    info = mb1(1 << 2); /* one byte, the last that can be read */
    poke32(info + M1_CMDLINE, put8(0));
    loader_parse(MULTIBOOT1_MAGIC, info, &bi);
    assert_false(bi.cmdline_too_long);
    assert_non_null(bi.cmdline_raw);
    assert_int_equal(*bi.cmdline_raw, 0);

    poke32(info + M1_CMDLINE, 0); /* no command line at all */
    loader_parse(MULTIBOOT1_MAGIC, info, &bi);
    assert_string_equal(bi.cmdline, "");
    assert_false(bi.cmdline_too_long);
}

TEST(test_mb1_modules)
{
    uint32_t info = mb1(1 << 3);
    char long_name[100];
    memset(long_name, 'x', sizeof long_name);
    long_name[99] = '\0';
    uint32_t name = put_string(long_name);
    uint32_t mods = loader_end();
    for (unsigned i = 0; i < BOOT_MODULES + 3; i++)
        put32(i * 0x1000 + 0x400000), put32(i * 0x1000 + 0x401000), put32(name), put32(0);
    poke32(info + M1_MODS, BOOT_MODULES + 3);
    poke32(info + M1_MODS + 4, mods);
    loader_parse(MULTIBOOT1_MAGIC, info, &bi);
    assert_int_equal(bi.n_modules, BOOT_MODULES);
    assert_int_equal(bi.modules_dropped, 3);
    assert_int_equal(strlen(bi.module[0].name), sizeof bi.module[0].name - 1);
    assert_int_equal(bi.module[15].start, 0x40f000);

    poke32(mods + 4, 0x3fffff); /* the first ends before it starts */
    loader_parse(MULTIBOOT1_MAGIC, info, &bi);
    assert_int_equal(bi.n_modules, BOOT_MODULES - 1);
    assert_int_equal(bi.modules_dropped, 4);
    assert_int_equal(bi.module[0].start, 0x401000);

    poke32(info + M1_MODS, 0xffffffff);
    poke32(info + M1_MODS + 4, loader_end() - 16); /* one can be read */
    loader_parse(MULTIBOOT1_MAGIC, info, &bi);
    assert_int_equal(bi.n_modules, 1);
    assert_int_equal(bi.modules_dropped, 0xfffffffe);
}

TEST(test_mb1_short_structure)
{
    uint32_t info = mb1(1 << 0 | 1 << 12);
    poke32(info + M1_UPPER, 2048);
    loader_cut(info + 88); /* what the loaders gave before there was a framebuffer in it */
    loader_parse(MULTIBOOT1_MAGIC, info, &bi);
    assert_int_equal(bi.map_source, MAP_MEMINFO);
    assert_int_equal(bi.fb.addr, 0);

    for (unsigned type = 1; type <= 2; type++) { /* the colours are read of a screen that has them */
        info = mb1(1 << 12);
        poke32(info + M1_FB, 0xb8000);
        poke32(info + M1_FB + 8, 320), poke32(info + M1_FB + 12, 80), poke32(info + M1_FB + 16, 25);
        poke(info + M1_FB + 20, &(uint8_t[]){32, (uint8_t)type}, 2);
        poke(info + M1_FB + 22, &(uint8_t[]){16, 8, 8, 8, 0, 8}, 6);
        loader_parse(MULTIBOOT1_MAGIC, info, &bi); /* nothing is behind the colours */
        assert_int_equal(bi.fb.width, 80);
        loader_cut(info + M1_FB + 22);
        loader_parse(MULTIBOOT1_MAGIC, info, &bi);
        assert_int_equal(bi.fb.width, type == 2 ? 80 : 0);
        loader_cut(info + M1_FB + 21);
        loader_parse(MULTIBOOT1_MAGIC, info, &bi);
        assert_int_equal(bi.fb.width, 0);
    }

    loader_parse(MULTIBOOT1_MAGIC, 0, &bi); /* no structure at all */
    assert_int_equal(bi.protocol, 1);
    assert_int_equal(bi.map_source, MAP_NONE);
    loader_parse(MULTIBOOT1_MAGIC, 0xfffffffd, &bi); /* at the end of the address space */
    assert_int_equal(bi.map_source, MAP_NONE);
}
