/* acpi_probe() on tables laid out as ACPI 6.5, 5.2.5-5.2.9 says, whole and broken. */
#include "kernel/acpi.h"
#include "tests/unit/fake_hw.h"
#include "tests/unit/unit.h"
#include <string.h>

/* Where things lie: the first KiB, the EBDA, the BIOS area and some memory below 4 GiB, each readable by
 * itself. */
enum { EBDA = 0x9f800, BIOS = 0xe0000, TABLES = 0x7fe0000 };
/* Of the EBDA the first KiB is searched, of the BIOS area 128 KiB: what lies behind is readable, too. */
enum { EBDA_SEARCHED = 0x400, BIOS_SEARCHED = 0x20000, BEHIND = 64 };
static uint8_t low[0x500], ebda[EBDA_SEARCHED + BEHIND], bios[BIOS_SEARCHED + BEHIND], tables[0x1000];

/* Offsets inside of tables[] */
enum { RSDT = 0, XSDT = 0x100, FADT = 0x200, OTHER = 0x600 };

static struct bootinfo bi;
static struct acpi_info info;

static void set(uint8_t *p, uint64_t value, unsigned bytes) { memcpy(p, &value, bytes); }

static void checksum(uint8_t *table, uint32_t len, unsigned at)
{
    uint8_t sum = 0;
    table[at] = 0;
    for (uint32_t i = 0; i < len; i++) sum += table[i];
    table[at] = (uint8_t)-sum;
}

static void header(uint32_t at, const char *signature, uint32_t len)
{
    memcpy(tables + at, signature, 4);
    set(tables + at + 4, len, 4);
}

static void seal(uint32_t at)
{
    uint32_t len;
    memcpy(&len, tables + at + 4, 4);
    checksum(tables + at, len, 9);
}

static void put_rsdp(uint8_t *p, unsigned revision, uint64_t rsdt, uint64_t xsdt)
{
    memset(p, 0, revision < 2 ? 20 : 36);
    memcpy(p, "RSD PTR ", 8);
    memcpy(p + 9, "BOCHS ", 6);
    p[15] = (uint8_t)revision;
    set(p + 16, rsdt, 4);
    checksum(p, 20, 8);
    if (revision < 2) return;
    set(p + 20, 36, 4);
    set(p + 24, xsdt, 8);
    checksum(p, 36, 32);
}

/* An ACPI 1.0 machine as QEMU's pc: RSDP in the BIOS area, RSDT, FADT of 116 bytes, timer at 608h, 24 bits.
 */
static void machine(void)
{
    memset(&bi, 0, sizeof bi);
    memset(low, 0, sizeof low);
    memset(ebda, 0, sizeof ebda);
    memset(bios, 0, sizeof bios);
    memset(tables, 0, sizeof tables);
    fake_reset();
    fake_memory(0, low, sizeof low);
    fake_memory(EBDA, ebda, sizeof ebda);
    fake_memory(BIOS, bios, sizeof bios);
    fake_memory(TABLES, tables, sizeof tables);

    put_rsdp(bios + 0x14a40, 0, TABLES + RSDT, 0);
    header(RSDT, "RSDT", 44);
    set(tables + RSDT + 36, TABLES + OTHER, 4);
    set(tables + RSDT + 40, TABLES + FADT, 4);
    seal(RSDT);
    header(OTHER, "APIC", 44);
    seal(OTHER);
    header(FADT, "FACP", 116);
    set(tables + FADT + 76, 0x608, 4);
    tables[FADT + 91] = 4;
    seal(FADT);
}

static void grow_fadt(uint32_t len)
{
    set(tables + FADT + 4, len, 4);
    seal(FADT);
}

static void use_xsdt(uint64_t fadt)
{
    put_rsdp(bios + 0x14a40, 2, TABLES + RSDT, TABLES + XSDT);
    bios[0x14a40 + 36] = 1; /* behind its 36 bytes */
    header(XSDT, "XSDT", 44);
    set(tables + XSDT + 36, fadt, 8);
    seal(XSDT);
}

/* The generic address of X_PM_TMR_BLK */
static void x_timer(uint8_t space, uint64_t address)
{
    tables[FADT + 208] = space;
    set(tables + FADT + 212, address, 8);
    grow_fadt(244);
}

static void expect(bool found, unsigned port, bool wide)
{
    memset(&info, 0xa5, sizeof info);
    acpi_probe(&bi, &info);
    assert_int_equal(info.found, found);
    assert_int_equal(info.pm_timer, port);
    assert_int_equal(info.pm_timer_32bit, wide);
}

