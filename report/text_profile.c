/* Profiles as tables, one line per place, and the deductions from them. */
#include "report/text.h"
#include <stdio.h>
#include <string.h>

/* ---- private ---- */

#define LINES_SHOWN  40 /* the records have all lines */
#define SYMBOL_WIDTH 18
#define DATA_WIDTH   12 /* of an address, where something follows */

/* The columns of the current table, without those that would be empty. */
static struct {
    bool ip;       /* by instruction */
    bool none;     /* by data address, and no sample has one: there is no table */
    bool distance; /* from the target, or from one data address to the next */
    bool code;
    bool latency, level; /* of accesses */
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

/* It is there, and 0. */
static bool is_zero(const struct record *r, const char *key)
{
    return rec_find(r, key) && number(r, key) == 0;
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
    if (text_origin()) para_printf(&p, ", %s", text_origin());
    table.ip = strcmp(rec_text(r, "by", ""), "instruction") == 0;
    table.none = !table.ip && is_zero(r, "distinct");
    if (table.none) para_str(&p, ": no address is known");
    para_end(&p);
    if (table.none) return;

    table.distance = any_line_has(r, table.ip ? "instructions" : "step");
    table.latency = any_line_has(r, "latency_median");
    table.level = any_line_has(r, "levels");
    table.code = any_line_has(r, "code") && !table.level;
    para_begin(&p, put, "", 2);
    p.glue = true;
    para_str(&p, "    share   samples ");
    if (table.distance) para_str(&p, table.ip ? " from target" : "       apart");
    if (table.ip)
        para_printf(&p, "  %-8s  %-*s", "address", SYMBOL_WIDTH, "symbol");
    else
        para_printf(&p, "  %-*s", table.latency || table.level ? DATA_WIDTH : 0, "address");
    if (table.latency) para_str(&p, " latency");
    if (table.level) para_str(&p, " level");
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

static void latency(struct para *p, const struct field *line)
{
    const struct field *f = member(line, "latency_median");
    if (f)
        para_printf(p, " %7.0f", field_number(f, 0));
    else
        para_str(p, "       -");
}

/* The one that most samples name but for `without`; NULL: none does. */
static const struct field *main_level(const struct field *line, const struct field *without)
{
    const struct field *most = NULL;
    for (const struct field *f = members(member(line, "levels")); f; f = member_next(f))
        if (f != without && (!most || field_number(f, 0) > field_number(most, 0))) most = f;
    return most;
}

/* "L2"; "L2 98.0 %, L3 2.0 %": the two that most samples name, in shares of those that name one. Cut where
 * the line ends. */
static void level(struct para *p, const struct field *line)
{
    const struct field *first = main_level(line, NULL), *second = main_level(line, first);
    const unsigned room = p->n + 2 < TEXT_COLUMNS ? TEXT_COLUMNS - 1 - p->n : 0;
    char s[80];
    double all = 0;
    for (const struct field *f = members(member(line, "levels")); f; f = member_next(f))
        all += field_number(f, 0);
    if (!first || !first->key || !second || !second->key)
        snprintf(s, sizeof s, "%s", first && first->key ? first->key : "-");
    else
        snprintf(s, sizeof s, "%.20s %.1f %%, %.20s %.1f %%", first->key, 100 * field_number(first, 0) / all,
                 second->key, 100 * field_number(second, 0) / all);
    if (room) para_printf(p, " %.*s", (int)room, s);
}

static void row(const struct field *l, text_put put)
{
    struct para p;
    share(&p, put, field_number(member(l, "count"), 0), field_number(member(l, "share"), 0));
    if (table.distance) distance(&p, l, table.ip ? "instructions" : "step");
    if (table.ip)
        para_printf(&p, "  %-8s%c %-*s", member_text(l, "address", "?"), member(l, "plus_one") ? '+' : ' ',
                    SYMBOL_WIDTH, member_text(l, "symbol", "-"));
    else
        para_printf(&p, "  %-*s", table.latency || table.level ? DATA_WIDTH : 0,
                    member_text(l, "address", "?"));
    if (table.latency) latency(&p, l);
    if (table.level) level(&p, l);
    if (table.code) code(&p, member_text(l, "code", ""));
    p.glue = false;
    para_end(&p);
}

/* A sentence below the table. */
static void remark(text_put put, const char *words)
{
    struct para p;
    para_begin(&p, put, "", 2);
    para_str(&p, words);
    para_end(&p);
}

/* How the addresses came about. */
static void sources(const struct record *r, text_put put)
{
    const char *method = rec_text(r, "method", "");
    const bool precise = strcmp(method, "pebs") == 0 || strncmp(method, "ibs", 3) == 0;
    const double lbr = number(r, "corrected_lbr"), corrected = number(r, "corrected_code") + lbr;
    struct para p;
    if (!table.ip) {
        if (strcmp(rec_text(r, "addresses", ""), "registers") == 0)
            remark(put, table.latency || table.level
                            ? "The addresses are computed from the recorded registers."
                            : "The addresses are computed from the recorded registers. These records "
                              "have neither levels nor latencies.");
        return;
    }
    if (!precise && number(r, "distinct") > 0)
        remark(put,
               "An address is where the payload went on after the interrupt: that of the next instruction.");
    if (rec_find(r, "imprecise"))
        remark(put,
               "This event is not precise on this CPU: a sample may be at a later instruction than the one "
               "that caused it.");
    if (rec_find(r, "plus_one"))
        remark(put,
               "+: the instruction that ran before it caused the event. These records have the address of "
               "the next one, which several may lead to.");
    if (corrected > 0) {
        para_begin(&p, put, "", 2);
        para_printf(&p, "%.0f records had the address of the next instruction; the right one follows from ",
                    corrected);
        para_str(&p, lbr == 0           ? "the code."
                     : lbr == corrected ? "the last branch."
                                        : "the code or the last branch.");
        para_end(&p);
    }
}

static void footing(const struct record *r, text_put put)
{
    const double unknown = number(r, "unknown"), more = number(r, "distinct") - LINES_SHOWN;
    const bool lost = number(r, "lost") > 0;
    struct para p;
    if (unknown > 0 && !table.none) {
        share(&p, put, unknown, unknown / number(r, "samples"));
        para_str(&p, " unknown");
        para_end(&p);
    }
    sources(r, put);
    if (more <= 0 && !lost) return;
    para_begin(&p, put, "  !", 4);
    if (more > 0)
        para_printf(&p, "%.0f more line%s%s in the records", more, more == 1 ? "" : "s",
                    table.ip    ? more == 1 ? " is" : " are"
                    : more == 1 ? ", of a higher address, is"
                                : ", of higher addresses, are");
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
    if (is_zero(r, "samples") && is_zero(r, "lost")) return; /* the run has said why */
    if (at == 0) heading(r, put);
    for (const struct field *l = members(rec_find(r, "lines")); l; l = member_next(l))
        if (at++ < LINES_SHOWN) row(l, put);
    if (at == number(r, "distinct")) footing(r, put);
}

void text_deduction(const struct record *r, text_put put)
{
    const char *warning = rec_text(r, "warning", NULL);
    struct para p;
    if (is_zero(r, "addresses")) return; /* the profile has them as unknown */
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
