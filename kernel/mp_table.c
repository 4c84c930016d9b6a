#include "kernel/mp_table.h"
#include "kernel/multiboot.h"
#include <string.h>

/* MP specification 1.4, table 4-1: the floating pointer. */
enum {
    POINTER_BYTES = 16,
    POINTER_TABLE = 4,
    POINTER_LENGTH = 8,
    POINTER_DEFAULT = 11,
    POINTER_FEATURES = 12
};
#define FEATURE_IMCR 0x80u
/* Table 4-2: the header. */
enum { HEADER_BYTES = 44, HEADER_LENGTH = 4, HEADER_ENTRIES = 34 };
/* Tables 4-3 and 4-4: entries, of which the first type has another length. */
enum { PROCESSOR = 0, ENTRY_BYTES = 20, PROCESSOR_ID = 1, PROCESSOR_FLAGS = 3, OTHER_BYTES = 8 };
#define FLAG_ENABLED 1u
enum { LAST_TYPE = 4 };

static uint8_t sum_of(const uint8_t *p, size_t n)
{
    uint8_t sum = 0;
    while (n--) sum += *p++;
    return sum;
}

static uint16_t read16(const uint8_t *p) { return (uint16_t)(p[0] | p[1] << 8); }

void mp_table_parse(const uint8_t *table, uint32_t length, struct processors_found *out)
{
    *out = (struct processors_found){.source = "mp-table"};
    if (length < HEADER_BYTES) {
        out->fault = "it is too short";
        return;
    }
    uint32_t at = HEADER_BYTES;
    for (unsigned left = read16(table + HEADER_ENTRIES); left && !out->fault; left--) {
        const uint32_t bytes = at < length && table[at] == PROCESSOR ? ENTRY_BYTES : OTHER_BYTES;
        if (at >= length || length - at < bytes)
            out->fault = "it ends in the middle of its entries";
        else if (table[at] > LAST_TYPE)
            out->fault = "it has an entry of an unknown type";
        else if (table[at] == PROCESSOR)
            processors_add(out, table[at + PROCESSOR_ID], table[at + PROCESSOR_FLAGS] & FLAG_ENABLED);
        at += bytes;
    }
}

/* A default configuration (chapter 5): two processors, with the IDs 0 and 1, and no table. */
static void two_by_default(struct processors_found *out)
{
    *out = (struct processors_found){.source = "mp-table"};
    processors_add(out, 0, true);
    processors_add(out, 1, true);
}

static void take(const uint8_t *pointer, struct processors_found *out)
{
    uint32_t address;
    memcpy(&address, pointer + POINTER_TABLE, sizeof address);
    if (pointer[POINTER_DEFAULT]) {
        two_by_default(out);
        return;
    }
    *out = (struct processors_found){.source = "mp-table", .fault = "its checksum or signature is wrong"};
    const uint8_t *header = phys_peek(address, HEADER_BYTES);
    if (!header || memcmp(header, "PCMP", 4) != 0) return;
    const uint16_t length = read16(header + HEADER_LENGTH);
    const uint8_t *table = length < HEADER_BYTES ? NULL : phys_peek(address, length);
    if (table && sum_of(table, length) == 0) mp_table_parse(table, length, out);
}

static const uint8_t *search(uint64_t from, uint64_t bytes)
{
    for (uint64_t at = from; at < from + bytes; at += POINTER_BYTES) {
        const uint8_t *p = phys_peek(at, POINTER_BYTES);
        if (p && memcmp(p, "_MP_", 4) == 0 && p[POINTER_LENGTH] == 1 && !sum_of(p, POINTER_BYTES)) return p;
    }
    return NULL;
}

static const uint8_t *floating_pointer(void)
{
    enum { EBDA_SEGMENT = 0x40e, KIB = 1024, LAST_KIB = 639 * KIB, ROM = 0xf0000, ROM_BYTES = 0x10000 };
    uint16_t ebda;
    const uint8_t *p = NULL;
    if (boot_read(&ebda, EBDA_SEGMENT, sizeof ebda) && ebda) p = search((uint64_t)ebda << 4, KIB);
    if (!p) p = search(LAST_KIB, KIB);
    return p ? p : search(ROM, ROM_BYTES);
}

bool mp_table_find(struct processors_found *out)
{
    const uint8_t *pointer = floating_pointer();
    if (pointer) take(pointer, out);
    return pointer != NULL;
}

bool mp_table_imcr(void)
{
    const uint8_t *pointer = floating_pointer();
    return pointer && pointer[POINTER_FEATURES] & FEATURE_IMCR;
}
