/* Performance counters, behind one interface: a family's driver knows registers and restrictions, nothing
 * else does.
 *
 * A driver only touches hardware through kernel/hw.h, so that the same source runs against the PMU model on
 * the host.
 */
#pragma once
#include "kernel/cpuid.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PMU_COUNTERS 18 /* NetBurst's; no family has more */
#define PMU_NAME     96 /* longest event word, with its NUL: the P5's longest name has 69 characters */

enum pmu_counter_state { COUNTER_ABSENT, COUNTER_OK, COUNTER_NOT_ADVANCING };

/* What one count of an event is. */
enum pmu_kind {
    KIND_OCCURRENCE,
    KIND_CYCLES,     /* duration, in clocks of the CPU */
    KIND_BUS_CYCLES, /* duration, in clocks of the external bus */
    KIND_WEIGHTED    /* each clock adds how many are outstanding */
};

/* A row of a family's event table. Names are unique among the rows that one CPU has. */
struct pmu_event {
    const char *name;   /* the manual's, lower case */
    uint16_t code;      /* event select */
    uint8_t umask;      /* unit mask without a name given */
    uint32_t counters;  /* bit i: may be counted on counter i */
    uint32_t models;    /* family's own bits: which models have it; 0 = all */
    const char *umasks; /* the set of names for its unit masks (pmu_umask.set); NULL = none */
    const char *desc;   /* one line */
    enum pmu_kind kind;
};

/* A name for unit-mask bits. Names of one field add up unless the field's values are alternatives; fields
 * that a word does not name keep the event's default. */
struct pmu_umask {
    const char *set;  /* pmu_event.umasks */
    const char *name; /* lower case */
    uint8_t value;    /* bits within field */
    uint8_t field;    /* the bits of the unit mask that this name speaks about */
    bool one_of;      /* values of this field exclude each other */
};

/* An event ready to be programmed. */
struct pmu_code {
    char name[PMU_NAME]; /* as it shall stand in records: as the user wrote it */
    uint64_t select;     /* the family's own encoding of event, unit mask, modifiers and privilege */
    uint32_t counters;   /* bit i: counter i can take it */
};

/* What a /field,field/ event says, or the name of a table row with modifiers. */
struct pmu_fields {
    uint32_t event, umask, cmask;
    bool has_umask, inv, edge, clocks; /* clocks: P5's counting of clocks instead of events */
    bool usr, os;                      /* :u, :k; both when neither was given */
    uint32_t counters; /* of the table row that was named; 0: whatever the family's table has for event */
};

struct pmu;
struct pmu_ops {
    const char *family; /* "P5", "P6" */
    const struct pmu_event *events;
    unsigned n_events;
    const struct pmu_umask *umasks; /* of all sets, each set's rows together */
    unsigned n_umasks;
    /* Is this the family of the CPU, and what is there of it? Fills in *pmu (state[] by probe, see
     * pmu_probe()). Uses rdmsr_safe() and the like only: a CPU without the registers is a pmu with no
     * counters. */
    bool (*detect)(const struct cpu_id *id, struct pmu *pmu);
    /* Fields (event=, umask=, cmask=, inv, edge, clocks, ...) and privilege -> select and counters. False:
     * *why names the field that this family does not take, and what it would. */
    bool (*encode)(const struct pmu *pmu, const struct pmu_fields *f, struct pmu_code *out, char *why,
                   size_t cap);
    /* Program counter i with code[i] (NULL: unused), all stopped and zero. False: an MSR refused, *why names
     * it. */
    bool (*program)(struct pmu *pmu, const struct pmu_code *const code[PMU_COUNTERS], char *why, size_t cap);
    void (*start)(struct pmu *pmu); /* all programmed counters at once */
    void (*stop)(struct pmu *pmu);
    uint64_t (*read)(const struct pmu *pmu, unsigned counter); /* stopped or not; width bits */
    void (*release)(struct pmu *pmu);                          /* registers as they were found */
};

struct pmu {
    const struct pmu_ops *ops; /* NULL: no known PMU */
    const char *model;         /* "Pentium MMX" */
    unsigned counters;         /* general-purpose ones */
    unsigned width;            /* bits */
    bool rdpmc;                /* RDPMC exists; else only RDMSR reads counters */
    bool user_rdpmc;           /* ... and no erratum forbids it to CPL 3 (CR4.PCE) */
    bool pebs, ds, ibs, lbr;
    enum pmu_counter_state state[PMU_COUNTERS];
    uint32_t usable;                    /* bit i: state[i] == COUNTER_OK */
    uint32_t counter_msr[PMU_COUNTERS]; /* for RDMSR in the bracket */
    uint32_t models;                  /* the family's own bits: what this CPU is, to match pmu_event.models */
    uint64_t saved[2 * PMU_COUNTERS]; /* registers as found, for release() */
    uint64_t armed[PMU_COUNTERS];     /* what start() writes; the driver's own order */
};

/* Find the driver of this CPU, detect, and try each counter: one that takes its programming but does not
 * advance over a busy loop (of hw_rdtsc(), so that a model on the host can let time pass) is
 * COUNTER_NOT_ADVANCING; one whose MSRs fault, or swallow what is written to them, is COUNTER_ABSENT. RDPMC
 * that faults, or reads otherwise than RDMSR, is not there. Registers are left as they were found. False: no
 * known PMU (pmu->ops == NULL). */
bool pmu_probe(const struct cpu_id *id, struct pmu *pmu);

/* "ok", "absent", "not advancing". */
const char *pmu_state_text(enum pmu_counter_state state);

/* ---- events by name (pmu/event.c) ---- */

/* "name", "name:u", "name:UMASK:k", "r01c4", "/event=0xc4,umask=0x01,cmask=1,inv,edge/u", and perf's words
 * cycles, instructions, branches, cache-misses (pmu/generic.c). The whole syntax stands in
 * docs/pmu-drivers.md. word need not be NUL-terminated. On failure why says what is wrong and near (may be
 * empty) holds up to three nearest names, separated by ", ". */
bool pmu_event_parse(const struct pmu *pmu, const char *word, size_t len, struct pmu_code *out, char *why,
                     size_t why_cap, char *near, size_t near_cap);

/* The i-th event that this CPU has, NULL after the last; and perf's words: what each resolves to here, NULL =
 * absent. */
const struct pmu_event *pmu_event_at(const struct pmu *pmu, unsigned i);
struct pmu_word {
    const char *word;  /* "cycles" */
    const char *event; /* what it stands for here, in pmu_event_parse()'s syntax; NULL = absent */
};
const struct pmu_word *pmu_word_at(const struct pmu *pmu, unsigned i);
