/* The series of bench/fwq.c, for the experiment that runs it on several processors at once. */
#pragma once
#include <stdint.h>

struct fwq_series {
    uint64_t *stamps; /* quanta + 1 */
    uint32_t quanta;
    uint32_t work; /* turns of the work loop in a quantum */
};

/* A payload: arg is the series. */
void fwq_quanta(void *arg);

/* Turns of the work loop that take us microseconds, computed from the shortest of several warm runs. stamps:
 * room for 17. 0: the TSC stands still. */
uint32_t fwq_calibrate(uint64_t *stamps, uint64_t tsc_hz, uint32_t us);
