/* The table below the drawing: the indices and APIC IDs of each core's processors. */
#include "report/topology_text.h"
#include <stdio.h>
#include <string.h>

/* ---- private ---- */

#define ROWS  16 /* more cores than this: a row for each larger unit */
#define WHOLE TOPOLOGY_LEVELS

struct table {
    const struct shown *s;
    unsigned by;                 /* the level that has a row each; WHOLE: one row for all */
    bool level[TOPOLOGY_LEVELS]; /* it has a column */
    bool kind;
};

/* Numbers of one cell, each once. */
struct numbers {
    uint32_t n[PROCESSORS_MAX];
    unsigned count;
};

static void add(struct numbers *to, uint32_t n)
{
    unsigned at = to->count;
    while (at && to->n[at - 1] > n) at--;
    if (at && to->n[at - 1] == n) return;
    memmove(&to->n[at + 1], &to->n[at], (to->count - at) * sizeof to->n[0]);
    to->n[at] = n;
    to->count++;
}

/* How many from `at` on have one distance. */
static unsigned run(const struct numbers *l, unsigned at)
{
    unsigned n = at + 1 < l->count ? 2 : 1;
    while (at + n < l->count && l->n[at + n] - l->n[at + n - 1] == l->n[at + 1] - l->n[at]) n++;
    return n;
}

/* "0-7,128-135"; "0,2..14" where every second one is meant. Returns the length. */
static unsigned list(const struct numbers *l, const char *comma, char *to, size_t size)
{
    size_t used = 0;
    to[0] = '\0';
    for (unsigned at = 0; at < l->count && used < size;) {
        const unsigned n = run(l, at);
        const uint32_t *v = &l->n[at];
        const char *before = at ? comma : "";
        const bool steps = n >= 4 && v[1] - v[0] > 1, follow = n >= 3 && v[1] - v[0] == 1;
        if (steps)
            used += (size_t)snprintf(to + used, size - used, "%s%lu,%lu..%lu", before, (unsigned long)v[0],
                                     (unsigned long)v[1], (unsigned long)v[n - 1]);
        else
            used += (size_t)snprintf(to + used, size - used, follow ? "%s%lu-%lu" : "%s%lu", before,
                                     (unsigned long)v[0], (unsigned long)v[n - 1]);
        at += steps || follow ? n : 1;
    }
    return (unsigned)strlen(to);
}

/* ---- rows ---- */

static unsigned units(const struct shown *s, unsigned level)
{
    unsigned n = 0;
    for (unsigned i = 0; i < s->places; i++) {
        unsigned k = 0;
        while (k < i && s->place[k].unit[level] != s->place[i].unit[level]) k++;
        n += k == i;
    }
    return s->place[0].unit[level] == UNTOLD ? 0 : n;
}

/* A level has a column where its units are neither all there is nor those of a larger level; cores always. */
static struct table plan(const struct shown *s)
{
    struct table t = {.s = s, .by = WHOLE};
    unsigned last = 1;
    for (unsigned level = TOPOLOGY_LEVELS; level-- > 0;) {
        const unsigned n = units(s, level);
        t.level[level] = n > last || level == LEVEL_CORE;
        if (t.level[level] && n <= ROWS) t.by = level;
        if (n > last) last = n;
    }
    if (t.by == WHOLE && units(s, LEVEL_PACKAGE) == 1) t.by = LEVEL_PACKAGE;
    for (unsigned i = 0; i < s->places; i++) t.kind = t.kind || s->place[i].kind != ' ';
    return t;
}

/* Where the row that begins at `from` ends. Kinds are kept apart. */
static unsigned row_end(const struct table *t, unsigned from)
{
    const struct shown_place *p = t->s->place;
    unsigned to = from + 1;
    while (to < t->s->places && (t->by == WHOLE || p[to].unit[t->by] == p[from].unit[t->by]) &&
           p[to].kind == p[from].kind)
        to++;
    return to;
}

/* ---- cells ---- */

