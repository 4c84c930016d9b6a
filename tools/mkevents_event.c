/* An event's record: its model, mended where the library is wrong, as the database has it. */
#include "tools/events_fixes.h"
#include "tools/events_rules.h"
#include "tools/mkevents.h"
#include <stdlib.h>
#include <string.h>

struct bytes events;
static struct bytes event_places;

/* The select with this unit mask, NULL: with none. */
static uint64_t select_of(const struct umask *u)
{
    return u ? (now.bare.w[0] & ~u->clear) | u->set.w[0] : now.bare.w[0];
}

/* With this unit mask it is to be that. What the other ones say stays as it is. */
static void set_select(struct umask *u, uint32_t select)
{
    if (u) {
        u->set.w[0] = select;
        u->clear |= now.bare.w[0] & ~(uint64_t)select;
        return;
    }
    now.bare.w[0] = select;
    for (unsigned i = 0; i < now.n; i++) umask[i].clear |= select & ~umask[i].set.w[0];
}

/* Has the library this event there? */
static bool has_event(const struct umask *u, unsigned event)
{
    const struct pmu *own = &pmu[n_pmus - 1];
    if (own->record.form != DB_SELECT || begins(string(own->name), "amd64")) return false;
    return (u || now.bare_known) && (select_of(u) & 0xff) == event;
}

static void drop_second_word(void)
{
    now.extra = false;
    now.bare.w[1] = 0;
    for (unsigned i = 0; i < now.n; i++) umask[i].set.w[1] = 0;
}

static void add_second_word(const char *own, const char *event)
{
    for (unsigned f = 0; f < sizeof seconds / sizeof seconds[0]; f++)
        for (unsigned i = 0; i < now.n && strcmp(own, seconds[f].pmu) == 0; i++)
            if (strcmp(event, seconds[f].event) == 0 &&
                strcmp(string(umask[i].name), seconds[f].umask) == 0 && !umask[i].set.w[1])
                umask[i].set.w[1] = seconds[f].second;
}

static void mend(void)
{
    const char *own = string(pmu[n_pmus - 1].name);
    uint32_t event = now.name;
    for (unsigned i = 0; i < now.n && pmu[n_pmus - 1].record.form == DB_SELECT; i++)
        if ((umask[i].alone.w[0] & SELECT_INV) && !(umask[i].alone.w[0] & SELECT_CMASK))
            umask[i].set.w[0] |= SELECT_CMASK_1;
    for (unsigned f = 0; f < sizeof plain / sizeof plain[0]; f++)
        if (strcmp(string(event), plain[f].event) == 0) drop_second_word();
    add_second_word(own, string(event));
    for (unsigned f = 0; f < sizeof fixes / sizeof fixes[0]; f++) {
        const struct fix *x = &fixes[f];
        if (!x->event || !begins(own, x->pmu) || strcmp(string(event), x->event) != 0) continue;
        if (!x->umask && x->name) now.name = intern(x->name);
        if (!x->umask && x->select && has_event(NULL, x->event_was)) set_select(NULL, x->select);
        for (unsigned i = 0; x->umask && i < now.n; i++) {
            if (strcmp(string(umask[i].name), x->umask) != 0) continue;
            if (x->name) umask[i].name = intern(x->name);
            if (x->set) umask[i].set.w[0] = x->set;
            if (x->select && has_event(&umask[i], x->event_was)) set_select(&umask[i], x->select);
        }
    }
}

/* Event 0 is none, unless a rule says what it means. */
static void check_select(const struct umask *u)
{
    const struct rules own = rules_of(string(pmu[n_pmus - 1].name));
    const uint64_t select = select_of(u);
    if (!own.rule || !has_event(u, 0)) return;
    for (unsigned i = 0; i < own.n; i++)
        if (own.rule[i].first == 0 && (select >> 8 & own.rule[i].mask) == own.rule[i].umask) return;
    fail("event 0, of which no rule says what it means", string(u ? u->name : now.name));
}

