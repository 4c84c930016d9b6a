/* Code that runs for each repetition, between two brackets, and its data.
 *
 * It uses the same caches and branch target buffer as the payload. If the compiler chose its addresses, three
 * lines (one of this code, one of the bracket, one of the payload) would sometimes map to one set of a
 * Pentium's two-way L1I, and cause a miss that the payload does not have alone. So these functions lie
 * together (linker.ld), in sets that the brackets do not use.
 *
 * The same applies to data. Benchmarks have theirs at the beginning of a page, so what is read or written
 * between two repetitions lies at the end of one, REPEATED_FROM or more from its start: the stack
 * (run_guarded()), struct percpu, and objects that are marked with REPEATED_DATA. All else that a repetition
 * needs is copied to the stack before the first one (measure/run.c).
 */
#pragma once

#define REPEATED_FROM 0xa00 /* the same in linker.ld */

#define REPEATED        __attribute__((noinline, section(".text.repeated")))
/* What only some benchmarks need lies behind it. Its sets are the same in each build, but brackets may use
 * them, too. */
#define REPEATED_BEHIND __attribute__((noinline, section(".text.repeated_behind")))
#define REPEATED_DATA   __attribute__((section(".data.repeated")))
#define REPEATED_BSS    __attribute__((section(".bss.repeated")))
