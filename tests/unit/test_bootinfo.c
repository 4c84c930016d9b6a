/* bootinfo_parse() on information laid out as the two Multiboot specifications say, whole and broken. */
#include "kernel/bootinfo.h"
#include "tests/unit/fake_hw.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h> /* needs the ones above */

/* The loader's memory: everything that is built lies in it, and nothing else can be read. */
enum { BASE = 0x10000, SIZE = 0x4000 };
static uint8_t mem[SIZE];
static uint32_t used;

static struct bootinfo bi;

static void start(void)
{
    memset(mem, 0xee, sizeof mem);
    used = 0;
}

static uint32_t put(const void *data, uint32_t len)
{
    uint32_t at = used;
    assert_true(used + len <= SIZE);
    memcpy(mem + at, data, len);
    used += len;
    return BASE + at;
}

static uint32_t put32(uint32_t v) { return put(&v, 4); }
static uint32_t put64(uint64_t v) { return put(&v, 8); }
static uint32_t put_string(const char *s) { return put(s, (uint32_t)strlen(s) + 1); }
static void poke32(uint32_t addr, uint32_t v) { memcpy(mem + (addr - BASE), &v, 4); }

/* Parse with only the memory that was put there, so that reading behind it is refused. */
static void parse(uint32_t magic, uint32_t info)
{
    fake_reset();
    fake_memory(BASE, mem, used);
    memset(&bi, 0xa5, sizeof bi);
    bootinfo_parse(magic, info, &bi);
}

static void test_other_magic(void **state)
{
    static const struct bootinfo empty;
    (void)state;
    start();
    uint32_t info = put32(0xffffffff);
    for (unsigned i = 0; i < 30; i++) put32(BASE);
    parse(0x12345678, info);
    assert_memory_equal(&bi, &empty, sizeof bi);
}

/* ---- Multiboot 1 ---- */

/* Field offsets of Multiboot 0.6.96, section 3.3. */
enum { M1_LOWER = 4, M1_UPPER = 8, M1_CMDLINE = 16, M1_MODS = 20, M1_MMAP = 44, M1_LOADER = 64, M1_FB = 88 };
enum { M1_SIZE = 116 };

static uint32_t mb1(uint32_t flags)
{
    static const uint8_t zero[M1_SIZE];
    start();
    uint32_t info = put(zero, M1_SIZE);
    poke32(info, flags);
    return info;
}

static void put_entry(uint32_t size, uint64_t base, uint64_t len, uint32_t type)
{
    put32(size);
    put64(base);
    put64(len);
    put32(type);
    for (uint32_t i = 20; i < size; i++) put("", 1);
}

static void test_mb1_everything(void **state)
{
    (void)state;
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

    uint32_t map = BASE + used;
    put_entry(20, 0, 0x9fc00, 1);
    put_entry(24, 0x9fc00, 0x400, 2); /* the size field may be larger than 20 */
    put_entry(20, 0x100000, 0x7ee0000, 1);
    put_entry(28, 0x100000000, 0x180000000, 1);
    poke32(info + M1_MMAP, BASE + used - map);
    poke32(info + M1_MMAP + 4, map);

    const uint8_t rgb[6] = {16, 8, 8, 8, 0, 8};
    poke32(info + M1_FB, 0xfd000000);
    poke32(info + M1_FB + 8, 1024 * 4);
    poke32(info + M1_FB + 12, 1024);
    poke32(info + M1_FB + 16, 768);
    mem[info - BASE + 108] = 32;
    mem[info - BASE + 109] = 1;
    memcpy(mem + (info - BASE) + 110, rgb, 6);

    parse(MULTIBOOT1_MAGIC, info);
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

    poke32(info, 0); /* the same fields without their flags count for nothing */
    parse(MULTIBOOT1_MAGIC, info);
    assert_string_equal(bi.cmdline, "");
    assert_string_equal(bi.loader, "");
    assert_int_equal(bi.map_source, MAP_NONE);
    assert_int_equal(bi.n_map, 0);
    assert_int_equal(bi.n_modules, 0);
    assert_int_equal(bi.fb.addr, 0);
}

