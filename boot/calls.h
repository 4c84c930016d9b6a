/* What modules may call (include/anechoic/calls.h). */
#pragma once
#include "include/anechoic/calls.h"
#include <stdint.h>

extern const uintptr_t kernel_calls[ANECHOIC_CALLS_N]; /* addresses, in the order of the list */
