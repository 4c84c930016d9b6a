/* The machine that a session ran on, in a few words. */
#pragma once
#include <jansson.h>
#include <stdbool.h>

/* text_machine_name() (report/text.h) of a session's records boot and cpu, NULL if none. modelled: the PMU
 * model has its counters, as Bochs itself has not. To be freed. */
char *machine_of(const json_t *boot, const json_t *cpu, bool modelled);
