#include "host/ledger.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_BYTES 160

/* ---- private ---- */

static void insert(struct ledger *l, size_t at, long long first, long long last)
{
    if (l->n == l->room) {
        const size_t room = l->room ? 2 * l->room : 16;
        struct ledger_gap *more = realloc(l->gap, room * sizeof *more);
        if (!more) {
            l->overflowed = true;
            return;
        }
        l->gap = more;
        l->room = room;
    }
    memmove(&l->gap[at + 1], &l->gap[at], (l->n - at) * sizeof *l->gap);
    l->gap[at] = (struct ledger_gap){first, last};
    l->n++;
}

/* The first gap that does not end before n. */
static size_t search(const struct ledger *l, long long n)
{
    size_t low = 0, high = l->n;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (l->gap[middle].last < n)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* ---- public ---- */

bool ledger_lacks(const struct ledger *l, long long n)
{
    const size_t at = search(l, n);
    return n >= l->next || (at < l->n && l->gap[at].first <= n);
}

bool ledger_arrived(struct ledger *l, long long n)
{
    if (n >= l->next) {
        if (n > l->next) insert(l, l->n, l->next, n - 1);
        l->next = n + 1;
        return true;
    }
    const size_t at = search(l, n);
    if (at == l->n || l->gap[at].first > n) return false;
    struct ledger_gap *g = &l->gap[at];
    if (g->first == g->last) {
        l->n--;
        memmove(g, g + 1, (l->n - at) * sizeof *g);
    } else if (g->first == n)
        g->first++;
    else if (g->last == n)
        g->last--;
    else {
        const long long last = g->last;
        g->last = n - 1;
        insert(l, at + 1, n + 1, last);
    }
    return true;
}

void ledger_total(struct ledger *l, long long total)
{
    if (total <= l->next) return;
    insert(l, l->n, l->next, total - 1);
    l->next = total;
}

long long ledger_missing(const struct ledger *l)
{
    long long sum = 0;
    for (size_t i = 0; i < l->n; i++) sum += l->gap[i].last - l->gap[i].first + 1;
    return sum;
}

const char *ledger_text(const struct ledger *l)
{
    static char text[TEXT_BYTES + 64];
    const long long all = ledger_missing(l);
    long long named = 0;
    int used = snprintf(text, sizeof text, "record%s", all == 1 ? "" : "s");
    for (size_t i = 0; i < l->n && used < TEXT_BYTES - 48; i++) {
        const struct ledger_gap *g = &l->gap[i];
        used += snprintf(text + used, sizeof text - (size_t)used, "%s %lld", i ? "," : "", g->first);
        if (g->last > g->first)
            used += snprintf(text + used, sizeof text - (size_t)used, " to %lld", g->last);
        named += g->last - g->first + 1;
    }
    if (named < all) snprintf(text + used, sizeof text - (size_t)used, " and %lld more", all - named);
    return text;
}

void ledger_free(struct ledger *l)
{
    free(l->gap);
    *l = (struct ledger){.next = 0};
}
