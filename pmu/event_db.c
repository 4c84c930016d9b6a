/* From events of the database to the fields that the family's driver encodes. */
#include "pmu/arch_pebs.h"
#include "pmu/database.h"
#include "pmu/driver.h"
#include "pmu/event_fields.h"
#include <stdio.h>
#include <string.h>

/* PERFEVTSEL and PERF_CTL (SDM vol. 3B 18.2.1; facts section 5.1); mkevents allows no other bits. */
enum { SELECT_EDGE = 1 << 18, SELECT_ANY = 1 << 21, SELECT_INV = 1 << 23 };
#define SELECT_MODIFIERS (0xff000000u | SELECT_INV | SELECT_EDGE)

static uint32_t event_of(uint64_t select) { return (uint32_t)((select & 0xff) | (select >> 24 & 0xf00)); }
static uint32_t umask_of(uint64_t select) { return (uint32_t)(select >> 8 & 0xff); }

bool pmu_db_pick(const struct pmu *pmu, char *s, char **rest, struct db_pick *pick)
{
    const struct db_pmu *db = db_pmu_named(pmu->database);
    if (!db) return false;
    char *dot = strchr(s, '.');
    if (dot) *dot = '\0';
    pick->event = db_event_named(db, s);
    if (!dot) return pick->event != NULL;
    *dot = '.';
    if (!pick->event) return false;
    *dot++ = '\0';
    if (*rest) (*rest)[-1] = ':';
    *rest = dot;
    while ((dot = strchr(dot, '.'))) *dot = ':';
    return true;
}

/* Fixed counters do not support modifiers: an event that has a code of its own then uses the general
 * counters. */
uint32_t pmu_db_counters(const struct pmu *pmu, uint64_t select)
{
    const struct db_pmu *db = db_pmu_named(pmu->database);
    const struct db_rule *r = db ? db_rule_for(db, event_of(select), umask_of(select)) : NULL;
    const bool modified = select & SELECT_MODIFIERS;
    uint32_t counters = 0;
    if (!r || (modified && !r->general && event_of(select))) return 0;
    for (unsigned i = 0; i < pmu->counters; i++) {
        bool fixed = pmu->rdpmc_index[i] >> 30 & 1; /* SDM vol. 2B, RDPMC */
        if (fixed ? !modified && r->fixed >> (pmu->rdpmc_index[i] & 15) & 1 : r->general >> i & 1)
            counters |= 1u << i;
    }
    return counters ? counters : PMU_NO_COUNTER;
}

uint32_t pmu_select_counters(const struct pmu *pmu, uint64_t select)
{
    struct pmu_code code;
    char why[8];
    struct pmu_fields f = {.event = event_of(select),
                           .umask = umask_of(select),
                           .cmask = (uint32_t)(select >> 24 & 0xff),
                           .has_umask = true,
                           .inv = (select & SELECT_INV) != 0,
                           .edge = (select & SELECT_EDGE) != 0,
                           .counters = pmu_db_counters(pmu, select)};
    if (f.counters == PMU_NO_COUNTER) return 0;
    return pmu->ops->encode(pmu, &f, &code, why, sizeof why) ? code.counters : 0;
}

bool pmu_db_umasks(const struct db_pick *pick, const char * not, char *why, size_t cap)
{
    char list[PMU_NAME] = "";
    const struct db_umask *u;
    for (unsigned i = 0; (u = db_umask_at(pick->event, i)); i++)
        pmu_list_add(list, sizeof list, db_text(u->name & DB_NAME), "");
    if (!*list)
        return pmu_refuse(why, cap, "%s has no unit masks, so not \"%s\" either", db_text(pick->event->name),
                          not );
    if (!*not )
        return pmu_refuse(why, cap, "%s needs one of its unit masks: %s", db_text(pick->event->name), list);
    return pmu_refuse(why, cap, "%s needs one of its unit masks, not \"%s\": %s", db_text(pick->event->name),
                      not, list);
}

