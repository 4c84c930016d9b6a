/* A judged comparison as a table. */
#pragma once
#include "host/compare.h"
#include "host/table.h"

/* changed_only: without the rows that are the same. False: no memory. */
bool comparison_print(const struct comparison *c, const struct judging *how, bool changed_only,
                      enum table_format format, FILE *to);
