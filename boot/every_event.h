/* events=all: a plan item with every event of the processor, up to EVENTS_MAX at a time. */
#pragma once
#include "measure/options.h"

/* Notes say how many events there are, how many were passed over and why, how far it is, and how many the
 * model lacks. The batches are runs of one item: their groups count on. False: one failed; the others are not
 * run then. */
bool measure_every_event(const struct options *opt, const struct plan_item *item);
