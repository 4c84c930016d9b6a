/* The ESCRs that a NetBurst counter can select, and the counters that it can start. */
#include "pmu/netburst.h"

#define NO 0xff

/* Table 18-63: the first ESCR of each pair as distance from 3A0h, by block and ESEL; the second is the next.
 */
static const uint8_t pairs[4][8] = {
    {0x12, 0x14, 0x0a, 0x16, 0x0c, 0x28, 0x02, 0x00}, /* BPU IS MOB ITLB PMH IX FSB BSU */
    {0x20, 0x24, 0x22, NO, NO, NO, NO, NO},           /* MS TC TBPU */
    {0x06, 0x04, 0x0e, 0x10, NO, 0x08, NO, NO},       /* FLAME FIRM SAAT U2L - DAC */
    {0x1a, 0x2a, 0x1c, 0x1e, 0x18, 0x2c, 0x40, NO},   /* IQ ALF RAT SSU CRU0/1 CRU2/3 CRU4/5 */
};
#define SSU_ESCR1 0x1f /* 3BFh: not in table 18-63 */

int pmu_netburst_escr(unsigned counter, unsigned esel)
{
    unsigned first = pairs[NB_BLOCK(counter)][esel], second = NB_COUNTER_ESCR1(counter);
    return first == NO || first + second == SSU_ESCR1 ? -1 : (int)(first + second);
}

/* 18.15.5.6 and table 18-65 */
uint32_t pmu_netburst_cascade(const struct pmu *pmu, unsigned from, unsigned to)
{
    static const uint8_t extended[][2] = {{16, 12}, {17, 15}, {17, 16}, {16, 17}};
    if ((from ^ to) == 2) return CCCR_CASCADE; /* 16 and 17 have no such partner */
    if ((from == 14 && to == 16) || (from == 15 && to == 17)) return CCCR_CASCADE;
    for (unsigned i = 0; i < 4 && (pmu->models & NB_EXTENDED); i++)
        if (extended[i][0] == from && extended[i][1] == to) return CCCR_EXTENDED;
    return 0;
}

int pmu_netburst_escr_at(const struct pmu *pmu, unsigned i)
{
    for (unsigned c = 0; c < 16; c += 2) /* counters with other ESCRs than those before */
        for (unsigned e = 0; e < 8; e++) {
            int escr = pmu_netburst_escr(c, e);
            if (escr < 0 || (e == 0 && c >= 12 && pmu->models & NB_NO_IQ_ESCR)) continue;
            if (i-- == 0) return escr;
        }
    return -1;
}
