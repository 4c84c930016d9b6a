/* Machines with several processors, as their CPUID shows them: tests/unit/topology/NAME.txt. It needs
 * fake_hw.h.
 *
 * A file has the leaves of each kind of processor once, in the form of InstLatx64's dumps:
 *
 *     CPU 40-4E/2
 *     CPUID 00000004: FC004122-01C0003F-0000007F-00000000 [SL 01]
 *     CPU 10-11 18-19 node 1 like 40
 *
 * These are processors 40h, 42h, ... 4Eh; EAX to EDX of leaf 4, subleaf 1; and four processors with the
 * leaves of 40h, in node 1 (without "node": 0). Each processor's own ID and node are put in where the leaves
 * have them. CPU lines are in the order of the firmware's list. Bits that do not concern the topology are 0.
 * A file that is absent or wrong aborts, and the line is printed. */
#pragma once
#include "kernel/topology.h"
#include "tests/unit/fake_hw.h"

/* Reads each processor of the machine of this name and builds its topology. */
void fake_topology(const char *name, struct topology *t);

/* The same without topology_build(), for tests that change what is read. Returns how many processors it has.
 */
unsigned fake_processors(const char *name, struct topology_ids ids[PROCESSORS_MAX]);
void fake_build(struct topology *t, const struct topology_ids *ids, unsigned n);
