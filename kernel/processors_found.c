/* The list of processors, whoever gives it. */
#include "kernel/madt.h"
#include <stddef.h>

static struct processor_found *by_id(struct processors_found *out, uint32_t id)
{
    for (unsigned i = 0; i < out->n; i++)
        if (out->p[i].apic_id == id) return &out->p[i];
    return NULL;
}

/* Some tables have both for a processor, in types 0 and 9 side by side. */
void processors_add(struct processors_found *out, uint32_t id, bool enabled)
{
    const enum processor_state state = enabled ? PROCESSOR_LISTED : PROCESSOR_DISABLED;
    struct processor_found *there = by_id(out, id);
    if (there && state == PROCESSOR_LISTED && there->state == PROCESSOR_LISTED) out->doubles++;
    if (there && state == PROCESSOR_LISTED) there->state = state;
    if (there) return;
    if (out->n < PROCESSORS_MAX)
        out->p[out->n++] = (struct processor_found){.apic_id = id, .state = state};
    else
        out->dropped += state == PROCESSOR_LISTED;
}

unsigned processors_usable(const struct processors_found *f, uint32_t boot_id)
{
    unsigned n = 1;
    for (unsigned i = 0; i < f->n; i++)
        n += f->p[i].state != PROCESSOR_DISABLED && f->p[i].apic_id != boot_id;
    return n < PROCESSORS_MAX ? n : PROCESSORS_MAX;
}
