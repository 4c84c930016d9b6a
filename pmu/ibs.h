/* AMD's Instruction-Based Sampling, family 10h to Zen 6: every so many ops (or fetches) the processor tags
 * one, follows it until it retires, and interrupts with what became of it in registers.
 *
 * Registers and bits: Linux' amd-ibs.h, perf_event.h and events/amd/ibs.c, of which the comments below name
 * functions; for families 10h to 16h the headers of AMD's Research IBS toolkit. (AMD's own manuals were not
 * at hand.) What one CPU does otherwise is a row in pmu/ibs.c.
 *
 * The interrupt comes through an entry of the local APIC's extended table (kernel/ibs_entry.h). */
#pragma once
#include "kernel/cpuid.h"
#include "kernel/hw.h"
#include "pmu/sample.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MSR_IBS_FETCH_CTL    0xc0011030u
#define MSR_IBS_FETCH_LINEAR 0xc0011031u
#define MSR_IBS_FETCH_PHYS   0xc0011032u
#define MSR_IBS_OP_CTL       0xc0011033u
#define MSR_IBS_OP_RIP       0xc0011034u
#define MSR_IBS_OP_DATA1     0xc0011035u
#define MSR_IBS_OP_DATA2     0xc0011036u
#define MSR_IBS_OP_DATA3     0xc0011037u
#define MSR_IBS_DC_LINEAR    0xc0011038u
#define MSR_IBS_DC_PHYS      0xc0011039u
#define MSR_IBS_TARGET       0xc001103bu
#define MSR_IBS_OP_CTL2      0xc001103eu
#define MSR_IBS_FETCH_CTL2   0xc001103fu

/* CPUID 8000001Bh EAX */
#define IBS_CAPS_VALID       (1u << 0)
#define IBS_CAPS_FETCH       (1u << 1)
#define IBS_CAPS_OP          (1u << 2)
#define IBS_CAPS_READ_COUNT  (1u << 3)  /* RdWrOpCnt: CurCnt can be read and written */
#define IBS_CAPS_OP_COUNT    (1u << 4)  /* OpCnt: it can count ops, not only cycles */
#define IBS_CAPS_TARGET      (1u << 5)  /* BrnTrgt */
#define IBS_CAPS_LONG_COUNT  (1u << 6)  /* OpCntExt: seven more bits */
#define IBS_CAPS_RIP_INVALID (1u << 7)  /* DATA1 says whether the RIP is valid */
#define IBS_CAPS_ZEN4        (1u << 11) /* L3 miss filter, finer data sources */
#define IBS_CAPS_LATENCY     (1u << 12) /* OpLdLat */
#define IBS_CAPS_DISABLE     (1u << 13) /* a second control register, whose bit 0 disables */
#define IBS_CAPS_FETCH_LAT   (1u << 14) /* the latency filter of fetches */

#define IBS_MAX 0xffffull /* in both controls: bits 19:4 of the period */

/* Control of fetches */
#define IBS_FETCH_EN      (1ull << 48)
#define IBS_FETCH_VAL     (1ull << 49)
#define IBS_FETCH_DONE    (1ull << 50) /* it delivered its bytes; else it was abandoned */
#define IBS_FETCH_IC_MISS (1ull << 51)
#define IBS_FETCH_PHYS    (1ull << 52) /* the physical address is valid */
#define IBS_FETCH_TLB1    (1ull << 55) /* missed the L1 ITLB */
#define IBS_FETCH_TLB2    (1ull << 56) /* ... and the L2's */
#define IBS_FETCH_RAND    (1ull << 57) /* the low four bits of the count begin at random */
#define IBS_FETCH_L2_MISS (1ull << 58)
#define IBS_FETCH_L3_ONLY (1ull << 59)
#define IBS_FETCH_L3_MISS (1ull << 61)

/* Control of ops */
#define IBS_OP_L3_ONLY  (1ull << 16)
#define IBS_OP_EN       (1ull << 17)
#define IBS_OP_VAL      (1ull << 18)
#define IBS_OP_OPS      (1ull << 19)    /* count dispatched ops; else clock cycles */
#define IBS_OP_MAX_LONG (0x7full << 20) /* bits 26:20 of the period, in their place */
#define IBS_OP_RANDOM   (0x7full << 32) /* of the count: the part that begins at random */
#define IBS_OP_LAT_STEP 128             /* cycles */
#define IBS_OP_LAT(n)   ((uint64_t)((n)-1) << 59)
#define IBS_OP_LAT_EN   (1ull << 63)

/* Second control */
#define IBS_DISABLE      1ull
#define IBS_FETCH_LAT(n) ((uint64_t)(n) << 1)

/* DATA1 */
#define IBS_TAKEN       (1ull << 35)
#define IBS_MISPREDICT  (1ull << 36)
#define IBS_BRANCH      (1ull << 37)
#define IBS_RIP_INVALID (1ull << 38)

