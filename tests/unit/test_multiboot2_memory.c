/* bootinfo_parse(): where Multiboot 2 information says that memory and the framebuffer are (Multiboot2 2.0,
 * section 3.6), whole and broken. */
#include "kernel/bootinfo.h"
#include "tests/unit/multiboot2_tags.h"
#include "tests/unit/unit.h"

static struct bootinfo bi;

TEST(test_mb2_map_wins_over_meminfo)
{
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

TEST(test_mb2_broken_maps)
{
    static const struct {
        uint32_t entry_size, extra, n_map;
        bool truncated;
    } cases[] = {
        {24, 0, 3, false}, {40, 0, 3, false}, {24, 23, 3, true},        {40, 1, 3, true},
        {23, 0, 0, true},  {0, 0, 0, true},   {0xffffffff, 0, 0, true},
    };
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

TEST(test_framebuffers)
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
