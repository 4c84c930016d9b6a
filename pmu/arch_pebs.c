/* PEBS on Intel's CPUs from Core 2 on: whether an event can be recorded, what its record holds, and the
 * registers. Tables: pmu/arch_pebs_cores.c. */
#include "pmu/arch_pebs.h"
#include "kernel/hw.h"
#include "pmu/arch.h"
#include "pmu/driver.h"
#include "pmu/pebs_arch.h"
#include <stdio.h>
#include <string.h>

#define REFUSE(...) pmu_refuse(why, cap, __VA_ARGS__)
#define INSTEAD     "; use sample=pmi"

/* ---- errata ---- */

/* Linux' intel_clovertown_quirk() and pebs_ucodes[]. Its isolation_ucodes[] are left out: what that microcode
 * mends is PEBS going on in a guest, and there is none here. */
static const struct {
    uint8_t model, stepping; /* ANY: of any */
    uint32_t least;          /* revision of the microcode */
    const char *why;
} errata[] = {
#define ANY 0xff
    {0x0f, ANY, UINT32_MAX,
     "errata AJ67, AJ68, AJ69 and AJ106: this Core 2's PEBS cannot be relied on" INSTEAD},
    {0x2a, 7, 0x28, "PEBS of this Sandy Bridge needs microcode 28h or later" INSTEAD},
    {0x2a, ANY, UINT32_MAX, "PEBS of this early Sandy Bridge does not work" INSTEAD},
    {0x2d, 6, 0x618, "PEBS of this Sandy Bridge-EP needs microcode 618h or later" INSTEAD},
    {0x2d, 7, 0x70c, "PEBS of this Sandy Bridge-EP needs microcode 70Ch or later" INSTEAD},
    {0x2d, ANY, UINT32_MAX, "PEBS of this early Sandy Bridge-EP does not work" INSTEAD},
};

const char *pmu_pebs_broken(unsigned model, unsigned stepping, uint32_t microcode)
{
    for (unsigned i = 0; microcode && i < sizeof errata / sizeof *errata; i++)
        if (errata[i].model == model && (errata[i].stepping == ANY || errata[i].stepping == stepping))
            return microcode < errata[i].least ? errata[i].why : NULL;
    return NULL;
}

/* ---- what is possible ---- */

static bool is_fixed(const struct pmu *pmu, unsigned i) { return i >= pmu->perfmon.general; }
static unsigned fixed_number(const struct pmu *pmu, unsigned i) { return pmu->rdpmc_index[i] & 15; }

static const struct pebs_layout *layout_of(unsigned format)
{
    static const struct pebs_layout *const layout[] = {&pebs_core2,      &pebs_nehalem,  &pebs_haswell,
                                                       &pebs_skylake,    &pebs_adaptive, &pebs_adaptive_32,
                                                       &pebs_adaptive_32};
    return format < sizeof layout / sizeof *layout ? layout[format] : NULL;
}

/* "c0/01", "cb", "d0-d3": what events= takes as /event=0xc0,umask=0x01/ and so on. */
static void list_events(const struct pebs_core *core, char *list, size_t cap)
{
    list[0] = '\0';
    for (const struct pebs_rule *r = core->rule; r < core->rule + core->rules; r++) {
        char name[16];
        if (r->kind == PEBS_REFUSED) continue;
        if (r->mask == 0xff)
            snprintf(name, sizeof name, "%02x/%02x", r->first, r->umask);
        else if (r->first == r->last)
            snprintf(name, sizeof name, "%02x", r->first);
        else
            snprintf(name, sizeof name, "%02x-%02x", r->first, r->last);
        if (!strstr(list, name)) pmu_list_add(list, cap, name, "");
    }
}

