/* What boot/request.c has, for host tests of the monitor: words are kept, and answered as a test says. Those
 * of request_read() are never valid. */
#pragma once
#include "boot/request.h"

extern char request_last[CMDLINE_MAX + 1]; /* the words that came last */
extern unsigned requests;                  /* how many came to be done */
extern bool request_valid, request_good;   /* what request_judge() and request_words() return */
extern size_t request_loaded;              /* bytes of the module that came last */
extern char request_loaded_name[64];
void fake_request_reset(void); /* none came; both are true */
