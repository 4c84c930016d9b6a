/* The user's modules: those that came with the boot, and the one that was loaded at the prompt. */
#pragma once
#include "boot/request.h"

/* Opens what the loader handed over, but for the event database; benchmarks with descriptors are loaded into
 * the end of the pool. What is not used is in m->module_fault. */
void modules_at_boot(struct machine *m);
bool modules_is_one(const struct boot_module *module); /* by its first bytes */

/* The CRC-32 of each module's bytes. After that processors are started, and the bytes are compared: one that
 * changed is in m->module_fault, and counts in m->modules_changed. Nothing may be measured then. */
void modules_sum(const struct bootinfo *boot, uint32_t sum[BOOT_MODULES]);
void modules_compare(struct machine *m, const uint32_t sum[BOOT_MODULES]);

/* All benchmarks: the kernel's own by name, then those of modules. */
void modules_list(struct options_context *to);

/* At the prompt: `bytes` of a file lie at the pool's beginning. It is verified as at the boot, and serves
 * bench= from then on; the pool is smaller by what it takes at its end. One that was loaded before it is
 * closed first, and its memory is the pool's again, also if this one is refused, which is an error record.
 * name: for people. */
void modules_load(struct session *s, const char *name, size_t bytes);
