/* Cycle by cycle: a table, one row a step. Of rows in which nothing new was counted one is printed, and of
 * several in a row how many. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/text.h"

#define COLUMNS 4 /* == STEPS_EVENTS */
#define LEAST   8 /* width of a count */
#define CAME    8 /* of what came, with the mark before it */
#define CYCLE   10

static struct {
    unsigned columns, width[COLUMNS];
    double reps;
    bool any; /* a row has come: the first one is printed as it is */
    /* Rows without anything new that have not been printed. */
    unsigned held;
    double first, last;
    char line[2 * TEXT_COLUMNS];
} table;

static double element(const struct field *list, unsigned i)
{
    const struct field *f = members(list);
    for (; f && i; i--) f = member_next(f);
    return field_number(f, (double)NAN);
}

/* ---- the heading ---- */

/* Long names get a letter each, which a line above the table explains. */
static void name_columns(const struct record *r, text_put put)
{
    char line[2 * TEXT_COLUMNS + 8 * COLUMNS];
    unsigned all = CYCLE;
    bool letters = false;
    table.columns = 0;
    for (const struct field *f = members(rec_find(r, "events")); f && table.columns < COLUMNS;
         f = member_next(f)) {
        const size_t n = f->type == FIELD_STR ? strlen(f->s) : 0;
        table.width[table.columns] = n > LEAST && n < TEXT_COLUMNS ? (unsigned)n : LEAST;
        letters |= n >= TEXT_COLUMNS;
        all += 1 + table.width[table.columns++] + CAME;
    }
    letters |= all > TEXT_COLUMNS;
    int used = snprintf(line, sizeof line, "%*s", CYCLE, "cycle");
    unsigned i = 0;
    for (const struct field *f = members(rec_find(r, "events")); f && i < table.columns;
         f = member_next(f), i++) {
        const char letter[2] = {(char)('A' + i), '\0'}, *name = f->type == FIELD_STR ? f->s : "?";
        if (letters) {
            struct para p;
            table.width[i] = LEAST;
            para_begin(&p, put, "", 2);
            para_str(&p, letter);
            para_str(&p, ": ");
            para_str(&p, name);
            para_end(&p);
        }
        used += snprintf(line + used, sizeof line - (size_t)used, " %*s%*s", (int)table.width[i],
                         letters ? letter : name, CAME, i + 1 < table.columns ? "" : "");
    }
    while (used && line[used - 1] == ' ') line[--used] = '\0';
    put(line);
}

void text_steps(const struct record *r, text_put put)
{
    const char *variant = rec_text(r, "variant", "");
    const double late = rec_number(r, "late", 0), reps = rec_number(r, "reps", 0);
    struct para p;
    text_mark(r);
    table.reps = reps;
    table.any = false;
    put("");
    para_begin(&p, put, "", 0);
    para_str(&p, rec_text(r, "bench", "?"));
    if (*variant) para_printf(&p, " %s", variant);
    for (const struct field *f = members(rec_find(r, "params")); f; f = member_next(f)) {
        para_str(&p, " ");
        para_str(&p, f->key);
        para_str(&p, "=");
        para_field(&p, f);
    }
    para_printf(&p, ", ring %.0f, cycle by cycle: what had been counted up to there, and ",
                rec_number(r, "ring", 0));
    para_printf(&p, "what came since the row before; medians of %.0f repetition%s", reps,
                reps == 1 ? "" : "s");
    if (text_mark(r)) para_printf(&p, " (%c)", text_mark(r));
    para_end(&p);
    para_begin(&p, put, "", 2);
    para_printf(&p, "the bracket takes %.0f cycles, and %.0f when it is empty", rec_number(r, "cycles", 0),
                rec_number(r, "empty", 0));
    if (rec_find(r, "as_empty"))
        para_printf(&p, "; up to cycle %.0f nothing differs from the empty one",
                    rec_number(r, "as_empty", 0));
    if (late > 0) para_printf(&p, "; counters stopped up to %.0f cycles late, which `cycle` includes", late);
    para_end(&p);
    if (rec_find(r, "unmodelled")) {
        para_begin(&p, put, "", 2);
        para_str(&p, "the model lacks ");
        para_list(&p, r, "unmodelled");
        para_end(&p);
    }
    name_columns(r, put);
}

/* ---- rows ---- */

static void number(char *s, size_t cap, double v)
{
    if (v > -1e7 && v < 1e8)
        snprintf(s, cap, "%.0f", v);
    else
        text_number(s, cap, v, __builtin_fabs(v));
}

static void release(text_put put)
{
    char line[TEXT_COLUMNS + 1];
    if (table.held == 1) put(table.line);
    if (table.held > 1) {
        snprintf(line, sizeof line, "%*s nothing new in %u steps, up to cycle %.0f", CYCLE, "...", table.held,
                 table.last);
        put(line);
    }
    table.held = 0;
}

static void left_out(double frozen, text_put put)
{
    struct para p;
    para_begin(&p, put, "", CYCLE + 1);
    para_printf(&p, "%.0f of %.0f repetitions: in the others the bracket had ended", frozen, table.reps);
    para_end(&p);
}

void text_step(const struct record *r, text_put put)
{
    const double cycles = rec_number(r, "cycles", 0), frozen = rec_number(r, "frozen", 0);
    char line[2 * TEXT_COLUMNS];
    bool new = frozen != table.reps || !table.any;
    int used = snprintf(line, sizeof line, "%*.0f", CYCLE, cycles);
    for (unsigned i = 0; i < table.columns && used < (int)sizeof line; i++) {
        const double came = element(rec_find(r, "came"), i);
        const bool varies = element(rec_find(r, "least"), i) != element(rec_find(r, "most"), i);
        char count[24], sum[24] = "", more[32] = "";
        number(count, sizeof count, element(rec_find(r, "count"), i));
        if (came != 0) number(sum, sizeof sum, came);
        if (came != 0) snprintf(more, sizeof more, "%s%s", came > 0 ? "+" : "", sum);
        used += snprintf(line + used, sizeof line - (size_t)used, " %*s%c%*s", (int)table.width[i], count,
                         varies ? '*' : ' ', CAME - 1, more);
        new |= came != 0;
        if (varies) text_legend_use(LEGEND_VARIES);
    }
    while (used && used < (int)sizeof line && line[used - 1] == ' ') line[--used] = '\0';
    table.any = true;
    if (new) {
        release(put);
        put(line);
        if (frozen != table.reps) left_out(frozen, put);
        return;
    }
    if (table.held++ == 0) snprintf(table.line, sizeof table.line, "%s", line);
    table.last = cycles;
}

void text_steps_close(text_put put)
{
    if (put) release(put);
    table.held = 0;
}
