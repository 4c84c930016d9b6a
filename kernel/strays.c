#include "kernel/repeated.h"
#include "kernel/trap.h"

REPEATED uint32_t strays_so_far(const volatile uint32_t *counted) { return *counted; }