/* The event's kind on this counter. */
static bool kind_of(const struct pmu *pmu, const struct pebs_core *core, unsigned counter,
                    const struct pmu_code *code, unsigned *kind, bool *precise, char *why, size_t cap)
{
    const unsigned event = code->select & 0xff, umask = code->select >> 8 & 0xff;
    const struct pebs_rule *r = pmu_pebs_rule(core, event, umask);
    const bool fixed = is_fixed(pmu, counter);
    const struct perfmon_pebs *p = &pmu->perfmon.pebs;
    const uint32_t leaf = !p->arch ? ~0u : fixed ? p->leaf.fixed : p->leaf.general;
    uint32_t may = p->arch ? leaf : fixed ? core->imprecise_fixed : core->imprecise;
    if (r) may = (fixed ? r->fixed : r->general) & leaf;
    *precise = r != NULL;
    *kind = r ? r->kind : PEBS_PRECISE;
    if (*kind == PEBS_REFUSED)
        return REFUSE("this CPU's PEBS takes event %02x with other unit masks only, not %s (%02x/%02x)",
                      event, code->name, event, umask);
    if (!r && !core->imprecise) {
        char list[96];
        list_events(core, list, sizeof list);
        return REFUSE("this CPU's PEBS does not take %s (%02x/%02x); it takes event/umask %s", code->name,
                      event, umask, list);
    }
    if (may >> (fixed ? fixed_number(pmu, counter) : counter) & 1) return true;
    return fixed ? REFUSE("PEBS does not take %s on fixed counter %u", code->name, fixed_number(pmu, counter))
                 : REFUSE("PEBS does not take %s on counter %u", code->name, counter);
}

#define EACH_KIND                                                                              \
    (1u << PEBS_LOAD | 1u << PEBS_STORE | 1u << PEBS_LOAD_LATENCY | 1u << PEBS_STORE_LATENCY | \
     1u << PEBS_PRECISE_STORE)

static unsigned what_there_is(const struct perfmon_pebs *p, unsigned kind)
{
    const uint32_t caps = p->capabilities;
    const unsigned format = CAPABILITY_PEBS_FORMAT(caps);
    if (p->arch) return pmu_pebs_leaf_data(p) & ~(unsigned)(EACH_KIND >> kind & 1 ? 0 : PEBS_ADDR);
    const bool adaptive = format >= 4, all = caps & CAPABILITY_PEBS_BASELINE;
    unsigned has = 0;
    if (format >= 1 && (!adaptive || all) && EACH_KIND >> kind & 1) has |= PEBS_ADDR;
    if (adaptive ? all : caps & CAPABILITY_PEBS_REGS) has |= PEBS_REGS;
    if (format >= 3) has |= PEBS_TIME;
    if (adaptive && all) has |= PEBS_XMM | PEBS_LBR;
    if (format >= 6 && all) has |= PEBS_CNTR;
    return has;
}

/* The fixed counters 0 and 1 that may run beside this one, to be recorded: bits. */
static unsigned counted_beside(const struct pmu *pmu, unsigned counter)
{
    unsigned fixed = 0;
    for (unsigned i = pmu->perfmon.general; i < pmu->counters; i++)
        if (i != counter && pmu->usable >> i & 1) fixed |= 1u << fixed_number(pmu, i);
    return fixed & 3;
}

/* A word of data= that records of this format, or of this event, lack. */
static bool refuse_data(const struct pebs_core *core, const struct perfmon_pebs *p, uint32_t lacks,
                        unsigned has, char *why, size_t cap)
{
    const unsigned format = CAPABILITY_PEBS_FORMAT(p->capabilities);
    bool memory = false; /* records of other events have an address */
    for (unsigned i = 0; i < core->rules; i++)
        memory |= (what_there_is(p, core->rule[i].kind) & PEBS_ADDR) != 0;
    char list[40] = "";
    for (unsigned i = 0; i < PEBS_DATA; i++)
        if (has >> i & 1) pmu_list_add(list, sizeof list, pebs_data_names[i], "");
    const char *word = pebs_data_names[__builtin_ctz(lacks)];
    if (lacks & PEBS_ADDR && memory)
        return REFUSE("data=addr: no address is recorded with this event; one of a load or store has it, or "
                      "leave addr out");
    return REFUSE("data=%s: records of this CPU's PEBS (format %u) lack it; they have %s", word, format,
                  has ? list : "the instruction's address only");
}

