/* Intervals: a table, a row for each, with a column for each event. Names of events are long, so the columns
 * have letters, which stand above the table. */
#include "report/text.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- private ---- */

static bool open;  /* the heading has been printed, and rows follow */
static bool timed; /* false: these records have no times, and cells are counts */

#define AHEAD  42 /* columns before those of the events */
#define COLUMN 12 /* at least, with a blank */
#define LINE   (2 * TEXT_COLUMNS)
#define WHOLE  1e18 /* a scale that has no decimals */

static bool cell_flag(const struct field *e, const char *flag)
{
    for (const struct field *f = members(member(e, "flags")); f; f = member_next(f))
        if (strcmp(f->s, flag) == 0) return true;
    return false;
}

static const struct {
    const char *flag, *words;
} doubts[] = {
    {"overcount", " (may be too many)"}, {"undercount", " (may be too few)"}, {"erratum", " (may be wrong)"}};

static void letters(const struct record *r, text_put put)
{
    char letter = 'a';
    for (const struct field *e = members(rec_find(r, "events")); e; e = member_next(e), letter++) {
        struct para p;
        char label[8];
        snprintf(label, sizeof label, "  %c  ", letter);
        para_begin(&p, put, label, 5);
        para_str(&p, member_text(e, "event", "?"));
        for (size_t i = 0; i < sizeof doubts / sizeof *doubts; i++) {
            if (!cell_flag(e, doubts[i].flag)) continue;
            para_str(&p, doubts[i].words);
            text_errata(&p, member(e, "errata"));
        }
        para_end(&p);
    }
}

/* The next line of cells, as many as fit. Returns the event after the last one in it. */
static const struct field *line_of(const struct field *e, char *line, size_t n,
                                   void (*cell)(const struct field *e, unsigned i, char *text, size_t cap),
                                   unsigned *i)
{
    for (const unsigned first = *i; e; e = member_next(e), ++*i) {
        char text[32];
        cell(e, *i, text, sizeof text);
        const size_t width = strlen(text) < COLUMN ? COLUMN : strlen(text) + 1;
        if (*i > first && n + width > TEXT_COLUMNS) break;
        n += (size_t)snprintf(line + n, LINE - n, "%*s", (int)width, text);
    }
    return e;
}

static void cells(const struct record *r, const char *ahead,
                  void (*cell)(const struct field *e, unsigned i, char *text, size_t cap), text_put put)
{
    const struct field *e = members(rec_find(r, "events"));
    unsigned i = 0;
    do {
        char line[LINE];
        const size_t n = (size_t)snprintf(line, sizeof line, "%-*s", AHEAD, i ? "" : ahead);
        e = line_of(e, line, n, cell, &i);
        put(line);
    } while (e);
}

static void column_name(const struct field *e, unsigned i, char *text, size_t cap)
{
    (void)e;
    snprintf(text, cap, timed ? "%c /s" : "%c", 'a' + (int)i);
}

static void value_of(const struct field *e, unsigned i, char *text, size_t cap)
{
    const double v = field_number(member(e, timed ? "rate" : "count"), (double)NAN);
    (void)i;
    if (isnan(v))
        snprintf(text, cap, "unmod.");
    else
        text_number(text, cap, v, timed ? v : WHOLE);
    if (cell_flag(e, "wrapped")) strcat(text, "!");
}

static void heading(const struct record *r, text_put put)
{
    char line[TEXT_COLUMNS + 1];
    const char *variant = rec_text(r, "variant", ""), *bench = rec_text(r, "bench", "?");
    struct para p;
    put("");
    para_begin(&p, put, "  ", 2);
    para_printf(&p, "%s of %s%s%s", timed ? "Rates" : "Counts", bench, *variant ? " " : "", variant);
    for (const struct field *f = members(rec_find(r, "params")); f; f = member_next(f)) {
        para_printf(&p, " %s=", f->key);
        para_field(&p, f);
    }
    if (!rec_find(r, "rounds")) para_str(&p, " (a loop that waits and reads the time stamp)");
    para_printf(&p, " on processor %.0f, ring %.0f", rec_number(r, "cpu", 0), rec_number(r, "ring", 0));
    for (const struct field *f = members(rec_find(r, "flags")); f; f = member_next(f))
        para_printf(&p, " (%s)", f->s);
    if (!timed) para_str(&p, "; time is unmodelled, so these are counts of each interval");
    para_end(&p);
    letters(r, put);
    cells(r,
          timed ? "  no.     at s counted s  irq/s   rounds/s"
                : "  no.                       irqs     rounds",
          column_name, put);
    memset(line, '-', TEXT_COLUMNS);
    line[TEXT_COLUMNS] = '\0';
    put(line);
}

/* ---- public ---- */

void text_interval_close(void) { open = false; }

void text_interval(const struct record *r, text_put put)
{
    const double seconds = rec_number(r, "seconds", (double)NAN);
    char ahead[LINE / 2], times[24] = "", irq[24], rounds[24];
    timed = !isnan(seconds);
    if (!open) heading(r, put);
    open = true;
    const double by = timed ? seconds : 1;
    const double rate = rec_number(r, timed ? "interrupts_rate" : "interrupts", (double)NAN),
                 round_rate = rec_number(r, "rounds", (double)NAN) / by;
    text_number(irq, sizeof irq, rate,
                !timed       ? WHOLE
                : rate < 1e3 ? rate
                             : 1e4); /* one decimal where two would not fit */
    text_number(rounds, sizeof rounds, round_rate, timed ? round_rate : WHOLE);
    if (timed) snprintf(times, sizeof times, "%8.3f %9.4f", rec_number(r, "at", 0), seconds);
    snprintf(ahead, sizeof ahead, "%5.0f %18s %6s %10s", rec_number(r, "number", 0), times, irq, rounds);
    cells(r, ahead, value_of, put);
    text_neighbours(r, put);
}
