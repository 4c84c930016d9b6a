/* Performance counters behind one interface: only a family's driver knows registers and restrictions.
 *
 * A driver only touches hardware through kernel/hw.h, so that the same source runs against the PMU model on
 * the host.
 */
#pragma once
#include "kernel/cpuid.h"
#include "pmu/families.h"
#include "pmu/msr_list.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct apic_pmi_entry; /* kernel/apic.h */
struct pmu_words;      /* pmu/names.h */
struct pebs;           /* pmu/pebs.h */
struct pebs_want;
struct pmu_register; /* pmu/decode.h */

#define PMU_RDPMC_FAST 0x80000000u /* ECX[31] */
#define PMU_NAME       96 /* longest event word, with its NUL: the P5's longest name has 69 characters */

/* UNRELIABLE: because of an erratum; the counter is never used. */
enum pmu_counter_state { COUNTER_ABSENT, COUNTER_OK, COUNTER_NOT_ADVANCING, COUNTER_UNRELIABLE };

/* The meaning of one count of an event. */
enum pmu_kind {
    KIND_OCCURRENCE,
    KIND_CYCLES,     /* duration, in clocks of the CPU */
    KIND_BUS_CYCLES, /* duration, in clocks of the external bus */
    KIND_WEIGHTED    /* each clock adds the number outstanding */
};

/* A row of a family's event table. Names are unique among the rows that one CPU has. */
struct pmu_event {
    const char *name;                 /* the manual's, lower case */
    uint16_t code;                    /* event select; on NetBurst with its place, see pmu/netburst.h */
    uint16_t umask;                   /* unit mask (NetBurst: event mask) if none is given */
    uint32_t counters : PMU_COUNTERS; /* bit i: may be counted on counter i; 0: encode() decides */
    uint32_t models : 14;             /* the family's bits for the models that have it; 0 = all */
    const char *desc;                 /* one line */
    uint8_t umasks;                   /* the set of names for its unit masks (pmu_umask.set); 0: none */
    uint8_t kind;                     /* enum pmu_kind */
};

/* A name for unit-mask bits. A set's rows form one or more fields; the bits of a field are those of its rows.
 * Names of one field add up unless the field's values are alternatives. Fields that a word does not name keep
 * the event's default. */
struct pmu_umask {
    const char *name; /* lower case */
    uint16_t value;
    uint8_t set;       /* pmu_event.umasks; the family's own numbers, from 1 */
    uint8_t field : 7; /* within the set */
    bool one_of   : 1; /* values of this field exclude each other */
};

/* Another spelling of an event or unit mask. The table is searched last, if no event of the CPU itself has
 * the name. */
struct pmu_alias {
    const char *name;       /* lower case; with "::" after it: a PMU's */
    const char *stands_for; /* an event word; for a unit mask one of the set's, or a modifier */
    uint32_t models : 16;   /* the family's bits for the models that have it; 0 = all */
    uint32_t umasks : 8;    /* 0: of an event; else of a unit mask of this set (pmu_event.umasks) */
    bool row        : 1;    /* a unit mask that changes its event into another one */
};

/* Sets of CPUs whose events have the same meaning. Rows about events name the sets to which they apply
 * (bench/truth.h); pmu.classes has those to which this CPU belongs. */
enum pmu_class {
    CLASS_P5 = 1 << 0,
    CLASS_P6 = 1 << 1,
    CLASS_NETBURST = 1 << 2,
    CLASS_ARCH = 1 << 3,       /* Intel's with architectural performance monitoring */
    CLASS_CORE2 = 1 << 4,      /* of them: Core 2 */
    CLASS_BRIDGE = 1 << 5,     /* Sandy Bridge and later */
    CLASS_LAKE = 1 << 6,       /* Skylake and later */
    CLASS_INTERRUPTS = 1 << 7, /* Skylake to Comet Lake, which have CBh */
    CLASS_AMD = 1 << 8,
    CLASS_OLD = 1 << 9,   /* of them: K8 to family 16h */
    CLASS_ZEN = 1 << 10,  /* all Zens */
    CLASS_ZEN4 = 1 << 11, /* Zen 4 and later */
    CLASS_K8 = 1 << 12,   /* K8 to family 15h, less 14h */
    CLASS_NOW = CLASS_ARCH | CLASS_AMD,
    CLASS_ALL = 0x7fffffff /* every family: rows of perf's words */
};

/* The privilege at which an event counts: any, CPL 1-3 (:u), CPL 0 (:k). */
enum pmu_privilege { PRIVILEGE_ANY, PRIVILEGE_USER, PRIVILEGE_KERNEL };

