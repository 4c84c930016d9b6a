#include "report/emit_events.h"
#include "pmu/database.h"
#include "pmu/find.h"
#include "pmu/names.h"
#include "report/emit.h"
#include "report/put.h"
#include <stdio.h>
#include <string.h>

static void counter_list(struct record *r, const struct pmu *pmu, uint64_t select)
{
    const uint32_t counters = pmu_select_counters(pmu, select);
    OPEN(r, event, counters);
    for (unsigned i = 0; i < pmu->counters; i++)
        if (counters >> i & 1) ITEM(r, event, counters, i);
    rec_close(r);
}

/* An event of the database, by itself (umask NULL) or with one unit mask. names: the record lists its unit
 * masks. */
static void emit_database(const struct pmu *pmu, const struct db_event *e, const struct db_umask *umask,
                          bool names)
{
    struct db_pick pick = {.event = e};
    struct record *r = NEW(event);
    const struct db_umask *u;
    if (umask) db_pick_umask(&pick, db_text(umask->name & DB_NAME));
    uint64_t select = db_select(&pick);
    PUTF(r, event, event, "%s%s%s", db_text(e->name), umask ? ":" : "",
         umask ? db_text(umask->name & DB_NAME) : "");
    PUTF(r, event, code, "0x%02x", (unsigned)((select & 0xff) | (select >> 24 & 0xf00)));
    if (umask || !(e->flags & DB_WANTS_UMASK))
        PUTF(r, event, umask, "0x%02x", (unsigned)(select >> 8 & 0xff));
    PUT(r, event, desc, db_text(umask ? umask->desc : e->desc));
    if (e->extra_msr && db_extra(&pick)) PUTF(r, event, msr, "0x%03x", e->extra_msr);
    counter_list(r, pmu, select);
    OPEN(r, event, umasks);
    for (unsigned i = 0; names && (u = db_umask_at(e, i)); i++)
        ITEM(r, event, umasks, db_text(u->name & DB_NAME));
    rec_close(r);
    record_emit(r);
}

/* An event that has the words is listed with all of its unit masks; otherwise those unit masks are listed
 * that have the words together with the event. */
static void find_in(const struct pmu *pmu, const struct db_event *e, const char *words)
{
    const char *text[] = {db_text(e->name), db_text(e->desc), NULL, NULL};
    const bool whole = find_matches(words, text, 2);
    const struct db_umask *u;
    if (whole) emit_database(pmu, e, NULL, false);
    for (unsigned i = 0; (u = db_umask_at(e, i)); i++) {
        text[2] = db_text(u->name & DB_NAME);
        text[3] = db_text(u->desc);
        if (whole || find_matches(words, text, 4)) emit_database(pmu, e, u, false);
    }
}

static bool name_matches(const char *words, const char *name) { return find_matches(words, &name, 1); }

/* A row of the driver's table, by itself or together with one of its unit masks. */
static bool row_matches(const struct pmu *pmu, const struct pmu_event *e, const char *words)
{
    const char *text[] = {e->name, e->desc, NULL};
    bool found = find_matches(words, text, 2);
    for (unsigned i = 0; e->umasks && i < pmu->ops->n_umasks && !found; i++) {
        text[2] = pmu->ops->umasks[i].name;
        found = pmu->ops->umasks[i].set == e->umasks && find_matches(words, text, 3);
    }
    return found;
}

/* l2_miss is part of few names, but its two words are in many. */
static void try_words(const char *name)
{
    char words[64];
    snprintf(words, sizeof words, "%s", name);
    for (char *c = words; *c; c++)
        if (*c == '_') *c = '+';
    report_note("events", "these have \"%s\" as it stands; events=find:%s finds its words in any order", name,
                words);
}

bool emit_events(const struct pmu *pmu, const char *words)
{
    const struct pmu_event *e;
    const struct pmu_word *w;
    const struct pmu_alias *a;
    const struct db_event *d;
    const struct db_pmu *db = db_pmu_named(pmu->database);
    const unsigned before = session_records();
    for (unsigned i = 0; (w = pmu_word_at(pmu, i)) != NULL; i++)
        if (!words || name_matches(words, w->word)) emit_word(w);
    for (e = NULL; (e = pmu_event_next(pmu, e)) != NULL;)
        if (!words || row_matches(pmu, e, words)) emit_event(pmu, e);
    for (unsigned i = 0; db && (d = db_event_at(db, i)); i++) {
        if (words)
            find_in(pmu, d, words);
        else
            emit_database(pmu, d, NULL, true);
    }
    for (a = NULL; (a = pmu_alias_next(pmu, a)) != NULL;)
        if (!words || name_matches(words, a->name)) emit_word(&(struct pmu_word){a->name, a->stands_for, 0});
    if (!words) return true;
    if (session_records() != before) {
        if (strchr(words, '_') && !strchr(words, '+')) try_words(words);
        return true;
    }
    report_note("events", "no name and no description has \"%s\"; find:l2+miss looks for several words",
                words);
    return false;
}