bool left_out(const char *name)
{
    for (unsigned f = 0; f < sizeof fixes / sizeof fixes[0]; f++)
        if (!fixes[f].event && strcmp(fixes[f].pmu, name) == 0) return true;
    return false;
}

/* ---- the record ---- */

static uint8_t high(uint64_t w)
{
    if (w >> 40) fail("an encoding beyond 40 bits", string(now.name));
    return (uint8_t)(w >> 32);
}

static uint16_t extra_msr(void)
{
    uint8_t event = (uint8_t)now.bare.w[0], mask = (uint8_t)(umask[0].alone.w[0] >> 8);
    for (unsigned i = 0; i < sizeof extra_msrs / sizeof extra_msrs[0]; i++)
        if (extra_msrs[i].event == event && (mask & extra_msrs[i].mask) == extra_msrs[i].umask)
            return extra_msrs[i].msr;
    fail("no MSR is known for the second word of", string(now.name));
}

static int by_umask_name(const void *a, const void *b)
{
    return strcmp(string(((const struct umask *)a)->name), string(((const struct umask *)b)->name));
}

void write_event(void)
{
    struct db_event e = {0};
    struct bytes record = {0};
    uint32_t place = events.n;
    struct pmu *own = &pmu[n_pmus - 1];
    find_model(e.apart);
    mend();
    if (now.extra && own->record.form == DB_SELECT) e.extra_msr = extra_msr();
    check_select(NULL);
    for (unsigned i = 0; i < now.n; i++) check_select(&umask[i]);
    for (unsigned i = 0; i < now.n; i++)
        if (umask[i].set.w[1] | umask[i].drops | umask[i].brings) e.flags |= DB_LONG_UMASKS;
    if (!now.bare_known) e.flags |= DB_WANTS_UMASK;
    e.name = now.name;
    e.desc = now.desc;
    e.select = (uint32_t)now.bare.w[0];
    e.select_hi = high(now.bare.w[0]);
    e.extra = (uint32_t)now.bare.w[1];
    e.extra_hi = high(now.bare.w[1]);
    e.n_umasks = (uint8_t)now.n;
    e.modifiers = now.modifiers;
    append(&record, &e, sizeof e);
    if (e.flags & DB_LONG_UMASKS) {
        struct db_layers layers = {.there = now.there};
        for (unsigned i = 0; i < now.n_layers; i++) {
            layers.bits[i] = (uint32_t)now.layer[i];
            layers.bits_hi[i] = high(now.layer[i]);
        }
        append(&record, &layers, sizeof layers);
    }
    qsort(umask, now.n, sizeof umask[0], by_umask_name);
    for (unsigned i = 0; i < now.n; i++) {
        const struct umask *u = &umask[i];
        struct db_long_umask l = {.is = {.name = u->name | (uint32_t)u->class << 24,
                                         .desc = u->desc,
                                         .set = (uint32_t)u->set.w[0],
                                         .clear = (uint32_t)u->clear},
                                  .set = (uint32_t)u->set.w[1],
                                  .set_hi = high(u->set.w[1]),
                                  .drops = u->drops,
                                  .brings = u->brings};
        if (u->set.w[0] >> 32 || u->clear >> 32) fail("a unit mask beyond 32 bits", string(now.name));
        append(&record, &l, e.flags & DB_LONG_UMASKS ? sizeof l : sizeof l.is);
    }
    /* One that another PMU has likewise is there already. */
    const uint32_t *places = (const uint32_t *)(const void *)event_places.at;
    for (unsigned i = 0; i < event_places.n / 4 && place == events.n; i++) {
        uint32_t end = (i + 1) * 4 < event_places.n ? places[i + 1] : events.n;
        if (end - places[i] == record.n && memcmp(events.at + places[i], record.at, record.n) == 0)
            place = places[i];
    }
    if (place == events.n) {
        append(&event_places, &place, 4);
        append(&events, record.at, record.n);
    }
    free(record.at);
    own->event = grow(own->event, (own->n + 1) * sizeof own->event[0]);
    own->event[own->n].name = now.name;
    own->event[own->n++].event = place;
}
