#include "kernel/madt.h"
#include "kernel/acpi.h"
#include "kernel/mp_table.h"
#include <string.h>

/* ACPI 6.5, 5.2.12, table 5.19: the entries begin here. */
enum { MADT_ENTRIES = 44 };
/* Tables 5.21 to 5.22 and 5.34: types, lengths, offsets. */
enum { LOCAL_APIC = 0, LOCAL_APIC_LENGTH = 8, LOCAL_APIC_ID = 3, LOCAL_APIC_FLAGS = 4 };
enum { LOCAL_X2APIC = 9, LOCAL_X2APIC_LENGTH = 16, LOCAL_X2APIC_ID = 4, LOCAL_X2APIC_FLAGS = 8 };
enum { FLAG_ENABLED = 1 << 0 };
/* Online-capable (bit 1) without Enabled is a place for one that may be plugged in later: nobody is there. */
#define NOBODY    0xffu
#define NOBODY_32 0xffffffffu

static uint32_t read32(const uint8_t *p)
{
    uint32_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

void madt_parse(const uint8_t *madt, uint32_t length, struct processors_found *out)
{
    *out = (struct processors_found){.source = "madt"};
    if (length < MADT_ENTRIES) out->fault = "it is too short";
    for (uint32_t at = MADT_ENTRIES, len; !out->fault && at < length; at += len) {
        const uint8_t *e = madt + at;
        len = length - at >= 2 ? e[1] : 0;
        if (len < 2 || len > length - at)
            out->fault = "the length of an entry is wrong";
        else if (e[0] == LOCAL_APIC && len >= LOCAL_APIC_LENGTH && e[LOCAL_APIC_ID] != NOBODY)
            processors_add(out, e[LOCAL_APIC_ID], read32(e + LOCAL_APIC_FLAGS) & FLAG_ENABLED);
        else if (e[0] == LOCAL_X2APIC && len >= LOCAL_X2APIC_LENGTH &&
                 read32(e + LOCAL_X2APIC_ID) != NOBODY_32)
            processors_add(out, read32(e + LOCAL_X2APIC_ID), read32(e + LOCAL_X2APIC_FLAGS) & FLAG_ENABLED);
    }
}

void processors_find(const struct bootinfo *bi, struct processors_found *out)
{
    static const char *const signature[] = {"APIC"};
    struct acpi_table madt;
    acpi_find(bi, signature, 1, &madt);
    if (madt.bytes) {
        madt_parse(madt.bytes, madt.length, out);
        return;
    }
    if (!mp_table_find(out)) *out = (struct processors_found){.source = "none", .fault = madt.fault};
}
