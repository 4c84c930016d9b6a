/* The second registers of PEBS' events: the threshold of loads' latencies, and the choice of an event of the
 * front end. */
#include "kernel/hw.h"
#include "pmu/arch_pebs.h"
#include "pmu/driver.h"

#define REFUSE(...) pmu_refuse(why, cap, __VA_ARGS__)

/* The code of the event that measures latencies; 0: there is none. */
static unsigned latency_event(const struct pebs_core *core)
{
    for (const struct pebs_rule *r = core->rule; r < core->rule + core->rules; r++)
        if (r->kind == PEBS_LOAD_LATENCY) return (unsigned)r->umask << 8 | r->first;
    return 0;
}

static bool check_latency(const struct pebs_core *core, unsigned kind, const struct pmu_code *code,
                          unsigned given, unsigned named, char *why, size_t cap)
{
    const unsigned event = latency_event(core);
    const char *word = given ? "latency=" : "ldlat=";
    if (given && named && given != named)
        return REFUSE("latency=%u contradicts %s, which says %u: leave one of them out", given, code->name,
                      named);
    if ((!given && !named) || kind == PEBS_LOAD_LATENCY) return true;
    if (!event) return REFUSE("this CPU's PEBS measures no latencies: leave %s out", word);
    return REFUSE("%s is for loads' latencies, event r%04x, not for %s", word, event, code->name);
}

/* Many events share this code; the register's value, which their names stand for, tells them apart. */
static bool check_frontend(const struct pebs_core *core, const struct pmu_code *code, uint32_t bits,
                           char *why, size_t cap)
{
    if (!bits)
        return REFUSE("%s is one of several events, which MSR %Xh selects: give it by name, such as "
                      "frontend_retired:l1i_miss (events=find:frontend_retired)",
                      code->name, MSR_PEBS_FRONTEND);
    return !(bits & ~core->frontend) ||
           REFUSE("%s needs %Xh in MSR %Xh, where this CPU takes no bits but those of %Xh", code->name,
                  (unsigned)bits, MSR_PEBS_FRONTEND, (unsigned)core->frontend);
}

bool pmu_pebs_extra_plan(struct perfmon_pebs *p, const struct pebs_core *core, unsigned kind,
                         const struct pmu_code *code, unsigned given, char *why, size_t cap)
{
    const unsigned named = code->extra_msr == MSR_PEBS_LD_LAT ? code->extra : 0;
    const uint32_t bits = code->extra_msr == MSR_PEBS_FRONTEND ? code->extra : 0;
    if (!check_latency(core, kind, code, given, named, why, cap) ||
        (kind == PEBS_FRONTEND && !check_frontend(core, code, bits, why, cap)))
        return false;
    p->latency = kind != PEBS_LOAD_LATENCY ? 0
                 : given                   ? (uint16_t)given
                 : named                   ? (uint16_t)named
                                           : PEBS_LATENCY_LEAST;
    p->frontend = kind == PEBS_FRONTEND ? bits : 0;
    return true;
}

bool pmu_pebs_extra_arm(struct perfmon_pebs *p, char *why, size_t cap)
{
    p->latency_set |= p->latency != 0;
    p->frontend_set |= p->frontend != 0;
    return (!p->latency || pmu_write(MSR_PEBS_LD_LAT, p->latency, why, cap)) &&
           (!p->frontend || pmu_write_kept(MSR_PEBS_FRONTEND, p->frontend, ~0ull, why, cap));
}

void pmu_pebs_extra_release(struct perfmon_pebs *p)
{
    if (p->latency_set) wrmsr_safe(MSR_PEBS_LD_LAT, p->found.latency);
    if (p->frontend_set) wrmsr_safe(MSR_PEBS_FRONTEND, p->found.frontend);
    p->latency_set = p->frontend_set = false;
}
