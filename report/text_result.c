/* Results: in the grid of a sweep, or as rows. */
#include <math.h>
#include <string.h>

#include "report/text.h"

/* ---- private ---- */

/* The median in core cycles, if a tick is not a core cycle. */
static void core_cycles(const struct record *r, text_put put)
{
    const double per_op = text_core_cycles(r);
    char number[24];
    struct para p;
    if (per_op <= 0) return;
    text_number(number, sizeof number, per_op, per_op);
    para_begin(&p, put, "    =", 6);
    para_str(&p, number);
    para_printf(&p, " core cycles (%.4g in a tick)", rec_number(r, "core_per_tsc", 0));
    para_end(&p);
}

static void fwq(const struct record *r, const struct field *o, text_put put)
{
    struct para p;
    double us = field_number(member(o, "detour_max_us"), (double)NAN);
    para_begin(&p, put, "", 4);
    para_printf(&p, "late quanta: %.0f over min, ", field_number(member(o, "late_min"), 0));
    para_printf(&p, "%.0f over min + 10 %%, ", field_number(member(o, "late_10pct"), 0));
    para_printf(&p, "of %.0f; largest detour ", rec_number(r, "reps", 0));
    p.glue = true;
    para_printf(&p, "%.0f tsc", field_number(member(o, "detour_max_tsc"), 0));
    if (isfinite(us)) para_printf(&p, us < 1000 ? " (%.3g us)" : " (%.0f us)", us);
    p.glue = false;
    para_printf(&p, "; time lost %.4g %%", 100 * field_number(member(o, "lost_share"), 0));
    para_end(&p);
}

/* ---- public ---- */

void text_table_close(text_put put)
{
    grid_close(put);
    text_rows_forget();
    text_neighbours_forget();
}

void text_result(const struct record *r, text_put put)
{
    const unsigned conf = rec_find(r, "ci99") ? 99 : rec_find(r, "ci95") ? 95 : 0;
    const double ci = rec_number(r, conf == 99 ? "ci99" : "ci95", (double)NAN);

    if (grid_result(r, ci, put)) return;
    if (grid_put(put) == put) text_rows_legend();
    put = grid_put(put);
    text_row(r, conf, ci, put);
    text_neighbours(r, put);
    core_cycles(r, put);
    if (rec_find(r, "fwq")) fwq(r, rec_find(r, "fwq"), put);
    text_preset(r, put);
    text_disturbances(r, put);
    text_doubts(r, put);
}

/* Below the rows of the counts that it was computed from. */
void text_derived(const struct record *r, text_put put)
{
    char number[24];
    const double value = rec_number(r, "value", 0);
    struct para p;
    if (grid_derived(r, put)) return;
    put = grid_put(put);
    text_number(number, sizeof number, value, __builtin_fabs(value));
    para_begin(&p, put, "  =", 4);
    para_str(&p, number);
    para_str(&p, " ");
    para_str(&p, rec_text(r, "name", "?"));
    if (strcmp(rec_text(r, "formula", ""), rec_text(r, "name", "?")) != 0) {
        para_str(&p, " (");
        para_str(&p, rec_text(r, "formula", "?"));
        para_str(&p, ")");
    }
    if (has_flag(r, "flags", "several-runs")) para_str(&p, ", of two runs");
    para_end(&p);
    text_doubts(r, put);
}

/* One row of user, kernel and both, below the rows of the counts. */
void text_levels(const struct record *r, text_put put)
{
    const double user = rec_number(r, "user", 0), kernel = rec_number(r, "kernel", 0),
                 both = rec_number(r, "both", 0), percent = rec_number(r, "user_percent", -1);
    char number[3][24];
    struct para p;
    put = grid_put(put);
    text_count(number[0], sizeof number[0], user, __builtin_fabs(user));
    text_count(number[1], sizeof number[1], kernel, __builtin_fabs(kernel));
    text_count(number[2], sizeof number[2], both, __builtin_fabs(both));
    para_begin(&p, put, "  %", 4);
    para_printf(&p, "%s: %s", rec_text(r, "event", "?"), number[0]);
    if (percent >= 0) para_printf(&p, " (%.1f %%)", percent);
    para_printf(&p, " user, %s", number[1]);
    if (percent >= 0) para_printf(&p, " (%.1f %%)", 100 - percent);
    para_printf(&p, " kernel, %s both", number[2]);
    if (has_flag(r, "flags", "several-runs")) para_str(&p, ", of several runs");
    para_end(&p);
    text_doubts(r, put);
}