/* DATA3 */
#define IBS_LOAD       (1u << 0)
#define IBS_STORE      (1u << 1)
#define IBS_TLB1_MISS  (1u << 2)
#define IBS_TLB2_MISS  (1u << 3)
#define IBS_DC_MISS    (1u << 7)
#define IBS_MISALIGNED (1u << 8)
#define IBS_WRITE_COMB (1u << 13)
#define IBS_UNCACHED   (1u << 14)
#define IBS_LOCKED     (1u << 15)
#define IBS_NO_MAB     (1u << 16) /* the line was on its way already */
#define IBS_LINEAR     (1u << 17)
#define IBS_PHYSICAL   (1u << 18)
#define IBS_L2_MISS    (1u << 20)
#define IBS_PREFETCH   (1u << 21) /* by software */

/* What a CPU does otherwise: rows of pmu/ibs.c. */
enum ibs_quirk {
    IBS_CLEAR_COUNT_FIRST = 1 << 0, /* it is disabled in two steps */
    IBS_CLEAR_DATA3 = 1 << 1,       /* DATA3 keeps bits of the sample before */
    IBS_NEW_EDGE = 1 << 2,          /* fetches: the count begins anew with EN's 0-1 transition only */
    IBS_ZERO_RIP = 1 << 3,          /* fetches: an address of 0 is none */
    IBS_NO_IC_MISS = 1 << 4,        /* fetches: that bit is wrong */
    IBS_PREFETCH_BAD = 1 << 5,      /* DATA2 and L2Miss are wrong for prefetches and without a MAB */
    IBS_NO_STATE = 1 << 6,          /* DATA2 does not say whether the line was modified */
    IBS_NO_NODE = 1 << 7,           /* ... nor of which node it was */
    IBS_NO_L2_MISS = 1 << 8,        /* DATA3 has no L2Miss */
    IBS_NO_FETCH_L2 = 1 << 9,       /* fetches: nor has the control */
    IBS_COMBINING_BAD = 1 << 10,    /* DATA2 is wrong for write-combining memory */
    IBS_LAT_NEEDS_L3 = 1 << 11,     /* the latency filter works with the L3 miss filter only */
    IBS_LOCAL_L3 = 1 << 12,         /* DATA2's source 2 is the L3 or what is behind it */
};

/* What is sampled. */
struct ibs_asked {
    bool fetch;  /* fetches; else ops */
    bool cycles; /* ops: the period is in cycles, */
    bool ops;    /* ... or in ops, and nothing else; with neither it is in ops where the CPU counts them */
    bool l3miss; /* only what missed the L3 */
    uint32_t latency; /* only loads (fetches) that took so many cycles; 0: all */
};

/* A processor's IBS, as it is to sample. */
struct ibs {
    struct ibs_asked asked;
    uint32_t caps, quirks;
    uint32_t least, most; /* periods; multiples of 16 */
    uint32_t control;     /* its MSR; 0: it was refused */
    uint32_t second;      /* the second one; 0: there is none */
    uint32_t
        before; /* the MSR that is written before each start, 0: none, with what goes into the control, */
    uint64_t before_mask; /* ... of which these bits, */
    uint64_t before_set;  /* ... and these */
    bool special;         /* one of the two is there */
    uint64_t max;         /* in control: where the period is, */
    uint64_t val;         /* ... that there is a sample, */
    uint64_t first;       /* ... what starts it (0: it is not armed), */
    uint64_t again;       /* ... and what goes on after a sample, */
    uint32_t keep;        /* ... with these bits of its upper half as they are found */
    uint32_t branch;      /* in the upper half of DATA1: there is a target to be read */
    uint64_t filter;      /* for the second */
    uint64_t found, second_found;
    uint32_t unknown; /* enum sample_valid: what ibs_decode() leaves out, since the model does not have it */
    uint16_t unknown_traits;
};

/* CPUID's capabilities; 0: there is no IBS. Without the leaf, or without its valid bit, both kinds of samples
 * are there and nothing else (Linux, __get_ibs_caps()). */
uint32_t ibs_caps(const struct cpu_id *id);

/* Can it sample what is asked for? Disables it. name: the CPU's, for why. False: *why says what it cannot do,
 * and what can be done instead. */
bool ibs_init(struct ibs *ibs, const struct cpu_id *id, const struct ibs_asked *asked, const char *name,
              char *why, size_t cap);

/* The nearest period from n on that it can have, and that does not keep in step with a loop: 16 times a
 * prime. */
uint32_t ibs_period_near(const struct ibs *ibs, uint32_t n);

/* Sample every `period`, from least to most, a multiple of 16. The first one comes after about `first`: it is
 * made a number that is possible, and, of ops where the count can be written, one as far from a multiple of
 * 16 as `first` is. Registers are not touched. */
void ibs_arm(struct ibs *ibs, uint32_t first, uint32_t period);
/* What is not armed does not start: it only takes as many instructions. */
void ibs_start(const struct ibs *ibs);
static inline void ibs_disarm(struct ibs *ibs) { ibs->first = 0; }
/* True: there was a sample that no interrupt has fetched. One may still come, for nothing. */
bool ibs_stop(const struct ibs *ibs);

/* Stop, and leave the registers as they were before ibs_init(). Also after a refusal. */
void ibs_release(const struct ibs *ibs);

/* After the handler (pmu/ibs_take.h): the raw values' meaning, whose valid bits are added. False: it is not a
 * sample, since its address is not valid, or since it is none of those that were asked for. */
bool ibs_decode(const struct ibs *ibs, struct sample *s);
