/* Ctrl-C and its like: a command that gathers something ends in order, with what it has. */
#pragma once
#include <stdbool.h>
#include <sys/types.h>

/* From here on SIGINT, SIGTERM, SIGHUP and SIGPIPE (nobody reads standard output any longer) are only noted;
 * calls that wait end with EINTR. */
void stop_catch(void);
bool stop_asked(void);  /* one came */
int stop_signal(void);  /* to end others with: which it was, but SIGTERM for SIGPIPE; 0: none */
void stop_forget(void); /* it has been acted upon */

/* Waits for input. 1: there is some, or the other side has gone; 0: `ms` have passed (-1: no limit), or one
 * of the signals came, also one right before the wait. */
int stop_wait(int fd, int ms);
