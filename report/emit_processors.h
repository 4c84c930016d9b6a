/* Which processors run, and why others do not, as a record and as notes. */
#pragma once
#include "kernel/processors.h"
#include "report/emit.h"

#define PROCESSORS_NAMED   16   /* of those that do not run */
#define PROCESSOR_IDS_TEXT 1536 /* 256 APIC IDs of five digits */

/* asked: how many were to run. */
void emit_processors(const struct machine *m, enum rest rest, unsigned asked);
void tell_processors(const struct machine *m);
