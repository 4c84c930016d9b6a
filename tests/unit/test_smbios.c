/* SMBIOS tables by each way of finding them, whole and lying. */
#include "kernel/multiboot.h"
#include "kernel/smbios.h"
#include "tests/unit/fake_hw.h"
#include "tests/unit/unit.h"
#include <string.h>

enum { BIOS = 0xf0000, BIOS_SIZE = 0x10000, TABLES = 0x7fe0000, SYSTEM = 0x6000000 };
static uint8_t bios[BIOS_SIZE], tables[0x1000], efi[0x2000];

static struct bootinfo bi;
static struct smbios out;

static int machine(void **state)
{
    (void)state;
    memset(bios, 0, sizeof bios);
    memset(tables, 0, sizeof tables);
    memset(efi, 0, sizeof efi);
    memset(&bi, 0, sizeof bi);
    fake_reset();
    fake_memory(BIOS, bios, sizeof bios);
    fake_memory(TABLES, tables, sizeof tables);
    fake_memory(SYSTEM, efi, sizeof efi);
    return 0;
}

static void set(uint8_t *p, uint64_t value, unsigned bytes) { memcpy(p, &value, bytes); }

static void checksum(uint8_t *p, unsigned len, unsigned at)
{
    uint8_t sum = 0;
    p[at] = 0;
    for (unsigned i = 0; i < len; i++) sum += p[i];
    p[at] = (uint8_t)-sum;
}

/* Strings with NULs between them, as a literal with its own NUL for the last one's and one more. */
static uint32_t structure(uint32_t at, const void *formatted, unsigned len, const char *strings, unsigned n)
{
    memcpy(tables + at, formatted, len);
    memcpy(tables + at + len, strings, n);
    return at + len + n;
}

/* A BIOS, a system, two boards and the end. Returns the length. */
static uint32_t whole(void)
{
    static const uint8_t bios0[] = {0, 0x18, 0, 0, 1, 2, 0, 0, 3, [0x17] = 0};
    static const uint8_t system1[] = {1, 0x1b, 1, 0, 1, 2, [0x1a] = 0};
    static const uint8_t board2[] = {2, 8, 2, 0, 2, 1, 0, 0}, end[] = {127, 4, 9, 0};
    uint32_t n = structure(0, bios0, sizeof bios0,
                           "Maker\0F.12 \0"
                           "07/08/2011\0",
                           24);
    n = structure(n, system1, sizeof system1, "ACME\0Box \001 1   \0", 17);
    n = structure(n, board2, sizeof board2, "Product\0Company\0", 17);
    n = structure(n, board2, sizeof board2, "Second\0Second\0", 15);
    return structure(n, end, sizeof end, "\0", 2);
}

static void is_whole(const char *source)
{
    assert_string_equal(out.source, source);
    assert_null(out.fault);
    assert_string_equal(out.bios_vendor, "Maker");
    assert_string_equal(out.bios_version, "F.12");
    assert_string_equal(out.bios_date, "07/08/2011");
    assert_string_equal(out.system_maker, "ACME");
    assert_string_equal(out.system_product, "Box ? 1");
    assert_string_equal(out.board_maker, "Company"); /* strings by number, and of the first board */
    assert_string_equal(out.board_product, "Product");
}

static void sm2(uint8_t *p, uint32_t addr, uint32_t len)
{
    memset(p, 0, 32);
    memcpy(p, "_SM_", 4);
    p[5] = 0x1f;
    memcpy(p + 16, "_DMI_", 5);
    set(p + 16 + 6, len, 2);
    set(p + 16 + 8, addr, 4);
    checksum(p + 16, 15, 5);
    checksum(p, 0x1f, 4);
}

static void sm3(uint8_t *p, uint64_t addr, uint32_t len)
{
    memset(p, 0, 0x18);
    memcpy(p, "_SM3_", 5);
    p[6] = 0x18;
    set(p + 0xc, len, 4);
    set(p + 0x10, addr, 8);
    checksum(p, 0x18, 5);
}

