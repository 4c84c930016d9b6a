/* Known defects of libpfm4's tables, each with its reason. mkevents applies them after it has shown that the
 * database says what the library says; the tests know them from a list of their own.
 *
 * What needs no row: netburst's instr_completed may only use CRU_ESCR0 and 1, not the library's CRU_ESCR1 and
 * 2, but the database holds no ESCR addresses (pmu/netburst.c has them from the manual). The replay metrics
 * (replay_event:L1_LD_MISS and so on) are no bits of the ESCR; the registers that they stand for, 3F1h and
 * 3F2h, are missing from the library's encodings and known to pmu/netburst.c.
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

/* Unit masks that are defined with INV and without CMASK (uops_executed:core_cycles_none): the CPU ignores
 * INV while CMASK is 0 (SDM vol. 3B 18.2.1.1), and they would count what their names deny. They get CMASK 1.
 */
#define SELECT_INV     (1u << 23)
#define SELECT_CMASK   (0xffu << 24)
#define SELECT_CMASK_1 (1u << 24)

struct fix {
    const char *pmu;   /* what its name begins with; "": any */
    const char *event; /* NULL: the whole PMU */
    const char *umask; /* NULL: the event itself */
    const char *name;  /* what it is called; NULL: stays (of a whole PMU: the PMU is left out) */
    uint32_t set;      /* the unit mask's bits of NetBurst's select; 0: stay */
    uint32_t select;   /* with this unit mask, where the library has the event below; 0: stays */
    uint8_t event_was; /* Intel's event 0, or one that is wrong */
    const char *because;
};

static const struct fix fixes[] = {
    {"netburst", "b2b_cycles", "bit5", NULL, 1u << (9 + 5), 0, 0,
     "the library gives bits 5 and 6 the place of bit 4"},
    {"netburst", "b2b_cycles", "bit6", NULL, 1u << (9 + 6), 0, 0,
     "the library gives bits 5 and 6 the place of bit 4"},
    {"netburst", "mispred_branch_retired", "bogus", "nbogus", 0, 0, 0, "bit 0 is NBOGUS (SDM table 19-29)"},
    {"netburst", "uops_type", NULL, "uop_type", 0, 0, 0, "the SDM's name (table 19-29)"},
    {"amd64_fam17h", NULL, NULL, NULL, 0, 0, 0,
     "deprecated by the library in favour of amd64_fam17h_zen1, its equal"},
    /* Event 0 is none: Linux has it for what only a fixed counter counts (events_rules.h), and on any other
     * counter it counts nothing. */
    {"", "topdown", "backend_bound_slots", NULL, 0, 0x02a4, 0,
     "the library gives it no event (facts 4.2, bit 8)"},
    {"", "topdown", "bad_spec_slots", NULL, 0, 0x04a4, 0,
     "the library gives it the fixed counter's code, all slots; later ones 04A4h, as Linux' constraint"},
    {"", "topdown", "br_mispredict_slots", NULL, 0, 0x08a4, 0, "no event; Linux' constraint 08A4h"},
    {"", "topdown", "memory_bound_slots", NULL, 0, 0x10a4, 0,
     "no event; Intel's list of events (perfmon, SPR)"},
    {"", "cpu_clk_unhalted", "thread", NULL, 0, 0x003c, 0,
     "no event; unhalted core cycles (facts 4.2, bit 0)"},
    {"", "cpu_clk_unhalted", "core", NULL, 0, 0x003c, 0, "likewise"},
    {"", "cpu_clk_unhalted", "core_p", NULL, 0, 0x003c, 0, "likewise"},
    {"", "cpu_clk_unhalted", NULL, NULL, 0, 0x003c, 0, "likewise: Goldmont's default is core_p"},
    {"", "cpu_clk_unhalted", "ref", NULL, 0, 0x013c, 0,
     "no event; unhalted reference cycles (facts 4.2, bit 2)"},
    {"adl_grt", "inst_retired", "any", NULL, 0, 0x00c0, 0,
     "no event; instructions retired (facts 4.2, bit 1)"},
    {"ic", "mem_load_misc_retired", "uc", NULL, 0, 0x04d4, 0xc4,
     "C4h counts branches; Intel's list of events has D4h (perfmon, ICL and ICX)"},
    {"ic", "mem_load_misc_retired", NULL, NULL, 0, 0x04d4, 0xc4, "likewise"},
    {"", "mem_trans_retired", "store_sample", NULL, 0, 0x02cd, 0xcd,
     "03CDh is no event; Linux' constraint and Intel's list of events have 02CDh (perfmon, SPR)"},
};

/* Events that have no second word, whatever the library says. */
static const struct {
    const char *event;
    const char *because;
} plain[] = {
    {"exe", "exe:amx_busy is B7h, which is no off-core response from Sapphire Rapids on (Linux, "
            "intel_spr_extra_regs)"},
};

/* Unit masks whose second word the library forgets. */
static const struct {
    const char *pmu, *event, *umask;
    uint32_t second;
    const char *because;
} seconds[] = {
    {"adl_glc", "mem_trans_retired", "load_latency_gt_512", 0x200,
     "later than 4.13 the library has thresholds for all of them but this one"},
};
