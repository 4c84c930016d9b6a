/* QR codes on the screen, after the session's end (report/ending.h). */
#pragma once
#include "kernel/arena.h"
#include "kernel/clock.h"
#include <stdbool.h>

#define CODES_TURN_S  1    /* from one code to the next */
#define CODES_LIMIT_S 3600 /* without a key, where something else is to follow */

struct codes_show {
    bool for_ever; /* the machine halts afterwards, so that there is nothing to wait for */
    struct arena memory;
    const struct clock *clock;
};

/* exit=qr: a sentence for a note where the screen cannot show codes; else NULL. Before session_end(). */
const char *codes_impossible(void);

/* Shows the codes of what is kept in turn. NULL when a key has ended it, or CODES_LIMIT_S has passed; else
 * why there are none, and the screen is a text screen as before unless it is a VGA without memory. */
const char *codes_show(const struct codes_show *how);
