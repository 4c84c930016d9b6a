/* Figures of a published experiment and ours: the record `experiment` of docs/records.md. */
#pragma once
#include "measure/experiment.h"

void emit_experiment(const struct experiment *e, enum origin origin);

/* After the first call experiments (up to 32) are held; the second call emits all of them on one page. Their
 * strings, except the event's and the note's, must stay valid. */
void experiments_hold(void);
void experiments_release(void);
