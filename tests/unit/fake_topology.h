/* Machines with several processors, as their CPUID shows them. It needs fake_hw.h. */
#pragma once
#include "kernel/topology.h"
#include "tests/unit/fake_hw.h"

/* Read each processor of the machine of this name (fake_topology.c has them) and build its topology. An
 * unknown name aborts. */
void fake_topology(const char *name, struct topology *t);

/* The same before topology_build(), for tests that change what is read. Returns how many processors it has.
 */
unsigned fake_processors(const char *name, struct topology_ids ids[PROCESSORS_MAX]);
void fake_build(struct topology *t, const struct topology_ids *ids, unsigned n);
