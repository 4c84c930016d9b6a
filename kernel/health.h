/* What a processor says about itself that may explain a number: its microcode, and whether it was throttled.
 */
#pragma once
#include "kernel/cpuid.h"

/* How far such a register can be believed: an emulator answers 0 for one that it does not know. */
enum known { KNOWN, KNOWN_UNMODELLED, KNOWN_ABSENT };
const char *known_text(enum known k); /* "unmodelled", "absent"; NULL: it is known */

/* The revision of the microcode. Intel from the P6 on: IA32_BIOS_SIGN_ID (SDM vol. 3A 10.11.7.1); AMD from
 * family 0Fh on: the patch level (PPR, MSR0000_008B). emulated: there is none to be had. */
enum known microcode_read(const struct cpu_id *id, bool emulated, uint32_t *revision);

/* IA32_CLOCK_MODULATION, 19Ah (SDM vol. 3B 15.8.3): the firmware may let the clock run for a part of the time
 * only. Cycles are then counted in that part, and the TSC goes on. Returns the part in sixteenths, 1 to 15;
 * 0: it is off, absent, or not a register of silicon. */
unsigned clock_modulation_read(const struct cpu_id *id, bool silicon);

/* IA32_THERM_STATUS, 19Ch (SDM vol. 3B 15.8.2.5, figure 15-26): what has slowed this core. Log bits stay set
 * until software clears them. */
#define THROTTLE_THERMAL       (1u << 1)
#define THROTTLE_PROCHOT       (1u << 3)
#define THROTTLE_CRITICAL      (1u << 5)
#define THROTTLE_POWER_LIMIT   (1u << 11)
#define THROTTLE_CURRENT_LIMIT (1u << 13)
#define THROTTLE_CROSS_DOMAIN  (1u << 15)

/* The log bits of this CPU that are set. real: on silicon; else it is KNOWN_UNMODELLED in an emulator and
 * KNOWN_ABSENT under a hypervisor, whichever the CPUID bits are. *logs is 0 unless KNOWN. */
enum known throttle_read(const struct cpu_id *id, bool emulated, bool hypervisor, uint32_t *logs);

/* Clear them, so that those which are set later are of that time. */
void throttle_clear(const struct cpu_id *id);

/* The i-th kind of throttling among the logs: "thermal", "prochot", ...; NULL: there are no more. */
const char *throttle_name(uint32_t logs, unsigned i);
