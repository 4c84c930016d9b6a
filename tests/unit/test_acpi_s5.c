/* How ACPI switches a PC off: the FADT's registers, the DSDT's _S5, whole and damaged, and what is then
 * written to ports. */
#include "kernel/acpi.h"
#include "kernel/power_off.h"
#include "tests/unit/fake_hw.h"
#include "tests/unit/unit.h"
#include <stdlib.h>
#include <string.h>

static uint8_t fadt[276];
static struct acpi_s5 s5;

static void set(uint8_t *p, uint64_t value, unsigned bytes) { memcpy(p, &value, bytes); }

/* ACPI 6.5, table 5.9, as of QEMU's pc: DSDT, SMI_CMD B2h with F1h, PM1a control at 604h. */
static int begin(void **state)
{
    (void)state;
    memset(fadt, 0, sizeof fadt);
    set(fadt + 40, 0x7fe0400, 4);
    set(fadt + 48, 0xb2, 4);
    fadt[52] = 0xf1;
    set(fadt + 64, 0x604, 4);
    fadt[89] = 2;
    return 0;
}

/* ---- the FADT ---- */

static void registers(uint32_t length, unsigned a, unsigned b)
{
    memset(&s5, 0xa5, sizeof s5);
    s5_registers(fadt, length, &s5);
    assert_true(!s5.lacks == (a != 0));
    assert_int_equal(s5.pm1a, a);
    if (a) assert_int_equal(s5.pm1b, b);
}

TEST_WITH(fadts, begin, NULL)
{
    registers(116, 0x604, 0);
    assert_true(s5.smi_port == 0xb2 && s5.enable == 0xf1);
    registers(115, 0, 0); /* too short for its flags */
    set(fadt + 68, 0x704, 4);
    registers(116, 0x604, 0x704);
    fadt[172] = 1; /* X_PM1a_CNT_BLK, in ports */
    set(fadt + 176, 0x1804, 8);
    registers(184, 0x1804, 0x704);
    registers(183, 0x604, 0x704); /* it does not lie in the table as a whole */
    fadt[172] = 0;                /* in memory: the older field has the port */
    registers(184, 0x604, 0x704);
    fadt[172] = 1;
    set(fadt + 176, 0, 8); /* not in use */
    registers(276, 0x604, 0x704);
    fadt[184] = 1;
    set(fadt + 188, 0x1904, 8);
    registers(276, 0x604, 0x1904);
    set(fadt + 188, 0x10000, 8); /* beyond the ports: there is no second one */
    registers(276, 0x604, 0);
    set(fadt + 48, 0x10000, 4);
    registers(276, 0x604, 0);
    assert_int_equal(s5.smi_port, 0);
    set(fadt + 48, 0xb2, 4);
    fadt[52] = 0; /* always in ACPI mode */
    registers(276, 0x604, 0);
    assert_int_equal(s5.smi_port, 0);
    set(fadt + 64, 0xffff, 4); /* the second byte would lie beyond */
    registers(276, 0, 0);
    set(fadt + 64, 0xfffe, 4);
    registers(276, 0xfffe, 0);
    fadt[89] = 0;
    registers(276, 0, 0);
    fadt[89] = 2;
    set(fadt + 112, 1 << 20, 4); /* hardware-reduced */
    registers(276, 0, 0);
    assert_non_null(strstr(s5.lacks, "hardware-reduced"));
}

TEST_WITH(dsdts, begin, NULL)
{
    assert_int_equal(s5_dsdt(fadt, 116), 0x7fe0400);
    assert_int_equal(s5_dsdt(fadt, 43), 0);
    set(fadt + 140, 0x123456789a, 8);
    assert_true(s5_dsdt(fadt, 148) == 0x123456789a);
    assert_int_equal(s5_dsdt(fadt, 147), 0x7fe0400);
}

/* ---- the DSDT ---- */

/* Bytes of AML in memory of exactly their size: a byte too far is AddressSanitizer's. types: two digits;
 * NULL: there is no _S5. */
static void aml(const char *bytes, size_t n, const char *types)
{
    uint8_t type[2] = {9, 9}, *exact = malloc(n ? n : 1);
    memcpy(exact, bytes, n);
    const bool found = s5_types(exact, (uint32_t)n, type);
    free(exact);
    assert_int_equal(found, types != NULL);
    if (types && (type[0] != types[0] - '0' || type[1] != types[1] - '0'))
        fail_msg("%u and %u, not %s", type[0], type[1], types);
}
#define AML(bytes, types) aml(bytes, sizeof(bytes) - 1, types)

