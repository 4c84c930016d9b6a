#include "report/emit_lab.h"
#include "report/emit_errata.h"
#include "report/put.h"

#define VALUES_PER_RECORD  100 /* of a series: a real has 24 characters at most */
#define COLUMNS_PER_RECORD 64  /* of a matrix: five characters more each */

static const char *const unknown[] = {
    [LAB_COUNTED] = NULL, [LAB_UNMODELLED] = "unmodelled", [LAB_ABSENT] = "absent"};

struct where {
    const struct machine *m;
    const struct options *opt;
};

/* Where its number comes from. */
static const char *origin(const struct machine *m, enum lab_source source)
{
    return source == LAB_KNOWN ? NULL : origin_flag(source == LAB_TIMES ? m->time_origin : m->count_origin);
}

/* Times of the PMU model are none. */
static bool withheld(const struct machine *m, enum lab_source source)
{
    return source == LAB_TIMES && m->modelled;
}

static enum lab_state state_of(const struct machine *m, const struct lab_quantity *q)
{
    return q->state == LAB_COUNTED && withheld(m, q->source) ? LAB_UNMODELLED : q->state;
}

static void quantity(struct record *r, const struct machine *m, const struct lab_quantity *q)
{
    PUT(r, quantity, name, q->name);
    PUT(r, quantity, unit, q->unit);
    if (state_of(m, q) == LAB_COUNTED) PUT(r, quantity, value, q->value);
}

static bool is_counted(const struct lab_quantity *q, unsigned n)
{
    for (; n--; q++)
        if (q->source == LAB_COUNTS && q->state == LAB_COUNTED) return true;
    return false;
}

/* Each flag once, and the errata of what may be in these counts: of all events that have been counted, since
 * only the experiment knows which of them it has used. */
static void flags(struct record *r, const struct run *run, const struct machine *m,
                  const struct lab_quantity *q, unsigned n)
{
    const uint64_t errata = is_counted(q, n) ? errata_here(m, run->errata) : 0;
    const char *seen[4] = {NULL}, *doubt = errata_flag(m, errata);
    unsigned used = 0;
    put_errata(r, errata);
    OPEN(r, answer, flags);
    for (unsigned i = 0; i < n; i++) {
        const enum lab_state state = state_of(m, &q[i]);
        const char *flag = state == LAB_COUNTED ? origin(m, q[i].source) : unknown[state];
        unsigned k = 0;
        while (k < used && seen[k] != flag) k++;
        if (!flag || k < used) continue;
        seen[used++] = flag;
        ITEM(r, answer, flags, flag);
    }
    if (doubt) ITEM(r, answer, flags, doubt);
    rec_close(r);
}

static void row(void *ctx, const struct run *run, const char *table, const struct lab_quantity *q, unsigned n,
                const char *note)
{
    const struct where *where = ctx;
    struct record *r = table ? NEW(row) : NEW(value);
    emit_identity(r, run, where->opt->ring);
    if (!table) {
        quantity(r, where->m, q);
        if (note) PUT(r, value, note, note);
    } else {
        PUT(r, row, table, table);
        if (n && q->source == LAB_NAMED) {
            PUT(r, row, label, q->unit);
            q++;
            n--;
        }
        OPEN(r, row, cells);
        for (unsigned i = 0; i < n; i++) {
            rec_object(r, NULL);
            quantity(r, where->m, &q[i]);
            OPEN(r, cell, flags);
            const char *why = unknown[state_of(where->m, &q[i])];
            if (why) ITEM(r, cell, flags, why);
            rec_close(r);
            rec_close(r);
        }
        rec_close(r);
    }
    flags(r, run, where->m, q, n);
    record_emit(r);
}

static void series(void *ctx, const struct run *run, const char *name, const char *unit, const double *value,
                   unsigned n, enum lab_source source)
{
    const struct where *where = ctx;
    if (withheld(where->m, source)) {
        row(ctx, run, NULL, &(struct lab_quantity){name, unit, 0, source, LAB_COUNTED}, 1, NULL);
        return;
    }
    for (unsigned first = 0; first < n; first += VALUES_PER_RECORD) {
        struct record *r = NEW(series);
        emit_identity(r, run, where->opt->ring);
        PUT(r, series, name, name);
        PUT(r, series, unit, unit);
        PUT(r, series, first, first);
        OPEN(r, series, values);
        for (unsigned i = first; i < n && i < first + VALUES_PER_RECORD; i++)
            ITEM(r, series, values, value[i]);
        rec_close(r);
        flags(r, run, where->m, &(struct lab_quantity){.source = source}, 1);
        record_emit(r);
    }
}

/* Rows, each in pieces that a record has room for; a value without one where there are none. */
static void matrix(void *ctx, const struct run *run, const char *name, const char *unit,
                   const unsigned *index, const double *value, unsigned n, enum lab_source source)
{
    const struct where *where = ctx;
    if (withheld(where->m, source)) {
        row(ctx, run, NULL, &(struct lab_quantity){name, unit, 0, source, LAB_COUNTED}, 1, NULL);
        return;
    }
    for (unsigned i = 0; i < n; i++)
        for (unsigned first = 0; first < n; first += COLUMNS_PER_RECORD) {
            const unsigned end = n - first < COLUMNS_PER_RECORD ? n : first + COLUMNS_PER_RECORD;
            struct record *r = NEW(matrix);
            emit_identity(r, run, where->opt->ring);
            PUT(r, matrix, name, name);
            PUT(r, matrix, unit, unit);
            PUT(r, matrix, row, index[i]);
            OPEN(r, matrix, columns);
            for (unsigned k = first; k < end; k++) ITEM(r, matrix, columns, index[k]);
            rec_close(r);
            OPEN(r, matrix, values);
            for (unsigned k = first; k < end; k++) ITEM(r, matrix, values, value[(size_t)i * n + k]);
            rec_close(r);
            PUT(r, matrix, last, i + 1 == n && end == n);
            flags(r, run, where->m, &(struct lab_quantity){.source = source}, 1);
            record_emit(r);
        }
}

const struct lab_sink *emit_lab_sink(const struct machine *m, const struct options *opt)
{
    static struct where where;
    static const struct lab_sink sink = {row, series, matrix, &where};
    where = (struct where){m, opt};
    return &sink;
}
