/* Private to the model: shared by the families. A family turns each instruction into a tally of elementary
 * happenings. Its counters and the oracle read that tally independently of each other. */
#pragma once
#include "sim/lbr.h"
#include "sim/sim.h"

/* ---- caches and TLBs (sim/cache.c): geometry and replacement of the named CPU ---- */
/* O, owned, is AMD's: modified, and others have copies. */
enum sim_line_state { LINE_I, LINE_S, LINE_E, LINE_M, LINE_O };
static inline bool sim_line_dirty(enum sim_line_state state) { return state >= LINE_M; }

struct sim_cache_geometry {
    uint32_t bytes, line, ways;
    bool lru;            /* true LRU; else tree pseudo-LRU (ways a power of two, at most 64) */
    bool write_allocate; /* P5's L1D does not: a write that misses goes out */
};
struct sim_cache;

/* The entry used last in each set, at the beginning of a cache and of a TLB. Using it again changes nothing,
 * so most accesses need no look-up. */
struct sim_hot {
    uint64_t *line; /* by set: line number << 1, and 1 for a modified line; SIM_NOT_HOT: none */
    uint64_t mask;  /* sets - 1 */
    unsigned shift; /* of addresses */
};
#define SIM_NOT_HOT UINT64_MAX

/* A hit on the line that its set used last, which a write need not modify first. */
static inline bool sim_cache_hot(const struct sim_cache *c, uint64_t phys, bool write)
{
    const struct sim_hot *h = (const struct sim_hot *)c;
    const uint64_t line = phys >> h->shift, hot = h->line[line & h->mask];
    return hot >> 1 == line && (!write || (hot & 1));
}

/* The effects of one access (within one line). */
struct sim_cache_result {
    bool hit, evicted, evicted_modified;
    uint8_t before; /* enum sim_line_state of the line that was looked up */
    uint8_t evicted_state;
    uint64_t evicted_phys;
};
struct sim_cache *sim_cache_new(const struct sim_cache_geometry *g);
void sim_cache_free(struct sim_cache *c);
/* Read or write of any bytes inside one line. A miss fills the line (a write only with write_allocate). */
struct sim_cache_result sim_cache_access(struct sim_cache *c, uint64_t phys, bool write);
bool sim_cache_present(const struct sim_cache *c, uint64_t phys, enum sim_line_state *state);
/* Fill from outside, e.g. a victim written into the next level. */
struct sim_cache_result sim_cache_fill(struct sim_cache *c, uint64_t phys, enum sim_line_state state);
/* Change the state of a line that is there, which is no use of it; returns the former one. LINE_I as the new
 * one: as sim_cache_drop(). */
enum sim_line_state sim_cache_change(struct sim_cache *c, uint64_t phys, enum sim_line_state state);
/* Remove one line; returns its former state. */
enum sim_line_state sim_cache_drop(struct sim_cache *c, uint64_t phys);
void sim_cache_invalidate_all(struct sim_cache *c);
unsigned sim_cache_lines(const struct sim_cache *c,
                         enum sim_line_state state); /* the number of lines in it */

/* A TLB: entries of 4 KiB pages, ways (a power of two, at most 64), tree pseudo-LRU; returns hit. Large pages
 * are entered by their 4 KiB parts unless the family has a separate array for them. */
struct sim_tlb;
#define SIM_PAGE_LOG2 12
static inline bool sim_tlb_hot(const struct sim_tlb *t, uint64_t lin)
{
    const struct sim_hot *h = (const struct sim_hot *)t;
    const uint64_t page = lin >> SIM_PAGE_LOG2;
    return h->line[page & h->mask] == page << 1;
}
struct sim_tlb *sim_tlb_new(unsigned entries, unsigned ways);
void sim_tlb_free(struct sim_tlb *t);
bool sim_tlb_access(struct sim_tlb *t, uint64_t lin);
/* The same for a hit that needs no search. False: nothing has changed, and it may be in the TLB. */
bool sim_tlb_again(struct sim_tlb *t, uint64_t lin);
bool sim_tlb_present(const struct sim_tlb *t, uint64_t lin); /* changes nothing */
void sim_tlb_flush_all(struct sim_tlb *t);
void sim_tlb_flush_some(struct sim_tlb *t, uint64_t lin,
                        uint64_t mask); /* the entries that agree with lin in the bits of mask */
