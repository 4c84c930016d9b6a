/* Asks a kernel that waits (exit=wait) for the records that are damaged or missing. */
#pragma once
#include "host/listen.h"
#include "host/source.h"

/* After the session's end, or where its end did not come and the kernel waits. What comes is entered in l's
 * ledger and put at its place in the file. When all is there, the kernel is told that it need not wait any
 * longer. Does nothing where the kernel does not wait, or nothing can be sent to it.
 *
 * Returns LISTEN_QUIET, or what listen_until() had to say: the line is gone, Ctrl-C, another boot.
 */
enum listen_result ask_again(struct listener *l, const struct source *s);