/* The two events of a cascade (A+>B): the overflow of the starter's counter starts the target's. */
enum pmu_cascade { CASCADE_NONE, CASCADE_STARTER, CASCADE_TARGET };

/* An event ready to be programmed. */
struct pmu_code {
    char
        name[PMU_NAME]; /* its name in records: as the user wrote it; of a target that of the whole cascade */
    union {             /* event, unit mask, modifiers and privilege, as the family encodes them */
        uint64_t select; /* the event select register; P5: counter 0's half of CESR */
        struct netburst_code netburst;
    };
    uint32_t counters;  /* bit i: counter i can count it */
    uint8_t privilege;  /* enum pmu_privilege */
    uint8_t cascade;    /* enum pmu_cascade */
    uint64_t errata;    /* the set of its errata on this CPU (pmu/errata.h) */
    bool preset;        /* init= was given */
    int64_t init;       /* what its counter stands at when it begins; its uppermost bit is the sign */
    uint16_t extra_msr; /* a second register that the event needs and that PEBS alone programs, 3F6h or 3F7h;
                           0: none */
    uint32_t extra;     /* its value; of 3F6h 0: latency= decides */
};

/* The fields of /field,field/, most of which may also follow a name. */
enum pmu_field {
    FIELD_EVENT = 1 << 0,
    FIELD_UMASK = 1 << 1,
    FIELD_CMASK = 1 << 2,
    FIELD_INV = 1 << 3,
    FIELD_EDGE = 1 << 4,
    FIELD_CLOCKS = 1 << 5,
    FIELDS_COMMON =
        (1 << 6) - 1, /* known to every family; a family that lacks one refuses it with its own message */
    FIELD_THR = 1 << 6,
    FIELD_CMPL = 1 << 7,
    FIELD_FORCE_OVF = 1 << 8,
    FIELD_ACTIVE = 1 << 9,
    FIELD_T0 = 1 << 10,
    FIELD_T1 = 1 << 11,
    FIELD_TAG = 1 << 12,
    FIELD_ESCR = 1 << 13,
    FIELD_ANY = 1 << 14,
    FIELD_LDLAT = 1 << 15
};

/* A logical processor of NetBurst, as t0 and t1 name it: t0=u. */
struct pmu_thread {
    bool counted;
    bool usr, os; /* its own privilege levels; neither: the event's */
};

/* The contents of a /field,field/ event, or a table row with modifiers. */
struct pmu_fields {
    uint32_t event, umask, cmask;
    uint32_t thr, active, tag, escr;   /* NetBurst: 3.2 and 3.3 of its registers; escr is an MSR's number */
    uint32_t given;                    /* enum pmu_field: the fields that were given */
    bool has_umask, inv, edge, clocks; /* clocks: P5's counting of clocks instead of events */
    bool cmpl, force_ovf;
    struct pmu_thread t0, t1;
    bool any;                    /* Intel architectural: of both threads of the core */
    bool usr, os;                /* :u, :k; both when neither was given */
    const struct pmu_event *row; /* the named table row; NULL: a code */
    uint32_t counters;           /* of that row; 0: any that the family's table has for the event */
    uint32_t ldlat;              /* Intel architectural: loads that take more core cycles */
    uint16_t extra_msr;          /* the database's second register, if the driver can program it; */
    uint32_t extra;              /* its value, as in struct pmu_code */
};

/* A control register and what is written to it. */
struct pmu_setting {
    uint32_t msr;
    uint64_t value;
};
#define PMU_SETTINGS 8 /* the most that one event takes: on NetBurst two ESCRs, CCCR, and two of PEBS */

