/* The measuring bracket: serialise, read the TSC, payload, serialise, read the TSC. measure/bracket.S. */
#pragma once
#include "bench/bench.h"

/* The two readings; raw value = tsc[1] - tsc[0]. */
struct reading {
    uint64_t tsc[2];
};

typedef void bracket_fn(payload_fn *payload, void *arg, struct reading *out);

/* Serialised by CPUID leaf 0: on every CPU, at the highest price (and under a hypervisor an exit to it). */
bracket_fn bracket_cpuid;
/* By LFENCE, which also keeps the payload from starting before the first reading. SSE2. */
bracket_fn bracket_lfence;
/* By SERIALIZE, likewise; CPUID.7:EDX[14]. */
bracket_fn bracket_serialize;

enum serialize { SERIALIZE_CPUID, SERIALIZE_LFENCE, SERIALIZE_SERIALIZE, SERIALIZE_COUNT };

struct bracket {
    const char *name; /* the word after serialize= */
    bracket_fn *run;
    bool (*usable)(const struct cpu_id *id); /* the CPU has it and it does serialise */
};
extern const struct bracket brackets[SERIALIZE_COUNT];
