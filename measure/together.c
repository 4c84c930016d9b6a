#include "measure/together.h"
#include "kernel/barrier.h"
#include "kernel/cpu_state.h"
#include "kernel/percpu.h"
#include "measure/elsewhere.h"
#include "measure/sampling_job.h"
#include <string.h>

#define BARRIER_S      2 /* in which all come */
#define SOON_S         1 /* what nobody wants any more has this long to return */
#define PASSES         20 /* of sampling, at most: each takes REPEAT_S seconds, or limit= if a call takes longer */
#define TSC_HZ_UNKNOWN 1000000000

/* What one processor works with. */
struct together_side {
    _Alignas(LINES_APART) volatile bool over;       /* it is sampled, or will not be; the others read it */
    _Alignas(LINES_APART) struct lbr_filter filter; /* of the core whose first thread in all[] this is */
    _Alignas(LINES_APART) struct job job;
    struct run after; /* the payload's calls afterwards */
    struct cpu_state state;
    struct cpu cpu; /* a copy, by which only the boot processor hears Ctrl-C */
    bool unwanted;  /* it has heard one afterwards */
    struct barrier *barrier;
    struct together *const *all;
    unsigned me, n;
    uint64_t until; /* by the boot processor's TSC: it is over then, or stuck; 0: never, with limit=0 */
};

/* ---- on its own processor ---- */

/* By the boot processor: one that is not over by then is ended as if nobody wanted it any more. */
static bool stuck(const struct together_side *s) { return s->until && (int64_t)(hw_rdtsc() - s->until) > 0; }

/* Of another processor that trapped, was lost or is stuck only the boot processor knows, which so ends the
 * others. */
static bool all_over(const struct together_side *s)
{
    bool all = true;
    for (unsigned k = 0; k < s->n; k++) {
        struct together *t = s->all[k];
        if (s->job.cpu->index == 0 && t->cpu->index && (!processor_busy(t->cpu) || stuck(t->side)))
            t->side->over = true;
        all &= t->side->over;
    }
    return all;
}

static bool cancelled(const struct cpu *cpu) { return cpu->cancelled && cpu->cancelled(); }

static void go_on(void *ctx)
{
    const struct job *j = ctx;
    const struct bench_run *b = &j->out->run.bench;
    struct together_side *s = j->rest_of;
    while (!all_over(s) && !s->unwanted) {
        execute(&j->x, b->payload, b->arg);
        s->unwanted = cancelled(j->cpu);
    }
}

static void rest(struct job *j)
{
    struct together_side *s = j->rest_of;
    s->over = true;
    cpu_state_save(&s->state);
    run_guarded(&s->after, go_on, j);
    cpu_state_restore(&s->state);
}

static void take_part(void *ctx)
{
    struct together_side *s = ctx;
    struct run *run = &s->job.out->run;
    if (barrier_wait(s->barrier, s->me))
        sampling_on_its_processor(&s->job);
    else
        run_refuse(run, RUN_PREPARE, "not all processors of cpu= began within %u seconds", BARRIER_S);
    s->over = true;
}

/* ---- on the boot processor ---- */

struct together *together_new(const struct cpu *cpu, struct arena part)
{
    struct together *t = arena_alloc(&part, sizeof *t, LINES_APART);
    struct together_side *s = t ? arena_alloc(&part, sizeof *s, LINES_APART) : NULL;
    if (!s) return NULL;
    memset(t, 0, sizeof *t);
    memset(s, 0, sizeof *s);
    t->cpu = cpu;
    t->side = s;
    const size_t used = (part.used + PAGE_SIZE - 1) & ~(size_t)(PAGE_SIZE - 1);
    if (used > part.size) return NULL;
    t->arena = (struct arena){part.base + used, part.size - used, 0};
    return t;
}

/* Waits until it is sampled, unless nobody wants that any more, and ends what it does afterwards. Returns
 * whether anybody still wants the others. */
static bool end_one(struct together *t, bool wanted)
{
    struct run *run = &t->out.run;
    struct together_side *s = t->side;
    const struct cpu *boot = t->cpu->machine->cpu[0];
    while (wanted && !s->over && processor_busy(t->cpu) && !stuck(s)) {
        wanted = !cancelled(boot);
        SPIN_PAUSE();
    }
    s->over = true;
    elsewhere_judge(run, t->cpu, elsewhere_end(t->cpu, wanted ? t->opt.limit : SOON_S));
    if (!wanted && run->status == RUN_ENDED) run->status = RUN_CANCELLED;
    return wanted;
}

/* The filter of last branch records for the core of at[k]. */
static struct lbr_filter *filter_of(struct together *const *at, unsigned k)
{
    const struct topology_place *place = at[k]->cpu->machine->topology.place;
    unsigned first = 0;
    while (place[at[first]->cpu->index].unit[LEVEL_CORE] != place[at[k]->cpu->index].unit[LEVEL_CORE])
        first++;
    return &at[first]->side->filter;
}

void sampling_together(struct together *const *at, unsigned n)
{
    struct barrier *barrier = arena_from_end(&at[0]->arena, barrier_bytes(n), LINES_APART);
    const uint64_t hz = at[0]->cpu->machine->clock.tsc_hz;
    for (unsigned k = 0; k < n; k++) {
        struct together *t = at[k];
        struct together_side *s = t->side;
        *s = (struct together_side){.cpu = *t->cpu, .barrier = barrier, .all = at, .me = k, .n = n};
        if (t->opt.limit)
            s->until = hw_rdtsc() + PASSES * (REPEAT_S + t->opt.limit) * (hz ? hz : TSC_HZ_UNKNOWN);
        if (s->cpu.index) s->cpu.cancelled = NULL;
        sampling_job(&s->job, &t->item, &t->opt, &s->cpu, t->event, &t->arena, &t->out);
        s->job.lbr_filter = filter_of(at, k);
        s->job.rest = rest;
        s->job.rest_of = s;
        s->after.item = &t->item;
        t->out.together = n;
        if (!barrier) run_refuse(&t->out.run, RUN_MEMORY, "not enough memory for a barrier");
        if (t->out.run.program.users)
            run_refuse(&t->out.run, RUN_PREPARE,
                       "code of the user's own is sampled on one processor at a time: nothing would end it");
    }
    for (unsigned k = 0; k < n; k++)
        if (at[k]->out.run.status != RUN_OK) return;
    barrier_init(barrier, n, BARRIER_S * (hz ? hz : TSC_HZ_UNKNOWN));
    for (unsigned k = 0; k < n; k++) {
        if (processor_lost(at[k]->cpu))
            at[k]->out.run.status = RUN_LOST, at[k]->side->over = true;
        else if (at[k]->cpu->index)
            processor_begin(at[k]->cpu, take_part, at[k]->side);
    }
    if (at[0]->cpu->index == 0) take_part(at[0]->side);
    bool wanted = at[0]->out.run.status != RUN_CANCELLED && !at[0]->side->unwanted;
    for (unsigned k = 0; k < n; k++)
        if (at[k]->cpu->index && at[k]->out.run.status != RUN_LOST) wanted = end_one(at[k], wanted);
}
