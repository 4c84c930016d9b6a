/* Runs with the payload's values in the registers: general registers only, no library, no GS. */
#include "kernel/hw.h"
#include "measure/trace.h"

/* The hook, but that of the ring only its count is believed: code at CPL 3 can write the mask, too. */
INTERRUPT_FN void trace_interrupt(void *to, const struct trap_frame *f)
{
    const struct trace *t = to;
    uint32_t entry = 1;
    __asm__ volatile("xaddl %0, %1" : "+r"(entry), "+m"(t->ring->count)::"cc");
    struct trace_entry *e = &t->ring->entry[entry & (t->size - 1)];
    e->channel = TRACE_INTERRUPT;
    e->value = (uint32_t)f->vector;
    e->tsc = hw_rdtsc();
    t->handler(t->handler_of, f);
}
