/* What kernel/trap.c has, for host tests: who gets interrupts, what became of them, and guards, into which
 * tests jump themselves. trap_guard_after() is kernel/trap_text.c's, or a test's. */
#pragma once
#include "kernel/trap.h"

extern interrupt_fn *interrupts_go_to; /* trap_interrupts(); NULL: nobody asked for them */
extern void *interrupts_to;            /* its argument */
extern bool trap_refuses;              /* what interrupts is an INT n of the guarded code */
extern unsigned trap_strays, trap_disturbances, trap_ends; /* how many there were */
extern struct trap_guard *guard; /* the last one that was armed; NULL: none since one was disarmed */

/* What vectors.S does with an interrupt or an NMI. */
void fake_interrupt(const struct trap_frame *f);