struct pmu;
struct pmu_sole;
struct pmu_ops {
    const char *family; /* "P5", "P6": for users. A family is identified by its ops */
    const struct pmu_event *events;
    unsigned n_events;
    const struct pmu_umask *umasks; /* of all sets, each set's rows together */
    unsigned n_umasks;
    const struct pmu_alias *aliases; /* other spellings of its events */
    unsigned n_aliases;
    uint32_t fields; /* enum pmu_field: fields that encode() accepts besides FIELDS_COMMON */
    /* Is this the family of the CPU, and which parts exist? Fills in *pmu (state[] by probe, see
     * pmu_probe()). Uses rdmsr_safe() and the like only: a CPU without the registers is a pmu with no
     * counters. */
    bool (*detect)(const struct cpu_id *id, struct pmu *pmu);
    /* Fields (event=, umask=, cmask=, inv, edge, clocks, ...) and privilege -> select and counters. False:
     * *why names the field that this family does not accept, and the fields that it does. */
    bool (*encode)(const struct pmu *pmu, const struct pmu_fields *f, struct pmu_code *out, char *why,
                   size_t cap);
    /* Program counter i with code[i] (NULL: unused), all stopped and zero. False: an MSR faulted or did not
     * keep its value; *why names it. */
    bool (*program)(struct pmu *pmu, const struct pmu_code *const code[PMU_COUNTERS], char *why, size_t cap);
    /* The write by which counter i, while it is stopped, begins at value (modulo its width), which
     * pmu_presets() allows. No interrupt is enabled. */
    struct msr_write (*preset)(const struct pmu *pmu, unsigned counter, int64_t value);
    /* Append the writes that start (on) or stop all programmed counters: one if one bit enables all. */
    void (*switching)(const struct pmu *pmu, bool on, struct msr_list *out);
    uint64_t (*read)(const struct pmu *pmu, unsigned counter); /* stopped or not; width bits */
    void (*release)(struct pmu *pmu);                          /* registers as they were found */
    /* An event word that advances on this counter while the kernel runs; NULL: an erratum makes the counter
     * unusable. Without this function each counter is tried with "cycles". */
    const char *(*trial)(const struct pmu *pmu, unsigned counter);
    /* Counters for a whole set at once, where one event's choice constrains another's (NetBurst's ESCRs).
     * NULL: events are independent, and pmu_code.counters holds all restrictions. Fill counter[k] for code k;
     * false: the set does not fit into one run. */
    bool (*allocate)(const struct pmu *pmu, const struct pmu_code *const *codes, unsigned n,
                     uint8_t *counter);
    /* Between program() and start(): make counter i overflow after period events, with its interrupt enabled;
     * overflowed() presets it again. False: *why (the family has no interrupt, period out of 1..2^31-1 or
     * what the family's width allows). */
    bool (*arm)(struct pmu *pmu, unsigned counter, uint64_t period, char *why, size_t cap);
    /* In the interrupt handler: returns the armed counters that have overflowed (bit i), after acknowledging
     * and reloading each in the order that the family requires (docs/sampling.md). The local APIC's entry is
     * set again (apic_pmi_again()) before a counter can overflow again: an interrupt requested while the
     * entry is masked is lost, unless the counter keeps requesting it (NetBurst). Calls neither the library
     * nor rdmsr_safe(), and takes few instructions. */
    uint32_t (*overflowed)(struct pmu *pmu, const struct apic_pmi_entry *pmi);
    /* After arm(): does one counter interrupt, and in a way that pmu/sole.h knows? Then *out is what its
     * handler needs, except for preset, which is the caller's: the period may change. */
    bool (*sole)(const struct pmu *pmu, struct pmu_sole *out);
    /* Would PEBS record this event on this counter, and how: the layout, what of `want` is in a record, the
     * period's arithmetic. Touches no register. False: *why says why not, and what is possible instead. */
    bool (*pebs_plan)(struct pmu *pmu, unsigned counter, const struct pmu_code *code,
                      const struct pebs_want *want, struct pebs *out, char *why, size_t cap);
    /* Arm PEBS for code on its counter, as planned last, after arm(), with a buffer as pebs_init() left it.
     * False: *why is set. NULL: the family has no PEBS. */
    bool (*pebs_arm)(struct pmu *pmu, unsigned counter, const struct pmu_code *code,
                     const struct pebs *buffer, char *why, size_t cap);
    void (*pebs_stop)(struct pmu *pmu);
    /* In the interrupt handler with PEBS armed, when the buffer has been drained: the counters, which
     * overflowed() left stopped, run again. full: the processor had no room for a record, and has not reset
     * the counter. NULL: overflowed() lets them run. */
    void (*pebs_again)(struct pmu *pmu, bool full);
    /* Between program() and start(): all counters stop by themselves when this one overflows. No interrupt is
     * needed for that, and none is let through. Until freeze_end(), or the next program() or release().
     * False: *why is set. NULL, or without pmu.freezes: counters do not stop by themselves. */
    bool (*freeze)(struct pmu *pmu, unsigned counter, char *why, size_t cap);
    /* All stop, and start() lets counters that have stopped by themselves count again. */
    void (*thaw)(struct pmu *pmu);
    /* All stop, and none does so by itself any more. Also valid without freeze(). */
    void (*freeze_end)(struct pmu *pmu);
    /* Make starter and target, as encoded, halves of a cascade. NULL: the family has none. False: *why is
     * set. */
    bool (*cascade)(const struct pmu *pmu, struct pmu_code *starter, struct pmu_code *target, char *why,
                    size_t cap);
    /* What program() and start() write to select this event alone on this counter, in any order; bits of
     * others in these registers are 0. Returns the number of registers; 0: the counter cannot count it.
     * Touches none. */
    unsigned (*settings)(const struct pmu *pmu, const struct pmu_code *code, unsigned counter,
                         struct pmu_setting out[PMU_SETTINGS]);
    const struct pmu_register *registers; /* those that select events: pmu/decode.h */
    unsigned n_registers;
};

