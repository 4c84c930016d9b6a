/* What an experiment lets other processors do. */
#include "measure/elsewhere.h"
#include "measure/lab.h"
#include "measure/lab_events.h"
#include "measure/watchdog.h"
#include <stdio.h>
#include <string.h>

#define SLICES_A_SECOND 20          /* Ctrl-C is heard between them */
#define UNKNOWN_HZ      1000000000u /* for time-outs only */

/* ---- which ones, and how long ---- */

static const struct cpu *processor(const struct lab_work *w, unsigned cpu)
{
    return w->cpu->machine->cpu[w->processor[cpu]];
}

static uint64_t hz_of(const struct lab_work *w) { return w->lab.tsc_hz ? w->lab.tsc_hz : UNKNOWN_HZ; }

unsigned lab_processor(const struct lab *lab, unsigned cpu)
{
    return ((const struct lab_work *)(const void *)lab)->processor[cpu];
}

uint64_t lab_patience(const struct lab *lab)
{
    const struct lab_work *w = (const struct lab_work *)(const void *)lab;
    return w->opt->limit ? hz_of(w) * w->opt->limit / 2 : UINT64_MAX;
}

struct barrier *lab_barrier(struct lab *lab, unsigned n)
{
    struct lab_work *w = lab_work(lab);
    w->barrier = lab_alloc(lab, barrier_bytes(n), LINES_APART);
    barrier_init(w->barrier, n, lab_patience(lab));
    return w->barrier;
}

/* Those that were lost earlier are left out. */
void lab_processors_open(struct lab_work *w, const struct cpu_set *where)
{
    const struct machine *m = w->cpu->machine;
    w->processor[0] = w->cpu->index;
    if (!w->out->item->bench->processors) return;
    w->lab.cpus = 0;
    for (unsigned i = 0; i < m->cpus; i++) {
        if (where && !cpu_set_has(where, i)) continue;
        if (processor_lost(m->cpu[i])) continue;
        w->processor[w->lab.cpus++] = i;
    }
}

/* ---- calls ---- */

/* The other ones need not wait for this one. */
static void nobody_waits(struct lab_work *w)
{
    if (w->barrier) barrier_break(w->barrier);
}

/* It has trapped, was ended, or is lost. */
__attribute__((noreturn)) static void failed(struct lab_work *w, const struct cpu *cpu,
                                             enum processor_end end)
{
    w->out->cpu = cpu;
    elsewhere_judge(w->out, cpu, end);
    lab_end(w, w->out->status);
}

void lab_begin(struct lab *lab, const struct lab_job *job)
{
    struct lab_work *w = lab_work(lab);
    lab_alive(w);
    if (job->cpu >= lab->cpus) lab_fail(lab, "there is no processor %u: %u may be used", job->cpu, lab->cpus);
    const struct cpu *cpu = processor(w, job->cpu);
    if (cpu->index == w->cpu->index) lab_fail(lab, "processor %u executes the experiment itself", cpu->index);
    if (cpu_set_has(&w->called, cpu->index))
        lab_fail(lab, "processor %u has not returned from what it was called with before", cpu->index);
    cpu_set_add(&w->called, cpu->index);
    processor_begin(cpu, job->fn, job->arg);
}

void lab_wait(struct lab *lab, unsigned cpu)
{
    struct lab_work *w = lab_work(lab);
    const struct cpu *it = processor(w, cpu);
    const uint64_t slice = hz_of(w) / SLICES_A_SECOND;
    enum processor_end end = processor_end(it, slice);
    for (unsigned n = 0; end == PROCESSOR_LOST; n++) {
        lab_alive(w);
        if (!processor_busy(it) || (w->opt->limit && n / SLICES_A_SECOND >= w->opt->limit)) {
            watchdog_pause(); /* with limit=1 it would end this processor first */
            end = elsewhere_end(it, 1);
            watchdog_resume();
            watchdog_call();
            break;
        }
        end = processor_end(it, slice);
    }
    w->called.word[it->index / 32] &= ~(1u << it->index % 32);
    if (end == PROCESSOR_RETURNED) return;
    nobody_waits(w);
    failed(w, it, end);
}

