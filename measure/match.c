#include "measure/match.h"
#include <stdbool.h>

#define COUNTERS 32

struct matching {
    const uint32_t *allowed;
    uint32_t usable, first;
    struct match_slot *slot; /* counter of each event so far; group is filled in at the end */
    unsigned n;              /* events so far */
    unsigned load[COUNTERS]; /* events on each counter */
    unsigned capacity;
};

static uint32_t options(const struct matching *m, unsigned event) { return m->allowed[event] & m->usable; }

/* The counter is full: move one of its events to another counter, and if necessary one of that counter's
 * events, until a counter with room is reached. A breadth-first search over counters; mover[c] is the event
 * that would move to c. */
static int find_room(const struct matching *m, uint32_t from, unsigned *mover)
{
    uint32_t seen = from, frontier = from;
    while (frontier) {
        uint32_t room = 0, next = 0;
        for (unsigned c = 0; c < COUNTERS; c++)
            if (frontier >> c & 1 && m->load[c] < m->capacity) room |= 1u << c;
        if (room) return __builtin_ctz(room & m->first ? room & m->first : room);
        for (unsigned e = 0; e < m->n; e++) {
            uint32_t on = m->slot[e].counter;
            if (on == MATCH_NONE || !(frontier >> on & 1)) continue;
            uint32_t fresh = options(m, e) & ~seen;
            for (unsigned c = 0; c < COUNTERS; c++)
                if (fresh >> c & 1) mover[c] = e;
            seen |= fresh;
            next |= fresh;
        }
        frontier = next;
    }
    return -1;
}

/* Give the next event a counter within the capacity. */
static bool place(struct matching *m, unsigned event)
{
    unsigned mover[COUNTERS] = {0};
    uint32_t wanted = options(m, event);
    int c = find_room(m, wanted, mover);
    if (c < 0) return false;
    m->load[c]++;
    while (!(wanted >> c & 1)) {
        unsigned e = mover[c];
        uint32_t left = m->slot[e].counter;
        m->slot[e].counter = (uint32_t)c;
        c = (int)left;
    }
    m->slot[event].counter = (uint32_t)c;
    return true;
}

unsigned match_events(const uint32_t *allowed, unsigned n, uint32_t usable, uint32_t first,
                      struct match_slot *slot)
{
    struct matching m = {.allowed = allowed, .usable = usable, .first = first, .slot = slot};
    for (unsigned i = 0; i < n; i++) {
        slot[i].group = slot[i].counter = MATCH_NONE;
        m.n = i;
        if (!options(&m, i)) continue;
        if (!m.capacity) m.capacity = 1;
        while (!place(&m, i)) m.capacity++;
    }

    unsigned used[COUNTERS] = {0};
    for (unsigned i = 0; i < n; i++)
        if (slot[i].counter != MATCH_NONE) slot[i].group = used[slot[i].counter]++;
    return m.capacity;
}
