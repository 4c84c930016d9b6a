/* From the pipeline's structures to records. One function per record type; fields: docs/records.md. */
#pragma once
#include "kernel/machine.h"
#include "kernel/serial.h"
#include "kernel/topology.h"
#include "measure/certificate.h"
#include "measure/derive.h"
#include "measure/levels.h"
#include "measure/quiet.h"
#include "measure/reduce.h"
#include "measure/sampled.h"
#include "measure/steps.h"
#include "report/record.h"

#define ANECHOIC_VERSION "0.1.0"
#ifdef __x86_64__
#define ANECHOIC_FLAVOUR "x86_64"
#else
#define ANECHOIC_FLAVOUR "i586"
#endif

void emit_boot(const struct machine *m, const char *(*console_name)(unsigned i));
void emit_cpu(const struct cpu *cpu);
/* One record of the whole and one for each processor; nothing for a single one. */
void emit_topology(const struct topology *t);
void emit_consoles(const struct serial_list *list, const struct clock *clock);
/* when: "before" or "after" the measurements. */
void emit_quiet(const struct quiet *q, const char *when, const struct clock *clock);
void emit_event(const struct pmu *pmu, const struct pmu_event *e); /* events=list */
void emit_word(const struct pmu_word *w);                          /* perf's words, likewise */
void emit_bench(const struct bench *b);                            /* bench=list */
/* The k-th event of a run. */
void emit_result(const struct run *run, unsigned k, const struct result *res, const struct options *opt,
                 const struct machine *m);
/* A region of the run, and the faults of the markers. */
void emit_region(const struct run *run, unsigned k, unsigned id, const struct region_result *res,
                 const struct options *opt, const struct machine *m);
/* all=1: its repetitions, if it has values. */
void emit_region_reps(const struct run *run, unsigned k, unsigned id, const struct region_result *res,
                      unsigned ring);
void emit_regions_note(const struct run *run);
/* steps=: the whole, and a record for each step. */
void emit_steps(const struct steps *s, const struct options *opt, const struct machine *m);
/* trace=: what the hooks of its payload wrote; nothing if it has none. */
void emit_trace(const struct run *run, const struct options *opt, const struct machine *m);
/* Includes its profiles and, for an experiment, its figures. */
void emit_sampling(const struct sampling *s, const struct sampled *result, const struct options *opt,
                   const struct machine *m);
void emit_reps(const struct run *run, unsigned k, unsigned ring); /* all=1 */
void emit_levels(const struct run *run, const struct levels *l, const struct options *opt,
                 const struct machine *m);
void emit_derived(const struct run *run, const struct derived *d, const struct options *opt,
                  const struct machine *m);
/* Shared among emit*.c: the fields that say which measurement a record is about. */
void emit_identity(struct record *r, const struct run *run, unsigned ring);
void emit_run_failure(const struct run *run);

/* What the last call of a user's program printed; nothing if it did not. */
void emit_printed(const struct run *run, unsigned ring);

/* Where code of the user's lay, and what it is called; nothing for the kernel's own. */
void emit_user(struct record *r, const struct bench_image *image);
void emit_word_fault(const struct fault *f, const char *line);
void emit_module_fault(const struct module_fault *f);
void emit_panic(const struct trap *t);
void emit_mark(const char *name, size_t len, unsigned first, unsigned last); /* records of this session */
void emit_plan(uint64_t items); /* before the first of them is measured: for whoever shows progress */
/* results: some were printed, so the legend explains their intervals. */
void emit_done(unsigned measurements, unsigned failed, bool results, const struct certificate *certificate);

/* The noise certificate, as a part of a record. */
void emit_certificate(struct record *r, const struct certificate *c);
