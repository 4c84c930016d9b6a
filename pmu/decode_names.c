/* Events by their codes: the other direction of pmu/event.c. Names come from the family's table and from the
 * event database. */
#include "pmu/database.h"
#include "pmu/decode.h"
#include "pmu/driver.h"
#include "pmu/netburst.h"
#include "pmu/perfmon.h"
#include <stdio.h>
#include <string.h>

typedef void one_fn(void *ctx, const char *word, const char *desc, bool whole);

struct search {
    const struct pmu *pmu;
    const struct pmu_sought *s;
    one_fn *one;
    void *ctx;
    unsigned found;
};

static void add(char *word, size_t cap, const char *name)
{
    const size_t n = strlen(word);
    snprintf(word + n, cap - n, ":%s", name);
}

static void add_number(char *word, size_t cap, uint32_t umask)
{
    char number[16];
    snprintf(number, sizeof number, "0x%02lx", (unsigned long)umask);
    add(word, cap, number);
}

/* ---- the family's table ---- */

/* Can the row's counters select this ESCR? */
static bool has_escr(const struct pmu_event *e, int escr)
{
    for (unsigned c = 0; c < NETBURST_COUNTERS; c++)
        if (e->counters >> c & 1 && pmu_netburst_escr(c, NB_ESEL_OF(e->code)) == escr) return true;
    return false;
}

static bool is_row(const struct search *q, const struct pmu_event *e, bool exactly)
{
    const struct pmu_sought *s = q->s;
    const bool netburst = q->pmu->classes & CLASS_NETBURST;
    if ((netburst ? NB_SELECT_OF(e->code) : e->code) != s->event) return false;
    if (s->counters && e->counters && !(s->counters & e->counters)) return false;
    if (netburst && s->escr >= 0 && !has_escr(e, s->escr)) return false;
    return !exactly || netburst || e->umask == s->umask;
}

/* The names of the unit masks that make up `umask`. False: it has bits without a name, or a field that a word
 * without names would fill with the event's default. */
static bool add_umasks(const struct pmu *pmu, const struct pmu_event *e, uint32_t umask, char *word,
                       size_t cap)
{
    uint32_t named = 0;
    const struct pmu_umask *u = pmu->ops->umasks;
    for (unsigned i = 0; i < pmu->ops->n_umasks; i++, u++) {
        if (u->set != e->umasks) continue;
        const uint32_t field = pmu_umask_field(pmu, u);
        const bool there = u->one_of ? (umask & field) == u->value : (umask & u->value) == u->value;
        if (!u->one_of && !(umask & field) && e->umask & field) return false;
        if (!there || (u->value && !(u->value & ~named))) continue; /* or others have said it */
        add(word, cap, u->name);
        named |= u->one_of ? field : u->value;
    }
    return !(umask & ~named);
}

static void row(struct search *q, const struct pmu_event *e)
{
    char word[2 * PMU_NAME];
    const uint32_t umask = q->s->umask;
    const size_t n = (size_t)snprintf(word, sizeof word, "%s", e->name);
    if (umask != e->umask && (!e->umasks || !add_umasks(q->pmu, e, umask, word, sizeof word))) {
        word[n] = '\0';
        add_number(word, sizeof word, umask);
    }
    q->one(q->ctx, word, e->desc, false);
    q->found++;
}

static void rows(struct search *q, bool exactly)
{
    for (const struct pmu_event *e = NULL; (e = pmu_event_next(q->pmu, e));)
        if (is_row(q, e, exactly)) row(q, e);
}

/* ---- the event database ---- */

#define MODIFIERS (PERFMON_CMASK(0xff) | PERFMON_INV | PERFMON_ANY | PERFMON_EDGE)

/* How well an event with the unit masks that were picked fits. */
enum fit { NOT, CODE, UMASK, WHOLE };

static enum fit fit_of(const struct search *q, const struct db_pick *pick)
{
    const uint64_t select = db_select(pick);
    const uint32_t modifiers = (uint32_t)select & MODIFIERS;
    if (((select & 0xff) | (select >> 24 & 0xf00)) != q->s->event) return NOT;
    if ((select >> 8 & 0xff) != q->s->umask) return CODE;
    if (modifiers == q->s->modifiers) return WHOLE;
    return modifiers ? CODE : UMASK;
}

static void of_database(struct search *q, const struct db_event *e, const char *umask, const char *desc,
                        enum fit fit)
{
    char word[2 * PMU_NAME];
    snprintf(word, sizeof word, "%s%s%s", db_text(e->name), *umask ? ":" : "", umask);
    if (fit == CODE) add_number(word, sizeof word, q->s->umask);
    q->one(q->ctx, word, desc, fit == WHOLE && q->s->modifiers);
    q->found++;
}

/* Several unit masks, each of whose bits are set: their names add up. */
static bool combination(const struct search *q, const struct db_event *e, char *umasks, size_t cap)
{
    struct db_pick pick = {.event = e};
    const struct db_umask *u;
    umasks[0] = '\0';
    for (unsigned i = 0; (u = db_umask_at(e, i)); i++) {
        const uint32_t bits = u->set >> 8 & 0xff;
        const size_t n = strlen(umasks);
        struct db_pick with = pick;
        if (bits & ~q->s->umask || !(bits & ~(pick.set >> 8)) || u->set & MODIFIERS) continue;
        if (db_pick_umask(&with, db_text(u->name & DB_NAME)) != DB_TAKEN) continue;
        pick = with;
        snprintf(umasks + n, cap - n, "%s%s", n ? ":" : "", db_text(u->name & DB_NAME));
    }
    return umasks[0] && fit_of(q, &pick) >= UMASK;
}

/* All that fit so well. */
static void database(struct search *q, const struct db_pmu *db, enum fit fit)
{
    const struct db_event *e;
    const struct db_umask *u;
    char umasks[PMU_NAME];
    for (unsigned i = 0; (e = db_event_at(db, i)); i++) {
        const struct db_pick alone = {.event = e};
        if (fit == CODE && fit_of(q, &alone) != NOT) {
            const bool all = combination(q, e, umasks, sizeof umasks);
            of_database(q, e, all ? umasks : "", db_text(e->desc), all ? UMASK : CODE);
        }
        if (fit == CODE) continue;
        if (!(e->flags & DB_WANTS_UMASK) && fit_of(q, &alone) == fit)
            of_database(q, e, "", db_text(e->desc), fit);
        for (unsigned k = 0; (u = db_umask_at(e, k)); k++) {
            struct db_pick pick = alone;
            db_pick_umask(&pick, db_text(u->name & DB_NAME));
            if (fit_of(q, &pick) == fit) of_database(q, e, db_text(u->name & DB_NAME), db_text(u->desc), fit);
        }
    }
}

/* ---- public ---- */

unsigned pmu_decode_names(const struct pmu *pmu, const struct pmu_sought *s, one_fn *one, void *ctx)
{
    struct search q = {pmu, s, one, ctx, 0};
    const struct db_pmu *db = db_pmu_named(pmu->database);
    if (db) database(&q, db, WHOLE);
    rows(&q, true);
    if (!q.found && db) database(&q, db, UMASK);
    if (!s->event && pmu->classes & CLASS_ARCH) return q.found; /* fixed counters' unit masks: no others */
    if (!q.found) rows(&q, false);
    if (!q.found && db) database(&q, db, CODE);
    return q.found;
}