static void test_mb1_meminfo_only(void **state)
{
    (void)state;
    uint32_t info = mb1(1 << 0);
    poke32(info + M1_LOWER, 640);
    poke32(info + M1_UPPER, 0xffffffff); /* KiB: does not fit 32 bits in bytes */
    parse(MULTIBOOT1_MAGIC, info);
    assert_int_equal(bi.map_source, MAP_MEMINFO);
    assert_int_equal(bi.n_map, 2);
    assert_int_equal(bi.map[0].base, 0);
    assert_int_equal(bi.map[0].len, 640 * 1024);
    assert_int_equal(bi.map[1].base, 0x100000);
    assert_int_equal(bi.map[1].len, 0xffffffffull * 1024);
    assert_false(bi.map_truncated);

    poke32(info + M1_LOWER, 4096); /* would reach into the upper range */
    parse(MULTIBOOT1_MAGIC, info);
    assert_int_equal(bi.n_map, 1);
    assert_int_equal(bi.map[0].base, 0x100000);
    assert_true(bi.map_truncated);

    poke32(info + M1_LOWER, 0);
    poke32(info + M1_UPPER, 0);
    parse(MULTIBOOT1_MAGIC, info);
    assert_int_equal(bi.map_source, MAP_NONE);
}

static void test_mb1_broken_maps(void **state)
{
    (void)state;
    uint32_t info = mb1(1 << 0 | 1 << 6);
    poke32(info + M1_UPPER, 1024);
    uint32_t map = BASE + used;
    put_entry(20, 0, 0x9f000, 1);
    put_entry(20, 0x100000, 0x700000, 1);
    poke32(info + M1_MMAP + 4, map);

    poke32(info + M1_MMAP, 47); /* the last entry is one byte short */
    parse(MULTIBOOT1_MAGIC, info);
    assert_int_equal(bi.map_source, MAP_MMAP);
    assert_int_equal(bi.n_map, 1);
    assert_true(bi.map_truncated);

    poke32(info + M1_MMAP, 72); /* one entry more than can be read */
    parse(MULTIBOOT1_MAGIC, info);
    assert_int_equal(bi.n_map, 2);
    assert_true(bi.map_truncated);

    poke32(info + M1_MMAP, 48);
    poke32(map + 24, 19); /* size of the second entry */
    parse(MULTIBOOT1_MAGIC, info);
    assert_int_equal(bi.n_map, 1);
    assert_true(bi.map_truncated);
    poke32(map + 24, 0xfffffffc); /* would step back to itself in 32-bit arithmetic */
    parse(MULTIBOOT1_MAGIC, info);
    assert_int_equal(bi.n_map, 1);
    assert_true(bi.map_truncated);

    poke32(map + 24, 20);
    poke32(map + 28 + 4, 0xffffffff); /* base + len wraps around */
    poke32(map + 28 + 12, 0xffffffff);
    parse(MULTIBOOT1_MAGIC, info);
    assert_int_equal(bi.n_map, 1);
    assert_true(bi.map_truncated);

    poke32(info + M1_MMAP + 4, 0); /* unreadable from the start: mem_upper is left */
    parse(MULTIBOOT1_MAGIC, info);
    assert_int_equal(bi.map_source, MAP_MEMINFO);
    assert_int_equal(bi.n_map, 1);
    assert_int_equal(bi.map[0].len, 1024 * 1024);
    assert_true(bi.map_truncated);
}

static void test_mb1_long_map(void **state)
{
    (void)state;
    uint32_t info = mb1(1 << 6), map = BASE + used;
    for (unsigned i = 0; i < BOOT_RANGES; i++) put_entry(20, i * 0x1000, 0x1000, 1);
    poke32(info + M1_MMAP, BASE + used - map);
    poke32(info + M1_MMAP + 4, map);
    parse(MULTIBOOT1_MAGIC, info);
    assert_int_equal(bi.n_map, BOOT_RANGES);
    assert_false(bi.map_truncated);

    put_entry(20, 0x800000, 0x1000, 1);
    poke32(info + M1_MMAP, BASE + used - map);
    parse(MULTIBOOT1_MAGIC, info);
    assert_int_equal(bi.n_map, BOOT_RANGES);
    assert_true(bi.map_truncated);
}

static void put_words(uint32_t len)
{
    for (uint32_t i = 0; i < len; i++) put(&"abcdefg "[i % 8], 1);
}

static void test_mb1_cmdline_length(void **state)
{
    (void)state;
    uint32_t info = mb1(1 << 2);
    poke32(info + M1_CMDLINE, BASE + used);
    put_words(CMDLINE_MAX);
    put("", 1);
    parse(MULTIBOOT1_MAGIC, info);
    assert_int_equal(strlen(bi.cmdline), CMDLINE_MAX);
    assert_false(bi.cmdline_too_long);

    info = mb1(1 << 2);
    poke32(info + M1_CMDLINE, BASE + used);
    put_words(CMDLINE_MAX + 1);
    put("", 1);
    parse(MULTIBOOT1_MAGIC, info);
    assert_int_equal(strlen(bi.cmdline), CMDLINE_MAX);
    assert_true(bi.cmdline_too_long);

    info = mb1(1 << 2); /* readable memory ends before the string does: cut short, so not to be obeyed */
    poke32(info + M1_CMDLINE, BASE + used);
    put("exit=qemu", 9);
    parse(MULTIBOOT1_MAGIC, info);
    assert_string_equal(bi.cmdline, "exit=qemu");
    assert_true(bi.cmdline_too_long);

    poke32(info + M1_CMDLINE, 0); /* no command line at all */
    parse(MULTIBOOT1_MAGIC, info);
    assert_string_equal(bi.cmdline, "");
    assert_false(bi.cmdline_too_long);
}

