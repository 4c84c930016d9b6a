#include "host/show_lines.h"
#include "host/lines.h"
#include "host/values.h"
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINES_SHOWN 40
#define WHERE_WIDTH 24 /* at most, but for a longer name */
#define COLUMNS     79

void show_lines_end(struct show_lines *s)
{
    for (size_t i = 0; i < s->n; i++) json_decref(s->line[i]);
    free(s->line);
    *s = (struct show_lines){0};
}

/* The program's debug information; NULL: a line has said why there is none. */
static const char *debug_of(const json_t *o, const char *capture, void (*put)(const char *line))
{
    const char *why, *debug = lines_find(o, capture, &why);
    char text[400];
    if (debug) return debug;
    snprintf(text, sizeof text, "  no source lines: %.300s", why);
    put(text);
    return NULL;
}

static void put_profile(const struct show_lines *s, const json_t *o, const char *capture,
                        void (*put)(const char *line))
{
    const char *debug = debug_of(o, capture, put);
    char text[400];
    size_t n = 0;
    struct source_line *l = debug ? lines_profile(debug, s->line, s->n, hex_of(o, "base"), &n) : NULL;
    if (debug && !l)
        put(errno == ENOENT ? "  no source lines: addr2line is not installed; the package binutils has it"
                            : "  no source lines: addr2line failed");
    if (!l) return;
    int width = (int)strlen("line");
    for (size_t i = 0; i < n; i++) {
        const int needed = (int)strlen(l[i].where);
        if (needed > width) width = needed < WHERE_WIDTH ? needed : WHERE_WIDTH;
    }
    put("  the same by source line:");
    snprintf(text, sizeof text, "    share   samples   %-*s  source", width, "line");
    put(text);
    for (size_t i = 0; i < n && i < LINES_SHOWN; i++) {
        const int used = snprintf(text, sizeof text, "%7.2f %% %9.0f   %-*s", 100 * l[i].count / s->samples,
                                  l[i].count, width, l[i].where);
        if (*l[i].text && used < COLUMNS - 4)
            snprintf(text + used, sizeof text - (size_t)used, "  %.*s", COLUMNS - 2 - used, l[i].text);
        put(text);
    }
    if (n > LINES_SHOWN) {
        snprintf(text, sizeof text, "  ! %zu more lines", n - LINES_SHOWN);
        put(text);
    }
    lines_free(l, n);
}

static void add_profile(struct show_lines *s, const json_t *o, const char *capture,
                        void (*put)(const char *line))
{
    size_t i;
    json_t *line;
    const json_t *lines = json_object_get(o, "lines");
    if (number_of(o, "first") == 0) {
        show_lines_end(s);
        s->samples = number_of(o, "samples");
        s->distinct = number_of(o, "distinct");
    }
    json_t **more = realloc(s->line, (s->n + json_array_size(lines) + 1) * sizeof(json_t *));
    if (!more) abort();
    s->line = more;
    json_array_foreach(lines, i, line)
    {
        if (json_is_object(line)) s->line[s->n++] = json_incref(line);
    }
    if (s->n == 0 || (double)s->n != s->distinct) return;
    put_profile(s, o, capture, put);
    show_lines_end(s);
}

/* Where a program trapped, or was ended. */
static void put_place(const json_t *o, const char *capture, void (*put)(const char *line))
{
    const char *debug = debug_of(o, capture, put);
    json_t *const one[] = {(json_t *)(uintptr_t)o};
    char text[400];
    size_t n = 0;
    struct source_line *l = debug ? lines_profile(debug, one, 1, hex_of(o, "base"), &n) : NULL;
    if (n == 1) {
        snprintf(text, sizeof text, "      %s%s%.300s", l[0].where, *l[0].text ? ": " : "", l[0].text);
        put(text);
    }
    lines_free(l, n);
}

void show_lines_record(struct show_lines *s, const json_t *o, const char *type, const char *capture,
                       void (*put)(const char *line))
{
    if (!*text_of(o, "build_id")) return;
    if (strcmp(type, "profile") == 0 && strcmp(text_of(o, "by"), "instruction") == 0)
        add_profile(s, o, capture, put);
    if (strcmp(type, "error") == 0 && *text_of(o, "symbol")) put_place(o, capture, put);
}
