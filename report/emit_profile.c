#include "report/emit_profile.h"
#include "report/deduction_text.h"
#include "report/emit.h"
#include "report/put.h"
#include <stdio.h>

/* ---- private ---- */

/* A line is at most 235 bytes with the longest name and numbers; the rest of the record at most 900, and for
 * a user's program, which has one line less, 150 more. */
#define LINES_PER_RECORD 13
#define CODE_PER_RECORD  1024 /* bytes */

/* Two digits a byte; text has room for them and a NUL. */
static const char *hex(char *text, const uint8_t *bytes, unsigned n)
{
    text[0] = '\0';
    for (unsigned i = 0; i < n; i++) snprintf(text + 2 * (size_t)i, 3, "%02x", bytes[i]);
    return text;
}

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
    if (from->origin != ORIGIN_SILICON) ITEM(r, source, flags, origin_flag(from->origin));
    rec_close(r);
    record_emit(r);
}

static void place(struct record *r, const struct profile_place *p)
{
    char text[2 * DECODE_MAX_BYTES + 1];
    if (p->named && p->symbol.function) {
        PUTF(r, line, symbol, "%s+0x%llx", p->symbol.function, (unsigned long long)p->symbol.offset);
    } else if (p->named) {
        const struct program of = bench_program(p->symbol.bench, p->symbol.variant);
        PUTF(r, line, symbol, "%s%s%s+0x%llx", of.name, *of.variant ? "/" : "", of.variant,
             (unsigned long long)p->symbol.offset);
    }
    if (p->length) PUT(r, line, code, hex(text, p->code, p->length));
    if (p->has_target) PUT(r, line, bytes, p->bytes);
    if (p->decoded) PUT(r, line, instructions, p->instructions);
}

static void line(struct record *r, const struct profile *p, unsigned i, bool ip)
{
    const struct profile_line *l = &p->line[i];
    rec_object(r, NULL);
    PUT(r, line, address, l->key);
    PUT(r, line, count, l->count);
    PUT(r, line, share, (double)l->count / (double)p->samples);
    if (ip)
        place(r, &p->place[i]);
    else if (i)
        PUT(r, line, step, (int64_t)(l->key - l[-1].key));
    rec_close(r);
}

static void emit(const struct profile_source *from, const struct profile *p, bool ip)
{
    const unsigned lines = LINES_PER_RECORD - (from->run->bench.image.at != NULL);
    unsigned i = 0;
    do {
        struct record *r = NEW(profile);
        head(r, from);
        emit_user(r, &from->run->bench.image);
        PUT(r, profile, by, ip ? "instruction" : "data address");
        PUT(r, profile, samples, p->samples);
        PUT(r, profile, unknown, p->unknown);
        PUT(r, profile, lost, p->lost);
        PUT(r, profile, distinct, p->n);
        PUT(r, profile, first, i);
        OPEN(r, profile, lines);
        for (unsigned end = i + lines; i < end && i < p->n; i++) line(r, p, i, ip);
        rec_close(r);
        tail(r, from);
    } while (i < p->n);
}

/* ---- public ---- */

void emit_code(const struct program *program, const struct payload_code *code)
{
    for (uint32_t first = 0; first < code->size; first += CODE_PER_RECORD) {
        static char text[2 * CODE_PER_RECORD + 1];
        const uint32_t n = code->size - first < CODE_PER_RECORD ? code->size - first : CODE_PER_RECORD;
        struct record *r = NEW(code);
        PUT(r, code, bench, program->name);
        PUT(r, code, variant, program->variant);
        PUT(r, code, mode, code->long_mode ? 64 : 32);
        PUT(r, code, address, code->address + first);
        PUT(r, code, size, code->size);
        PUT(r, code, first, first);
        PUT(r, code, bytes, hex(text, code->bytes + first, n));
        record_emit(r);
    }
}

void emit_profile_ip(const struct profile_source *from, const struct profile *p) { emit(from, p, true); }
void emit_profile_data(const struct profile_source *from, const struct profile *p) { emit(from, p, false); }

void emit_deduction(const struct profile_source *from, const struct deduction *d)
{
    static const char *const verdict[] = {"nothing", "unknown", "conflict", "capacity", "fits"};
    char text[DEDUCTION_TEXT];
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
    PUT(r, deduction, conclusion, deduction_text(d, text, sizeof text));
    if (deduction_warning(d, text, sizeof text)) {
        PUT(r, deduction, shared_factor, d->shared);
        PUT(r, deduction, warning, text);
    }
    tail(r, from);
}