TEST(test_bios_area)
{
    machine();
    expect(true, 0x608, false);
    assert_string_equal(info.oem, "BOCHS ");
    set(tables + FADT + 112, 1 << 8, 4); /* TMR_VAL_EXT */
    seal(FADT);
    expect(true, 0x608, true);

    memmove(bios + BIOS_SEARCHED - 32, bios + 0x14a40, 20); /* at the very end */
    memset(bios + 0x14a40, 0, 36);
    expect(true, 0x608, true);
    memmove(bios + 0x14a48, bios + BIOS_SEARCHED - 32, 20); /* not on a 16-byte boundary */
    memset(bios + BIOS_SEARCHED - 32, 0, 20);
    expect(false, 0, false);
    memmove(bios + BIOS_SEARCHED, bios + 0x14a48, 20); /* behind the end */
    expect(false, 0, false);
}

TEST(test_ebda)
{
    machine();
    memset(bios, 0, sizeof bios);
    put_rsdp(ebda + 0x3e0, 0, TABLES + RSDT, 0);
    expect(false, 0, false); /* the BIOS data area does not name an EBDA */
    set(low + 0x40e, EBDA >> 4, 2);
    expect(true, 0x608, false);
    memmove(ebda + EBDA_SEARCHED, ebda + 0x3e0, 20);
    memset(ebda + 0x3e0, 0, 20);
    expect(false, 0, false);
    assert_string_equal(info.oem, "");
}

TEST(test_loader_copy)
{
    machine();
    memset(bios, 0, sizeof bios); /* as on UEFI */
    put_rsdp(bi.rsdp, 0, TABLES + RSDT, 0);
    bi.rsdp_len = 20;
    expect(true, 0x608, false);
    bi.rsdp_len = 19;
    expect(false, 0, false);
    bi.rsdp_len = 20;
    bi.rsdp[0] = 'r';
    expect(false, 0, false);
    put_rsdp(bios + 0x10, 0, TABLES + RSDT, 0); /* the copy is bad, the firmware's own is not */
    expect(true, 0x608, false);
}

TEST(test_xsdt)
{
    machine();
    use_xsdt(TABLES + FADT);
    memset(tables + RSDT, 0, 44);
    expect(true, 0x608, false);

    machine(); /* an XSDT out of reach, or broken, or without the FADT, leaves the RSDT */
    use_xsdt(TABLES + FADT);
    put_rsdp(bios + 0x14a40, 2, TABLES + RSDT, 0x100000000ull + TABLES + XSDT);
    expect(true, 0x608, false);
    use_xsdt(TABLES + FADT);
    tables[XSDT + 20]++;
    expect(true, 0x608, false);
    use_xsdt(TABLES + OTHER);
    expect(true, 0x608, false);

    machine(); /* the second checksum is wrong: the RSDP counts as one of revision 0 */
    use_xsdt(TABLES + OTHER);
    memset(tables + OTHER, 0, 64);
    bios[0x14a40 + 33]++;
    expect(true, 0x608, false);

    /* Only the RSDT is looked at: of a copy of 20 bytes, and of an RSDP of revision 1, whatever is behind. */
    machine();
    use_xsdt(TABLES + FADT);
    memset(tables + RSDT, 0, 44);
    memcpy(bi.rsdp, bios + 0x14a40, 36);
    memset(bios, 0, sizeof bios);
    bi.rsdp_len = 20;
    expect(false, 0, false);
    bi.rsdp_len = 36;
    expect(true, 0x608, false);
    bi.rsdp[15] = 1;
    checksum(bi.rsdp, 20, 8);
    expect(false, 0, false);
    machine(); /* of revision 0 there is no XSDT anywhere: here one lies at 1 */
    memcpy(low + 1, "XSDT\x2c", 5);
    set(low + 1 + 36, TABLES + OTHER, 8);
    checksum(low + 1, 44, 9);
    header(OTHER, "FACP", 44);
    seal(OTHER);
    set(tables + RSDT + 36, TABLES + FADT, 4);
    seal(RSDT);
    expect(true, 0x608, false);
}

/* 64-bit address: preferred, but only when it is a port. */
TEST(test_extended_timer_address)
{
    machine();
    x_timer(1, 0x1808);
    expect(true, 0x1808, false);
    x_timer(1, 0);
    expect(true, 0x608, false);
    x_timer(0, 0xfed00000); /* in memory space */
    expect(true, 0x608, false);
    x_timer(1, 0x10608); /* no such port */
    expect(true, 0, false);
    x_timer(1, 0xfffd); /* its four bytes reach beyond the last port */
    expect(true, 0, false);
    x_timer(1, 0xfffc);
    expect(true, 0xfffc, false);
    x_timer(1, 1);
    expect(true, 1, false);
    grow_fadt(220); /* the field is just inside */
    expect(true, 1, false);
    grow_fadt(219); /* the field is not all inside of the table */
    expect(true, 0x608, false);
}

