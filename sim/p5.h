/* Private to the P5 family (Pentium, Pentium with MMX): shared by its files. */
#pragma once
#include "sim/core.h"

/* Elementary happenings. RUN and HALT are modelled cycles; everything else is counted once per happening. */
enum p5_tally {
    T_END,
    T_INSN,
    T_RUN,
    T_HALT,
    T_READ, /* parts of split accesses count each */
    T_WRITE,
    T_READ_MISS,
    T_WRITE_MISS,
    T_WRITE_HIT_ME,
    T_WRITE_BACK,
    T_SNOOP,
    T_SNOOP_HIT,
    T_DTLB_MISS,
    T_MISALIGNED,
    T_READ_UC,
    T_WRITE_UC,
    T_CODE_READ,
    T_ITLB_MISS,
    T_CODE_MISS,
    T_SEGMENT,
    T_BRANCH,  /* as event 12h has it */
    T_TAKEN,   /* control transfers that were taken, interrupts and serialising instructions not among them */
    T_BTB_HIT, /* the entry existed and the branch was taken */
    T_TAKEN_OR_HIT,
    T_FLUSH,
    T_MISPREDICT,    /* flushes due to branches */
    T_MISPREDICT_NT, /* ... predicted taken, not taken */
    T_LOCKED,
    T_IO,
    T_FLOP,
    T_DR0,
    T_DR1,
    T_DR2,
    T_DR3,
    T_INTERRUPT,
    T_EMMS,
    T_MMX_SWITCH,
    T_MMX_SATURATES,
    T_MMX_READ,
    T_MMX_READ_MISS,
    T_MMX_WRITE,
    T_MMX_WRITE_MISS,
    T_MMX_MISALIGNED,
    T_RETURN,
    T_RETURN_RIGHT,
    T_RETURN_WRONG,
    P5_TALLIES
};

/* Errata switches, by bit of sim.errata. */
enum p5_errata { E_MISALIGNED_MISSES = 1 << 0, E_MISALIGNED_FST = 1 << 1, E_IO_READS = 1 << 2 };

/* Properties of one model of the family. */
struct p5_traits {
    struct sim_cache_geometry icache, dcache;
    unsigned itlb_ways, dtlb_ways;
    bool mmx;          /* and so: RDPMC, events 2Ah-3Ah, the later branch predictor */
    uint32_t features; /* CPUID.1:EDX */
};

/* ---- branch prediction (sim/p5_btb.c) ---- */

#define P5_BTB_SETS 64
#define P5_BTB_WAYS 4
#define P5_RSB      4

struct p5_btb_entry {
    uint64_t lin, target;
    bool valid;
    uint8_t state;     /* P5: 0-3, predicted taken from 2 on */
    uint8_t history;   /* P55C: the last four outcomes, 1 = taken */
    uint32_t patterns; /* P55C: a 2-bit state for each history */
};

struct p5_btb {
    bool local_history; /* P55C */
    struct p5_btb_entry entry[P5_BTB_SETS][P5_BTB_WAYS];
    uint8_t next[P5_BTB_SETS]; /* way to replace */
    uint64_t rsb[P5_RSB];      /* P55C: return addresses, a ring */
    unsigned rsb_top, rsb_depth;
};

struct p5_prediction {
    bool hit;     /* the branch has an entry */
    bool flush;   /* direction or target was wrong, or a taken branch had no entry */
    bool returns; /* came from the return stack: right or wrong by flush */
};

void p5_btb_reset(struct p5_btb *b, bool local_history);
/* Look the near branch from lin to end up and learn from it; op: enum sim_op. */
struct p5_prediction p5_btb_branch(struct p5_btb *b, uint64_t lin, uint64_t end, uint32_t op, uint64_t to);

/* A near branch that is always taken to the same target: its entry does not change. */
static inline bool p5_btb_as_ever(const struct p5_btb *b, uint64_t lin, uint32_t op, uint64_t to)
{
    if (!(op & OP_TAKEN) || (b->local_history && op & (OP_CALL | OP_RET))) return false;
    const struct p5_btb_entry *e = b->entry[lin >> 2 & (P5_BTB_SETS - 1)];
    for (unsigned way = 0; way < P5_BTB_WAYS; way++, e++) {
        if (e->lin != lin || !e->valid) continue;
        return e->target == to &&
               (b->local_history ? e->history == 15 && e->patterns >> 30 == 3 : e->state == 3);
    }
    return false;
}

/* ---- state ---- */

struct p5_counter {
    uint64_t value;    /* 40 bits */
    uint8_t term[2];   /* tallies whose sum it counts; T_END: none, always 0 */
    uint8_t levels;    /* bit 0: CPL 0-2, bit 1: CPL 3; 0: disabled */
    bool modelled;     /* what is programmed */
    bool pin_overflow; /* PC: the pin signals overflow, not increments */
};

struct p5 {
    const struct p5_traits *traits;
    uint32_t cesr;
    struct p5_counter counter[2];

    struct sim_cache *icache, *dcache;
    struct sim_tlb *itlb, *dtlb;
    struct p5_btb btb;

    uint64_t code_block; /* physical address / 16 of the code read last; NONE after a taken branch */

    bool breakpoints; /* a debug register holds another address than 0 */
    uint64_t dr[4];
    uint32_t dr7;
    uint8_t unsure; /* bit k: DRk matched code that may have been in the V pipe, since CESR was written */
    enum { MMX_NEITHER, MMX_FP, MMX_MMX } mmx_state;
};

#define P5_NONE UINT64_MAX

/* ---- facts (sim/p5_facts.c, sim/p5_memory.c) ---- */
void p5_instruction(struct sim *s, const struct sim_insn *i);
void p5_batch(struct sim *s, const struct sim_batch *b);
void p5_exception(struct sim *s);
void p5_interrupt(struct sim *s);

/* Accesses of an instruction with these properties (enum sim_op); 0 where it is not known. */
void p5_data(struct sim *s, const struct sim_access *a, unsigned n, uint32_t op);
void p5_accesses(struct sim *s, const struct sim_access *a, unsigned n);
/* len bytes of code; phys_high as in struct sim_insn. */
void p5_code(struct sim *s, uint64_t lin, uint64_t phys, uint64_t phys_high, unsigned len);
void p5_tlb_flush(struct sim *s);
void p5_tlb_invalidate(struct sim *s, uint64_t lin);
void p5_cache_flush(struct sim *s, bool write_back);
enum sim_line_state p5_snoop(struct sim *s, uint64_t phys, enum sim_snoop how);
/* 2- and 4-byte accesses must not cross a 4-byte boundary, 8-byte ones an 8-byte boundary (facts 1.3, 0Bh).
 */
static inline bool p5_misaligned(uint64_t address, unsigned bytes)
{
    unsigned unit = bytes == 8 ? 8 : 4;
    return (address & (unit - 1)) + bytes > unit;
}

/* ---- events (sim/p5_events.c) ---- */
#define P5_N_EVENTS 74
extern const struct sim_event p5_events[P5_N_EVENTS];
/* The event of this counter with that event select; NULL: this model has no such event. clocks: ES is
 * ignored. */
const struct sim_event *p5_find_event(const struct sim *s, unsigned counter, unsigned es, bool clocks);
