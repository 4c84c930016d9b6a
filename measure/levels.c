#include "measure/levels.h"
#include <stdio.h>
#include <string.h>

static const char *const suffix[] = {":u", ":k"};

/* The event at one level; false: it cannot be told to. */
static bool at_level(const struct pmu *pmu, const struct pmu_code *code, unsigned level, struct pmu_code *out)
{
    char word[PMU_NAME], why[8];
    const int n = snprintf(word, sizeof word, "%s%s", code->name, suffix[level]);
    return n < (int)sizeof word && pmu_event_parse(pmu, word, (size_t)n, out, why, sizeof why, NULL, 0) &&
           out->privilege == (level ? PRIVILEGE_KERNEL : PRIVILEGE_USER);
}

unsigned levels_add(struct options *opt, const struct pmu *pmu)
{
    unsigned whole = 0, n = opt->n_events;
    for (unsigned i = 0; i < n; i++) {
        struct pmu_code two[2];
        if (opt->event[i].privilege != PRIVILEGE_ANY) continue;
        if (n + 2 > EVENTS_MAX || !at_level(pmu, &opt->event[i], 0, &two[0]) ||
            !at_level(pmu, &opt->event[i], 1, &two[1])) {
            whole++;
            continue;
        }
        memmove(&opt->event[i + LEVEL_CODES], &opt->event[i + 1], (n - i - 1) * sizeof *opt->event);
        memcpy(&opt->event[i + 1], two, sizeof two);
        n += 2;
        i += 2;
    }
    opt->n_events = n;
    return whole;
}

static int measured_as(const struct measured *m, const struct pmu_code *code)
{
    for (unsigned i = 0; i < m->n; i++)
        if (pmu_code_same(m->event[i].code, code)) return (int)i;
    return -1;
}

void levels_derive(const struct pmu *pmu, const struct measured *m,
                   void (*out)(void *ctx, const struct levels *l), void *ctx)
{
    for (unsigned i = 0; i < m->n; i++) {
        const struct pmu_code *code = m->event[i].code;
        int at[2] = {-1, -1};
        if (code->privilege != PRIVILEGE_ANY) continue;
        for (unsigned k = 0; k < 2; k++) {
            struct pmu_code one;
            if (at_level(pmu, code, k, &one)) at[k] = measured_as(m, &one);
        }
        if (at[0] < 0 || at[1] < 0) continue;
        const double user = m->event[at[0]].value, kernel = m->event[at[1]].value, sum = user + kernel;
        const unsigned group = m->event[i].group;
        out(ctx, &(struct levels){.event = code->name,
                                  .user = user,
                                  .kernel = kernel,
                                  .both = m->event[i].value,
                                  .errata = code->errata,
                                  .share = sum > 0 ? user / sum : -1,
                                  .several_runs =
                                      group != m->event[at[0]].group || group != m->event[at[1]].group});
    }
}
