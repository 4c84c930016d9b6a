/* SPCR and DBG2 as Microsoft's documents lay them out, for tests: whole ones, which a test then damages. */
#pragma once
#include <stdint.h>

struct gas {
    uint8_t space, width, offset, access; /* space: 0 memory, 1 ports */
    uint64_t address;
};

enum { SPCR_BYTES = 90, SPCR_SHORT = 80, DBG2_BYTES = 256 };

/* Revision 4, its rate (3, 4, 6, 7; 0: as it is), no clock. */
void make_spcr(uint8_t table[SPCR_BYTES], unsigned kind, const struct gas *at, unsigned rate);
void set_spcr_clock(uint8_t table[SPCR_BYTES], uint32_t hz, uint32_t exact_baud);

/* No device yet. */
void make_dbg2(uint8_t table[DBG2_BYTES]);
/* Another one, of port type 8000h where serial. Returns the offset of its entry. */
uint32_t add_dbg2(uint8_t table[DBG2_BYTES], unsigned type, unsigned kind, const struct gas *at);

uint32_t table_length(const uint8_t *table);
void set_length(uint8_t *table, uint32_t length);
void seal_table(uint8_t *table); /* its checksum, over its length */
