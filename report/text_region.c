/* Regions: a table under the rows of their benchmark, one for each event. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/text.h"

/* ---- private ---- */

static char event[100]; /* of the table that is open; "" = none is */

static const struct {
    const char *flag, *words;
} remarks[] = {
    {"overhead-lowered", "a raw count of the whole lay below the overhead of its bracket"},
    {"unbalanced", "entered and exited differ, so there are no values"},
    {"end-before-begin", "an end came before its begin, so there are no values"},
    {"varies", "not the same in each repetition; entries are those of all of them"},
    {"below-overhead", "the total was less than the markers' overhead, shown as 0"},
    {"first-below-overhead", "the first entry was less than its overhead, shown as 0"},
};

static void value(char *s, size_t cap, double v)
{
    if (isfinite(v))
        snprintf(s, cap, "%.*f", v < 1e6 ? 2 : 0, v);
    else
        snprintf(s, cap, "-");
}

static void heading(const struct record *r, text_put put)
{
    struct para p;
    snprintf(event, sizeof event, "%s", rec_text(r, "event", "?"));
    para_begin(&p, put, "", 2);
    para_str(&p, "regions, in ");
    para_str(&p, event);
    if (rec_find(r, "overhead_later"))
        para_printf(&p, "; overhead of %.0f an entry taken off; first: with cold caches",
                    rec_number(r, "overhead_later", 0));
    para_end(&p);
    put("                             entered   exited        total    per entry      first");
}

/* ---- public ---- */

void text_region_close(void) { event[0] = '\0'; }

void text_region(const struct record *r, text_put put)
{
    char total[24], per_entry[24], first[24], line[160];
    struct para p;
    if (strcmp(event, rec_text(r, "event", "?")) != 0) heading(r, put);
    value(total, sizeof total, rec_number(r, "total", (double)NAN));
    value(per_entry, sizeof per_entry, rec_number(r, "per_entry", (double)NAN));
    value(first, sizeof first, rec_number(r, "first", (double)NAN));
    if (has_flag(r, "flags", "unmodelled")) strcpy(total, "unmodelled");
    snprintf(line, sizeof line, "  %4.0f %-20.20s %8.0f %8.0f %12s %12s %10s", rec_number(r, "id", 0),
             rec_text(r, "label", ""), rec_number(r, "entered", 0), rec_number(r, "exited", 0), total,
             per_entry, first);
    put(line);
    for (size_t i = 0; i < sizeof remarks / sizeof *remarks; i++) {
        if (!has_flag(r, "flags", remarks[i].flag)) continue;
        para_begin(&p, put, "    !", 7);
        para_str(&p, remarks[i].words);
        para_end(&p);
    }
}
