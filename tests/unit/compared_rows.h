/* Comparisons for tests of `anechoic compare`: rows, and what the boots of each side had. */
#pragma once
#include "host/compare.h"
#include "unit.h"
#include <stdlib.h>
#include <string.h>

#define LENGTH(a) (sizeof(a) / sizeof *(a))

static const struct judging usual = {.margin = 0.01, .fail_over = -1};

static inline struct compared *add_row(struct comparison *c, const char *event)
{
    c->row = realloc(c->row, (c->n + 1) * sizeof *c->row);
    assert_non_null(c->row);
    struct compared *row = &c->row[c->n++];
    *row = (struct compared){
        .id = json_object(), .label = strdup("row"), .event = event, .doubts = json_object()};
    return row;
}

/* What the boots had; spread: their repetitions varied. */
static inline void boots(struct compared *row, enum side side, const double *value, size_t n, bool spread)
{
    struct measured *m = &row->side[side];
    m->value = malloc(n * sizeof *m->value);
    assert_non_null(m->value);
    memcpy(m->value, value, n * sizeof *m->value);
    m->n = n;
    m->spread = spread;
    m->unit = json_null();
    m->shape = json_object();
}

#define BOOTS(row, side, spread, ...) \
    boots(row, side, (const double[]){__VA_ARGS__}, LENGTH(((const double[]){__VA_ARGS__})), spread)
