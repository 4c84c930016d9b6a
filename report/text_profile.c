/* Profiles as tables, one line a place, and what was deduced from them. */
#include "report/text.h"
#include <string.h>

/* ---- private ---- */

#define LINES_SHOWN 40 /* the records have all */

static double number(const struct record *r, const char *key) { return rec_number(r, key, 0); }

/* Words and the value of a field that is there. */
static void say(struct para *p, const char *words, const struct record *r, const char *key)
{
    para_str(p, words);
    para_field(p, rec_find(r, key));
}

static void heading(const struct record *r, bool ip, text_put put)
{
    struct para p;
    para_begin(&p, put, "", 2);
    say(&p, "profile by ", r, "by");
    say(&p, " of ", r, "event");
    say(&p, ": ", r, "samples");
    say(&p, " samples by ", r, "method");
    say(&p, ", one in ", r, "period");
    if (number(r, "jitter")) para_str(&p, " on average (jittered)");
    if (has_flag(r, "flags", "modelled")) para_str(&p, ", modelled");
    para_end(&p);
    put(ip ? "      share   samples  from target     bytes  address     symbol"
           : "      share   samples        apart  address");
}

/* A signed number of a line, or a dash. */
static void distance(struct para *p, const struct field *line, const char *key, int width)
{
    const struct field *f = member(line, key);
    if (f)
        para_printf(p, "%+*.0f", width, field_number(f, 0));
    else
        para_printf(p, "%*s", width, "-");
}

static void share(struct para *p, text_put put, double count, double share)
{
    para_begin(p, put, "", 2);
    para_printf(p, "%7.2f %% %9.0f ", 100 * share, count);
}

static void row(const struct field *l, bool ip, text_put put)
{
    struct para p;
    share(&p, put, field_number(member(l, "count"), 0), field_number(member(l, "share"), 0));
    distance(&p, l, ip ? "instructions" : "step", 12);
    if (ip) distance(&p, l, "bytes", 10);
    para_printf(&p, "  %-10s  %s", member_text(l, "address", "?"), member_text(l, "symbol", ""));
    para_end(&p);
}

static void footing(const struct record *r, text_put put)
{
    double unknown = number(r, "unknown"), more = number(r, "distinct") - LINES_SHOWN;
    bool lost = number(r, "lost") > 0;
    struct para p;
    if (unknown > 0) {
        share(&p, put, unknown, unknown / number(r, "samples"));
        para_str(&p, " unknown");
        para_end(&p);
    }
    if (more <= 0 && !lost) return;
    para_begin(&p, put, "  !", 4);
    if (more > 0) para_printf(&p, "%.0f more lines are in the records", more);
    if (lost) {
        say(&p, more > 0 ? "; " : "", r, "lost");
        para_str(&p, " more samples were lost: the buffer was full");
    }
    para_end(&p);
}

/* ---- public ---- */

void text_profile(const struct record *r, text_put put)
{
    bool ip = strcmp(rec_text(r, "by", ""), "instruction") == 0;
    double at = number(r, "first");
    if (at == 0) heading(r, ip, put);
    for (const struct field *l = members(rec_find(r, "lines")); l; l = member_next(l))
        if (at++ < LINES_SHOWN) row(l, ip, put);
    if (at == number(r, "distinct")) footing(r, put);
}

void text_deduction(const struct record *r, text_put put)
{
    const char *warning = rec_text(r, "warning", NULL);
    struct para p;
    para_begin(&p, put, "  deduced:", 11);
    say(&p, "", r, "addresses");
    para_str(&p, number(r, "addresses") == 1 ? " address" : " addresses");
    if (rec_find(r, "difference")) {
        say(&p, ", ", r, "difference");
        para_str(&p, " bytes apart");
    }
    if (number(r, "sets_used") == 1) {
        say(&p, "; set ", r, "set");
        say(&p, " of ", r, "sets");
        say(&p, " in L", r, "level");
    }
    say(&p, "; ", r, "conclusion");
    para_end(&p);
    if (!warning) return;
    para_begin(&p, put, "  !", 4);
    para_str(&p, warning);
    para_end(&p);
}
