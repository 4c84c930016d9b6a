/* Instruction-based sampling of the AMD model (docs/pmu-model.md, "Instruction-based sampling"):
 * sim/amd_ibs.c has the registers and the two interval counters, sim/amd_ibs_sample.c what a sample says.
 *
 * Sources: "APM" is the AMD64 manual, vol. 2, 13.3; "AMD's header" the register file of AMD's own tools for
 * IBS (the AMD Research IBS Toolkit), made from the BKDGs and PPRs, which says which family has which bit;
 * "Linux" arch/x86/events/amd/ibs.c and asm/amd-ibs.h, for what they say of hardware.
 */
#pragma once
#include "sim/core.h"

#define MSR_IBS 0xc0011030u
enum ibs_register { /* from C0011030h on */
                    IBS_FETCH_CTL,
                    IBS_FETCH_LIN,
                    IBS_FETCH_PHYS,
                    IBS_OP_CTL,
                    IBS_OP_RIP,
                    IBS_DATA1,
                    IBS_DATA2,
                    IBS_DATA3,
                    IBS_DC_LIN,
                    IBS_DC_PHYS,
                    IBS_CTL,
                    IBS_BR_TARGET,
                    IBS_FETCH_EXT,
                    IBS_REGISTERS
};

/* CPUID 8000001Bh EAX: what the model looks at. */
#define IBS_CAP_RDWROPCNT (1u << 3) /* IbsOpCurCnt can be read and written */
#define IBS_CAP_BRNTRGT   (1u << 5)
#define IBS_CAP_OPCNTEXT  (1u << 6) /* 27 bits of count instead of 20 */
#define IBS_CAP_FETCHEXT  (1u << 9)
#define IBS_CAP_ZEN4      (1u << 11) /* filters for L3 misses, finer data sources */

#define FETCH_MAX          UINT64_C(0xffff) /* bits 19:4 of the count */
#define FETCH_CNT          (UINT64_C(0xffff) << 16)
#define FETCH_LATENCY      (UINT64_C(0xffff) << 32)
#define FETCH_EN           (UINT64_C(1) << 48)
#define FETCH_VAL          (UINT64_C(1) << 49)
#define FETCH_COMPLETE     (UINT64_C(1) << 50)
#define FETCH_IC_MISS      (UINT64_C(1) << 51)
#define FETCH_PHYS_VALID   (UINT64_C(1) << 52)
#define FETCH_TLB          (UINT64_C(0xf) << 53)
#define FETCH_RAND         (UINT64_C(1) << 57)
#define FETCH_L2_MISS      (UINT64_C(1) << 58)
#define FETCH_L3_MISS_ONLY (UINT64_C(1) << 59)
#define FETCH_OC_MISS      (UINT64_C(1) << 60)
#define FETCH_L3_MISS      (UINT64_C(1) << 61)

#define OP_MAX          UINT64_C(0xffff) /* bits 19:4 of the count */
#define OP_L3_MISS_ONLY (UINT64_C(1) << 16)
#define OP_EN           (UINT64_C(1) << 17)
#define OP_VAL          (UINT64_C(1) << 18)
#define OP_CNT_CTL      (UINT64_C(1) << 19) /* ops are counted; else cycles */
#define OP_MAX_EXT      (UINT64_C(0x7f) << 20)
#define OP_CUR          (UINT64_C(0x7ffffff) << 32)

#define DATA1_RETURN      (UINT64_C(1) << 34)
#define DATA1_TAKEN       (UINT64_C(1) << 35)
#define DATA1_BRANCH      (UINT64_C(1) << 37)
#define DATA1_OLD         (UINT64_C(3) << 32) /* mispredicted return, resync: up to Bulldozer */
#define DATA2_SOURCE      UINT64_C(7)
#define DATA2_SOURCE_HIGH (UINT64_C(3) << 6) /* from Zen 4 on */
#define DATA2_REMOTE      (UINT64_C(1) << 4)
#define DATA2_HIT_O       (UINT64_C(1) << 5) /* the other cache had it as O; 0: as M */
#define DATA3_LOAD        (UINT64_C(1) << 0)
#define DATA3_STORE       (UINT64_C(1) << 1)
#define DATA3_DC_MISS     (UINT64_C(1) << 7)
#define DATA3_MISALIGNED  (UINT64_C(1) << 8)
#define DATA3_BANKS       (UINT64_C(0xf) << 9) /* bank conflicts, forwarding: family 10h only */
#define DATA3_UNCACHED    (UINT64_C(1) << 14)
#define DATA3_LOCKED      (UINT64_C(1) << 15)
#define DATA3_LIN_VALID   (UINT64_C(1) << 17)
#define DATA3_PHYS_VALID  (UINT64_C(1) << 18)
#define DATA3_L2_MISS     (UINT64_C(1) << 20)
#define DATA3_PREFETCH    (UINT64_C(1) << 21)
#define DATA3_WIDTH(code) ((uint64_t)(code) << 22)
#define DATA3_LATENCY(n)  ((uint64_t)(n) << 32)
#define IBS_PHYSICAL      ((UINT64_C(1) << 52) - 1)
#define IBS_CTL_VALID     (UINT64_C(1) << 8) /* bits 3:0: the entry of the extended vector table */

