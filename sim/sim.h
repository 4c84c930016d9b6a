/* The PMU of a named processor, modelled: MSRs, counters, interrupts, driven by sim/facts.h.
 *
 * C without dependencies. Two users: host unit tests, which link drivers against it, and Bochs, whose glue
 * (sim/bochs/) feeds it facts and routes RDMSR, WRMSR, RDPMC and CPUID here. Beside it the oracle tallies the
 * same facts and never looks at a PMU register.
 */
#pragma once
#include "sim/facts.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sim;
struct sim_lbr_entry; /* sim/lbr.h */

/* Requests of the model to its environment. ctx is passed through. */
struct sim_host {
    void *ctx;
    /* A counter overflowed with its interrupt enabled: deliver the local APIC's LVT performance entry, as
     * programmed. On P6: once per overflow. On NetBurst, where the line stays asserted until software clears
     * OVF: again before every instruction until then. Its LVT entry masks itself on delivery, so one that is
     * unmasked too early delivers twice. */
    void (*pmi)(void *ctx);
    /* The PM0/PM1 pins (P5): asserted on increment or overflow. May be NULL. */
    void (*pin)(void *ctx, unsigned pin, bool overflow);
    /* Guest memory by linear address, as PEBS's microcode sees it. False: not mapped. NULL: nothing is. */
    bool (*read)(void *ctx, uint64_t lin, void *data, unsigned len);
    bool (*write)(void *ctx, uint64_t lin, const void *data, unsigned len);
    /* IA-32e mode is active. NULL: it never is. */
    bool (*long_mode)(void *ctx);
    /* This thread executes nothing: HLT, or it waits for its start. NULL: it never does. Asked of each of two
     * threads. */
    bool (*inactive)(void *ctx);
    /* The registers as the instruction leaves them that retires now. Asked only within sim_instruction(), so
     * that it costs nothing while nobody asks. NULL: all are 0. */
    void (*registers)(void *ctx, struct sim_registers *after);
    /* Instruction-based sampling (AMD) has a sample: deliver this entry of the local APIC's extended vector
     * table (APIC500 + 10h x entry), as programmed. NULL: there is none. */
    void (*ibs)(void *ctx, unsigned entry);
};

/* Models by name: the rows of sim/models.def. NULL for another. errata: names of switches
 * ("misaligned-misses", see docs/pmu-model.md) separated by commas, NULL = none; an unknown one is NULL as
 * well. */
struct sim *sim_new(const char *model, const char *errata, const struct sim_host *host);
void sim_free(struct sim *s);
const char *sim_model_name(unsigned i); /* the i-th, NULL after the last */
/* The i-th of a family (sim_family.name), likewise. */
const char *sim_family_model(const char *family, unsigned i);
/* The i-th of the errata that this model can have; NULL after the last, or if there is no such model. */
const char *sim_erratum_name(const char *model, unsigned i);
void sim_reset(struct sim *s);

/* A second thread of this model's core (Hyper-Threading), which has none yet: it shares counters, their
 * registers and caches, and has its own oracle, interrupt and host. NULL: this model has no threads, or no
 * memory. Freed before the first one. A thread counts as one of the processors of a bus. */
struct sim *sim_thread(struct sim *first, const struct sim_host *host);

/* ---- several processors (sim/bus.c) ---- */
/* Processors of one machine, joined by their memory: a line that one writes leaves the others' caches, one
 * that another has modified is written back and shared. Facts are wanted of all as soon as they are of one,
 * and have to come in the order in which they happened on all of them. NULL: no memory, n is 0 or above
 * SIM_PROCESSORS, or they are not all of one model. Freed before its members. */
#define SIM_PROCESSORS 8
struct sim_bus;
struct sim_bus *sim_bus_new(struct sim *const *members, unsigned n);
void sim_bus_free(struct sim_bus *b);

/* Interrupt skid (sim/skid.c): the number of instructions that retire between the one whose event requests an
 * interrupt and the delivery. spec: "N", or "N:WEIGHT,N:WEIGHT,..." to draw from by a generator seeded with
 * seed; NULL: none, which is also what a new model has. N is at most 1,000,000, a weight 1 to 1,000,000.
 * False: no such spec; nothing has changed. */
bool sim_skid(struct sim *s, const char *spec, uint64_t seed);

/* ---- facts, in program order ---- */
/* True from the first enabled counter (or oracle) onward: before that a glue need not report facts. */
bool sim_wants_facts(const struct sim *s);
/* True where the instruction that begins now must come with reg[] and flags. */
bool sim_wants_registers(const struct sim *s);
void sim_instruction(struct sim *s, const struct sim_insn *i);
/* Many instructions at once: the same counts as one by one, but nothing that happens at one of them (a pin,
 * an interrupt, a histogram) can be told from the next. Only while sim_batches(), which is asked before each
 * batch of at most SIM_BATCH_STEPS steps. */
#define SIM_BATCH_STEPS 4096
enum sim_batches {
    SIM_BATCH_NONE,   /* one by one */
    SIM_BATCH_NO_X87, /* x87 instructions one by one */
    SIM_BATCH_ALL
};
enum sim_batches sim_batches(const struct sim *s);
void sim_batch(struct sim *s, const struct sim_batch *b);
/* Accesses beyond SIM_ACCESSES of the instruction that will retire next (long REP); they belong to it. */
void sim_more_accesses(struct sim *s, const struct sim_access *a, unsigned n, unsigned cpl);
void sim_exception(struct sim *s, unsigned vector, unsigned cpl); /* faults and traps, not INT n */
void sim_interrupt(struct sim *s, unsigned vector, bool nmi, unsigned cpl);
/* The delivery that one of these two began is over. After its stray accesses, before anything else. None of
 * one that failed: then the exception that this raised, or a double fault, is what is delivered. */
