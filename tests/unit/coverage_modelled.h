/* Whether the model has an event, family by family: it is programmed, and sim_unmodelled() asked. */
#pragma once
#include "sim/core.h"
#include "tests/unit/coverage_lists.h"
#include <stdbool.h>

/* True: it is modelled. */
typedef bool modelled_fn(struct sim *s, const struct event *e);
modelled_fn arch_modelled, amd_modelled, p5_modelled, p6_modelled, netburst_modelled;
