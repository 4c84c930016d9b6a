/* The tables of acpi_tables.h. */
#include "tests/unit/acpi_tables.h"
#include <string.h>

static void put(uint8_t *p, uint64_t value, unsigned bytes) { memcpy(p, &value, bytes); }

static void put_gas(uint8_t *p, const struct gas *at)
{
    p[0] = at->space;
    p[1] = at->width;
    p[2] = at->offset;
    p[3] = at->access;
    put(p + 4, at->address, 8);
}

uint32_t table_length(const uint8_t *table)
{
    uint32_t length;
    memcpy(&length, table + 4, sizeof length);
    return length;
}

void set_length(uint8_t *table, uint32_t length) { put(table + 4, length, 4); }

void seal_table(uint8_t *table)
{
    uint8_t sum = 0;
    table[9] = 0;
    for (uint32_t i = 0; i < table_length(table); i++) sum += table[i];
    table[9] = (uint8_t)-sum;
}

void make_spcr(uint8_t table[SPCR_BYTES], unsigned kind, const struct gas *at, unsigned rate)
{
    memset(table, 0, SPCR_BYTES);
    memcpy(table, "SPCR", 4);
    set_length(table, SPCR_BYTES);
    table[8] = 4;
    table[36] = (uint8_t)kind;
    put_gas(table + 40, at);
    table[58] = (uint8_t)rate;
    put(table + 64, 0xffffffff, 4); /* not on PCI */
    put(table + 84, 2, 2);
    put(table + 86, 88, 2);
    memcpy(table + 88, ".", 2);
    seal_table(table);
}

void set_spcr_clock(uint8_t table[SPCR_BYTES], uint32_t hz, uint32_t exact_baud)
{
    put(table + 76, hz, 4);
    put(table + 80, exact_baud, 4);
    seal_table(table);
}

void make_dbg2(uint8_t table[DBG2_BYTES])
{
    memset(table, 0, DBG2_BYTES);
    memcpy(table, "DBG2", 4);
    set_length(table, 44);
    put(table + 36, 44, 4);
    seal_table(table);
}

uint32_t add_dbg2(uint8_t table[DBG2_BYTES], unsigned type, unsigned kind, const struct gas *at)
{
    enum { ADDRESS = 22, SIZES = 34, NAME = 38, LENGTH = 40 };
    const uint32_t where = table_length(table);
    uint8_t *entry = table + where;
    put(entry + 1, LENGTH, 2);
    entry[3] = 1;
    put(entry + 4, 2, 2);
    put(entry + 6, NAME, 2);
    put(entry + 12, type, 2);
    put(entry + 14, kind, 2);
    put(entry + 18, ADDRESS, 2);
    put(entry + 20, SIZES, 2);
    put_gas(entry + ADDRESS, at);
    put(entry + SIZES, 0x1000, 4);
    memcpy(entry + NAME, ".", 2);
    table[40]++;
    set_length(table, where + LENGTH);
    seal_table(table);
    return where;
}
