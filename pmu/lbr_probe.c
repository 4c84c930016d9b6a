/* Last branch records: what a CPU has, and what it can record. */
#include "pmu/arch.h"
#include "pmu/driver.h"
#include "pmu/lbr.h"
#include "pmu/lbr_own.h"
#include <stdio.h>
#include <string.h>

#define REFUSE(...) pmu_refuse(why, cap, __VA_ARGS__)

/* Perf's names (tools/perf/util/parse-branch-options.c), and call_stack. any_call and any_ret take far
 * transfers in, as Linux' tables for the hardware do. */
const struct lbr_word lbr_words[LBR_WORDS] = {
    {"any", LBR_ANY},
    {"any_call", LBR_REL_CALL | LBR_IND_CALL | LBR_FAR},
    {"any_ret", LBR_RET | LBR_FAR},
    {"call_stack", LBR_REL_CALL | LBR_IND_CALL | LBR_RET | LBR_CALL_STACK},
    {"stack", LBR_REL_CALL | LBR_IND_CALL | LBR_RET | LBR_CALL_STACK},
    {"call", LBR_REL_CALL},
    {"ind_call", LBR_IND_CALL},
    {"ind_jmp", LBR_IND_JMP},
    {"cond", LBR_COND},
    {"u", LBR_RING3},
    {"k", LBR_RING0},
};

/* ---- Intel's stacks, by model ---- */

/* What MSR_LBR_SELECT can tell apart. On Nehalem, Westmere and Silvermont it lets calls and returns through
 * only with all jumps ("NHM/WSM erratum", Linux' nhm_lbr_sel_map). */
enum {
    NO_FILTER = 0,
    NEHALEM_FILTER = LBR_RINGS | LBR_COND | LBR_IND_JMP | LBR_REL_JMP | LBR_FAR,
    BRIDGE_FILTER = LBR_RINGS | LBR_ANY,
    HASWELL_FILTER = BRIDGE_FILTER | LBR_CALL_STACK
};

#define KNIGHTS  "\x57\x85"
#define NEHALEMS "\x1a\x1e\x1f\x2e\x25\x2c\x2f"

/* SDM vol. 3B 17.5 to 17.12; Linux' intel_pmu_init(): each row but the first is a function of its lbr.c. */
static const struct stack {
    const char *models; /* of family 6, one byte each */
    uint16_t filters;
    uint8_t depth;
    uint8_t
        stepping; /* from this one on: before it an Atom did not freeze (Linux' intel_pmu_lbr_init_atom()) */
    uint32_t from;
} stacks[] = {
    {"\x0e", NO_FILTER, 8, 0, MSR_LBR_CORE_FROM},                                      /* Core Duo */
    {"\x0f\x16\x17\x1d", NO_FILTER, 4, 0, MSR_LBR_CORE_FROM},                          /* Core 2 */
    {"\x1c", NO_FILTER, 8, 10, MSR_LBR_CORE_FROM},                                     /* Bonnell */
    {"\x26\x27\x35\x36", NO_FILTER, 8, 0, MSR_LBR_CORE_FROM},                          /* its shrinks */
    {NEHALEMS, NEHALEM_FILTER, 16, 0, MSR_LBR_NEHALEM_FROM},                           /* and Westmere */
    {"\x2a\x2d\x3a\x3e", BRIDGE_FILTER, 16, 0, MSR_LBR_NEHALEM_FROM},                  /* Sandy, Ivy Bridge */
    {"\x3c\x45\x46\x3f\x3d\x47\x4f\x56", HASWELL_FILTER, 16, 0, MSR_LBR_NEHALEM_FROM}, /* and Broadwell */
    {"\x4e\x5e\x8e\x9e\xa5\xa6\x55\x66", HASWELL_FILTER, 32, 0,
     MSR_LBR_NEHALEM_FROM}, /* Skylake to Cannon Lake */
    {"\x7d\x7e\x8c\x8d\xa7\x6a\x6c", HASWELL_FILTER, 32, 0, MSR_LBR_NEHALEM_FROM}, /* Ice Lake, Tiger Lake */
    {"\x37\x4a\x4d\x5a\x5d\x4c\x75", NEHALEM_FILTER, 8, 0, MSR_LBR_CORE_FROM},     /* Silvermont */
    {"\x5c\x5f\x7a\x86\x96\x9c", HASWELL_FILTER, 32, 0, MSR_LBR_NEHALEM_FROM},     /* Goldmont, Tremont */
    {"\x57\x85", BRIDGE_FILTER, 8, 0, MSR_LBR_NEHALEM_FROM},                       /* Knights Landing */
};

static bool is_one_of(const struct cpu_id *id, const char *models)
{
    return id->family == 6 && id->model && id->model < 0x100 && strchr(models, (char)id->model);
}

/* ---- trying ---- */

static bool hidden(const struct cpu_id *id, const char *how, char *why, size_t cap)
{
    char reason[112];
    snprintf(reason, sizeof reason, "%s", how); /* it may be in why */
    return REFUSE("%s last branch records: %s",
                  id->has_hypervisor ? "the hypervisor hides the" : "this CPU does not answer for its",
                  reason);
}

