/* Profiles as tables, one line per place, and the deductions from them. */
#include "report/text.h"
#include <stdio.h>
#include <string.h>

/* ---- private ---- */

#define LINES_SHOWN  40 /* the records have all lines */
#define SYMBOL_WIDTH 18

/* The columns of the current table, without those that would be empty. */
static struct {
    bool ip;       /* by instruction */
    bool distance; /* from the target, or from one data address to the next */
    bool code;
} table;

static double number(const struct record *r, const char *key) { return rec_number(r, key, 0); }

/* Words and the value of a field, if it is present. */
static void say(struct para *p, const char *words, const struct record *r, const char *key)
{
    const struct field *f = rec_find(r, key);
    para_str(p, words);
    if (f) para_field(p, f);
}

static bool any_line_has(const struct record *r, const char *key)
{
    for (const struct field *l = members(rec_find(r, "lines")); l; l = member_next(l))
        if (member(l, key)) return true;
    return false;
}

static void heading(const struct record *r, text_put put)
{
    struct para p;
    para_begin(&p, put, "", 2);
    say(&p, "profile by ", r, "by");
    say(&p, " of ", r, "event");
    say(&p, ": ", r, "samples");
    say(&p, number(r, "samples") == 1 ? " sample by " : " samples by ", r, "method");
    say(&p, ", one in ", r, "period");
    if (number(r, "jitter")) para_str(&p, " on average (jittered)");
    if (has_flag(r, "flags", "modelled")) para_str(&p, ", modelled");
    para_end(&p);

    table.ip = strcmp(rec_text(r, "by", ""), "instruction") == 0;
    table.distance = any_line_has(r, table.ip ? "instructions" : "step");
    table.code = any_line_has(r, "code");
    para_begin(&p, put, "", 2);
    p.glue = true;
    para_str(&p, "    share   samples ");
    if (table.distance) para_str(&p, table.ip ? " from target" : "       apart");
    para_printf(&p, table.ip ? "  %-8s  %-*s" : "  address", "address", SYMBOL_WIDTH, "symbol");
    if (table.code) para_str(&p, "  code");
    p.glue = false;
    para_end(&p);
}

/* A signed number of a line, or a dash. */
static void distance(struct para *p, const struct field *line, const char *key)
{
    const struct field *f = member(line, key);
    if (f)
        para_printf(p, "%+12.0f", field_number(f, 0));
    else
        para_printf(p, "%12s", "-");
}

static void share(struct para *p, text_put put, double count, double share)
{
    para_begin(p, put, "", 2);
    p->glue = true; /* a row stays a row */
    para_printf(p, "%7.2f %% %9.0f ", 100 * share, count);
}

/* As many bytes as fit; its record has all of them. */
static void code(struct para *p, const char *bytes)
{
    const unsigned room = p->n + 4 < TEXT_COLUMNS ? TEXT_COLUMNS - 2 - p->n : 0, n = (unsigned)strlen(bytes);
    if (!n || !room) return;
    para_str(p, "  ");
    if (n <= room)
        para_str(p, bytes);
    else
        para_printf(p, "%.*s..", (int)(room - 2) & ~1, bytes);
}

static void row(const struct field *l, text_put put)
{
    struct para p;
    share(&p, put, field_number(member(l, "count"), 0), field_number(member(l, "share"), 0));
    if (table.distance) distance(&p, l, table.ip ? "instructions" : "step");
    if (table.ip) {
        para_printf(&p, "  %-8s  %-*s", member_text(l, "address", "?"), SYMBOL_WIDTH,
                    member_text(l, "symbol", "-"));
        code(&p, member_text(l, "code", ""));
    } else {
        para_printf(&p, "  %s", member_text(l, "address", "?"));
    }
    p.glue = false;
    para_end(&p);
}

static void footing(const struct record *r, text_put put)
{
    const double unknown = number(r, "unknown"), more = number(r, "distinct") - LINES_SHOWN;
    const bool lost = number(r, "lost") > 0, precise = strcmp(rec_text(r, "method", ""), "pebs") == 0;
    struct para p;
    if (unknown > 0) {
        share(&p, put, unknown, unknown / number(r, "samples"));
        para_str(&p, " unknown");
        para_end(&p);
    }
    if (table.ip && !precise && number(r, "distinct") > 0) {
        para_begin(&p, put, "", 2);
        para_str(
            &p, "An address is where the payload went on after the interrupt: that of the next instruction.");
        para_end(&p);
    }
    if (more <= 0 && !lost) return;
    para_begin(&p, put, "  !", 4);
    if (more > 0) para_printf(&p, "%.0f more lines are in the records", more);
    if (lost) {
        say(&p, more > 0 ? "; " : "", r, "lost");
        para_str(&p, number(r, "lost") == 1 ? " more sample was" : " more samples were");
        para_str(&p, " lost: the buffer was full");
    }
    para_end(&p);
}

/* ---- public ---- */

void text_profile(const struct record *r, text_put put)
{
    double at = number(r, "first");
    if (at == 0) heading(r, put);
    for (const struct field *l = members(rec_find(r, "lines")); l; l = member_next(l))
        if (at++ < LINES_SHOWN) row(l, put);
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