void sim_delivered(struct sim *s, const struct sim_delivery *d);
/* Accesses that belong to no instruction: interrupt delivery's stack and IDT/GDT reads. */
void sim_stray_access(struct sim *s, const struct sim_access *a, unsigned cpl);
/* CR3 write, paging mode change. All pages go: the facts do not say which are global. */
void sim_tlb_flush(struct sim *s);
void sim_tlb_invalidate(struct sim *s, uint64_t lin); /* INVLPG */
void sim_cache_flush(struct sim *s, bool write_back); /* WBINVD, INVD */
/* DR0-DR3 and DR7 were written (P5's breakpoint match events look at them). */
void sim_debug_registers(struct sim *s, const uint64_t dr[4], uint32_t dr7);
/* Time went on: modelled cycles; halted: in HLT. */
void sim_ticks(struct sim *s, uint64_t cycles, bool halted, unsigned cpl);

/* ---- registers: 1 handled, 0 raise #GP, -1 not one of this PMU's ---- */
int sim_rdmsr(struct sim *s, uint32_t msr, uint64_t *value);
int sim_wrmsr(struct sim *s, uint32_t msr, uint64_t value);
/* A register of some processor's PMU. Where it is not one of this PMU's it raises #GP, whatever the emulator
 * does with registers that it does not know. */
bool sim_pmu_register(uint32_t msr);
/* RDPMC: also #UD where the model lacks it. cr4_pce: CR4.PCE; cr0_pe: protected mode. */
enum sim_rdpmc { SIM_RDPMC_OK, SIM_RDPMC_GP, SIM_RDPMC_UD };
enum sim_rdpmc sim_rdpmc(struct sim *s, uint32_t ecx, unsigned cpl, bool cr4_pce, bool cr0_pe,
                         uint64_t *value);
/* The newest last branch records, the newest first, as their registers hold them (an entry that nothing was
 * recorded in holds zeros). Returns how many: at most n, at most the stack's depth; 0 where there is none. */
unsigned sim_lbr_entries(const struct sim *s, struct sim_lbr_entry *to, unsigned n);
/* Names of events that are programmed now, count at some level, and are not modelled: what their counters
 * hold is no count. Returns how many, at most max; they live as long as the model and its programming. */
unsigned sim_unmodelled(const struct sim *s, const char **names, unsigned max);
/* Change what the emulator's CPU says of itself into what this CPU says. regs in EAX EBX ECX EDX order. The
 * leaves of kernel/model.h are the model's own. */
void sim_cpuid(const struct sim *s, uint32_t leaf, uint32_t subleaf, uint32_t regs[4]);

/* ---- the oracle (sim/oracle.c) ---- */
/* Brackets nest: each begin opens one inside the others, each end closes the innermost.
 * Tally from now on, by event of the family (all of its events that are modelled), at every privilege level
 * apart. */
void sim_oracle_begin(struct sim *s, const char *label);
/* The same, and keep the counts of these events (names, separated by commas) by instruction address. False:
 * an unknown or unmodelled name among them; nothing has begun. */
bool sim_oracle_begin_histogram(struct sim *s, const char *label, const char *events);
/* The innermost bracket, which has just begun, also keeps the occurrences of one event, in their order: a
 * prediction of samples that reads no register of the PMU. spec: the event's name, and words behind commas:
 *
 *   user, kernel  only those at CPL 1 to 3, at CPL 0, are occurrences
 *   regs          with the registers after the instruction
 *   every=N       only each N-th, from the first on (default 1)
 *   limit=N       so many entries at most (default 100000)
 *   branches=N    with the last N transfers of control (1 to 64) since the bracket began
 *
 * False: another spec, or an event that is not modelled; nothing is traced.
 *
 * The bracket's line gets "trace":{"event":NAME,"n":all that there were,"kept":entries,"at":[ENTRY,...]}. An
 * entry is an instruction, or {"n":N,"delivery":true}. Its keys: docs/pmu-model.md, and those that the family
 * adds (sim_family.trace). */
bool sim_oracle_trace(struct sim *s, const char *spec);
/* Write one JSON line through put: {"label":..,"model":..,"insns":..,"events":{"NAME":{"k":N,"u":N},...},
 * "unmodelled":[names of events that were programmed and are not modelled],"interrupts":{"SKID":N,...} of
 * those that counters asked for, if any, "histogram":{"NAME":{"hex address":N,...,"delivery":N}}} and stop
 * tallying. "delivery": what sim_stray_access() caused. histogram: the events to print by instruction
 * address, of those that were kept ("*" = all of them, NULL = none). Of a processor with others there is also
 * "cpu":N, its number, and "lines":{"in":N,"out":N,"lost":N}: lines that came from another one's caches,
 * which had them modified; that went to another one so; unmodified ones that another one's write took. */
void sim_oracle_end(struct sim *s, void (*put)(void *ctx, const char *line), void *ctx,
                    const char *histogram);
