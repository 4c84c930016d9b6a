/* Errors, as records. */
#include "kernel/bootinfo.h"
#include "kernel/module.h"
#include "measure/isa.h"
#include "report/emit.h"
#include "report/fault_place.h"
#include "report/put.h"
#include <stdio.h>
#include <string.h>

#define WORD_CLIP      64 /* bytes of a faulty word */
#define PAGE           4096u
#define FLAGS_TF       (1u << 8)
#define UNKNOWN_LENGTH 8  /* bytes shown of an instruction whose length is not known */
#define LINE_SHOWN     72 /* bytes of the command line: an indent of 6 and a caret fit into 79 */

/* The address of the instruction, and the registers. */
static void state_fields(struct record *r, const struct trap *t, uint64_t address)
{
    PUT(r, error, address, address);
    OPEN(r, error, registers);
    for (unsigned i = 0; i < TRAP_REGS; i++) rec_hex(r, trap_reg_name(i), t->reg[i]);
    rec_hex(r, "cs", t->cs);
    rec_hex(r, "flags", t->flags);
    rec_hex(r, "cr2", t->cr2);
    rec_close(r);
}

static void trap_fields(struct record *r, const struct trap *t, uint64_t address)
{
    char text[128];
    trap_error_text(t, text, sizeof text);
    PUT(r, error, vector, t->vector);
    PUT(r, error, name, trap_name(t->vector));
    PUT(r, error, error_code, t->error);
    PUT(r, error, error_code_text, text);
    state_fields(r, t, address);
}

/* Of a user's program: " (function+0x12)", or nothing. */
static void put_function(struct record *r, const struct run *run, uint64_t ip, char *where, size_t cap)
{
    const struct bench_image *image = &run->bench.image;
    const uint64_t at = ip - (uintptr_t)image->at;
    struct module_function f;
    emit_user(r, image);
    if (at >= module_program(image->of)->text_end || !module_function(image->of, (uint32_t)at, &f)) return;
    PUTF(r, error, symbol, "%s+0x%llx", f.name, (unsigned long long)(at - f.at));
    snprintf(where, cap, " (%s+0x%llx)", f.name, (unsigned long long)(at - f.at));
}

/* ", byte B of copy C", a function, or nothing; with their fields. */
static void put_place(struct record *r, const struct run *run, const struct fault_place *p, char *where,
                      size_t cap)
{
    const char *part = fault_place_part(p);
    fault_place_text(p, where, cap);
    if (run->bench.image.at) put_function(r, run, p->address, where, cap);
    if (part) PUT(r, error, part, part);
    if (p->part == PLACE_COPY) PUT(r, error, copy, p->copy);
    if (part || p->part == PLACE_COPY) PUT(r, error, byte, p->byte);
}

/* Of an exception: ": 0f 58 c1 needs SSE, which this CPU lacks", or less; with its fields. Of a system call:
 * its name. */
static void put_why(struct record *r, const struct run *run, const struct fault_place *p, char *why,
                    size_t cap)
{
    const bool long_mode = sizeof(void *) == 8;
    const unsigned in_page = PAGE - (unsigned)(p->address % PAGE);
    const unsigned n = in_page < ISA_MAX_BYTES ? in_page : ISA_MAX_BYTES;
    const uint8_t *code = p->has_address ? phys_peek(p->address, n) : NULL;
    char bytes[3 * ISA_MAX_BYTES + 1];
    struct isa_reason reason;
    why[0] = '\0';
    /* It stops at the instruction that it would execute next: the last one may have been a jump to it. */
    if (run->trap.vector == VECTOR_DB && run->trap.flags & FLAGS_TF && !code)
        snprintf(why, cap, ": a single step, since the code has set EFLAGS.TF");
    if (run->trap.vector == TRAP_SYSTEM_CALL && cap > 2) {
        snprintf(why, cap, ": ");
        trap_error_text(&run->trap, why + 2, (unsigned)cap - 2);
        return;
    }
    if (!code || !run->cpu) return;
    isa_explain(code, n, long_mode, &run->cpu->id, &run->trap, &reason);
    unsigned length = reason.length;
    if (!length) length = n < UNKNOWN_LENGTH ? n : UNKNOWN_LENGTH;
    for (unsigned i = 0; i < length; i++)
        snprintf(bytes + (i ? 3 * i - 1 : 0), 4, "%s%02x", i ? " " : "", code[i]);
    PUT(r, error, bytes, bytes);
    if (reason.verdict == ISA_LACKING) PUT(r, error, needs, reason.name);
    if (reason.verdict == ISA_DISABLED) PUT(r, error, control, reason.bit);
    isa_text(&reason, bytes, why, cap);
}

