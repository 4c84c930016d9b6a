/* Linux from below: system calls without a C library of Linux's. Names and structures are those of its own
 * headers. */
#pragma once
#include <asm/unistd.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Number, and six arguments at most, all as wide as a register; a negative errno where it fails. */
long sys_call(long number, ...);

/* A thread of this process that executes fn(arg) on the stack that ends at top, and never returns. */
long sys_thread(unsigned long flags, void *top, void (*fn)(void *), void *arg);

/* What passes without the gate of hosted/calls.c. */
extern const char sys_sigreturn[], sys_free_end[];
struct percpu;
void sys_set_gs(struct percpu *cpu);

#define sys_failed(result) ((unsigned long)(result) > -4096ul)
