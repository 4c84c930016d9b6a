/* What is asked for after the boot, in the command line's words: the monitor's way to measure. */
#pragma once
#include "kernel/machine.h"
#include "measure/options.h"

/* The machine that is up, and what its words mean there. */
struct session {
    struct machine *machine;
    struct options_context words;
};

/* Judge the words, and do what they say. Faults become error records, as at the boot, and then nothing is
 * done. Words that have a meaning at the boot only are faults. False: something was measured and failed; a
 * fault of the words is none of the session. words: up to CMDLINE_MAX bytes. */
bool request_words(struct session *s, const char *words);
/* Only judge them. */
bool request_judge(struct session *s, const char *words);

/* events=list, events=find: and ratio=list. False: nothing was found. */
bool request_events(const struct pmu *pmu, const struct options *opt);

/* A bench record for each benchmark that is not hidden. */
void request_list(const struct options_context *with);
