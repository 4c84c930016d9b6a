/* The counters' group of a PEBS record, of format 6 and of architectural PEBS alike: Linux'
 * arch/x86/include/asm/perf_event.h (struct pebs_cntr_header) and __setup_pebs_counter_group(). */
#include "pmu/pebs_fold.h"

/* Which counters' values follow: bits of general ones, of fixed ones, and 3 if two words about slots
 * (metrics) come last. */
enum { GENERAL = 0x00, FIXED = 0x04, METRICS = 0x08, HEADER_BYTES = 0x10 };
#define HAS_METRICS 3

static unsigned bits(uint32_t of)
{
    unsigned n = 0;
    for (; of; of &= of - 1) n++;
    return n;
}

size_t pebs_take_counts(const struct samples *out, struct sample *s, const uint8_t *r, const uint8_t *last)
{
    if (last - r < HEADER_BYTES) return 0;
    const uint32_t fixed = *(const pebs_half *)(r + FIXED);
    const size_t before = HEADER_BYTES + 8 * bits(*(const pebs_half *)(r + GENERAL));
    const size_t bytes =
        before + 8 * bits(fixed) + (*(const pebs_half *)(r + METRICS) == HAS_METRICS ? 16 : 0);
    if ((size_t)(last - r) < bytes) return 0;
    s->valid &=
        out->counts ? ~(uint32_t)PEBS_COUNTS | (fixed & 3) * SAMPLE_INSTRUCTIONS : ~(uint32_t)PEBS_COUNTS;
    const uint8_t *at = r + before;
    for (unsigned i = 0; i < 2 && out->counts; i++) {
        if (!(fixed >> i & 1)) continue;
        out->counts[s - out->at][i] = *(const pebs_long *)at;
        at += 8;
    }
    return bytes;
}
