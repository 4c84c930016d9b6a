#include "report/emit_profile.h"
#include "report/emit.h"
#include "report/put.h"

/* ---- private ---- */

/* A line is at most 190 bytes with the longest name and numbers; the rest of the record at most 900. */
#define LINES_PER_RECORD 16

static void head(struct record *r, const struct profile_source *from)
{
    emit_identity(r, from->run, from->ring);
    PUT(r, measurement, event, from->event);
    PUT(r, source, method, from->method);
    PUT(r, source, period, from->period);
    PUT(r, source, jitter, from->jitter);
}

static void tail(struct record *r, const struct profile_source *from)
{
    OPEN(r, source, flags);
    if (from->origin) ITEM(r, source, flags, from->origin);
    rec_close(r);
    record_emit(r);
}

static void place(struct record *r, const struct profile_source *from, uint64_t ip)
{
    uint64_t target = (uintptr_t)from->run->item->bench->target;
    struct symbol s;
    int64_t n;
    if (profile_symbol(from->benches, from->benches_end, from->code, ip, &s)) {
        const char *variant = s.bench->variant[s.variant].name;
        PUTF(r, line, symbol, "%s%s%s+0x%llx", s.bench->name, *variant ? "/" : "", variant,
             (unsigned long long)s.offset);
    }
    if (!target) return;
    PUT(r, line, bytes, (int64_t)(ip - target));
    if (profile_distance(from->code, target, ip, &n)) PUT(r, line, instructions, n);
}

static void line(struct record *r, const struct profile_source *from, const struct profile *p, unsigned i,
                 bool ip)
{
    const struct profile_line *l = &p->line[i];
    rec_object(r, NULL);
    PUT(r, line, address, l->key);
    PUT(r, line, count, l->count);
    PUT(r, line, share, (double)l->count / (double)p->samples);
    if (ip)
        place(r, from, l->key);
    else if (i)
        PUT(r, line, step, (int64_t)(l->key - l[-1].key));
    rec_close(r);
}

static void emit(const struct profile_source *from, const struct profile *p, bool ip)
{
    unsigned i = 0;
    do {
        struct record *r = NEW(profile);
        head(r, from);
        PUT(r, profile, by, ip ? "instruction" : "data address");
        PUT(r, profile, samples, p->samples);
        PUT(r, profile, unknown, p->unknown);
        PUT(r, profile, lost, p->lost);
        PUT(r, profile, distinct, p->n);
        PUT(r, profile, first, i);
        OPEN(r, profile, lines);
        for (unsigned end = i + LINES_PER_RECORD; i < end && i < p->n; i++) line(r, from, p, i, ip);
        rec_close(r);
        tail(r, from);
    } while (i < p->n);
}

/* ---- public ---- */

void emit_profile_ip(const struct profile_source *from, const struct profile *p) { emit(from, p, true); }
void emit_profile_data(const struct profile_source *from, const struct profile *p) { emit(from, p, false); }

void emit_deduction(const struct profile_source *from, const struct deduction *d)
{
    static const char *const verdict[] = {"nothing", "unknown", "conflict", "capacity", "fits"};
    char text[DEDUCE_TEXT];
    struct record *r = NEW(deduction);
    head(r, from);
    PUT(r, deduction, addresses, d->addresses);
    PUT(r, deduction, left_out, d->left_out);
    PUT(r, deduction, samples, d->samples);
    if (d->addresses) PUT(r, deduction, lowest, d->first);
    if (d->difference) PUT(r, deduction, difference, d->difference);
    if (d->lines) {
        PUT(r, deduction, level, d->level);
        PUT(r, deduction, ways, d->ways);
        PUT(r, deduction, sets, d->set_count);
        PUT(r, deduction, lines, d->lines);
        PUT(r, deduction, sets_used, d->sets);
        PUT(r, deduction, set, d->set);
        PUT(r, deduction, set_lines, d->set_lines);
    }
    PUT(r, deduction, verdict, verdict[d->verdict]);
    PUT(r, deduction, conclusion, deduce_text(d, text, sizeof text));
    if (deduce_warning(d, text, sizeof text)) {
        PUT(r, deduction, shared_factor, d->shared);
        PUT(r, deduction, warning, text);
    }
    tail(r, from);
}
