/* The vectors; shared by vectors.S and C. */
#pragma once
#define VECTOR_DB   1
#define VECTOR_NMI  2
#define VECTOR_BP   3
#define VECTOR_OF   4
#define VECTOR_UD   6
#define VECTOR_NM   7
#define VECTOR_DF   8
#define VECTOR_GP   13
#define VECTOR_PF   14
#define VECTOR_MC   18
#define VECTORS_CPU 32   /* below are exceptions and NMI */
#define VECTOR_PIC  0x20 /* 16 of the 8259s, all masked but the timers' while sampling */

/* Executed by benchmarks (INT), so their priority does not matter. VECTOR_USER_RETURN: kernel/selectors.h. */
#define VECTOR_TIMER_CALL 0x31 /* INT from either ring: EAX timer interrupts (kernel/timer.h) */

/* The local APIC's own, in the highest priority class: the task priority blocks all others (kernel/apic.c).
 */
#define VECTOR_TIMER    0xf0
#define VECTOR_SAMPLE   0xf1 /* performance counter and timer entries, while sampling */
#define VECTOR_WAKE     0xf2 /* an IPI to a processor that rests in HLT */
#define VECTOR_SPURIOUS 0xff

/* The error code of an INT that its gate refuses (SDM vol. 3A figure 6-7); the opcode and the length of INT
 * n. */
#define ERROR_OF_GATE(vector) ((vector)*8 + 2)
#define INT_N                 0xcd
#define INT_BYTES             2