void lab_together(struct lab *lab, const struct lab_job *job, unsigned n)
{
    struct lab_work *w = lab_work(lab);
    const struct lab_job *own = NULL;
    for (unsigned i = 0; i < n; i++)
        if (job[i].cpu < lab->cpus && w->processor[job[i].cpu] == w->cpu->index)
            own = &job[i];
        else
            lab_begin(lab, &job[i]);
    if (own) own->fn(own->arg);
    for (unsigned i = 0; i < n; i++)
        if (&job[i] != own) lab_wait(lab, job[i].cpu);
}

static void on(struct lab_work *w, unsigned cpu, void (*fn)(void *), void *arg)
{
    const struct lab_job job = {cpu, fn, arg};
    lab_together(&w->lab, &job, 1);
}

/* ---- counters ---- */

struct counting_job {
    const struct cpu *cpu;
    const struct pmu_code *code[PMU_COUNTERS];
    struct lab_counting *out;
    bool ok;
    char why[160];
};

static void start(void *arg)
{
    struct counting_job *j = arg;
    struct pmu *pmu = j->cpu->pmu;
    j->ok = pmu->ops->program(pmu, j->code, j->why, sizeof j->why);
    if (!j->ok) return;
    pmu_start(pmu);
    for (unsigned i = 0; i < j->out->n; i++) {
        if (j->out->state[i] != LAB_COUNTED) continue;
        if (cpu_unmodelled(j->cpu, j->out->counter[i])) j->out->state[i] = LAB_UNMODELLED;
        j->out->last[i] = pmu->ops->read(pmu, j->out->counter[i]);
    }
}

static void stop(void *arg)
{
    struct pmu *pmu = arg;
    pmu_stop(pmu);
}

void lab_count_on(struct lab *lab, unsigned cpu, const char *const *events, struct lab_counting *out)
{
    struct options *const with = &lab_asked.with;
    struct group *const group = lab_asked.group;
    static struct counting_job job;
    struct lab_work *w = lab_work(lab);
    const struct cpu *it = processor(w, cpu);
    struct lab_counts found = {.n = 0};
    int8_t place[LAB_EVENTS] = {0};
    lab_alive(w);
    memset(out, 0, sizeof *out);
    with->n_events = 0;
    lab_find_events(w, it->pmu, events, with, place, &found);
    out->pmu = it->pmu;
    out->n = found.n;
    const unsigned groups = with->n_events ? schedule_groups(it->pmu, with->event, with->n_events, group) : 0;
    if (groups > 1 || (groups && group[0].n < with->n_events))
        lab_fail(lab, "the counters of processor %u are too few for these %u events at a time", it->index,
                 found.n);
    job = (struct counting_job){.cpu = it, .out = out};
    for (unsigned i = 0; i < found.n; i++) {
        out->event[i] = found.event[i].event;
        out->state[i] = LAB_ABSENT;
        for (unsigned k = 0; groups && k < group[0].n; k++) {
            if (place[i] != (int)group[0].event[k]) continue;
            out->state[i] = LAB_COUNTED;
            out->counter[i] = group[0].counter[k];
            job.code[group[0].counter[k]] = &with->event[group[0].event[k]];
        }
    }
    if (!groups) return;
    if (it == w->cpu) w->running = 0; /* other events are on lab_start()'s counters now */
    on(w, cpu, start, &job);
    if (!job.ok) lab_fail(lab, "processor %u: %s", it->index, job.why);
    cpu_set_add(&w->counting, it->index);
}

uint64_t lab_counted(struct lab_counting *c, unsigned i)
{
    return c->state[i] == LAB_COUNTED ? lab_reading(c->pmu, c->counter[i], c->event[i], &c->last[i]) : 0;
}

/* ---- the end ---- */

void lab_processors_close(struct lab_work *w)
{
    const struct machine *m = w->cpu->machine;
    nobody_waits(w);
    for (unsigned i = cpu_set_next(&w->called, 0); i < PROCESSORS_MAX; i = cpu_set_next(&w->called, i + 1))
        elsewhere_end(m->cpu[i], 1);
    for (unsigned i = cpu_set_next(&w->counting, 0); i < PROCESSORS_MAX;
         i = cpu_set_next(&w->counting, i + 1))
        if (!processor_lost(m->cpu[i])) processor_call(m->cpu[i], stop, m->cpu[i]->pmu);
}
