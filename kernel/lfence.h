/* Does LFENCE serialise on this processor? On AMD's families without it by nature, DE_CFG[1] of each core
 * decides. */
#pragma once
#include "kernel/controls.h"

/* id->lfence_set is what lfence_set() returned on that processor. Touches no register. */
bool lfence_serializes(const struct cpu_id *id);

/* On the processor itself: sets DE_CFG[1] if LFENCE depends on it. Returns whether it is set; *c remembers
 * what it was, for control_restore(). */
bool lfence_set(const struct cpu_id *id, struct control *c);
