#include "measure/derive.h"
#include <stdio.h>
#include <string.h>

/* Sources of those that are asked for: Heller's commentary (seed 001), by event code 79/c0, 79/c2, 43/79,
 * 60/29 and 64/60, which are his questions, and 22/2e; of NetBurst SDM vol. 3B 18.15.6 (seed 004): what was
 * tagged of all that could have been. dcu_miss_outstanding / dcu_lines_in (48/45) is Heller's average
 * aggregate miss penalty. */
static const struct ratio ratios[] = {
    {"IPC", "instructions", "cycles", false},
    {"branches per instruction", "branches", "instructions", false},
    {"cache misses per instruction", "cache-misses", "instructions", false},
    {"data read miss ratio", "data_read_miss", "data_read", false},
    {"data write miss ratio", "data_write_miss", "data_write", false},
    {"BTB hit ratio", "btb_hits", "branches", false},
    {"V-pipe share", "instructions_executed_v_pipe", "instructions", false},
    {"L1D miss ratio", "dcu_lines_in", "data_mem_refs", false},
    {"L1I miss ratio", "ifu_ifetch_miss", "ifu_ifetch", false},
    {"L2 miss ratio", "l2_rqsts:i", "l2_rqsts", false},
    {"L1D miss penalty, cycles", "dcu_miss_outstanding", "dcu_lines_in", false},
    {"mispredicted branches", "br_miss_pred_retired", "br_inst_retired", false},
    {DERIVED_UOPS_PER_CYCLE, "uops_retired", "cycles", false},
    {"micro-operations per instruction", "uops_retired", "instructions", false},
    {"L1D load miss ratio", "L1-dcache-load-misses", "L1-dcache-loads", false},
    {"L1I load miss ratio", "L1-icache-load-misses", "L1-icache-loads", false},
    {"LLC load miss ratio", "LLC-load-misses", "LLC-loads", false},
    {"dTLB load miss ratio", "dTLB-load-misses", "dTLB-loads", false},
    {"CPI", "cycles", "instructions", true},
    {"cycles per micro-operation", "cycles", "uops_retired", true},
    {"data references per cycle", "data_mem_refs", "cycles", true},
    {"L2 miss penalty, cycles", "bus_req_outstanding", "l2_ld", true},
    {"data clocks per outstanding read", "bus_data_rcv", "bus_req_outstanding", true},
    {"L2 data bus, cycles per request", "l2_dbus_busy", "l2_rqsts", true},
    {"L1 misses per load", "1stl_cache_load_miss_retired", "memory_loads", true},
    {"L2 misses per load", "2ndl_cache_load_miss_retired", "memory_loads", true},
    {"DTLB misses per load", "dtlb_load_miss_retired", "memory_loads", true},
    {"DTLB misses per store", "dtlb_store_miss_retired", "memory_stores", true},
    {"replays per load", "mob_load_replay_retired", "memory_loads", true},
    {"splits per load", "split_load_retired", "memory_loads", true},
    {"splits per store", "split_store_retired", "memory_stores", true},
    {"mispredictions per branch", "tagged_mispred_branch", "branch_retired", true},
    {"bogus per micro-operation", "uops_retired:bogus", "uops_retired", true},
    {"assists per instruction", "x87_assist", "instr_retired", true},
};
#define RATIOS (sizeof ratios / sizeof ratios[0])

const struct ratio *ratio_at(unsigned i) { return i < RATIOS ? &ratios[i] : NULL; }

void ratio_word(const struct ratio *r, char *word, size_t cap)
{
    size_t n = 0;
    for (const char *c = r->name; *c && n + 1 < cap; c++)
        if (*c != ',') word[n++] = (char)(*c == ' ' ? '-' : *c >= 'A' && *c <= 'Z' ? *c - 'A' + 'a' : *c);
    word[n] = '\0';
}

