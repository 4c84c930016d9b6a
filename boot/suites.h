/* The suites: truth, tags, cascades, and the article's page. */
#pragma once
#include "measure/options.h"

/* Run those that were requested on the processor that is measured (boot/items.h): one, or the article's tags,
 * cascades and two throughputs. */
void run_suites(const struct options *opt);