void emit_run_failure(const struct run *run)
{
    const struct program *p = &run->program;
    struct record *r = NEW(error);
    struct fault_place place;
    char name[128], where[MODULE_NAME_BYTES + 32], why[ISA_TEXT_BYTES];
    snprintf(name, sizeof name, "%s%s%s", p->name, p->variant && *p->variant ? " " : "",
             p->variant ? p->variant : "");
    PUT(r, error, what, "benchmark");
    PUT(r, error, bench, p->name);
    if (p->variant && *p->variant) PUT(r, error, variant, p->variant);
    if (run->cpu && run->cpu->index) {
        PUT(r, error, cpu, run->cpu->index);
        const size_t n = strlen(name);
        snprintf(name + n, sizeof name - n, " on processor %u", run->cpu->index);
    }
    switch (run->status) {
    case RUN_TRAP:
        fault_place(run, &place);
        trap_fields(r, &run->trap, place.address);
        put_place(r, run, &place, where, sizeof where);
        if (run->cpu && stack_overflowed(&run->cpu->stack, &run->trap)) {
            PUTF(r, error, message,
                 "%s: stack overflow at 0x%llx%s: the stack of %u KiB is full; stack= sets its size (%s). "
                 "This "
                 "benchmark is abandoned; the others continue",
                 name, (unsigned long long)place.address, where, (unsigned)(run->cpu->stack.bytes / 1024),
                 trap_name(run->trap.vector));
            break;
        }
        put_why(r, run, &place, why, sizeof why);
        PUTF(r, error, message, "%s: %s at 0x%llx%s%s; this benchmark is abandoned, the others go on", name,
             trap_name(run->trap.vector), (unsigned long long)place.address, where, why);
        break;
    case RUN_ENDED:
        fault_place(run, &place);
        state_fields(r, &run->trap, place.address);
        put_place(r, run, &place, where, sizeof where);
        PUTF(r, error, message,
             "%s: ended at 0x%llx%s, since it had not returned after the seconds that limit= allows; the "
             "others go on",
             name, (unsigned long long)run->trap.ip, where);
        break;
    case RUN_LOST:
        PUTF(r, error, message,
             "%s: this processor does not answer any more, not even to an NMI; it is not used again, the "
             "others "
             "go on",
             name);
        break;
    case RUN_CANCELLED:
        PUTF(r, error, message, "%s: cancelled by Ctrl-C", name);
        break;
    default:
        PUTF(r, error, message, "%s: %s", name, run->bench.error);
        break;
    }
    record_emit(r);
}

void emit_module_fault(const struct module_fault *f)
{
    struct record *r = NEW(error);
    PUT(r, error, what, "module");
    PUT(r, error, module, f->name);
    PUTF(r, error, message, "%s: not used, since %s", f->name, f->why);
    record_emit(r);
}

void emit_panic(const struct trap *t)
{
    struct record *r = NEW(error);
    PUT(r, error, what, "kernel");
    if (t->cpu) PUT(r, error, cpu, t->cpu);
    trap_fields(r, t, t->ip);
    if (t->cpu)
        PUTF(r, error, message, "the kernel itself failed on processor %u: %s at 0x%llx", t->cpu,
             trap_name(t->vector), (unsigned long long)t->ip);
    else
        PUTF(r, error, message, "the kernel itself failed: %s at 0x%llx", trap_name(t->vector),
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

/* The user's line, or the part of it around the fault, and the position of the fault in it. */
static void shown_line(struct record *r, const struct fault *f)
{
    const size_t total = strlen(f->line), at = (size_t)(f->part - f->line), mark = sizeof "..." - 1;
    size_t from = 0, length = f->part_len;
    char line[LINE_SHOWN + 1];
    if (total > LINE_SHOWN && at > LINE_SHOWN / 2) from = at - LINE_SHOWN / 2;
    if (total > LINE_SHOWN && from > total - LINE_SHOWN) from = total - LINE_SHOWN;
    snprintf(line, sizeof line, "%s", f->line + from);
    const size_t shown = strlen(line);
    for (char *c = line; *c; c++)
        if (*c < ' ' || *c > '~') *c = *c == '\t' ? ' ' : '?';
    if (from) memcpy(line, "...", mark);
    if (from + shown < total) memcpy(line + shown - mark, "...", mark);
    if (length > shown - (at - from)) length = shown - (at - from);
    PUT(r, error, line, line);
    PUT(r, error, column, at - from + 1);
    PUT(r, error, length, length);
}

void emit_word_fault(const struct fault *f, const char *line)
{
    struct record *r = NEW(error);
    const struct word *w = f->word;
    char word[CLIPPED], part[CLIPPED];
    PUT(r, error, what, "command line");
    if (w) {
        PUT(r, error, word, clipped(word, w->text, w->len));
        PUTF(r, error, place, "word %u, byte %u", w->index, (unsigned)(f->part - line) + 1);
        shown_line(r, f);
    }
    PUT(r, error, valid, f->valid);
    if (w && f->why)
        PUTF(r, error, message, "%s: \"%s\": %s", f->what, clipped(part, f->part, f->part_len), f->why);
    else if (w && f->part_len < w->len)
        PUTF(r, error, message, "%s: \"%s\" in \"%s\"", f->what, clipped(part, f->part, f->part_len), word);
    else if (w)
        PUTF(r, error, message, "%s: \"%s\"", f->what, word);
    else
        PUT(r, error, message, f->what);
    record_emit(r);
}
