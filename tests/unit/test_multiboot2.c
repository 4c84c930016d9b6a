/* bootinfo_parse(): Multiboot 2 information whole and broken (Multiboot2 2.0, section 3.6). */
#include "kernel/bootinfo.h"
#include "tests/unit/fake_loader.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h> /* needs the ones above */

static struct bootinfo bi;

static uint32_t tag_at;

static uint32_t mb2(void)
{
    loader_start();
    put32(0);
    put32(0);
    return LOADER_BASE;
}

static void tag(uint32_t type)
{
    while (loader_end() % 8) put8(0);
    tag_at = put32(type);
    put32(0);
}

/* End the tag that was begun; its size is counted. */
static void end_tag(void) { poke32(tag_at + 4, loader_end() - tag_at); }

static void finish(void)
{
    tag(0);
    end_tag();
    poke32(LOADER_BASE, loader_end() - LOADER_BASE);
}

static void string_tag(uint32_t type, const char *s)
{
    tag(type);
    put_string(s);
    end_tag();
}

static void map_entry(uint64_t base, uint64_t len, uint32_t type, uint32_t size)
{
    put64(base);
    put64(len);
    put32(type);
    for (uint32_t i = 20; i < size; i++) put8(0);
}

static void fb_tag(uint64_t addr, uint32_t pitch, uint32_t width, uint32_t height, uint8_t bpp, uint8_t type,
                   const uint8_t rgb[6])
{
    tag(8);
    put64(addr);
    put32(pitch), put32(width), put32(height);
    put(&bpp, 1), put(&type, 1), put("\0", 2);
    if (rgb) put(rgb, 6);
    end_tag();
}

static const uint8_t rgb888[6] = {16, 8, 8, 8, 0, 8};

static void test_mb2_everything(void **state)
{
    static const char rsdp[36] = "RSD PTR 3BOCHS 2";
    (void)state;
    mb2();
    string_tag(1, "bench=all exit=qemu");
    string_tag(2, "GRUB 2.06");
    tag(3);
    put32(0x500000), put32(0x500123), put_string("mod arg");
    end_tag();
    tag(4);
    put32(640), put32(64512);
    end_tag();
    tag(6);
    put32(24), put32(0);
    map_entry(0, 0xa0000, 1, 24);
    map_entry(0x100000000, 0x40000000, 7, 24);
    end_tag();
    fb_tag(0x80000000, 3200, 800, 600, 32, 1, rgb888);
    tag(14);
    put(rsdp, 20);
    end_tag();
    tag(15);
    put(rsdp, 36);
    end_tag();
    tag(21); /* load base address: not ours */
    put32(0x100000);
    end_tag();
    finish();
    loader_parse(MULTIBOOT2_MAGIC, LOADER_BASE, &bi);

    assert_int_equal(bi.protocol, 2);
    assert_string_equal(bi.cmdline, "bench=all exit=qemu");
    assert_false(bi.cmdline_too_long);
    assert_string_equal(bi.loader, "GRUB 2.06");
    assert_int_equal(bi.n_modules, 1);
    assert_int_equal(bi.module[0].start, 0x500000);
    assert_int_equal(bi.module[0].end, 0x500123);
    assert_string_equal(bi.module[0].name, "mod arg");
    assert_int_equal(bi.map_source, MAP_MMAP);
    assert_false(bi.map_truncated);
    assert_int_equal(bi.n_map, 2);
    assert_int_equal(bi.map[1].base, 0x100000000);
    assert_int_equal(bi.map[1].len, 0x40000000);
    assert_int_equal(bi.map[1].type, 7);
    assert_int_equal(bi.fb.addr, 0x80000000);
    assert_int_equal(bi.fb.pitch, 3200);
    assert_int_equal(bi.fb.red_pos, 16);
    assert_int_equal(bi.fb.blue_size, 8);
    assert_int_equal(bi.rsdp_len, 36);
    assert_memory_equal(bi.rsdp, rsdp, 36);
}

