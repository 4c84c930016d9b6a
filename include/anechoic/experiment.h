/* An experiment: a function that asks the machine a question, and reports the answer as records and text.
 *
 *     static void run(struct lab *lab) { ... }
 *     EXPERIMENT(tlb_reach) = {.program = {.name = "tlb_reach", .desc = "..."}, .experiment = run, ...};
 *
 * It is run by bench=tlb_reach, and its parameters are given as a benchmark's are (bench/bench.h). It runs at
 * CPL 0 with interrupts disabled, on the processor that booted, in the kernel's address space; with
 * .processors = true in the descriptor the others are started, and do what it asks them. An exception in it,
 * or in code that it measures, ends it alone, with an error that has the registers; so do lab_fail(), and
 * limit= seconds without a call of one of these functions. Then all that it has changed with them is as
 * before: the address space, counters, debug and control registers.
 *
 * Costs below are of the function itself; what it calls comes on top. docs/experiments.md has examples.
 */
#pragma once
#include "bench/bench.h"
#include "kernel/barrier.h"
#include "kernel/watch.h"
#include "pmu/sample.h"

#define EXPERIMENT(id) BENCHMARK(id)

/* Code that may run at CPL 3. */
#define LAB_CODE __attribute__((section(".lab"), noinline, aligned(64)))

struct lab {
    void *stack3;         /* the top of the stack at CPL 3 */
    const int64_t *param; /* in the descriptor's order */
    const struct cache_info *caches;
    uint64_t tsc_hz;  /* 0: unknown */
    unsigned ring;    /* ring=: 0 or 3 */
    unsigned cpus;    /* processors that it may use: those of cpu=, else all that run; 1 unless .processors */
    unsigned reps;    /* reps= */
    bool lfence;      /* LFENCE keeps RDTSC behind the loads before it */
    unsigned variant; /* which of the descriptor's variants */
};

/* End the experiment with an error: a printf() format and its arguments, 159 bytes at most. */
__attribute__((noreturn, format(printf, 2, 3))) void lab_fail(struct lab *lab, const char *format, ...);

/* ---- memory ---- */

/* Zeroed memory, which ring 3 may use, too; aligned to a power of two. It lasts until the experiment ends.
 * Its physical address is its linear one. Cost: some cycles a line. Ends the experiment where there is no
 * more. */
void *lab_alloc(struct lab *lab, size_t bytes, size_t alignment);

/* The largest piece that lab_alloc() could still give, in bytes. */
size_t lab_memory(const struct lab *lab);

/* Bytes of machine code, with a RET behind them, as a payload. They may change EAX, ECX, EDX and flags; on
 * entry the argument is in RDI, and on i586 at ESP + 4. */
payload_fn *lab_write_code(struct lab *lab, const void *code, size_t bytes);

/* ---- the address space ---- */

enum lab_page { LAB_SMALL = 1, LAB_LARGE, LAB_HUGE };       /* 4 KiB; 2 MiB, i586: 4 MiB; 1 GiB */
enum lab_cache { LAB_CACHED, LAB_COMBINING, LAB_UNCACHED }; /* as the MTRRs say; write-combining; uncached */

/* Bytes of a page of this size; 0: this CPU, or this kernel, has none. */
uint64_t lab_page_bytes(const struct lab *lab, enum lab_page size);

struct lab_mapping {
    void *memory; /* from lab_alloc(). A multiple of the page's size, but for LAB_HUGE: that is the gigabyte
                     which holds it. NULL: new memory */
    size_t pages; /* at least 1 */
    enum lab_page size; /* 0: LAB_SMALL */
    enum lab_cache cache;
    bool same; /* one physical page at all these addresses: the first one of the memory */
};

