/* Fields of a record. One that has another type than the catalogue says (report/schema.def) is as good as
 * absent.
 */
#pragma once
#include <jansson.h>
#include <stdbool.h>

const char *text_of(const json_t *o, const char *key);       /* "" where there is none */
double number_of(const json_t *o, const char *key);          /* NaN where there is none */
unsigned long long hex_of(const json_t *o, const char *key); /* of "0x1f"; 0 where there is none */
double integer_value(const json_t *v); /* an integer, or the text of a large one; else NaN */

/* Does `flags` have it, or one of several: "emulated|modelled"? */
bool flag_of(const json_t *o, const char *flags);

/* "bytes=4096 lines=8": the parameters of a benchmark, but for `without` (may be NULL). To be freed; NULL: no
 * memory. */
char *params_of(const json_t *o, const char *without);
