#include "measure/slots.h"
#include "measure/bracket.h"

/* measure/slot_code.S */
extern slots_fn slots_start, slots_end, slots_cpuid, slots_nothing, slots_lfence, slots_serialize;

void slots_prepare(struct slots *s, enum serialize serialize, const uint32_t *select, unsigned n)
{
    static slots_fn *const fence[SERIALIZE_COUNT] = {slots_cpuid, slots_lfence, slots_serialize};
    unsigned skip = SLOTS_COUNTERS - n;
    s->fence = fence[serialize];
    s->inner = serialize == SERIALIZE_CPUID ? slots_nothing : s->fence; /* as in bracket.S */
    s->start = (slots_fn *)((uintptr_t)slots_start + skip * SLOT_CODE);
    s->end = (slots_fn *)((uintptr_t)slots_end + skip * SLOT_CODE);
    s->end_select = (uintptr_t)select - SLOTS_SELECTS;
    s->start_select = s->end_select - skip * sizeof *select; /* slot `skip` is the first counter's */
    s->shift = skip * sizeof(uint64_t);
}