/* What the pins of counters show (struct pmu, shows_pins). */
struct pmu_pins {
    enum { PINS_FOUND, PINS_INCREMENT, PINS_OVERFLOW } show; /* PINS_FOUND: as the firmware left them */
    uint32_t after; /* PINS_OVERFLOW: counters begin so many events before it; 0: at zero */
};

#define PMU_TOO_NEW "" /* no version of libpfm4 that we know has this PMU */

struct pmu {
    const struct pmu_ops *ops; /* NULL: no known PMU */
    const char *model;         /* "Pentium MMX" */
    unsigned counters;         /* general-purpose ones */
    unsigned width;            /* bits */
    unsigned preset_width;     /* bits of a counter that WRMSR sets; if fewer, the last is copied upwards */
    bool rdpmc;                /* RDPMC exists; otherwise only RDMSR reads counters */
    bool user_rdpmc;           /* ... and no erratum forbids it to CPL 3 (CR4.PCE) */
    bool fast_rdpmc;           /* RDPMC of counter | PMU_RDPMC_FAST reads the low 32 bits, faster */
    bool pebs, ds, ibs, lbr;
    bool dtes64;        /* DS area and records have their 64-bit layout in every mode */
    uint32_t microcode; /* its revision, set by the caller of pmu_probe(); 0: errata are not judged by it,
                           since a hypervisor or a model shows any */
    bool pebs_before;   /* PEBS stores the registers before the instruction, not those after it */
    bool handler_stops; /* overflowed() stops all counters for a while, so that they do not count its own
                           events */
    bool pin_nmi;       /* overflow is signalled only on a pin, which a board may wire to NMI: no LVT entry */
    bool shows_pins;    /* pins= is for it: pins of the processor show what the counters do */
    bool breakpoints;   /* events count matches of DR0 to DR3 */
    bool any_thread;    /* Intel: a counter can count both threads of its core */
    bool freeze_smm;    /* programmed counters stop in SMM */
    bool freezes;       /* there is ops->freeze() */
    uint32_t freezes_late; /* bit i: counter i does not stop in the same cycle as the others */
    uint16_t smi_event;    /* the event that counts SMIs; 0: none, or an MSR counts them (kernel/smi.h) */
    const char *core_type; /* the core's kind on a hybrid part: "Core", "Atom"; else NULL */
    const char *database; /* libpfm4's name for this PMU; PMU_TOO_NEW; NULL: the family's events are not taken
                             from there */
    const struct pmu_words *words; /* perf's words; NULL: all are absent */
    uint32_t preset;               /* bit i: the firmware had left counter i running; it stays stopped */
    enum pmu_counter_state state[PMU_COUNTERS];
    uint32_t usable;                    /* bit i: state[i] == COUNTER_OK */
    uint32_t fixed;                     /* bit i: counter i can count only one event */
    uint32_t counter_msr[PMU_COUNTERS]; /* for RDMSR in the bracket */
    uint32_t rdpmc_index[PMU_COUNTERS]; /* for RDPMC: ECX. Before detect() it is the counter's number */
    uint32_t models;                    /* the family's bits of this CPU's model, to match pmu_event.models */
    uint32_t classes;                   /* enum pmu_class */
    uint32_t errata;                    /* pmu_errata_cpu() */
    uint64_t period[PMU_COUNTERS];      /* as given to arm(); 0: not armed */
    struct pmu_pins pins;               /* for the next program() */
    uint32_t sampling;                  /* bit i: counter i interrupts */
    union {                             /* the driver's own: pmu/families.h */
        struct p5_state p5;
        struct p6_state p6;
        struct netburst_state netburst;
        struct perfmon_state perfmon;
    };
};

/* Find the driver of this CPU, detect, and try each counter: one that accepts its programming but does not
 * advance over a busy loop (of hw_rdtsc(), so that time passes in a model on the host) is
 * COUNTER_NOT_ADVANCING; one whose MSRs fault, or ignore writes, is COUNTER_ABSENT. RDPMC that faults, or
 * differs from RDMSR, is treated as absent. Registers are left as they were found. False: no known PMU
 * (pmu->ops == NULL). */
bool pmu_probe(const struct cpu_id *id, struct pmu *pmu);

