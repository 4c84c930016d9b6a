#include "tests/unit/database_drive.h"
#include "pmu/amd.h"
#include "pmu/arch.h"
#include "pmu/database.h"
#include "pmu/perfmon.h"
#include "tests/unit/unit.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint8_t *file;
size_t size;
char why[200], near[200];
struct pmu_code code;

static char directory[256];

void find_build(const char *program)
{
    const char *slash = strrchr(program, '/');
    snprintf(directory, sizeof directory, "%.*s/..", slash ? (int)(slash - program) : 1,
             slash ? program : ".");
}

void *load(const char *name, size_t *bytes)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *f = fopen(path, "rb");
    if (!f) fail_msg("%s is missing", path);
    fseek(f, 0, SEEK_END);
    *bytes = (size_t)ftell(f);
    rewind(f);
    char *data = malloc(*bytes + 1);
    assert_int_equal(fread(data, 1, *bytes, f), *bytes);
    data[*bytes] = '\0';
    fclose(f);
    return data;
}

int open_it(void **state)
{
    (void)state;
    uint8_t *data = load("events.db", &size);
    file = malloc(size);
    memcpy(file, data, size);
    free(data);
    if (!db_open(file, size, why, sizeof why)) fail_msg("%s", why);
    return 0;
}

int close_it(void **state)
{
    (void)state;
    db_open(NULL, 0, why, sizeof why);
    free(file);
    return 0;
}

struct pmu cpu_of(const char *database, const struct pmu_ops *ops)
{
    struct pmu pmu = {.ops = ops, .model = "test", .counters = 8, .width = 48, .database = database};
    pmu.words = ops == &pmu_arch_ops ? &pmu_words_arch : &pmu_words_zen;
    for (unsigned i = 0; i < PMU_COUNTERS; i++) pmu.rdpmc_index[i] = i;
    pmu.perfmon.general = 8;
    if (ops != &pmu_arch_ops) return pmu;
    pmu.any_thread = true;
    pmu.perfmon.constraints = pmu_arch_constraints_named(database);
    pmu.counters = 12;
    for (unsigned i = 0; i < 4; i++) pmu.rdpmc_index[8 + i] = 0x40000000u + i;
    return pmu;
}

bool parse(const struct pmu *pmu, const char *word)
{
    return pmu_event_parse(pmu, word, strlen(word), &code, why, sizeof why, near, sizeof near);
}
