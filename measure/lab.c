#include "measure/lab.h"
#include "kernel/cpu_state.h"
#include "kernel/smi.h"
#include "measure/elsewhere.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

_Static_assert(offsetof(struct lab, stack3) == 0, "kernel/at_cpl.S");

/* ---- its end ---- */

void lab_end(struct lab_work *w, enum run_status status)
{
    w->out->status = status;
    longjmp(w->end, 1);
}

void lab_fail(struct lab *lab, const char *format, ...)
{
    struct lab_work *w = lab_work(lab);
    va_list args;
    va_start(args, format);
    vsnprintf(w->out->bench.error, sizeof w->out->bench.error, format, args);
    va_end(args);
    lab_end(w, RUN_PREPARE);
}

void lab_watch(struct lab_work *w)
{
    watchdog_begin(w->cpu, w->watched, w->opt->limit);
    watchdog_call();
}

void lab_alive(struct lab_work *w)
{
    watchdog_call();
    if (w->cpu->cancelled && w->cpu->cancelled()) lab_end(w, RUN_CANCELLED);
}

/* ---- memory ---- */

void *lab_alloc(struct lab *lab, size_t bytes, size_t alignment)
{
    struct lab_work *w = lab_work(lab);
    lab_alive(w);
    void *p = arena_alloc(w->arena, bytes, alignment);
    if (!p)
        lab_fail(lab, "%llu bytes of memory are wanted, and %llu are left", (unsigned long long)bytes,
                 (unsigned long long)arena_left(w->arena));
    return memset(p, 0, bytes);
}

size_t lab_memory(const struct lab *lab)
{
    return arena_left(((const struct lab_work *)(const void *)lab)->arena);
}

payload_fn *lab_write_code(struct lab *lab, const void *code, size_t bytes)
{
    static const uint8_t ret = 0xc3;
    uint8_t *to = lab_alloc(lab, bytes + sizeof ret, 64);
    memcpy(to, code, bytes);
    to[bytes] = ret;
    return (payload_fn *)(uintptr_t)to;
}

/* ---- gaps in time ---- */

void lab_gaps(struct lab *lab, struct watch *w, uint64_t ticks)
{
    struct lab_work *work = lab_work(lab);
    lab_alive(work);
    watchdog_pause();
    const bool runs = watch_for(w, ticks);
    watchdog_resume();
    if (!runs) lab_fail(lab, "the TSC stands still");
    lab_alive(work);
}

enum lab_state lab_smis(struct lab *lab, uint32_t *n)
{
    struct lab_work *w = lab_work(lab);
    lab_alive(w);
    *n = 0;
    if (w->cpu->machine->time_origin == ORIGIN_EMULATED) return LAB_UNMODELLED;
    if (!w->cpu->smi_counter) return LAB_ABSENT;
    *n = smi_counter_read();
    return LAB_COUNTED;
}

/* ---- results ---- */

void lab_value(struct lab *lab, const struct lab_quantity *q, const char *note)
{
    struct lab_work *w = lab_work(lab);
    lab_alive(w);
    w->sink->row(w->sink->ctx, w->out, NULL, q, 1, note);
    lab_alive(w);
}

void lab_row(struct lab *lab, const char *table, const struct lab_quantity *q, unsigned n)
{
    struct lab_work *w = lab_work(lab);
    lab_alive(w);
    if (n > LAB_COLUMNS) lab_fail(lab, "a row of %u quantities: %u at most", n, LAB_COLUMNS);
    w->sink->row(w->sink->ctx, w->out, table, q, n, NULL);
    lab_alive(w);
}

void lab_matrix(struct lab *lab, const char *name, const char *unit, const double *value,
                enum lab_source source)
{
    struct lab_work *w = lab_work(lab);
    lab_alive(w);
    w->sink->matrix(w->sink->ctx, w->out, name, unit, w->processor, value, lab->cpus, source);
    lab_alive(w);
}

void lab_series(struct lab *lab, const char *name, const char *unit, const double *value, unsigned n,
                enum lab_source source)
{
    struct lab_work *w = lab_work(lab);
    lab_alive(w);
    w->sink->series(w->sink->ctx, w->out, name, unit, value, n, source);
    lab_alive(w);
}

/* ---- an experiment ---- */

/* Where it is ended before it returns, guards that were armed since are gone with it. */
static void perform(struct lab_work *w)
{
    struct trap_guard guard;
    if (trap_guard_arm(&guard) == 0) {
        if (setjmp(w->end) == 0) {
            w->lab.stack3 = w->cpu->stack.user_top;
            w->out->item->bench->experiment(&w->lab);
        }
        trap_guard_disarm(&guard);
        return;
    }
    run_trapped(w->out, &guard.trap);
}

static void on_its_processor(void *ctx)
{
    struct lab_work *w = ctx;
    struct cpu_state state;
    cpu_state_save(&state);
    lab_watch(w);
    perform(w);
    watchdog_end();
    if (w->window.roots) window_close(&w->window);
    cpu_state_restore(&state);
    if (w->cpu->pmu->ops) pmu_stop(w->cpu->pmu);
}

void lab_run(const struct plan_item *item, const struct options *opt, const struct cpu *cpu,
             const struct cpu_set *where, struct arena *arena, const struct lab_sink *sink, struct run *out)
{
    static struct lab_work w;
    memset(out, 0, sizeof *out);
    out->item = item;
    out->program = bench_program(item->bench, item->variant);
    out->bench.image = out->program.image;
    out->cpu = cpu;
    memcpy(out->bench.param, item->param, sizeof out->bench.param);
    arena->used = 0;
    memset(&w, 0, sizeof w);
    w.lab = (struct lab){NULL,         out->bench.param,
                         &cpu->caches, cpu->machine->clock.tsc_hz,
                         opt->ring,    1,
                         opt->reps,    serializers[SERIALIZE_LFENCE].usable(&cpu->id),
                         item->variant};
    w.opt = opt;
    w.cpu = cpu;
    w.arena = arena;
    w.sink = sink;
    w.out = out;
    w.watched = opt->limit ? watchdog_find(cpu, 0, false) : 0;
    lab_processors_open(&w, where);
    run_elsewhere(cpu, out, on_its_processor, &w);
    lab_processors_close(&w);
}