/* The longer RSDP wins in either order; one that is cut short is not taken. */
static void test_mb2_rsdp(void **state)
{
    static const char old[20] = "old", new[36] = "new";
    (void)state;
    mb2();
    tag(15);
    put(new, 36);
    end_tag();
    tag(14);
    put(old, 20);
    end_tag();
    finish();
    loader_parse(MULTIBOOT2_MAGIC, LOADER_BASE, &bi);
    assert_int_equal(bi.rsdp_len, 36);
    assert_string_equal((char *)bi.rsdp, "new");

    mb2();
    tag(14);
    put(old, 19);
    end_tag();
    finish();
    loader_parse(MULTIBOOT2_MAGIC, LOADER_BASE, &bi);
    assert_int_equal(bi.rsdp_len, 0);

    mb2(); /* one that is longer than any known, and a shorter one behind it; of equal ones the first */
    tag(15);
    put("first", 6), put_zeros(30), put_letters(4);
    end_tag();
    tag(15);
    put(new, 36);
    end_tag();
    finish();
    loader_parse(MULTIBOOT2_MAGIC, LOADER_BASE, &bi);
    assert_int_equal(bi.rsdp_len, 36);
    assert_string_equal((char *)bi.rsdp, "first");

    for (uint32_t length = 20; length < 36; length += 15) { /* as much as there is */
        mb2();
        tag(14);
        put(old, 4), put_letters(length - 4);
        end_tag();
        finish();
        loader_parse(MULTIBOOT2_MAGIC, LOADER_BASE, &bi);
        assert_int_equal(bi.rsdp_len, length);
    }
}

static void test_mb2_map_wins_over_meminfo(void **state)
{
    (void)state;
    for (unsigned map_first = 0; map_first < 2; map_first++) {
        mb2();
        for (unsigned i = 0; i < 2; i++) {
            if (i == map_first) {
                tag(4);
                put32(640), put32(1024);
            } else {
                tag(6);
                put32(24), put32(0);
                map_entry(0x100000, 0x5000, 1, 24);
            }
            end_tag();
        }
        finish();
        loader_parse(MULTIBOOT2_MAGIC, LOADER_BASE, &bi);
        assert_int_equal(bi.map_source, MAP_MMAP);
        assert_int_equal(bi.n_map, 1);
        assert_int_equal(bi.map[0].len, 0x5000);
    }
    mb2();
    tag(4);
    put32(640), put32(1024);
    end_tag();
    finish();
    loader_parse(MULTIBOOT2_MAGIC, LOADER_BASE, &bi);
    assert_int_equal(bi.map_source, MAP_MEMINFO);
    assert_int_equal(bi.n_map, 2);
    assert_int_equal(bi.map[0].len, 640 * 1024);
    assert_int_equal(bi.map[1].len, 1024 * 1024);

    mb2();
    tag(4);
    put32(640); /* cut short */
    end_tag();
    finish();
    loader_parse(MULTIBOOT2_MAGIC, LOADER_BASE, &bi);
    assert_int_equal(bi.n_map, 0);
}