/* What a record tells of an access. */
static void plan_access(const struct pebs_core *core, unsigned kind, struct pebs *out)
{
    static const uint8_t source[] = {[PEBS_LOAD] = PEBS_SOURCE_LOADED,
                                     [PEBS_STORE] = PEBS_SOURCE_STORED,
                                     [PEBS_LOAD_LATENCY] = PEBS_SOURCE_LOAD,
                                     [PEBS_STORE_LATENCY] = PEBS_SOURCE_STORE,
                                     [PEBS_PRECISE_STORE] = PEBS_SOURCE_STORED_TLB};
    const bool latency = kind == PEBS_LOAD_LATENCY || kind == PEBS_STORE_LATENCY;
    out->memory = true;
    out->source = core->sources;
    out->source_kind = source[kind];
    out->latency_bits = core->split_latency ? 0xffff0000ffff : UINT32_MAX;
    out->valid |= SAMPLE_DATA;
    if (latency) out->valid |= SAMPLE_LATENCY | (core->split_latency ? SAMPLE_CACHE_LATENCY : 0);
    if (latency && core->sources) out->valid |= SAMPLE_LEVEL | (core->sources->walk ? SAMPLE_TLB : 0);
    if (latency && !core->sources)
        out->source_kind = kind == PEBS_LOAD_LATENCY ? PEBS_SOURCE_LOADED : PEBS_SOURCE_STORED;
    if (kind == PEBS_STORE && core->sources) out->valid |= SAMPLE_LEVEL;
    if (kind == PEBS_PRECISE_STORE) out->valid |= SAMPLE_LEVEL | SAMPLE_TLB;
}

static bool check_fields(const struct pmu_code *code, char *why, size_t cap)
{
    if (!(code->select & (PERFMON_EDGE | PERFMON_ANY | PERFMON_INV | PERFMON_CMASK(0xffu)))) return true;
    return REFUSE("PEBS takes %s without any, edge, inv and cmask only", code->name);
}

/* Without EventingIP the record's IP is the next instruction (bit 6 of the capabilities), or the one itself.
 */
static uint32_t address(const struct pmu *pmu, unsigned format, bool precise)
{
    if (!precise) return SAMPLE_IP;
    if (format >= 2 || !(pmu->perfmon.pebs.capabilities & CAPABILITY_PEBS_TRAP))
        return SAMPLE_IP | SAMPLE_PRECISE;
    return SAMPLE_IP | SAMPLE_NEXT;
}

/* What is wanted, of a fixed record or of groups. */
static void plan_data(const struct pmu *pmu, const struct pebs_core *core, unsigned kind, unsigned data,
                      struct pebs *out)
{
    const uint32_t caps = pmu->perfmon.pebs.capabilities;
    const bool adaptive = !out->layout->record;
    if (data & PEBS_ADDR) plan_access(core, kind, out);
    if (data & PEBS_REGS) out->valid |= SAMPLE_REGS;
    if (data & PEBS_TIME) out->valid |= SAMPLE_TSC;
    if (data & PEBS_XMM) out->valid |= SAMPLE_XMM;
    if (data & PEBS_LBR) out->valid |= SAMPLE_BRANCHES;
    if (data & PEBS_CNTR) out->valid |= counted_beside(pmu, out->counter) * SAMPLE_INSTRUCTIONS;
    if (!adaptive) return;
    if (pmu->perfmon.pebs.arch) {
        out->valid |= SAMPLE_RETIRE; /* where a record says so */
        out->groups = pmu_pebs_leaf_groups(&pmu->perfmon.pebs, data);
        return;
    }
    const bool untimed =
        is_fixed(pmu, out->counter) && core->untimed_fixed >> fixed_number(pmu, out->counter) & 1;
    if (caps & CAPABILITY_PEBS_TIMING && !untimed) out->valid |= SAMPLE_RETIRE;
    out->groups = (data & PEBS_ADDR ? PEBS_GROUP_MEMORY : 0) | (data & PEBS_REGS ? PEBS_GROUP_REGS : 0) |
                  (data & PEBS_XMM ? PEBS_GROUP_XMM : 0) |
                  (data & PEBS_LBR ? PEBS_GROUP_LBRS(BRANCHES_MOST) : 0) |
                  (data & PEBS_CNTR ? PEBS_GROUP_CNTR : 0);
}