/* Show memory at new linear addresses, one page after the other; the pages before and behind them fault.
 * Returns where `memory` begins there. Nothing else is mapped in the window that they lie in, and the TLBs
 * have none of them yet. Cost: some ten instructions a page, and 4 KiB of memory for each 512 small pages
 * (i586: 1024). Write to memory that is mapped with two cache types through one of them only. Ends the
 * experiment where it is not possible, and says why: this CPU has no such pages or no PAT, no memory or no
 * addresses are left. */
void *lab_map(struct lab *lab, const struct lab_mapping *mapping);

/* Make a gap: the page with this address, which lab_map() has mapped, faults from now on. Cost: some forty
 * instructions and an INVLPG. */
void lab_unmap(struct lab *lab, void *page);

/* ---- caches and TLBs ---- */

/* Take the line with this address out of all caches. By CLFLUSH where the CPU has it; else by WBINVD, which
 * takes all lines. Returns which: "clflush" or "wbinvd". Cost: hundreds of cycles; WBINVD: up to a
 * millisecond. */
const char *lab_flush_line(struct lab *lab, const void *at);

/* Take the translation of the page with this address out of all TLBs (INVLPG). Cost: hundreds of cycles. */
void lab_flush_page(struct lab *lab, const void *at);

/* Empty all caches (WBINVD) and all TLBs. Cost: up to a millisecond. */
void lab_flush_all(struct lab *lab);

/* ---- privilege ---- */

/* Call fn(arg) at CPL 0, or at CPL 3 on a stack of its own; the address space is the same one. fn must be
 * LAB_CODE or come from lab_write_code(). Cost: the instructions between the two sides are the same ones each
 * time. At CPL 3 they are LAB_TO_RING3 from behind the CALL of this function to fn's first one, of which IRET
 * is the last; and LAB_FROM_RING3 from behind fn's RET to the one behind that CALL, of which INT 80h is the
 * first, at CPL 3. At CPL 0 they are LAB_TO_RING0, and none on the way back. */
void lab_at_cpl(struct lab *lab, unsigned cpl, payload_fn *fn, void *arg);
#ifdef __x86_64__
#define LAB_TO_RING0   4
#define LAB_TO_RING3   32
#define LAB_FROM_RING3 20
#else
#define LAB_TO_RING0   6
#define LAB_TO_RING3   39
#define LAB_FROM_RING3 24
#endif

/* ---- measuring ---- */

/* How a count came to be. UNMODELLED: this runs on the PMU model, which lacks the event. */
enum lab_state { LAB_COUNTED, LAB_UNMODELLED, LAB_ABSENT };

struct lab_program {
    payload_fn *code;     /* LAB_CODE, or from lab_write_code() */
    void *arg;            /* what it reads or writes: from lab_alloc() or lab_map() */
    unsigned ring;        /* where it runs: 0 or 3; lab->ring is the user's choice */
    payload_fn *baseline; /* with the same argument; what it counts is subtracted. NULL: an empty payload */
    /* Called at CPL 0 right before each call, also of the baseline and of warm-ups; not counted. NULL:
     * nothing */
    void (*before)(struct lab *lab, void *arg);
};

/* Statistics of one event, corrected: the overhead, or the same of the baseline, is subtracted. */
struct lab_count {
    const char *event;    /* the word that was used */
    enum lab_state state; /* not LAB_COUNTED: the rest is 0 */
    double min, median, mean, max;
    const uint64_t *raw; /* each repetition, overhead included; until the next lab_measure() */
    uint64_t overhead;   /* of an empty payload, or the least of the baseline */
};

#define LAB_EVENTS 8
struct lab_counts {
    unsigned reps, n;
    struct lab_count tsc, event[LAB_EVENTS];
};

/* Measure a program: reps=, warmup=, serialize= apply. events: words as events= takes them, up to LAB_EVENTS
 * and a NULL; of "data_tlb_miss|dtlb-load-misses" the first one counts that this CPU has. Events that do not
 * fit together are measured one after the other. NULL: the time only. Cost: per group of events (warmup +
 * reps) calls, and 104 empty ones. */
