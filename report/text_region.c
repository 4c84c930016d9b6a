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
    {"unbalanced", "entered and exited differ, so there are no values"},
    {"end-before-begin", "an end came before its begin, so there are no values"},
    {"varies", "not the same in each repetition; the entries are those of all repetitions"},
    {"below-overhead", "a total was below the least overhead; the markers' share of it is unknown"},
    {"first-below-overhead",
     "the first entry was below the least overhead; the markers' share of it is unknown"},
};

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
    if (text_origin()) para_printf(&p, " (%s)", text_origin());
    para_end(&p);
    put("                            entered  exited        total   per entry      first");
}

enum { ENTERED, EXITED, TOTAL, PER_ENTRY, FIRST, NUMBERS };

/* With the blank before it. A number that is wider takes the room of what stands to its left. */
static const int columns[NUMBERS] = {8, 8, 13, 12, 11};

/* The ends of the ranges: lower or upper. They are equal for an exact value. */
static void numbers(char s[NUMBERS][32], const struct record *r, const char *total_key, const char *first_key)
{
    const double sum = rec_number(r, total_key, (double)NAN), entered = rec_number(r, "entered", 0);
    /* A region whose entries differed between repetitions shows the entries of all repetitions. */
    const double entries = has_flag(r, "flags", "varies") ? entered / rec_number(r, "reps", 1) : entered;
    text_plain(s[ENTERED], sizeof s[0], entered);
    text_plain(s[EXITED], sizeof s[0], rec_number(r, "exited", 0));
    text_plain(s[TOTAL], sizeof s[0], sum);
    if (has_flag(r, "flags", "unmodelled")) strcpy(s[TOTAL], "unmodelled");
    text_plain(s[PER_ENTRY], sizeof s[0], sum / entries);
    text_plain(s[FIRST], sizeof s[0], rec_number(r, first_key, (double)NAN));
}

/* From number `from` on, so that they end where the heading does; "to" stands before them, or a region's
 * name, which has a line of its own where they need its room. */
static void put_numbers(const char *name, char s[NUMBERS][32], unsigned from, text_put put)
{
    char line[2 * TEXT_COLUMNS];
    struct para p;
    int room = TEXT_COLUMNS;
    for (unsigned i = from; i < NUMBERS; i++) {
        const int width = (int)strlen(s[i]) + 1;
        room -= width > columns[i] ? width : columns[i];
    }
    if (room < (int)strlen(name)) {
        para_begin(&p, put, name, 0);
        para_end(&p);
        name = "";
    }
    int n = snprintf(line, sizeof line, from ? "%*s" : "%-*s", room > 0 ? room : 0, name);
    for (unsigned i = from; i < NUMBERS; i++)
        n += snprintf(line + n, sizeof line - (size_t)n, " %*s", columns[i] - 1, s[i]);
    put(line);
}

static bool differ(char a[NUMBERS][32], char b[NUMBERS][32])
{
    for (unsigned i = TOTAL; i < NUMBERS; i++)
        if (strcmp(a[i], b[i]) != 0) return true;
    return false;
}

/* ---- public ---- */

void text_region_close(void) { event[0] = '\0'; }

void text_region(const struct record *r, text_put put)
{
    char least[NUMBERS][32], most[NUMBERS][32], name[TEXT_COLUMNS + 1];
    const double id = rec_number(r, "id", 0);
    struct para p;
    if (strcmp(event, rec_text(r, "event", "?")) != 0) heading(r, put);
    numbers(least, r, "least", "first_least");
    numbers(most, r, "most", "first_most");
    snprintf(name, sizeof name, "  %4.0f %-20.20s", id >= 0 && id < 1e4 ? id : (double)NAN,
             rec_text(r, "label", ""));
    put_numbers(name, least, ENTERED, put);
    if (differ(least, most)) put_numbers("to", most, TOTAL, put);
    for (size_t i = 0; i < sizeof remarks / sizeof *remarks; i++) {
        if (!has_flag(r, "flags", remarks[i].flag)) continue;
        para_begin(&p, put, "    !", 7);
        para_str(&p, remarks[i].words);
        para_end(&p);
    }
    text_doubts(r, put);
}
