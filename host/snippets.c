#include "host/snippets.h"
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define BLANKS     " \t"
#define NAME_MAX   (MODULE_NAME_BYTES - 1)
#define EMPTY_NAME "(empty)" /* of a command line's snippet without code */

const char *const snippet_part_name[SNIPPET_PARTS] = {[SNIPPET_ONE_TIME] = "--one-time-init",
                                                      [SNIPPET_INIT] = "--init",
                                                      [SNIPPET_LATE] = "--late-init",
                                                      [SNIPPET_BODY] = "code"};

struct snippet *snippets_add(struct snippets *s, const char *name, size_t len)
{
    if (s->n == s->room) {
        const size_t room = s->room ? 2 * s->room : 16;
        struct snippet *more = realloc(s->at, room * sizeof *more);
        if (!more) return NULL;
        s->at = more;
        s->room = room;
    }
    struct snippet *added = &s->at[s->n++];
    *added = (struct snippet){0};
    memcpy(added->name, name, len < NAME_MAX ? len : NAME_MAX);
    return added;
}

void snippets_free(struct snippets *s)
{
    for (struct snippet *one = s->at; one < s->at + s->n; one++)
        for (int part = 0; part < SNIPPET_PARTS; part++) {
            free(one->source[part].text);
            free(one->code[part].bytes);
            free(one->code[part].line);
        }
    free(s->at);
    *s = (struct snippets){0};
}

/* ---- from the command line ---- */

bool snippets_from_option(struct snippets *s, const char *code)
{
    char name[MODULE_NAME_BYTES] = "";
    size_t n = 0;
    for (const char *c = code; *c && n < NAME_MAX; c++) {
        const bool blank = isspace((unsigned char)*c), shown = *c >= ' ' && *c < 0x7f;
        if (blank && (n == 0 || name[n - 1] == ' ')) continue;
        name[n++] = blank ? ' ' : shown ? *c : '?';
    }
    if (n == NAME_MAX) memcpy(name + NAME_MAX - 3, "...", 3);
    while (n && name[n - 1] == ' ') name[--n] = '\0';
    struct snippet *one = n ? snippets_add(s, name, n) : snippets_add(s, EMPTY_NAME, strlen(EMPTY_NAME));
    if (!one) return false;
    one->source[SNIPPET_BODY] = (struct snippet_source){strdup(code), snippet_part_name[SNIPPET_BODY], 1};
    return one->source[SNIPPET_BODY].text;
}

bool snippets_default(struct snippets *s, enum snippet_part part, const char *text)
{
    for (struct snippet *one = s->at; one < s->at + s->n; one++) {
        if (one->source[part].text) continue;
        one->source[part] = (struct snippet_source){strdup(text), snippet_part_name[part], 1};
        if (!one->source[part].text) return false;
    }
    return true;
}

/* ---- from a file ---- */

struct reader {
    struct snippets *to;
    const char *file;
    unsigned long line;
    json_t *names; /* the line of each */
    size_t begun;  /* snippets that were there before */
    enum snippet_part part;
    char *why;
    size_t size;
};

__attribute__((format(printf, 2, 3))) static bool refuse(struct reader *r, const char *format, ...)
{
    va_list args;
    const int n = snprintf(r->why, r->size, "%s, line %lu: ", r->file, r->line);
    va_start(args, format);
    if (n >= 0 && (size_t)n < r->size) vsnprintf(r->why + n, r->size - (size_t)n, format, args);
    va_end(args);
    return false;
}

static bool no_memory(struct reader *r) { return refuse(r, "there is no memory"); }

/* Appends a line to the part that is being read. Lines between that do not belong to it become empty ones, so
 * that the assembler's line is the file's. */
static bool append(struct reader *r, const char *text)
{
    struct snippet_source *s = &r->to->at[r->to->n - 1].source[r->part];
    if (!s->text) *s = (struct snippet_source){calloc(1, 1), r->file, r->line};
    if (!s->text) return no_memory(r);
    unsigned long line = s->line;
    const size_t n = strlen(s->text);
    for (const char *c = s->text; *c; c++) line += *c == '\n';
    const size_t between = r->line - line;
    char *more = realloc(s->text, n + between + strlen(text) + 1);
    if (!more) return no_memory(r);
    memset(more + n, '\n', between);
    strcpy(more + n + between, text);
    s->text = more;
    return true;
}

