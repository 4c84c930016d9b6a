#include "report/emit_branches.h"
#include "pmu/lbr.h"
#include "report/emit.h"
#include "report/put.h"
#include <stdio.h>
#include <string.h>

/* ---- private ---- */

#define FLOWS_PER_RECORD  6 /* a line is at most 420 bytes with the longest names */
#define STACKS_PER_RECORD 3
#define STACK_TEXT        800

/* One of the three tables. */
struct table {
    const char *type;
    const struct branches *b;
    const struct branch_line *flow; /* NULL: stacks */
    unsigned lines;
    uint64_t times, unlisted;
    bool known; /* mispredictions, or cycles */
};

static void head(struct record *r, const struct profile_source *from, const struct sampling *s,
                 const struct table *t, unsigned first)
{
    emit_source(r, from);
    emit_user(r, &from->run->bench.image);
    PUT(r, recorded, facility, "lbr");
    PUT(r, recorded, filter, branches_words(s->branches));
    PUT(r, recorded, depth, s->branches_deep);
    PUT(r, recorded, samples, t->b->samples);
    PUT(r, recorded, times, t->times);
    PUT(r, recorded, outside, t->b->outside);
    PUT(r, recorded, unlisted, t->unlisted);
    PUT(r, recorded, distinct, t->lines);
    PUT(r, recorded, first, first);
}

/* "l1_miss", "regions/b", the user's function. */
static void name_of(char *text, size_t cap, const struct symbol *s)
{
    if (s->function) {
        snprintf(text, cap, "%s", s->function);
        return;
    }
    const struct program of = bench_program(s->bench, s->variant);
    snprintf(text, cap, "%s%s%s", of.name, *of.variant ? "/" : "", of.variant);
}

/* ... with the offset; "": it has no name. */
static const char *place_of(char *text, size_t cap, const struct branch_line *l, unsigned end)
{
    text[0] = '\0';
    if (!l->named[end]) return text;
    name_of(text, cap, &l->symbol[end]);
    const size_t n = strlen(text);
    snprintf(text + n, cap - n, "+0x%llx", (unsigned long long)l->symbol[end].offset);
    return text;
}

static void flow(struct record *r, const struct table *t, const struct branch_line *l)
{
    char text[96];
    PUT(r, flow, from, l->from);
    PUT(r, flow, to, l->to);
    if (*place_of(text, sizeof text, l, 0)) PUT(r, flow, from_symbol, text);
    if (*place_of(text, sizeof text, l, 1)) PUT(r, flow, to_symbol, text);
    PUT(r, flow, times, l->times);
    PUT(r, flow, share, (double)l->times / (double)t->times);
    if (l->predictions) PUT(r, flow, mispredicted, l->mispredicted);
    if (!l->timed) return;
    unsigned classes = BRANCHES_CLASSES;
    PUT(r, flow, cycles_mean, (double)l->cycles / l->timed);
    PUT(r, flow, cycles_least, l->least);
    PUT(r, flow, cycles_most, l->most);
    if (t->b->block_cycles) PUT(r, flow, cycles_share, (double)l->cycles / (double)t->b->block_cycles);
    while (!l->histogram[classes - 1]) classes--;
    OPEN(r, flow, histogram);
    for (unsigned i = 0; i < classes; i++) ITEM(r, flow, histogram, l->histogram[i]);
    rec_close(r);
}

/* From the innermost function outwards, as far as there is room. */
static void stack(struct record *r, const struct table *t, const struct branch_stack *s)
{
    char text[STACK_TEXT], name[96];
    char *at = text + sizeof text;
    *--at = '\0';
    for (unsigned i = s->depth; i-- > 0;) {
        const struct branch_function *f = &s->function[i];
        if (f->named)
            name_of(name, sizeof name, &f->symbol);
        else
            snprintf(name, sizeof name, "0x%llx", (unsigned long long)f->at);
        const size_t n = strlen(name), more = *at ? 1 : 0;
        if ((size_t)(at - text) < n + more + sizeof "...;") {
            at -= sizeof "...;" - 1;
            memcpy(at, "...;", sizeof "...;" - 1);
            break;
        }
        if (more) *--at = ';';
        at -= n;
        memcpy(at, name, n);
    }
    PUT(r, stack, functions, at);
    PUT(r, stack, times, s->times);
    PUT(r, stack, share, (double)s->times / (double)t->times);
}

