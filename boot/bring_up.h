/* Bring-up: from a processor as the loader left it to a complete struct machine. Nothing here prints or ends
 * the session; what is missing is told by boot/notes.c, from what the machine says of it. */
#pragma once
#include "kernel/machine.h"

/* All that no word of the command line decides, but for apic=on (enable_apic). m->boot is filled in already.
 * Returns NULL, or what the kernel cannot do without and this CPU lacks: "CPUID", ... */
const char *bring_up(struct machine *m, bool enable_apic);

/* The rest, when the words are known: controls that are to be off, then the clocks. tsc_hz: 0 = find it out.
 */
void bring_up_as_told(struct machine *m, const bool off[CONTROLS], uint64_t tsc_hz);
