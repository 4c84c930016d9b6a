/* madt_parse() on tables that firmware makes, and on those that lie. */
#include "kernel/madt.h"
#include "tests/unit/unit.h"
#include <stdlib.h>
#include <string.h>

static uint8_t table[44 + 16 * 600];
static uint32_t length;
static struct processors_found found;

static void begin(void)
{
    memset(table, 0, sizeof table);
    length = 44;
}

static void apic(unsigned id, unsigned flags)
{
    uint8_t *e = table + length;
    e[0] = 0, e[1] = 8, e[2] = (uint8_t)(id + 1), e[3] = (uint8_t)id, e[4] = (uint8_t)flags;
    length += 8;
}

static void x2apic(uint32_t id, unsigned flags)
{
    uint8_t *e = table + length;
    e[0] = 9, e[1] = 16, e[8] = (uint8_t)flags;
    memcpy(e + 4, &id, 4);
    length += 16;
}

static void other(unsigned type, unsigned bytes)
{
    table[length] = (uint8_t)type;
    table[length + 1] = (uint8_t)bytes;
    length += bytes;
}

/* A copy of its size, so that a byte too far is AddressSanitizer's. */
static void parse(void)
{
    uint8_t *exact = malloc(length ? length : 1);
    memcpy(exact, table, length);
    memset(&found, 0xa5, sizeof found);
    madt_parse(exact, length, &found);
    free(exact);
    assert_string_equal(found.source, "madt");
    assert_true(found.n <= PROCESSORS_MAX);
}

TEST(test_both_types)
{
    begin();
    apic(0, 1);
    other(1, 12); /* an I/O APIC */
    apic(2, 1);
    other(4, 6);
    other(2, 10);
    x2apic(0x100, 1);
    x2apic(0x12345678, 1);
    other(0x7f, 2);
    parse();
    static const uint32_t ids[] = {0, 2, 0x100, 0x12345678};
    assert_int_equal(found.n, 4);
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(found.p[i].apic_id, ids[i]);
        assert_int_equal(found.p[i].state, PROCESSOR_LISTED);
    }
    assert_null(found.fault);
    assert_int_equal(found.doubles + found.dropped, 0);
    assert_int_equal(processors_usable(&found, 0), 4);
    assert_int_equal(processors_usable(&found, 77),
                     5); /* the one that booted is there, whatever the table says */
}

/* Online-capable (2) alone is a socket that is empty. */
TEST(test_disabled)
{
    begin();
    apic(0, 1);
    apic(1, 0);
    apic(2, 2);
    apic(3, 3);
    apic(0xff, 1); /* nobody, as x2APIC's below */
    x2apic(0xffffffff, 1);
    parse();
    assert_int_equal(found.n, 4);
    assert_int_equal(found.p[1].state, PROCESSOR_DISABLED);
    assert_int_equal(found.p[2].state, PROCESSOR_DISABLED);
    assert_int_equal(found.p[3].state, PROCESSOR_LISTED);
    assert_int_equal(processors_usable(&found, 0), 2);
}

TEST(test_doubles)
{
    begin();
    apic(0, 1);
    apic(1, 0);
    apic(1, 1); /* enabled after all */
    apic(1, 0);
    x2apic(0, 1); /* the same one again */
    x2apic(1, 1);
    x2apic(2, 0);
    parse();
    assert_int_equal(found.n, 3);
    assert_int_equal(found.doubles, 2);
    assert_int_equal(found.p[1].state, PROCESSOR_LISTED);
    assert_int_equal(found.p[2].state, PROCESSOR_DISABLED);
}

TEST(test_too_many)
{
    begin();
    for (unsigned i = 0; i < 300; i++) x2apic(i, i % 100 != 99);
    x2apic(5, 1); /* a double is one even when all places are taken */
    parse();
    assert_int_equal(found.n, PROCESSORS_MAX);
    assert_int_equal(found.p[255].apic_id, 255);
    assert_int_equal(found.dropped, 300 - 256 - 1);
    assert_int_equal(found.doubles, 1);
    assert_int_equal(processors_usable(&found, 0), 254);
    assert_int_equal(processors_usable(&found, 1000), 255);
}

TEST(test_lengths)
{
    begin();
    parse();
    assert_true(found.n == 0 && !found.fault);
    for (length = 0; length < 44; length++) {
        parse();
        assert_string_equal(found.fault, "it is too short");
    }
    static const uint8_t wrong[] = {0, 1, 9, 0xff};
    for (unsigned i = 0; i < sizeof wrong; i++) {
        begin();
        apic(0, 1);
        apic(1, 1);
        table[44 + 8 + 1] = wrong[i];
        parse();
        assert_string_equal(found.fault, "the length of an entry is wrong");
        assert_int_equal(found.n, 1); /* those before it count */
    }
    begin();
    apic(0, 1);
    length++; /* one byte of an entry */
    parse();
    assert_non_null(found.fault);
    assert_int_equal(found.n, 1);
    begin();
    apic(0, 1);
    table[45] = 7; /* too short for its type, but whole: passed over */
    table[44 + 7] = 0x55, table[44 + 8] = 2, length = 44 + 9;
    parse();
    assert_int_equal(found.n, 0);
    assert_null(found.fault);
}
