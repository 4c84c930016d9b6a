/* Figures of a published experiment beside ours: the record `experiment` of docs/records.md. */
#pragma once
#include "measure/experiment.h"

void emit_experiment(const struct experiment *e, enum origin origin);

/* From the first on experiments (up to 32) wait, so that the second emits them all on one page. What else
 * their strings are but the event's and the note's must stay. */
void experiments_hold(void);
void experiments_release(void);
