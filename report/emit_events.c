#include "report/emit_events.h"
#include "pmu/database.h"
#include "pmu/names.h"
#include "report/emit.h"
#include "report/put.h"
#include <stdio.h>
#include <string.h>

static char lower(char c) { return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c); }

/* Does text hold the pattern, which is in lower case? */
static bool holds(const char *text, const char *pattern)
{
    for (; *text; text++) {
        size_t i = 0;
        while (pattern[i] && lower(text[i]) == pattern[i]) i++;
        if (!pattern[i]) return true;
    }
    return false;
}

static void counter_list(struct record *r, const struct pmu *pmu, uint64_t select)
{
    const uint32_t counters = pmu_select_counters(pmu, select);
    OPEN(r, event, counters);
    for (unsigned i = 0; i < pmu->counters; i++)
        if (counters >> i & 1) ITEM(r, event, counters, i);
    rec_close(r);
}

/* An event of the database, by itself (umask NULL) or with one unit mask. */
static void emit_database(const struct pmu *pmu, const struct db_event *e, const struct db_umask *umask)
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
    for (unsigned i = 0; !umask && (u = db_umask_at(e, i)); i++)
        ITEM(r, event, umasks, db_text(u->name & DB_NAME));
    rec_close(r);
    record_emit(r);
}

static void find_in(const struct pmu *pmu, const struct db_event *e, const char *pattern)
{
    const struct db_umask *u;
    if (holds(db_text(e->name), pattern) || holds(db_text(e->desc), pattern)) {
        emit_database(pmu, e, NULL);
        return;
    }
    for (unsigned i = 0; (u = db_umask_at(e, i)); i++)
        if (holds(db_text(u->name & DB_NAME), pattern) || holds(db_text(u->desc), pattern))
            emit_database(pmu, e, u);
}

bool emit_events(const struct pmu *pmu, const char *pattern)
{
    const struct pmu_event *e;
    const struct pmu_word *w;
    const struct pmu_alias *a;
    const struct db_event *d;
    const struct db_pmu *db = db_pmu_named(pmu->database);
    const unsigned before = session_records();
    for (unsigned i = 0; (w = pmu_word_at(pmu, i)) != NULL; i++)
        if (!pattern || holds(w->word, pattern)) emit_word(w);
    for (e = NULL; (e = pmu_event_next(pmu, e)) != NULL;)
        if (!pattern || holds(e->name, pattern) || holds(e->desc, pattern)) emit_event(pmu, e);
    for (unsigned i = 0; db && (d = db_event_at(db, i)); i++) {
        if (pattern)
            find_in(pmu, d, pattern);
        else
            emit_database(pmu, d, NULL);
    }
    for (a = NULL; (a = pmu_alias_next(pmu, a)) != NULL;)
        if (!pattern || holds(a->name, pattern)) emit_word(&(struct pmu_word){a->name, a->stands_for, 0});
    if (!pattern || session_records() != before) return true;
    report_note("events", "none has \"%s\"", pattern);
    return false;
}
