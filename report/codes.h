/* The session's records as QR codes, for a machine whose serial port nobody can read (exit=qr, and a halt on
 * a screen). What they hold: report/frame.h. For users: docs/without-serial.md. */
#pragma once
#include "kernel/arena.h"
#include "kernel/graphics.h"
#include <stdbool.h>

/* More lines than this, headers included (report/kept.h), are not shown: then those that results were
 * computed from are left out. Deflated it is some 130 to 220 codes, two to four minutes. */
#define CODES_BYTES (1u << 20)

/* Right before session_end(): adds the record "reduced" where not all records are shown. */
void codes_announce(void);

/* ---- how, for report/codes_show.c and tests ---- */

struct codes {
    const uint8_t *stream;
    size_t n;
    uint32_t run;
    unsigned count;    /* of the codes */
    unsigned left_out; /* records */
};

/* After session_end(). The codes stay in the arena. NULL, or a sentence: why there are none. */
const char *codes_make(struct codes *c, struct arena *memory);

#define CODES_LINES 3 /* of text */
/* Draws code `number`, from 1, under lines of text; number 0: text alone. False: the screen is too small, and
 * nothing has been drawn. */
bool codes_draw(const struct codes *c, unsigned number, const char *const text[CODES_LINES],
                const struct graphics *to);
