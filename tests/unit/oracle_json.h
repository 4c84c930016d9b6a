/* The oracle's line in a test, parsed. */
#pragma once
#include "sim/sim.h"
#include "tests/unit/unit.h"
#include <jansson.h>

static inline void parse_line(void *ctx, const char *text)
{
    json_t **line = ctx;
    *line = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(*line);
}

/* sim_oracle_end(): the line, for json_decref(). */
static inline json_t *oracle_line(struct sim *s)
{
    json_t *line = NULL;
    sim_oracle_end(s, parse_line, &line, NULL);
    assert_non_null(line);
    return line;
}
