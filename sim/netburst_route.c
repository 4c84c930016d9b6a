/* The ESCR that a NetBurst counter selects (SDM table 18-63). */
#include "sim/netburst.h"

static const uint16_t escrs[NB_UNITS][2] = {
    [U_BPU] = {0x3b2, 0x3b3},  [U_IS] = {0x3b4, 0x3b5},   [U_MOB] = {0x3aa, 0x3ab},
    [U_ITLB] = {0x3b6, 0x3b7}, [U_PMH] = {0x3ac, 0x3ad},  [U_IX] = {0x3c8, 0x3c9},
    [U_FSB] = {0x3a2, 0x3a3},  [U_BSU] = {0x3a0, 0x3a1},  [U_MS] = {0x3c0, 0x3c1},
    [U_TC] = {0x3c4, 0x3c5},   [U_TBPU] = {0x3c2, 0x3c3}, [U_FLAME] = {0x3a6, 0x3a7},
    [U_FIRM] = {0x3a4, 0x3a5}, [U_SAAT] = {0x3ae, 0x3af}, [U_U2L] = {0x3b0, 0x3b1},
    [U_DAC] = {0x3a8, 0x3a9},  [U_IQ] = {0x3ba, 0x3bb},   [U_ALF] = {0x3ca, 0x3cb},
    [U_RAT] = {0x3bc, 0x3bd},  [U_SSU] = {0x3be, 0},      [U_CRU0] = {0x3b8, 0x3b9},
    [U_CRU2] = {0x3cc, 0x3cd}, [U_CRU4] = {0x3e0, 0x3e1},
};

/* By ESEL, for the counters of each block: 0-3 (BPU), 4-7 (MS), 8-11 (FLAME), 12-17 (IQ). */
static const uint8_t routes[4][8] = {
    {U_BPU, U_IS, U_MOB, U_ITLB, U_PMH, U_IX, U_FSB, U_BSU},
    {U_MS, U_TC, U_TBPU, U_NONE, U_NONE, U_NONE, U_NONE, U_NONE},
    {U_FLAME, U_FIRM, U_SAAT, U_U2L, U_NONE, U_DAC, U_NONE, U_NONE},
    {U_IQ, U_ALF, U_RAT, U_SSU, U_CRU0, U_CRU2, U_CRU4, U_NONE},
};

enum nb_unit nb_route(unsigned n, unsigned esel, unsigned *side)
{
    /* 16 goes with 12 and 13, 17 with 14 and 15. */
    *side = n < 16 ? n >> 1 & 1 : n & 1;
    return routes[n < 16 ? n >> 2 : 3][esel];
}

uint32_t nb_escr_msr(const struct sim *s, enum nb_unit unit, unsigned side)
{
    if (unit >= NB_UNITS || (unit == U_IQ && !nb_of(s)->traits->iq_escrs)) return 0;
    return escrs[unit][side];
}

uint32_t nb_escr(const struct sim *s, enum nb_unit unit, unsigned side)
{
    const uint32_t msr = nb_escr_msr(s, unit, side);
    return msr ? nb_of(s)->escr[msr - NB_ESCR_FIRST] : 0;
}
