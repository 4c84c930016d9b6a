/* RDPMC on a host that does not let programs execute it: the fault is caught, the reading made up. Every
 * RDPMC is one instant, so that readings tell in which order they were made. With ECX[31] it is NetBurst's
 * fast one, of the low 32 bits. SERIALIZE is skipped where the host lacks it. */
#pragma once
#include <stdint.h>

#define TRAP_RDPMC_LOG 256

/* No host has a counter of these numbers, so that RDPMC faults there under any kernel. */
#define TRAP_RDPMC_INDEX 0x3fff0000u

extern uint64_t trap_rdpmc_now; /* instants so far; payloads may add their own */
extern uint32_t
    trap_rdpmc_index[TRAP_RDPMC_LOG]; /* ECX of each RDPMC since the last reset, modulo its size */
extern unsigned trap_rdpmc_count;

/* Catch RDPMC; start over. */
void trap_rdpmc_reset(void);

/* What a counter reads at an instant: each has a start of its own, at most 1,300 below 2^32. */
uint64_t trap_rdpmc_value(uint32_t index, uint64_t now);
