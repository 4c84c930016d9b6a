/* Shared by the files that make samples of PEBS records. They run in the interrupt handler: general registers
 * only, no library, and every instruction counts. A record's fields are copied as wide as a register: the
 * 32-bit kernel leaves the upper halves of a sample cleared, as they are in the buffer. */
#pragma once
#include "pmu/pebs.h"

typedef uintptr_t __attribute__((may_alias)) pebs_word;
typedef uint64_t __attribute__((may_alias)) pebs_long;
typedef uint32_t __attribute__((may_alias)) pebs_half;
typedef uint16_t __attribute__((may_alias)) pebs_short;

/* to: a field of a sample; from: the address of the record's. */
#define PEBS_TAKE(to, from)      (*(pebs_word *)&(to) = *(const pebs_word *)(from))
#define PEBS_TAKE_LONG(to, from) ((to) = *(const pebs_long *)(from))

/* Inlined once for each combination of what records hold: a loop that does not ask for it. */
#define PEBS_FOLD static inline __attribute__((always_inline)) const uint8_t *

/* valid, cpu (0 here) and counter are the first eight bytes. */
_Static_assert(offsetof(struct sample, counter) == 6 && offsetof(struct sample, flags) == 8, "the head");
_Static_assert(offsetof(struct sample, ip) == offsetof(struct sample, flags) + 8 &&
                   offsetof(struct sample, reg) == offsetof(struct sample, flags) + 16,
               "as 64-bit records have them");
_Static_assert(offsetof(struct sample, level) == offsetof(struct sample, traits) + 2 &&
                   offsetof(struct sample, tlb) == offsetof(struct sample, traits) + 3 &&
                   offsetof(struct sample, traits) % 4 == 0,
               "as pebs_source() has them");

static inline uint64_t pebs_head(const struct pebs *p, uint32_t valid)
{
    return valid | (uint64_t)p->counter << 48;
}

/* Words of a record that are in the same order in a sample. */
static inline void pebs_copy(void *to, const void *from, unsigned long words)
{
#ifdef __x86_64__
    __asm__ volatile("rep movsq" : "+D"(to), "+S"(from), "+c"(words)::"memory");
#else
    words *= 2;
    __asm__ volatile("rep movsl" : "+D"(to), "+S"(from), "+c"(words)::"memory");
#endif
}

_Static_assert(offsetof(struct sample, cache_latency) == offsetof(struct sample, latency) + 4 &&
                   offsetof(struct sample, latency) % 8 == 0,
               "as a record has them");

#define PEBS_COUNTS (SAMPLE_INSTRUCTIONS | SAMPLE_CYCLES)

/* The counters' group from r on, before last: those of fixed counters 0 and 1 become the sample's counts, and
 * it claims no others. The group's bytes; 0: it is not whole. */
size_t pebs_take_counts(const struct samples *out, struct sample *s, const uint8_t *r, const uint8_t *last);

/* LBR entries from r on, the newest first, as they are. */
static inline void pebs_take_branches(struct sample *s, struct branch *to, const uint8_t *r, unsigned n)
{
    if (n > BRANCHES_MOST) n = BRANCHES_MOST;
    s->branches = (uint8_t)(PEBS_RAW | n);
    pebs_copy(to, r, n * sizeof(struct branch) / 8);
}

/* The end of the records from r to end, of so many bytes each, that are whole and have room. */
static inline const uint8_t *pebs_whole(const struct samples *out, const struct sample *s, const uint8_t *r,
                                        const uint8_t *end, unsigned bytes)
{
    const unsigned room = (unsigned)(out->at + out->cap - s);
    const unsigned n = end > r ? (unsigned)(end - r) / bytes : 0;
    return r + (n < room ? n : room) * bytes;
}

/* The access: its address, source and latency, at these addresses of the record. Latency: bits 15:0 or 31:0
 * are the instruction's; bits 47:32 the cache's, from Alder Lake and Sapphire Rapids on. */
static inline __attribute__((always_inline)) void pebs_access(const uint32_t *sources, uint64_t latency_bits,
                                                              struct sample *s, const uint8_t *address,
                                                              const uint8_t *source, const uint8_t *latency)
{
    PEBS_TAKE(s->data, address);
    *(pebs_half *)&s->traits = sources[*source];
    *(pebs_long *)&s->latency = *(const pebs_long *)latency & latency_bits;
}
