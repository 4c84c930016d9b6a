#include "report/emit_truth.h"
#include "measure/cascade.h"
#include "report/record.h"
#include <stdio.h>
#include <string.h>

struct context {
    const struct options *opt;
    const struct system *sys;
    const char *lacks;  /* what programs left out have needed last, */
    char left_out[256]; /* and their names */
};

static void head(struct record *r, const struct truth_program *p, const struct context *c)
{
    const char *before = truth_before_text(p);
    rec_str(r, "program", p->name);
    rec_str(r, "desc", p->desc);
    if (before) rec_str(r, "before", before);
    rec_uint(r, "ring", c->opt->ring);
}

static void tail(struct record *r, enum truth_verdict verdict, bool smi, bool stray, bool lowered,
                 const struct context *c)
{
    const char *origin = verdict <= TRUTH_DIFFERS ? emit_origin(c->sys, 1) : NULL;
    rec_str(r, "verdict", truth_verdict_text(verdict));
    rec_array(r, "flags");
    if (origin) rec_str(r, NULL, origin);
    if (smi) rec_str(r, NULL, "smi");
    if (stray) rec_str(r, NULL, "stray");
    if (lowered) rec_str(r, NULL, "overhead-lowered");
    rec_close(r);
    record_emit(r);
}

static void result(void *ctx, const struct truth_result *t)
{
    const struct context *c = ctx;
    const struct truth_count *n = &t->count;
    struct record *r = record_new("truth");
    head(r, t->program, c);
    rec_str(r, "event", t->row->event);
    if (t->expected != TRUTH_UNKNOWN) rec_uint(r, "expected", t->expected);
    if (t->row->least) rec_uint(r, "at_least", t->row->least);
    if (n->state == TRUTH_AGREES) {
        rec_real(r, "measured", n->median);
        rec_real(r, "min", n->min);
        rec_real(r, "max", n->max);
        rec_uint(r, "raw", n->raw_min);
        rec_uint(r, "overhead", n->overhead);
        if (t->program->base) rec_real(r, "base", n->base);
        rec_uint(r, "reps", n->reps);
        rec_uint(r, "group", n->group);
        rec_uint(r, "groups", n->groups);
        rec_uint(r, "counter", n->counter);
        if (t->row->least && t->expected)
            rec_real(r, "each", n->median * t->row->least / (double)t->expected);
    }
    rec_str(r, "reason", t->row->reason);
    rec_bool(r, "remark", t->row->tell);
    tail(r, t->verdict, n->smi != 0, n->stray != 0, n->overhead_lowered, c);
}

static void side(struct record *r, const char *key, const char *const *term, unsigned n)
{
    rec_array(r, key);
    for (unsigned i = 0; i < n && term[i]; i++) rec_str(r, NULL, term[i]);
    rec_close(r);
}

static void relation(void *ctx, const struct truth_relation_result *t)
{
    const struct context *c = ctx;
    const struct truth_relation *x = t->relation;
    bool measured = t->verdict == TRUTH_AGREES || t->verdict == TRUTH_DIFFERS;
    struct record *r = record_new("relation");
    head(r, t->program, c);
    side(r, "left_terms", &x->left, 1);
    rec_str(r, "relation", x->equal ? "=" : "<=");
    side(r, "right_terms", x->right, TRUTH_TERMS);
    if (measured) {
        rec_real(r, "left", t->left);
        rec_real(r, "right", t->right);
    }
    rec_str(r, "reason", x->source);
    tail(r, t->verdict, false, false, t->overhead_lowered, c);
}

static void failure(void *ctx, const struct run *run)
{
    (void)ctx;
    emit_run_failure(run);
}

/* One note for those that lack the same. */
static void tell_left_out(struct context *c)
{
    if (c->lacks) report_note("truth", "not run, they need %s: %s", c->lacks, c->left_out);
    c->lacks = NULL;
    c->left_out[0] = '\0';
}

static void left_out(void *ctx, const struct truth_program *p, const char *what)
{
    struct context *c = ctx;
    if (c->lacks && strcmp(c->lacks, what) != 0) tell_left_out(c);
    c->lacks = what;
    size_t used = strlen(c->left_out);
    snprintf(c->left_out + used, sizeof c->left_out - used, "%s%s", used ? ", " : "", p->name);
}

void emit_truth(const struct options *opt, const struct machine *m, struct arena *arena,
                const struct system *sys, struct truth_totals *totals)
{
    struct context c = {.opt = opt, .sys = sys};
    const struct truth_sink sink = {result, relation, failure, left_out, &c};
    memset(totals, 0, sizeof *totals);
    if (!sys->pmu.ops) {
        report_note("truth", "no known PMU here: there are no counters to be judged");
        return;
    }
    if (!sys->pmu.usable)
        report_note("truth", "no counter of this CPU's %s family can be used", sys->pmu.ops->family);
    if (opt->n_events) report_note("truth", "events= is not for bench=truth, which has its own");
    (opt->action == ACTION_CASCADE ? cascade_run : truth_run)(opt, m, arena, &sink, totals);
    tell_left_out(&c);

    struct record *r = record_new("truths");
    rec_uint(r, "agree", totals->verdict[TRUTH_AGREES]);
    rec_uint(r, "within", totals->verdict[TRUTH_WITHIN]);
    rec_uint(r, "differ", totals->verdict[TRUTH_DIFFERS]);
    rec_uint(r, "absent", totals->verdict[TRUTH_ABSENT]);
    rec_uint(r, "not_advancing", totals->verdict[TRUTH_NOT_ADVANCING]);
    rec_uint(r, "refused", totals->verdict[TRUTH_REFUSED]);
    rec_uint(r, "unmodelled", totals->verdict[TRUTH_UNMODELLED]);
    record_emit(r);
}