/* Where a line was found. */
enum amd_found { FOUND_L1, FOUND_L2, FOUND_L3, FOUND_OTHER, FOUND_MEMORY, FOUND_UNCACHED, AMD_FOUND };

struct amd_ibs_traits {
    uint32_t caps;   /* CPUID 8000001Bh EAX; where there is no such leaf, what Linux presumes */
    uint8_t entry;   /* of the extended vector table, as the BIOS has left it */
    uint8_t block;   /* bytes of a fetch block */
    uint8_t aligned; /* misaligned: an access to more pieces of so many bytes than it has to touch */
    bool toggles;    /* IbsFetchCnt is taken over only where IbsFetchEn goes from 0 to 1 */
    uint64_t fetch_ctl, op_ctl, data1, data2, data3; /* bits that there are */
    uint8_t from_l3, from_other; /* data sources: of the L3, of another processor's cache */
    uint16_t latency[AMD_FOUND]; /* the model's own: cycles from the L1's miss to the line */
};

/* An interval counter: its bits from 4 on are compared with a maximum. */
struct ibs_interval {
    uint32_t count, mask, max; /* max: bits 3:0 are 0 */
    bool running;              /* enabled, and no sample waits for software */
    bool tagging;              /* it has reached the maximum: the next one is tagged */
};

struct amd_ibs {
    const struct amd_ibs_traits *traits; /* NULL: there is no IBS */
    uint64_t reg[IBS_REGISTERS];         /* without the counts */
    struct ibs_interval op, fetch;
    uint64_t block;  /* linear address / block of the last fetch; UINT64_MAX: the next one is anew */
    uint64_t random; /* the generator's state */
};

/* The data access of the instruction that retires now, for a sample or the oracle's trace. */
struct amd_seen {
    const struct sim_access *access; /* the first load, else the first store, else the line of a prefetch */
    struct sim_access line;
    uint8_t kinds; /* enum sim_access_kind of all of them */
    bool prefetch;
    uint8_t found;        /* enum amd_found: of its first line, before it was brought */
    uint64_t from_others; /* sim_lines.in before */
};

/* ---- sim/amd_ibs.c ---- */
void amd_ibs_reset(struct sim *s);
/* As sim_family's; -1: no register of this processor's IBS. */
int amd_ibs_rdmsr(const struct sim *s, uint32_t msr, uint64_t *value);
int amd_ibs_wrmsr(struct sim *s, uint32_t msr, uint64_t value);
/* The tally is settled: ops, or cycles, have been. */
void amd_ibs_count(struct sim *s);
/* May the next happenings tag an op, or does each fetch matter? */
bool amd_ibs_exact(const struct amd_ibs *b, uint64_t happenings);
/* An exception or interrupt: fetches begin anew. aborted: the op that has a tag does not retire. */
void amd_ibs_redirect(struct sim *s, bool aborted);
/* n more have been counted. */
void ibs_advance(struct ibs_interval *v, uint64_t n);
/* The sample of a tagged op or fetch did not pass the filter: another one. */
void ibs_restart_op(struct amd_ibs *b);
void ibs_restart_fetch(struct amd_ibs *b);

/* ---- sim/amd_ibs_sample.c ---- */
struct sim_text;
/* Before and after the caches see the instruction. */
void amd_look(struct sim *s, const struct sim_insn *i);
void amd_ibs_fetches(struct sim *s, const struct sim_insn *i);
void amd_ibs_sample(struct sim *s, const struct sim_insn *i);
/* sim_family.trace */
void amd_trace(const struct sim *s, struct sim_text *entry);
