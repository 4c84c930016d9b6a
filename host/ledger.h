/* Which records of a session have arrived: the ranges that have not. Memory grows with the damage, and not
 * with the session. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

struct ledger_gap {
    long long first, last;
};

struct ledger {
    struct ledger_gap *gap; /* in order, apart from each other */
    size_t n, room;
    long long next;  /* all that is not in a gap has arrived up to here */
    bool overflowed; /* there was no memory for another gap: more is missing than the gaps say */
};

/* True: it is new. */
bool ledger_arrived(struct ledger *l, long long n);
/* There are `total` records: what is not here by now is missing. */
void ledger_total(struct ledger *l, long long total);
bool ledger_lacks(const struct ledger *l, long long n);
static inline bool ledger_complete(const struct ledger *l) { return l->n == 0 && !l->overflowed; }
long long ledger_missing(const struct ledger *l); /* how many */
/* "record 3", "records 3, 7 to 9 and 12 more"; the text is the function's own. */
const char *ledger_text(const struct ledger *l);
void ledger_free(struct ledger *l); /* begins again */
