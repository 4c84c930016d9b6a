/* Sampling in a test: a payload of plain instructions, interrupted on sampling_machine.h's machine. */
#pragma once
#include "measure/sampling.h"
#include "tests/unit/sampling_machine.h"

#define N 100000 /* instructions of the payload, at CPL 3 */

extern struct sampling out; /* of the last run */
extern struct options opt;
extern bool (*cancelled)(void);
extern uint64_t tsc_hz;                        /* 0: not known */
extern uint64_t repeat_ticks;                  /* struct machine */
extern unsigned before_payload, after_payload; /* instructions of the harness around each call, at CPL 3 */
extern bool late;         /* interrupts of the harness stay pending: cancelled() is to deliver them */
extern uint64_t set_back; /* the payload sets the time stamp back by so many ticks */
extern unsigned calls;    /* of payloads so far, those of all passes */

#define HARNESS 0x9000 /* where those are, by their IP */

/* opt for this event (NULL: none), which this CPU has to have. */
void ask(enum sampling_by by, const char *event, uint64_t period);

/* Samples a payload as opt has it. */
void run_payload(payload_fn *fn);
void run(void); /* the one of N instructions */
void ok(void);  /* ... which runs through */
void refused(const char *why);

/* Each instruction that is the last of period ones was sampled, with what it was interrupted with. */
void check_samples(unsigned period);
