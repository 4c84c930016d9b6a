/* Floating-point state. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/* Components of XCR0, SDM vol. 1 section 13.1: the three of AVX-512 are enabled together. */
#define XCR0_X87    (1u << 0)
#define XCR0_SSE    (1u << 1)
#define XCR0_AVX    (1u << 2)
#define XCR0_AVX512 (7u << 5)

/* x87 in its default state (all exceptions masked), SSE with CR4.OSFXSR where the CPU has it, and with
 * CR4.OSXSAVE the registers of AVX and AVX-512, emptied but for what SSE has of them. May be called again at
 * any time to get back to that state. Returns false when there is no x87. */
bool fpu_init(void);

/* The same where control registers are as they were: the registers alone. */
void fpu_reset(void);

/* XCR0. Needs CR4.OSXSAVE. */
uint64_t fpu_xcr0(void);
