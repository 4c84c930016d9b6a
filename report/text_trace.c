/* Traces: a table of what the hooks wrote, with what they cost taken out of its times. */
#include "include/anechoic/trace.h"
#include "report/text.h"
#include <stdio.h>
#include <string.h>

/* ---- private ---- */

#define LABEL 21 /* as much as the column has, with the NUL */

/* The open table. Its last channel is that of interrupts. */
static struct {
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

/* In twelve columns. */
static const char *ticks(char s[24], double v)
{
    if (v > -1e10 && v < 1e12)
        snprintf(s, 24, "%.0f", v);
    else
        text_number(s, 24, v, v < 0 ? -v : v);
    return s;
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
    /* From one hook's RDTSC to the next one's there is a whole hook, whatever came between them. */
    if (place != TRACE_CHANNELS) table.hooks++;
    if (table.hooks > 1) time -= table.overhead * (table.hooks - 1);
    if (table.rows++) ticks(difference, time - table.before);
    table.before = time;
    if (place <= TRACE_CHANNELS) {
        if (table.seen[place]) ticks(of_channel, time - table.last[place]);
        table.last[place] = time;
        table.seen[place] = true;
    }
    if (place == TRACE_CHANNELS)
        snprintf(name, sizeof name, "interrupt");
    else
        snprintf(name, sizeof name, "%.0f %s", channel, place < TRACE_CHANNELS ? table.label[place] : "");
    snprintf(line, sizeof line, "  %13s %12s %12s  %-22.22s %11.0f", ticks(now, time), difference, of_channel,
             name, value);
    put(line);
}

/* ---- public ---- */

void text_trace(const struct record *r, text_put put)
{
    const double written = rec_number(r, "written", 0), lost = rec_number(r, "lost", 0);
    struct para p;
    memset(&table, 0, sizeof table);
    table.overhead = rec_number(r, "overhead", 0);
    keep_labels(r);
    para_begin(&p, put, "", 2);
    para_printf(&p, "trace: %.0f entr%s", written, written == 1 ? "y" : "ies");
    if (written == 0)
        para_str(&p, ", since no hook ran");
    else
        para_printf(&p, ", in ticks; a hook's cost of %.0f is subtracted", table.overhead);
    para_end(&p);
    if (lost > 0) {
        para_begin(&p, put, "    !", 7);
        para_printf(&p, "the first %.0f are lost: the ring has room for %.0f (trace=)", lost,
                    rec_number(r, "size", 0));
        para_end(&p);
    }
    if (written > 0) put("           time   difference   of channel  channel                      value");
}

void text_trace_entries(const struct record *r, text_put put)
{
    const struct field *time = members(rec_find(r, "time")), *channel = members(rec_find(r, "channel")),
                       *value = members(rec_find(r, "value"));
    for (; time && channel && value;
         time = member_next(time), channel = member_next(channel), value = member_next(value))
        row(field_number(time, 0), field_number(channel, -1), field_number(value, 0), put);
}
