/* Names near what was typed, against a plain search: every name's whole table of edit distances, all sorted.
 */
#include "pmu/driver.h"
#include "pmu/names.h"
#include "tests/unit/event_cpus.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define NAMES   600
#define TYPED   PMU_NAME
#define NEAREST 3

static struct {
    char low[PMU_NAME];
    const char *shown;
} name[NAMES];
static unsigned names;

static void add(const char *shown)
{
    size_t i = 0;
    assert_true(names < NAMES);
    for (; shown[i]; i++) name[names].low[i] = (char)tolower(shown[i]);
    name[names].low[i] = '\0';
    name[names++].shown = shown;
}

/* In the order in which equals are named: perf's words, events, other spellings. */
static void gather(const struct pmu *pmu)
{
    const struct pmu_word *w;
    names = 0;
    for (unsigned i = 0; (w = pmu_word_at(pmu, i)); i++)
        if (w->event) add(w->word);
    for (const struct pmu_event *e = NULL; (e = pmu_event_next(pmu, e));) add(e->name);
    for (const struct pmu_alias *a = NULL; (a = pmu_alias_next(pmu, a));) add(a->name);
}

/* Levenshtein's distance by its definition. */
static unsigned distance(const char *a, const char *b)
{
    static unsigned d[PMU_NAME + 1][PMU_NAME + 1];
    const size_t m = strlen(a), n = strlen(b);
    for (size_t i = 0; i <= m; i++)
        for (size_t j = 0; j <= n; j++) {
            if (i == 0 || j == 0) {
                d[i][j] = (unsigned)(i + j);
                continue;
            }
            d[i][j] = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            if (d[i - 1][j] + 1 < d[i][j]) d[i][j] = d[i - 1][j] + 1;
            if (d[i][j - 1] + 1 < d[i][j]) d[i][j] = d[i][j - 1] + 1;
        }
    return d[m][n];
}

/* The nearest three, each once: up to two typos or a third of the length away; a part of a name is as good as
 * two. */
static void search(const char *typed, char *list)
{
    const unsigned len = (unsigned)strlen(typed), limit = len / 3 > 2 ? len / 3 : 2;
    const char *found[NEAREST] = {0};
    static unsigned far[NAMES];
    unsigned n = 0;
    for (unsigned i = 0; i < names; i++) {
        far[i] = distance(typed, name[i].low);
        if (far[i] > 2 && len > 2 && strstr(name[i].low, typed)) far[i] = 2;
    }
    for (unsigned d = 0; d <= limit; d++)
        for (unsigned i = 0; i < names && n < NEAREST; i++) {
            unsigned k = 0;
            if (far[i] != d) continue;
            while (k < n && strcmp(found[k], name[i].shown) != 0) k++;
            if (k == n) found[n++] = name[i].shown;
        }
    list[0] = '\0';
    for (unsigned k = 0; k < n; k++) sprintf(list + strlen(list), "%s%s", k ? ", " : "", found[k]);
}

static uint32_t seed = 1;
static unsigned rnd(unsigned below) { return (seed = seed * 1664525u + 1013904223u) / 65536 % below; }

/* A name with some letters changed, left out or put in, or a part of one. */
static void mistype(char *typed)
{
    const char *from = name[rnd(names)].low;
    size_t len = strlen(from);
    if (rnd(5) == 0) {
        const size_t start = rnd((unsigned)len), part = 1 + rnd((unsigned)(len - start));
        memcpy(typed, from + start, part);
        typed[part] = '\0';
        return;
    }
    memcpy(typed, from, len + 1);
    for (unsigned edits = rnd(6); edits > 0; edits--) {
        len = strlen(typed);
        const size_t at = rnd((unsigned)len + 1);
        switch (rnd(3)) {
        case 0:
            if (at < len) typed[at] = (char)('a' + rnd(26));
            break;
        case 1:
            if (at < len && len > 1) memmove(typed + at, typed + at + 1, len - at);
            break;
        default:
            if (len + 2 > TYPED) break;
            memmove(typed + at + 1, typed + at, len - at + 1);
            typed[at] = (char)('a' + rnd(26));
        }
    }
}

TEST(nearest)
{
    const struct pmu cpus[] = {p5(), p3()};
    unsigned some = 0, none = 0;
    for (unsigned c = 0; c < N(cpus); c++) {
        gather(&cpus[c]);
        for (unsigned round = 0; round < 500; round++) {
            char typed[TYPED], want[4 * PMU_NAME], got[4 * PMU_NAME] = "";
            mistype(typed);
            search(typed, want);
            pmu_nearest(&cpus[c], typed, got, sizeof got);
            if (strcmp(got, want) != 0) fail_msg("%s: \"%s\", not \"%s\"", typed, got, want);
            some += want[0] != '\0';
            none += want[0] == '\0';
        }
    }
    assert_true(some > 700 && none > 15);
}
