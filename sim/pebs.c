#include "sim/pebs.h"
#include <string.h>

/* Offsets into the DS area (facts 3.6), in fields; the counter's preset has 64 bits in either layout. */
enum { PEBS_BASE = 4, PEBS_INDEX, PEBS_MAXIMUM, PEBS_THRESHOLD_FIELD, PEBS_RESET };

/* Registers in the order of the record, after flags and IP, by their encoding: EAX EBX ECX EDX ESI EDI EBP
 * ESP.
 */
static const uint8_t order[] = {0, 3, 1, 2, 6, 7, 5, 4};
enum { REGISTERS_32 = 8, REGISTERS_64 = 16, FIXED = 2 };

static unsigned width(const struct pebs *p) { return p->wide ? 8 : 4; }

static bool get(const struct pebs *p, unsigned field, unsigned bytes, uint64_t *value)
{
    *value = 0;
    return p->host->read && p->host->read(p->host->ctx, p->ds + field * width(p), value, bytes);
}

bool sim_pebs_preset(const struct pebs *p, unsigned n, uint64_t *value)
{
    *value = 0;
    return p->host->read && p->host->read(p->host->ctx, p->ds + PEBS_RESET * width(p) + 8 * n, value, 8);
}

enum pebs_outcome sim_pebs_write(const struct pebs *p, const void *record, unsigned bytes)
{
    const unsigned w = width(p);
    uint64_t index, maximum, threshold;

    if (!p->host->write || !get(p, PEBS_INDEX, w, &index) || !get(p, PEBS_MAXIMUM, w, &maximum) ||
        !get(p, PEBS_THRESHOLD_FIELD, w, &threshold))
        return PEBS_UNMAPPED;
    if (index > maximum || maximum - index < bytes) return PEBS_FULL;
    if (!p->host->write(p->host->ctx, index, record, bytes)) return PEBS_UNMAPPED;
    index += bytes;
    if (!p->host->write(p->host->ctx, p->ds + PEBS_INDEX * w, &index, w)) return PEBS_UNMAPPED;
    return index >= threshold ? PEBS_THRESHOLD : PEBS_WRITTEN;
}

enum pebs_outcome sim_pebs_record(const struct pebs *p, const struct pebs_state *state)
{
    const unsigned w = width(p), n = p->wide ? REGISTERS_64 : REGISTERS_32;
    uint8_t record[(FIXED + REGISTERS_64) * 8];

    /* Little-endian on either side. */
    memcpy(record, &state->flags, w);
    memcpy(record + w, &state->ip, w);
    for (unsigned k = 0; k < n; k++)
        memcpy(record + (FIXED + k) * w, &state->reg[k < REGISTERS_32 ? order[k] : k], w);
    return sim_pebs_write(p, record, (FIXED + n) * w);
}
