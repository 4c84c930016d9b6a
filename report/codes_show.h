/* QR codes on the screen, after the session's end. */
#pragma once
#include "kernel/arena.h"
#include "kernel/clock.h"
#include <stdbool.h>

#define CODES_OFFER_S 60   /* from the offer to the first code */
#define CODES_TURN_S  1    /* from one code to the next */
#define CODES_LIMIT_S 3600 /* without a key, where something else is to follow */

struct codes_show {
    bool at_once;  /* exit=qr: without an offer */
    bool for_ever; /* the machine halts afterwards, so that there is nothing to wait for */
    struct arena memory;
    const struct clock *clock;
};

/* exit=qr: a sentence for a note where the screen cannot show codes; else NULL. Before session_end(). */
const char *codes_impossible(void);

/* Offers the codes, waits, shows them in turn. Returns when a key has ended it, at CODES_LIMIT_S, or at once
 * where nothing is kept or the screen cannot show them, which it then says. */
void codes_show(const struct codes_show *how);
