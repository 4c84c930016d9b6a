/* The words that perf has for every CPU: which event they are on each family, or that there is none.
 *
 * P5. cycles is counter control's clocks mode (SDM vol. 3B 18.23.1) on both: 30h, clocks not halted, is the
 * Pentium MMX's only, and on counter 0 only; nothing that is measured here halts, so that the two agree.
 * branches and instructions have one event each. cache-misses is perf's word for the last level that the CPU
 * has and knows about: on these L1, the second level is the board's. 29h leaves code misses (0Eh) out; Linux
 * resolves its words likewise for the Pentium's descendant Knights Corner (arch/x86/events/intel/knc.c: 16h,
 * 12h, 29h).
 *
 * P6. As Linux has them (arch/x86/events/intel/p6.c: 79h, C0h, C4h, 62h, and 2Eh with unit mask I, the
 * requests to L2 that find no line). 62h are not all of the bus's clocks: only those in which this CPU drives
 * DRDY.
 *
 * NetBurst. cycles and cache-misses as Linux has them (arch/x86/events/intel/p4.c): clocks not halted by
 * global_power_events, which unlike non-sleep clockticks (execution_event compared with 15) heeds the
 * privilege level; L2's and L3's misses. Not so the others. Linux' instructions count bogus ones, which did
 * not retire; its branches are retired_branch_type, which has no mask for unconditional jumps and may count
 * too much (table 19-28): branch_retired, with all its masks, is the Optimization manual's "branches
 * retired".
 *
 * Intel architectural. As Linux has them (arch/x86/events/intel/core.c, intel_perfmon_event_map), each where
 * leaf 0AH has the event; ref-cycles is the fixed counter's. Linux mends one more for Nehalem (AAJ80:
 * mispredictions as 89h/7Fh), where leaf 0AH says that the event is not there: so here it is absent.
 *
 * AMD. As Linux has them (arch/x86/events/amd/core.c: amd_perfmon_event_map, amd_zen1_perfmon_event_map and
 * its successors). Linux gives the K7 and family 16h the K8's events 7Dh and 7Eh, which the K7's manual does
 * not have, nor libpfm4's table of family 16h: what both have are accesses to the data cache, and refills of
 * it from the system, which L2 could not serve.
 *
 * Words that came after the first four are absent where nothing means the same: P5 and NetBurst. Words for
 * caches: pmu/cache_words.c.
 */
#include "pmu/amd.h"
#include "pmu/arch.h"
#include "pmu/cache_words.h"
#include "pmu/driver.h"
#include <string.h>

#define WORDS 8

static const char *const words[WORDS] = {"cycles",           "instructions",  "branches",   "cache-misses",
                                         "cache-references", "branch-misses", "ref-cycles", "bus-cycles"};

/* In the order of words[], in pmu_event_parse()'s syntax. */
static const struct {
    const char *family;
    uint32_t models; /* pmu.models; 0: all */
    const char *event[WORDS];
} families[] = {
    {"P5",
     0,
     {"/clocks/", "instructions_executed", "branches", "data_read_miss_or_write_miss", "data_read_or_write"}},
    {"P6",
     0,
     {"cpu_clk_unhalted", "inst_retired", "br_inst_retired", "l2_rqsts:i", "l2_rqsts:m:e:s:i",
      "br_miss_pred_retired", NULL, "bus_drdy_clocks"}},
    {"NetBurst",
     0,
     {"global_power_events", "instr_retired", "branch_retired",
      "bsq_cache_reference:rd_2ndl_miss:rd_3rdl_miss:wr_2ndl_miss", NULL, "mispred_branch_retired"}},
    {"arch",
     0,
     {"unhalted_core_cycles", "instruction_retired", "branch_instruction_retired", "llc_misses",
      "llc_reference", "branch_misses_retired", "cpu_clk_unhalted.ref_tsc", "unhalted_reference_cycles"}},
    {"AMD", AMD_K7 | AMD_16H, {"r0076", "r00c0", "r00c2", "r1f43", "r0040", "r00c3"}},
    {"AMD", AMD_K8 | AMD_14H, {"r0076", "r00c0", "r00c2", "r077e", "r077d", "r00c3"}},
    {"AMD", AMD_ZEN4, {"r0076", "r00c0", "r00c2", "r0964", "rff60", "r00c3", "r100000120"}},
    {"AMD", AMD_ZEN, {"r0076", "r00c0", "r00c2", "r0964", "rff60", "r00c3"}},
};

/* An architectural event is a row that the CPU may lack. */
static bool there(const struct pmu *pmu, const char *event)
{
    return event && (pmu->ops != &pmu_arch_ops || pmu_event_named(pmu, event));
}

static const char *name_of(unsigned i)
{
    return i < WORDS ? words[i] : i < WORDS + PMU_CACHE_WORDS ? pmu_cache_word_names[i - WORDS] : NULL;
}

const struct pmu_word *pmu_word_at(const struct pmu *pmu, unsigned i)
{
    static struct pmu_word out;
    out = (struct pmu_word){name_of(i), NULL, 0};
    if (!out.word) return NULL;
    if (i >= WORDS) pmu_cache_word(pmu, i - WORDS, &out);
    for (unsigned k = 0; i < WORDS && pmu->ops && k < sizeof families / sizeof families[0]; k++) {
        if (strcmp(families[k].family, pmu->ops->family) != 0) continue;
        if (families[k].models && !(families[k].models & pmu->models)) continue;
        if (there(pmu, families[k].event[i])) out.event = families[k].event[i];
        break;
    }
    return &out;
}

static char lower(char c) { return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c); }

const struct pmu_word *pmu_word_named(const struct pmu *pmu, const char *name, size_t len)
{
    const char *word;
    for (unsigned i = 0; (word = name_of(i)) != NULL; i++) {
        size_t n = 0;
        while (n < len && word[n] && lower(word[n]) == lower(name[n])) n++;
        if (n == len && !word[n]) return pmu_word_at(pmu, i);
    }
    return NULL;
}
