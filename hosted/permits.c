/* Options that a Linux process rejects. */
#include "kernel/permits.h"
#include "hosted/hosted.h"
#include <string.h>

const unsigned machine_ring = 3;
const bool machine_prefers_lfence = true;

static const struct refused {
    const char *key;
    const char *value; /* NULL: any */
    const char *why;
} refused[] = {
#define REFUSED(key, value, why) {key, value, why},
#include "hosted/refused.def"
#undef REFUSED
};

static bool same(const char *want, const char *value, size_t len)
{
    return strlen(want) == len && memcmp(want, value, len) == 0;
}

/* exit=: the process ends. Its prompt needs a terminal; all else that would come before, a screen. records=:
 * only none has a meaning.
 */
const char *machine_refuses(const char *key, const char *value, size_t len)
{
    for (const struct refused *r = refused; r < refused + sizeof refused / sizeof *refused; r++)
        if (strcmp(r->key, key) == 0 && (!r->value || same(r->value, value, len))) return r->why;
    if (strcmp(key, "exit") == 0 && same("monitor", value, len) && hosted_has_prompt()) return NULL;
    if (strcmp(key, "exit") == 0 && same("monitor", value, len))
        return "a prompt needs a terminal: ./run-here.sh -i";
    if (strcmp(key, "exit") == 0 && !same("halt", value, len))
        return "a Linux process ends: it has no screen, and does not switch its machine off";
    if (strcmp(key, "records") == 0 && !same("none", value, len)) return "records go to the standard output";
    return NULL;
}

static const char *const calls[] = {
#include "hosted/call_names.inc"
};

const char *machine_call_name(uint64_t number)
{
    return number < sizeof calls / sizeof *calls ? calls[number] : NULL;
}
