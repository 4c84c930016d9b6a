#include "host/machine.h"
#include "host/to_record.h"
#include "host/values.h"
#include "report/text.h"
#include <stdlib.h>
#include <string.h>

#define NAME_MAX_BYTES 240

char *machine_of(const json_t *boot, const json_t *cpu, bool modelled)
{
    const char *model = text_of(boot, "modelled");
    char *name = malloc(NAME_MAX_BYTES);
    if (!name) abort();
    if (!*model && modelled) { /* a capture before the record had that field */
        const char *pmu = text_of(json_object_get(cpu, "pmu"), "model");
        model = *pmu ? pmu : "unknown CPU";
    }
    text_machine_name(name, NAME_MAX_BYTES, text_of(boot, "platform"), model,
                      cpu ? to_record((json_t *)(uintptr_t)cpu) : record_new("cpu"));
    return name;
}
