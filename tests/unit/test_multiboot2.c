/* bootinfo_parse(): Multiboot 2 information whole and broken (Multiboot2 2.0, section 3.6): the chain of
 * tags, strings, modules, RSDP, EFI. */
#include "kernel/bootinfo.h"
#include "tests/unit/multiboot2_tags.h"
#include "tests/unit/unit.h"
#include <string.h>

static struct bootinfo bi;

TEST(test_mb2_everything)
{
    static const char rsdp[36] = "RSD PTR 3BOCHS 2";
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
TEST(test_mb2_rsdp)
{
    static const char old[20] = "old", new[36] = "new";
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

TEST(test_mb2_strings)
{
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

TEST(test_mb2_broken_chain)
{
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

/* UEFI's system table, 32 or 64 bits wide: the loader's only word on it. */
TEST(test_efi)
{
    static const struct {
        uint32_t tag;
        bool efi;
    } cases[] = {{11, true}, {12, true}, {13, false}, {15, false}};
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
