/* CPUID of an AMD processor. The emulator's models are dumps of the named processors (except zen4). Bits
 * about the PMU are changed, so that software does not look for parts that are not modelled.
 */
#include "sim/amd.h"
#include <string.h>

enum { EAX, EBX, ECX, EDX };

/* 80000001h ECX: light-weight profiling, counters of the northbridge, the performance TSC, counters of the L2
 * or L3. */
#define HIDDEN_80000001_ECX (1u << 15 | 1u << 24 | 1u << 27 | 1u << 28)
#define PERFCTR_CORE        (1u << 23)
#define IBS                 (1u << 10)
#define LEAF_IBS            0x8000001bu /* fam10h ends before it */
#define APERF_MPERF         (1u << 0)   /* 6 ECX: the emulator has no such MSRs */
#define PERFMON_V2          (1u << 0)   /* 80000022h EAX */
#define LBR_STACK           (1u << 1)   /* ... */
#define LBR_AND_PMC_FREEZE  (1u << 2)

/* Ryzen 9 7950X, stepping RPL-B2: its signature, caches and name on the Ryzen 7 1700 of the emulator. Caches
 * in the forms of 80000005h ECX and EDX, 80000006h ECX and EDX, 8000001Dh EBX and ECX. */
#define ZEN4_MAX_LEAF 0x80000022u
static const char zen4_name[49] = "AMD Ryzen 9 7950X 16-Core Processor             ";
static const uint32_t zen4_caches[4][2] = {
    {7u << 22 | 63, 63},     /* L1D: 8 ways, 64 bytes, 64 sets */
    {7u << 22 | 63, 63},     /* L1I */
    {7u << 22 | 63, 2047},   /* L2 */
    {15u << 22 | 63, 32767}, /* L3 */
};

static void zen4(uint32_t signature, uint32_t leaf, uint32_t subleaf, uint32_t regs[4])
{
    switch (leaf) {
    case 1:
    case 0x80000001:
        regs[EAX] = signature;
        break;
    case 0x80000000:
        regs[EAX] = ZEN4_MAX_LEAF;
        break;
    case 0x80000002:
    case 0x80000003:
    case 0x80000004:
        memcpy(regs, zen4_name + 16 * (leaf - 0x80000002), 16);
        break;
    case 0x80000005:
        regs[ECX] = regs[EDX] = 32u << 24 | 8u << 16 | 1u << 8 | 64;
        break;
    case 0x80000006:
        regs[ECX] = 1024u << 16 | 6u << 12 | 1u << 8 | 64;
        regs[EDX] = 64u << 18 | 9u << 12 | 1u << 8 | 64;
        break;
    case 0x8000001d:
        if (subleaf > 3) break;
        regs[EBX] = zen4_caches[subleaf][0];
        regs[ECX] = zen4_caches[subleaf][1];
        break;
    }
    if (leaf > 0x8000001f && leaf <= ZEN4_MAX_LEAF) memset(regs, 0, 16);
}

void amd_cpuid(const struct sim *s, uint32_t leaf, uint32_t subleaf, uint32_t regs[4])
{
    const struct amd_traits *t = ((const struct amd *)s->state)->traits;

    if (t->decorated) zen4(s->model->signature, leaf, subleaf, regs);
    switch (leaf) {
    case 6:
        regs[ECX] &= ~APERF_MPERF;
        break;
    case 0x80000001:
        regs[ECX] &= ~(HIDDEN_80000001_ECX | PERFCTR_CORE | IBS);
        if (t->extended) regs[ECX] |= PERFCTR_CORE;
        if (t->ibs) regs[ECX] |= IBS;
        break;
    case LEAF_IBS:
        memset(regs, 0, 16);
        if (t->extended && t->ibs) regs[EAX] = t->ibs->caps;
        break;
    case 0x80000022:
        if (!t->v2) break;
        regs[EAX] = PERFMON_V2;
        regs[EBX] = t->counters;
        if (!t->lbr_depth) break;
        regs[EAX] |= LBR_STACK | LBR_AND_PMC_FREEZE;
        regs[EBX] |= (uint32_t)t->lbr_depth << 4;
        break;
    }
}
