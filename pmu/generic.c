/* The words that perf has for every CPU: which event they are on each family, or that there is none.
 *
 * P5. cycles is counter control's clocks mode (SDM vol. 3B 18.23.1) on both: 30h, clocks not halted, is the
 * Pentium MMX's only, and on counter 0 only; nothing that is measured here halts, so that the two agree.
 * branches and instructions have one event each. cache-misses is perf's word for the last level that the CPU
 * has and knows about: on these L1, the second level is the board's. 29h leaves code misses (0Eh) out; Linux
 * resolves its words likewise for the Pentium's descendant Knights Corner (arch/x86/events/intel/knc.c: 16h,
 * 12h, 29h).
 *
 * P6. As Linux has them (arch/x86/events/intel/p6.c: 79h, C0h, C4h, and 2Eh with unit mask I, the requests to
 * L2 that find no line).
 */
#include "pmu/driver.h"
#include <string.h>

#define WORDS 4

static const struct {
    const char *family;
    struct pmu_word word[WORDS];
} families[] = {
    {"P5",
     {{"cycles", "/clocks/"},
      {"instructions", "instructions_executed"},
      {"branches", "branches"},
      {"cache-misses", "data_read_miss_or_write_miss"}}},
    {"P6",
     {{"cycles", "cpu_clk_unhalted"},
      {"instructions", "inst_retired"},
      {"branches", "br_inst_retired"},
      {"cache-misses", "l2_rqsts:i"}}},
};

static const struct pmu_word absent[WORDS] = {
    {"cycles", NULL}, {"instructions", NULL}, {"branches", NULL}, {"cache-misses", NULL}};

const struct pmu_word *pmu_word_at(const struct pmu *pmu, unsigned i)
{
    if (i >= WORDS) return NULL;
    for (unsigned k = 0; pmu->ops && k < sizeof families / sizeof families[0]; k++)
        if (strcmp(families[k].family, pmu->ops->family) == 0) return &families[k].word[i];
    return &absent[i];
}
