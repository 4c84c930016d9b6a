/* The last lines of the session, kept so that they can be sent again (exit=wait).
 *
 * The memory is taken from the end of the pool before the plan is read (boot/main.c), so that no benchmark
 * is offered it. It is written when a record is sent, which is never between two repetitions. When it is
 * full, the oldest lines go.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

/* Keep what kept_add() brings from now on. memory: aligned to 4. */
void kept_begin(void *memory, size_t bytes);
/* Numbers come one after the other. Without kept_begin() it does nothing. */
void kept_add(unsigned n, const char *line, size_t len);

bool kept_any(void);
unsigned kept_first(void), kept_last(void); /* where kept_any() */
/* Lets the oldest go until lines of so many bytes, headers included, can be added without another one going.
 */
void kept_room(size_t bytes);
#define KEPT_HEADER 8 /* of each line */

/* Those from first to last that are still here, in their order. */
void kept_each(unsigned first, unsigned last, void (*line)(const char *line, size_t len));
