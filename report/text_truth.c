/* bench=truth: expected and measured values, under the program's name. A value that differs is followed by
 * the rule of the expectation. */
#include "report/json.h"
#include "report/text.h"
#include <stdio.h>
#include <string.h>

#define EVENT_COLUMNS 39
#define NUMBER        9 /* columns: more where a count has more digits, and fewer for the name then */
#define ROW           "%9s %9s  %s"

static struct {
    bool open;
    char program[32];
} table;

static void heading(text_put put)
{
    char line[TEXT_COLUMNS + 1];
    put("");
    text_origin_put(put);
    snprintf(line, sizeof line, "%-*s  " ROW, EVENT_COLUMNS, "program, event", "expected", "measured",
             "verdict");
    put(line);
    memset(line, '-', TEXT_COLUMNS);
    line[TEXT_COLUMNS] = '\0';
    put(line);
}

static void program(const struct record *r, text_put put)
{
    const char *name = rec_text(r, "program", "?");
    const double ring = rec_number(r, "ring", 0);
    char label[sizeof table.program + 1];
    struct para p;
    if (!table.open) {
        heading(put);
        table.program[0] = '\0';
        table.open = true;
    }
    if (strcmp(table.program, name) == 0) return;
    snprintf(table.program, sizeof table.program, "%s", name);
    snprintf(label, sizeof label, "%s:", name);
    para_begin(&p, put, label, 4);
    para_str(&p, " ");
    para_str(&p, rec_text(r, "desc", ""));
    if (rec_find(r, "before")) para_str(&p, "; before each run: ");
    para_str(&p, rec_text(r, "before", ""));
    if (ring != 0) para_printf(&p, " (ring %.0f)", ring);
    para_end(&p);
}

static void number(const struct record *r, const char *key, char s[REAL_TEXT])
{
    if (rec_find(r, key))
        real_text(s, rec_number(r, key, 0));
    else
        strcpy(s, "-");
}

/* A name that is too long is printed on a line above: nothing touches its number. */
static void row(const char *name, const char *left, const char *right, const struct record *r, text_put put)
{
    char line[TEXT_COLUMNS + 1];
    const char *verdict = rec_text(r, "verdict", "?");
    bool differs = strcmp(verdict, "differs") == 0;
    struct para p;
    if (differs) text_legend_use(LEGEND_DIFFERS);
    if (strcmp(verdict, "within") == 0) text_legend_use(LEGEND_WITHIN);
    const size_t beyond = (strlen(left) > NUMBER ? strlen(left) - NUMBER : 0) +
                          (strlen(right) > NUMBER ? strlen(right) - NUMBER : 0);
    const size_t columns = EVENT_COLUMNS > beyond ? EVENT_COLUMNS - beyond : 0;
    if (strlen(name) + (strlen(left) >= NUMBER) > columns) {
        para_begin(&p, put, "", 2);
        para_str(&p, name);
        para_end(&p);
        name = "";
    }
    snprintf(line, sizeof line, "  %-*s" ROW, (int)columns, name, left, right, differs ? "DIFFERS" : verdict);
    put(line);
    if (rec_find(r, "each")) {
        para_begin(&p, put, "", 4);
        char each[24];
        text_plain(each, sizeof each, rec_number(r, "each", 0));
        para_printf(&p, "%s each, at least %.0f", each, rec_number(r, "at_least", 0));
        para_end(&p);
    }
    text_doubts(r, put);
    if (!differs && !rec_number(r, "remark", 0) && strcmp(verdict, "answered") != 0) return;
    para_begin(&p, put, "", 4);
    para_str(&p, rec_text(r, "reason", ""));
    para_end(&p);
}

void text_truth_close(void) { table.open = false; }

void text_truth(const struct record *r, text_put put)
{
    char expected[3 + REAL_TEXT] = ">= ", measured[REAL_TEXT];
    program(r, put);
    if (rec_find(r, "at_least"))
        real_text(expected + strlen(expected), rec_number(r, "expected", 0));
    else
        number(r, "expected", expected);
    number(r, "measured", measured);
    row(rec_text(r, "event", "?"), expected, measured, r, put);
}

/* "a + b" of an array of names. */
static void terms(const struct record *r, const char *key, char *s, size_t cap)
{
    size_t used = 0;
    s[0] = '\0';
    for (const struct field *f = members(rec_find(r, key)); f && used < cap; f = member_next(f))
        used += (size_t)snprintf(s + used, cap - used, "%s%s", used ? " + " : "", f->s);
}

void text_relation(const struct record *r, text_put put)
{
    char left[160], right[320], name[512], a[REAL_TEXT], b[REAL_TEXT];
    program(r, put);
    terms(r, "left_terms", left, sizeof left);
    terms(r, "right_terms", right, sizeof right);
    snprintf(name, sizeof name, "%s %s %s", left, rec_text(r, "relation", "?"), right);
    number(r, "left", a);
    number(r, "right", b);
    row(name, a, b, r, put);
}

void text_truths(const struct record *r, text_put put)
{
    struct para p;
    double absent = rec_number(r, "absent", 0), still = rec_number(r, "not_advancing", 0);
    double refused = rec_number(r, "refused", 0), unmodelled = rec_number(r, "unmodelled", 0);
    const double within = rec_number(r, "within", 0), answered = rec_number(r, "answered", 0);
    put("");
    para_begin(&p, put, "", 0);
    para_printf(&p, "%.0f agree, %.0f differ", rec_number(r, "agree", 0), rec_number(r, "differ", 0));
    if (within > 0) para_printf(&p, ", %.0f within their bounds", within);
    if (absent > 0) para_printf(&p, ", %.0f absent on this CPU", absent);
    if (still > 0) para_printf(&p, ", %.0f not advancing", still);
    if (refused > 0) para_printf(&p, ", %.0f refused", refused);
    if (unmodelled > 0) para_printf(&p, ", %.0f not modelled", unmodelled);
    if (answered > 0) para_printf(&p, ", %.0f question%s answered", answered, answered == 1 ? "" : "s");
    para_end(&p);
}