static void test_mb2_broken_maps(void **state)
{
    static const struct {
        uint32_t entry_size, extra, n_map;
        bool truncated;
    } cases[] = {
        {24, 0, 3, false}, {40, 0, 3, false}, {24, 23, 3, true},        {40, 1, 3, true},
        {23, 0, 0, true},  {0, 0, 0, true},   {0xffffffff, 0, 0, true},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t real_size = cases[i].entry_size < 24 || cases[i].entry_size > 40 ? 24 : cases[i].entry_size;
        mb2();
        tag(6);
        put32(cases[i].entry_size), put32(0);
        for (unsigned e = 0; e < 3; e++) map_entry(e * 0x1000, 0x1000, e, real_size);
        for (unsigned e = 0; e < cases[i].extra; e++) put8(0);
        end_tag();
        finish();
        loader_parse(MULTIBOOT2_MAGIC, LOADER_BASE, &bi);
        assert_int_equal(bi.n_map, cases[i].n_map);
        assert_int_equal(bi.map_truncated, cases[i].truncated);
        if (bi.n_map) assert_int_equal(bi.map[2].type, 2);
    }
    mb2(); /* a tag that ends inside of its own fixed part */
    tag(6);
    put32(24);
    end_tag();
    finish();
    loader_parse(MULTIBOOT2_MAGIC, LOADER_BASE, &bi);
    assert_int_equal(bi.map_source, MAP_NONE);
    assert_true(bi.map_truncated);

    /* The tag claims more than total_size leaves, which ends inside of the second entry or just before it:
     * the whole entries are kept. */
    for (uint32_t missing = 1; missing <= 24; missing += 23) {
        mb2();
        tag(6);
        put32(24), put32(0);
        map_entry(0, 0x1000, 1, 24);
        map_entry(0x1000, 0x1000, 1, 24);
        end_tag();
        poke32(tag_at + 4, 0x7fffffff);
        poke32(LOADER_BASE, loader_end() - LOADER_BASE - missing);
        loader_parse(MULTIBOOT2_MAGIC, LOADER_BASE, &bi);
        assert_int_equal(bi.n_map, 1);
        assert_true(bi.map_truncated);
    }

    mb2(); /* many entries that all wrap around take no room, and are looked at a bounded number of times */
    tag(6);
    put32(24), put32(0);
    for (unsigned e = 0; e < 2 * BOOT_RANGES; e++) map_entry(UINT64_MAX, 2, 1, 24);
    map_entry(0x100000, 0x1000, 1, 24);
    end_tag();
    finish();
    loader_parse(MULTIBOOT2_MAGIC, LOADER_BASE, &bi);
    assert_int_equal(bi.n_map, 0);
    assert_true(bi.map_truncated);
    for (unsigned wrapping = BOOT_RANGES; wrapping <= BOOT_RANGES + 1; wrapping++) {
        mb2();
        tag(6);
        put32(24), put32(0);
        for (unsigned e = 0; e < wrapping; e++) map_entry(UINT64_MAX, 2, 1, 24);
        map_entry(0x100000, 0x1000, 1, 24);
        end_tag();
        finish();
        loader_parse(MULTIBOOT2_MAGIC, LOADER_BASE, &bi);
        assert_int_equal(bi.n_map, wrapping == BOOT_RANGES);
    }

    mb2(); /* a second map; the first one ends where everything does, without an end tag, once it is looked at
              alone */
    for (unsigned map = 0; map < 2; map++) {
        tag(6);
        put32(24), put32(0);
        map_entry(map * 0x100000, 0x1000, 1, 24);
        end_tag();
    }
    finish();
    for (unsigned maps = 2; maps; maps--) {
        loader_parse(MULTIBOOT2_MAGIC, LOADER_BASE, &bi);
        assert_int_equal(bi.n_map, 1);
        assert_int_equal(bi.map[0].base, 0);
        assert_false(bi.map_truncated);
        poke32(LOADER_BASE, 8 + 8 + 8 + 24);
    }
}

static void test_mb2_strings(void **state)
{
    (void)state;
    mb2(); /* a tag without room for a NUL, and letters behind it */
    tag(1);
    put("bench=al", 8);
    end_tag();
    string_tag(0x6c, "l");
    finish();
    loader_parse(MULTIBOOT2_MAGIC, LOADER_BASE, &bi);
    assert_string_equal(bi.cmdline, "bench=al");
    assert_true(bi.cmdline_too_long);

    mb2(); /* memory ends before total_size does */
    tag(1);
    put("bench=al", 8);
    end_tag();
    poke32(tag_at + 4, 200);
    poke32(LOADER_BASE, 400);
    loader_parse(MULTIBOOT2_MAGIC, LOADER_BASE, &bi);
    assert_string_equal(bi.cmdline, "bench=al");
    assert_true(bi.cmdline_too_long);

    mb2();
    tag(1);
    put_letters(CMDLINE_MAX + 1);
    put8(0);
    end_tag();
    string_tag(2, "a loader whose name is much longer than the sixty-three bytes there are for it");
    finish();
    loader_parse(MULTIBOOT2_MAGIC, LOADER_BASE, &bi);
    assert_true(bi.cmdline_too_long);
    assert_int_equal(strlen(bi.cmdline), CMDLINE_MAX);
    assert_int_equal(strlen(bi.loader), 63);
}