void lab_measure(struct lab *lab, const struct lab_program *program, const char *const *events,
                 struct lab_counts *out);

/* Program counters with these events, all at a time, and let them run on until the next of the lab's
 * functions that measures. LAB_ABSENT: one of them cannot be counted here, and none is started. Ends the
 * experiment where the counters are too few. Cost: some WRMSRs. */
enum lab_state lab_start(struct lab *lab, const char *const *events);

/* The i-th of them as it is now, in full width. Ends the experiment if the counter went backwards since its
 * last reading, or since lab_preset(): its value is not a count then. A counter of N bits that went on by
 * more than half of its range between two readings looks the same: read one of 40 bits at least every 2^39
 * events. Cost: RDMSR or RDPMC, and three calls. */
uint64_t lab_read(struct lab *lab, unsigned i);

/* Let the i-th go on from this value; all stand still meanwhile. Ends the experiment where the counter does
 * not take it: many take 32 bits, and copy bit 31 into those above. Cost: some WRMSRs. */
void lab_preset(struct lab *lab, unsigned i, uint64_t value);

struct lab_samples {
    const struct sample *at; /* pmu/sample.h; until the next measurement */
    unsigned n;
    uint64_t lost; /* came when there was no more room */
};

/* Samples of a program, each time that the event has occurred `period` times (by PMI): where it was, and the
 * registers. event NULL: by a timer's clocks. reps= calls of it; at most `most` samples are kept. Ends the
 * experiment where it is not possible. Cost: as sample= (docs/sampling.md). */
void lab_samples(struct lab *lab, const struct lab_program *program, const char *event, uint32_t period,
                 unsigned most, struct lab_samples *out);

/* Ticks of the TSC for one load of 4 bytes: between two serialised readings, less the least of an empty pair.
 * 0: no more than that. Cost: two readings; the first call takes 100 empty ones. */
uint64_t lab_time_load(struct lab *lab, const void *at);

/* ---- several processors ---- */

/* Processors are 0 to lab->cpus - 1 here. What they execute is fn(arg), at CPL 0 with interrupts disabled and
 * without ring 3's stack; it calls none of the lab's functions but lab_counted(). Code that does not end
 * within limit= seconds is ended by an NMI, and an exception ends it; either ends the experiment, with an
 * error that names the processor. When the experiment ends, all of them do. */

/* The number that users know a processor by: its place in machine.cpu[], 0 for the one that booted. */
unsigned lab_processor(const struct lab *lab, unsigned cpu);

struct lab_job {
    unsigned cpu;
    void (*fn)(void *arg);
    void *arg; /* from lab_alloc(), or static */
};

/* Begin on one that is not the processor that booted; wait until it has returned. Cost: a line for each way,
 * and an IPI where processors rest in HLT. */
void lab_begin(struct lab *lab, const struct lab_job *job);
void lab_wait(struct lab *lab, unsigned cpu);

/* Several at once, each of another processor; returns when all have ended. If one of them is of the processor
 * that booted, that executes it itself. They begin one after the other: a barrier is where they meet. */
void lab_together(struct lab *lab, const struct lab_job *job, unsigned n);

/* A barrier for n of them (kernel/barrier.h), who wait for half of limit= seconds at most. */
struct barrier *lab_barrier(struct lab *lab, unsigned n);

/* Ticks after which code that waits for another processor has to give up: half of limit=. */
uint64_t lab_patience(const struct lab *lab);

/* Counters of one processor, which run on from now on, as those of lab_start(). */
struct lab_counting {
    struct pmu *pmu;
    unsigned n;
    enum lab_state state[LAB_EVENTS]; /* of each event */
    uint8_t counter[LAB_EVENTS];
    const char *event[LAB_EVENTS]; /* the words that were used */
    uint64_t last[LAB_EVENTS];     /* their last readings */
};

