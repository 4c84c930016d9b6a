#include "boot/where.h"
#include "boot/bring_up.h"
#include "boot/notes.h"
#include "pmu/pmu.h"
#include "report/emit.h"
#include "report/emit_processors.h"
#include <string.h>

static bool refuse(const char *word, const struct text_part *value, const char *why)
{
    report_error("command line", "%s%.*s: %s", word, value ? (int)value->len : 0, value ? value->s : "", why);
    return false;
}

static bool same_kind(const struct cpu *a, const struct cpu *b)
{
    return a->id.signature == b->id.signature && a->id.f1a_eax == b->id.f1a_eax &&
           a->pmu->ops == b->pmu->ops && a->pmu->usable == b->pmu->usable && a->microcode == b->microcode &&
           memcmp(a->caches.c, b->caches.c, sizeof a->caches.c) == 0;
}

/* A processor that the user named, and that is listed but not up, has a note that says why. */
static bool neighbours_there(const struct machine *m, const struct options *opt, const struct cpu_set *where)
{
    for (unsigned i = 0; i < opt->n_with; i++) {
        const struct load *w = &opt->with[i];
        if (w->cpu >= m->cpus) {
            report_error("command line", "with=%s@%u: no such processor; this machine has 0-%u",
                         w->bench->program.name, w->cpu, m->cpus - 1);
            return false;
        }
        if (cpu_set_has(where, w->cpu)) {
            report_error("command line",
                         "with=%s@%u: this processor is measured itself; another one behind @, "
                         "or another cpu=",
                         w->bench->program.name, w->cpu);
            return false;
        }
    }
    return true;
}

static void ignore(void *ctx, const struct text_part *event)
{
    (void)event;
    ++*(unsigned *)ctx;
}

/* An event that no processor knows that is measured is a wrong word. */
static bool events_known(const struct machine *m, const struct options *opt, const struct cpu_set *where)
{
    static struct options one;
    for (unsigned e = 0; opt->elsewhere && e < opt->n_event_words; e++) {
        bool known = false;
        one = *opt;
        one.event_word[0] = opt->event_word[e];
        one.n_event_words = 1;
        for (unsigned i = cpu_set_next(where, 0); i < PROCESSORS_MAX && !known;
             i = cpu_set_next(where, i + 1)) {
            unsigned lacks = 0;
            options_elsewhere(&one, m->cpu[i]->pmu, ignore, &lacks, &one);
            known = !lacks || pmu_word_named(m->cpu[i]->pmu, one.event_word[0].s, one.event_word[0].len);
        }
        if (!known)
            return refuse("events=", &opt->event_word[e],
                          "no processor of cpu= knows this event; events=list shows all");
    }
    return true;
}

bool where_to_measure(const struct machine *m, const struct options *opt, struct cpu_set *out)
{
    char why[160];
    memset(out, 0, sizeof *out);
    cpu_set_add(out, 0);
    if (m->modules_changed) {
        report_error("kernel",
                     "%u modules changed in memory while processors were started; nothing was measured. Boot "
                     "with cpus=1",
                     m->modules_changed);
        return false;
    }
    if (opt->paired) {
        if (m->cpus > 1) return true;
        return refuse("pair=", NULL,
                      "a pair needs two processors, and one runs; Hyper-Threading may be off in "
                      "the firmware's setup");
    }
    if (opt->cpus_measured.s &&
        !topology_select(&m->topology, opt->cpus_measured.s, opt->cpus_measured.len, out, why, sizeof why))
        return refuse("cpu=", NULL, why);
    return neighbours_there(m, opt, out) && events_known(m, opt, out);
}

void tell_others(const struct machine *m, unsigned asked)
{
    emit_processors(m, m->rest, asked);
    for (unsigned i = 1, k; i < m->cpus; i++) {
        for (k = 0; k < i && !same_kind(m->cpu[i], m->cpu[k]);) k++;
        if (k == i) emit_cpu(m->cpu[i]);
    }
    tell_processors(m);
}

void bring_up_and_tell_others(struct machine *m, const struct options *opt)
{
    unsigned told = m->module_faults;
    bring_up_others(m, opt);
    for (; told < m->module_faults; told++) emit_module_fault(&m->module_fault[told]);
    tell_others(m, opt->processors);
    emit_topology(&m->topology);
}
