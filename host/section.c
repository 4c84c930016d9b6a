#include "host/section.h"
#include <string.h>

struct search {
    struct section *of;
    unsigned long session; /* that is being read */
};

static void add(struct section *s, const char *name)
{
    const size_t used = strlen(s->others), room = sizeof s->others - used;
    const int n = snprintf(s->others + used, room, "%s%s", used ? ", " : "", name);
    if (n < 0 || (size_t)n >= room) s->others[used] = '\0'; /* whole names only */
}

static void record(void *ctx, const struct received *r)
{
    struct search *search = ctx;
    struct section *s = search->of;
    const json_t *first = json_object_get(r->object, "first"), *last = json_object_get(r->object, "last");
    const char *name = json_string_value(json_object_get(r->object, "name"));
    if (strcmp(r->type, "mark") != 0 || !name || !json_is_integer(first) || !json_is_integer(last)) return;
    add(s, name);
    if (strcmp(name, s->name) != 0 || (s->session && s->session != search->session)) return;
    s->session = search->session;
    s->first = json_integer_value(first);
    s->last = json_integer_value(last);
}

static void session(void *ctx, const struct session_seen *seen)
{
    ((struct search *)ctx)->session = seen->number + 1;
}

/* ---- public ---- */

bool section_find(FILE *in, struct section *s)
{
    struct search search = {s, 1};
    const struct records_sink sink = {.record = record, .session = session, .ctx = &search};
    s->session = 0;
    s->others[0] = '\0';
    return fseek(in, 0, SEEK_SET) == 0 && records_read(in, &sink) && fseek(in, 0, SEEK_SET) == 0;
}

bool section_has(const struct section *s, unsigned long session, long long n)
{
    return session == s->session && n >= s->first && n <= s->last;
}
