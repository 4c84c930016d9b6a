/* Samples folded into profiles: how many by instruction, how many by data address. */
#pragma once
#include "bench/bench.h"
#include "measure/decode.h"
#include "measure/sampling.h"

/* Code that was sampled and can be decoded, and whose payloads give its instructions a name. In the kernel
 * bytes is where base says; a test may keep it elsewhere. */
struct code {
    const uint8_t *bytes;
    uint64_t base; /* linear address of bytes[0] */
    uint32_t size;
    bool long_mode;
    uint32_t payloads; /* where they end, in bytes from base: what lies behind has no symbol */
    const struct bench *const *benches, *const *benches_end;
};

/* Which of the samples. */
struct profile_filter {
    int counter; /* samples of this counter; -1: of all */
    uint64_t ip; /* samples of the instruction here; 0: of all */
};

struct profile_line {
    uint64_t key; /* address of an instruction, or of data */
    uint64_t count;
};

/* Where an instruction lies: behind the beginning of a payload. */
struct symbol {
    const struct bench *bench;
    unsigned variant;
    uintptr_t offset; /* bytes */
};

/* Where the instruction of a line stands. */
struct profile_place {
    bool named;      /* symbol is there */
    bool has_target; /* bytes is */
    bool decoded;    /* instructions is */
    struct symbol symbol;
    const uint8_t *code;         /* the instruction; */
    unsigned length;             /* 0: it is not in code, or cannot be decoded */
    int64_t bytes, instructions; /* from the target: see profile_distance() */
};

struct profile {
    struct profile_line *line; /* in the arena; keys ascending, each once, none with a count of 0 */
    unsigned n;
    uint64_t samples;                  /* that passed the filter */
    uint64_t unknown;                  /* of them: whose key is not known, so that they are in no line */
    uint64_t lost;                     /* that the buffer had no room for */
    const struct profile_place *place; /* of each line, by profile_places(); else NULL */
};

/* By instruction: of each sample that has an address. False: the arena is full. */
bool profile_by_ip(const struct samples *s, const struct profile_filter *filter, struct arena *arena,
                   struct profile *out);

/* By data address: the one that the hardware gave, else the one that decoding gives, and that of precise
 * samples only, since the others' instruction is not the one that caused the event. how: enum decode_how.
 * False: the arena is full. */
bool profile_by_data(const struct samples *s, const struct profile_filter *filter, const struct code *code,
                     unsigned how, struct arena *arena, struct profile *out);

/* Most samples first; of equals the lower key. */
void profile_rank(struct profile *p);

/* From the instruction at target to the one at ip, in the order of addresses, not of execution: negative
 * where ip lies before. False: an instruction between cannot be decoded, ip or target lies outside of code,
 * or ip is not where an instruction begins; *instructions is then as it was. */
bool profile_distance(const struct code *code, uint64_t target, uint64_t ip, int64_t *instructions);

/* How many bytes of code a payload has at most: up to where the next one of code's benchmarks begins, or
 * where payloads end. 0: it is not in code. */
uint32_t profile_payload_bytes(const struct code *code, uint64_t payload);

/* The payload of code's benchmarks that begins last at or before ip; of two that begin together the first.
 * False: ip is not in code, or before all of them, or behind where payloads end. */
bool profile_symbol(const struct code *code, uint64_t ip, struct symbol *out);

/* Find the places of all lines of a profile by instruction. target: an instruction of the payload; 0: it has
 * none. False: the arena is full. */
bool profile_places(struct profile *p, const struct code *code, uint64_t target, struct arena *arena);
