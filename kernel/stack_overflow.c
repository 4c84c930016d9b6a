#include "kernel/stacks.h"

#define PF_PRESENT 1u /* error code, SDM vol. 3A 4.7 */

bool stack_overflowed(const struct cpu_stack *s, const struct trap *t)
{
    const uint64_t top = (uintptr_t)s->top, user_top = (uintptr_t)s->user_top;
    const uint64_t bottom = t->cs & 3 ? user_top - s->bytes : top - s->bytes - STACK_KERNEL;
    if (!s->from) return false;
    /* A page fault cannot push its frame: it is a double fault, whose place is the stack pointer. */
    if (t->vector == VECTOR_DF) return t->sp >= s->from && t->sp < bottom + sizeof(struct trap_frame);
    return t->vector == VECTOR_PF && !(t->error & PF_PRESENT) && t->cr2 >= s->from && t->cr2 < bottom;
}