static uint64_t enable_bits(const struct pmu *pmu, const struct pebs_core *core, unsigned counter,
                            unsigned kind)
{
    if (is_fixed(pmu, counter)) return 1ull << (PEBS_ENABLE_FIXED + fixed_number(pmu, counter));
    uint64_t bits = 1ull << counter;
    if (kind == PEBS_LOAD_LATENCY && core->latency_bits) bits |= 1ull << (PEBS_ENABLE_LOAD_LATENCY + counter);
    if (kind == PEBS_PRECISE_STORE) bits |= 1ull << PEBS_ENABLE_STORE;
    return bits;
}

bool pmu_arch_pebs_plan(struct pmu *pmu, unsigned counter, const struct pmu_code *code,
                        const struct pebs_want *want, struct pebs *out, char *why, size_t cap)
{
    struct perfmon_pebs *p = &pmu->perfmon.pebs;
    const struct pebs_core *core = pmu_pebs_core(pmu);
    const unsigned format = CAPABILITY_PEBS_FORMAT(p->capabilities);
    const struct pebs_layout *layout = p->arch ? &pebs_arch : layout_of(format);
    const char *broken = pmu_pebs_broken(p->model, p->stepping, pmu->microcode);
    unsigned kind;
    bool precise;
    if (!pmu->pebs) return REFUSE("this CPU has no PEBS" INSTEAD);
    if (broken) return REFUSE("%s", broken);
    if (!core || !layout || !pmu->perfmon.global_ctrl)
        return REFUSE("this kernel does not know this CPU's PEBS (format %u)" INSTEAD, format);
    if (!pmu->dtes64 && !p->arch)
        return REFUSE("this CPU's PEBS has a 32-bit layout that this kernel does not know" INSTEAD);
    if (!check_fields(code, why, cap) || !kind_of(pmu, core, counter, code, &kind, &precise, why, cap) ||
        !pmu_pebs_extra_plan(p, core, kind, code, want->latency, why, cap))
        return false;
    unsigned has = what_there_is(p, kind);
    if (!counted_beside(pmu, counter)) has &= ~(unsigned)PEBS_CNTR;
    if (want->data & ~has) return refuse_data(core, p, want->data & ~has, has, why, cap);
    const bool fixed = is_fixed(pmu, counter);
    const uint32_t pdist =
        fixed ? (p->arch ? p->leaf.pdist_fixed : core->pdist_fixed) >> fixed_number(pmu, counter)
              : (p->arch ? p->leaf.pdist : core->pdist) >> counter;
    *out = (struct pebs){.layout = layout,
                         .valid = SAMPLE_COUNTER | address(pmu, format, precise),
                         .counter = (uint16_t)counter,
                         .skid = !(kind == PEBS_PDIR || (precise && pdist & 1)),
                         .least = 2,
                         .step = 1,
                         .arch_lbr = p->arch || (p->capabilities & CAPABILITY_LBR) == LBR_ARCHITECTURAL,
                         .config_msr = pmu_pebs_config_msr(pmu, counter),
                         .reset = (uint8_t)(fixed ? layout->general + fixed_number(pmu, counter) : counter),
                         .reset_high = (1u << (pmu->width - 32)) - 1};
    if (!out->skid && core->least) out->least = core->least;
    if (!out->skid && core->step) out->step = core->step;
    plan_data(pmu, core, kind, want->data ? want->data : has & (PEBS_ADDR | PEBS_REGS | PEBS_TIME), out);
    out->record = layout->record ? layout->record
                  : p->arch      ? pebs_arch_bytes(out->groups)
                                 : pebs_adaptive_bytes(out->groups);
    p->counted = (uint8_t)(out->valid / SAMPLE_INSTRUCTIONS & 3);
    out->record += 8 * ((p->counted & 1) + (p->counted >> 1));
    if (p->arch) out->record = (out->record + 15u) & ~15u; /* MSR_PEBS_INDEX counts so */
    p->planned = (uint8_t)(counter + 1);
    p->skid = out->skid;
    p->alone = core->alone && kind == PEBS_PDIR;
    p->adaptive = !p->arch && p->capabilities & CAPABILITY_PEBS_BASELINE;
    p->groups = out->groups | PEBS_FIXED_COUNTS(p->counted);
    p->beside = kind == PEBS_LOAD_LATENCY ? core->beside : 0;
    p->enable = enable_bits(pmu, core, counter, kind);
    return true;
}

