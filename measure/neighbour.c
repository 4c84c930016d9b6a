#include "measure/neighbour.h"
#include "kernel/cpu_state.h"
#include "kernel/hw.h"
#include "kernel/percpu.h"
#include "measure/elsewhere.h"
#include <string.h>

#define OWN_LINES 128 /* of most CPUs the prefetcher takes two lines at a time */

/* One neighbour, in its own arena. */
struct beside {
    /* The line that it works with. */
    _Alignas(OWN_LINES) volatile bool stop;
    volatile bool round; /* one is complete */
    volatile uint64_t rounds;
    /* What it only reads. */
    _Alignas(OWN_LINES) struct execution x;
    struct options opt;
    struct plan_item item;
    struct cpu_state state;
    struct bench_counters counters;
    struct arena arena;
    const struct cpu *cpu;
    bool prepared;
    /* On the boot processor, which drives: rounds fill the time for which it waits. */
    const struct cpu *measured; /* NULL: it has not begun, and one round is enough */
    uint64_t from, ticks;       /* it looks after other things then */
    struct run run;
};

/* ---- on its own processor ---- */

/* It counts nothing, and nothing is subtracted: a call is a round. */
static bool prepare(struct beside *b)
{
    struct run *run = &b->run;
    const struct bench_run *bench = &run->bench;
    run->bench.fence = serializers[b->opt.serialize].fence;
    run->bench.fence_bytes = serializers[b->opt.serialize].fence_bytes;
    run->bench.counters = &b->counters;
    if (!execution_prepare(run, b->cpu, &b->opt, &b->arena)) return false;
    if (!execution_open(&b->x, run, b->opt.ring, &b->arena)) return false;
    execution_no_bracket(&b->x);
    if (bench->once) execute(&b->x, bench->once, bench->arg);
    return true;
}

static bool goes_on(const struct beside *b)
{
    if (b->cpu->index) return !b->stop;
    return b->measured && processor_busy(b->measured) && hw_rdtsc() - b->from < b->ticks;
}

static void loop(void *ctx)
{
    struct beside *b = ctx;
    const struct bench_run *bench = &b->run.bench;
    if (!b->prepared && !prepare(b)) return;
    b->prepared = true;
    do {
        execute(&b->x, bench->payload, bench->arg);
        if (b->run.program.users) cpu_state_plain_flags();
        b->rounds++;
        b->round = true;
    } while (goes_on(b));
}

static void on_its_processor(void *ctx)
{
    struct beside *b = ctx;
    cpu_state_save(&b->state);
    run_guarded(&b->run, loop, b);
    cpu_state_restore(&b->state); /* after a trap, too */
}

/* ---- on the boot processor ---- */

static bool has_a_round(void *ctx) { return ((const struct beside *)ctx)->round; }

/* limit=0: none of its calls is watched, since the boot processor does not look while another one measures.
 */
static struct beside *make(const struct options *opt, const struct load *load, const struct cpu *cpu,
                           struct arena arena)
{
    struct beside *b = arena_alloc(&arena, sizeof *b, PAGE_SIZE);
    if (!b) return NULL;
    memset(b, 0, sizeof *b);
    b->opt = *opt;
    b->opt.limit = 0;
    b->cpu = cpu;
    b->item = (struct plan_item){.cpu = cpu->index, .bench = load->bench, .variant = load->variant};
    memcpy(b->item.param, load->param, sizeof b->item.param);
    b->run.item = &b->item;
    b->run.program = bench_program(load->bench, load->variant);
    b->run.cpu = cpu;
    b->arena = arena;
    b->arena.base += arena.used; /* its prepare() finds an arena that begins at a line */
    b->arena.size -= arena.used;
    b->arena.used = 0;
    return b;
}

