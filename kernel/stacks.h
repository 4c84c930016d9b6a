/* The stack of each processor that measures: what the kernel itself needs, and so many bytes for the code
 * that is measured (stack=).
 *
 * It has linear addresses of its own, and below it nothing is mapped for at least 1 MiB, so that a function
 * whose frame is larger than what is left does not write past it unseen. Code at CPL 3 has the same memory,
 * less the kernel's part, at other addresses of which the same holds. Both end at the end of a page, as
 * everything between repetitions expects (kernel/repeated.h), and of 64 KiB, so that also larger ways of a
 * cache see the same sets.
 *
 *   slot: [not mapped][CPL 3: bytes][not mapped][CPL 0: bytes, then the kernel's part]
 *         from                     middle                                          end
 */
#pragma once
#include "kernel/trap.h"
#include <stddef.h>

#define STACK_DEF    (256u << 10)
#define STACK_LEAST  16384u
#define STACK_MOST   ((sizeof(void *) == 8 ? 256u : 16u) << 20)
#define STACK_KERNEL 32768u     /* decimal digits of a double are 1.4 KB, and lines are built here */
#define STACK_HOLE   (1u << 20) /* not mapped below each, at least */

struct cpu_stack {
    uint8_t *top;      /* at CPL 0 */
    uint8_t *user_top; /* at CPL 3 */
    size_t bytes;      /* for measured code */
    uint64_t from;     /* the slot's linear addresses, which end at top; 0: it has none, and no guard */
};

/* Where the slots are. */
struct stack_area {
    uint64_t from, end; /* 0, 0: there are none */
    size_t bytes;       /* stack=, or what there is room for */
    bool little;        /* the default has no room */
};
struct machine;
struct cpu;

/* Memory that a stack with so many bytes for measured code takes, with tables: a multiple of 64 KiB. */
size_t stacks_memory(size_t bytes);

/* Finds the addresses, and gives the boot processor its stack: in the kernel's own pool if that is not in
 * use, else in the end of the pool, which becomes smaller. After all devices are set up, since linear
 * addresses that nothing seems to use are no longer theirs. bytes: 0: STACK_DEF, or less if the pool is
 * small, but at least STACK_LEAST. processors: how many may get one. False: there is no room for it, and
 * nothing was done. *most: the bytes that there is room for.
 */
bool stacks_open(struct machine *m, size_t bytes, unsigned processors, size_t *most);

/* Gives another processor one, in memory of stacks_memory(bytes) at a multiple of a page, which CPL 3 cannot
 * use.
 */
void stacks_give(struct machine *m, struct cpu *cpu, uint8_t *memory, size_t bytes);

/* Is this trap the end of the stack of the code that runs there? */
bool stack_overflowed(const struct cpu_stack *s, const struct trap *t);
