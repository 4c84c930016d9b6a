/* The machine's topology from what each processor says of itself. */
#include "kernel/topology.h"
#include <string.h>

static const char *const level_names[TOPOLOGY_LEVELS][2] = {
    [LEVEL_CORE] = {"core", "cores"},
    [LEVEL_MODULE] = {"module", "modules"},
    [LEVEL_COMPLEX] = {"complex", "complexes"},
    [LEVEL_TILE] = {"tile", "tiles"},
    [LEVEL_DIE] = {"die", "dies"},
    [LEVEL_DIE_GROUP] = {"die group", "die groups"},
    [LEVEL_PACKAGE] = {"package", "packages"},
};
const char *topology_level_name(enum topology_level level, bool many) { return level_names[level][many]; }

const char *core_kind_name(enum core_kind kind)
{
    static const char *const name[] = {NULL, "P", "E"};
    return name[kind];
}

/* The IDs that share the upper bits. Two processors that disagree on the shift are so compared by the lowest
 * ID of each one's unit. */
static uint32_t unit_of(uint32_t id, unsigned shift) { return shift < 32 ? id >> shift << shift : 0; }

/* What the whole is made from: the processors in the order of their IDs. */
struct build {
    struct topology *t;
    const struct topology_ids *const *ids;
    bool local; /* the local APIC's IDs count, not CPUID's */
};

static uint32_t id_of(const struct build *b, unsigned cpu)
{
    return b->local ? b->ids[cpu]->apic_id : b->ids[cpu]->initial_id;
}

/* By insertion: most firmware lists them in this order already. */
static void sort(const struct build *b)
{
    uint16_t *order = b->t->order;
    for (unsigned i = 0; i < b->t->processors; i++) {
        unsigned at = i;
        for (; at && id_of(b, order[at - 1]) > id_of(b, i); at--) order[at] = order[at - 1];
        order[at] = (uint16_t)i;
    }
}

/* After sort(). */
static bool ids_twice(const struct build *b)
{
    for (unsigned i = 1; i < b->t->processors; i++)
        if (id_of(b, b->t->order[i]) == id_of(b, b->t->order[i - 1])) return true;
    return false;
}

/* Units lie in their package, whatever the rest of the ID says. */
static bool same_unit(const struct build *b, enum topology_level level, unsigned x, unsigned y)
{
    const struct topology_ids *p = b->ids[x], *q = b->ids[y];
    if (unit_of(id_of(b, x), p->shift[LEVEL_PACKAGE]) != unit_of(id_of(b, y), q->shift[LEVEL_PACKAGE]))
        return false;
    if (level == LEVEL_DIE && p->has_node && q->has_node) return p->node == q->node;
    return unit_of(id_of(b, x), p->shift[level]) == unit_of(id_of(b, y), q->shift[level]);
}

/* A level that one processor does not tell is not told of the machine. */
static bool told(const struct build *b, enum topology_level level)
{
    for (unsigned i = 0; i < b->t->processors; i++)
        if (b->ids[i]->shift[level] == SHIFT_UNKNOWN && !(level == LEVEL_DIE && b->ids[i]->has_node))
            return false;
    return true;
}

/* Those of one unit mostly follow each other, so the search backwards ends at once. */
static void number_units(const struct build *b, enum topology_level level)
{
    struct topology *t = b->t;
    if (!told(b, level)) return;
    for (unsigned i = 0; i < t->processors; i++) {
        const unsigned cpu = t->order[i];
        unsigned k = i;
        while (k && !same_unit(b, level, cpu, t->order[k - 1])) k--;
        t->place[cpu].unit[level] = k ? t->place[t->order[k - 1]].unit[level] : t->units[level]++;
    }
}

static void number_threads(struct topology *t)
{
    uint16_t in_core[PROCESSORS_MAX] = {0};
    for (unsigned i = 0; i < t->processors; i++) {
        struct topology_place *p = &t->place[t->order[i]];
        p->thread = in_core[p->unit[LEVEL_CORE]]++;
        if (p->thread >= t->threads) t->threads = p->thread + 1;
    }
}

/* ---- caches ---- */

static bool same_kind(const struct topology_cache *k, const struct topology_ids_cache *c)
{
    return k->level == c->level && k->kind == c->kind && k->bytes == c->bytes;
}

/* Index of the cache's kind in cache[], which is kept in order; TOPOLOGY_CACHE_KINDS: it is full. */
static unsigned kind_of(const struct topology *t, const struct topology_ids_cache *c)
{
    unsigned i = 0;
    while (i < t->cache_kinds && !same_kind(&t->cache[i], c)) i++;
    return i < t->cache_kinds ? i : TOPOLOGY_CACHE_KINDS;
}

