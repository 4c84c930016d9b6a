/* Regions: a table under the rows of their benchmark, one for each event. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/text.h"

/* ---- private ---- */

static char event[100]; /* of the open table; "" = none is open */

static const struct {
    const char *flag, *words;
} remarks[] = {
    {"overhead-lowered", "a raw count of the whole payload was below the overhead of its bracket"},
    {"unbalanced", "entered and exited differ, so there are no values"},
    {"end-before-begin", "an end came before its begin, so there are no values"},
    {"varies", "not the same in each repetition; the entries are those of all repetitions"},
    {"below-overhead", "a total was below the least overhead; the markers' share of it is unknown"},
    {"first-below-overhead",
     "the first entry was below the least overhead; the markers' share of it is unknown"},
};

/* Counts are whole numbers, means are not; of ten digits at most, as wide as the narrowest column. */
static void value(char *s, size_t cap, double v)
{
    if (v > -1e9 && v < 1e10 && v == (double)(int64_t)v)
        snprintf(s, cap, "%.0f", v);
    else
        text_number(s, cap, v, v < 0 ? -v : v);
}

/* How often, in seven columns. */
static const char *count(char *s, size_t cap, double v)
{
    if (v >= 0 && v < 1e7)
        snprintf(s, cap, "%.0f", v);
    else
        text_number(s, cap, v, v);
    return s;
}

static void heading(const struct record *r, text_put put)
{
    const double least = rec_number(r, "overhead_least", 0), most = rec_number(r, "overhead_most", 0);
    struct para p;
    snprintf(event, sizeof event, "%s", rec_text(r, "event", "?"));
    para_begin(&p, put, "", 2);
    para_str(&p, "regions, in ");
    para_str(&p, event);
    if (!rec_find(r, "overhead_least")) {
        /* unmodelled */
    } else if (least == most) {
        para_printf(&p, "; overhead of %.0f an entry subtracted; first: with cold caches", least);
    } else {
        para_printf(&p, "; overhead of %.0f to %.0f an entry subtracted; first: with cold caches", least,
                    most);
    }
    para_end(&p);
    put("                            entered  exited        total   per entry      first");
}

/* The ends of the ranges: lower or upper. They are equal for an exact value. */
static void numbers(char *s, size_t cap, const struct record *r, const char *total_key, const char *first_key)
{
    const double sum = rec_number(r, total_key, (double)NAN), entered = rec_number(r, "entered", 0);
    /* A region whose entries differed between repetitions shows the entries of all repetitions. */
    const double entries = has_flag(r, "flags", "varies") ? entered / rec_number(r, "reps", 1) : entered;
    char total[24], per_entry[24], first[24];
    value(total, sizeof total, sum);
    if (has_flag(r, "flags", "unmodelled")) strcpy(total, "unmodelled");
    value(per_entry, sizeof per_entry, sum / entries);
    value(first, sizeof first, rec_number(r, first_key, (double)NAN));
    snprintf(s, cap, "%12s %11s %10s", total, per_entry, first);
}

/* ---- public ---- */

void text_region_close(void) { event[0] = '\0'; }

void text_region(const struct record *r, text_put put)
{
    char entered[24], exited[24], least[80], most[80], line[200];
    const double id = rec_number(r, "id", 0);
    struct para p;
    if (strcmp(event, rec_text(r, "event", "?")) != 0) heading(r, put);
    numbers(least, sizeof least, r, "least", "first_least");
    numbers(most, sizeof most, r, "most", "first_most");
    snprintf(line, sizeof line, "  %4.0f %-20.20s %7s %7s %s", id >= 0 && id < 1e4 ? id : (double)NAN,
             rec_text(r, "label", ""), count(entered, sizeof entered, rec_number(r, "entered", 0)),
             count(exited, sizeof exited, rec_number(r, "exited", 0)), least);
    put(line);
    if (strcmp(least, most) != 0) {
        snprintf(line, sizeof line, "%43s %s", "to", most);
        put(line);
    }
    for (size_t i = 0; i < sizeof remarks / sizeof *remarks; i++) {
        if (!has_flag(r, "flags", remarks[i].flag)) continue;
        para_begin(&p, put, "    !", 7);
        para_str(&p, remarks[i].words);
        para_end(&p);
    }
}
