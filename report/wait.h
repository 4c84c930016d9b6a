/* After the end of a run, with exit=wait: sends records again that did not arrive.
 *
 * Requests are lines over a serial port that has keys: "resend N..M", "resend N", "leave"; Ctrl-C leaves too.
 * After each answer, and now and then without one, comes a line for people and programs that begins with
 * "waiting: records N..M are kept"; the last one begins with "the wait is over".
 */
#pragma once
#include "kernel/clock.h"

/* Adds the record "kept": which lines are still there when it and "end" have been sent. Right before
 * session_end(). Nothing where nothing is kept. */
void wait_announce(void);

/* Answers until someone leaves, an hour has passed without a request, or at once, where nothing is kept or no
 * port has keys. The hour, by the TSC: without its rate, by the time that ports take. */
void wait_for_requests(const struct clock *clock);

/* ---- for tests ---- */

/* Answers one line through console_record(). False: it asks to leave. *understood: it was a request. */
bool wait_answer(const char *line, bool *understood);