static void test_mb1_modules(void **state)
{
    (void)state;
    uint32_t info = mb1(1 << 3);
    char long_name[100];
    memset(long_name, 'x', sizeof long_name);
    long_name[99] = '\0';
    uint32_t name = put_string(long_name);
    uint32_t mods = BASE + used;
    for (unsigned i = 0; i < BOOT_MODULES + 3; i++)
        put32(i * 0x1000 + 0x400000), put32(i * 0x1000 + 0x401000), put32(name), put32(0);
    poke32(info + M1_MODS, BOOT_MODULES + 3);
    poke32(info + M1_MODS + 4, mods);
    parse(MULTIBOOT1_MAGIC, info);
    assert_int_equal(bi.n_modules, BOOT_MODULES);
    assert_int_equal(bi.modules_dropped, 3);
    assert_int_equal(strlen(bi.module[0].name), sizeof bi.module[0].name - 1);
    assert_int_equal(bi.module[15].start, 0x40f000);

    poke32(mods + 4, 0x3fffff); /* the first ends before it starts */
    parse(MULTIBOOT1_MAGIC, info);
    assert_int_equal(bi.n_modules, BOOT_MODULES - 1);
    assert_int_equal(bi.modules_dropped, 4);
    assert_int_equal(bi.module[0].start, 0x401000);

    poke32(info + M1_MODS, 0xffffffff);
    poke32(info + M1_MODS + 4, BASE + used - 16); /* one can be read */
    parse(MULTIBOOT1_MAGIC, info);
    assert_int_equal(bi.n_modules, 1);
    assert_int_equal(bi.modules_dropped, 0xfffffffe);
}

static void test_mb1_short_structure(void **state)
{
    (void)state;
    uint32_t info = mb1(1 << 0 | 1 << 12);
    poke32(info + M1_UPPER, 2048);
    used = 88; /* what the loaders gave before there was a framebuffer in it */
    parse(MULTIBOOT1_MAGIC, info);
    assert_int_equal(bi.map_source, MAP_MEMINFO);
    assert_int_equal(bi.fb.addr, 0);

    parse(MULTIBOOT1_MAGIC, 0); /* no structure at all */
    assert_int_equal(bi.protocol, 1);
    assert_int_equal(bi.map_source, MAP_NONE);
    parse(MULTIBOOT1_MAGIC, 0xfffffffd); /* at the end of the address space */
    assert_int_equal(bi.map_source, MAP_NONE);
}

/* ---- Multiboot 2 ---- */

static uint32_t tag_at;

static uint32_t mb2(void)
{
    start();
    put32(0);
    put32(0);
    return BASE;
}

static void tag(uint32_t type)
{
    while (used % 8) put("", 1);
    tag_at = put32(type);
    put32(0);
}

/* End the tag that was begun; its size is counted. */
static void end_tag(void) { poke32(tag_at + 4, BASE + used - tag_at); }

