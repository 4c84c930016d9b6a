/* Names near the one that the user typed, by edit distance. */
#include "pmu/database.h"
#include "pmu/driver.h"
#include "pmu/names.h"
#include <string.h>

#define NEAREST 3

#define FAR 255

/* Levenshtein's distance; FAR as soon as it must exceed limit, and for a name longer than any event's. */
static unsigned distance(const char *a, unsigned len, const char *b, unsigned limit)
{
    uint8_t row[PMU_NAME + 1];
    unsigned n = (unsigned)strlen(b);
    if (n >= PMU_NAME || n > len + limit || n + limit < len) return FAR;
    for (size_t j = 0; j <= n; j++) row[j] = (uint8_t)j;
    for (size_t i = 0; a[i]; i++) {
        uint8_t diagonal = row[0], least = row[0] = (uint8_t)(i + 1);
        for (size_t j = 0; j < n; j++) {
            uint8_t replaced = diagonal + (a[i] != b[j]);
            uint8_t other = (row[j] < row[j + 1] ? row[j] : row[j + 1]) + 1;
            diagonal = row[j + 1];
            row[j + 1] = replaced < other ? replaced : other;
            if (row[j + 1] < least) least = row[j + 1];
        }
        if (least > limit) return FAR;
    }
    return row[n];
}

struct list {
    const char *name[NEAREST];
    unsigned d[NEAREST], n;
};

/* Sorted by distance, equals in the order of insertion, each name once. shown: the name to print. */
static void consider_as(struct list *l, const char *typed, const char *name, const char *shown)
{
    unsigned len = (unsigned)strlen(typed), limit = len / 3 > 2 ? len / 3 : 2;
    unsigned d = distance(typed, len, name, limit);
    if (len > 2 && strstr(name, typed)) /* a part of a name is as good as two typos */
        d = d < 2 ? d : 2;
    if (d > limit) return;
    unsigned at = l->n;
    while (at > 0 && l->d[at - 1] > d) at--;
    if (at == NEAREST) return;
    for (unsigned i = 0; i < l->n; i++)
        if (strcmp(l->name[i], shown) == 0) return;
    if (l->n < NEAREST) l->n++;
    for (unsigned i = l->n - 1; i > at; i--) {
        l->name[i] = l->name[i - 1];
        l->d[i] = l->d[i - 1];
    }
    l->name[at] = shown;
    l->d[at] = d;
}

static void consider(struct list *l, const char *typed, const char *name)
{
    consider_as(l, typed, name, name);
}

/* The typed name is in lower case, but some of perf's words are not. */
static void consider_word(struct list *l, const char *typed, const char *word)
{
    char low[PMU_NAME];
    size_t i = 0;
    for (; i < sizeof low - 1 && word[i]; i++) low[i] = pmu_lower(word[i]);
    low[i] = '\0';
    consider_as(l, typed, low, word);
}

void pmu_nearest(const struct pmu *pmu, const char *name, char *near, size_t cap)
{
    struct list l = {.n = 0};
    const struct pmu_event *e;
    const struct db_event *d;
    const struct pmu_word *w;
    const struct pmu_alias *a;
    const struct db_pmu *db = db_pmu_named(pmu->database);
    if (cap == 0) return;
    for (unsigned i = 0; (w = pmu_word_at(pmu, i)); i++)
        if (w->event) consider_word(&l, name, w->word);
    for (e = NULL; (e = pmu_event_next(pmu, e)) != NULL;) consider(&l, name, e->name);
    for (unsigned i = 0; db && (d = db_event_at(db, i)); i++) consider(&l, name, db_text(d->name));
    for (a = NULL; (a = pmu_alias_next(pmu, a)) != NULL;) consider(&l, name, a->name);
    for (unsigned i = 0; i < l.n; i++) pmu_list_add(near, cap, l.name[i], "");
}
