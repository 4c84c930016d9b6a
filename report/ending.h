/* What a screen offers after the session: its text, page by page, and the records as QR codes. */
#pragma once
#include "kernel/arena.h"
#include "kernel/clock.h"
#include <stdbool.h>

#define ENDING_OFFER_S 60  /* until the codes begin by themselves ... */
#define ENDING_READ_S  600 /* ... and after a key that turned a page, since somebody reads */
#define ENDING_PAGE_S  5   /* a page, where no keyboard answers */

struct ending {
    bool codes_at_once; /* exit=qr */
    bool halts;         /* nothing follows: the text can be read, and nothing is waited for in vain */
    struct arena memory;
    const struct clock *clock;
};

/* The last page of the text, with a line of keys below it. Codes take its place when a key wants them or when
 * it is time; nothing leads back, since a text mode is gone then. Where no keyboard answers, pages turn by
 * themselves, round and round, and codes begin at the end of a round.
 *
 * Returns when a key has ended it, or (but for machines that halt) when nobody has pressed one for
 * CODES_LIMIT_S; at once where there is nothing to show. Why there are no codes is said. */
void ending_show(const struct ending *how);
