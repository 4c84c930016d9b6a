/* The measuring bracket: serialise, read the TSC, read the counters, payload, serialise, read the counters,
 * read the TSC. measure/bracket.S. */
#pragma once
#include "bench/program.h"
#include "kernel/cpuid.h"

struct reading; /* measure/reading.h */
struct slots;   /* measure/slots.h */

typedef void bracket_fn(payload_fn *payload, void *arg, struct reading *out);

/* The instruction that orders the readings. */
enum serialize { SERIALIZE_CPUID, SERIALIZE_LFENCE, SERIALIZE_SERIALIZE, SERIALIZE_COUNT };

struct serializer {
    const char *name;                        /* the word after serialize= */
    bool (*usable)(const struct cpu_id *id); /* the CPU has it, and it serialises; changes nothing */
    uint8_t fence[4];                        /* the instruction, for a payload that needs one in itself... */
    unsigned fence_bytes;                    /* ... 0: it would cost too much there, and clobber registers */
};
extern const struct serializer serializers[SERIALIZE_COUNT];

/* How counters are read. GATE: RDMSR through a call gate, for payloads at CPL 3 on CPUs without RDPMC. */
enum reader { READER_NONE, READER_RDPMC, READER_RDMSR, READER_GATE, READER_COUNT };

/* The bracket that reads this many counters in this way; NULL where there is none (CPUs with LFENCE have
 * RDPMC). */
bracket_fn *bracket_find(enum serialize serialize, enum reader reader, unsigned counters);

/* The code of the bracket without counters: it calls the payload right before back. */
struct bracket_code {
    uintptr_t begin, back, end;
};
struct bracket_code bracket_code(enum serialize serialize);

/* A bracket reads at most this many. Up to BRACKET_FEW have brackets of their own where CPUID serialises; all
 * other cases use bracket_many, by RDPMC. */
#define BRACKET_COUNTERS 18 /* == PMU_COUNTERS */
#define BRACKET_FEW      2

/* Needs its reading prepared with slots_prepare(), and start[] and end[] zero. */
extern bracket_fn bracket_many;

/* Prepare to read n counters (1 to SLOTS_COUNTERS) with RDPMC, whose ECX is select[0..n) in the order of the
 * start. select must stay where it is. */
void slots_prepare(struct slots *s, enum serialize serialize, const uint32_t *select, unsigned n);
