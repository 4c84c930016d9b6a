/* The addresses that modules call the kernel by. Of all that is above kernel/, so only here everything is
 * known. */
#include "include/anechoic/calls.h"
#include "bench/chase.h"
#include "boot/calls.h"
#include "include/anechoic/experiment.h"

#define ADDRESS(name) (uintptr_t) & name,
const uintptr_t kernel_calls[ANECHOIC_CALLS_N] = {ANECHOIC_CALLS(ADDRESS)};