TEST_WITH(packages, begin, NULL)
{
    AML("\x08_S5_\x12\x06\x04\x00\x00\x00\x00", "00");                 /* QEMU */
    AML("\x08_S5_\x12\x06\x04\x01\x01\x00\x00", "11");                 /* ones */
    AML("\x08_S5_\x12\x0a\x04\x0a\x05\x0a\x07\x0a\x00\x0a\x00", "57"); /* bytes, as most boards */
    AML("\x08\\_S5_\x12\x07\x02\x0a\x03\x0b\x04\x00", "34");           /* \_S5, a word */
    AML("\x08_S5_\x12\x0c\x02\x0c\x06\x00\x00\x00\x0c\x02\x00\x00\x00", "62");
    AML("\x08_S5_\x12\x05\x01\x0b\x05\x06", "56"); /* one element: two bytes */
    AML("\x08_S5_\x12\x04\x01\x0a\x07", "70");
    AML("\x08_S5_\x12\x47\x00\x02\x0a\x05\x0a\x05", "55");     /* a length of two bytes */
    AML("\x08_S5_\x12\x88\x00\x00\x02\x0a\x05\x0a\x05", "55"); /* of three */
    AML("\x08_S3_\x12\x04\x02\x01\x01\x08_S5_\x12\x04\x02\x01\x00", "10");
    AML("x_S5_\x12\x04\x02\x01\x01\x08_S5_\x12\x04\x02\x00\x01", "01"); /* a use of the name, and the name */
    AML("\x08_S5_\x12\x04\x02pq\x08_S5_\x12\x04\x02\x00\x01", "01");    /* what is damaged is passed over */
}

/* Lengths of several bytes: a package that ends with the table, and one that would end a byte later. */
TEST_WITH(lengths, begin, NULL)
{
    static const struct {
        const char *lead;
        size_t bytes, length;
    } rows[] = {{"\x4c\x12", 2, 0x12c}, {"\x8e\x37\x01", 3, 0x137e}, {"\xc1\x02\x03\x01", 4, 0x103021}};
    static char table[0x104000];
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        const size_t head = 6;
        memset(table, 0, sizeof table);
        memcpy(table, "\x08_S5_\x12", head);
        memcpy(table + head, rows[i].lead, rows[i].bytes);
        memcpy(table + head + rows[i].bytes, "\x04\x0a\x05\x0a\x06", 5);
        aml(table, head + rows[i].length, "56");
        aml(table, head + rows[i].length - 1, NULL);
    }
}

TEST_WITH(damaged, begin, NULL)
{
    AML("\\_S5_\x12\x04\x02\x01\x01", NULL); /* a byte before it would be another table's */
    static const char whole[] = "\x08_S5_\x12\x88\x00\x00\x02\x0a\x05\x0a\x05";
    for (size_t n = 0; n < sizeof whole - 1; n++) aml(whole, n, NULL);
    AML("_S5_\x12\x04\x02\x01\x01", NULL);                 /* nothing names it */
    AML("\x08\x08_S5", NULL);                              /* cut off */
    AML("\x08_S5_\x11\x04\x02\x01\x01", NULL);             /* a buffer */
    AML("\x08_S5_\x12\x03\x02\x01\x01", NULL);             /* a package that ends before its second element */
    AML("\x08_S5_\x12\x05\x02\x01\x01", NULL);             /* that is longer than the table */
    AML("\x08_S5_\x12\x00\x02\x01\x01", NULL);             /* shorter than its length */
    AML("\x08_S5_\x12\xff\xff\xff\xff\x02\x01\x01", NULL); /* of 2^28 bytes */
    AML("\x08_S5_\x12\x02\x00", NULL);                     /* without elements */
    AML("\x08_S5_\x12\x05\x02\x0a\x08\x00", NULL);         /* no SLP_TYP has 8 */
    AML("\x08_S5_\x12\x05\x02\x00\x0a\x08", NULL);
    AML("\x08_S5_\x12\x04\x02\xff\x00", NULL);
    AML("\x08_S5_\x12\x09\x02\x0dtext\x00", NULL); /* a string */
    AML("\x08_S5_\x12\x04\x01\x0a\x08", NULL);
}

/* ---- from the RSDP to the types ---- */

enum { TABLES = 0x7fe0000, FADT = 0x100, DSDT = 0x400, DSDT_BYTES = 60 };
static uint8_t tables[0x1000];

static void seal(uint8_t *t, uint32_t length, unsigned at)
{
    uint8_t sum = 0;
    t[at] = 0;
    for (uint32_t i = 0; i < length; i++) sum += t[i];
    t[at] = (uint8_t)-sum;
}

static void table(unsigned at, const char *signature, uint32_t length)
{
    memcpy(tables + at, signature, 4);
    set(tables + at + 4, length, 4);
    seal(tables + at, length, 9);
}

static void probe(const char *lacks)
{
    static struct bootinfo bi;
    struct acpi_info info;
    bi = (struct bootinfo){.rsdp = "RSD PTR ", .rsdp_len = 20};
    set(bi.rsdp + 16, TABLES, 4);
    seal(bi.rsdp, 20, 8);
    fake_reset();
    fake_memory(TABLES, tables, sizeof tables);
    acpi_probe(&bi, &info);
    if (!lacks) {
        assert_null(info.s5.lacks);
        assert_true(info.s5.pm1a == 0x604 && info.s5.type[0] == 5 && info.s5.type[1] == 4);
    } else if (!info.s5.lacks || strcmp(info.s5.lacks, lacks) != 0)
        fail_msg("got \"%s\", not \"%s\"", info.s5.lacks ? info.s5.lacks : "none", lacks);
}