TEST_WITH(in_the_bios, machine, NULL)
{
    const uint32_t len = whole();
    smbios_probe(&bi, &out);
    assert_string_equal(out.source, "none");
    assert_null(out.fault);
    sm2(bios + BIOS_SIZE - 32, TABLES, len); /* the last place */
    smbios_probe(&bi, &out);
    is_whole("bios");
    bios[BIOS_SIZE - 32 + 8]++; /* a wrong checksum: the inner part has its own */
    smbios_probe(&bi, &out);
    is_whole("bios");
    bios[BIOS_SIZE - 16 + 13]++;
    smbios_probe(&bi, &out);
    assert_string_equal(out.source, "none");
    sm3(bios + 0x20, TABLES, sizeof tables); /* which says only how long it is at most */
    smbios_probe(&bi, &out);
    is_whole("bios");
    memmove(bios + 0x28, bios + 0x20, 0x18); /* not on a boundary of 16 bytes */
    memset(bios + 0x20, 0, 8);
    smbios_probe(&bi, &out);
    assert_string_equal(out.source, "none");
}

/* UEFI: the area below 1 MiB is not searched. */
TEST_WITH(by_uefi, machine, NULL)
{
    static const uint8_t guid2[] = {0x31, 0x2d, 0x9d, 0xeb, 0x88, 0x2d, 0xd3, 0x11,
                                    0x9a, 0x16, 0x00, 0x90, 0x27, 0x3f, 0xc1, 0x4d};
    static const uint8_t guid3[] = {0x44, 0x15, 0xfd, 0xf2, 0x94, 0x97, 0x2c, 0x4a,
                                    0x99, 0x2e, 0xe5, 0xbb, 0xcf, 0x20, 0xe3, 0x94};
    for (unsigned wide = 0; wide < 2; wide++)
        for (unsigned at = 0; at < 6; at++) {
            machine(NULL);
            const uint32_t len = whole();
            const unsigned three = at % 2, place = at / 2; /* among three entries */
            const unsigned n = wide ? 104 : 64, table = wide ? 112 : 68, entry = wide ? 24 : 20;
            memcpy(efi, "IBI SYST", 8);
            set(efi + n, 3, 4);
            set(efi + table, SYSTEM + 0x200, wide ? 8 : 4);
            memcpy(efi + 0x200 + place * entry, three ? guid3 : guid2, 16);
            set(efi + 0x200 + place * entry + 16, TABLES + 0x800, wide ? 8 : 4);
            if (three)
                sm3(tables + 0x800, TABLES, 0x700);
            else
                sm2(tables + 0x800, TABLES, len);
            sm2(bios, TABLES, len);
            bi.efi = true;
            smbios_probe(&bi, &out);
            assert_string_equal(out.source, "none"); /* multiboot 1 gives no system table */
            bi.efi_system = SYSTEM;
            bi.efi_system_64 = wide;
            smbios_probe(&bi, &out);
            is_whole("efi");
            tables[0x808]++;
            smbios_probe(&bi, &out);
            assert_string_equal(out.source, "none");
            assert_non_null(strstr(out.fault, "UEFI names"));
            set(efi + n, place, 4); /* it is behind the last entry */
            smbios_probe(&bi, &out);
            assert_null(out.fault);
            efi[0] = 'X';
            smbios_probe(&bi, &out);
            assert_non_null(strstr(out.fault, "system table"));
        }
}

