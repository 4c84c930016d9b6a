#include "report/emit_profile.h"
#include "report/emit.h"
#include "report/record.h"

/* ---- private ---- */

/* A line is at most 190 bytes with the longest name and numbers; the rest of the record at most 900. */
#define LINES_PER_RECORD 16

static void head(struct record *r, const struct profile_source *from)
{
    emit_identity(r, from->run, from->ring);
    rec_str(r, "event", from->event);
    rec_str(r, "method", from->method);
    rec_uint(r, "period", from->period);
    rec_bool(r, "jitter", from->jitter);
}

static void tail(struct record *r, const struct profile_source *from)
{
    rec_array(r, "flags");
    if (from->origin) rec_str(r, NULL, from->origin);
    rec_close(r);
    record_emit(r);
}

static void address(struct record *r, const char *key, uint64_t a)
{
    rec_strf(r, key, "0x%llx", (unsigned long long)a);
}

static void place(struct record *r, const struct profile_source *from, uint64_t ip)
{
    uint64_t target = (uintptr_t)from->run->item->bench->target;
    struct symbol s;
    int64_t n;
    if (profile_symbol(from->benches, from->benches_end, from->code, ip, &s)) {
        const char *variant = s.bench->variant[s.variant].name;
        rec_strf(r, "symbol", "%s%s%s+0x%llx", s.bench->name, *variant ? "/" : "", variant,
                 (unsigned long long)s.offset);
    }
    if (!target) return;
    rec_int(r, "bytes", (int64_t)(ip - target));
    if (profile_distance(from->code, target, ip, &n)) rec_int(r, "instructions", n);
}

static void line(struct record *r, const struct profile_source *from, const struct profile *p, unsigned i,
                 bool ip)
{
    const struct profile_line *l = &p->line[i];
    rec_object(r, NULL);
    address(r, "address", l->key);
    rec_uint(r, "count", l->count);
    rec_real(r, "share", (double)l->count / (double)p->samples);
    if (ip)
        place(r, from, l->key);
    else if (i)
        rec_int(r, "step", (int64_t)(l->key - l[-1].key));
    rec_close(r);
}

static void emit(const struct profile_source *from, const struct profile *p, bool ip)
{
    unsigned i = 0;
    do {
        struct record *r = record_new("profile");
        head(r, from);
        rec_str(r, "by", ip ? "instruction" : "data address");
        rec_uint(r, "samples", p->samples);
        rec_uint(r, "unknown", p->unknown);
        rec_uint(r, "lost", p->lost);
        rec_uint(r, "distinct", p->n);
        rec_uint(r, "first", i);
        rec_array(r, "lines");
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
    struct record *r = record_new("deduction");
    head(r, from);
    rec_uint(r, "addresses", d->addresses);
    rec_uint(r, "left_out", d->left_out);
    rec_uint(r, "samples", d->samples);
    if (d->addresses) address(r, "lowest", d->first);
    if (d->difference) rec_uint(r, "difference", d->difference);
    if (d->lines) {
        rec_uint(r, "level", d->level);
        rec_uint(r, "ways", d->ways);
        rec_uint(r, "sets", d->set_count);
        rec_uint(r, "lines", d->lines);
        rec_uint(r, "sets_used", d->sets);
        rec_uint(r, "set", d->set);
        rec_uint(r, "set_lines", d->set_lines);
    }
    rec_str(r, "verdict", verdict[d->verdict]);
    rec_str(r, "conclusion", deduce_text(d, text, sizeof text));
    if (deduce_warning(d, text, sizeof text)) {
        rec_uint(r, "shared_factor", d->shared);
        rec_str(r, "warning", text);
    }
    tail(r, from);
}
