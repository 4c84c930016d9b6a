/* Branches, blocks and call stacks of samples as tables. */
#include "report/text.h"
#include <stdio.h>
#include <string.h>

/* ---- private ---- */

#define LINES_SHOWN 40 /* the records have all lines */

enum shown { BRANCHES, BLOCKS, STACKS };

static double number(const struct record *r, const char *key) { return rec_number(r, key, 0); }
static double value(const struct field *line, const char *key) { return field_number(member(line, key), 0); }

static void heading(const struct record *r, enum shown what, bool known, text_put put)
{
    static const char *const name[] = {"branches taken", "blocks between two of them", "call stacks"};
    struct para p;
    para_begin(&p, put, "", 2);
    para_str(&p, name[what]);
    para_printf(&p, ": %.0f", number(r, "times"));
    if (what != BLOCKS) {
        para_printf(&p, ", of %.0f sample%s with up to %.0f branches (lbr:", number(r, "samples"),
                    number(r, "samples") == 1 ? "" : "s", number(r, "depth"));
        para_str(&p, rec_text(r, "filter", "?"));
        para_str(&p, ")");
    }
    if (text_origin()) para_printf(&p, ", %s", text_origin());
    if (what != BLOCKS) para_printf(&p, "; %.0f more outside of the payload", number(r, "outside"));
    if (number(r, "aborted") > 0) para_printf(&p, "; %.0f of aborted transactions", number(r, "aborted"));
    if (number(r, "impossible") > 0) para_printf(&p, "; %.0f that cannot have been", number(r, "impossible"));
    if (number(r, "cut") > 0)
        para_printf(&p, "; %.0f filled the record, and outer functions may be missing", number(r, "cut"));
    if (!known && what != STACKS) {
        para_str(&p, what == BLOCKS ? "; cycles are " : "; mispredictions are ");
        para_str(&p, rec_text(r, what == BLOCKS ? "cycles" : "predictions", "?"));
    }
    para_end(&p);
    para_begin(&p, put, "", 2);
    p.glue = true;
    para_str(&p, "    share     times");
    if (known) para_str(&p, what == BLOCKS ? " of cycles     mean  least" : "  mispredicted");
    para_str(&p, what == BLOCKS   ? "  block"
                 : what == STACKS ? "  functions"
                                  : "  from                    to");
    para_end(&p);
}

/* A symbol, or the address. */
static const char *place(const struct field *l, const char *symbol, const char *address)
{
    return member_text(l, symbol, member_text(l, address, "?"));
}

/* Of the end of a block: without the name, where it is that of the beginning. */
static const char *end_of(const struct field *l)
{
    const char *from = place(l, "from_symbol", "from"), *to = place(l, "to_symbol", "to");
    const char *plus = strrchr(to, '+');
    return plus && strncmp(from, to, (size_t)(plus + 1 - to)) == 0 ? plus : to;
}

static void row(const struct field *l, enum shown what, bool known, text_put put)
{
    struct para p;
    para_begin(&p, put, "", 2);
    p.glue = true; /* a row stays a row */
    para_printf(&p, "%7.2f %% %9.0f", 100 * value(l, "share"), value(l, "times"));
    if (known && what == BLOCKS && member(l, "cycles_mean"))
        para_printf(&p, " %7.2f %% %8.1f %6.0f", 100 * value(l, "cycles_share"), value(l, "cycles_mean"),
                    value(l, "cycles_least"));
    else if (known && what == BLOCKS)
        para_printf(&p, " %9s %8s %6s", "-", "-", "-");
    else if (known)
        para_printf(&p, " %11.2f %%", 100 * value(l, "mispredicted") / value(l, "times"));
    para_str(&p, "  ");
    if (what == STACKS) {
        p.glue = false;
        p.indent = 23;
        para_str(&p, member_text(l, "functions", "?"));
    } else {
        para_printf(&p, what == BLOCKS ? "%s to " : "%-22s  ", place(l, "from_symbol", "from"));
        para_str(&p, what == BLOCKS ? end_of(l) : place(l, "to_symbol", "to"));
    }
    para_end(&p);
}

static void footing(const struct record *r, text_put put)
{
    const double more = number(r, "distinct") - LINES_SHOWN, unlisted = number(r, "unlisted");
    struct para p;
    para_begin(&p, put, "  !", 4);
    if (more > 0) para_printf(&p, "%.0f more line%s in the records", more, more == 1 ? " is" : "s are");
    if (unlisted > 0)
        para_printf(&p, "%s%.0f more are in no line: too many are different", more > 0 ? "; " : "", unlisted);
    if (more > 0 || unlisted > 0) para_end(&p);
}

static void table(const struct record *r, enum shown what, bool known, text_put put)
{
    double at = number(r, "first");
    if (at == 0) heading(r, what, known, put);
    for (const struct field *l = members(rec_find(r, "lines")); l; l = member_next(l))
        if (at++ < LINES_SHOWN) row(l, what, known, put);
    if (at == number(r, "distinct")) footing(r, put);
}

/* ---- public ---- */

void text_branches(const struct record *r, text_put put)
{
    table(r, BRANCHES, strcmp(rec_text(r, "predictions", ""), "recorded") == 0, put);
}

void text_blocks(const struct record *r, text_put put)
{
    table(r, BLOCKS, strcmp(rec_text(r, "cycles", ""), "recorded") == 0, put);
}

void text_stacks(const struct record *r, text_put put) { table(r, STACKS, false, put); }
