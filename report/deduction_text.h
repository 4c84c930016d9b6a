/* The deduction, in words. */
#pragma once
#include "measure/deduce.h"
#include <stddef.h>

#define DEDUCTION_TEXT 200 /* bytes sufficient for either */

/* The conclusion: "8 lines map to one set of a 4-way cache: ...". Returns buf. */
const char *deduction_text(const struct deduction *d, char *buf, size_t cap);

/* A warning that the profile may be one-sided, with a remedy; NULL: there is no sign of that. */
const char *deduction_warning(const struct deduction *d, char *buf, size_t cap);
