#include "measure/derive.h"
#include <stdio.h>
#include <string.h>

/* Both terms as pmu_event_parse() takes them; rows with names that this CPU's family lacks are skipped.
 * dcu_miss_outstanding / dcu_lines_in is Heller's average aggregate miss penalty. */
static const struct ratio {
    const char *name, *over, *under, *formula;
} ratios[] = {
    {"IPC", "instructions", "cycles", "instructions / cycles"},
    {"branches per instruction", "branches", "instructions", "branches / instructions"},
    {"cache misses per instruction", "cache-misses", "instructions", "cache-misses / instructions"},
    {"data read miss ratio", "data_read_miss", "data_read", "data_read_miss / data_read"},
    {"data write miss ratio", "data_write_miss", "data_write", "data_write_miss / data_write"},
    {"BTB hit ratio", "btb_hits", "branches", "btb_hits / branches"},
    {"V-pipe share", "instructions_executed_v_pipe", "instructions",
     "instructions_executed_v_pipe / instructions"},
    {"L1D miss ratio", "dcu_lines_in", "data_mem_refs", "dcu_lines_in / data_mem_refs"},
    {"L1I miss ratio", "ifu_ifetch_miss", "ifu_ifetch", "ifu_ifetch_miss / ifu_ifetch"},
    {"L2 miss ratio", "l2_rqsts:i", "l2_rqsts", "l2_rqsts:i / l2_rqsts"},
    {"L1D miss penalty, cycles", "dcu_miss_outstanding", "dcu_lines_in",
     "dcu_miss_outstanding / dcu_lines_in"},
    {"mispredicted branches", "br_miss_pred_retired", "br_inst_retired",
     "br_miss_pred_retired / br_inst_retired"},
    {DERIVED_UOPS_PER_CYCLE, "uops_retired", "cycles", "uops_retired / cycles"},
    {"micro-operations per instruction", "uops_retired", "instructions", "uops_retired / instructions"},
    {"L1D load miss ratio", "L1-dcache-load-misses", "L1-dcache-loads",
     "L1-dcache-load-misses / L1-dcache-loads"},
    {"L1I load miss ratio", "L1-icache-load-misses", "L1-icache-loads",
     "L1-icache-load-misses / L1-icache-loads"},
    {"LLC load miss ratio", "LLC-load-misses", "LLC-loads", "LLC-load-misses / LLC-loads"},
    {"dTLB load miss ratio", "dTLB-load-misses", "dTLB-loads", "dTLB-load-misses / dTLB-loads"},
};
#define RATIOS (sizeof ratios / sizeof ratios[0])

/* The measurement of a word at this privilege; -1: this CPU has no such event, or it was not measured. */
static int look_up(const struct pmu *pmu, const struct measured *m, const char *word, const char *suffix)
{
    struct pmu_code code;
    char full[64], why[96];
    snprintf(full, sizeof full, "%s%s", word, suffix);
    if (!pmu_event_parse(pmu, full, strlen(full), &code, why, sizeof why, NULL, 0)) return -1;
    for (unsigned i = 0; i < m->n; i++)
        if (pmu_code_same(m->event[i].code, &code)) return (int)i;
    return -1;
}

/* On some CPUs two rows are the same two events (the P5's data_read is L1-dcache-loads): the first is
 * reported.
 */
void derive(const struct pmu *pmu, const struct measured *m, void (*out)(void *ctx, const struct derived *d),
            void *ctx)
{
    static const char *const suffixes[] = {"", ":u", ":k"};
    int told[RATIOS * 3][2];
    unsigned n_told = 0;
    for (unsigned r = 0; m->n >= 2 && r < RATIOS; r++)
        for (unsigned s = 0; s < 3; s++) {
            const int over = look_up(pmu, m, ratios[r].over, suffixes[s]);
            const int under = over < 0 ? -1 : look_up(pmu, m, ratios[r].under, suffixes[s]);
            if (under < 0 || m->event[under].value <= 0) continue;
            unsigned same = 0;
            while (same < n_told && (told[same][0] != over || told[same][1] != under)) same++;
            if (same < n_told) continue;
            told[n_told][0] = over, told[n_told++][1] = under;
            struct derived d = {ratios[r].name, ratios[r].formula, suffixes[s],
                                m->event[over].value / m->event[under].value,
                                m->event[over].overhead_lowered || m->event[under].overhead_lowered};
            out(ctx, &d);
        }
}
