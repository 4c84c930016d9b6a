/* Bring-up: from a processor as the loader left it to a complete struct machine. Nothing here prints or ends
 * the session; boot/notes.c reports missing parts from struct machine. */
#pragma once
#include "kernel/machine.h"

/* Everything that does not depend on the command line, except apic=on (enable_apic). m->boot is filled in
 * already. Returns NULL, or the name of a feature that the kernel needs and this CPU lacks: "CPUID", ... */
const char *bring_up(struct machine *m, bool enable_apic);

/* The rest, when the words are known: switches controls off, then measures the clocks. tsc_hz: 0 = measure
 * it.
 */
void bring_up_as_told(struct machine *m, const bool off[CONTROLS], uint64_t tsc_hz);

/* The other processors: as many as opt->processors says, each identified by itself. */
struct options;
void bring_up_others(struct machine *m, const struct options *opt);
