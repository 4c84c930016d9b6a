/* measure/arm.c in a hosted kernel, where RDPMC's number of a counter is Linux' choice. */
#pragma once
#include <stdint.h>

/* A test's, in the place of hosted/perf.c's hw_rdpmc_select(). */
uint32_t chosen(uint32_t counter);
