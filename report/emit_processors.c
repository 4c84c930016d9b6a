/* Which processors run, and why others do not. */
#include "report/emit_processors.h"
#include "kernel/processors.h"
#include "report/put.h"
#include <stdio.h>

/* "0-7,16,18": the APIC IDs of those that run, in their order. What has no room is left out. */
static void ids(const struct machine *m, char *text, size_t cap)
{
    size_t n = 0;
    for (unsigned i = 0, last; i < m->cpus; i = last + 1) {
        const uint32_t from = m->cpu[i]->apic.id;
        for (last = i; last + 1 < m->cpus && m->cpu[last + 1]->apic.id == from + last + 1 - i;) last++;
        char one[24];
        const int len = last == i
                            ? snprintf(one, sizeof one, "%s%lu", i ? "," : "", (unsigned long)from)
                            : snprintf(one, sizeof one, "%s%lu-%lu", i ? "," : "", (unsigned long)from,
                                       (unsigned long)(from + last - i));
        if (n + (size_t)len >= cap) return;
        n += (size_t)snprintf(text + n, cap - n, "%s", one);
    }
}

static bool came_to_nothing(enum processor_state s) { return s >= PROCESSOR_BEYOND; }

static void why_not(struct record *r, const struct processors_found *f)
{
    unsigned named = 0, more = 0;
    OPEN(r, processors, not_up);
    for (unsigned i = 0; i < f->n; i++) {
        const struct processor_found *p = &f->p[i];
        if (!came_to_nothing(p->state)) continue;
        if (named++ >= PROCESSORS_NAMED) {
            more++;
            continue;
        }
        rec_object(r, NULL);
        PUT(r, not_up, apic_id, p->apic_id);
        PUT(r, not_up, why, processor_state_word(p->state));
        if (p->state == PROCESSOR_OTHER_ID) PUT(r, not_up, answered, p->answered);
        if (p->state == PROCESSOR_FAULTED) PUT(r, not_up, vector, p->answered);
        rec_close(r);
    }
    rec_close(r);
    if (more) PUT(r, processors, more, more);
}

void emit_processors(const struct machine *m, enum rest rest, unsigned asked)
{
    const struct processors_found *f = &m->found;
    unsigned disabled = 0;
    char text[PROCESSOR_IDS_TEXT] = "";
    for (unsigned i = 0; i < f->n; i++) disabled += f->p[i].state == PROCESSOR_DISABLED;
    ids(m, text, sizeof text);
    struct record *r = NEW(processors);
    PUT(r, processors, source, f->source);
    PUT(r, processors, asked, asked);
    PUT(r, processors, up, m->cpus);
    PUT(r, processors, usable, processors_usable(f, m->cpu[0]->apic.id));
    PUT(r, processors, disabled, disabled);
    PUT(r, processors, apic_ids, text);
    PUT(r, processors, rest, rest_name(rest));
    PUT(r, processors, bytes_each, PROCESSOR_BYTES);
    PUT(r, processors, start_tsc, m->start_ticks);
    if (m->clock.tsc_hz)
        PUT(r, processors, start_ms, (double)m->start_ticks * 1e3 / (double)m->clock.tsc_hz);
    why_not(r, f);
    record_emit(r);
}

static void one(const struct processor_found *p)
{
    const char *text = processor_state_text(p->state);
    if (p->state == PROCESSOR_OTHER_ID)
        report_note("processors", "the processor with APIC ID %lu is not used: %s, %lu",
                    (unsigned long)p->apic_id, text, (unsigned long)p->answered);
    else if (p->state == PROCESSOR_FAULTED)
        report_note("processors", "the processor with APIC ID %lu is not used: %s, by %s",
                    (unsigned long)p->apic_id, text, trap_name(p->answered));
    else
        report_note("processors", "the processor with APIC ID %lu is not used: %s", (unsigned long)p->apic_id,
                    text);
}

/* The firmware has set this one up in another way than the one that booted. */
static void differences(const struct cpu *cpu)
{
    if (cpu->mtrrs_differed)
        report_note("processors",
                    "processor %u (APIC ID %lu) had other values than the one that booted in %u of its MTRRs; "
                    "it now has the same",
                    cpu->index, (unsigned long)cpu->apic.id, cpu->mtrrs_differed);
    if (cpu->pat_differed)
        report_note("processors",
                    "processor %u (APIC ID %lu) had another page attribute table than the one that booted; it "
                    "now has the same",
                    cpu->index, (unsigned long)cpu->apic.id);
    if (cpu->apic.left)
        report_note("processors",
                    "processor %u: %u interrupts were still in service or pending in its local APIC; they were "
                    "acknowledged",
                    cpu->index, cpu->apic.left);
}

void tell_processors(const struct machine *m)
{
    const struct processors_found *f = &m->found;
    unsigned named = 0, more = 0;
    if (f->fault) report_note("processors", "the firmware's list of processors is damaged: %s", f->fault);
    if (f->doubles)
        report_note("processors", "the firmware lists %u processors more than once; each counts once",
                    f->doubles);
    if (f->dropped)
        report_note("processors", "the firmware lists %u processors more than this kernel uses (%u)",
                    f->dropped, PROCESSORS_MAX);
    for (unsigned i = 0; i < f->n; i++) {
        if (!came_to_nothing(f->p[i].state)) continue;
        if (named++ < PROCESSORS_NAMED)
            one(&f->p[i]);
        else
            more++;
    }
    if (more) report_note("processors", "%u more are not used", more);
    for (unsigned i = 1; i < m->cpus; i++) differences(m->cpu[i]);
}
