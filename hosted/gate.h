/* The byte that lets this thread's system calls pass (hosted/calls.c), in its processor's block: an offset
 * from what GS leads to. Shared by C and assembly. */
#pragma once
#define GATE_AT     -64
#define GATE_OPEN   0 /* SYSCALL_DISPATCH_FILTER_ALLOW */
#define GATE_CLOSED 1 /* SYSCALL_DISPATCH_FILTER_BLOCK */
