/* bench=article: B. Sprunt's article (IEEE Micro 22(4), 2002), all of its figures beside ours on one page. */
#pragma once
#include "measure/truth.h"
#include "report/emit.h"

/* After experiments_hold() and the experiments: what else the article has, and the page. */
void emit_article(const struct system *sys, const struct truth_totals *tags,
                  const struct truth_totals *cascades);
