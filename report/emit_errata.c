#include "report/emit_errata.h"
#include "pmu/errata.h"
#include "report/put.h"

/* Is Hyper-Threading on? The firmware lists no second thread of a core if it is off (SDM vol. 3A 10.7).
 * Without a list it may be on. */
static bool threads(const struct machine *m)
{
    const struct processors_found *f = &m->found;
    const unsigned shift = m->cpu[0] ? m->cpu[0]->ids.shift[LEVEL_CORE] : SHIFT_UNKNOWN;
    if (!shift) return false;
    if (!f->n || shift == SHIFT_UNKNOWN) return true;
    for (unsigned i = 0; i < f->n; i++)
        for (unsigned k = 0; k < i && f->p[i].state != PROCESSOR_DISABLED; k++)
            if (f->p[k].state != PROCESSOR_DISABLED && f->p[k].apic_id >> shift == f->p[i].apic_id >> shift)
                return true;
    return false;
}

uint64_t errata_here(const struct machine *m, uint64_t errata)
{
    const uint64_t always = pmu_errata_without_smt(errata);
    return errata != always && !threads(m) ? always : errata;
}

void put_errata(struct record *r, uint64_t errata)
{
    if (!errata) return;
    OPEN(r, doubted, errata);
    for (; errata; errata &= errata - 1)
        ITEM(r, doubted, errata, pmu_erratum(pmu_errata_first(errata))->name);
    rec_close(r);
}

const char *errata_flag(const struct machine *m, uint64_t errata)
{
    static const char *const flag[] = {
        [ERRATUM_WRONG] = "erratum", [ERRATUM_HIGH] = "overcount", [ERRATUM_LOW] = "undercount"};
    return errata && m->count_origin != ORIGIN_MODELLED ? flag[pmu_errata_effect(errata)] : NULL;
}
