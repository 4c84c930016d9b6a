/* From event words to NetBurst's registers: encodes the fields that pmu/event.c has read as ESCR, CCCR and
 * tagging. */
#include "pmu/driver.h"
#include "pmu/netburst.h"
#include "pmu/netburst_own.h"

#define REFUSE(...) pmu_refuse(why, cap, __VA_ARGS__)

/* A code without a name also needs its ESCR: the same select has different meanings in different units. */
static bool locate(const struct pmu *pmu, const struct pmu_fields *f, unsigned *esel, uint32_t *counters,
                   char *why, size_t cap)
{
    *counters = 0;
    for (unsigned i = 0; i < NETBURST_COUNTERS * 8; i++) {
        const int escr = pmu_netburst_escr(i / 8, i % 8);
        if (escr < 0 || (unsigned)escr + MSR_NB_ESCR != f->escr) continue;
        if (escr >> 1 == NB_IQ_ESCR >> 1 && pmu->models & NB_NO_IQ_ESCR) continue;
        *esel = i % 8;
        *counters |= 1u << i / 8;
    }
    return (*counters && f->event && f->event <= 0x3f) ||
           REFUSE("a code needs event= from 1 to 0x3f and the MSR of one of this CPU's ESCRs, such as "
                  "escr=0x3b8");
}

/* USR and OS as two bits of an ESCR: a thread's own, else the event's. */
static uint32_t level_of(const struct pmu_fields *f, const struct pmu_thread *t)
{
    const struct pmu_thread own = {true, f->usr, f->os};
    if (!t->usr && !t->os) t = &own;
    return t->usr == t->os ? 3 : t->usr ? 1 : 2;
}

/* What the thread that measures does not count at. */
static uint8_t privilege_of(uint32_t level)
{
    return level == 1 ? PRIVILEGE_USER : level == 2 ? PRIVILEGE_KERNEL : PRIVILEGE_ANY;
}

/* Bits 3:0: of one logical processor, or both (18.16.2). */
static bool qualify(const struct pmu *pmu, const struct pmu_fields *f, uint32_t *escr, struct pmu_code *out,
                    char *why, size_t cap)
{
    const bool ht = pmu->netburst.two_threads, second = pmu->netburst.second_thread;
    const bool named = f->t0.counted || f->t1.counted;
    const uint32_t t0 = f->t0.counted || (!named && !second) ? level_of(f, &f->t0) : 0;
    const uint32_t t1 = f->t1.counted || (!named && second) ? level_of(f, &f->t1) : 0;
    const bool all_own =
        (!f->t0.counted || f->t0.usr || f->t0.os) && (!f->t1.counted || f->t1.usr || f->t1.os);
    if ((f->t1.counted || f->active != 3) && !ht) return REFUSE("t1 and active= need Hyper-Threading");
    if (named && all_own && (f->usr || f->os))
        return REFUSE("u and k are for a thread without a privilege of its own, such as t0 without =");
    if (f->row && (f->row->code & NB_TI) && named && t0 != t1)
        return REFUSE("%s does not depend on the thread, so it needs both t0 and t1%s", f->row->name,
                      t0 && t1 ? ", at the same privilege" : "");
    if (f->row && (f->row->code & NB_ANY_CPL) && ((t0 && t0 != 3) || (t1 && t1 != 3)))
        return REFUSE("%s ignores privilege, so it needs both u and k", f->row->name);
    if (f->row && f->row->kind == KIND_WEIGHTED && f->edge) /* table 19-28 */
        return REFUSE("%s takes no edge", f->row->name);
    *escr |= t0 << 2 | t1;
    out->privilege = privilege_of(second ? t1 : t0);
    return true;
}

