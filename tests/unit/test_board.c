/* Watchdogs of the board, and PIC mode: read where they are, and nothing is touched elsewhere. */
#include "kernel/board.h"
#include "tests/unit/fake_hw.h"
#include "tests/unit/fake_pci.h"
#include "tests/unit/unit.h"
#include <string.h>

enum { ROM = 0xf0000, TCO = 0x460 };

static uint8_t rom[0x10000];
static const struct bootinfo bi = {.protocol = 1};
static struct board board;

static void floating_pointer(unsigned features)
{
    uint8_t *const p = rom + 0x100;
    memset(p, 0, 16);
    memcpy(p, "_MP_", 4);
    p[8] = 1, p[9] = 4, p[11] = 5, p[12] = (uint8_t)features;
    for (unsigned i = 0; i < 16; i++)
        if (i != 10) p[10] = (uint8_t)(p[10] - p[i]);
}

/* ---- the IMCR: ports 22h and 23h ---- */

static uint8_t selected, imcr;
static unsigned imcr_writes;
static uint32_t imcr_in(void *ctx, uint16_t offset, unsigned width)
{
    (void)ctx, (void)width;
    return offset == 1 && selected == 0x70 ? imcr : 0xff;
}
static void imcr_out(void *ctx, uint16_t offset, uint32_t value, unsigned width)
{
    (void)ctx, (void)width;
    if (offset == 0)
        selected = (uint8_t)value;
    else
        imcr_writes++;
}
static const struct fake_device imcr_ports = {0x22, 2, imcr_in, imcr_out, NULL};

static enum imcr probe(const struct smbios *smbios)
{
    board_probe(&bi, smbios, &board);
    return board.imcr;
}

TEST(test_imcr)
{
    static const struct smbios none = {.source = "none"};
    fake_reset();
    fake_memory(ROM, rom, sizeof rom);
    fake_port(&imcr_ports);
    assert_int_equal(probe(&none), IMCR_ABSENT);
    floating_pointer(0);
    assert_int_equal(probe(&none), IMCR_ABSENT);
    assert_int_equal(fake_accesses(), 0); /* another device may have these ports */
    floating_pointer(0x80);
    imcr = 0xfe;
    assert_int_equal(probe(&none), IMCR_PIC);
    imcr = 1;
    assert_int_equal(probe(&none), IMCR_APIC);
    assert_int_equal(imcr_writes, 0);
    assert_false(board.bmc);
    assert_null(board.watchdog_table);
}

/* ---- a BMC, and ACPI's tables ---- */

static uint8_t acpi[0x400];
static void sum(uint8_t *p, unsigned n, unsigned at)
{
    p[at] = 0;
    for (unsigned i = 0; i < n; i++)
        if (i != at) p[at] = (uint8_t)(p[at] - p[i]);
}

TEST(test_tables)
{
    enum { AT = 0x200000, RSDT = 0x100, TABLE = 0x200 };
    static const struct {
        const char *signature, *watchdog;
        bool smbios, bmc;
    } cases[] = {{"WDAT", "WDAT", false, false},
                 {"WDRT", "WDRT", false, false},
                 {"SPMI", NULL, false, true},
                 {"HPET", NULL, false, false},
                 {"HPET", NULL, true, true}};
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct smbios smbios = {.source = "bios", .bmc = cases[i].smbios};
        const uint32_t rsdt = AT + RSDT, table = AT + TABLE;
        struct bootinfo with = {.protocol = 2, .rsdp_len = 20};
        memset(acpi, 0, sizeof acpi);
        memcpy(with.rsdp, "RSD PTR ", 8);
        memcpy(with.rsdp + 16, &rsdt, 4);
        sum(with.rsdp, 20, 8);
        memcpy(acpi + RSDT, "RSDT\x28", 5);
        memcpy(acpi + RSDT + 36, &table, 4);
        sum(acpi + RSDT, 40, 9);
        memcpy(acpi + TABLE, cases[i].signature, 4);
        acpi[TABLE + 4] = 40;
        sum(acpi + TABLE, 40, 9);
        fake_reset();
        fake_memory(AT, acpi, sizeof acpi);
        board_probe(&with, &smbios, &board);
        assert_int_equal(board.bmc, cases[i].bmc);
        if (cases[i].watchdog)
            assert_string_equal(board.watchdog_table, cases[i].watchdog);
        else
            assert_null(board.watchdog_table);
    }
}

