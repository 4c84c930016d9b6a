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
    const char *pmu;   /* what its name begins with */
    const char *event; /* NULL: the whole PMU */
    const char *umask; /* NULL: the event itself */
    const char *name;  /* what it is called; NULL: stays (of a whole PMU: the PMU is left out) */
    uint32_t set;      /* the unit mask's bits of select; 0: stay */
    const char *because;
};

static const struct fix fixes[] = {
    {"netburst", "b2b_cycles", "bit5", NULL, 1u << (9 + 5),
     "the library gives bits 5 and 6 the place of bit 4"},
    {"netburst", "b2b_cycles", "bit6", NULL, 1u << (9 + 6),
     "the library gives bits 5 and 6 the place of bit 4"},
    {"netburst", "mispred_branch_retired", "bogus", "nbogus", 0, "bit 0 is NBOGUS (SDM table 19-29)"},
    {"netburst", "uops_type", NULL, "uop_type", 0, "the SDM's name (table 19-29)"},
    {"amd64_fam17h", NULL, NULL, NULL, 0,
     "deprecated by the library in favour of amd64_fam17h_zen1, its equal"},
};