/* ---- registers ---- */

#define RINGS (uint64_t)(PERFMON_USR | PERFMON_OS)

/* The fixed counters whose values are recorded count in the event's rings. program() has cleared them. */
static bool count_beside(struct pmu *pmu, uint64_t rings, char *why, size_t cap)
{
    for (unsigned i = pmu->perfmon.general; i < pmu->counters; i++)
        if (pmu->perfmon.pebs.counted >> fixed_number(pmu, i) & 1 &&
            !pmu_perfmon_beside(pmu, i, rings, why, cap))
            return false;
    return true;
}

bool pmu_arch_pebs_arm(struct pmu *pmu, unsigned counter, const struct pmu_code *code,
                       const struct pebs *buffer, char *why, size_t cap)
{
    struct perfmon_pebs *p = &pmu->perfmon.pebs;
    if (p->planned != counter + 1) return REFUSE("PEBS is not planned for counter %u", counter);
    if (!(pmu->sampling & 1u << counter)) return REFUSE("PEBS needs a period");
    for (unsigned i = 0; p->alone && i < pmu->counters; i++)
        if (i != counter && pmu->perfmon.select[i])
            return REFUSE("beside PREC_DIST no other counter of this CPU may run");
    const uint64_t adaptive = !p->adaptive             ? 0
                              : is_fixed(pmu, counter) ? FIXED_ADAPTIVE(fixed_number(pmu, counter))
                                                       : PERFMON_ADAPTIVE;
    p->armed = true;
    /* A counter that was stopped between its overflow and the event that is recorded would record the first
     * event of the next call. */
    return (p->arch ? pmu_pebs_leaf_point(buffer, why, cap)
                    : pmu_write(MSR_PEBS_ENABLE, 0, why, cap) &&
                          pmu_write(MSR_ARCH_DS_AREA, (uintptr_t)buffer->ds, why, cap)) &&
           pmu_pebs_extra_arm(p, why, cap) &&
           (!p->beside || pmu_perfmon_beside(pmu, 0, p->beside | (code->select & RINGS), why, cap)) &&
           count_beside(pmu, code->select & RINGS, why, cap) &&
           (!p->adaptive || pmu_write(MSR_PEBS_DATA_CFG, p->groups, why, cap)) &&
           pmu_perfmon_quiet(pmu, counter, adaptive, why, cap) &&
           pmu_begin_at(pmu, counter, -(int64_t)(pmu->period[counter] - p->skid), why, cap) &&
           (p->arch ? pmu_pebs_leaf_enable(pmu, buffer, why, cap)
                    : pmu_write_kept(MSR_PEBS_ENABLE, p->enable, ~0ull, why, cap));
}

void pmu_arch_pebs_stop(struct pmu *pmu)
{
    if (pmu->perfmon.pebs.arch) {
        pmu_pebs_leaf_stop(pmu);
    } else {
        wrmsr_safe(MSR_PEBS_ENABLE, 0);
        wrmsr_safe(MSR_ARCH_DS_AREA, pmu->perfmon.pebs.found.ds_area);
    }
    pmu->perfmon.pebs.armed = false;
}

void pmu_arch_pebs_release(struct pmu *pmu)
{
    struct perfmon_pebs *p = &pmu->perfmon.pebs;
    pmu_pebs_extra_release(p);
    if (p->planned && p->adaptive) wrmsr_safe(MSR_PEBS_DATA_CFG, p->found.data_cfg);
    p->planned = 0;
}
