/* One sample from any facility: an interrupt handler, PEBS of any layout, IBS. Consumers use the validity
 * bits and never a facility's raw record. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

enum sample_valid {
    SAMPLE_IP = 1 << 0,      /* address of an instruction */
    SAMPLE_PRECISE = 1 << 1, /* ... and this instruction caused the event; it is not a later one */
    SAMPLE_REGS = 1 << 2,
    SAMPLE_COUNTER = 1 << 3,
    SAMPLE_TSC = 1 << 4,
    SAMPLE_DATA = 1 << 5,           /* linear data address */
    SAMPLE_LATENCY = 1 << 6,        /* core cycles */
    SAMPLE_OUTSIDE = 1 << 7,        /* not of the payload: kept for users of raw samples, but in no profile */
    SAMPLE_NEXT = 1 << 8,           /* ip is the instruction that follows the one that caused the event */
    SAMPLE_PHYSICAL = 1 << 9,       /* physical data address; of a fetch (IBS), of the code */
    SAMPLE_LEVEL = 1 << 10,         /* where the data came from */
    SAMPLE_TLB = 1 << 11,           /* how its address was translated */
    SAMPLE_CACHE_LATENCY = 1 << 12, /* core cycles */
    SAMPLE_RETIRE = 1 << 13,        /* likewise */
    SAMPLE_BRANCHES = 1 << 14,      /* the last branches: samples.branch */
    SAMPLE_OUTCOME = 1 << 15,       /* it is a branch, and this is what it did (IBS) */
    SAMPLE_XMM = 1 << 16,           /* samples.xmm */
    SAMPLE_TARGET = 1 << 17,        /* where the branch went (IBS) */
    SAMPLE_INSTRUCTIONS = 1 << 18,  /* samples.counts[0] */
    SAMPLE_CYCLES = 1 << 19,        /* samples.counts[1] */
};

/* Where the data of an access was found. What a facility calls a cache of another processor with the line
 * modified is LEVEL_OTHER_CACHE and SAMPLE_WAS_MODIFIED. */
enum sample_level {
    LEVEL_UNKNOWN,
    LEVEL_L1,
    LEVEL_FILL_BUFFER, /* on its way to the L1 already */
    LEVEL_L2,
    LEVEL_L3,
    LEVEL_OTHER_CACHE, /* of another core of this socket */
    LEVEL_MEMORY,
    LEVEL_REMOTE_CACHE, /* of another socket */
    LEVEL_REMOTE_MEMORY,
    LEVEL_IO,
    LEVEL_UNCACHED,
    LEVELS
};

/* Translation by the data TLBs. TLB_HIT: one of them had it, and which is not known (Intel). */
enum sample_tlb { TLB_UNKNOWN, TLB_L1, TLB_L2, TLB_WALK, TLB_HIT, TLBS };

/* More about an access, or a branch (SAMPLE_OUTCOME); each is set only where the facility says so. */
enum sample_trait {
    SAMPLE_LOAD = 1 << 0,
    SAMPLE_STORE = 1 << 1,
    SAMPLE_LOCKED = 1 << 2,
    SAMPLE_WAS_MODIFIED = 1 << 3,
    SAMPLE_BLOCKED_DATA = 1 << 4, /* by an earlier store whose data was not there yet */
    SAMPLE_BLOCKED_ADDRESS = 1 << 5,
    SAMPLE_TAKEN = 1 << 6,
    SAMPLE_MISPREDICTED = 1 << 7,
    SAMPLE_MISALIGNED = 1 << 8,
    SAMPLE_PREFETCH = 1 << 9,   /* by an instruction for it */
    SAMPLE_ABANDONED = 1 << 10, /* a fetch that delivered nothing */
    SAMPLE_PREDICTED = 1 << 11, /* rightly; neither this nor SAMPLE_MISPREDICTED: it is not known */
};

/* A branch that was taken, from the processor's record of them (pmu/lbr.h). Of 24 bytes in the 32-bit kernel,
 * too: the registers of its record are first read into it. */