const char *pmu_db_lack(const struct pmu *pmu)
{
    static char aside[128];
    if (!pmu->database) return "";
    if (*db_trouble()) {
        snprintf(aside, sizeof aside, "; the event database is not used: %s", db_trouble());
        return aside;
    }
    if (!*db_source()) return "; there is no event database (the loader passed none)";
    if (db_pmu_named(pmu->database)) return "";
    return "; the event database does not know this CPU: libpfm4 is older than it or leaves it out "
           "(Core Duo: it was built without the i386 library)";
}

bool pmu_db_threshold(struct db_pick *pick, const char *s, uint32_t *threshold)
{
    static const struct {
        const char *begins;
        const char *umask[2]; /* the library's: the first that the event has */
    } names[] = {{"load_latency_gt_", {"load_latency", "latency_above_threshold"}},
                 {"latency_above_threshold_", {"latency_above_threshold", "load_latency"}}};
    if (pick->event->extra_msr != MSR_PEBS_LD_LAT) return false;
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        const size_t n = strlen(names[i].begins);
        if (strncmp(s, names[i].begins, n) != 0 || !pmu_number(s + n, threshold)) continue;
        return db_pick_umask(pick, s) == DB_TAKEN || db_pick_umask(pick, names[i].umask[0]) == DB_TAKEN ||
               db_pick_umask(pick, names[i].umask[1]) == DB_TAKEN;
    }
    return false;
}

/* The library's second word, if it is one for PEBS. Without a threshold in its name, that of a latency is the
 * least, and latency= may say another. */
static bool second_register(const struct db_pick *pick, struct pmu_fields *f)
{
    const uint64_t extra = db_extra(pick);
    const uint16_t msr = pick->event->extra_msr;
    if (!extra) return true;
    if (msr != MSR_PEBS_LD_LAT && msr != MSR_PEBS_FRONTEND) return false;
    f->extra_msr = msr;
    f->extra = msr == MSR_PEBS_LD_LAT && extra == PEBS_LATENCY_LEAST ? 0 : (uint32_t)extra;
    return true;
}

bool pmu_db_fields(const struct pmu *pmu, const struct db_pick *pick, struct pmu_fields *f, bool whole_umask,
                   char *why, size_t cap)
{
    const struct db_event *e = pick->event;
    const char *name = db_text(e->name);
    if (!whole_umask && e->flags & DB_WANTS_UMASK && !pick->classes) return pmu_db_umasks(pick, "", why, cap);
    uint64_t wide = db_select(pick);
    if (!second_register(pick, f))
        return pmu_refuse(why, cap, "%s also needs MSR %Xh, which this kernel does not program", name,
                          e->extra_msr);
    uint32_t select = (uint32_t)wide, cmask = select >> 24;
    if ((f->given & FIELD_CMASK && cmask && f->cmask != cmask) || (whole_umask && f->umask > 0xff))
        return pmu_refuse(why, cap, "%s is defined with cmask=%u, and a unit mask is at most 0xff", name,
                          (unsigned)cmask);
    if (!whole_umask) f->umask = umask_of(wide);
    if (!f->cmask) f->cmask = cmask;
    f->edge |= (select & SELECT_EDGE) != 0;
    f->inv |= (select & SELECT_INV) != 0;
    f->any |= (select & SELECT_ANY) != 0;
    if (f->any && !(pmu->ops->fields & FIELD_ANY))
        return pmu_refuse(why, cap, "%s counts both threads of a core, which this family cannot do", name);
    f->event = event_of(wide);
    f->has_umask = true;
    wide = (wide & ~0xff00ull) | f->umask << 8 | (f->edge || f->inv || f->cmask ? SELECT_EDGE : 0);
    f->counters = pmu_db_counters(pmu, wide);
    return f->counters != PMU_NO_COUNTER ||
           pmu_refuse(why, cap, "no counter of this CPU can count %s, or none with these modifiers", name);
}
