#include "host/code_place.h"
#include "host/values.h"
#include <string.h>

/* Pauses are replaced by other code, so that bytes of a copy are not those of the snippet. */
static bool has_pauses(const struct snippet_code *c)
{
    const uint64_t marks[] = {MODULE_STOP, MODULE_START};
    for (size_t i = 0; i + sizeof *marks <= c->n; i++)
        if (memcmp(c->bytes + i, &marks[0], sizeof *marks) == 0 ||
            memcmp(c->bytes + i, &marks[1], sizeof *marks) == 0)
            return true;
    return false;
}

static unsigned part_of(const json_t *o)
{
    static const char *const names[SNIPPET_PARTS] = {
        [SNIPPET_ONE_TIME] = "one_time_init", [SNIPPET_INIT] = "init", [SNIPPET_LATE] = "late_init"};
    const char *part = text_of(o, "part");
    for (unsigned i = 0; i < SNIPPET_PARTS; i++)
        if (names[i] && strcmp(names[i], part) == 0) return i;
    return SNIPPET_BODY;
}

bool code_place(const struct snippets *all, const json_t *o, char *text, size_t size)
{
    const json_t *byte = json_object_get(o, "byte");
    const unsigned part = part_of(o);
    for (const struct snippet *s = all ? all->at : NULL; s && s < all->at + all->n; s++) {
        if (strcmp(s->name, text_of(o, "variant")) != 0) continue;
        if (!json_is_integer(byte) || !s->source[part].text || has_pauses(&s->code[part])) return false;
        const unsigned long line = snippet_line(s, part, (uint64_t)json_integer_value(byte));
        snprintf(text, size, "%s: %s", snippet_place(&s->source[part], line),
                 snippet_text(&s->source[part], line));
        return true;
    }
    return false;
}