struct branch {
    _Alignas(8) uint64_t from;
    uint64_t to;
    uint16_t cycles; /* since the branch before; with BRANCH_CYCLES */
    uint8_t known;   /* enum branch_known */
    bool mispredicted;
};
/* BRANCH_FROM_ and _TO_: it began or ended in the payload's code or in that of the bracket around it. */
enum branch_known {
    BRANCH_CYCLES = 1 << 0,
    BRANCH_PREDICTION = 1 << 1,
    BRANCH_FROM_PAYLOAD = 1 << 2,
    BRANCH_TO_PAYLOAD = 1 << 3,
    BRANCH_FROM_BRACKET = 1 << 4,
    BRANCH_TO_BRACKET = 1 << 5,
    BRANCH_ABORT = 1 << 6, /* no branch: a transaction (TSX) was aborted at from, and goes on at to */
    BRANCH_IN_TX = 1 << 7  /* in a transaction */
};
#define BRANCHES_MOST 32 /* entries of one sample */

struct sample {
    uint32_t valid; /* enum sample_valid */
    uint16_t cpu;
    uint16_t counter; /* which counter overflowed */
    uint64_t flags;   /* RFLAGS; with SAMPLE_REGS */
    uint64_t ip;      /* (flags, ip, registers: as in a record of PEBS, which is copied as it is) */
    uint64_t reg[16]; /* in encoding order: rax rcx rdx rbx rsp rbp rsi rdi r8-r15; the upper ones 0 in 32-bit
                         mode */
    uint64_t tsc;
    uint64_t data;
    uint64_t physical;
    uint64_t target;        /* of a branch */
    uint32_t latency;       /* of a load: from its dispatch to its data; of an op (IBS): L1 miss to data; of a
                               fetch: from its beginning to its end */
    uint32_t cache_latency; /* from the L1's miss to the data */
    uint32_t retire;        /* of PEBS: since the instruction before retired; of IBS: tag to retire */
    uint32_t completion;    /* of IBS, with SAMPLE_RETIRE: completion to retire */
    uint16_t traits;        /* enum sample_trait */
    uint8_t level;          /* enum sample_level */
    uint8_t tlb;            /* enum sample_tlb */
    uint8_t branches;       /* entries */
    uint8_t corrected;      /* enum sample_corrected: ip was SAMPLE_NEXT, and is the right one now */
    uint64_t recorded;      /* as ip; with corrected */
};

/* How the instruction was found whose successor a facility had recorded (measure/cause.h). */
enum sample_corrected {
    CORRECTED_NOT,
    CORRECTED_BY_CODE,     /* it comes before ip, and nothing jumps to ip */
    CORRECTED_BY_BRANCHES, /* from where the last branch had gone to, or it is this branch */
    CORRECTIONS
};

/* A buffer of them. */
struct samples {
    struct sample *at; /* in the order in which they came */
    unsigned n, cap;
    uint64_t lost;         /* came when it was full */
    bool more;             /* an unknown number was lost: a buffer of the hardware was full */
    struct branch *branch; /* of sample i: from i * BRANCHES_MOST on, the newest first; NULL: not asked for */
    uint64_t (*xmm)[16][2]; /* of sample i; likewise */
    uint64_t (*counts)[2];  /* likewise: instructions and core cycles so far, in the rings of the event */
};

/* The methods: sample= and timer=. TIMER_AUTO: Linux' timer in a Linux process, else the local APIC's, else
 * the 8254. */
enum sampling_by {
    SAMPLE_BY_NONE,
    SAMPLE_BY_PMI,
    SAMPLE_BY_PEBS,
    SAMPLE_BY_TIMER,
    SAMPLE_BY_NMI,
    SAMPLE_BY_IBS,
    SAMPLE_BY_IBS_FETCH,
};
enum sampling_timer { TIMER_AUTO, TIMER_APIC, TIMER_PIT, TIMER_RTC, TIMER_LINUX };