/* Execution tags: tag= on an upstream event sets the tags, on a metric it replaces the allocator's choice. */
static bool tag(const struct pmu_fields *f, int upstream, uint32_t *mask, struct pmu_code *out,
                uint32_t *escr, char *why, size_t cap)
{
    const bool metric = upstream >= NB_MEMORY && upstream < NB_MEMORY + NB_EXECUTIONS;
    const bool first = f->row && NB_ESEL_OF(f->row->code) == 1 && (f->row->counters & 0xf00) &&
                       NB_SELECT_OF(f->row->code) != 0x34; /* FIRM_ESCR, sse_input_assist apart */
    if (metric) { /* nbogus and bogus are one bit for each tag value */
        uint32_t n = f->tag ? f->tag : 1;
        *mask = (*mask & 1 ? n : 0) | (*mask & 2 ? n << 4 : 0);
    }
    if (!(f->given & FIELD_TAG)) return true;
    if (!f->tag || f->tag > 15 || (!metric && !first))
        return REFUSE("tag= takes 1 to 15, and only with packed, scalar, MMX and x87 events");
    if (metric) out->netburst.tag = (uint8_t)f->tag;
    if (first) *escr |= ESCR_TAG | ESCR_TAG_VALUE(f->tag);
    return true;
}

bool pmu_netburst_encode(const struct pmu *pmu, const struct pmu_fields *given, struct pmu_code *out,
                         char *why, size_t cap)
{
    struct pmu_fields f = *given;
    unsigned esel = 0;
    int upstream = f.row ? pmu_netburst_upstream_of(f.row) : -1;
    if (f.clocks) return REFUSE("only a Pentium has clocks; use cycles");
    if (f.cmask || f.inv) return REFUSE("this family has thr= and cmpl instead of cmask= and inv");
    if (!(f.given & FIELD_ACTIVE)) f.active = 3;
    if (f.umask > 0xffff || f.thr > 15 || f.active > 3)
        return REFUSE("umask may be up to 0xffff, thr up to 15, active up to 3");
    if (f.cmpl && !(f.given & FIELD_THR)) /* otherwise it would be ignored */
        return REFUSE("cmpl inverts the comparison with thr, so it needs thr=");

    if (upstream >= 0 && upstream < NB_METRICS && f.umask - 1 > 2)
        return REFUSE("%s takes a mask of 1 (nbogus), 2 (bogus) or 3", f.row->name);

    if (f.row) {
        f.event = NB_SELECT_OF(f.row->code);
        esel = NB_ESEL_OF(f.row->code);
    } else if (!locate(pmu, &f, &esel, &f.counters, why, cap)) {
        return false;
    }
    uint32_t escr = ESCR_EVENT(f.event), mask = f.umask;
    if (!qualify(pmu, &f, &escr, out, why, cap) || !tag(&f, upstream, &mask, out, &escr, why, cap))
        return false;
    escr |= ESCR_MASK(mask);

    /* Edges are changes of the comparison's result (18.15.5.3): without thr= between 0 and more. */
    uint32_t cccr = CCCR_ACTIVE(f.active) | CCCR_ESEL(esel) | CCCR_THRESHOLD(f.thr) |
                    (f.edge || (f.given & FIELD_THR) ? CCCR_COMPARE : 0) | (f.cmpl ? CCCR_COMPLEMENT : 0) |
                    (f.edge ? CCCR_EDGE : 0) | (f.force_ovf ? CCCR_FORCE_OVF : 0);
    out->netburst.escr = escr;
    out->netburst.cccr = cccr;
    out->counters = f.counters & ~NB_UNRELIABLE;
    if (!out->counters) return REFUSE("an erratum leaves no counter for this");
    if (upstream >= 0) {
        out->netburst.upstream = (uint8_t)(upstream + 1);
        out->netburst.pebs_matrix = pmu_netburst_upstream[upstream].vert;
        out->netburst.pebs_enable = pmu_netburst_upstream[upstream].enable;
    }
    return true;
}

bool pmu_netburst_halves(const struct pmu *pmu, struct pmu_code *starter, struct pmu_code *target, char *why,
                         size_t cap)
{
    if (starter->netburst.cccr & CCCR_FORCE_OVF)
        return REFUSE("with force_ovf %s would start the other at its first event: use init=-1",
                      starter->name);
    for (unsigned from = 0; from < NETBURST_COUNTERS; from++)
        for (unsigned to = 0; to < NETBURST_COUNTERS; to++)
            if ((starter->counters & 1u << from) && (target->counters & 1u << to) &&
                pmu_netburst_cascade(pmu, from, to)) {
                starter->cascade = CASCADE_STARTER;
                target->cascade = CASCADE_TARGET;
                return true;
            }
    return REFUSE("no counter of %s can start one of %s: a counter starts others of its own block only",
                  starter->name, target->name);
}
