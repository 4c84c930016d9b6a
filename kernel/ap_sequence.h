/* The start of processors, as the boot processor sees it: what it sends, for how long it waits, and what it
 * makes of the answer. */
#pragma once
#include "kernel/apic.h"
#include "kernel/clock.h"
#include "kernel/madt.h"

#define INIT_US      10000u   /* from INIT to STARTUP (MP specification 1.4, B.4) */
#define STARTUP_US   200u     /* from one STARTUP to the next */
#define ANSWER_US    1000000u /* an emulator gives each processor its turn only now and then */
#define IMPATIENT_US 100000u  /* when some have not answered already */
#define SILENT_FEW   3u
#define READY_US     10000000u /* from the answer on */

/* What a processor that starts uses (kernel/ap_start.S). Below 4 GiB. */
extern volatile uint32_t ap_stack;     /* of the one that starts; whoever takes it leaves 0 */
extern volatile uint32_t ap_uninvited; /* how many found none */

/* INIT to the first n from f->p[from] on that are PROCESSOR_LISTED, and one wait. Returns the index after the
 * last of them. No others get it: whatever the firmware lets them do, they go on with. */
unsigned ap_init(const struct apic *a, const struct clock *clock, const struct processors_found *f,
                 unsigned from, unsigned n);

/* INIT to one: whatever it was executing, it waits for STARTUP. */
void ap_stop(const struct apic *a, uint32_t id);

/* STARTUP to one of them, to begin in this page, again where it does not answer; then wait until *state,
 * which it sets to UP or FAULTED, is no longer LISTED. Returns UP, SILENT, STUCK, TWICE or FAULTED. Unless it
 * is up it has been stopped, so that it does not come later. */
enum processor_state ap_start(const struct apic *a, const struct clock *clock, uint32_t id, uint32_t page,
                              uint32_t stack, uint32_t answer_us, const volatile enum processor_state *state);
