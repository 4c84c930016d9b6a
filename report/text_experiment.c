/* A published experiment: its figures beside ours, one line each. */
#include "report/text.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- private ---- */

static char open[32]; /* the experiment of the open table; "" = none is open */

/* At most two decimals, none for a whole number; behind a blank. */
static void figure(struct para *p, const struct record *r, const char *key)
{
    double v = rec_number(r, key, (double)NAN);
    if (isnan(v))
        para_printf(p, " %10s", "-");
    else
        para_printf(p, " %10.*f", v > -1e9 && v < 1e9 && v == (int32_t)v ? 0 : 2, v);
}

/* Is the article's value within the interval of ours? */
static void interval(const struct record *r, text_put put)
{
    const double article = rec_number(r, "article", (double)NAN);
    const double low = rec_number(r, "low", 0), high = rec_number(r, "high", 0);
    struct para p;
    para_begin(&p, put, "", 6);
    para_printf(&p, "%.0f %% interval of %.0f samples: ", rec_number(r, "conf", 0), rec_number(r, "of", 0));
    para_printf(&p, "%.2f to %.2f", low, high);
    if (!isnan(article))
        para_printf(&p, "; the article's is %s", article < low || article > high ? "outside" : "inside");
    para_end(&p);
}

/* ---- public ---- */

void text_experiment_close(void) { open[0] = '\0'; }

void text_experiment(const struct record *r, text_put put)
{
    const char *name = rec_text(r, "experiment", "?"), *note = rec_text(r, "note", NULL);
    struct para p;
    if (strcmp(open, name) != 0) {
        snprintf(open, sizeof open, "%s", name);
        put("");
        para_begin(&p, put, "", 2);
        para_printf(&p, "%-36.36s %11s%11s", name, "article", "ours");
        if (text_origin()) para_printf(&p, "  (%s)", text_origin());
        para_end(&p);
    }
    para_begin(&p, put, "", 4);
    para_printf(&p, "%-34.34s ", rec_text(r, "what", "?"));
    figure(&p, r, "article");
    figure(&p, r, "ours");
    para_printf(&p, "  %s", rec_text(r, "unit", ""));
    para_end(&p);
    if (rec_find(r, "of")) interval(r, put);
    if (!note) return;
    para_begin(&p, put, "", 6);
    para_str(&p, note);
    para_end(&p);
}
