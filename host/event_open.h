/* The CPU that a subcommand's words mean, and the event database. */
#pragma once
#include "host/command.h"
#include "host/event_cpus.h"

/* cpu: --cpu's value; NULL: this computer's. database: --database's; NULL: the one that was built or
 * installed, whose absence is said and is no fault. To the command's status; a fault is reported in its name.
 * The database stays open. */
int event_open(const struct command *command, const char *cpu, const char *database, struct event_cpu *out);
