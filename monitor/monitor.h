/* The monitor: a prompt on a running machine (exit=monitor). docs/monitor.md shows it. */
#pragma once
#include "boot/request.h"
#include "kernel/exit.h"

/* Obeys lines until one ends it. *how: how the machine is to be left, changed by reboot and poweroff. *asked:
 * nothing else that exit= says comes before that. Returns whether all that was run did not fail. Where nobody
 * can type, it says so and returns at once. */
bool monitor(struct session *session, enum exit_how *how, bool *asked);