/* ---- Intel's TCO ---- */

static uint16_t left, control;
static uint32_t tco_in(void *ctx, uint16_t offset, unsigned width)
{
    (void)ctx;
    assert_int_equal(width, 2);
    return offset == 0 ? left : offset == 8 ? control : 0xffff;
}
static void tco_out(void *ctx, uint16_t offset, uint32_t value, unsigned width)
{
    (void)ctx, (void)offset, (void)value, (void)width;
    fail();
}
static const struct fake_device tco_ports = {TCO, 0x20, tco_in, tco_out, NULL};
static const struct fake_device tco_elsewhere = {0x400, 0x20, tco_in, tco_out, NULL};

static struct fake_function lpc = {{0, 0x1f, 0}, {0x86, 0x80, 0x18, 0x29, [11] = 6, [10] = 1, [14] = 0x80}},
                            smbus = {{0, 0x1f, 4}, {0x86, 0x80, 0x23, 0xa1, [11] = 0xc, [10] = 5}};
static struct fake_function *const functions[] = {&lpc, &smbus};

static void plug(uint32_t pmbase, uint32_t acpi_cntl, uint32_t tcobase, uint32_t tcoctl, bool elsewhere)
{
    fake_reset();
    fake_config_set(&lpc, 0x40, 4, pmbase);
    fake_config_set(&lpc, 0x44, 4, acpi_cntl);
    fake_config_set(&smbus, 0x50, 4, tcobase);
    fake_config_set(&smbus, 0x54, 4, tcoctl);
    fake_pci(functions, 2);
    fake_port(elsewhere ? &tco_elsewhere : &tco_ports);
    board = (struct board){.tco = 0};
    board_probe_tco(&board);
}

TEST(test_tco)
{
    left = 0xfc32, control = 0;     /* 32h of ten bits; above these are others */
    plug(0x401, 0x80, 0, 0, false); /* ICH6 to 9 series */
    assert_int_equal(board.tco, TCO);
    assert_int_equal(board.tco_left_ms, 0x032 * 600);
    left = 0x04c5;
    plug(0x401, 0x10, 0, 0, false); /* ICH to ICH5: six bits */
    assert_int_equal(board.tco_left_ms, 5 * 600);
    control = 0x800;
    plug(0x401, 0x80, 0, 0, false);
    assert_int_equal(board.tco, 0);
    control = 0xffff;
    plug(0x401, 0x80, 0, 0, false);
    assert_int_equal(board.tco, 0);
    control = 0;
    plug(0x401, 0x00, 0, 0, false); /* its ports are not decoded */
    assert_int_equal(board.tco, 0);
    plug(0, 0x80, 0, 0, false);
    assert_int_equal(board.tco, 0);
    left = 0;
    plug(0x401, 0x80, 0, 0, false);
    assert_int_equal(board.tco, 0);
    left = 7;
    plug(0, 0, 0x401, 0x100, true); /* from the 100 series on */
    assert_int_equal(board.tco, 0x400);
    assert_int_equal(board.tco_left_ms, 7 * 600);
    plug(0, 0, 0x401, 0, true);
    assert_int_equal(board.tco, 0);
    lpc.config[0] = 0x22, lpc.config[1] = 0x10; /* another maker's */
    plug(0x401, 0x80, 0, 0, false);
    assert_int_equal(board.tco, 0);
}