/* In as many records as it takes. */
static void emit(const struct profile_source *from, const struct sampling *s, const struct table *t)
{
    unsigned i = 0;
    do {
        struct record *r = record_new(t->type);
        head(r, from, s, t, i);
        if (!t->flow) {
            PUT(r, stacks, cut, t->b->cut);
        } else if (t->flow == t->b->branch) {
            PUT(r, branches, predictions, s->unpredicted ? "unmodelled" : t->known ? "recorded" : "absent");
            if (t->b->aborted) PUT(r, branches, aborted, t->b->aborted);
        } else {
            PUT(r, blocks, impossible, t->b->impossible);
            PUT(r, blocks, cycles, !t->known ? "absent" : record_has_clocks() ? "recorded" : "unmodelled");
        }
        OPEN(r, branches, lines); /* as in the other two */
        for (unsigned end = i + (t->flow ? FLOWS_PER_RECORD : STACKS_PER_RECORD); i < end && i < t->lines;
             i++) {
            rec_object(r, NULL);
            t->flow ? flow(r, t, &t->flow[i]) : stack(r, t, &t->b->stack[i]);
            rec_close(r);
        }
        rec_close(r);
        emit_source_end(r, from);
    } while (i < t->lines);
}

/* ---- public ---- */

const char *branches_words(unsigned what)
{
    static char words[96];
    unsigned said = 0;
    size_t n = 0;
    for (const struct lbr_word *w = lbr_words; w < lbr_words + LBR_WORDS; w++) {
        if (w->branches & ~what || !(w->branches & ~said)) continue;
        said |= w->branches;
        n += (size_t)snprintf(words + n, sizeof words - n, "%s%s", n ? "," : "", w->name);
    }
    return words;
}

void emit_branches(const struct profile_source *from, const struct sampling *s, const struct branches *b)
{
    const struct table stacks = {"stacks", b, NULL, b->n_stacks, b->samples, b->unlisted, false};
    const struct table branches = {"branches",
                                   b,
                                   b->branch,
                                   b->n_branches,
                                   b->entries,
                                   b->unlisted,
                                   s->branches_known & BRANCH_PREDICTION};
    const struct table blocks = {"blocks",
                                 b,
                                 b->block,
                                 b->n_blocks,
                                 b->block_times,
                                 b->unlisted_blocks,
                                 s->branches_known & BRANCH_CYCLES};
    if (s->branches & LBR_CALL_STACK) {
        emit(from, s, &stacks);
        return;
    }
    emit(from, s, &branches);
    if ((s->branches & LBR_ANY) == LBR_ANY) emit(from, s, &blocks);
}

#define RAW_LIST(key, value)                                                                          \
    do {                                                                                              \
        OPEN(r, raw_sample, key);                                                                     \
        for (const struct branch *b = at; b < at + s->branches; b++) ITEM(r, raw_sample, key, value); \
        rec_close(r);                                                                                 \
    } while (0)

void emit_raw_branches(struct record *r, const struct sample *s, const struct branch *at)
{
    uint8_t known = 0;
    if (!(s->valid & SAMPLE_BRANCHES)) return;
    for (unsigned i = 0; i < s->branches; i++) known |= at[i].known;
    RAW_LIST(branch_from, b->from);
    RAW_LIST(branch_to, b->to);
    if (known & BRANCH_PREDICTION) RAW_LIST(branch_mispredicted, b->mispredicted);
    if (known & BRANCH_CYCLES) RAW_LIST(branch_cycles, b->cycles);
}