/* Core cycles per tick of the TSC, over a busy loop of some 50,000 readings of it, by a counter that can
 * count perf's word cycles; 0: none can. Registers are left as they were found. */
double pmu_core_per_tsc(struct pmu *pmu);

/* "ok", "absent", "not advancing", "unreliable". */
const char *pmu_state_text(enum pmu_counter_state state);

/* ---- events by name (pmu/event.c) ---- */

/* "name", "name:u", "name:UMASK:k", "r01c4", "/event=0xc4,umask=0x01,cmask=1,inv,edge/u", and perf's words
 * cycles, instructions, branches, cache-misses and others (pmu/names.h). The complete syntax is in
 * docs/events.md. word need not be NUL-terminated. On failure why describes the fault, and near (may be
 * empty) holds up to three nearest names, separated by ", ". Lists end with a complete name. near_cap 0: they
 * are not looked for, which takes most of the time. */
bool pmu_event_parse(const struct pmu *pmu, const char *word, size_t len, struct pmu_code *out, char *why,
                     size_t why_cap, char *near, size_t near_cap);

/* Why this event never counts code at ring (0 or 3), and the remedy; false: it does count it.
 */
bool pmu_event_never(const struct pmu_code *code, unsigned ring, char *why, size_t cap);

/* Why this event is for PEBS alone; false: it is not. */
bool pmu_event_by_pebs(const struct pmu_code *code, char *why, size_t cap);

/* Add a name and its suffix to a list "a, b, c"; "" is an empty one. The first name that does not fit into
 * cap bytes (with room for the mark) is left out, and all after it: the list then ends with "...". */
void pmu_list_add(char *list, size_t cap, const char *name, const char *behind);

/* Start or stop all programmed counters, by the writes of pmu_ops.switching(). */
void pmu_start(const struct pmu *pmu);
void pmu_stop(const struct pmu *pmu);

/* Carry out the write of pmu_ops.preset(). False: the MSR faults; *why names it. */
bool pmu_begin_at(struct pmu *pmu, unsigned counter, int64_t value, char *why, size_t cap);

/* The presets that this CPU's counters take (init=): from *least to *most. */
void pmu_presets(const struct pmu *pmu, int64_t *least, int64_t *most);

/* Where the first mark of a cascade stands in an event word; len: nowhere. */
#define PMU_CASCADE "+>"
size_t pmu_cascade_mark(const char *word, size_t len);

/* "A+>B": two events of which B begins to count when A overflows. out[0] is A, out[1] is B, named after the
 * whole word; given to allocate() together, they get counters of which one can start the other. Otherwise as
 * above. False: the family has no cascades, or none of A's counters starts one of B's. */
bool pmu_cascade_parse(const struct pmu *pmu, const char *word, size_t len, struct pmu_code out[2], char *why,
                       size_t why_cap, char *near, size_t near_cap);

/* Is a the starter of this cascade's target? */
bool pmu_code_starts(const struct pmu_code *a, const struct pmu_code *target);

/* Do both program the same and begin in the same way, whatever their names and presets? */
bool pmu_code_same(const struct pmu_code *a, const struct pmu_code *b);

/* The counters that the database allows for a PERFEVTSEL or PERF_CTL: bit i is counter i; 0: it has no rule,
 * or none that applies with modifiers. PMU_NO_COUNTER: none of this CPU's counters. */
#define PMU_NO_COUNTER (1u << 31)
uint32_t pmu_db_counters(const struct pmu *pmu, uint64_t select);

/* This CPU's counters for it, by that rule and the driver's own. 0: none. */
uint32_t pmu_select_counters(const struct pmu *pmu, uint64_t select);

/* The counters that can count the event of this row, without modifiers: bit i is counter i. */
uint32_t pmu_event_counters(const struct pmu *pmu, const struct pmu_event *e);

/* This CPU's next event after the given one, the first after NULL; NULL after the last. Then perf's words:
 * the event of each here, NULL = absent. */
const struct pmu_event *pmu_event_next(const struct pmu *pmu, const struct pmu_event *after);
struct pmu_word {
    const char *word;  /* "cycles", "L1-dcache-loads": as perf writes it */
    const char *event; /* its event here, in pmu_event_parse()'s syntax; NULL = absent */
    uint16_t msr;      /* an additional MSR that the event needs and that no driver programs; 0: none */
};
/* Valid until the next call of one of the two. Case does not matter; NULL: no word of perf's. */
const struct pmu_word *pmu_word_at(const struct pmu *pmu, unsigned i);
const struct pmu_word *pmu_word_named(const struct pmu *pmu, const char *name, size_t len);
