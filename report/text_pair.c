/* Pairs: a table for each way in which two processors are neighbours; and the heading of a processor. */
#include "report/text.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- private ---- */

static char open[12]; /* how of the open table; "" = none is open */

/* Names of the benchmark, its variant, and the event, in so many columns. */
#define LABEL 34

static const char *words_for(const char *how)
{
    static const struct {
        const char *how, *words;
    } ways[] = {{"threads", "two threads of one core"},
                {"cache", "two cores that share a cache"},
                {"packages", "two packages"}};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (strcmp(how, ways[i].how) == 0) return ways[i].words;
    return how;
}

static void heading(const struct record *r, text_put put)
{
    struct para p;
    put("");
    para_begin(&p, put, "", 2);
    para_str(&p, "Pair on ");
    para_str(&p, words_for(rec_text(r, "how", "?")));
    para_end(&p);
    para_begin(&p, put, "", 2);
    p.glue = true;
    para_printf(&p, "%-*s", LABEL, "  benchmark, processor, unit");
    para_printf(&p, "%9s%10s%10s   %.0f %% interval", "alone", "together", "slowdown", rec_number(r, "conf", 95));
    para_end(&p);
}

static void number(struct para *p, const struct record *r, const char *key, int width)
{
    const double v = rec_number(r, key, (double)NAN);
    char text[24] = "-";
    if (!isnan(v)) text_number(text, sizeof text, v, v);
    para_printf(p, "%*s", width, text);
}

static void ratio(struct para *p, double v, int width)
{
    if (isnan(v))
        para_printf(p, "%*s", width, "-");
    else
        para_printf(p, "%*.*f", width, v < 100 ? 3 : 0, v);
}

/* ---- public ---- */

void text_pair_close(void) { open[0] = '\0'; }

void text_pair(const struct record *r, text_put put)
{
    const char *how = rec_text(r, "how", "?"), *variant = rec_text(r, "variant", "");
    const double low = rec_number(r, "low", (double)NAN), high = rec_number(r, "high", (double)NAN);
    char label[128];
    struct para p;
    if (strcmp(open, how) != 0) heading(r, put);
    snprintf(open, sizeof open, "%s", how);
    snprintf(label, sizeof label, "  %s%s%s @%.0f %s", rec_text(r, "bench", "?"), *variant ? " " : "", variant,
             rec_number(r, "cpu", 0), rec_text(r, "unit", ""));
    if (strlen(label) >= LABEL) {
        para_begin(&p, put, label, 4);
        para_end(&p);
        label[0] = '\0';
    }
    para_begin(&p, put, "", 2);
    p.glue = true;
    para_printf(&p, "%-*s", LABEL, label);
    number(&p, r, "alone", 9);
    number(&p, r, "together", 10);
    ratio(&p, rec_number(r, "slowdown", (double)NAN), 10);
    if (isnan(low) || isnan(high)) {
        para_str(&p, "   not known");
    } else {
        ratio(&p, low, 8);
        para_str(&p, " to ");
        ratio(&p, high, 1);
    }
    const char mark = text_mark(r);
    if (mark) para_printf(&p, " %c", mark);
    para_end(&p);
    text_doubts(r, put);
}

void text_place(const struct record *r, text_put put)
{
    const char *kind = rec_text(r, "kind", "");
    struct para p;
    put("");
    para_begin(&p, put, "", 4);
    para_printf(&p, "On processor %.0f (%s%s", rec_number(r, "cpu", 0), kind, *kind ? "-core, " : "");
    para_printf(&p, "package %.0f, core %.0f, ", rec_number(r, "package", 0), rec_number(r, "core", 0));
    para_printf(&p, "thread %.0f)", rec_number(r, "thread", 0));
    para_end(&p);
}

/* What ran beside it: once for results that follow each other. */
void text_neighbours(const struct record *r, text_put put)
{
    for (const struct field *o = members(rec_find(r, "with")); o; o = member_next(o)) {
        const char *variant = member_text(o, "variant", "");
        struct para p;
        para_begin(&p, put, "    beside ", 6);
        para_str(&p, member_text(o, "bench", "?"));
        if (*variant) para_printf(&p, " %s", variant);
        para_printf(&p, " on processor %.0f", field_number(member(o, "cpu"), 0));
        para_printf(&p, " (%.0f rounds%s)", field_number(member(o, "rounds"), 0),
                    field_number(member(o, "ended"), 0) != 0 ? ", then it ended" : "");
        para_end(&p);
    }
}
