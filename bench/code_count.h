/* Counting from inside of a snippet's payload (no_mem=1): what is counted stays in registers, and nothing
 * writes memory between the first reading and the last.
 *
 *     start: [number of pauses] [fence] readings, each subtracted from a register's sum [fence]
 *     stop:  [fence] readings in reverse order, each added to its sum [fence] [number of pauses]
 *
 * They change EAX, ECX, EDX and the flags. A snippet may stop counting and start it again, by two sequences
 * of bytes that are nanoBench's. What start and stop count of themselves does not depend on the event's past
 * for what retires: the same number of pauses costs the same. */
#pragma once
#include "bench/code_writer.h"
#include "bench/program.h"

#ifdef __x86_64__
#define CODE_EVENTS  4 /* that are counted together, beside the time stamp */
#define CODE_SUMS_IN "R8 to R12 (with pauses R13)"
#else
#define CODE_EVENTS  1
#define CODE_SUMS_IN "EBX and EBP (with pauses EDI)"
#endif

/* The marks in a snippet: include/anechoic/module.h. */

struct code_count {
    const struct bench_counters *counters; /* CODE_EVENTS at most; NULL: the bracket counts */
    struct module_bytes fence;             /* none: 0 bytes */
    uint64_t *sums;  /* in the end: the time stamp and the events, whose upper bits are undefined... */
    uint32_t *wrong; /* ... and not 0 from then on, if a call had another number of pauses; below 4 GiB */
};

/* The pauses in a snippet: each a MODULE_STOP and a MODULE_START after it. -1: they do not alternate. */
int code_pauses(struct module_bytes body);

/* The snippet, once, with what replaces its marks. */
void put_body(struct writer *w, const struct code_count *c, struct module_bytes body);

/* A pause of no code. */
void put_pause(struct writer *w, const struct code_count *c);

/* Sums become 0, then counting begins; it ends, and sums go to memory. pauses: how many there must have been
 * in between, if there can be any. */
void put_count_begin(struct writer *w, const struct code_count *c, bool can_pause);
void put_count_end(struct writer *w, const struct code_count *c, uint64_t pauses, bool can_pause);
