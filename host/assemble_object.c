#include "host/assemble_batch.h"
#include "host/command.h"
#include "host/object.h"
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Hands the bytes of the sections out to the parts, in the order in which they were written. */
static bool take_code(struct batch *b, const struct object *o)
{
    size_t sizes_bytes, used[SNIPPET_PARTS] = {0}, have[SNIPPET_PARTS], row = 0;
    const uint8_t *sizes = object_section(o, ASSEMBLE_SIZES, &sizes_bytes), *bytes[SNIPPET_PARTS];
    for (int part = 0; part < SNIPPET_PARTS; part++)
        bytes[part] = object_section(o, assemble_section[part], &have[part]);
    for (size_t i = 0; i < b->n; i++) {
        for (int part = 0; part < SNIPPET_PARTS; part++) {
            uint32_t n;
            if (!b->at[i]->source[part].text) continue;
            if ((row + 1) * sizeof n > sizes_bytes) return false;
            memcpy(&n, sizes + row++ * sizeof n, sizeof n);
            if (n > have[part] - used[part]) return false;
            b->at[i]->code[part].n = n;
            b->at[i]->code[part].bytes = n ? malloc(n) : NULL;
            for (size_t k = 0; k < b->at[i]->code[part].lines; k++)
                b->at[i]->code[part].line[k].at -= (uint32_t)used[part];
            if (n && !b->at[i]->code[part].bytes) return false;
            if (n) memcpy(b->at[i]->code[part].bytes, bytes[part] + used[part], n);
            used[part] += n;
        }
    }
    return row * sizeof(uint32_t) == sizes_bytes && memcmp(used, have, sizeof used) == 0;
}

/* A snippet is code. What else it put into the object would not come with it. */
static void refuse_sections(struct batch *b, const struct object *o)
{
    for (size_t i = 0; i < o->sections; i++) {
        const char *name = object_section_name(o, i);
        int part = 0;
        while (part < SNIPPET_PARTS && strcmp(name, assemble_section[part]) != 0) part++;
        if (part < SNIPPET_PARTS || !o->section[i].sh_size || !(o->section[i].sh_flags & SHF_ALLOC)) continue;
        if (strncmp(name, ".note", 5) == 0) continue;
        assemble_say(
            b->how, true,
            "\"%s\" has something in section %.60s; a snippet is code only, in no section of its own",
            b->at[0]->name, name);
    }
}

/* The part whose bytes these are, and which byte of it. NULL: no part. */
static const struct snippet *owner(const struct batch *b, const struct object_gap *gap, int *part,
                                   uint64_t *byte)
{
    uint64_t at = 0;
    for (*part = 0; *part < SNIPPET_PARTS && strcmp(gap->section, assemble_section[*part]) != 0;) ++*part;
    for (size_t i = 0; *part < SNIPPET_PARTS && i < b->n; i++) {
        *byte = gap->offset - at;
        at += b->at[i]->code[*part].n;
        if (gap->offset < at) return b->at[i];
    }
    return NULL;
}

/* With --bits 32 "rax" is a name like any other. */
static bool is_register64(const char *name)
{
    static const char *const others[] = {"rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp", "rsp", "rip"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcasecmp(name, others[i]) == 0) return true;
    return tolower((unsigned char)name[0]) == 'r' && isdigit((unsigned char)name[1]);
}

static void refuse_gap(void *ctx, const struct object_gap *gap)
{
    struct batch *b = ctx;
    int part;
    uint64_t byte;
    const struct snippet *s = owner(b, gap, &part, &byte);
    if (!s) return; /* debugging information, say */
    const char *where = snippet_place(&s->source[part], snippet_line(s, (unsigned)part, byte));
    const char *hint =
        b->how->bits == 32 && is_register64(gap->symbol) ? " (there is no such register with --bits 32)" : "";
    if (gap->undefined)
        assemble_say(b->how, true, "%s: undefined symbol: %.100s%s", where, gap->symbol, hint);
    else
        assemble_say(
            b->how, true,
            "%s: it has the address of %.100s, which a linker would fill in; code may run anywhere, and has "
            "no linker",
            where, *gap->symbol ? gap->symbol : "a place of its own or a fixed one");
}

int assemble_take(struct batch *b, const char *object)
{
    struct object o;
    if (!object_open(&o, object)) {
        assemble_say(b->how, true, "what the assembler wrote cannot be read: %s", strerror(errno));
        return STATUS_IMPOSSIBLE;
    }
    const size_t before = b->how->faults;
    refuse_sections(b, &o);
    if (b->how->faults == before && !take_code(b, &o))
        assemble_say(b->how, true,
                     "%s: \"%s\" does not end: an .if, a .macro or a comment is open, or there is an .end",
                     snippet_place(&b->at[0]->source[SNIPPET_BODY], b->at[0]->source[SNIPPET_BODY].line),
                     b->at[0]->name);
    if (b->how->faults == before && !object_gaps(&o, refuse_gap, b))
        assemble_say(b->how, true, "what the assembler wrote is damaged");
    object_close(&o);
    return STATUS_GOOD;
}
