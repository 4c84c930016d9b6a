/* Lines of the session, kept so that they can be sent again (exit=wait) or shown as QR codes (exit=qr).
 *
 * The memory is taken from the end of the pool before the plan is read (boot/main.c), so that no benchmark
 * is offered it. It is written when a record is sent, which is never between two repetitions. When it is
 * full, either the oldest lines go, or those of little worth.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

enum kept_when_full {
    KEPT_LAST,   /* the oldest go: numbers have no gaps */
    KEPT_RESULTS /* those go that others were computed from (kept_is_bulk()), and no more of them are added;
                  * then only lines that say what the session was, and how it ended, have room */
};

/* Keep what kept_add() brings from now on. memory: aligned to 4; KEPT_RESULTS needs 16 KiB and more. */
void kept_begin(void *memory, size_t bytes, enum kept_when_full when_full);
/* Numbers come one after the other. Without kept_begin() it does nothing. */
void kept_add(unsigned n, const char *line, size_t len);

bool kept_any(void);
unsigned kept_first(void), kept_last(void); /* where kept_any() */
size_t kept_bytes(void);                    /* of the lines that are there, headers included */
/* Lets the oldest go until lines of so many bytes, headers included, can be added without another one going.
 */
void kept_room(size_t bytes);
#define KEPT_HEADER 8 /* of each line */

/* Is the record of this line one that results were computed from: raw values, samples, what a program
 * printed? */
bool kept_is_bulk(const char *line, size_t len);

/* Those from first to last that are still here, in their order. */
void kept_each(unsigned first, unsigned last, void (*line)(const char *line, size_t len));
