/* The stand-in of fake_trap.h. */
#include "tests/unit/fake_trap.h"
#include "tests/unit/unit.h"

interrupt_fn *interrupts_go_to;
void *interrupts_to;
bool trap_refuses;
unsigned trap_strays, trap_disturbances, trap_ends;
struct trap_guard *guard;

void trap_interrupts(interrupt_fn *fn, void *to)
{
    interrupts_go_to = fn;
    interrupts_to = to;
}

void fake_interrupt(const struct trap_frame *f)
{
    interrupts_go_to ? interrupts_go_to(interrupts_to, f) : trap_stray(f);
}

void trap_stray(const struct trap_frame *f) { (void)f, trap_strays++; }
bool trap_refuse(struct trap_frame *f) { return (void)f, trap_refuses; }
void trap_disturbed(void) { trap_disturbances++; }
bool trap_end(struct trap_frame *f)
{
    (void)f;
    if (!guard) return false;
    trap_ends++;
    return true;
}

static __attribute__((noreturn)) void raise(struct trap t)
{
    struct trap_guard *g = guard;
    assert_non_null(g);
    guard = NULL;
    g->trap = t;
    longjmp(g->resume, 1);
}

void trap_raise(uint32_t vector) { raise((struct trap){.vector = vector}); }
void trap_raise_no_count(const char *of, uint64_t count, uint64_t mask)
{
    raise((struct trap){.vector = TRAP_NO_COUNT, .error = count, .cr2 = mask, .ip = (uintptr_t)of});
}

void trap_guard_push(struct trap_guard *g) { guard = g; }
void trap_guard_disarm(struct trap_guard *g) { (void)g, guard = NULL; }