TEST(test_no_timer)
{
    machine();
    tables[FADT + 91] = 0;               /* PM_TMR_LEN: no timer */
    set(tables + FADT + 112, 1 << 8, 4); /* nor 32 bits of it */
    seal(FADT);
    expect(true, 0, false);
    x_timer(1, 0x1808);
    expect(true, 0x1808, true);
    set(tables + FADT + 112, 1 << 20, 4); /* HW_REDUCED_ACPI */
    seal(FADT);
    expect(true, 0, false);

    machine();
    grow_fadt(115); /* shorter than ACPI 1.0's */
    expect(true, 0, false);
    machine();
    set(tables + RSDT + 40, 0, 4); /* no FADT listed */
    seal(RSDT);
    expect(true, 0, false);
}

TEST(test_lengths)
{
    static const uint32_t rsdt_lengths[] = {0, 35, 0xffffffff, sizeof tables + 1, 0x10001};
    for (size_t i = 0; i < sizeof rsdt_lengths / sizeof *rsdt_lengths; i++) {
        machine();
        set(tables + RSDT + 4, rsdt_lengths[i], 4);
        expect(false, 0, false);
    }
    machine(); /* readable, and it sums to zero, but no root table is that long */
    put_rsdp(bios + 0x1f000, 0, BIOS, 0);
    memset(bios + 0x14a40, 0, 36);
    memcpy(bios, "RSDT", 4);
    set(bios + 4, 0x10001, 4);
    checksum(bios, 0x10001, 9);
    expect(false, 0, false);
    set(bios + 4, 0x10000, 4);
    checksum(bios, 0x10000, 9);
    expect(true, 0, false);
    machine();
    header(RSDT, "RSDT", 43); /* the second entry is cut: not followed */
    seal(RSDT);
    expect(true, 0, false);
    machine();
    header(RSDT, "RSDT", 36);
    seal(RSDT);
    expect(true, 0, false);
}

/* Every byte that is covered by a checksum: one flipped bit, and the table is not believed. */
TEST(test_any_flipped_byte)
{
    static const struct {
        uint8_t *at;
        unsigned len;
    } parts[] = {{bios + 0x14a40, 20}, {tables + RSDT, 44}, {tables + FADT, 116}};
    for (size_t p = 0; p < sizeof parts / sizeof *parts; p++) {
        for (unsigned i = 0; i < parts[p].len; i++) {
            machine();
            parts[p].at[i] ^= 0x10;
            expect(p == 2, 0, false);
        }
    }
}

/* A table by its name: where it lies, or what is wrong with it. */
static bool find(const char *signature, struct acpi_table *found)
{
    const char *const both[] = {"NONE", signature};
    struct acpi_table out[2];
    memset(out, 0xa5, sizeof out);
    const bool root = acpi_find(&bi, both, 2, out);
    assert_true(!out[0].bytes && !out[0].fault);
    *found = out[1];
    return root;
}

TEST(test_find)
{
    struct acpi_table found;
    machine();
    assert_true(find("APIC", &found));
    assert_ptr_equal(found.bytes, tables + OTHER);
    assert_int_equal(found.length, 44);
    assert_null(found.fault);
    find("SPCR", &found);
    assert_true(!found.bytes && !found.fault);
    tables[OTHER + 20]++;
    find("APIC", &found);
    assert_null(found.bytes);
    assert_string_equal(found.fault, "its checksum is wrong");
    find("FACP", &found); /* the other one is whole */
    assert_ptr_equal(found.bytes, tables + FADT);
    static const uint32_t lengths[] = {0, 35, 0x10001, 0xffffffff, sizeof tables + 1};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        set(tables + OTHER + 4, lengths[i], 4);
        find("APIC", &found);
        assert_null(found.bytes);
        assert_string_equal(found.fault, "its length is wrong");
    }
    header(OTHER, "APIC", 44); /* the XSDT has a broken one, the RSDT a whole one: that counts */
    use_xsdt(TABLES + FADT);
    memcpy(tables + FADT, "APIC", 4);
    tables[OTHER + 20] = 0;
    seal(OTHER);
    find("APIC", &found);
    assert_ptr_equal(found.bytes, tables + OTHER);
    tables[OTHER + 20]++;
    find("APIC", &found);
    assert_null(found.bytes);
    assert_non_null(found.fault);
    memset(bios, 0, sizeof bios); /* no ACPI */
    assert_false(find("APIC", &found));
    assert_true(!found.bytes && !found.fault);
}

TEST(test_oem_is_printable)
{
    machine();
    memcpy(bios + 0x14a40 + 9,
           "\x1f ~\x7f\xff"
           "D",
           6);
    checksum(bios + 0x14a40, 20, 8);
    expect(true, 0x608, false);
    assert_string_equal(info.oem, "? ~??D");
    memcpy(bios + 0x14a40 + 9, "AB\0DEF", 6);
    checksum(bios + 0x14a40, 20, 8);
    expect(true, 0x608, false);
    assert_string_equal(info.oem, "AB");
}
