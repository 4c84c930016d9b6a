/* Exchanges of messages between the first processor and another one, which bound the difference of their time
 * stamps (measure/skew.h). */
#pragma once
#include "experiments/several.h"
#include "measure/skew.h"

struct exchange;

/* So many exchanges at a time. */
struct exchange *exchange_open(struct lab *lab, unsigned exchanges);

/* With this processor; *at: when, by the first one's TSC. The offset is its TSC less the first one's. Ends
 * the experiment where it does not answer. */
struct skew exchange_with(struct lab *lab, struct exchange *x, unsigned cpu, uint64_t *at);
