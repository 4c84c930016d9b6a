/* Floating-point state. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/* x87 in its default state (all exceptions masked), SSE with CR4.OSFXSR where the CPU has it, and with
 * CR4.OSXSAVE the registers of AVX and AVX-512, emptied but for what SSE has of them. May be called again at
 * any time to get back to that state. Returns false when there is no x87. */
bool fpu_init(void);

/* XCR0. Needs CR4.OSXSAVE. */
uint64_t fpu_xcr0(void);