void sim_tlb_drop(struct sim_tlb *t, uint64_t lin);

/* Physical address at lin of something that begins at from; phys_high as in struct sim_insn. */
static inline uint64_t sim_phys(uint64_t lin, uint64_t from, uint64_t phys, uint64_t phys_high)
{
    return (lin ^ from) >> 12 ? phys_high + (lin & 0xfff) : phys + (lin - from);
}

/* ... of an access's byte at this offset. */
static inline uint64_t sim_phys_at(const struct sim_access *a, unsigned offset)
{
    return sim_phys(a->lin + offset, a->lin, a->phys, a->phys_high);
}

/* ---- the tally ---- */
/* A family's elementary happenings are indices into an array of its own, from 1 on (0 ends a list of terms).
 * The effects of a fact are collected here and settled once: counters and oracle read them, then only the
 * touched entries are cleared. */
#define SIM_TALLIES 160
#define SIM_TERMS   16

struct sim_tally {
    unsigned n_touched; /* 0: empty */
    bool unlisted;      /* others were touched as well */
    uint8_t touched[SIM_TALLIES + 1];
    uint64_t count[SIM_TALLIES];
};

/* n happenings of kind t; n may be 0. No branch: the list's end moves only where the kind is new. */
static inline void sim_add(struct sim_tally *y, unsigned t, uint64_t n)
{
    y->touched[y->n_touched] = (uint8_t)t;
    y->n_touched += y->count[t] == 0 && n != 0;
    y->count[t] += n;
}

/* The same within a batch, whose list core makes at its end: no addition waits for the one before. */
static inline void sim_add_bulk(struct sim_tally *y, unsigned t, uint64_t n) { y->count[t] += n; }

/* An event of the family as the oracle reports it: its name and the tallies whose sum it is. */
struct sim_event {
    const char *name;         /* manual's name, the oracle's key */
    uint32_t code;            /* event select, and unit mask << 8 */
    uint8_t terms[SIM_TERMS]; /* ended by 0 or by the array's end; none: unmodelled */
    uint8_t counters;         /* bit by counter that can count it; 0: all */
    uint8_t models;           /* bit by which of its family's the model is (sim/models.def); 0: all */
};
#define SIM_SEVERAL 0x80 /* in models: modelled only where there are other processors (sim_bus_new()) */

static inline bool sim_event_modelled(const struct sim *s, const struct sim_event *e);

/* On this counter of this model? */
static inline bool sim_event_fits(const struct sim_event *e, unsigned counter, uint8_t model_bit)
{
    return (!e->counters || (e->counters >> counter & 1)) && (!e->models || (e->models & model_bit));
}

static inline uint64_t sim_event_value(const struct sim_event *e, const uint64_t *count)
{
    uint64_t sum = 0;
    for (unsigned k = 0; k < SIM_TERMS && e->terms[k]; k++) sum += count[e->terms[k]];
    return sum;
}

struct sim_family; /* the table below */
struct sim_text;
struct sim_trace;

/* ---- the interrupt on its way (sim/skid.c) ---- */
#define SIM_SKIDS 32