static void test_mb2_broken_chain(void **state)
{
    (void)state;
    for (uint32_t size = 0; size < 8; size++) { /* a tag smaller than its header ends the walk */
        mb2();
        string_tag(1, "first");
        tag(21);
        poke32(tag_at + 4, size);
        string_tag(2, "behind");
        finish();
        loader_parse(MULTIBOOT2_MAGIC, LOADER_BASE, &bi);
        assert_string_equal(bi.cmdline, "first");
        assert_string_equal(bi.loader, "");
    }
    mb2(); /* total_size ends the walk, without an end tag */
    string_tag(1, "first");
    while (loader_end() % 8) put8(0);
    poke32(LOADER_BASE, loader_end() - LOADER_BASE);
    string_tag(2, "behind");
    loader_parse(MULTIBOOT2_MAGIC, LOADER_BASE, &bi);
    assert_string_equal(bi.cmdline, "first");
    assert_string_equal(bi.loader, "");

    mb2();
    loader_parse(MULTIBOOT2_MAGIC, LOADER_BASE, &bi); /* total_size 0 */
    assert_int_equal(bi.protocol, 2);
    assert_int_equal(bi.map_source, MAP_NONE);

    mb2(); /* the last tag there is room for, with nothing in it */
    tag(11);
    end_tag();
    poke32(LOADER_BASE, loader_end() - LOADER_BASE);
    loader_parse(MULTIBOOT2_MAGIC, LOADER_BASE, &bi);
    assert_true(bi.efi);
    poke32(LOADER_BASE, loader_end() - LOADER_BASE - 1);
    loader_parse(MULTIBOOT2_MAGIC, LOADER_BASE, &bi);
    assert_false(bi.efi);

    for (unsigned before = 4095; before <= 4096; before++) { /* so many are looked at */
        mb2();
        for (unsigned i = 0; i < before; i++) tag(21), end_tag();
        string_tag(1, "seen");
        finish();
        loader_parse(MULTIBOOT2_MAGIC, LOADER_BASE, &bi);
        assert_string_equal(bi.cmdline, before == 4095 ? "seen" : "");
    }

    mb2(); /* a module's name ends where its tag does */
    tag(3);
    put32(0x1000), put32(0x2000), put("abc", 3);
    end_tag();
    put_letters(4);
    finish();
    loader_parse(MULTIBOOT2_MAGIC, LOADER_BASE, &bi);
    assert_string_equal(bi.module[0].name, "abc");

    mb2(); /* more than there is room for; empty ones and one that ends before it begins */
    for (uint32_t i = 0; i < BOOT_MODULES + 2; i++) {
        tag(3);
        put32(0x1000 * i), put32(0x1000 * i - (i == 1));
        end_tag();
    }
    finish();
    loader_parse(MULTIBOOT2_MAGIC, LOADER_BASE, &bi);
    assert_int_equal(bi.n_modules, BOOT_MODULES);
    assert_int_equal(bi.modules_dropped, 2);
    assert_int_equal(bi.module[1].start, 0x2000);
    assert_int_equal(bi.module[1].end, 0x2000);

    mb2(); /* a module tag too short for its addresses */
    tag(3);
    put32(0);
    end_tag();
    finish();
    loader_parse(MULTIBOOT2_MAGIC, LOADER_BASE, &bi);
    assert_int_equal(bi.n_modules, 0);
    assert_int_equal(bi.modules_dropped, 1);
}

