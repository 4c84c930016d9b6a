/* Where AMD's Instruction-Based Sampling interrupts: an entry of the local APIC's extended table, which
 * MSR C001103Ah names, or on family 10h a register of the node, F3x1CC (Linux, setup_ibs_ctl()).
 *
 * The firmware assigns it, but on family 10h none does (Linux, events/amd/ibs.c, ibs_eilvt_setup()). There
 * each node's PCI function 3 is told, by the first processor that samples; the last one takes it back. */
#pragma once
#include "kernel/machine.h"

#define IBS_NODES 8 /* PCI devices 18h to 1Fh of bus 0 */

struct ibs_entry {
    unsigned n; /* of the extended table */
    bool told;  /* it uses what the nodes were told */
};

/* For the processor on which this runs. Returns NULL, or why it cannot interrupt. */
const char *ibs_entry_find(const struct cpu *cpu, struct ibs_entry *entry);

/* What nodes were told is taken back, unless another processor uses it. Also of one that is all zero. */
void ibs_entry_release(struct ibs_entry *entry);
