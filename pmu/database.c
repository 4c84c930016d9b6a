#include "pmu/database.h"
#include "pmu/driver.h"
#include <stdio.h>
#include <string.h>

static const uint8_t *base;                                    /* of the one that is open */
static uint32_t strings, strings_size, pmus, n_pmus, size_all; /* sizes of 0: none is */
static const char *source = "";
static char trouble[80]; /* "": none */

/* n elements of size bytes at this offset, if all of them lie inside. */
static const void *part(uint32_t at, uint32_t n, uint32_t size)
{
    return at % 4 == 0 && at <= size_all && n <= (size_all - at) / size ? base + at : NULL;
}

/* Also sets base and size_all, which part() needs. */
static bool check(const void *at, size_t size, char *why, size_t cap)
{
    const struct db_header *h = at;
    uint32_t sum[2];
    if (size < sizeof *h || (uintptr_t)at % 4 != 0 || memcmp(h->magic, DB_MAGIC, sizeof h->magic) != 0)
        return pmu_refuse(why, cap, "the module is not an event database");
    if (h->version != DB_VERSION)
        return pmu_refuse(why, cap, "its format is version %u, but this kernel reads version %u",
                          (unsigned)h->version, DB_VERSION);
    if (h->size > size || h->size < sizeof *h || h->size % 4 != 0)
        return pmu_refuse(why, cap, "it is truncated: %u of its %u bytes are there", (unsigned)size,
                          (unsigned)h->size);
    db_sum(&h->strings, h->size - (uint32_t)offsetof(struct db_header, strings), sum);
    if (sum[0] != h->sum[0] || sum[1] != h->sum[1])
        return pmu_refuse(why, cap, "it is damaged: its checksum is wrong");
    base = at;
    size_all = h->size;
    const char *text = part(h->strings, h->strings_size, 1);
    return (text && h->strings_size && text[h->strings_size - 1] == '\0' &&
            part(h->pmus, h->n_pmus, sizeof(struct db_pmu))) ||
           pmu_refuse(why, cap, "it is damaged: some parts lie outside of it");
}

bool db_open(const void *at, size_t size, char *why, size_t cap)
{
    const struct db_header *h = at;
    const bool none = !at && !size;
    const bool good = at && check(at, size, why, cap);
    if (!at && size) pmu_refuse(why, cap, "its memory cannot be read");
    snprintf(trouble, sizeof trouble, "%s", good || none ? "" : why);
    strings_size = n_pmus = 0;
    source = "";
    if (good) {
        strings = h->strings;
        strings_size = h->strings_size;
        pmus = h->pmus;
        n_pmus = h->n_pmus;
        source = db_text(h->source);
    }
    return good || none;
}

const char *db_source(void) { return source; }
const char *db_trouble(void) { return trouble; }

const char *db_text(uint32_t at) { return at < strings_size ? (const char *)base + strings + at : ""; }

const struct db_pmu *db_pmu_named(const char *name)
{
    for (uint32_t i = 0; name && i < n_pmus; i++) {
        const struct db_pmu *p = (const struct db_pmu *)(const void *)(base + pmus) + i;
        if (strcmp(db_text(p->name), name) == 0) return p;
    }
    return NULL;
}

/* The size of one of an event's unit masks; and the address of the first. */
static uint32_t umask_size(const struct db_event *e)
{
    return e->flags & DB_LONG_UMASKS ? sizeof(struct db_long_umask) : sizeof(struct db_umask);
}

static const struct db_layers *layers(const struct db_event *e)
{
    return (const struct db_layers *)(const void *)(e + 1);
}

static uint32_t umasks_at(const struct db_event *e)
{
    uint32_t at = (uint32_t)((const uint8_t *)e - base) + (uint32_t)sizeof *e;
    return e->flags & DB_LONG_UMASKS ? at + (uint32_t)sizeof(struct db_layers) : at;
}

const struct db_event *db_event_at(const struct db_pmu *pmu, unsigned i)
{
    const uint32_t *at = part(pmu->events, pmu->n_events, sizeof *at);
    const struct db_event *e = at && i < pmu->n_events ? part(at[i], 1, sizeof *e) : NULL;
    return e && part(umasks_at(e), e->n_umasks, umask_size(e)) ? e : NULL;
}

/* Binary search among n records, whose names at_i() returns in order; n: not found. */
static unsigned find(const void *of, unsigned n, const char *name,
                     const uint32_t *(*at_i)(const void *of, unsigned i))
{
    unsigned low = 0, high = n;
    while (low < high) {
        unsigned middle = (low + high) / 2;
        const uint32_t *other = at_i(of, middle);
        int order = other ? strcmp(name, db_text(*other & DB_NAME)) : 0;
        if (order == 0) return middle;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return n;
}

static const uint32_t *event_name(const void *pmu, unsigned i)
{
    const struct db_event *e = db_event_at(pmu, i);
    return e ? &e->name : NULL;
}

static const uint32_t *umask_name(const void *event, unsigned i)
{
    const struct db_umask *u = db_umask_at(event, i);
    return u ? &u->name : NULL;
}

const struct db_event *db_event_named(const struct db_pmu *pmu, const char *name)
{
    return db_event_at(pmu, find(pmu, pmu->n_events, name, event_name));
}

const struct db_umask *db_umask_at(const struct db_event *e, unsigned i)
{
    return i < e->n_umasks ? part(umasks_at(e) + i * umask_size(e), 1, umask_size(e)) : NULL;
}

enum db_answer db_pick_umask(struct db_pick *pick, const char *name)
{
    const struct db_event *e = pick->event;
    const struct db_umask *u = db_umask_at(e, find(e, e->n_umasks, name, umask_name));
    if (!u) return DB_UNKNOWN;
    unsigned class = u->name >> 24 & (DB_CLASSES - 1);
    if (e->apart[class] & pick->classes) return DB_EXCLUDED;
    pick->classes |= (uint8_t)(1u << class);
    pick->set |= u->set;
    pick->clear |= u->clear;
    if (e->flags & DB_LONG_UMASKS) {
        const struct db_long_umask *l = (const struct db_long_umask *)u;
        pick->extra_set |= l->set | (uint64_t)l->set_hi << 32;
        pick->brings |= l->brings;
        pick->drops |= l->drops;
    }
    return DB_TAKEN;
}

uint64_t db_select(const struct db_pick *pick)
{
    const struct db_event *e = pick->event;
    return (e->select & ~pick->clear) | pick->set | (uint64_t)e->select_hi << 32;
}

uint64_t db_extra(const struct db_pick *pick)
{
    const struct db_event *e = pick->event;
    uint64_t extra = e->extra | (uint64_t)e->extra_hi << 32 | pick->extra_set;
    if (!(e->flags & DB_LONG_UMASKS)) return extra;
    for (unsigned i = 0; i < DB_LAYERS; i++)
        if (((layers(e)->there | pick->brings) & ~pick->drops) >> i & 1)
            extra |= layers(e)->bits[i] | (uint64_t)layers(e)->bits_hi[i] << 32;
    return extra;
}

const struct db_rule *db_rule_for(const struct db_pmu *pmu, uint32_t event, uint32_t umask)
{
    const struct db_rule *r = part(pmu->rules, pmu->n_rules, sizeof *r);
    for (unsigned i = 0; r && i < pmu->n_rules; i++, r++)
        if (event >= r->first && event <= r->last && (umask & r->mask) == r->umask) return r;
    return NULL;
}