static void test_framebuffers(void **state)
{
    static const uint8_t wide[6] = {28, 8, 8, 8, 0, 8}, none[6] = {16, 0, 8, 8, 0, 8},
                         highest[6] = {24, 8, 31, 1, 0, 32},
                         beyond[3][6] = {{25, 8, 8, 8, 0, 8}, {16, 8, 32, 1, 0, 8}, {16, 8, 8, 8, 0, 33}},
                         rgb555[6] = {10, 5, 5, 5, 0, 5};
    static const struct {
        uint64_t addr;
        uint32_t pitch, width, height;
        uint8_t bpp, type;
        const uint8_t *rgb;
        bool taken;
    } cases[] = {
        {0xb8000, 160, 80, 25, 16, 2, NULL, true},
        {0xb8000, 160, 80, 25, 0, 2, NULL, true}, /* bpp means nothing in text mode */
        {0xb8000, 159, 80, 25, 16, 2, NULL, false},
        {0xa0000, 320, 320, 200, 8, 0, NULL, true},
        {0x4000000000, 4096, 1024, 768, 32, 1, rgb888, true}, /* above 4 GiB: told, whoever draws must look */
        {0xe0000000, 2400, 800, 600, 24, 1, rgb888, true},
        {0xe0000000, 2399, 800, 600, 24, 1, rgb888, false},
        {0xe0000000, 3200, 800, 600, 32, 1, NULL, false}, /* RGB without its fields */
        {0xe0000000, 3200, 800, 600, 32, 1, wide, false}, /* a field beyond bit 31 */
        {0xe0000000, 3200, 800, 600, 32, 1, none, false}, /* a colour of no bits */
        {0xe0000000, 3200, 800, 600, 32, 1, highest, true},
        {0xe0000000, 3200, 800, 600, 32, 1, beyond[0], false},
        {0xe0000000, 3200, 800, 600, 32, 1, beyond[1], false},
        {0xe0000000, 3200, 800, 600, 32, 1, beyond[2], false},
        {0xe0000000, 1600, 800, 600, 15, 1, rgb555, true},
        {0xe0000000, 1599, 800, 600, 15, 1, rgb555, false},
        {0xe0000000, 100, 800, 600, 1, 0, NULL, false},
        {0xe0000000, 800, 800, 600, 1, 0, NULL, true},
        {0xe0000000, 4000, 800, 600, 33, 1, rgb888, false},
        {0xe0000000, 3200, 800, 600, 0, 0, NULL, false},
        {0xe0000000, 3200, 0, 600, 32, 1, rgb888, false},
        {0xe0000000, 3200, 800, 0, 32, 1, rgb888, false},
        {0xe0000000, 3200, 800, 600, 32, 3, NULL, false},
        {0xe0000000, 0, 0xffffffff, 600, 32, 1, rgb888, false},
        {0xffffffffffff0000, 3200, 800, 600, 32, 1, rgb888, false}, /* wraps around */
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mb2();
        fb_tag(cases[i].addr, cases[i].pitch, cases[i].width, cases[i].height, cases[i].bpp, cases[i].type,
               cases[i].rgb);
        finish();
        loader_parse(MULTIBOOT2_MAGIC, LOADER_BASE, &bi);
        assert_int_equal(bi.fb.addr, cases[i].taken ? cases[i].addr : 0);
        assert_int_equal(bi.fb.width, cases[i].taken ? cases[i].width : 0);
        assert_int_equal(bi.fb.height, cases[i].taken ? cases[i].height : 0);
        assert_int_equal(bi.fb.bpp, !cases[i].taken ? 0 : cases[i].type == 2 ? 16 : cases[i].bpp);
        if (!cases[i].taken || !cases[i].rgb) continue;
        const uint8_t taken[] = {bi.fb.red_pos,    bi.fb.red_size, bi.fb.green_pos,
                                 bi.fb.green_size, bi.fb.blue_pos, bi.fb.blue_size};
        assert_memory_equal(taken, cases[i].rgb, sizeof taken);
    }
    for (unsigned type = 1; type <= 2; type++) { /* a tag that ends with the type */
        mb2();
        fb_tag(0xb8000, 320, 80, 25, 32, (uint8_t)type, NULL);
        for (uint32_t bytes = 29; bytes <= 30; bytes++) {
            poke32(tag_at + 4, bytes);
            poke32(LOADER_BASE, 8 + bytes);
            loader_parse(MULTIBOOT2_MAGIC, LOADER_BASE, &bi);
            assert_int_equal(bi.fb.width, type == 2 && bytes == 30 ? 80 : 0);
        }
    }
}

/* UEFI's system table, 32 or 64 bits wide: the loader's only word on it. */
static void test_efi(void **state)
{
    static const struct {
        uint32_t tag;
        bool efi;
    } cases[] = {{11, true}, {12, true}, {13, false}, {15, false}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mb2();
        tag(cases[i].tag);
        put64(0x7f000000);
        end_tag();
        finish();
        loader_parse(MULTIBOOT2_MAGIC, LOADER_BASE, &bi);
        assert_true(bi.efi == cases[i].efi);
        assert_int_equal(bi.fb.addr, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mb2_everything),
        cmocka_unit_test(test_mb2_rsdp),
        cmocka_unit_test(test_mb2_map_wins_over_meminfo),
        cmocka_unit_test(test_mb2_broken_maps),
        cmocka_unit_test(test_mb2_strings),
        cmocka_unit_test(test_mb2_broken_chain),
        cmocka_unit_test(test_framebuffers),
        cmocka_unit_test(test_efi),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