static bool comes_before(const struct topology_cache *k, const struct topology_ids_cache *c)
{
    return k->level < c->level || (k->level == c->level && k->kind <= c->kind);
}

static void find_cache_kinds(const struct build *b)
{
    struct topology *t = b->t;
    for (unsigned i = 0; i < t->processors; i++) {
        const struct topology_ids *ids = b->ids[t->order[i]];
        for (unsigned c = 0; c < ids->caches; c++) {
            const struct topology_ids_cache *one = &ids->cache[c];
            if (kind_of(t, one) < TOPOLOGY_CACHE_KINDS || t->cache_kinds == TOPOLOGY_CACHE_KINDS) continue;
            unsigned at = t->cache_kinds++;
            for (; at && !comes_before(&t->cache[at - 1], one); at--) t->cache[at] = t->cache[at - 1];
            t->cache[at] =
                (struct topology_cache){.level = one->level, .kind = one->kind, .bytes = one->bytes};
        }
    }
}

static const struct topology_ids_cache *cache_of(const struct build *b, unsigned cpu, unsigned kind)
{
    const struct topology_ids *ids = b->ids[cpu];
    for (unsigned c = 0; c < ids->caches; c++)
        if (same_kind(&b->t->cache[kind], &ids->cache[c])) return &ids->cache[c];
    return NULL;
}

static bool same_cache(const struct build *b, unsigned kind, unsigned x, unsigned y)
{
    const struct topology_ids_cache *p = cache_of(b, x, kind), *q = cache_of(b, y, kind);
    return p && q && same_unit(b, LEVEL_PACKAGE, x, y) &&
           unit_of(id_of(b, x), p->shift) == unit_of(id_of(b, y), q->shift);
}

static bool sharing_told(const struct build *b, unsigned kind)
{
    for (unsigned i = 0; i < b->t->processors; i++) {
        const struct topology_ids_cache *c = cache_of(b, i, kind);
        if (c && c->shift == SHIFT_UNKNOWN) return false;
    }
    return true;
}

/* As number_units(), but not every processor has a cache of this kind. */
static void number_caches(const struct build *b, unsigned kind, uint16_t first)
{
    struct topology *t = b->t;
    struct topology_cache *c = &t->cache[kind];
    uint16_t number[PROCESSORS_MAX], users[PROCESSORS_MAX] = {0};
    const bool shared = sharing_told(b, kind);
    c->first = first;
    for (unsigned i = 0; i < t->processors; i++) {
        const unsigned cpu = t->order[i];
        struct topology_place *p = &t->place[cpu];
        if (!cache_of(b, cpu, kind)) continue;
        p->cache[p->caches].kind = (uint8_t)kind;
        if (shared) {
            unsigned k = i;
            while (k && !same_cache(b, kind, cpu, t->order[k - 1])) k--;
            number[i] = k ? number[k - 1] : c->number++;
            p->cache[p->caches].number = first + number[i];
            if (++users[number[i]] > c->shared) c->shared = users[number[i]];
        }
        p->caches++;
    }
}

/* ---- public ---- */

void topology_build(struct topology *t, const struct topology_ids *const *ids, unsigned n)
{
    struct build b = {t, ids, false};
    memset(t, 0, sizeof *t);
    t->processors = n;
    sort(&b);
    if (ids_twice(&b)) {
        t->ids_twice = b.local = true;
        sort(&b);
    }
    for (unsigned i = 0; i < n; i++) {
        t->place[i].apic_id = ids[i]->apic_id;
        t->place[i].kind = ids[i]->kind;
        t->kinds[ids[i]->kind]++;
        t->leaves |= ids[i]->leaves;
        const unsigned room = ids[i]->shift[LEVEL_CORE] < 16 ? 1u << ids[i]->shift[LEVEL_CORE] : 1;
        if (room > t->room) t->room = (uint16_t)room;
    }
    for (unsigned level = 0; level < TOPOLOGY_LEVELS; level++) number_units(&b, (enum topology_level)level);
    number_threads(t);
    find_cache_kinds(&b);
    uint16_t caches = 0;
    for (unsigned kind = 0; kind < t->cache_kinds; kind++) {
        number_caches(&b, kind, caches);
        caches += t->cache[kind].number;
    }
}

unsigned topology_shared_level(const struct topology *t, unsigned a, unsigned b)
{
    const struct topology_place *p = &t->place[a], *q = &t->place[b];
    for (unsigned i = 0; i < p->caches; i++)
        for (unsigned k = 0; k < q->caches; k++) {
            const struct topology_cache *c = &t->cache[p->cache[i].kind];
            if (p->cache[i].kind == q->cache[k].kind && c->number && c->kind != CACHE_CODE &&
                p->cache[i].number == q->cache[k].number)
                return c->level;
        }
    return 0;
}
