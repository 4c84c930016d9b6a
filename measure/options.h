/* The command line's meaning: words -> options. Every fault is reported; a default never hides one.
 */
#pragma once
#include "kernel/breakpoint.h"
#include "kernel/cmdline.h"
#include "kernel/controls.h"
#include "kernel/exit.h"
#include "kernel/processors.h"
#include "kernel/stacks.h"
#include "measure/bracket.h"
#include "measure/derive.h"
#include "measure/plan.h"
#include "measure/schedule.h"
#include "pmu/ibs.h"
#include "pmu/pebs.h"
#include "pmu/sample.h"

/* TAGS: the part of TRUTH about NetBurst's tags. */
enum action { ACTION_MEASURE, ACTION_LIST, ACTION_TRUTH, ACTION_TAGS, ACTION_CASCADE, ACTION_ARTICLE };

/* A benchmark's program with its parameters, beside the plan: of with= and pair=. */
struct load {
    const struct bench *bench;
    unsigned variant;
    int64_t param[BENCH_PARAMS];
    unsigned cpu; /* of with=: where it runs */
};
#define NEIGHBOURS 15 /* with= at most */

/* A part of the command line. */
struct text_part {
    const char *s;
    size_t len;
};

/* steps=: the cycles after which counters stop. */
struct step_range {
    bool given, automatic; /* automatic: to the bracket's end, by what makes STEPS_AUTO rows at most */
    uint32_t from, to, by;
};

/* dr0= to dr3= (measure/breakpoint.h). */
struct breakpoint {
    struct text_part name; /* of something whose address it is; .s NULL: of nothing */
    uint64_t offset;       /* from that, or the address itself */
    uint8_t kind;          /* enum breakpoint_kind */
    uint8_t len;           /* 0: not given */
};

struct options {
    enum action action; /* bench=list, bench=truth, ... */
    unsigned reps;      /* 1..1000000 */
    bool reps_given, warmup_given, ring_given, period_given;
    unsigned warmup; /* 0..10000 */
    unsigned conf;   /* 95 or 99 */
    unsigned limit;  /* limit=: seconds after which code of the user's own is ended; 0: never */
    bool all;        /* all=1: every repetition goes into records */
    unsigned trace;  /* trace=: entries of the ring of hooks; 0: no trace */
    unsigned again;  /* again=: how often a disturbed run is measured again at most */
    bool cull;       /* cull=flagged: flagged repetitions are left out of the statistics */
    enum serialize serialize;
    struct pmu_pins pins; /* pins= */
    struct breakpoint breakpoint[BREAKPOINTS];
    struct pmu_code event[EVENTS_MAX]; /* what counters are to count */
    unsigned n_events;
    struct text_part
        event_word[EVENTS_MAX]; /* events= but for tsc: what other processors' PMUs are asked for */
    unsigned n_event_words;
    bool every_event; /* events=all: event[] is filled in as they are measured (boot/every_event.c) */
    bool elsewhere;   /* some of these are unknown to the boot processor's PMU: another one is to know them */
    struct text_part cpus_measured; /* cpu=; .s NULL: the boot processor */
    struct load with[NEIGHBOURS];
    unsigned n_with;
    struct load pair[2];
    bool paired;
    bool tsc;                               /* the time stamp was requested, or no event at all */
    struct asked_ratio ratio[RATIOS_ASKED]; /* ratio=: its events are among the others */
    unsigned n_ratios;
    bool levels;        /* levels=1: each event is counted at each level, too (measure/levels.h) */
    bool list_ratios;   /* ratio=list: list_events is set, too */
    bool list_events;   /* events=list and events=find:WORDS */
    char find[64];      /* the words, in lower case, with + between them; "": all events */
    char absent[128];   /* perf's words without an event on this CPU: a list */
    unsigned ring;      /* 0 or 3: where payloads run */
    bool off[CONTROLS]; /* turbo=off, prefetch=off */
    bool usb_keep;      /* usb=keep: controllers stay with the firmware */
    bool repeat; /* options_sampling(): repeat until there are enough samples, since reps= is not given */
    enum sampling_by sample;
    enum sampling_timer timer;    /* timer= */
    bool pmi_nmi;                 /* pmi=nmi: the LVT entry delivers an NMI */
    uint32_t period;              /* 0: auto */
    unsigned samples;             /* number wanted, and the size of the buffer; 0: not given */
    uint32_t jitter, jitter_seed; /* jitter=N[:SEED] */
    bool jitter_given;            /* else timers have one of their own */
    bool at_once;                 /* at_once=1: all events are sampled in the same passes */
    struct step_range steps;      /* steps= */
    bool together;                /* together=1: the processors of cpu= are sampled at the same time */
    struct ibs_asked ibs;         /* ibs= */
    struct pebs_want pebs;        /* latency= and data= */
    unsigned pebs_depth;          /* buffer=: records from one PEBS interrupt to the next; 0: not given */
    unsigned branches;            /* branches=: enum lbr_branch (pmu/lbr.h); 0: none are recorded */
    uint64_t tsc_hz;              /* tsc=HZ; 0 = measure it */
    size_t stack;                 /* stack=: bytes of stack that measured code has; 0: not given */
    unsigned processors;          /* how many run, the one that booted included; 0: that one only */
    enum rest rest;               /* rest=: how the others wait */
    bool rest_given;
    bool text, records;     /* false: this output is off */
    const char *records_to; /* records=com2: the spec, ended by a blank or NUL; NULL = the console's port */
    enum exit_how exit;
    bool modules_default; /* there is no bench=: the plan is all benchmarks of the user's modules */
    bool monitor;         /* exit=monitor: before that, the prompt (monitor/monitor.h) */
    bool wait;            /* exit=wait: before that, records are sent again on request */
    bool codes;           /* exit=qr: then they are shown as QR codes */
    bool screen_off;      /* screen=off: the screen stays as it is */
};