/* Do these bits of an MSR follow what is written? It is left as it was. Others of an address are written as
 * 0: those of a negative one that was recorded cannot be written back everywhere (Linux'
 * lbr_from_signext_quirk_wr()). */
#define ADDRESS 0xffff
static bool answers(uint32_t msr, uint64_t bits, char *why, size_t cap)
{
    uint64_t found;
    if (!rdmsr_safe(msr, &found)) return REFUSE("MSR %Xh faults when it is read", (unsigned)msr);
    const bool kept = pmu_write_kept(msr, bits == ADDRESS ? ~found & bits : found ^ bits, bits, why, cap);
    wrmsr_safe(msr, found);
    return kept;
}

/* A hypervisor may read all of them as 0 and ignore writes, or fault. Recording is switched on for a moment.
 */
static bool stack_answers(const struct lbr *lbr, char *why, size_t cap)
{
    const unsigned last = lbr->depth - 1u;
    uint64_t tos;
    if (!rdmsr_safe(MSR_LBR_TOS, &tos)) return REFUSE("MSR %Xh faults when it is read", MSR_LBR_TOS);
    return answers(lbr->from, ADDRESS, why, cap) && answers(lbr->from + last, ADDRESS, why, cap) &&
           (lbr->kind == LBR_PACKED || answers(lbr->to + last, ADDRESS, why, cap)) &&
           answers(MSR_DEBUGCTL, DEBUGCTL_LBR, why, cap);
}

/* ---- the three kinds ---- */

static bool probe_stack(const struct cpu_id *id, const struct stack *s, struct lbr *lbr, char *why,
                        size_t cap)
{
    uint64_t caps = 0;
    *lbr = (struct lbr){.kind = s->depth && is_one_of(id, "\x0e") ? LBR_PACKED : LBR_STACK,
                        .depth = s->depth,
                        .filters = s->filters,
                        .from = s->from,
                        .to = s->from == MSR_LBR_CORE_FROM ? MSR_LBR_CORE_TO : MSR_LBR_NEHALEM_TO,
                        .select = s->filters ? MSR_LBR_SELECT : 0,
                        .of_core = is_one_of(id, NEHALEMS),
                        .switch_msr = MSR_DEBUGCTL,
                        .freezes = (id->fa.eax & 0xff) >= ARCH_VERSION_GLOBAL};
    if (id->stepping < s->stepping)
        return REFUSE("the last branch records of this stepping of Bonnell do not freeze (an erratum)");
    if (id->f1_ecx & CPUID_1_ECX_PDCM) rdmsr_safe(MSR_ARCH_CAPABILITIES, &caps);
    lbr->format = caps & 0x3f;
    if (lbr->format == LBR_LIP && is_one_of(id, KNIGHTS))
        lbr->format = LBR_EIP_FLAGS; /* "does have MISPREDICT bit" (Linux) */
    if (lbr->format >= LBR_FORMATS)
        return REFUSE("last branch records of format %u are not known to this kernel", lbr->format);
    if (lbr->kind == LBR_STACK && lbr->format == LBR_32)
        return hidden(id, "IA32_PERF_CAPABILITIES names no format of theirs", why, cap);
    const bool info = lbr->format == LBR_INFO || lbr->format == LBR_INFO2;
    lbr->info = info ? MSR_LBR_INFO : 0;
    lbr->predicts = lbr->kind == LBR_STACK && lbr->format >= LBR_EIP_FLAGS;
    lbr->cycles = info || lbr->format == LBR_TIME;
    return stack_answers(lbr, why, cap) || hidden(id, why, why, cap);
}

/* Leaf 1CH: EAX 7:0 bit n: a depth of 8(n+1); EBX 0 rings, 1 kinds, 2 call stack; ECX 0 mispredictions, 1
 * cycles (Linux' union cpuid28_eax and so on). */
static bool probe_arch(const struct cpu_id *id, struct lbr *lbr, char *why, size_t cap)
{
    const struct cpuid_regs r = id->max_leaf >= 0x1c ? hw_cpuid(0x1c, 0) : (struct cpuid_regs){0};
    const uint32_t depths = r.eax & ((1u << BRANCHES_MOST / 8) - 1);
    *lbr = (struct lbr){.kind = LBR_ARCH,
                        .filters = (r.ebx & 1 ? LBR_RINGS : 0) | (r.ebx & 2 ? LBR_ANY : 0) |
                                   ((r.ebx & 7) == 7 ? LBR_CALL_STACK : 0),
                        .predicts = r.ecx & 1,
                        .cycles = r.ecx & 2,
                        .from = MSR_ARCH_LBR_FROM,
                        .to = MSR_ARCH_LBR_TO,
                        .info = MSR_ARCH_LBR_INFO,
                        .switch_msr = MSR_ARCH_LBR_CTL,
                        .freezes = true};
    if (!depths) return hidden(id, "CPUID leaf 1CH names no depth", why, cap);
    lbr->depth = (uint8_t)(8 * (32 - __builtin_clz(depths)));
    if (!pmu_write_kept(MSR_ARCH_LBR_DEPTH, lbr->depth, ~0ull, why, cap) ||
        !answers(MSR_ARCH_LBR_CTL, ARCH_LBR_EN, why, cap))
        return hidden(id, why, why, cap);
    return true;
}