struct sim_interrupt {
    bool pending; /* requested, not delivered yet: left more instructions retire before */
    bool line;    /* level-triggered (NetBurst): asserted until the family drops it */
    uint32_t left;
    unsigned n; /* of the distribution; 0: no skid */
    uint32_t after[SIM_SKIDS], weight[SIM_SKIDS];
    uint64_t drawn[SIM_SKIDS];    /* how often each was; without a skid the first is what there is */
    uint64_t total, seed, random; /* sum of the weights; what the generator started from, and its state */
    /* The interrupt of AMD's instruction-based sampling, on a way of its own with the same skid. */
    struct {
        bool pending;
        uint8_t entry; /* of the extended local vector table */
        uint32_t left;
    } ibs;
};

/* Lines that went between the caches of two processors, since the beginning. */
struct sim_lines {
    uint64_t in;   /* came from another one's caches, which had it modified */
    uint64_t out;  /* the same, of the one that had it: of each of its threads, which share the caches */
    uint64_t lost; /* copies that were not modified and that another one's write invalidated, likewise */
};

struct sim {
    const struct sim_family *family;
    const struct sim_model *model;
    struct sim_host host;
    uint32_t errata;                /* bits by index into the family's errata names */
    bool active;                    /* a counter is enabled, or has been: facts are wanted */
    struct sim_oracle *oracle;      /* NULL while not tallying */
    void *state;                    /* the family's own: MSRs, counters, caches, predictor */
    uint8_t model_bit;              /* of sim_event.models */
    const struct sim_insn *current; /* retires now; NULL: what is in the tally belongs to none */
    uint64_t retired;               /* instructions */
    uint64_t clocks;                /* in which it did not halt */
    uint64_t ip;  /* of the instruction that retired last: the oracle uses it for happenings without an
                     instruction */
    unsigned cpl; /* of what is in the tally */
    struct sim_interrupt interrupt;
    uint64_t pulses[2][2]; /* of the pins PM0 and PM1, where the host has them: on increments, on overflows */
    bool halted;           /* as of the last cycle */
    bool stray;            /* the current access belongs to no instruction */
    bool wants_registers;  /* the family's answer to sim_wants_registers() */
    struct sim_bus *bus;   /* NULL: alone */
    unsigned number;       /* on the bus */
    struct sim *sibling;   /* the other thread of its core, with which it shares its state; NULL: none */
    unsigned thread;       /* 0 or 1 */
    struct sim_lines lines;
    struct sim_lbr lbr;
    struct sim_tally tally; /* not settled yet */
};

/* The instruction that comes after this one. */
static inline uint64_t sim_next(const struct sim_insn *i)
{
    return (i->op & (OP_BRANCH | OP_TAKEN)) == (OP_BRANCH | OP_TAKEN) ? i->target : i->lin + i->len;
}

/* The registers after the current instruction. */
static inline struct sim_registers sim_after(const struct sim *s)
{
    static const struct sim_registers zero;
    struct sim_registers r = zero;
    if (s->host.registers) s->host.registers(s->host.ctx, &r);
    return r;
}

/* The pin of a counter is asserted. Without a host that has pins nothing is. */
static inline void sim_pin(struct sim *s, unsigned pin, bool overflow)
{
    if (!s->host.pin) return;
    s->pulses[pin][overflow]++;
    s->host.pin(s->host.ctx, pin, overflow);
}

static inline bool sim_event_modelled(const struct sim *s, const struct sim_event *e)
{
    return e->terms[0] != 0 && (!(e->models & SIM_SEVERAL) || s->bus);
}

/* One processor of a family: a row of sim/models.def. */
struct sim_model {
    const char *name; /* "p5" */
    const struct sim_family *family;
    uint32_t signature; /* CPUID.1:EAX */
    const void *traits; /* the family's own struct FAMILY_traits: geometry, event availability */
};

/* The family's tallies of modelled cycles; 0: it does not count these. */
struct sim_clocks {
    uint8_t running, halted, all;
    uint8_t wakes;            /* how often cycles outside HLT came after HLT */
    const uint8_t *durations; /* further tallies that are in cycles, ended by 0; NULL: none */
};

