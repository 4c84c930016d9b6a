/* Code whose counts are known, instruction by instruction. Each payload takes its number of rounds in EAX;
 * the macros say what n rounds of it do, RET included. */
#pragma once

/* DEC, JNZ */
#define SPIN_INSNS(n)       (2 * (n) + 1)
#define SPIN_BRANCHES(n)    ((n) + 1)
/* CALL, RET, DEC, JNZ */
#define CALLS_INSNS(n)      (4 * (n) + 1)
#define CALLS_BRANCHES(n)   (3 * (n) + 1)
/* FADD, DEC, JNZ; two instructions around it push and drop the operand */
#define FADDS_INSNS(n)      (3 * (n) + 3)
#define FADDS_FLOPS(n)      (n)
/* IMUL, DIV, DEC, JNZ; three before it */
#define MULS_INSNS(n)       (4 * (n) + 4)
#define MULS_BRANCHES(n)    ((n) + 1)
/* MOV load, ADD 32, DEC, JNZ over walk_area; one before it */
#define WALK_INSNS(n)       (4 * (n) + 2)
/* a spin, then MOV, INT, DEC, JNZ; four around it */
#define NULL_CALLS_SPIN     100
#define NULL_CALLS_INSNS(n) ((2 * NULL_CALLS_SPIN + 5) * (n) + 4)
/* ten instructions */
#define TEN_ROUND           10
#define TEN_INSNS(n)        (TEN_ROUND * (n) + 1)

/* What measured() itself does between the two system calls, the second one's INT 80h included. */
#define MEASURED_INSNS    6
#define MEASURED_BRANCHES 2 /* CALL, INT; the payload has its own RET */
/* ... and what lies between the two readings of rdpmc_around(): the first of them included. */
#define RDPMC_INSNS       5

/* PERF_EVENT_IOC_ENABLE and _DISABLE, whose header is not for assembly: count.c compares. */
#define PERF_ENABLE  0x2400
#define PERF_DISABLE 0x2401

#ifndef __ASSEMBLER__
#include <stdint.h>

#define WALK_STEP      32
#define WALK_BYTES     (4u << 20)  /* twice the largest L2 behind which there is memory, or an L3 */
#define WALK_FAR_BYTES (17u << 20) /* twice the largest last level that is modelled */
extern uint8_t walk_area[WALK_FAR_BYTES];

typedef void payload_fn(void); /* called from assembly only */
payload_fn payload_empty, payload_spin, payload_calls, payload_fadds, payload_muls, payload_walk, payload_ten;
payload_fn payload_jumps;      /* each round four branches that are taken, of which one is indirect */
payload_fn payload_null_calls; /* n times getppid(), which does next to nothing */
extern const char payload_ten_loop[], payload_ten_end[];
extern const char payload_muls_behind[];                      /* the instruction after IMUL */
extern const char payload_muls_loop[];                        /* ... and after JNZ, while that is taken */
extern const char payload_muls_jump[];                        /* JNZ */
extern const char payload_walk_load[], payload_walk_behind[]; /* the load, and the instruction after it */
/* The round's branches: CALL to the RET, RET, JMP by register, JNZ back to the CALL. */
extern const char jumps_call[], jumps_ret[], jumps_jmp[], jumps_target[], jumps_jnz[];
extern const char measured_call[]; /* the CALL of a payload in measured() */

/* Enable the group of fd, run n rounds, disable it. */
void measured(int fd, payload_fn *payload, unsigned n);
/* What the counter went on by, modulo 2^32, while n rounds ran. */
uint32_t rdpmc_around(uint32_t counter, payload_fn *payload, unsigned n);
#endif
