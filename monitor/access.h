/* Accesses that may fault, for the monitor's commands: each is under a guard, and says which trap ended it.
 */
#pragma once
#include "kernel/trap.h"

#define ACCESS_WIDEST (sizeof(void *)) /* bytes that one access to memory takes */

/* Memory, by its linear address; width 1, 2, 4 or, where ACCESS_WIDEST is 8, 8 bytes. False: *t says why not.
 */
bool access_peek(uint64_t address, unsigned width, uint64_t *value, struct trap *t);
bool access_poke(uint64_t address, unsigned width, uint64_t value, struct trap *t);

/* Control register 0, 2, 3, 4 or, in 64-bit mode, 8. */
bool access_read_cr(unsigned n, uint64_t *value, struct trap *t);
bool access_write_cr(unsigned n, uint64_t value, struct trap *t);

/* I/O ports; width 1, 2 or 4. At CPL 0 they cannot fault. */
uint32_t access_in(uint16_t port, unsigned width);
void access_out(uint16_t port, unsigned width, uint32_t value);

/* The i-th register of a list of those that say how the processor is set up: its name and value. False: there
 * are no more. */
bool access_register(unsigned i, const char **name, uint64_t *value);