enum { CELL_KIND = TOPOLOGY_LEVELS, CELL_CPU, CELL_APIC, CELLS };

static const char *heading(unsigned cell)
{
    static const char *const own[] = {"kind", "cpu", "APIC ID"};
    return cell < TOPOLOGY_LEVELS ? topology_level_name((enum topology_level)cell, false)
                                  : own[cell - TOPOLOGY_LEVELS];
}

static bool has(const struct table *t, unsigned cell)
{
    return cell < TOPOLOGY_LEVELS ? t->level[cell] : cell != CELL_KIND || t->kind;
}

/* From large to small, then the rest. */
static unsigned in_order(unsigned i) { return i < TOPOLOGY_LEVELS ? TOPOLOGY_LEVELS - 1 - i : i; }

static unsigned cell(const struct table *t, unsigned from, unsigned to, unsigned which, const char *comma,
                     char *text, size_t size)
{
    static struct numbers l;
    l.count = 0;
    if (which == CELL_KIND) return (unsigned)snprintf(text, size, "%c", t->s->place[from].kind);
    for (unsigned i = from; i < to; i++) {
        const struct shown_place *p = &t->s->place[i];
        add(&l, which == CELL_CPU ? p->cpu : which == CELL_APIC ? p->apic_id : p->unit[which]);
    }
    return list(&l, comma, text, size);
}

#define CELL_MAX 1600 /* 256 numbers that follow no rule; APIC IDs have four digits then */
static char text[CELL_MAX];

/* Widths of the columns; false: the table is too wide. */
static bool measure(const struct table *t, unsigned width[CELLS])
{
    unsigned total = TEXT_INDENT;
    for (unsigned which = 0; which < CELLS; which++) {
        width[which] = 0;
        if (!has(t, which)) continue;
        width[which] = (unsigned)strlen(heading(which));
        for (unsigned from = 0, to; from < t->s->places; from = to) {
            to = row_end(t, from);
            const unsigned n = cell(t, from, to, which, ",", text, sizeof text);
            if (n > width[which]) width[which] = n;
        }
        total += width[which] + 2;
    }
    return total - 2 <= TEXT_COLUMNS;
}

static void put_row(const struct table *t, const unsigned width[CELLS], unsigned from, unsigned to,
                    text_put put)
{
    struct para p;
    para_begin(&p, put, "", TEXT_INDENT);
    p.glue = true;
    for (unsigned i = 0; i < CELLS; i++) {
        const unsigned which = in_order(i);
        if (!has(t, which)) continue;
        if (to == from)
            snprintf(text, sizeof text, "%s", heading(which));
        else
            cell(t, from, to, which, ",", text, sizeof text);
        para_str(&p, text);
        for (size_t n = strlen(text); which != CELL_APIC && n < width[which] + 2; n++) para_str(&p, " ");
    }
    para_end(&p);
}

/* "package 0, core 0-63: cpu 0-63, 128-191; APIC ID 0-127", over as many lines as it takes. */
static void put_words(const struct table *t, unsigned from, unsigned to, text_put put)
{
    struct para p;
    const char *between = "";
    para_begin(&p, put, "", TEXT_INDENT);
    for (unsigned i = 0; i < CELLS; i++) {
        const unsigned which = in_order(i);
        if (!has(t, which)) continue;
        cell(t, from, to, which, ", ", text, sizeof text);
        para_str(&p, which == CELL_CPU ? ": " : which == CELL_APIC ? "; " : between);
        para_str(&p, heading(which));
        para_str(&p, " ");
        para_str(&p, text);
        between = ", ";
    }
    para_end(&p);
}

/* ---- public ---- */

void text_places(const struct shown *s, text_put put)
{
    const struct table t = plan(s);
    unsigned width[CELLS];
    const bool narrow = measure(&t, width);
    if (narrow) put_row(&t, width, 0, 0, put);
    for (unsigned from = 0, to; from < s->places; from = to) {
        to = row_end(&t, from);
        if (narrow)
            put_row(&t, width, from, to, put);
        else
            put_words(&t, from, to, put);
    }
}
