#include "pmu/every.h"
#include "pmu/database.h"
#include "pmu/driver.h"
#include <stdio.h>
#include <string.h>

/* Can a counter that works count it? Else it is noted why not. */
static bool countable(const struct pmu *pmu, struct pmu_every *at, const char *word, struct pmu_code *out)
{
    char why[8];
    if (strlen(word) >= PMU_NAME ||
        !pmu_event_parse(pmu, word, strlen(word), out, why, sizeof why, NULL, 0)) {
        at->absent++;
        return false;
    }
    if (!(out->counters & pmu->usable)) {
        at->no_counter++;
        return false;
    }
    at->found++;
    return true;
}

/* The database's event at `at`, by itself or with its unit mask there, as a word; `at` goes on to the one
 * after it. The word is "" where an event of the driver's own table has the name, which comes first. False:
 * there are no more. */
static bool of_database(const struct pmu *pmu, const struct db_pmu *db, struct pmu_every *at, char *word,
                        size_t cap)
{
    const struct db_event *e = db_event_at(db, at->event);
    if (!e) return false;
    const struct db_umask *u = e->flags & DB_WANTS_UMASK ? db_umask_at(e, at->umask) : NULL;
    const char *mask = u ? db_text(u->name & DB_NAME) : "";
    struct db_pick pick = {.event = e};
    if (u) db_pick_umask(&pick, mask);
    snprintf(word, cap, "%s%s%s", db_text(e->name), u ? ":" : "", mask);
    if (pmu_event_named(pmu, db_text(e->name))) {
        word[0] = '\0';
    } else if (e->extra_msr && db_extra(&pick)) {
        at->extra_register++;
        word[0] = '\0';
    }
    at->umask++;
    if (!u || !db_umask_at(e, at->umask)) at->event++, at->umask = 0;
    return true;
}

bool pmu_every_next(const struct pmu *pmu, struct pmu_every *at, struct pmu_code *out)
{
    const struct db_pmu *db = db_pmu_named(pmu->database);
    char word[2 * PMU_NAME];
    if (!pmu->ops) return false;
    while (!at->rows_done && (at->row = pmu_event_next(pmu, at->row)))
        if (countable(pmu, at, at->row->name, out)) return true;
    at->rows_done = true;
    while (db && of_database(pmu, db, at, word, sizeof word))
        if (word[0] && countable(pmu, at, word, out)) return true;
    return false;
}
