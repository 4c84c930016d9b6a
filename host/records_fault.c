#include "host/records_fault.h"
#include "host/escape.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static void tell_gap(struct records *r, const struct records_gap *g)
{
    struct fault f = {.damage = DAMAGE_MISSING, .line = g->line, .first = g->first, .last = g->last};
    if (!r->sink->fault) return;
    if (g->last > g->first)
        snprintf(f.what, sizeof f.what, "records %lld to %lld are missing", g->first, g->last);
    else
        snprintf(f.what, sizeof f.what, "record %lld is missing", g->first);
    r->sink->fault(r->sink->ctx, &f);
}

void records_forget_gaps(struct records *r)
{
    free(r->gap);
    r->gap = NULL;
    r->n_gaps = r->gap_room = 0;
}

/* They were not left out on purpose. */
void records_tell_gaps(struct records *r)
{
    for (size_t i = 0; i < r->n_gaps; i++) tell_gap(r, &r->gap[i]);
    records_forget_gaps(r);
}

/* Held until the session's end, where it is known why; told at once where a fault has come before. */
void records_add_gap(struct records *r, long long first, long long last)
{
    const struct records_gap g = {r->line, first, last};
    r->missing += last - first + 1;
    if (!r->faulty && !r->sink->live && r->n_gaps == r->gap_room) {
        const size_t room = r->gap_room ? 2 * r->gap_room : 16;
        struct records_gap *more = realloc(r->gap, room * sizeof *more);
        if (more) {
            r->gap = more;
            r->gap_room = room;
        }
    }
    if (!r->faulty && !r->sink->live && r->n_gaps < r->gap_room) {
        r->gap[r->n_gaps++] = g;
        return;
    }
    r->faulty = true;
    records_tell_gaps(r);
    tell_gap(r, &g);
}

void records_fault(struct records *r, enum damage damage, long long first, long long last, const char *format,
                   ...)
{
    struct fault f = {.damage = damage, .line = r->line, .first = first, .last = last};
    char what[sizeof f.what];
    va_list args;
    r->faulty = true;
    records_tell_gaps(r);
    if (!r->sink->fault) return;
    if (damage == DAMAGE_NOTHING) f.line = 0;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    escape_text(f.what, sizeof f.what, what); /* damaged bytes may be in it */
    r->sink->fault(r->sink->ctx, &f);
}

const char *fault_text(const struct fault *f, char *to)
{
    if (f->line)
        snprintf(to, FAULT_TEXT_BYTES, "line %lu: %s", f->line, f->what);
    else
        snprintf(to, FAULT_TEXT_BYTES, "%s", f->what);
    return to;
}

/* It comes late: not missing any more. What is left of its gap goes on behind it. */
void records_fill_gap(struct records *r, long long n)
{
    size_t i = 0;
    while (i < r->n_gaps && !(r->gap[i].first <= n && n <= r->gap[i].last)) i++;
    if (i == r->n_gaps) return; /* it was told already, or a damaged line had this number */
    struct records_gap *g = &r->gap[i];
    const struct records_gap behind = {g->line, n + 1, g->last};
    r->missing--;
    g->last = n - 1;
    if (g->first > g->last) {
        *g = behind;
        if (behind.first > behind.last) memmove(g, g + 1, (--r->n_gaps - i) * sizeof *g);
    } else if (behind.first <= behind.last) {
        r->missing -= behind.last - behind.first + 1; /* as add_gap() counts them again */
        records_add_gap(r, behind.first, behind.last);
    }
}