static bool probe_amd(const struct cpu_id *id, const struct pmu *pmu, struct lbr *lbr, char *why, size_t cap)
{
    const unsigned depth = id->x22_ebx >> 4 & 63;
    if (!(id->x22_eax & CPUID_X22_EAX_LBR_V2) && pmu->classes & CLASS_ZEN4)
        return hidden(id, "CPUID leaf 80000022h does not name LbrExtV2", why, cap);
    if (!(id->x22_eax & CPUID_X22_EAX_LBR_V2))
        return REFUSE(
            "this kernel reads AMD's last branch records from Zen 4 on (LbrExtV2), and no older ones");
    *lbr = (struct lbr){.kind = LBR_AMD,
                        .depth = (uint8_t)(depth < BRANCHES_MOST ? depth : BRANCHES_MOST),
                        .filters = LBR_RINGS | LBR_ANY,
                        .predicts = true,
                        .fused = true,
                        .from = MSR_AMD_LBR_FROM,
                        .to = MSR_AMD_LBR_FROM + 1,
                        .select = MSR_AMD_LBR_SELECT,
                        .switch_msr = MSR_AMD_DBG_EXTN_CFG,
                        .freezes = id->x22_eax & CPUID_X22_EAX_LBR_FREEZE};
    if (!depth) return hidden(id, "CPUID leaf 80000022h names no depth", why, cap);
    return (answers(lbr->from, ADDRESS, why, cap) &&
            answers(MSR_AMD_DBG_EXTN_CFG, AMD_LBR_V2_EN, why, cap)) ||
           hidden(id, why, why, cap);
}

/* ---- public ---- */

bool lbr_probe(const struct cpu_id *id, const struct pmu *pmu, struct lbr *lbr, char *why, size_t cap)
{
    const struct pmu_ops *ops = pmu->ops;
    bool found = false;
    *lbr = (struct lbr){.depth = 0};
    if (ops == &pmu_amd_ops) {
        found = probe_amd(id, pmu, lbr, why, cap);
    } else if (ops != &pmu_arch_ops) {
        REFUSE(
            "this kernel does not read the last branch records of %s, but Intel's from Core Duo on and AMD's "
            "from Zen 4 on",
            ops ? ops->family : "this CPU");
    } else if (id->f7_edx & CPUID_7_EDX_ARCH_LBR) {
        found = probe_arch(id, lbr, why, cap);
    } else {
        const struct stack *s = stacks, *end = stacks + sizeof stacks / sizeof *stacks;
        while (s < end && !is_one_of(id, s->models)) s++;
        found = s < end ? probe_stack(id, s, lbr, why, cap)
                        : REFUSE("this model's last branch records are not known to this kernel");
    }
    lbr->transactions = ops == &pmu_arch_ops && id->f7_ebx & CPUID_7_EBX_TSX;
    if (!found) lbr->depth = 0;
    return found;
}

/* "any, cond, u, k": the words that this CPU can obey. */
static void list_words(const struct lbr *lbr, char *list, size_t cap)
{
    list[0] = '\0';
    for (const struct lbr_word *w = lbr_words; w < lbr_words + LBR_WORDS; w++)
        if (w->branches == LBR_ANY || !(w->branches & ~lbr->filters)) pmu_list_add(list, cap, w->name, "");
}

bool lbr_choose(const struct lbr *lbr, unsigned ring, unsigned *branches, char *why, size_t cap)
{
    const unsigned own = ring ? LBR_RING3 : LBR_RING0;
    char can[80];
    if (!(*branches & (LBR_ANY | LBR_CALL_STACK))) *branches |= LBR_ANY;
    if (!(*branches & LBR_RINGS)) *branches |= own;
    const unsigned kinds = *branches & (LBR_ANY | LBR_CALL_STACK);
    list_words(lbr, can, sizeof can);
    if (kinds != LBR_ANY && kinds & ~lbr->filters)
        return REFUSE("this CPU cannot record these branches alone; branches=lbr: takes %s here", can);
    if (!(*branches & own))
        return REFUSE(
            "the payload runs at ring %u and has no branches of the other ring; use branches=lbr:%s, or "
            "ring=%u",
            ring, ring ? "u" : "k", ring ? 0 : 3);
    if (*branches & LBR_CALL_STACK && (*branches & LBR_RINGS) != LBR_RING3)
        return REFUSE(
            "a call stack is recorded at ring 3 alone, where the interrupt handler's own calls are not on "
            "it; use ring=3 and branches=lbr:call_stack");
    return true;
}
