/* From the pipeline's structures to records. One function a record type; fields: docs/records.md. */
#pragma once
#include "kernel/apic.h"
#include "kernel/clock.h"
#include "kernel/memory.h"
#include "kernel/mtrr.h"
#include "kernel/platform.h"
#include "measure/derive.h"
#include "measure/quiet.h"
#include "measure/reduce.h"
#include "measure/sampling.h"
#include "report/record.h"

#define ANECHOIC_VERSION "0.1.0"
#ifdef __x86_64__
#define ANECHOIC_FLAVOUR "x86_64"
#else
#define ANECHOIC_FLAVOUR "i586"
#endif

/* All that bring-up found out. */
struct system {
    struct bootinfo boot;
    struct cpu_id id;
    struct cache_info caches;
    struct acpi_info acpi;
    struct apic apic;
    struct clock clock;
    struct memory memory;
    enum mem_type pool_type;
    enum platform platform;
    struct pmu pmu;
    bool paging;
    bool timer; /* kernel/timer.h */
    struct control control[CONTROLS];
    double core_per_tsc; /* core cycles in a tick, 0 = unknown; when bring-up looked */
    const char *core_clock_source;
    bool memory_lies; /* the pool chosen by the loader's word was not there */
};

void emit_boot(const struct system *sys, const char *(*console_name)(unsigned i));
void emit_cpu(const struct system *sys);
/* when: "before" or "after" the measurements. */
void emit_quiet(const struct quiet *q, const char *when, uint64_t tsc_hz);
void emit_event(const struct pmu *pmu, const struct pmu_event *e); /* events=list */
void emit_word(const struct pmu_word *w);                          /* perf's words, likewise */
void emit_bench(const struct bench *b);                            /* bench=list */
/* The k-th event of a run. */
void emit_result(const struct run *run, unsigned k, const struct result *res, const struct options *opt,
                 const struct system *sys);
/* Its regions, and what was wrong with the markers. */
void emit_regions(const struct run *run, unsigned k, const struct options *opt, const struct system *sys);
void emit_regions_note(const struct run *run);
/* With its profiles and, of an experiment, its figures. arena: that of the run, with its samples. False:
 * there was no room for a profile. */
bool emit_sampling(const struct sampling *s, const struct options *opt, const struct system *sys,
                   struct arena *arena);
void emit_reps(const struct run *run, unsigned k, unsigned ring); /* all=1 */
void emit_derived(const struct run *run, const struct derived *d, const struct options *opt,
                  const struct system *sys);
/* Shared among emit*.c: the fields that say which measurement a record is about; and where its numbers come
 * from (under an emulator time stamps, k = 0, are the emulator's and counts the modelled PMU's), NULL:
 * silicon. */
void emit_identity(struct record *r, const struct run *run, unsigned ring);
const char *emit_origin(const struct system *sys, unsigned k);
void emit_run_failure(const struct run *run);
void emit_word_fault(const struct fault *f, const char *line);
void emit_panic(const struct trap *t);
/* results: there were some, whose intervals need a word. */
void emit_done(unsigned measurements, unsigned failed, bool results);
