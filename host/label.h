/* What a record is of, in words: "fp_add_latency x87 n=1000 ring=3". */
#pragma once
#include <jansson.h>

/* Benchmark or program, variant, parameters; ring and CPU where they are not 0; region; "occurrence" where it
 * is there; what ran beside it. The caller frees it; NULL: no memory. */
char *label_of(const json_t *o);

/* What ran beside it, "l1_miss bytes=65536 @1, ...", without its rounds, which differ from boot to boot; "":
 * nothing did. The caller frees it; NULL: no memory. */
char *beside_of(const json_t *o);