/* Requests of another processor: its line becomes shared; or is the other's alone; or leaves every cache,
 * without going to another one. */
enum sim_snoop { SNOOP_READ, SNOOP_OWN, SNOOP_FLUSH };

struct sim_family {
    const char *name;
    const char *const *errata; /* NULL-terminated, at most 32 */
    const struct sim_event *events;
    unsigned n_events;
    struct sim_clocks clocks;
    unsigned tallies;            /* kinds of happenings, and 0 */
    size_t state_size;           /* of sim.state */
    bool (*pair)(struct sim *s); /* make s, which has the other thread's state, its second one; NULL, false:
                                    there are no threads */
    bool (*init)(struct sim *s); /* with a state of zeros */
    void (*fini)(
        struct sim *s); /* frees what init allocated, perhaps only in part; the core owns the state itself */
    void (*reset)(struct sim *s);
    /* Turn facts into sim_add(&s->tally, ...). Parts of an instruction before it retires (further accesses,
     * ticks) stay there until it does; s->cpl is the fact's privilege level. */
    void (*instruction)(struct sim *s, const struct sim_insn *i);
    void (*accesses)(struct sim *s, const struct sim_access *a, unsigned n); /* further and stray ones */
    /* The tally of a batch, by sim/batch.h; NULL: instructions come one by one. */
    void (*batch)(struct sim *s, const struct sim_batch *b);
    /* Within this number of happenings of each kind, may an effect occur that must be seen at its
     * instruction: an interrupt, a pin, a breakpoint? */
    bool (*exact)(const struct sim *s, uint64_t happenings);
    bool (*wants_assists)(const struct sim *s); /* OP_ASSIST is looked at; NULL: never */
    /* NULL: it counts nothing. */
    void (*exception)(struct sim *s);
    void (*interrupt)(struct sim *s);       /* INTR and NMI alike */
    void (*debug_exception)(struct sim *s); /* #DB is delivered; NULL: it changes nothing */
    void (*tlb_flush)(struct sim *s);
    void (*tlb_invalidate)(struct sim *s, uint64_t lin);
    void (*cache_flush)(struct sim *s, bool write_back); /* may add to the tally */
    /* Another processor asks for this line. Changes it in all caches, may add to the tally; returns the state
     * that it had, of all levels the highest. */
    enum sim_line_state (*snoop)(struct sim *s, uint64_t phys, enum sim_snoop how);
    void (*debug_registers)(struct sim *s, const uint64_t dr[4],
                            uint32_t dr7); /* NULL: no event looks at them */
    /* Members of the current instruction's entry in an oracle's trace, each ,"KEY":VALUE (sim/text.h): what
     * the facts and the caches say of it, never a register of the PMU. Called before the tally is cleared;
     * NULL: none. */
    void (*trace)(const struct sim *s, struct sim_text *entry);
    /* Apply s->tally at privilege level s->cpl to the counters as they are programmed; overflow has its
     * consequences. It neither clears the tally nor is called with an empty one. */
    void (*count)(struct sim *s);
    int (*rdmsr)(struct sim *s, uint32_t msr, uint64_t *value);
    int (*wrmsr)(struct sim *s, uint32_t msr, uint64_t value);
    enum sim_rdpmc (*rdpmc)(struct sim *s, uint32_t ecx, uint64_t *value); /* where RDPMC is allowed */
    void (*cpuid)(const struct sim *s, uint32_t leaf, uint32_t subleaf, uint32_t regs[4]);
    /* Names of the events that counter n is programmed to count now and that the model lacks; returns their
     * number, at most max. None for a counter that is off. The names must outlive the oracle. */
    unsigned (*unmodelled)(const struct sim *s, unsigned n, const char **names, unsigned max);
    /* Does counter n count modelled cycles now, of any clock? None does that is off. */
    bool (*counts_clocks)(const struct sim *s, unsigned n);
    unsigned general, fixed; /* the largest number of counters; fixed ones follow the others */
    bool predicts;           /* it has a branch predictor */
    bool translates;         /* it has TLBs, for data at least */
};

