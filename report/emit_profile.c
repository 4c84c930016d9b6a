#include "report/emit_profile.h"
#include "report/deduction_text.h"
#include "report/emit.h"
#include "report/emit_memory.h"
#include "report/put.h"
#include <stdio.h>
#include <string.h>

/* ---- private ---- */

/* What a record's lines may take. A line is at most 235 bytes with the longest name and numbers, and what is
 * said of its accesses and of those one late comes on top; the rest of the record is at most 900, and for a
 * user's program 150 more. Fields are fewer than a tenth of the bytes. */
#define LINES_BYTES     3070
#define USER_BYTES      150
#define LATE_HEAD_BYTES 140
#define LINE_BYTES      235
#define LATE_BYTES      35
#define LATENCY_BYTES   155
#define RETIRE_BYTES    30
#define LEVEL_BYTES     30   /* each, and once more for their heading */
#define CODE_PER_RECORD 1024 /* bytes */

/* Two digits a byte; text has room for them and a NUL. */
static const char *hex(char *text, const uint8_t *bytes, unsigned n)
{
    text[0] = '\0';
    for (unsigned i = 0; i < n; i++) snprintf(text + 2 * (size_t)i, 3, "%02x", bytes[i]);
    return text;
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

static unsigned levels_of(const struct profile_access *a)
{
    unsigned n = 0;
    for (unsigned i = 0; i < LEVELS; i++) n += a->level[i] != 0;
    return n;
}

static void access(struct record *r, const struct profile_access *a)
{
    if (levels_of(a)) {
        OPEN(r, line, levels);
        for (unsigned i = 0; i < LEVELS; i++)
            if (a->level[i]) rec_uint(r, memory_level(i), a->level[i]);
        rec_close(r);
    }
    if (a->latency.n) {
        PUT(r, line, latencies, a->latency.n);
        PUT(r, line, latency_least, a->latency.least);
        PUT(r, line, latency_median, a->latency.median);
        PUT(r, line, latency_p95, a->latency.p95);
        PUT(r, line, latency_most, a->latency.most);
    }
    if (a->retire.n) PUT(r, line, retire_median, a->retire.median);
}

/* At most. */
static unsigned line_bytes(const struct profile_line *l)
{
    const struct profile_access *a = l->access;
    unsigned n = LINE_BYTES + (l->next ? LATE_BYTES : 0);
    if (!a) return n;
    return n + (a->latency.n ? LATENCY_BYTES : 0) + (a->retire.n ? RETIRE_BYTES : 0) +
           (levels_of(a) ? (levels_of(a) + 1) * LEVEL_BYTES : 0);
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
    if (l->next) PUT(r, line, plus_one, l->next);
    if (l->access) access(r, l->access);
    rec_close(r);
}

/* How the addresses came about. */
static void addresses(struct record *r, const struct profile *p, bool ip, bool pebs)
{
    static const char *const from[] = {"recorded", "registers", "both"};
    if (!ip) {
        if (p->n) PUT(r, profile, addresses, from[p->hardware && p->registers ? 2 : p->registers]);
        return;
    }
    if (pebs && p->imprecise) PUT(r, profile, imprecise, p->imprecise);
    if (p->next) PUT(r, profile, plus_one, p->next);
    if (p->corrected[CORRECTED_BY_CODE]) PUT(r, profile, corrected_code, p->corrected[CORRECTED_BY_CODE]);
    if (p->corrected[CORRECTED_BY_BRANCHES])
        PUT(r, profile, corrected_lbr, p->corrected[CORRECTED_BY_BRANCHES]);
}

static void emit(const struct profile_source *from, const struct profile *p, bool ip)
{
    const bool pebs = strcmp(from->method, "pebs") == 0;
    const bool late = p->next || (pebs && p->imprecise) || p->corrected[CORRECTED_BY_CODE] ||
                      p->corrected[CORRECTED_BY_BRANCHES];
    const unsigned room =
        LINES_BYTES - (from->run->bench.image.at ? USER_BYTES : 0) - (late ? LATE_HEAD_BYTES : 0);
    unsigned i = 0;
    do {
        struct record *r = NEW(profile);
        emit_source(r, from);
        emit_user(r, &from->run->bench.image);
        PUT(r, profile, by, ip ? "instruction" : "data address");
        PUT(r, profile, samples, p->samples);
        PUT(r, profile, unknown, p->unknown);
        PUT(r, profile, lost, p->lost);
        addresses(r, p, ip, pebs);
        PUT(r, profile, distinct, p->n);
        PUT(r, profile, first, i);
        OPEN(r, profile, lines);
        for (unsigned used = 0; i < p->n && (used += line_bytes(&p->line[i])) <= room; i++) line(r, p, i, ip);
        rec_close(r);
        emit_source_end(r, from);
    } while (i < p->n);
}

/* ---- public ---- */

void emit_source(struct record *r, const struct profile_source *from)
{
    emit_identity(r, from->run, from->ring);
    PUT(r, measurement, event, from->event);
    PUT(r, source, method, from->method);
    PUT(r, source, period, from->period);
    PUT(r, source, jitter, from->jitter);
}

void emit_source_end(struct record *r, const struct profile_source *from)
{
    OPEN(r, source, flags);
    if (from->origin != ORIGIN_SILICON) ITEM(r, source, flags, origin_flag(from->origin));
    rec_close(r);
    record_emit(r);
}

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
    static const char *const verdict[] = {"nothing", "unknown", "conflict", "capacity", "fits", "sparse"};
    char text[DEDUCTION_TEXT];
    struct record *r = NEW(deduction);
    emit_source(r, from);
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
    emit_source_end(r, from);
}
