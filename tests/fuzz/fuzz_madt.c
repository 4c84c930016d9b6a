/* libFuzzer target: the tables that list processors.
 *
 * The input's first byte picks the table, the rest is the table: ACPI's MADT, or the MP table. It is a copy
 * of exactly its size: a parser that looks one byte further meets AddressSanitizer.
 */
#include "kernel/madt.h"
#include "kernel/mp_table.h"
#include <stdlib.h>
#include <string.h>

const void *phys_peek(uint64_t addr, size_t len) { return (void)addr, (void)len, NULL; }

static void check(const struct processors_found *f)
{
    unsigned listed = 0;
    if (f->n > PROCESSORS_MAX || !f->source) abort();
    for (unsigned i = 0; i < f->n; i++) {
        if (f->p[i].state != PROCESSOR_LISTED && f->p[i].state != PROCESSOR_DISABLED) abort();
        listed += f->p[i].state == PROCESSOR_LISTED;
        for (unsigned k = 0; k < i; k++)
            if (f->p[k].apic_id == f->p[i].apic_id) abort();
    }
    const unsigned usable = processors_usable(f, f->n ? f->p[0].apic_id : 0);
    if (usable < 1 || usable > PROCESSORS_MAX || usable > listed + 1) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct processors_found found;
    if (size < 2) return 0;
    const size_t bytes = size - 1;
    uint8_t *table = malloc(bytes);
    if (!table) abort();
    memcpy(table, data + 1, bytes);
    memset(&found, 0xa5, sizeof found);
    if (data[0] & 1)
        mp_table_parse(table, (uint32_t)bytes, &found);
    else
        madt_parse(table, (uint32_t)bytes, &found);
    check(&found);
    free(table);
    return 0;
}