static bool has(const struct pmu *pmu, const char *word)
{
    struct pmu_code code;
    char why[8];
    return pmu_event_parse(pmu, word, strlen(word), &code, why, sizeof why, NULL, 0);
}

bool ratio_known(const struct pmu *pmu, const struct ratio *r)
{
    return has(pmu, r->over) && has(pmu, r->under);
}

/* The measurement of a word with a suffix; -1: this CPU has no such event, or it was not measured. */
static int look_up(const struct pmu *pmu, const struct measured *m, const char *word, size_t len,
                   const char *suffix)
{
    struct pmu_code code;
    char full[PMU_NAME], why[96];
    snprintf(full, sizeof full, "%.*s%s", (int)len, word, suffix);
    if (!pmu_event_parse(pmu, full, strlen(full), &code, why, sizeof why, NULL, 0)) return -1;
    for (unsigned i = 0; i < m->n; i++)
        if (pmu_code_same(m->event[i].code, &code)) return (int)i;
    return -1;
}

static void quotient(const struct measured *m, int over, int under, struct derived *d)
{
    d->value = m->event[over].value / m->event[under].value;
    d->overhead_lowered = m->event[over].overhead_lowered || m->event[under].overhead_lowered;
    d->errata = m->event[over].code->errata | m->event[under].code->errata;
    d->several_runs = m->event[over].group != m->event[under].group;
}

static void derive_asked(const struct pmu *pmu, const struct measured *m, const struct asked_ratio *a,
                         void (*out)(void *ctx, const struct derived *d), void *ctx)
{
    char formula[2 * PMU_NAME + 4];
    const int over = look_up(pmu, m, a->over.s, a->over.len, ""),
              under = look_up(pmu, m, a->under.s, a->under.len, "");
    struct derived d = {.name = a->named ? a->named->name : formula, .formula = formula, .suffix = ""};
    snprintf(formula, sizeof formula, "%.*s / %.*s", (int)a->over.len, a->over.s, (int)a->under.len,
             a->under.s);
    if (over < 0 || under < 0)
        d.lacks = over < 0 ? "its numerator has no value" : "its denominator has no value";
    else if (m->event[under].value <= 0)
        d.lacks = "its denominator is 0";
    else
        quotient(m, over, under, &d);
    out(ctx, &d);
}

/* On some CPUs two rows are the same two events (the P5's data_read is L1-dcache-loads): the first is
 * reported. */
void derive(const struct pmu *pmu, const struct measured *m, const struct asked_ratio *asked,
            unsigned n_asked, void (*out)(void *ctx, const struct derived *d), void *ctx)
{
    static const char *const suffixes[] = {"", ":u", ":k"};
    int told[RATIOS * 3][2];
    unsigned n_told = 0;
    for (unsigned i = 0; i < n_asked; i++) derive_asked(pmu, m, &asked[i], out, ctx);
    for (unsigned r = 0; m->n >= 2 && r < RATIOS; r++)
        for (unsigned s = 0; !ratios[r].asked && s < 3; s++) {
            const struct ratio *of = &ratios[r];
            bool named = false;
            for (unsigned i = 0; i < n_asked; i++) named |= asked[i].named == of && s == 0;
            const int over = look_up(pmu, m, of->over, strlen(of->over), suffixes[s]);
            const int under = over < 0 ? -1 : look_up(pmu, m, of->under, strlen(of->under), suffixes[s]);
            if (named || under < 0 || m->event[under].value <= 0) continue;
            unsigned same = 0;
            while (same < n_told && (told[same][0] != over || told[same][1] != under)) same++;
            if (same < n_told) continue;
            told[n_told][0] = over, told[n_told++][1] = under;
            char formula[96];
            struct derived d = {.name = of->name, .formula = formula, .suffix = suffixes[s]};
            snprintf(formula, sizeof formula, "%s / %s", of->over, of->under);
            quotient(m, over, under, &d);
            out(ctx, &d);
        }
}