TEST_WITH(found, begin, NULL)
{
    memset(tables, 0, sizeof tables);
    probe("the firmware has no ACPI");
    table(0, "RSDT", 36);
    probe("the firmware's ACPI has no FADT");
    set(tables + 36, TABLES + FADT, 4);
    table(0, "RSDT", 40);
    memcpy(tables + FADT, fadt, 116);
    table(FADT, "FACP", 116);
    tables[FADT + 9]++;
    probe("the firmware's FADT is damaged");
    table(FADT, "FACP", 116);
    probe("the firmware's FADT leads to no DSDT");
    memcpy(tables + DSDT + 36, "\x08_S5_\x12\x0a\x04\x0a\x05\x0a\x04\x00\x00", 14);
    table(DSDT, "DSDT", DSDT_BYTES);
    probe(NULL);
    tables[DSDT + 50]++;
    probe("the firmware's DSDT is damaged");
    tables[DSDT + 40] = '_', tables[DSDT + 38] = 'X';
    table(DSDT, "DSDT", DSDT_BYTES);
    probe("the firmware's DSDT has no _S5");
    set(tables + FADT + 40, 0, 4);
    table(FADT, "FACP", 116);
    probe("the firmware's FADT leads to no DSDT");
    table(FADT, "FACP", 60);
    probe("the firmware's FADT is too short");
}

/* ---- the ports ---- */

static struct {
    uint16_t value[2];
    uint16_t written[2][8];
    unsigned writes[2], polls, delays;
    uint8_t smi;
    unsigned slow; /* readings until the firmware's handler has entered ACPI mode */
} pc;

static uint32_t control_in(void *ctx, uint16_t offset, unsigned width)
{
    assert_true(offset == 0 && width == 2);
    if (pc.smi == 0xf1 && pc.polls++ >= pc.slow) pc.value[0] |= 1;
    return pc.value[(uintptr_t)ctx];
}

static void control_out(void *ctx, uint16_t offset, uint32_t value, unsigned width)
{
    const uintptr_t i = (uintptr_t)ctx;
    assert_true(offset == 0 && width == 2 && pc.writes[i] < 8);
    pc.written[i][pc.writes[i]++] = pc.value[i] = (uint16_t)value;
}

static void smi_out(void *ctx, uint16_t offset, uint32_t value, unsigned width)
{
    (void)ctx, (void)offset;
    assert_int_equal(width, 1);
    pc.smi = (uint8_t)value;
}

static uint32_t delay_in(void *ctx, uint16_t offset, unsigned width)
{
    (void)ctx, (void)offset, (void)width;
    pc.delays++;
    return 0;
}

static void switch_off(const struct acpi_s5 *how, uint16_t before, unsigned slow)
{
    static const struct fake_device ports[] = {{0x604, 2, control_in, control_out, (void *)0},
                                               {0x704, 2, control_in, control_out, (void *)1},
                                               {0xb2, 1, NULL, smi_out, NULL},
                                               {0x80, 1, delay_in, NULL, NULL}};
    fake_reset();
    for (unsigned i = 0; i < 4; i++) fake_port(&ports[i]);
    memset(&pc, 0, sizeof pc);
    pc.value[0] = before;
    pc.value[1] = 0x0200;
    pc.slow = slow;
    power_off(how);
}

TEST_WITH(ports, begin, NULL)
{
    const struct acpi_s5 one = {NULL, 0x604, 0, {5, 0}, 0xb2, 0xf1}, two = {NULL, 0x604, 0x704, {7, 3}, 0, 0};
    switch_off(&one, 0x1c02, 3); /* another type was there, and a bit that stays */
    assert_int_equal(pc.smi, 0xf1);
    assert_true(pc.writes[0] == 2 && pc.writes[1] == 0);
    assert_int_equal(pc.written[0][0], 5 << 10 | 3);
    assert_int_equal(pc.written[0][1], 1 << 13 | 5 << 10 | 3);
    assert_true(pc.delays >= 2000000 && pc.delays < 2010000);
    switch_off(&one, 1, 0); /* in ACPI mode already */
    assert_int_equal(pc.smi, 0);
    switch_off(&two, 0, 0); /* no port for it */
    assert_int_equal(pc.smi, 0);
    assert_true(pc.writes[0] == 2 && pc.writes[1] == 2);
    assert_int_equal(pc.written[0][1], 1 << 13 | 7 << 10);
    assert_int_equal(pc.written[1][0], 3 << 10 | 0x0200);
    assert_int_equal(pc.written[1][1], 1 << 13 | 3 << 10 | 0x0200);
    switch_off(&one, 0, UINT32_MAX); /* it never enters: tried all the same, after three seconds */
    assert_true(pc.delays >= 5000000 && pc.delays < 5100000);
    assert_int_equal(pc.writes[0], 2);
}
