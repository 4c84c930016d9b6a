/* What kernel/processors.c has, for host tests: a call executes at once. */
#pragma once
#include "kernel/processors.h"

/* What the next calls end with after fn() has returned; PROCESSOR_RETURNED at first. */
extern enum processor_end processors_end_with;
extern struct trap processors_trap;                                    /* processor_trap() */
extern unsigned processor_calls, processor_stops, processors_given_up; /* how many, of any processor */
extern const struct cpu *processor_called;                             /* the last one */
extern unsigned processors_busy; /* looks for which the next call goes on, although fn() has returned */