static bool start_one(struct run *run, const struct options *opt, const struct load *load,
                      const struct machine *m, struct arena part)
{
    const struct cpu *cpu = m->cpu[load->cpu];
    const char *name = load->bench->program.name;
    struct beside *b = make(opt, load, cpu, part);
    if (!b)
        return run_refuse(run, RUN_MEMORY, "not enough memory for %s on processor %u beside it", name,
                          load->cpu);
    if (processor_lost(cpu))
        return run_refuse(run, RUN_PREPARE, "processor %u, for %s beside it, does not answer any more",
                          load->cpu, name);
    run->beside->at[run->beside->n++] =
        (struct neighbour){.load = load, .cpu = cpu, .run = &b->run, .own = b};
    if (cpu->index == 0 && b->run.program.users)
        return run_refuse(run, RUN_PREPARE,
                          "%s beside it: code of the user's own cannot run on processor 0 meanwhile, since "
                          "nothing would end it there",
                          name);
    if (cpu->index == 0)
        on_its_processor(b);
    else
        processor_begin(cpu, on_its_processor, b);
    if (cpu->index && !elsewhere_wait(cpu, has_a_round, b, opt->limit))
        return run_refuse(
            run, RUN_PREPARE,
            "%s on processor %u, beside it, did not complete a round in the time that limit= allows", name,
            load->cpu);
    if (b->round || b->run.status == RUN_TRAP) return true;
    return run_refuse(run, RUN_PREPARE, "%s on processor %u, beside it: %.90s", name, load->cpu,
                      b->run.bench.error);
}

/* Its upper half changes so rarely that it is the same before and after. */
static uint64_t rounds_of(const struct beside *b)
{
    const volatile uint32_t *half = (const volatile uint32_t *)&b->rounds;
    uint32_t low, high;
    do {
        high = half[1];
        low = half[0];
    } while (half[1] != high);
    return (uint64_t)high << 32 | low;
}

bool neighbours_begin(struct run *run, const struct options *opt, const struct cpu *measured,
                      struct arena *arena)
{
    if (!opt->n_with) return true;
    const size_t part = (arena->size / (opt->n_with + 1)) & ~(size_t)(PAGE_SIZE - 1);
    arena->size -= part * opt->n_with;
    uint8_t *const theirs = arena->base + arena->size;
    struct neighbours *all = arena_from_end(arena, sizeof *all, OWN_LINES);
    if (!all) return run_refuse(run, RUN_MEMORY, "not enough memory for neighbours");
    all->n = 0;
    run->beside = all;
    for (unsigned i = 0; i < opt->n_with; i++) {
        const struct arena own = {theirs + part * i, part, 0};
        if (start_one(run, opt, &opt->with[i], measured->machine, own)) continue;
        neighbours_end(run, opt);
        run->beside = NULL;
        return false;
    }
    neighbours_lap(run);
    return true;
}

void neighbours_lap(struct run *run)
{
    for (unsigned i = 0; run->beside && i < run->beside->n; i++) {
        struct neighbour *n = &run->beside->at[i];
        const uint64_t now = rounds_of(n->own);
        n->rounds = now - n->lap;
        n->lap = now;
    }
}

bool neighbours_meanwhile(const struct run *run, const struct cpu *measured, uint64_t ticks)
{
    for (unsigned i = 0; run->beside && i < run->beside->n; i++) {
        struct beside *b = run->beside->at[i].own;
        if (b->cpu->index || b->run.status != RUN_OK) continue;
        b->measured = measured;
        b->from = hw_rdtsc();
        b->ticks = ticks;
        on_its_processor(b);
        return true;
    }
    return false;
}

static void end_one(struct neighbour *n, const struct options *opt)
{
    if (n->cpu->index) elsewhere_judge(&n->own->run, n->cpu, elsewhere_end(n->cpu, opt->limit));
}

/* Rounds are taken before the first one is stopped. */
void neighbours_end(struct run *run, const struct options *opt)
{
    struct neighbours *all = run->beside;
    if (!all) return;
    neighbours_lap(run);
    for (unsigned i = 0; i < all->n; i++) all->at[i].own->stop = true;
    for (unsigned i = 0; i < all->n; i++) end_one(&all->at[i], opt);
}
