/* load at the prompt: a file comes over the serial line (kernel/transfer.h), and each line is answered there,
 *
 *     ok N       line N is here; the next one is due
 *     again N    damaged, or another line: N is due
 *     end N      the file is here, N bytes
 *
 * and on no screen, which would take longer to draw than the sender waits. */
#pragma once
#include "kernel/clock.h"
#include "kernel/transfer.h"

#define RECEIVE_LINE_S 1  /* without a byte: a line is over, its end was lost */
#define RECEIVE_S      10 /* without a byte: nobody sends */
#define RECEIVE_TRIES  30 /* in a row that bring no new line */

/* Receives into t, which has begun. False: why says what is missing; the sender's next line is not obeyed as
 * a command's, since it waits for an answer before it sends one. */
bool receive(struct transfer *t, const struct clock *clock, char *why, size_t cap);