#define REPS_MAX   1000000
#define REPS_DEF   20
#define WARMUP_DEF 2
#define LIMIT_DEF  10
#define LIMIT_MAX  86400

#define SAMPLE_HELP    "sample=pmi, pebs, ibs, ibs-fetch, timer or nmi"
#define SAMPLES_DEF    1000 /* samples=: the number that period=auto aims at */
#define SAMPLES_MAX    1000000
#define PEBS_DEPTH_DEF 64 /* buffer=; 1 with jitter=, so that each period is drawn */
#define PEBS_DEPTH_MAX 4096

#define STEPS_MOST  10000      /* rows of steps=FROM..TO:BY */
#define STEPS_AUTO  1000       /* ... and of steps=auto */
#define STEPS_CYCLE 1000000000 /* the last cycle that it takes: a counter may have 32 bits to begin with */

/* One fault: its word (NULL for the line as a whole), the faulty part, what is wrong with it, what is valid.
 */
struct fault {
    const char *line; /* the command line from the user's first word on */
    const struct word *word;
    const char *part; /* inside word->text */
    size_t part_len;
    const char *what; /* "unknown benchmark" */
    const char *why;  /* more about it; NULL: nothing to add */
    char valid[512];
};
typedef void fault_fn(void *ctx, const struct fault *f);

/* The machine's properties that decide whether words are valid. */
struct options_context {
    const struct bench *const *bench;
    unsigned n_bench;
    const struct pmu *pmu;
    const struct cpu_id *id;
    const struct cache_info *caches;
    uint64_t memory;     /* bytes of the benchmark pool */
    unsigned processors; /* that the firmware lists and can be started, the one that booted included */
    bool modules;        /* the user brought modules, usable or refused */
};

/* The options with which a plan item is sampled the k-th time: those given, completed by its benchmark's
 * (bench_sampling). n_events 0: this CPU has none of the benchmark's events. False: it is sampled fewer than
 * k + 1 times, or not at all. out may be the same as given. */
bool options_sampling(const struct options *given, const struct plan_item *item, const struct pmu *pmu,
                      unsigned k, struct options *out);

/* The options with which another processor is measured: events= as its PMU has them. Events that it lacks are
 * left out, and lacks(ctx, part of the command line) is called for each. out may be the same
 * as given. */
void options_elsewhere(const struct options *given, const struct pmu *pmu,
                       void (*lacks)(void *ctx, const struct text_part *event), void *ctx,
                       struct options *out);

/* sample=ibs or ibs-fetch: no counter's overflow. */
static inline bool options_ibs(const struct options *opt)
{
    return opt->sample == SAMPLE_BY_IBS || opt->sample == SAMPLE_BY_IBS_FETCH;
}

/* Does bench= take this name for something that is no benchmark, such as "all"? */
bool bench_word_reserved(const char *name);

/* Do the words measure something? With exit=monitor alone they do not. */
static inline bool options_measure(const struct options *opt, const struct plan *plan)
{
    return plan->n || opt->action != ACTION_MEASURE || opt->paired;
}

/* Parse a whole command line into *opt and *plan. Returns the number of faults, each of which was passed to
 * report(). With any fault nothing in *opt or *plan may be used. The line is kept: options point into it. */
unsigned options_parse(const char *line, const char *loader, const struct options_context *with,
                       struct options *opt, struct plan *plan, fault_fn *report, void *ctx);
