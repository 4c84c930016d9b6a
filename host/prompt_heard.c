/* What a machine at its prompt says: its records, and the lines that answer a sender. */
#include "host/prompt.h"
#include <stdio.h>
#include <string.h>

static const char *text_of(const struct received *r, const char *key)
{
    const char *s = json_string_value(json_object_get(r->object, key));
    return s ? s : "";
}

/* ---- records ---- */

static void note_boot(struct prompt *p, const struct received *r)
{
    p->boot = true;
    p->bits = strcmp(text_of(r, "flavour"), "x86_64") == 0 ? 64 : 32;
}

/* "none" is a processor of no known family; counters of a hypervisor may stand still. */
static void note_cpu(struct prompt *p, const struct received *r)
{
    const json_t *states = json_object_get(json_object_get(r->object, "pmu"), "counters"), *state;
    size_t i;
    p->cpu = true;
    p->counters = false;
    json_array_foreach(states, i, state)
    {
        const char *s = json_string_value(state);
        p->counters |= s && strcmp(s, "ok") == 0;
    }
}

static void note_done(struct prompt *p, const struct received *r)
{
    p->done = true;
    p->failed |= json_integer_value(json_object_get(r->object, "failed")) > 0;
}

static void note_error(struct prompt *p, const struct received *r)
{
    p->error = true;
    if (strcmp(text_of(r, "what"), "command line") == 0)
        p->bad_words = true;
    else if (strcmp(text_of(r, "what"), "module") == 0)
        p->refused = true;
    else
        p->failed = true;
}

static void note_note(struct prompt *p, const struct received *r)
{
    p->loaded |=
        strcmp(text_of(r, "what"), "monitor") == 0 && strncmp(text_of(r, "message"), "load: ", 6) == 0;
}

static void note_end(struct prompt *p, const struct received *r)
{
    (void)r;
    p->ended = true;
}

/* What the kernel says of the question that is open. */
static void note_record(struct prompt *p, const struct received *r)
{
    static const struct {
        const char *type;
        void (*note)(struct prompt *p, const struct received *r);
    } types[] = {{"boot", note_boot},   {"cpu", note_cpu},   {"done", note_done},
                 {"error", note_error}, {"note", note_note}, {"end", note_end}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(types[i].type, r->type) == 0) types[i].note(p, r);
}

static void record(void *ctx, const struct received *r)
{
    struct prompt *p = ctx;
    if (!p->keeping) { /* what an earlier question left is none of ours */
        if (!p->begins || strcmp(r->type, "boot") != 0) return;
        p->keeping = true;
        ledger_free(&p->ledger);
        p->ledger.next = r->n;
    }
    const bool late = r->n < p->ledger.next;
    if (!ledger_arrived(&p->ledger, r->n)) return;
    p->recovered += late;
    p->news = true;
    note_record(p, r);
    if (p->record) p->record(p->ctx, r);
    if (p->keep) {
        keep_write(p->keep, r->bytes, r->len);
        keep_write(p->keep, "\n", 1);
    }
}

static void fault(void *ctx, const struct fault *f)
{
    struct prompt *p = ctx;
    p->news = true;
    if (f->damage != DAMAGE_ORDER && f->damage != DAMAGE_MISSING) p->damaged++;
}

/* ---- text ---- */

static void note_text(struct prompt *p, const char *line)
{
    unsigned long n;
    int end = 0;
    if (sscanf(line, "ok %lu%n", &n, &end) == 1 && !line[end]) {
        p->answer = ANSWER_OK;
    } else if (sscanf(line, "again %lu%n", &n, &end) == 1 && !line[end]) {
        p->answer = ANSWER_AGAIN;
    } else if (sscanf(line, "end %lu%n", &n, &end) == 1 && !line[end]) {
        p->answer = ANSWER_END;
    } else if (strncmp(line, "failed: ", 8) == 0) {
        p->answer = ANSWER_FAILED;
        snprintf(p->why, sizeof p->why, "%.*s", (int)sizeof p->why - 1, line + 8);
        return;
    } else {
        p->taken |= strcmp(line, "taken") == 0;
        p->not_obeyed |=
            strncmp(line, "Not obeyed: ", 12) == 0 || strncmp(line, "There is no command", 19) == 0;
        sscanf(line, "ready for %llu bytes, code of %u bits", &p->room, &p->module_bits);
        return;
    }
    p->answer_n = n;
}

static void text(void *ctx, const char *bytes, size_t len)
{
    struct prompt *p = ctx;
    char line[1024];
    snprintf(line, sizeof line, "%.*s", (int)(len < sizeof line ? len : sizeof line - 1), bytes);
    note_text(p, line);
    if (!p->keeping || p->repeated || p->loads || strcmp(line, "taken") == 0) return;
    if (p->text) p->text(p->ctx, bytes, len);
    if (p->keep) {
        keep_write(p->keep, bytes, len);
        keep_write(p->keep, "\n", 1);
    }
}

struct records_sink prompt_sink(struct prompt *p)
{
    return (struct records_sink){
        .record = record, .text = text, .fault = fault, .ctx = p, .live = true, .stretch = true};
}
