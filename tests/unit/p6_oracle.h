/* What the oracle calls unmodelled on a P6, in a test. */
#pragma once
#include "tests/unit/p6_drive.h"
#include <stdio.h>
#include <string.h>

/* The oracle's line, kept. */
static char line[32768];
static inline void keep(void *ctx, const char *text)
{
    (void)ctx;
    snprintf(line, sizeof line, "%s", text);
}

/* Program it, retire a mixture, and see whether the oracle calls it unmodelled, under which name. */
static inline const char *unmodelled(struct sim *s, unsigned n, uint32_t select)
{
    static char name[64];
    wr(s, SEL0, 0);
    wr(s, SEL1, 0);
    sim_oracle_begin(s, "x");
    program(s, n, select);
    retire(s, 3, OP_BRANCH | OP_TAKEN, 0);
    sim_oracle_end(s, keep, NULL, NULL);
    const char *list = strstr(line, "\"unmodelled\":[");
    assert_non_null(list);
    if (sscanf(list, "\"unmodelled\":[\"%63[^\"]\"", name) != 1) return NULL;
    assert_int_equal(rd(s, CTR0 + n), 0); /* it says so, and does not move */
    return name;
}
