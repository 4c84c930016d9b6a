/* Profiles: numbers of samples by instruction and by data address. */
#pragma once
#include "bench/bench.h"
#include "measure/decode.h"
#include "measure/quantiles.h"
#include "measure/sampling.h"

/* Sampled code that can be decoded; its payloads give the instructions names. In the kernel bytes points to
 * base; in a test it may lie elsewhere. */
struct code {
    const uint8_t *bytes;
    uint64_t base; /* linear address of bytes[0] */
    uint32_t size;
    bool long_mode;
    uint32_t payloads; /* the end of the payloads, in bytes from base: code after it has no symbol */
    const struct bench *const *benches, *const *benches_end;
    struct bench_image
        image; /* instead of the last three: a user's program, whose functions give them names */
};

/* The code of a user's program. long_mode: of the kernel. */
struct code profile_code_of(const struct bench_image *image, bool long_mode);

/* A filter of samples. */
struct profile_filter {
    int counter;   /* samples of this counter; -1: of all */
    uint64_t ip;   /* samples of the instruction at this address; 0: of all */
    bool accesses; /* those that say that they are accesses to memory; else all */
};

/* What the samples of a line say of its accesses. */
struct profile_access {
    uint32_t level[LEVELS];           /* of so many the data came from there; LEVEL_UNKNOWN stays 0 */
    struct quantiles latency, retire; /* core cycles */
};

struct profile_line {
    uint64_t key; /* address of an instruction, or of data */
    uint64_t count;
    uint64_t next; /* of them: so many are of the instruction before, whichever ran then (SAMPLE_NEXT) */
    const struct profile_access *access; /* in the arena; NULL: no sample of the profile says anything */
};

/* The place of an instruction: its distance from the beginning of a payload, or of a user's function. */
struct symbol {
    const struct bench *bench;
    unsigned variant;
    uintptr_t offset;     /* bytes */
    const char *function; /* the user's; NULL: the payload of bench and variant */
};

/* The place of a line's instruction. */
struct profile_place {
    bool named;      /* symbol is valid */
    bool has_target; /* bytes is valid */
    bool decoded;    /* instructions is valid */
    struct symbol symbol;
    const uint8_t *code;         /* the instruction: length bytes */
    unsigned length;             /* 0: not in code, or not decodable */
    int64_t bytes, instructions; /* from the target: see profile_distance() */
};

struct profile {
    struct profile_line *line; /* in the arena; keys ascending, each once, none with a count of 0 */
    unsigned n;
    uint64_t samples;   /* that passed the filter */
    uint64_t unknown;   /* of them: those with an unknown key, which are in no line */
    uint64_t lost;      /* those for which the buffer had no room */
    uint64_t imprecise; /* by instruction: those of which nothing says that it caused the event */
    uint64_t next;      /* sum of the lines' */
    uint64_t corrected[CORRECTIONS]; /* by enum sample_corrected; the first stays 0 */
    bool hardware, registers; /* by data: addresses were recorded, or computed from registers; maybe both */
    const struct profile_place *place; /* of each line, by profile_places(); else NULL */
};

/* Is the sample one of those that the filter asks for, and the payload's? */
bool profile_passes(const struct sample *s, const struct profile_filter *filter);

/* By instruction: of each sample that has an address. False: the arena is full. */
bool profile_by_ip(const struct samples *s, const struct profile_filter *filter, struct arena *arena,
                   struct profile *out);

/* By data address: the hardware's, else the one from decoding. Only precise samples are decoded, since the
 * instruction of the others did not cause the event. code of size 0: none is, since the registers of the
 * samples are not of that instruction (IBS). how: enum decode_how. False: the arena is full. */
bool profile_by_data(const struct samples *s, const struct profile_filter *filter, const struct code *code,
                     unsigned how, struct arena *arena, struct profile *out);

/* Most samples first; of equals the lower key. */
void profile_rank(struct profile *p);

/* From the instruction at target to the one at ip, in the order of addresses, not of execution: negative if
 * ip lies before target. False: an instruction between cannot be decoded, ip or target lies outside of code,
 * or no instruction begins at ip; *instructions is then unchanged. */
bool profile_distance(const struct code *code, uint64_t target, uint64_t ip, int64_t *instructions);

/* The maximum length of a payload: up to the beginning of the next payload in code, or the end of payloads;
 * of a user's function its length. 0: it is not in code. */
uint32_t profile_payload_bytes(const struct code *code, uint64_t payload);

/* The user's function that has ip; else the last payload of code's benchmarks that begins at or before ip; of
 * two that begin together the first. False: ip is not in code, or before all payloads, or after their end. */
bool profile_symbol(const struct code *code, uint64_t ip, struct symbol *out);

/* Find the places of all lines of a profile by instruction. target: an instruction of the payload; 0: it has
 * none. False: the arena is full. */
bool profile_places(struct profile *p, const struct code *code, uint64_t target, struct arena *arena);
