/* Traces: hooks in payload code, each of which writes the time, a channel and a value into a ring.
 *
 * trace_here(ring, channel, value): channel 0 to 31, value 32 bits. The ring lies in the pool and a payload
 * finds it through bench_run.trace, or by trace_ring() in a program of the user's own, so that hooks touch
 * nothing else and work in ring 3. They need no counter. trace=N prints what the ring has in the end; without
 * it hooks run all the same, into a ring that nobody reads, so that they always cost the same.
 * Shared by C and assembly: offsets in bytes.
 */
#pragma once

#define TRACE_CHANNELS  32
#define TRACE_INTERRUPT 256 /* the channel of interrupts: the kernel writes it, the value is the vector */

#define TRACE_COUNT   0 /* entries that were written so far */
#define TRACE_MASK    4 /* the number of entries that there are room for, a power of two, less 1 */
#define TRACE_ENTRIES 64
#define TRACE_SHIFT   4 /* an entry takes 2^4 bytes */

#ifndef __ASSEMBLER__
#include <stdint.h>

struct trace_entry {
    uint64_t tsc;
    uint32_t value, channel;
};

struct trace_ring {
    uint32_t count; /* modulo 2^32: a call of more hooks has lost that many more */
    uint32_t mask;
    uint8_t unused[TRACE_ENTRIES - 8];
    struct trace_entry entry[];
};

/* The hook: nine instructions, the same for each channel. XADD takes the entry, so that an interrupt that
 * comes between any two of them writes another one. RDTSC is not serialised: the processor may read the time
 * a little before or after its neighbours. ring is a register, channel and value are constants or registers,
 * none of them AX, CX or DX. */
#ifdef __x86_64__
#define TRACE_CX "%%rcx"
#else
#define TRACE_CX "%%ecx"
#endif
#define TRACE_ASM(ring, channel, value)               \
    "movl $1, %%ecx\n\t"                              \
    "xaddl %%ecx, (" ring ")\n\t"                     \
    "andl 4(" ring "), %%ecx\n\t"                     \
    "shll $4, %%ecx\n\t"                              \
    "movl " channel ", 76(" ring "," TRACE_CX ")\n\t" \
    "movl " value ", 72(" ring "," TRACE_CX ")\n\t"   \
    "rdtsc\n\t"                                       \
    "movl %%eax, 64(" ring "," TRACE_CX ")\n\t"       \
    "movl %%edx, 68(" ring "," TRACE_CX ")\n\t"

/* Channel and value are read before RDTSC writes EAX and EDX, so these may hold them. */
static inline __attribute__((always_inline)) void trace_here(struct trace_ring *ring, uint32_t channel,
                                                             uint32_t value)
{
    uint32_t low, high, entry;
    __asm__ volatile(TRACE_ASM("%[ring]", "%[channel]", "%[value]")
                     : [ring] "+r"(ring), "=a"(low), "=d"(high), "=&c"(entry)
                     : [channel] "ri"(channel), [value] "ri"(value)
                     : "cc", "memory");
}

/* In a program of your own (docs/trace.md):
 *
 *     ANECHOIC_TRACE("request", "reply");    in one file: names of the channels 0, 1, ...; may be missing
 *
 *     trace_here(trace_ring(), 0, n); */
#ifdef ANECHOIC_PAYLOAD         /* set by `anechoic payload build` */
#define ANECHOIC_LABEL_BYTES 32 /* of a name, with the NUL; as in region.h */
#define ANECHOIC_TRACE(...)                             \
    __attribute__((used, retain, visibility("hidden"))) \
    const char anechoic_trace_labels[][ANECHOIC_LABEL_BYTES] = {__VA_ARGS__}

/* The kernel writes it. */
__attribute__((weak, visibility("hidden"))) struct trace_ring *anechoic_trace_ring;

static inline __attribute__((always_inline)) struct trace_ring *trace_ring(void)
{
    return anechoic_trace_ring;
}
#endif
#endif
