#include "report/emit_pair.h"
#include "report/emit_errata.h"
#include "report/put.h"
#include <string.h>

static const char *const names[] = {
    [PAIR_THREADS] = "threads", [PAIR_CACHE] = "cache", [PAIR_PACKAGES] = "packages", [PAIR_CORES] = "cores"};

void emit_pair(const struct pair_figure *p, const struct options *opt)
{
    const struct bench *b = p->load->bench;
    const struct plan_item item = {.cpu = p->cpu, .bench = b, .variant = p->load->variant};
    static struct run run; /* the run itself has been overwritten */
    const char *event = p->together->at[p->event].event;
    const double alone = p->alone->at[p->event].mean, together = p->together->at[p->event].mean;
    const struct slowdown s =
        pair_slowdown(alone, p->alone->at[p->event].ci, together, p->together->at[p->event].ci);
    const char *origin = origin_flag(strcmp(event, "tsc") ? p->m->count_origin : p->m->time_origin);
    run = (struct run){.item = &item, .program = bench_program(b, p->load->variant)};
    memcpy(run.bench.param, p->together->param, sizeof run.bench.param);
    const uint64_t errata = errata_here(p->m, p->together->at[p->event].errata);
    const char *doubt = errata_flag(p->m, errata);
    struct record *r = NEW(pair);
    emit_identity(r, &run, opt->ring);
    PUT(r, measurement, event, event);
    PUT(r, pair, how, names[p->how]);
    const struct program other = bench_program(p->beside->bench, p->beside->variant);
    PUT(r, pair, beside, other.name);
    PUT(r, pair, beside_variant, other.variant ? other.variant : "");
    PUT(r, pair, beside_cpu, p->beside_cpu);
    PUTF(r, pair, unit, "%s/%s", event, b->op);
    PUT(r, pair, alone, alone);
    PUT(r, pair, together, together);
    PUT(r, pair, slowdown, s.ratio);
    PUT(r, pair, low, s.low);
    PUT(r, pair, high, s.high);
    PUT(r, pair, conf, opt->conf);
    put_errata(r, errata);
    OPEN(r, pair, flags);
    if (origin) ITEM(r, pair, flags, origin);
    if (doubt) ITEM(r, pair, flags, doubt);
    if (p->alone->at[p->event].overhead_lowered || p->together->at[p->event].overhead_lowered)
        ITEM(r, pair, flags, "overhead-lowered");
    rec_close(r);
    record_emit(r);
}

void emit_measuring(const struct topology *t, unsigned cpu)
{
    const struct topology_place *at = &t->place[cpu];
    struct record *r = NEW(measuring);
    PUT(r, measuring, cpu, cpu);
    if (core_kind_name(at->kind)) PUT(r, measuring, kind, core_kind_name(at->kind));
    PUT(r, measuring, package, at->unit[LEVEL_PACKAGE]);
    PUT(r, measuring, core, at->unit[LEVEL_CORE]);
    PUT(r, measuring, thread, at->thread);
    record_emit(r);
}
