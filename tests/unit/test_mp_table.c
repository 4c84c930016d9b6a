/* The MP table as specification 1.4 has it, where it may lie, and damaged. */
#include "kernel/mp_table.h"
#include "tests/unit/fake_hw.h"
#include "tests/unit/unit.h"
#include <string.h>

enum { EBDA = 0x9f800, LAST_KIB = 639 * 1024, ROM = 0xf0000, TABLE = 0x100000 };
static uint8_t low[0x500], ebda[0x400], rom[0x10000], table[0x400];
static struct processors_found found;

static void seal(uint8_t *p, size_t n, size_t at)
{
    p[at] = 0;
    for (size_t i = 0; i < n; i++)
        if (i != at) p[at] = (uint8_t)(p[at] - p[i]);
}

static void pointer(uint8_t *p, unsigned configuration)
{
    const uint32_t address = TABLE;
    memset(p, 0, 16);
    memcpy(p, "_MP_", 4);
    memcpy(p + 4, &address, 4);
    p[8] = 1, p[9] = 4, p[11] = (uint8_t)configuration;
    seal(p, 16, 10);
}

static void processor(unsigned n, unsigned id, unsigned flags)
{
    uint8_t *e = table + 44 + 20 * n;
    e[0] = 0, e[1] = (uint8_t)id, e[3] = (uint8_t)flags;
}

static size_t length;
static void seal_table(size_t bytes, unsigned entries)
{
    length = bytes;
    memcpy(table, "PCMP", 4);
    table[4] = (uint8_t)bytes, table[5] = (uint8_t)(bytes >> 8);
    table[34] = (uint8_t)entries, table[35] = (uint8_t)(entries >> 8);
    seal(table, bytes, 7);
}

/* Two processors, a third that is disabled, a bus and an I/O APIC. */
static int machine(void **state)
{
    (void)state;
    fake_reset();
    memset(low, 0, sizeof low);
    memset(ebda, 0, sizeof ebda);
    memset(rom, 0, sizeof rom);
    memset(table, 0, sizeof table);
    low[0x40e] = 0x80, low[0x40f] = 0x9f;
    processor(0, 3, 3);
    processor(1, 0, 1);
    processor(2, 1, 0);
    table[44 + 60] = 1;
    table[44 + 68] = 2;
    seal_table(44 + 76, 5);
    pointer(rom + 0x5ba0, 0);
    fake_memory(1, low + 1, sizeof low - 1);
    fake_memory(EBDA, ebda, sizeof ebda);
    fake_memory(ROM, rom, sizeof rom);
    fake_memory(TABLE, table, sizeof table);
    return 0;
}

static void two(void)
{
    assert_true(mp_table_find(&found));
    assert_string_equal(found.source, "mp-table");
    assert_null(found.fault);
    assert_int_equal(found.n, 3);
    assert_int_equal(found.p[0].apic_id, 3);
    assert_int_equal(found.p[2].state, PROCESSOR_DISABLED);
    assert_int_equal(processors_usable(&found, 3), 2);
}

TEST_WITH(test_places, machine, NULL)
{
    two();
    memset(rom, 0, sizeof rom);
    assert_false(mp_table_find(&found));
    pointer(rom + sizeof rom - 16, 0);
    two();
    machine(state);
    memset(rom, 0, sizeof rom);
    pointer(ebda + 1008, 0);
    two();
    memset(ebda, 0, sizeof ebda);
    pointer(ebda + 8, 0); /* not on a boundary of 16 */
    assert_false(mp_table_find(&found));
    static uint8_t last[1024];
    fake_memory(LAST_KIB - 1024 * 8, last, 1); /* elsewhere */
    low[0x40e] = low[0x40f] = 0;
    assert_false(mp_table_find(&found));
}

/* PIC mode's register, which no other board has. */
TEST_WITH(test_imcr, machine, NULL)
{
    assert_false(mp_table_imcr());
    rom[0x5ba0 + 12] = 0x80;
    assert_false(mp_table_imcr()); /* the checksum is wrong now */
    seal(rom + 0x5ba0, 16, 10);
    assert_true(mp_table_imcr());
    rom[0x5ba0 + 12] = 0x7f;
    seal(rom + 0x5ba0, 16, 10);
    assert_false(mp_table_imcr());
    memset(rom, 0, sizeof rom);
    assert_false(mp_table_imcr());
}

TEST_WITH(test_default, machine, NULL)
{
    pointer(rom + 0x5ba0, 5);
    assert_true(mp_table_find(&found));
    assert_int_equal(found.n, 2);
    assert_int_equal(found.p[1].apic_id, 1);
    assert_int_equal(processors_usable(&found, 0), 2);
}

TEST_WITH(test_damaged, machine, NULL)
{
    for (unsigned i = 0; i < 16; i++) {
        machine(state);
        rom[0x5ba0 + i] ^= 0x40;
        assert_false(mp_table_find(&found));
    }
    for (unsigned i = 0; i < 44 + 76; i++) {
        machine(state);
        table[i] ^= 0x40;
        assert_true(mp_table_find(&found));
        assert_int_equal(found.n, 0);
        assert_string_equal(found.fault, "its checksum or signature is wrong");
    }
    machine(state);
    seal_table(44 + 59, 5);
    assert_true(mp_table_find(&found));
    assert_int_equal(found.n, 2);
    assert_string_equal(found.fault, "it ends in the middle of its entries");
    for (unsigned type = 1; type < 256; type++) { /* table 4-3: 4, a local interrupt, is the last one */
        machine(state);
        table[44 + 60] = (uint8_t)type;
        seal_table(44 + 76, 5);
        mp_table_find(&found);
        assert_int_equal(found.n, 3);
        if (type <= 4)
            assert_null(found.fault);
        else
            assert_string_equal(found.fault, "it has an entry of an unknown type");
    }
    machine(state);
    seal_table(44 + 76, 0xffff); /* more entries than bytes */
    mp_table_find(&found);
    assert_non_null(found.fault);
    mp_table_parse(table, 43, &found);
    assert_string_equal(found.fault, "it is too short");
}
