/* The i-th item of a plan, which must have it. */
#pragma once
#include "measure/plan.h"
#include "tests/unit/unit.h"

static inline const struct plan_item *plan_at(const struct plan *plan, unsigned i)
{
    static struct plan_cursor at;
    at = (struct plan_cursor){.line = 0};
    for (unsigned k = 0; k <= i; k++)
        if (!plan_next(plan, &at)) fail_msg("no item %u", i);
    return &at.item;
}
