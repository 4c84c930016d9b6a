/* Traces: a table of what the hooks wrote, with what they cost taken out of its times. */
#include "include/anechoic/trace.h"
#include "report/text.h"
#include <stdio.h>
#include <string.h>

/* ---- private ---- */

#define LABEL 21 /* as much as the column has, with the NUL */

/* The open table. Its last channel is that of interrupts. */
static struct {
    bool timed; /* else the records have no times */
    char label[TRACE_CHANNELS][LABEL];
    double overhead; /* of a hook */
    double hooks;    /* in the rows so far */
    unsigned rows;
    double before; /* the last row's time */
    double last[TRACE_CHANNELS + 1];
    bool seen[TRACE_CHANNELS + 1]; /* the channel has a last one */
} table;

static void keep_labels(const struct record *r)
{
    unsigned n = 0;
    for (const struct field *f = members(rec_find(r, "channels")); f && n < TRACE_CHANNELS;
         f = member_next(f), n++)
        if (f->type == FIELD_STR) snprintf(table.label[n], LABEL, "%s", f->s);
}

#define TIME  13 /* columns of a time, and of a difference */
#define APART 12
#define NAME  22 /* of a channel: fewer where times need more */

/* Returns the columns that it needs beyond those. */
static int ticks(char s[24], double v, int columns)
{
    text_number(s, 24, v, 1e18);
    return (int)strlen(s) > columns ? (int)strlen(s) - columns : 0;
}

/* A channel's place in the table; beyond it: it has none. */
static unsigned place_of(double channel)
{
    if (channel == TRACE_INTERRUPT) return TRACE_CHANNELS;
    return channel >= 0 && channel < TRACE_CHANNELS ? (unsigned)channel : TRACE_CHANNELS + 1;
}

static void row(double time, double channel, double value, text_put put)
{
    const unsigned place = place_of(channel);
    char line[120], name[40], now[24], difference[24] = "", of_channel[24] = "";
    if (place == TRACE_CHANNELS)
        snprintf(name, sizeof name, "interrupt");
    else
        snprintf(name, sizeof name, "%.0f %s", channel, place < TRACE_CHANNELS ? table.label[place] : "");
    if (!table.timed) {
        snprintf(line, sizeof line, "  %-*.*s %11.0f", NAME, NAME, name, value);
        put(line);
        return;
    }
    /* From one hook's RDTSC to the next one's there is a whole hook, whatever came between them. */
    if (place != TRACE_CHANNELS) table.hooks++;
    if (table.hooks > 1) time -= table.overhead * (table.hooks - 1);
    int beyond = ticks(now, time, TIME);
    if (table.rows++) beyond += ticks(difference, time - table.before, APART);
    table.before = time;
    if (place <= TRACE_CHANNELS) {
        if (table.seen[place]) beyond += ticks(of_channel, time - table.last[place], APART);
        table.last[place] = time;
        table.seen[place] = true;
    }
    const int room = beyond < NAME ? NAME - beyond : 0;
    snprintf(line, sizeof line, "  %*s %*s %*s  %-*.*s %11.0f", TIME, now, APART, difference, APART,
             of_channel, room, room, name, value);
    put(line);
}

/* ---- public ---- */

void text_trace(const struct record *r, text_put put)
{
    const double written = rec_number(r, "written", 0), lost = rec_number(r, "lost", 0);
    struct para p;
    memset(&table, 0, sizeof table);
    table.timed = rec_find(r, "overhead");
    table.overhead = rec_number(r, "overhead", 0);
    keep_labels(r);
    para_begin(&p, put, "", 2);
    para_printf(&p, "trace: %.0f entr%s", written, written == 1 ? "y" : "ies");
    if (written == 0)
        para_str(&p, ", since no hook ran");
    else if (!table.timed)
        para_str(&p, ", in their order; times are unmodelled");
    else
        para_printf(&p, ", in ticks; a hook's cost of %.0f is subtracted", table.overhead);
    if (written > 0 && text_origin()) para_printf(&p, " (%s)", text_origin());
    para_end(&p);
    if (lost > 0) {
        para_begin(&p, put, "    !", 7);
        para_printf(&p, "the first %.0f are lost: the ring has room for %.0f (trace=)", lost,
                    rec_number(r, "size", 0));
        para_end(&p);
    }
    if (written > 0)
        put(table.timed ? "           time   difference   of channel  channel                      value"
                        : "  channel                      value");
}

void text_trace_entries(const struct record *r, text_put put)
{
    const struct field *time = members(rec_find(r, "time")), *channel = members(rec_find(r, "channel")),
                       *value = members(rec_find(r, "value"));
    for (; (time || !table.timed) && channel && value;
         time = time ? member_next(time) : NULL, channel = member_next(channel), value = member_next(value))
        row(field_number(time, 0), field_number(channel, -1), field_number(value, 0), put);
}
