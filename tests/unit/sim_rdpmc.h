/* RDPMC and RDMSR of a bracket, on the PMU model: the host does not let programs execute them, so the fault
 * is caught, and the reading is what the model's counter has. The time stamp is the host's own. */
#pragma once
#include "tests/unit/sim_hw.h"

/* Catch them from now on. */
void sim_rdpmc_catch(void);

extern unsigned sim_rdpmc_reads; /* how many there were */
