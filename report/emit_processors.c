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
        const int len = last == i ? snprintf(one, sizeof one, "%s%lu", i ? "," : "", (unsigned long)from)
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
    if (m->clock.tsc_hz) PUT(r, processors, start_ms, (double)m->start_ticks * 1e3 / (double)m->clock.tsc_hz);
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

/* "1-3,7": the indices of those that have it. */
static unsigned having(const struct machine *m, bool (*has)(const struct cpu *), char *text, size_t cap)
{
    size_t n = 0;
    unsigned all = 0;
    for (unsigned i = 1, last; i < m->cpus; i = last + 1) {
        last = i;
        if (!has(m->cpu[i])) continue;
        while (last + 1 < m->cpus && has(m->cpu[last + 1])) last++;
        all += last - i + 1;
        if (n < cap) n += (size_t)snprintf(text + n, cap - n, "%s%u", n ? "," : "", i);
        if (n < cap && last > i) n += (size_t)snprintf(text + n, cap - n, "-%u", last);
    }
    return all;
}

static bool other_mtrrs(const struct cpu *cpu) { return cpu->mtrrs_differed != 0; }
static bool other_pat(const struct cpu *cpu) { return cpu->pat_differed; }
static bool interrupts_left(const struct cpu *cpu) { return cpu->apic.left != 0; }

/* What the firmware, or INIT, had left in another way than on the processor that booted. */
static void differences(const struct machine *m)
{
    static const struct {
        bool (*has)(const struct cpu *cpu);
        const char *what;
    } kinds[] = {
        {other_mtrrs, "had other values in their MTRRs than the one that booted; they now have the same"},
        {other_pat, "had another page attribute table than the one that booted; they now have the same"},
        {interrupts_left,
         "had interrupts in service or pending in their local APICs; these were acknowledged"},
    };
    char who[160];
    for (unsigned k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        const unsigned n = having(m, kinds[k].has, who, sizeof who);
        if (n) report_note("processors", "%u of them (%s) %s", n, who, kinds[k].what);
    }
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
    differences(m);
}
