#include "tests/unit/chosen_arm.h"
#include "kernel/hw.h"
#define hw_rdpmc_select chosen
#include "measure/arm.c"