static void finish(void)
{
    tag(0);
    end_tag();
    poke32(BASE, used);
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
    for (uint32_t i = 20; i < size; i++) put("", 1);
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
    parse(MULTIBOOT2_MAGIC, BASE);

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
    parse(MULTIBOOT2_MAGIC, BASE);
    assert_int_equal(bi.rsdp_len, 36);
    assert_string_equal((char *)bi.rsdp, "new");

    mb2();
    tag(14);
    put(old, 19);
    end_tag();
    finish();
    parse(MULTIBOOT2_MAGIC, BASE);
    assert_int_equal(bi.rsdp_len, 0);
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
        parse(MULTIBOOT2_MAGIC, BASE);
        assert_int_equal(bi.map_source, MAP_MMAP);
        assert_int_equal(bi.n_map, 1);
        assert_int_equal(bi.map[0].len, 0x5000);
    }
    mb2();
    tag(4);
    put32(640), put32(1024);
    end_tag();
    finish();
    parse(MULTIBOOT2_MAGIC, BASE);
    assert_int_equal(bi.map_source, MAP_MEMINFO);
    assert_int_equal(bi.n_map, 2);
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
        for (unsigned e = 0; e < cases[i].extra; e++) put("", 1);
        end_tag();
        finish();
        parse(MULTIBOOT2_MAGIC, BASE);
        assert_int_equal(bi.n_map, cases[i].n_map);
        assert_int_equal(bi.map_truncated, cases[i].truncated);
        if (bi.n_map) assert_int_equal(bi.map[2].type, 2);
    }
    mb2(); /* a tag that ends inside of its own fixed part */
    tag(6);
    put32(24);
    end_tag();
    finish();
    parse(MULTIBOOT2_MAGIC, BASE);
    assert_int_equal(bi.map_source, MAP_NONE);
    assert_true(bi.map_truncated);

    mb2(); /* the tag claims more than total_size leaves: its whole entries are kept */
    tag(6);
    put32(24), put32(0);
    map_entry(0, 0x1000, 1, 24);
    map_entry(0x1000, 0x1000, 1, 24);
    end_tag();
    poke32(tag_at + 4, 0x7fffffff);
    poke32(BASE, used - 1);
    parse(MULTIBOOT2_MAGIC, BASE);
    assert_int_equal(bi.n_map, 1);
    assert_true(bi.map_truncated);

    mb2(); /* many entries that all wrap around take no room, and are looked at a bounded number of times */
    tag(6);
    put32(24), put32(0);
    for (unsigned e = 0; e < 2 * BOOT_RANGES; e++) map_entry(UINT64_MAX, 2, 1, 24);
    end_tag();
    finish();
    parse(MULTIBOOT2_MAGIC, BASE);
    assert_int_equal(bi.n_map, 0);
    assert_true(bi.map_truncated);
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
    parse(MULTIBOOT2_MAGIC, BASE);
    assert_string_equal(bi.cmdline, "bench=al");
    assert_true(bi.cmdline_too_long);

    mb2(); /* memory ends before total_size does */
    tag(1);
    put("bench=al", 8);
    end_tag();
    poke32(tag_at + 4, 200);
    poke32(BASE, 400);
    parse(MULTIBOOT2_MAGIC, BASE);
    assert_string_equal(bi.cmdline, "bench=al");
    assert_true(bi.cmdline_too_long);

    mb2();
    tag(1);
    put_words(CMDLINE_MAX + 1);
    put("", 1);
    end_tag();
    string_tag(2, "a loader whose name is much longer than the sixty-three bytes there are for it");
    finish();
    parse(MULTIBOOT2_MAGIC, BASE);
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
        parse(MULTIBOOT2_MAGIC, BASE);
        assert_string_equal(bi.cmdline, "first");
        assert_string_equal(bi.loader, "");
    }
    mb2(); /* total_size ends the walk, without an end tag */
    string_tag(1, "first");
    while (used % 8) put("", 1);
    poke32(BASE, used);
    string_tag(2, "behind");
    parse(MULTIBOOT2_MAGIC, BASE);
    assert_string_equal(bi.cmdline, "first");
    assert_string_equal(bi.loader, "");

    mb2();
    parse(MULTIBOOT2_MAGIC, BASE); /* total_size 0 */
    assert_int_equal(bi.protocol, 2);
    assert_int_equal(bi.map_source, MAP_NONE);

    mb2(); /* a module tag too short for its addresses */
    tag(3);
    put32(1);
    end_tag();
    finish();
    parse(MULTIBOOT2_MAGIC, BASE);
    assert_int_equal(bi.n_modules, 0);
    assert_int_equal(bi.modules_dropped, 1);
}

static void test_framebuffers(void **state)
{
    static const uint8_t wide[6] = {28, 8, 8, 8, 0, 8}, none[6] = {16, 0, 8, 8, 0, 8};
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
        {0xe0000000, 3200, 800, 600, 33, 1, rgb888, false},
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
        parse(MULTIBOOT2_MAGIC, BASE);
        assert_int_equal(bi.fb.addr, cases[i].taken ? cases[i].addr : 0);
        assert_int_equal(bi.fb.width, cases[i].taken ? cases[i].width : 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_other_magic),
        cmocka_unit_test(test_mb1_everything),
        cmocka_unit_test(test_mb1_meminfo_only),
        cmocka_unit_test(test_mb1_broken_maps),
        cmocka_unit_test(test_mb1_long_map),
        cmocka_unit_test(test_mb1_cmdline_length),
        cmocka_unit_test(test_mb1_modules),
        cmocka_unit_test(test_mb1_short_structure),
        cmocka_unit_test(test_mb2_everything),
        cmocka_unit_test(test_mb2_rsdp),
        cmocka_unit_test(test_mb2_map_wins_over_meminfo),
        cmocka_unit_test(test_mb2_broken_maps),
        cmocka_unit_test(test_mb2_strings),
        cmocka_unit_test(test_mb2_broken_chain),
        cmocka_unit_test(test_framebuffers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
