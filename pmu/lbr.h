/* Last branch records: the processor's own list of the branches that it took last.
 *
 *   Intel, Core Duo to Ice Lake   a stack of MSRs with a pointer to the newest (TOS), by model: SDM vol. 3B
 *                                 (order 325384-059) 17.4 to 17.12; formats: 17.4.8.1
 *   Intel, Alder Lake and later   architectural: CPUID leaf 1CH; Linux' arch/x86/events/intel/lbr.c
 *   AMD, Zen 4 and later          LbrExtV2: CPUID leaf 80000022h; Linux' arch/x86/events/amd/lbr.c
 *
 * The records of P6, NetBurst, and AMD's before Zen 4 are not read. docs/branches.md says what comes of them.
 */
#pragma once
#include "kernel/cpuid.h"
#include "kernel/hw.h"
#include "kernel/lock.h"
#include "pmu/sample.h"

struct pmu;

/* Which branches are recorded: where they end, and of which kind. The bits are those of MSR_LBR_SELECT (SDM
 * table 17-12), which has 1 for what is left out. */
enum lbr_branch {
    LBR_RING0 = 1 << 0,
    LBR_RING3 = 1 << 1, /* and rings 1 and 2 */
    LBR_COND = 1 << 2,
    LBR_REL_CALL = 1 << 3,
    LBR_IND_CALL = 1 << 4,
    LBR_RET = 1 << 5,
    LBR_IND_JMP = 1 << 6,
    LBR_REL_JMP = 1 << 7,
    LBR_FAR = 1 << 8,        /* interrupts, system calls, far calls and returns */
    LBR_CALL_STACK = 1 << 9, /* a return takes its call away again */
    LBR_RINGS = LBR_RING0 | LBR_RING3,
    LBR_ANY = 0x1fc
};

/* Perf's names of them (perf record -j), and call_stack, which perf calls stack. A word comes after
 * those that include its kinds. */
struct lbr_word {
    const char *name;
    uint16_t branches; /* enum lbr_branch */
};
#define LBR_WORDS 11
extern const struct lbr_word lbr_words[LBR_WORDS];

enum lbr_kind {
    LBR_PACKED, /* Core Duo: both addresses in one MSR */
    LBR_STACK,  /* with a TOS */
    LBR_ARCH,   /* entry 0 is the newest */
    LBR_AMD     /* likewise; source and target take turns */
};

/* MSR_LBR_SELECT where the threads of a core share it, while several of them record at the same time. */
struct lbr_filter {
    struct lock lock;
    unsigned users;
    uint64_t found; /* before the first of them */
};

/* The records of one CPU. */
struct lbr {
    uint8_t kind;   /* enum lbr_kind */
    uint8_t depth;  /* entries that are read; 0: lbr_probe() has not found any */
    uint8_t format; /* of LBR_STACK: IA32_PERF_CAPABILITIES[5:0] */
    bool freezes;   /* recording stops when a counter interrupts */
    bool predicts;  /* an entry says whether it was mispredicted */
    bool cycles;    /* ... and how many core cycles have passed since the one before it */
    bool fused;     /* a source may be the instruction that was fused with its branch, and not the branch */
    bool transactions; /* an entry says whether it is of a transaction, and its abort */
    bool of_core;      /* MSR_LBR_SELECT is the core's: SDM vol. 4, table of Nehalem's MSRs */
    bool armed;
    uint16_t filters;    /* enum lbr_branch: what the hardware can tell apart */
    uint32_t from, to;   /* MSRs of entry 0; of LBR_AMD entry 1 is two further */
    uint32_t info;       /* likewise; 0: there is none */
    uint32_t select;     /* the filter; 0: there is none, or it is in the switch */
    uint32_t switch_msr; /* records while it holds on, */
    uint64_t on, off;    /* and does not while it holds off */
    struct lbr_filter
        *shared; /* with the threads of its core that record at the same time; NULL: with none */
    struct {
        uint64_t debugctl, select, switch_msr;
    } found;
};

/* Find out what this CPU has, by CPUID, its model, and trying. Does not record yet, and leaves the registers
 * as they were found, but for the architectural depth. False: why says what is missing, for a message about
 * branches=lbr; it names the hypervisor where one hides them. */
bool lbr_probe(const struct cpu_id *id, const struct pmu *pmu, struct lbr *lbr, char *why, size_t cap);

/* Complete what was asked for (enum lbr_branch). No kind: any. No ring: that of the payload, 0 or 3. False:
 * this CPU cannot, or the payload has none of these; why names what it can do. */
bool lbr_choose(const struct lbr *lbr, unsigned ring, unsigned *branches, char *why, size_t cap);

/* Empty the records and set the filter; recording begins with lbr_start(). After the counters' program().
 * False: a register faults; why names it. */
bool lbr_arm(struct lbr *lbr, unsigned branches, char *why, size_t cap);

/* In the interrupt handler, too: one WRMSR each. */
static inline void lbr_start(const struct lbr *lbr) { hw_wrmsr(lbr->switch_msr, lbr->on); }
static inline void lbr_stop(const struct lbr *lbr) { hw_wrmsr(lbr->switch_msr, lbr->off); }

/* Read all entries, as they are, to the place of one sample (BRANCHES_MOST of them), while recording is
 * stopped. In the interrupt handler: eight instructions an entry, with INFO twelve, and some twenty for all.
 * Returns what lbr_decode() needs to know; it has LBR_RAW. */
#define LBR_RAW 0x80
uint8_t lbr_read(const struct lbr *lbr, struct branch *to);

/* Turn what lbr_read() left there into branches, the newest first. Returns how many they are. */
unsigned lbr_decode(const struct lbr *lbr, struct branch *at, uint8_t raw);

/* Registers as they were found, but not recording, and the architectural depth as it was probed. Also valid
 * if it was never armed. */
void lbr_release(struct lbr *lbr);
