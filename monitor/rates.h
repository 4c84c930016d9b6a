/* What `live` and `log` share: their words, and counters that run. */
#pragma once
#include "measure/rates.h"
#include "monitor/command.h"

#define RATES_MS_MAX 3600000u /* an hour */

/* The words behind an event list and a time: [BENCH] [WORD=VALUE...]. Judge them with the events, find what
 * is meant, and begin. Everything that is wrong is said; then false, and there is nothing to end. command:
 * its name in messages; events: a word EVENT[,EVENT...]; first: the index of the first word behind. */
bool rates_open(struct monitor *m, const char *command, const struct word *events, const struct words *words,
                unsigned first);

/* What is open. Both stay valid until the next rates_open(). */
extern struct rates rates_running;
const struct options *rates_options(void);

/* What ended it, unless it is the user's wish; counters stop. */
void rates_close(struct monitor *m);

/* 1 to RATES_MS_MAX milliseconds. False, and said, where the word is no such number. */
bool rates_milliseconds(const char *command, const struct word *w, unsigned *ms);
