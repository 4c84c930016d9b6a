#include "tests/unit/drive_pmu.h"
#include "tests/unit/unit.h"
#include <string.h>

struct pmu pmu;
char why[160];

void probe(const struct cpu_id *id)
{
    if (!pmu_probe(id, &pmu)) fail_msg("no driver knows family %u, model %u", id->family, id->model);
}

struct pmu_code code(const char *word)
{
    struct pmu_code c;
    char reason[160], near[128];
    if (!pmu_event_parse(&pmu, word, strlen(word), &c, reason, sizeof reason, near, sizeof near))
        fail_msg("%s: %s", word, reason);
    return c;
}

bool program(const struct pmu_code *const codes[PMU_COUNTERS])
{
    why[0] = '\0';
    return pmu.ops->program(&pmu, codes, why, sizeof why);
}
