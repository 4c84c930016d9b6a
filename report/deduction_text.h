/* What was deduced, in words. */
#pragma once
#include "measure/deduce.h"
#include <stddef.h>

#define DEDUCTION_TEXT 200 /* bytes that hold either */

/* The conclusion: "8 lines map to one set of a 4-way cache: ...". Returns buf. */
const char *deduction_text(const struct deduction *d, char *buf, size_t cap);

/* That the profile may be one-sided, and what to do; NULL: nothing speaks for that. */
const char *deduction_warning(const struct deduction *d, char *buf, size_t cap);
