/* The results of experiments (include/anechoic/experiment.h) into records. */
#pragma once
#include "measure/lab.h"
#include "report/emit.h"

/* The sink of an experiment on this machine with these options, until the next call. */
const struct lab_sink *emit_lab_sink(const struct machine *m, const struct options *opt);
