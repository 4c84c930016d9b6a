/* Several processors: who has a line, and who wants it.
 *
 * All caches of one core are one agent, which its threads share. Those of the others are looked at when a
 * processor lacks a line, or the right to write it; each family says what a request does to its own caches
 * (sim_family.snoop). What an agent counts of another's request is settled at once, at the privilege level at
 * which it is: it belongs to no instruction of its own.
 */
#include "sim/core.h"
#include <stdlib.h>

struct sim_bus {
    unsigned n;
    struct sim *member[SIM_PROCESSORS];
};

/* Of each other core the first thread is asked, for both, which share its caches. So it counts what a request
 * does there; no event of a processor with two threads looks at that. */
static bool is_asked(const struct sim *s, const struct sim *other)
{
    return other != s && other != s->sibling && other->thread == 0;
}

/* A line has left the caches of a core, and so of each of its threads. */
static void gone(struct sim *core, bool data)
{
    for (struct sim *t = core; t; t = t == core ? core->sibling : NULL) {
        t->lines.out += data;
        t->lines.lost += !data;
    }
}

/* An agent was looked at in the middle of another one's instruction. */
static void settle_other(struct sim *s)
{
    s->stray = true;
    sim_settle(s);
    s->stray = false;
}

enum sim_line_state sim_bus_ask(struct sim *s, uint64_t phys, enum sim_ask what)
{
    const bool own = what != ASK_READ, data = what != ASK_UPGRADE;
    enum sim_line_state found = LINE_I;
    const struct sim_bus *b = s->bus;
    for (unsigned k = 0; b && k < b->n; k++) {
        struct sim *other = b->member[k];
        if (!is_asked(s, other)) continue;
        const enum sim_line_state had = other->family->snoop(other, phys, own ? SNOOP_OWN : SNOOP_READ);
        if (sim_line_dirty(had) && data) {
            gone(other, true);
            s->lines.in++;
        } else if (own && had != LINE_I) {
            gone(other, false);
        }
        if (had > found) found = had;
        settle_other(other);
    }
    return found;
}

void sim_bus_flush(struct sim *s, uint64_t phys)
{
    const struct sim_bus *b = s->bus;
    for (unsigned k = 0; b && k < b->n; k++) {
        if (!is_asked(s, b->member[k])) continue;
        b->member[k]->family->snoop(b->member[k], phys, SNOOP_FLUSH);
        settle_other(b->member[k]);
    }
}

void sim_bus_tell(struct sim *s, void (*fn)(struct sim *other, const void *arg), const void *arg)
{
    const struct sim_bus *b = s->bus;
    for (unsigned k = 0; b && k < b->n; k++) {
        if (!is_asked(s, b->member[k])) continue;
        fn(b->member[k], arg);
        settle_other(b->member[k]);
    }
}

/* A line must not change while its other copy goes unseen: so facts are wanted of all. */
void sim_activate(struct sim *s)
{
    const struct sim_bus *b = s->bus;
    s->active = true;
    if (s->sibling) s->sibling->active = true;
    for (unsigned k = 0; b && k < b->n; k++) b->member[k]->active = true;
}

/* ---- public ---- */

struct sim_bus *sim_bus_new(struct sim *const *members, unsigned n)
{
    if (n == 0 || n > SIM_PROCESSORS) return NULL;
    for (unsigned k = 0; k < n; k++)
        if (!members[k] || members[k]->model != members[0]->model || members[k]->bus) return NULL;
    struct sim_bus *b = calloc(1, sizeof *b);
    if (!b) return NULL;
    b->n = n;
    for (unsigned k = 0; k < n; k++) {
        b->member[k] = members[k];
        members[k]->bus = b;
        members[k]->number = k;
    }
    return b;
}

void sim_bus_free(struct sim_bus *b)
{
    if (!b) return;
    for (unsigned k = 0; k < b->n; k++) b->member[k]->bus = NULL;
    free(b);
}
