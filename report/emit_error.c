/* What went wrong, as records. */
#include "report/emit.h"
#include "report/record.h"
#include <stdio.h>

#define WORD_CLIP 64 /* bytes of an offending word */

static void trap_fields(struct record *r, const struct trap *t)
{
    char text[128];
    trap_error_text(t, text, sizeof text);
    rec_uint(r, "vector", t->vector);
    rec_str(r, "name", trap_name(t->vector));
    rec_strf(r, "error_code", "0x%llx", (unsigned long long)t->error);
    rec_str(r, "error_code_text", text);
    rec_strf(r, "address", "0x%llx", (unsigned long long)t->ip);
    rec_object(r, "registers");
    for (unsigned i = 0; i < TRAP_REGS; i++)
        rec_strf(r, trap_reg_name(i), "0x%llx", (unsigned long long)t->reg[i]);
    rec_strf(r, "cs", "0x%x", (unsigned)t->cs);
    rec_strf(r, "flags", "0x%llx", (unsigned long long)t->flags);
    rec_strf(r, "cr2", "0x%llx", (unsigned long long)t->cr2);
    rec_close(r);
}

void emit_run_failure(const struct run *run)
{
    const struct bench *b = run->item->bench;
    const char *variant = b->variant[run->item->variant].name;
    struct record *r = record_new("error");
    rec_str(r, "what", "benchmark");
    rec_str(r, "bench", b->name);
    if (variant[0]) rec_str(r, "variant", variant);
    switch (run->status) {
    case RUN_TRAP:
        trap_fields(r, &run->trap);
        rec_strf(r, "message", "%s: %s at 0x%llx; this benchmark ends, the others go on", b->name,
                 trap_name(run->trap.vector), (unsigned long long)run->trap.ip);
        break;
    case RUN_CANCELLED:
        rec_strf(r, "message", "%s: cancelled by Ctrl-C", b->name);
        break;
    default:
        rec_strf(r, "message", "%s: %s", b->name, run->bench.error);
        break;
    }
    record_emit(r);
}

void emit_panic(const struct trap *t)
{
    struct record *r = record_new("error");
    rec_str(r, "what", "kernel");
    trap_fields(r, t);
    rec_strf(r, "message", "the kernel itself failed: %s at 0x%llx", trap_name(t->vector),
             (unsigned long long)t->ip);
    record_emit(r);
}

/* A quoted part of the command line. */
#define CLIPPED (WORD_CLIP + sizeof "...")
static const char *clipped(char *text, const char *s, size_t len)
{
    const bool whole = len <= WORD_CLIP;
    snprintf(text, CLIPPED, "%.*s%s", whole ? (int)len : WORD_CLIP, s, whole ? "" : "...");
    return text;
}

void emit_word_fault(const struct fault *f, const char *line)
{
    struct record *r = record_new("error");
    const struct word *w = f->word;
    char word[CLIPPED], part[CLIPPED];
    rec_str(r, "what", "command line");
    if (w) {
        rec_str(r, "word", clipped(word, w->text, w->len));
        rec_strf(r, "place", "word %u, byte %u", w->index, (unsigned)(f->part - line) + 1);
    }
    rec_str(r, "valid", f->valid);
    if (w && f->part_len < w->len)
        rec_strf(r, "message", "%s: \"%s\" in \"%s\"", f->what, clipped(part, f->part, f->part_len), word);
    else if (w)
        rec_strf(r, "message", "%s: \"%s\"", f->what, word);
    else
        rec_str(r, "message", f->what);
    record_emit(r);
}
