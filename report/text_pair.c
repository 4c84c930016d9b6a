/* Pairs: a table for each way in which two processors are neighbours; and the heading of a processor. */
#include "report/text.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- private ---- */

static char open[12];       /* how of the open table; "" = none is open */
static char side_shown[80]; /* its last line that names a side */

#define UNIT   30 /* columns of the unit: fewer where numbers need more */
#define NUMBER 9

static const char *words_for(const char *how)
{
    static const struct {
        const char *how, *words;
    } ways[] = {{"threads", "two threads of one core"},
                {"cache", "two cores that share a cache"},
                {"packages", "two packages"},
                {"cores", "two cores of a package"}};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (strcmp(how, ways[i].how) == 0) return ways[i].words;
    return how;
}

static void heading(const struct record *r, text_put put)
{
    char line[TEXT_COLUMNS + 1], title[UNIT];
    snprintf(title, sizeof title, "%s", words_for(rec_text(r, "how", "?")));
    snprintf(line, sizeof line, "%-*s%9s%9s%10s  %.0f %% interval", UNIT, title, "alone", "together",
             "slowdown", rec_number(r, "conf", 95));
    put("");
    text_origin_put(put);
    put(line);
    memset(line, '-', TEXT_COLUMNS);
    line[TEXT_COLUMNS] = '\0';
    put(line);
    side_shown[0] = '\0';
}

/* Once for all of its events. */
static void side(const struct record *r, text_put put)
{
    const char *variant = rec_text(r, "variant", "");
    char line[sizeof side_shown];
    struct para p;
    snprintf(line, sizeof line, "%s%s%s on processor %.0f", rec_text(r, "bench", "?"), *variant ? " " : "",
             variant, rec_number(r, "cpu", 0));
    if (strcmp(line, side_shown) == 0) return;
    strcpy(side_shown, line);
    para_begin(&p, put, line, 4);
    para_end(&p);
}

/* Returns the columns that it needs beyond its own. */
static int number(char *s, size_t cap, const struct record *r, const char *key)
{
    const double v = rec_number(r, key, (double)NAN);
    text_number(s, cap, v, v);
    return (int)strlen(s) < NUMBER ? 0 : (int)strlen(s) - NUMBER + 1;
}

static void ratio(char *s, size_t cap, double v)
{
    if (isnan(v))
        snprintf(s, cap, "-");
    else
        snprintf(s, cap, "%.*f", v < 10 ? 3 : v < 1000 ? 1 : 0, v);
}

/* ---- public ---- */

void text_pair_close(void) { open[0] = '\0'; }

void text_pair(const struct record *r, text_put put)
{
    const char *how = rec_text(r, "how", "?");
    const double low = rec_number(r, "low", (double)NAN), high = rec_number(r, "high", (double)NAN);
    char unit[80], of[16], from[16], to[16], alone[32], together[32];
    struct para p;
    if (strcmp(open, how) != 0) heading(r, put);
    snprintf(open, sizeof open, "%s", how);
    side(r, put);
    snprintf(unit, sizeof unit, "    %s", rec_text(r, "unit", ""));
    const int beyond =
        number(alone, sizeof alone, r, "alone") + number(together, sizeof together, r, "together");
    if ((int)strlen(unit) >= UNIT - beyond) {
        para_begin(&p, put, unit, 6);
        para_end(&p);
        unit[0] = '\0';
    }
    ratio(of, sizeof of, rec_number(r, "slowdown", (double)NAN));
    ratio(from, sizeof from, low);
    ratio(to, sizeof to, high);
    para_begin(&p, put, unit, beyond < UNIT ? (unsigned)(UNIT - beyond) : 0);
    p.glue = true; /* a row stays a row */
    para_printf(&p, " %*s %*s", NUMBER - 1, alone, NUMBER - 1, together);
    para_printf(&p, "%10s  ", of);
    para_printf(&p, isnan(low) || isnan(high) ? "not known" : "%s to %s", from, to);
    para_end(&p);
    if (isnan(low) || isnan(high)) {
        para_begin(&p, put, "    !", 6);
        para_str(
            &p, "no interval: that of the mean alone reaches 0, or a mean has none; more reps= may give one");
        para_end(&p);
    }
    text_doubts(r, put);
}

void text_measuring(const struct record *r, text_put put)
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

/* ---- neighbours ---- */

static char beside[400]; /* what stands above: the measurement, and its neighbours' rounds */

void text_neighbours_forget(void) { beside[0] = '\0'; }

static void append(char *s, size_t cap, const char *text, double number)
{
    const size_t n = strlen(s);
    snprintf(s + n, cap - n, "%s %.0f ", text, number);
}

/* Is this another event of the same measurement? */
static bool is_said(const struct record *r)
{
    char now[sizeof beside] = "";
    append(now, sizeof now, rec_text(r, "bench", ""), rec_number(r, "cpu", 0));
    append(now, sizeof now, rec_text(r, "variant", ""), 0);
    for (const struct field *f = members(rec_find(r, "params")); f; f = member_next(f))
        append(now, sizeof now, f->key, field_number(f, 0));
    for (const struct field *o = members(rec_find(r, "with")); o; o = member_next(o))
        append(now, sizeof now, member_text(o, "bench", ""), field_number(member(o, "rounds"), 0));
    const bool said = strcmp(now, beside) == 0;
    strcpy(beside, now);
    return said;
}

void text_neighbours(const struct record *r, text_put put)
{
    if (is_said(r) || !rec_find(r, "with")) return; /* a row without any separates, too */
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