/* NAME: CODE */
static bool begin(struct reader *r, const char *text)
{
    const char *colon = strchr(text, ':'), *end = colon;
    if (!colon) return refuse(r, "no name: a line is NAME: INSTRUCTIONS, or begins with a blank and goes on");
    while (end > text && strchr(BLANKS, end[-1])) end--;
    const size_t len = (size_t)(end - text);
    if (len == 0 || len > NAME_MAX) return refuse(r, "a name has 1 to %d characters, not %zu", NAME_MAX, len);
    for (const char *c = text; c < end; c++)
        if (*c < ' ' || *c > '~') return refuse(r, "a name is printable ASCII");
    struct snippet *one = snippets_add(r->to, text, len);
    if (!one) return no_memory(r);
    const json_t *first = json_object_get(r->names, one->name);
    if (first)
        return refuse(r, "the name \"%s\" is there already, in line %" JSON_INTEGER_FORMAT, one->name,
                      json_integer_value(first));
    if (json_object_set_new(r->names, one->name, json_integer((json_int_t)r->line)) != 0) return no_memory(r);
    r->part = SNIPPET_BODY;
    return append(r, colon + 1);
}

/* A line that begins with a blank: more of the part, or another one, such as --init CODE. */
static bool go_on(struct reader *r, const char *text)
{
    if (r->to->n == r->begun) return refuse(r, "it goes on, but no NAME: INSTRUCTIONS is before it");
    const char *word = text + strspn(text, BLANKS);
    if (strncmp(word, "--", 2) != 0) return append(r, text);
    const size_t len = strcspn(word, BLANKS);
    int part = 0;
    while (part < SNIPPET_BODY &&
           (strlen(snippet_part_name[part]) != len || memcmp(snippet_part_name[part], word, len) != 0))
        part++;
    if (part == SNIPPET_BODY)
        return refuse(r, "unknown part %.*s; there are --init, --late-init and --one-time-init",
                      (int)(len < 40 ? len : 40), word);
    if (r->to->at[r->to->n - 1].source[part].text)
        return refuse(r, "\"%s\" has %s already", r->to->at[r->to->n - 1].name, snippet_part_name[part]);
    r->part = (enum snippet_part)part;
    return append(r, word + len);
}

static bool take_line(struct reader *r, char *text, size_t len)
{
    while (len && (text[len - 1] == '\n' || text[len - 1] == '\r')) text[--len] = '\0';
    if (strlen(text) != len) return refuse(r, "a NUL byte: this is no text");
    if (*text == '#' || !text[strspn(text, BLANKS)]) return true;
    return strchr(BLANKS, *text) ? go_on(r, text) : begin(r, text);
}

bool snippets_read(struct snippets *s, const char *name, FILE *in, char *why, size_t size)
{
    struct reader r = {
        .to = s, .file = name, .names = json_object(), .begun = s->n, .why = why, .size = size};
    char *text = NULL;
    size_t room = 0;
    bool good = r.names;
    if (!good) snprintf(why, size, "there is no memory");
    errno = 0;
    for (ssize_t n; good && (n = getline(&text, &room, in)) >= 0;) {
        r.line++;
        good = take_line(&r, text, (size_t)n);
    }
    if (good && ferror(in)) {
        snprintf(why, size, "%s: %s", name, strerror(errno));
        good = false;
    } else if (good && s->n == r.begun) {
        snprintf(why, size, "%s: there is no snippet in it; a line is NAME: INSTRUCTIONS", name);
        good = false;
    }
    free(text);
    json_decref(r.names);
    return good;
}

/* ---- places ---- */

#define SHOWN 100 /* characters of the user's line */

unsigned long snippet_line(const struct snippet *s, unsigned part, uint64_t byte)
{
    const struct snippet_code *c = &s->code[part];
    unsigned long line = s->source[part].line;
    for (size_t i = 0; i < c->lines && c->line[i].at <= byte; i++) line = c->line[i].line;
    return line;
}

const char *snippet_place(const struct snippet_source *s, unsigned long line)
{
    static char text[300];
    snprintf(text, sizeof text, "%.200s, line %lu", s->where, line);
    return text;
}

const char *snippet_text(const struct snippet_source *s, unsigned long line)
{
    static char text[SHOWN + 4];
    const char *at = s->text;
    size_t n = 0;
    for (unsigned long l = s->line; at && l < line; l++) at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL;
    if (at) at += strspn(at, " \t");
    for (; at && *at && *at != '\n' && n < SHOWN; at++) text[n++] = isprint((unsigned char)*at) ? *at : '?';
    strcpy(text + n, n == SHOWN ? "..." : "");
    return text;
}
