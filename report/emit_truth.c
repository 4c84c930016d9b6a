#include "report/emit_truth.h"
#include "report/emit_errata.h"
#include "report/put.h"
#include <stdio.h>
#include <string.h>

static void head(struct record *r, const struct truth_program *p, const struct truth_report *c)
{
    const char *before = truth_before_text(p);
    PUT(r, program, program, p->program.name);
    PUT(r, program, desc, p->program.desc);
    if (before) PUT(r, program, before, before);
    PUT(r, program, ring, c->opt->ring);
    if (c->m->cpus > 1) PUT(r, program, cpu, c->cpu);
}

static void tail(struct record *r, enum truth_verdict verdict, bool smi, bool stray, bool lowered,
                 uint64_t errata, const struct truth_report *c)
{
    const bool counted = verdict <= TRUTH_DIFFERS || verdict == TRUTH_ANSWERED;
    const char *origin = counted ? origin_flag(c->m->count_origin) : NULL;
    errata = counted ? errata_here(c->m, errata) : 0;
    const char *doubt = errata_flag(c->m, errata);
    PUT(r, judgement, verdict, truth_verdict_text(verdict));
    put_errata(r, errata);
    OPEN(r, judgement, flags);
    if (origin) ITEM(r, judgement, flags, origin);
    if (smi) ITEM(r, judgement, flags, "smi");
    if (stray) ITEM(r, judgement, flags, "stray");
    if (lowered) ITEM(r, judgement, flags, "overhead-lowered");
    if (doubt) ITEM(r, judgement, flags, doubt);
    rec_close(r);
    record_emit(r);
}

static void result(void *ctx, const struct truth_result *t)
{
    const struct truth_report *c = ctx;
    const struct truth_count *n = &t->count;
    struct record *r = NEW(truth);
    head(r, t->program, c);
    PUT(r, truth, event, t->row->event);
    if (t->expected != TRUTH_UNKNOWN) PUT(r, truth, expected, t->expected);
    if (t->row->least) PUT(r, truth, at_least, t->row->least);
    if (n->state == TRUTH_AGREES) {
        PUT(r, truth, measured, n->median);
        PUT(r, truth, min, n->min);
        PUT(r, truth, max, n->max);
        PUT(r, truth, raw, n->raw_min);
        PUT(r, truth, overhead, n->overhead);
        if (t->program->base) PUT(r, truth, base, n->base);
        PUT(r, truth, reps, n->reps);
        PUT(r, grouping, group, n->group);
        PUT(r, grouping, groups, n->groups);
        PUT(r, grouping, counter, n->counter);
        if (t->row->least && t->expected)
            PUT(r, truth, each, n->median * t->row->least / (double)t->expected);
    }
    PUT(r, truth, reason, t->row->reason);
    PUT(r, truth, remark, t->row->tell);
    tail(r, t->verdict, n->smi != 0, n->stray != 0, n->overhead_lowered, n->errata, c);
}

static void relation(void *ctx, const struct truth_relation_result *t)
{
    const struct truth_report *c = ctx;
    const struct truth_relation *x = t->relation;
    const bool measured =
        t->verdict == TRUTH_AGREES || t->verdict == TRUTH_DIFFERS || t->verdict == TRUTH_ANSWERED;
    const char *must = x->must == AT_MOST ? "<=" : "=", *is = t->left < t->right   ? "<"
                                                              : t->left > t->right ? ">"
                                                                                   : "=";
    struct record *r = NEW(relation);
    head(r, t->program, c);
    OPEN(r, relation, left_terms);
    ITEM(r, relation, left_terms, x->left);
    rec_close(r);
    PUT(r, relation, relation, t->verdict == TRUTH_ANSWERED ? is : must);
    OPEN(r, relation, right_terms);
    for (unsigned i = 0; x->right[i]; i++) ITEM(r, relation, right_terms, x->right[i]);
    rec_close(r);
    if (measured) {
        PUT(r, relation, left, t->left);
        PUT(r, relation, right, t->right);
    }
    PUT(r, relation, reason, x->source);
    tail(r, t->verdict, false, false, t->overhead_lowered, t->errata, c);
}

static void failure(void *ctx, const struct run *run)
{
    (void)ctx;
    emit_run_failure(run);
}

/* One note for programs that lack the same feature. */
static void tell_left_out(struct truth_report *c)
{
    if (c->lacks) report_note("truth", "not run, because they need %s: %s", c->lacks, c->left_out);
    c->lacks = NULL;
    c->left_out[0] = '\0';
}

static void left_out(void *ctx, const struct truth_program *p, const char *what)
{
    struct truth_report *c = ctx;
    if (c->lacks && strcmp(c->lacks, what) != 0) tell_left_out(c);
    c->lacks = what;
    size_t used = strlen(c->left_out);
    snprintf(c->left_out + used, sizeof c->left_out - used, "%s%s", used ? ", " : "", p->program.name);
}

struct truth_sink emit_truth_sink(struct truth_report *to)
{
    return (struct truth_sink){result, relation, failure, left_out, to};
}

void emit_truths(struct truth_report *report, const struct truth_totals *totals)
{
    tell_left_out(report);

    struct record *r = NEW(truths);
    PUT(r, truths, agree, totals->verdict[TRUTH_AGREES]);
    PUT(r, truths, within, totals->verdict[TRUTH_WITHIN]);
    PUT(r, truths, differ, totals->verdict[TRUTH_DIFFERS]);
    PUT(r, truths, absent, totals->verdict[TRUTH_ABSENT]);
    PUT(r, truths, not_advancing, totals->verdict[TRUTH_NOT_ADVANCING]);
    PUT(r, truths, refused, totals->verdict[TRUTH_REFUSED]);
    PUT(r, truths, unmodelled, totals->verdict[TRUTH_UNMODELLED]);
    if (totals->verdict[TRUTH_ANSWERED]) PUT(r, truths, answered, totals->verdict[TRUTH_ANSWERED]);
    record_emit(r);
}
