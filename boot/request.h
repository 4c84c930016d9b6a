/* What is asked for after the boot, in the command line's words: the monitor's way to measure. */
#pragma once
#include "kernel/cpu_set.h"
#include "kernel/machine.h"
#include "measure/options.h"

/* The machine that is up, what its words mean there, and what was asked for last: on the boot's command line,
 * later at the prompt. */
struct session {
    struct machine *machine;
    struct options_context words;
    struct options opt;
    struct plan plan;
};

/* Judge the words, and do what they say. Faults become error records, as at the boot, and then nothing is
 * done. Words that have a meaning at the boot only are faults. False: something was measured and failed; a
 * fault of the words is none of the session. words: up to CMDLINE_MAX bytes. */
bool request_words(struct session *s, const char *words);
/* Only judge them. */
bool request_judge(struct session *s, const char *words);

/* What words mean, for a command that does something else with it than to measure. */
struct request {
    const struct options *opt; /* both valid until the next request */
    const struct plan *plan;
    struct cpu_set where; /* the processors that are meant, all of which run */
};
/* Judge the words as request_words() does, and start the processors that they need. False: a fault, which was
 * said. */
bool request_read(struct session *s, const char *words, struct request *out);

/* events=list, events=find: and ratio=list. False: nothing was found. */
bool request_events(const struct pmu *pmu, const struct options *opt);

/* A bench record for each benchmark that is not hidden. */
void request_list(const struct options_context *with);
