/* How a processor may rest: not in MWAIT, if a store to the monitored line may fail to end it. */
#pragma once
#include "kernel/cpuid.h"

/* Returns NULL if MWAIT ends with a store, else why not: "this CPU has no MWAIT", "... (erratum ICX143)". */
const char *rest_mwait_fault(const struct cpu_id *id);

/* The default on a real machine: MWAIT on Intel's and AMD's processors, if it works. */
bool rest_prefers_mwait(const struct cpu_id *id);