/* A count that cannot be true: 256 entries are read, and nothing after them. */
TEST_WITH(by_uefi_counted_wrong, machine, NULL)
{
    static const uint8_t guid3[] = {0x44, 0x15, 0xfd, 0xf2, 0x94, 0x97, 0x2c, 0x4a,
                                    0x99, 0x2e, 0xe5, 0xbb, 0xcf, 0x20, 0xe3, 0x94};
    for (unsigned place = 254; place < 258; place++) {
        machine(NULL);
        whole();
        memcpy(efi, "IBI SYST", 8);
        set(efi + 104, UINT32_MAX, 4);
        set(efi + 112, SYSTEM + 0x200, 8);
        memcpy(efi + 0x200 + place * 24, guid3, sizeof guid3);
        set(efi + 0x200 + place * 24 + 16, TABLES + 0x800, 8);
        sm3(tables + 0x800, TABLES, 0x700);
        bi.efi = bi.efi_system_64 = true;
        bi.efi_system = SYSTEM;
        smbios_probe(&bi, &out);
        assert_string_equal(out.source, place < 256 ? "efi" : "none");
        assert_null(out.fault);
    }
}

TEST_WITH(by_the_loader, machine, NULL)
{
    bi.smbios = TABLES;
    bi.smbios_len = whole();
    smbios_probe(&bi, &out);
    is_whole("multiboot");
}

/* What comes before the fault is kept; nothing is read beyond the end. */
TEST_WITH(lies, machine, NULL)
{
    const uint32_t len = whole();
    bi.smbios = TABLES;
    for (uint32_t n = 1; n < len; n++) {
        bi.smbios_len = n;
        smbios_probe(&bi, &out);
        if (n >= 24 + 24) assert_string_equal(out.bios_version, "F.12");
        if (n < 24 + 24) assert_string_equal(out.bios_version, "");
    }
    bi.smbios_len = len;
    tables[24 + 24 + 1] = 3; /* a length below the header's */
    smbios_probe(&bi, &out);
    assert_non_null(strstr(out.fault, "longer than the table"));
    assert_string_equal(out.bios_vendor, "Maker");
    assert_string_equal(out.system_maker, "");
    tables[24 + 24 + 1] = 255; /* beyond the table */
    smbios_probe(&bi, &out);
    assert_non_null(out.fault);
    whole();
    tables[4] = 200; /* a string that is not there */
    smbios_probe(&bi, &out);
    assert_null(out.fault);
    assert_string_equal(out.bios_vendor, "");
    assert_string_equal(out.bios_version, "F.12");
    bi.smbios_len = sizeof tables + 1; /* more than can be read */
    smbios_probe(&bi, &out);
    assert_non_null(strstr(out.fault, "cannot read"));
    bi.smbios_len = UINT32_MAX;
    smbios_probe(&bi, &out);
    assert_non_null(out.fault);
}

/* The tag as the specification has it, 3.6.14. */
TEST_WITH(tag, machine, NULL)
{
    static struct bootinfo told;
    const uint32_t n = whole();
    uint8_t *p = tables + 0x800;
    set(p + 8, 13, 4);
    set(p + 12, 16 + n, 4);
    memcpy(p + 24, tables, n);
    const uint32_t end = (8 + 16 + n + 7) & ~7u;
    set(p + end + 4, 8, 4);
    set(p, end + 8, 4);
    bootinfo_parse(MULTIBOOT2_MAGIC, TABLES + 0x800, &told);
    assert_int_equal(told.smbios, TABLES + 0x800 + 24);
    assert_int_equal(told.smbios_len, n);
    smbios_probe(&told, &out);
    is_whole("multiboot");
    set(p + 8, 12, 4); /* the same as UEFI's 64-bit tag */
    set(p + 16, 0x123456789, 8);
    bootinfo_parse(MULTIBOOT2_MAGIC, TABLES + 0x800, &told);
    assert_true(told.efi && told.efi_system_64 && told.efi_system == 0x123456789 && !told.smbios_len);
    set(p + 8, 11, 4);
    bootinfo_parse(MULTIBOOT2_MAGIC, TABLES + 0x800, &told);
    assert_true(told.efi && !told.efi_system_64 && told.efi_system == 0x23456789);
}
