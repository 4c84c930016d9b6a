/* Writes the payload around a snippet of the user's: what every repetition of it executes (bench/code.c).
 *
 *     save registers, flags and segments; the stack pointer goes to a fixed place
 *     R14, RDI, RSI, RBP, RSP (i586: EDI, ESI, EBP, ESP) = the middle of an area each
 *     init, fence, late init; with no_mem=1 init, counting begins, late init
 *     [turns of a loop = R15, on i586 a word in memory]
 *     the code, copied; the first copy is aligned
 *     [pauses of no code]
 *     [next turn]
 *     [counting ends]
 *     restore all of that; RET
 *
 * All but the copies is the same, and as long, whatever the number of copies. */
#pragma once
#include "bench/code_count.h"

#ifdef __x86_64__
#define CODE_AREAS     5
#define CODE_REGISTERS "R14, RDI, RSI, RBP and RSP"
#else
#define CODE_AREAS     4
#define CODE_REGISTERS "EDI, ESI, EBP and ESP"
#endif
#define CODE_AREA_MAX (1u << 20)

/* The bytes of an area where the pool of memory has this many: up to CODE_AREA_MAX, a power of two. */
size_t code_area_bytes(size_t pool);

/* What a snippet may read and write, below 4 GiB. Zero around each middle, as far as CODE_ZEROED. */
#define CODE_ZEROED 4096
struct code_memory {
    uint8_t *middle[CODE_AREAS]; /* of the areas, in the order of CODE_REGISTERS */
    uint32_t *kept;              /* the stack pointer of who calls; behind it the turns left, on i586 */
};

/* False: the arena is full. area: bytes. */
bool code_memory(struct code_memory *memory, size_t area, struct arena *arena);

struct code_payload {
    struct module_bytes init, fence, late, body;
    uint32_t copies, turns; /* of the body; turns 0: no loop */
    struct code_count count;
    uint32_t pauses; /* in a copy */
    uint32_t copied; /* pauses of no code follow the copies, as if these were so many. 0: none */
    uint32_t alignment,
        offset; /* the first copy lies so many bytes behind a multiple of alignment, a power of two */
    const struct code_memory *memory;
};

/* The most that code_write() takes of an arena. */
uint64_t code_bytes(const struct code_payload *c);

/* Of a copy. */
uint64_t code_copy_bytes(const struct code_payload *c);

/* Bytes that come before the first copy. */
uint32_t code_head(const struct code_payload *c);

/* All but shorter, longer and once. */
void code_places(const struct code_payload *c, struct bench_copies *places);

/* NULL: the arena is full. */
payload_fn *code_write(const struct code_payload *c, struct arena *arena);
