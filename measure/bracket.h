/* The measuring bracket: serialise, read the TSC, read the counters, payload, serialise, read the counters,
 * read the TSC. measure/bracket.S. */
#pragma once
#include "bench/bench.h"
#include "kernel/cpuid.h"
#include "measure/reading.h"

typedef void bracket_fn(payload_fn *payload, void *arg, struct reading *out);

/* What orders the readings. */
enum serialize { SERIALIZE_CPUID, SERIALIZE_LFENCE, SERIALIZE_SERIALIZE, SERIALIZE_COUNT };

struct serializer {
    const char *name;                        /* the word after serialize= */
    bool (*usable)(const struct cpu_id *id); /* the CPU has it and it does serialise */
};
extern const struct serializer serializers[SERIALIZE_COUNT];

/* How counters are read. GATE: RDMSR through a call gate, for payloads at CPL 3 on CPUs without RDPMC. */
enum reader { READER_NONE, READER_RDPMC, READER_RDMSR, READER_GATE, READER_COUNT };

/* The bracket that reads this many counters so; NULL where there is none (CPUs with LFENCE have RDPMC). */
bracket_fn *bracket_find(enum serialize serialize, enum reader reader, unsigned counters);

/* A bracket reads at most so many. */
#define BRACKET_COUNTERS 2