/* Is one of n tallies in cycles? (sim/cpuid.c) */
bool sim_has_clocks(const struct sim *s, const uint8_t *terms, unsigned n);

/* ---- core (sim/core.c) ---- */
void sim_settle_tally(struct sim *s);
/* Pass the tally collected so far to counters and oracle. */
static inline void sim_settle(struct sim *s)
{
    if (s->tally.n_touched) sim_settle_tally(s);
}

/* ---- other processors (sim/bus.c, sim/topology.c) ---- */
/* What CPUID says of who shares what, in place of what it says of one alone. s has a sibling or a bus. */
void sim_topology_cpuid(const struct sim *s, uint32_t leaf, uint32_t subleaf, uint32_t regs[4]);
/* Facts are wanted from now on, of s and of those that share its bus. */
void sim_activate(struct sim *s);
/* s's caches lack this line, and it is to be read or to be written; or they have it, and lack the right to
 * write it. The others are asked. Returns the highest state that one of them had; LINE_I: none had it, or s
 * is alone. */
enum sim_ask { ASK_READ, ASK_OWN, ASK_UPGRADE };
enum sim_line_state sim_bus_ask(struct sim *s, uint64_t phys, enum sim_ask what);
/* The line leaves the others' caches: CLFLUSH, or a write past the caches. */
void sim_bus_flush(struct sim *s, uint64_t phys);
/* fn for each of the others; what it adds to their tallies is settled after. */
void sim_bus_tell(struct sim *s, void (*fn)(struct sim *other, const void *arg), const void *arg);

/* ---- interrupts, and what is random (sim/skid.c) ---- */
/* A generator of which every seed is good: the state that it starts from, and its next number. */
uint64_t sim_random_seed(uint64_t seed);
uint64_t sim_random(uint64_t *state);
/* A counter requests its interrupt: delivered now, or after the drawn skid. One that is pending includes
 * further ones. */
void sim_pmi(struct sim *s);
/* The line of a level-triggered interrupt. Raised: sim_pmi(), and offered to the host again at each
 * instruction until it is dropped; one that is dropped before delivery is not delivered. */
void sim_pmi_line(struct sim *s, bool asserted);
/* Instruction-based sampling requests its interrupt, by this entry of the extended local vector table. */
void sim_ibs(struct sim *s, unsigned entry);
/* Interrupts that are on their way. */
enum sim_busy { SIM_BUSY_PMI = 1, SIM_BUSY_IBS = 2 };
static inline unsigned sim_pmi_busy(const struct sim *s)
{
    const struct sim_interrupt *r = &s->interrupt;
    return (r->pending || r->line ? SIM_BUSY_PMI : 0) | (r->ibs.pending ? SIM_BUSY_IBS : 0);
}
/* An instruction has retired after these interrupts were asked for; or, halted, no instruction will. */
void sim_pmi_step(struct sim *s, unsigned busy, bool halted);
void sim_pmi_reset(struct sim *s);

/* ---- oracle, called by core (sim/oracle.c) ---- */
void sim_oracle_add(struct sim *s); /* s->tally, at s->cpl and s->ip */
void sim_oracle_programmed(struct sim *s);
/* A transfer of control was made. kind: of an interrupt or exception; NULL: the instruction's. */
void sim_oracle_transfer(struct sim *s, const struct sim_branch *b, const char *kind);
void sim_oracle_free(struct sim *s);
bool sim_oracle_wants_addresses(const struct sim *s); /* keeps a histogram or a trace */

/* The families, and their processors' traits. */
#define MODEL(cpu, family, ...)                           \
    extern const struct sim_family sim_##family##_family; \
    extern const struct family##_traits sim_traits_##cpu;
#include "sim/models.def"
#undef MODEL
