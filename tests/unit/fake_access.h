/* What monitor/access.c has, for host tests: memory at one place, control registers, ports of fake_hw.h. What
 * is not there faults as on the machine: #PF of memory, #GP of a control register's reserved bits. */
#pragma once
#include "monitor/access.h"

/* Memory: FAKE_MEMORY_BYTES from FAKE_MEMORY on, of which the second half cannot be written. */
#define FAKE_MEMORY       0x100000u
#define FAKE_MEMORY_BYTES 0x1000u
extern uint8_t fake_memory_bytes[FAKE_MEMORY_BYTES];

extern uint64_t fake_control[9];              /* CR0, 2, 3, 4, 8 */
#define FAKE_CR0_RESERVED 0xffffffff00000000u /* SDM vol. 3A 2.5: bits 63:32 of CR0 */
extern unsigned fake_cr_writes;               /* that were not refused */
void fake_access_reset(
    void); /* memory is 0; CR0 has PE, WP and PG, CR3 is 1000h, CR4 has PSE, PAE and OSFXSR */
