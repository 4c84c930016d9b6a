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
#define WHOLE   1e18 /* a scale that has no decimals */

static struct {
    unsigned columns, width[COLUMNS];
    double reps;
    bool any;   /* a row has come: the first one is printed as it is */
    bool timed; /* rows have the cycle in which the counters stopped; else what was asked for */
    /* Rows without anything new that have not been printed. */
    unsigned held;
    double last; /* cycle of the last of them */
    char line[2 * TEXT_COLUMNS];
} table;

static double element(const struct field *list, unsigned i)
{
    const struct field *f = members(list);
    for (; f && i; i--) f = member_next(f);
    return field_number(f, (double)NAN);
}

/* ---- the heading ---- */

/* A capture may have any bytes. */
static bool printable(const char *s)
{
    while (*s >= ' ' && *s <= '~') s++;
    return *s == '\0';
}

static const char *name_of(const struct field *f) { return f->type == FIELD_STR ? f->s : "?"; }

/* False: the names do not fit beside each other. */
static bool name_columns(const struct record *r, const char *name[COLUMNS])
{
    unsigned all = CYCLE;
    bool good = true;
    table.columns = 0;
    for (const struct field *f = members(rec_find(r, "events")); f && table.columns < COLUMNS;
         f = member_next(f)) {
        const size_t n = strlen(name_of(f));
        table.width[table.columns] = n > LEAST && n < TEXT_COLUMNS ? (unsigned)n : LEAST;
        all += 1 + table.width[table.columns] + CAME;
        good &= n < TEXT_COLUMNS && printable(name_of(f));
        name[table.columns++] = name_of(f);
    }
    return good && all <= TEXT_COLUMNS;
}

/* Names that are too long get a letter each, which a line above the table explains. */
static void letter_columns(const char *name[COLUMNS], text_put put)
{
    static const char *const letter[COLUMNS] = {"A", "B", "C", "D"};
    for (unsigned i = 0; i < table.columns; i++) {
        struct para p;
        para_begin(&p, put, "", 2);
        para_str(&p, letter[i]);
        para_str(&p, ": ");
        para_str(&p, name[i]);
        para_end(&p);
        table.width[i] = LEAST;
        name[i] = letter[i];
    }
}

static void heading(const struct record *r, text_put put)
{
    const char *name[COLUMNS];
    char line[TEXT_COLUMNS + 1];
    if (!name_columns(r, name)) letter_columns(name, put);
    int used = snprintf(line, sizeof line, "%*s", CYCLE, table.timed ? "cycle" : "asked");
    for (unsigned i = 0; i < table.columns; i++)
        used += snprintf(line + used, sizeof line - (size_t)used, "%*s %*s", i ? CAME : 0, "",
                         (int)table.width[i], name[i]);
    put(line);
}

void text_steps(const struct record *r, text_put put)
{
    const char *variant = rec_text(r, "variant", "");
    const double late = rec_number(r, "late", 0), reps = rec_number(r, "reps", 0);
    struct para p;
    table.reps = reps;
    table.any = false;
    table.timed = rec_find(r, "cycles");
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
    if (text_origin()) para_printf(&p, " (%s)", text_origin());
    para_end(&p);
    para_begin(&p, put, "", 2);
    if (table.timed)
        para_printf(&p, "the bracket takes %.0f cycles, and %.0f when it is empty",
                    rec_number(r, "cycles", 0), rec_number(r, "empty", 0));
    else
        para_str(
            &p,
            "cycles are unmodelled: the first column is the cycle that was asked for, which orders the rows");
    if (rec_find(r, "as_empty"))
        para_printf(&p, "; up to cycle %.0f nothing differs from the empty one",
                    rec_number(r, "as_empty", 0));
    if (late > 0)
        para_printf(&p, "; counters stopped up to %.0f cycles late, which the first column includes", late);
    para_end(&p);
    if (rec_find(r, "unmodelled")) {
        para_begin(&p, put, "", 2);
        para_str(&p, "no value: ");
        para_list(&p, r, "unmodelled");
        para_end(&p);
    }
    text_doubts(r, put);
    text_neighbours_forget();
    text_neighbours(r, put);
    heading(r, put);
}

/* ---- rows ---- */

/* What came; "": nothing. */
static void signed_number(char *s, size_t cap, double v)
{
    s[0] = '\0';
    if (v != 0 && isfinite(v)) snprintf(s, cap, "%+.0f", v);
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
    const double cycles = rec_number(r, table.timed ? "cycles" : "asked", 0),
                 frozen = rec_number(r, "frozen", 0);
    char line[2 * TEXT_COLUMNS], cycle[24];
    bool new = frozen != table.reps || !table.any;
    text_number(cycle, sizeof cycle, cycles, WHOLE);
    int used = snprintf(line, sizeof line, "%*s", CYCLE, cycle);
    for (unsigned i = 0; i < table.columns && used < (int)sizeof line; i++) {
        const double came = element(rec_find(r, "came"), i);
        const bool varies = element(rec_find(r, "least"), i) != element(rec_find(r, "most"), i);
        char count[24], more[24];
        text_number(count, sizeof count, element(rec_find(r, "count"), i), WHOLE);
        signed_number(more, sizeof more, came);
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
