/* Where each processor sits, as records. */
#include "report/emit.h"
#include "report/put.h"

static void leaves(struct record *r, unsigned used)
{
    OPEN(r, topology, leaves);
    for (unsigned i = 0; i < TOPOLOGY_LEAVES; i++)
        if (used >> i & 1) ITEM(r, topology, leaves, topology_leaf_name((enum topology_leaf)i));
    rec_close(r);
}

static void caches(struct record *r, const struct topology *t)
{
    static const char *const kind[] = {"", "data", "code", "unified"};
    OPEN(r, topology, caches);
    for (const struct topology_cache *c = t->cache; c < t->cache + t->cache_kinds; c++) {
        rec_object(r, NULL);
        PUT(r, shared_cache, level, c->level);
        PUT(r, shared_cache, kind, kind[c->kind & 3]);
        PUT(r, shared_cache, bytes, c->bytes);
        if (c->number) {
            PUT(r, shared_cache, number, c->number);
            PUT(r, shared_cache, first, c->first);
            PUT(r, shared_cache, shared, c->shared);
        }
        rec_close(r);
    }
    rec_close(r);
}

static void emit_place(const struct topology *t, unsigned cpu)
{
    const struct topology_place *p = &t->place[cpu];
    struct record *r = NEW(place);
    PUT(r, place, cpu, cpu);
    PUT(r, place, apic_id, p->apic_id);
    PUT(r, place, package, p->unit[LEVEL_PACKAGE]);
    if (t->units[LEVEL_DIE_GROUP]) PUT(r, place, die_group, p->unit[LEVEL_DIE_GROUP]);
    if (t->units[LEVEL_DIE]) PUT(r, place, die, p->unit[LEVEL_DIE]);
    if (t->units[LEVEL_TILE]) PUT(r, place, tile, p->unit[LEVEL_TILE]);
    if (t->units[LEVEL_COMPLEX]) PUT(r, place, complex, p->unit[LEVEL_COMPLEX]);
    if (t->units[LEVEL_MODULE]) PUT(r, place, module, p->unit[LEVEL_MODULE]);
    PUT(r, place, core, p->unit[LEVEL_CORE]);
    PUT(r, place, thread, p->thread);
    if (p->kind) PUT(r, place, kind, core_kind_name(p->kind));
    OPEN(r, place, caches);
    for (unsigned i = 0; i < p->caches; i++)
        if (t->cache[p->cache[i].kind].number) ITEM(r, place, caches, p->cache[i].number);
    rec_close(r);
    record_emit(r);
}

void emit_topology(const struct topology *t)
{
    if (t->processors < 2) return;
    struct record *r = NEW(topology);
    PUT(r, topology, processors, t->processors);
    PUT(r, topology, packages, t->units[LEVEL_PACKAGE]);
    if (t->units[LEVEL_DIE_GROUP]) PUT(r, topology, die_groups, t->units[LEVEL_DIE_GROUP]);
    if (t->units[LEVEL_DIE]) PUT(r, topology, dies, t->units[LEVEL_DIE]);
    if (t->units[LEVEL_TILE]) PUT(r, topology, tiles, t->units[LEVEL_TILE]);
    if (t->units[LEVEL_COMPLEX]) PUT(r, topology, complexes, t->units[LEVEL_COMPLEX]);
    if (t->units[LEVEL_MODULE]) PUT(r, topology, modules, t->units[LEVEL_MODULE]);
    PUT(r, topology, cores, t->units[LEVEL_CORE]);
    PUT(r, topology, threads, t->threads);
    leaves(r, t->leaves);
    PUT(r, topology, ids, t->ids_twice ? "apic" : "cpuid");
    caches(r, t);
    record_emit(r);
    for (unsigned cpu = 0; cpu < t->processors; cpu++) emit_place(t, cpu);
}
