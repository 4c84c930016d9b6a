#include "host/progress.h"
#include "host/escape.h"
#include "kernel/crc32.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void progress_begin(struct progress *p)
{
    *p = (struct progress){.shown = isatty(STDERR_FILENO) == 1, .begun = time(NULL)};
}

/* Benchmark, variant and parameters, as one number; 0: the record is about none. */
static unsigned long identity(const json_t *o)
{
    static const char *const keys[] = {"bench", "variant", "params"};
    unsigned long id = 0;
    if (!json_object_get(o, "bench")) return 0;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        char *text = json_dumps(json_object_get(o, keys[i]), JSON_COMPACT | JSON_ENCODE_ANY);
        if (text) id = crc32((uint32_t)id, text, strlen(text));
        free(text);
    }
    return id ? id : 1;
}

void progress_record(struct progress *p, const struct received *r)
{
    if (strcmp(r->type, "boot") == 0) progress_begin(p);
    if (strcmp(r->type, "plan") == 0) {
        p->items = json_integer_value(json_object_get(r->object, "items"));
        p->begun = time(NULL);
        return;
    }
    if (strcmp(r->type, "bench") == 0) return; /* bench=list */
    const unsigned long id = identity(r->object);
    const char *name = json_string_value(json_object_get(r->object, "bench"));
    if (!id || !name || id == p->id) return;
    p->id = id;
    p->at++;
    escape_text(p->name, sizeof p->name, name);
}

/* What the line says; now: seconds, as p->begun. */
static const char *text_of_line(const struct progress *p, time_t now)
{
    static char text[160];
    const long long elapsed = now > p->begun ? (long long)(now - p->begun) : 0;
    text[0] = '\0';
    if (!p->items || p->at > p->items)
        snprintf(text, sizeof text, "%s%s%lld s", p->name, *p->name ? ", " : "", elapsed);
    else if (!p->at)
        snprintf(text, sizeof text, "benchmark 1 of %lld, %lld s", p->items, elapsed);
    else
        snprintf(text, sizeof text, "benchmark %lld of %lld: %s, %lld s, some %lld s left", p->at, p->items,
                 p->name, elapsed, elapsed * (p->items - p->at) / p->at);
    return text;
}

void progress_erase(struct progress *p)
{
    if (p->drawn) fputs("\r\033[K", stderr);
    p->drawn = false;
}

void progress_draw(struct progress *p)
{
    if (!p->shown) return;
    fprintf(stderr, "\r\033[K%.79s", text_of_line(p, time(NULL)));
    p->drawn = true;
}