/* Events that this processor lacks are LAB_ABSENT, and the others count. Ends the experiment where the
 * counters are too few for all of them at once. */
void lab_count_on(struct lab *lab, unsigned cpu, const char *const *events, struct lab_counting *out);

/* The i-th of them as it is now. To be called by that processor itself. Ends the experiment if the counter
 * went backwards since its last reading. Cost: RDPMC or RDMSR, and three calls. */
uint64_t lab_counted(struct lab_counting *c, unsigned i);

/* Interprocessor interrupts. The receiver's handler reads the TSC first, then counts. */
struct lab_ipi {
    _Alignas(LINES_APART) volatile uint64_t at; /* the receiver's TSC */
    volatile uint32_t n;                        /* how many have come */
    const struct apic *apic;                    /* its own */
};

/* For a receiver. False: it, or the processor that booted, has no local APIC that is enabled. */
bool lab_ipi_open(const struct lab *lab, unsigned cpu, struct lab_ipi *ipi);

/* In the receiver's job: from now on its interrupts come, until it is called with NULL. */
void lab_ipi_let(struct lab_ipi *ipi);

/* In the receiver's job, between these: rest in HLT until *n is no longer this. */
void lab_ipi_rest(const struct lab_ipi *ipi, uint32_t n);

/* Send one. By the processor that booted. False: its APIC is still busy with the one before. Cost: a write to
 * the interrupt command register; with xAPIC two, and a look whether the last one has gone. */
bool lab_ipi_send(const struct lab *lab, unsigned cpu);

/* ---- gaps in time ---- */

/* Watch for gaps for so many ticks of the TSC (not 0), with no interrupt of ours: watch_for() of
 * kernel/watch.h, after watch_begin(). Ctrl-C is heard, and limit= counts, before and after it only. Ends the
 * experiment where the TSC stands still. */
void lab_gaps(struct lab *lab, struct watch *w, uint64_t ticks);

/* SMIs since the machine was switched on, modulo 2^32. LAB_ABSENT: this CPU does not count them; UNMODELLED:
 * an emulator. */
enum lab_state lab_smis(struct lab *lab, uint32_t *n);

/* ---- results ---- */

enum lab_source {
    LAB_COUNTS,
    LAB_TIMES,
    LAB_KNOWN,
    LAB_NAMED
}; /* from counters, from the clock; what was set or known before; no number: `unit` names a table's row */

struct lab_quantity {
    const char *name, *unit; /* unit: "" where it is a number of nothing */
    double value;            /* a whole number up to 2^53 stays exact */
    enum lab_source source;
    enum lab_state state; /* not LAB_COUNTED: it has no value, and the reader is told so, never 0 */
};

/* The median of an event as a quantity. */
static inline struct lab_quantity lab_median(const char *name, const char *unit, const struct lab_count *c)
{
    return (struct lab_quantity){name, unit, c->median, LAB_COUNTS, c->state};
}

/* A result: a record `value`, and a line of text. note: what follows from it, or why there is none; NULL:
 * none. */
void lab_value(struct lab *lab, const struct lab_quantity *q, const char *note);

#define LAB_COLUMNS 12
/* A row of a table: a record `row`, and a line under a heading that is printed when the table begins. n
 * quantities, at most LAB_COLUMNS, of the same names and units in each row of a table. The first one may be
 * the row's name (LAB_NAMED), which is no column. */
void lab_row(struct lab *lab, const char *table, const struct lab_quantity *q, unsigned n);

/* A matrix, processors down and across: value[i * lab->cpus + k] is of processors i and k, NaN where there is
 * none. Records `matrix`, one for each row and 64 columns, and a matrix of text. */
void lab_matrix(struct lab *lab, const char *name, const char *unit, const double *value,
                enum lab_source source);

/* Values of one kind in their order: records `series`, and lines of text. */
void lab_series(struct lab *lab, const char *name, const char *unit, const double *value, unsigned n,
                enum lab_source source);
