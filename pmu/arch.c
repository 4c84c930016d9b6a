/* Driver of Intel's architectural performance monitoring: its description by CPUID, and its events.
 * Registers: pmu/perfmon.c. */
#include "pmu/arch.h"
#include "kernel/hw.h"
#include "pmu/arch_pebs.h"
#include "pmu/decode.h"
#include "pmu/driver.h"
#include "pmu/errata.h"
#include <string.h>

/* SDM table 18-1, in leaf 0AH's order; then the events of fixed counters only, with Linux' codes for them
 * (arch/x86/events/intel/core.c: event 0 with unit mask 3 and 4). */
static const struct pmu_event events[] = {
    {.name = "unhalted_core_cycles",
     .code = 0x3c,
     .umask = 0x00,
     .models = 1 << 0,
     .kind = KIND_CYCLES,
     .desc = "clocks of the core while it is not halted"},
    {.name = "instruction_retired",
     .code = 0xc0,
     .umask = 0x00,
     .models = 1 << 1,
     .desc = "instructions retired"},
    {.name = "unhalted_reference_cycles",
     .code = 0x3c,
     .umask = 0x01,
     .models = 1 << 2,
     .kind = KIND_BUS_CYCLES,
     .desc = "clocks of the bus, or the crystal, while the core is not halted"},
    {.name = "llc_reference",
     .code = 0x2e,
     .umask = 0x4f,
     .models = 1 << 3,
     .desc = "requests to the last-level cache"},
    {.name = "llc_misses",
     .code = 0x2e,
     .umask = 0x41,
     .models = 1 << 4,
     .desc = "requests that miss the last-level cache"},
    {.name = "branch_instruction_retired",
     .code = 0xc4,
     .umask = 0x00,
     .models = 1 << 5,
     .desc = "branches retired"},
    {.name = "branch_misses_retired",
     .code = 0xc5,
     .umask = 0x00,
     .models = 1 << 6,
     .desc = "mispredicted branches retired"},
    {.name = "cpu_clk_unhalted.ref_tsc",
     .code = 0x00,
     .umask = 0x03,
     .models = ARCH_REF_TSC,
     .kind = KIND_CYCLES,
     .desc = "clocks at the TSC's rate while the core is not halted"},
    {.name = "topdown.slots",
     .code = 0x00,
     .umask = 0x04,
     .models = ARCH_SLOTS,
     .desc = "slots for micro-operations"},
};

/* The event of each fixed counter (18.2.2, table 18-2), unit mask before event. */
static const uint16_t fixed_event[ARCH_FIXED] = {0x00c0, 0x003c, 0x0300, 0x0400};

/* ---- detection ---- */

/* Before version 5 EDX gives a number. On silicon Linux assumes at least 3, since early Core 2 report fewer
 * than they have; the probe detects those that are missing. Leaf 23H, if present, describes this core alone.
 * Without it hybrid parts report the counters that both kinds of core have, and the larger core has two more
 * general counters and one more fixed counter (Linux, core.c). If the Atom cores are switched off, it reports
 * all 8. */
static void count_counters(const struct cpu_id *id, unsigned *general, uint32_t *fixed)
{
    const unsigned version = id->fa.eax & 0xff;
    unsigned contiguous = id->fa.edx & 0x1f;
    *general = id->fa.eax >> 8 & 0xff;
    if (version < ARCH_VERSION_BITMAP && contiguous < 3 && !id->has_hypervisor) contiguous = 3;
    *fixed = (1u << contiguous) - 1;
    if (version >= ARCH_VERSION_BITMAP) *fixed |= id->fa.ecx;
    if (version < ARCH_VERSION_GLOBAL) *fixed = 0;
    if (id->f23_eax) {
        *general = (unsigned)__builtin_ctz(~id->f23_eax);
        *fixed = id->f23_ebx;
    } else if (id->f7_edx & CPUID_7_EDX_HYBRID && !cpu_atom(id) && *general <= 6) {
        *general += 2;
        *fixed |= *fixed + 1;
    }
    if (*general > ARCH_GENERAL) *general = ARCH_GENERAL;
    *fixed &= (1u << ARCH_FIXED) - 1;
}

/* The addresses of the registers: counters, the step from one to the next, and the distance from counter to
 * select. */
struct layout {
    uint32_t general, fixed, step;
    int32_t select;
};

/* A hypervisor may report version 6 without its addresses. */
static const struct layout *layout_of(unsigned version)
{
    static const struct layout first = {MSR_ARCH_PMC0, MSR_ARCH_FIXED0, 1, MSR_ARCH_EVTSEL0 - MSR_ARCH_PMC0},
                               v6 = {MSR_ARCH_V6_PMC0, MSR_ARCH_V6_FIXED0, MSR_ARCH_V6_STEP, 1};
    uint64_t value;
    return version >= ARCH_VERSION_V6 && rdmsr_safe(MSR_ARCH_V6_PMC0, &value) ? &v6 : &first;
}

static void list_counters(struct pmu *pmu, const struct layout *at, unsigned general, uint32_t fixed)
{
    for (unsigned i = 0; i < general; i++) pmu->counter_msr[i] = at->general + at->step * i;
    pmu->counters = general;
    for (; fixed; fixed &= fixed - 1) {
        unsigned n = (unsigned)__builtin_ctz(fixed);
        pmu->counter_msr[pmu->counters] = at->fixed + at->step * n;
        pmu->fixed |= 1u << pmu->counters;
        pmu->rdpmc_index[pmu->counters++] = PERFMON_FIXED | n;
    }
    pmu->perfmon.general = general;
}

static void describe(const struct cpu_id *id, struct pmu *pmu)
{
    static const char *const version[] = {"version 1", "version 2", "version 3",
                                          "version 4", "version 5", "version 6 or later"};
    const unsigned v = id->fa.eax & 0xff, last = sizeof version / sizeof *version;
    const struct arch_cpu *cpu = pmu_arch_cpu(id);
    uint64_t misc;
    pmu->model = cpu ? cpu->name : version[(v < last ? v : last) - 1];
    pmu->database = cpu && cpu->database ? cpu->database : PMU_TOO_NEW;
    pmu->perfmon.constraints = cpu ? cpu->constraints : CONSTRAINTS_UNKNOWN;
    pmu->words = cpu ? cpu->words : &pmu_words_arch;
    pmu->classes = CLASS_ARCH | (cpu ? cpu->classes : 0);
    pmu->errata = pmu_errata_cpu(id);
    if (id->f7_edx & CPUID_7_EDX_HYBRID) pmu->core_type = cpu_atom(id) ? "Atom" : "Core";
    pmu->rdpmc = pmu->user_rdpmc = true;
    pmu->lbr = rdmsr_safe(MSR_DEBUGCTL, &misc);
    pmu->ds = (id->f1_edx & CPUID_1_EDX_DS) != 0;
    pmu->dtes64 = (id->f1_ecx & CPUID_1_ECX_DTES64) != 0;
    pmu->pebs = pmu->ds && rdmsr_safe(MSR_ARCH_MISC_ENABLE, &misc) && !(misc & MISC_PEBS_UNAVAILABLE);
}

/* An architectural event exists if the vector is long enough and the event's bit is clear. */
static uint32_t rows(const struct cpu_id *id, uint32_t fixed)
{
    const unsigned length = id->fa.eax >> 24;
    uint32_t vector = length < 7 ? (1u << length) - 1 : ARCH_EVENTS;
    return (vector & ~id->fa.ebx) | (fixed & 4 ? ARCH_REF_TSC : 0) | (fixed & 8 ? ARCH_SLOTS : 0);
}

/* Can transactions be made to abort, where counter 3 needs that? The microcode of 2021 ignores the write
 * while bit 2 allows transactions to run (Linux' commit "x86/msr: Define new bits in TSX_FORCE_ABORT MSR").
 */
static void force_abort(const struct cpu_id *id, struct perfmon_state *p)
{
    const uint32_t bits = CPUID_7_EDX_FORCE_ABORT | CPUID_7_EDX_RTM_ABORTS;
    uint64_t found, held = 0;
    if ((id->f7_edx & bits) != CPUID_7_EDX_FORCE_ABORT) return;
    if (rdmsr_safe(MSR_TSX_FORCE_ABORT, &found)) {
        if (wrmsr_safe(MSR_TSX_FORCE_ABORT, found | FORCE_ABORT_RTM)) rdmsr_safe(MSR_TSX_FORCE_ABORT, &held);
        wrmsr_safe(MSR_TSX_FORCE_ABORT, found);
    }
    p->force_abort = held & FORCE_ABORT_RTM;
    p->clobbered = !p->force_abort;
}

/* A record of format 0 or 1 has the state before its instruction where it has that instruction's address. */
static void describe_pebs(const struct cpu_id *id, struct pmu *pmu)
{
    struct perfmon_pebs *p = &pmu->perfmon.pebs;
    p->model = id->family == 6 ? (uint16_t)id->model : 0;
    p->stepping = (uint8_t)id->stepping;
    pmu->pebs_before =
        CAPABILITY_PEBS_FORMAT(p->capabilities) < 2 && !(p->capabilities & CAPABILITY_PEBS_TRAP);
    rdmsr_safe(MSR_ARCH_DS_AREA, &p->found.ds_area);
    if (CAPABILITY_PEBS_FORMAT(p->capabilities) >= 1) rdmsr_safe(MSR_PEBS_LD_LAT, &p->found.latency);
    const struct pebs_core *core = pmu_pebs_core(pmu);
    if (core && core->frontend) rdmsr_safe(MSR_PEBS_FRONTEND, &p->found.frontend);
    if (p->capabilities & CAPABILITY_PEBS_BASELINE) rdmsr_safe(MSR_PEBS_DATA_CFG, &p->found.data_cfg);
}

/* "On several microarchitectures, the counters 0 or 1 do not freeze at the same time as the other counters":
 * nanoBench, kernel/nb_km.c, perform_measurements_for_cycle(): counter 1 with versions 3 and 4 from Ivy
 * Bridge on, counter 0 of model 97h. Golden Cove's other models, and Raptor and Redwood Cove, which are made
 * of it, are taken to be like 97h until somebody has measured them; so are the Atom cores beside them.
 */
static uint32_t late(const struct cpu_id *id, unsigned version)
{
    static const char golden_cove[] =
        "\x97\x9a\xb7\xba\xbf\x8f\xcf" /* Alder, Raptor Lake, Sapphire, Emerald Rapids */
        "\xaa\xac\xb5\xad\xae";        /* Meteor, Arrow Lake-U, Granite Rapids */
    if (id->family != 6 || !id->model || id->model > 0xff) return 0;
    if (strchr(golden_cove, (char)id->model)) return 1 << 0;
    return id->model >= 0x3a && (version == 3 || version == 4) ? 1 << 1 : 0;
}

static bool detect(const struct cpu_id *id, struct pmu *pmu)
{
    const unsigned version = id->fa.eax & 0xff, gp_width = id->fa.eax >> 16 & 0xff;
    unsigned general, fixed_width = id->fa.edx >> 5 & 0xff;
    struct perfmon_state *p = &pmu->perfmon;
    uint32_t fixed;
    uint64_t caps = 0;
    if (!cpu_is_intel(id) || version == 0) return false;
    describe(id, pmu);
    count_counters(id, &general, &fixed);
    if (general == 0 || gp_width < 33 || gp_width > 63) return true;
    if (fixed_width < 33 || fixed_width > 63) fixed_width = gp_width; /* early Core 2 report 0 */
    const struct layout *at = layout_of(version);
    list_counters(pmu, at, general, fixed);
    pmu->models = rows(id, fixed);
    pmu->width = fixed && fixed_width < gp_width ? fixed_width : gp_width;
    p->general_width = gp_width;
    p->fixed_width = fixed_width;
    p->select_offset = at->select;
    if (id->f1_ecx & CPUID_1_ECX_PDCM) rdmsr_safe(MSR_ARCH_CAPABILITIES, &caps);
    p->pebs.capabilities = (uint32_t)caps;
    pmu_pebs_leaf_found(id, pmu);
    if (pmu->pebs) describe_pebs(id, pmu);
    if (caps & CAPABILITY_FULL_WRITE) {
        p->write_alias = at->general == MSR_ARCH_PMC0;
        p->write_full = !p->write_alias;
    }
    pmu->preset_width = p->write_alias || p->write_full ? pmu->width : PERFMON_PRESET_WIDTH;
    force_abort(id, p);
    pmu->freeze_smm = (caps & CAPABILITY_FREEZE_SMM) != 0;
    pmu->any_thread = version >= ARCH_VERSION_ANY && !(id->fa.edx & 1u << 15);
    if (version >= ARCH_VERSION_GLOBAL) {
        p->global_ctrl = MSR_ARCH_GLOBAL_CTRL;
        p->global_status = MSR_ARCH_GLOBAL_STATUS;
        p->global_ack = MSR_ARCH_GLOBAL_OVF_CTRL;
        p->has_debugctl = pmu->freezes = true;
        pmu->freezes_late = late(id, version);
        p->settle = p->constraints == CONSTRAINTS_NHM || p->constraints == CONSTRAINTS_WSM;
    }
    pmu_perfmon_found(pmu);
    return true;
}

/* ---- events ---- */

static bool architectural(const struct pmu *pmu, const struct pmu_fields *f)
{
    for (const struct pmu_event *e = NULL; (e = pmu_event_coded(pmu, f->event, e));)
        if (e->umask == f->umask) return true;
    return false;
}

/* No general counter counts event 0. For an undocumented core only counters 0 to 3 are used: so far Intel's
 * restrictions have always allowed these. */
static uint32_t general_counters(const struct pmu *pmu, const struct pmu_fields *f, const struct db_rule *r)
{
    const uint32_t all = (1u << pmu->perfmon.general) - 1;
    if (r) return r->general & all;
    if (!f->event) return 0;
    return pmu->perfmon.constraints != CONSTRAINTS_UNKNOWN || architectural(pmu, f) ? all : all & 15;
}

/* Fixed counters count their events without modifiers, except AnyThread. With modifiers, an event that has a
 * code of its own is counted on the general counters. */
static uint32_t takers(const struct pmu *pmu, const struct pmu_fields *f)
{
    const bool modified = f->edge || f->inv || f->cmask;
    const struct db_rule *r = pmu_arch_constraint(pmu->perfmon.constraints, f->event, f->umask);
    if (r && modified && f->event && !r->general) r = NULL;
    uint32_t counters = general_counters(pmu, f, r);
    for (unsigned i = pmu->perfmon.general; i < pmu->counters && !modified; i++) {
        const unsigned n = pmu->rdpmc_index[i] & 15;
        if (fixed_event[n] == (f->umask << 8 | f->event) || (r && r->fixed >> n & 1)) counters |= 1u << i;
    }
    return counters;
}

static bool encode(const struct pmu *pmu, const struct pmu_fields *f, struct pmu_code *out, char *why,
                   size_t cap)
{
    if (!pmu_perfmon_encode(pmu, f, PERFMON_EVENT, out, why, cap)) return false;
    if (f->any && !pmu->any_thread)
        return pmu_refuse(why, cap, "any is not possible: this CPU cannot count both threads of a core");
    out->counters = takers(pmu, f);
    if (f->counters) out->counters &= f->counters; /* the database's rule: both hold */
    out->extra_msr = f->extra_msr;
    out->extra = f->extra;
    if (f->given & FIELD_LDLAT) {
        if (f->ldlat < PEBS_LATENCY_LEAST || f->ldlat > UINT16_MAX)
            return pmu_refuse(why, cap, "a threshold of loads' latencies is %u to %u core cycles",
                              PEBS_LATENCY_LEAST, UINT16_MAX);
        out->extra_msr = MSR_PEBS_LD_LAT;
        out->extra = f->ldlat;
    }
    return out->counters || pmu_refuse(why, cap,
                                       f->event ? "no counter of this CPU can count this event"
                                                : "only a fixed counter has this event; this CPU lacks "
                                                  "it, or it takes no modifiers");
}

static const char *trial(const struct pmu *pmu, unsigned counter)
{
    static const char *const word[ARCH_FIXED] = {"r00c0", "r003c", "r0300", "r0400"};
    if (counter == FORCE_ABORT_COUNTER && pmu->perfmon.clobbered) return NULL;
    return counter < pmu->perfmon.general ? word[1] : word[pmu->rdpmc_index[counter] & 15];
}

static void release(struct pmu *pmu)
{
    pmu_arch_pebs_release(pmu);
    pmu_perfmon_release(pmu);
}

const struct pmu_ops pmu_arch_ops = {
    .family = "arch",
    .events = events,
    .n_events = sizeof events / sizeof events[0],
    .fields = FIELD_ANY | FIELD_LDLAT,
    .detect = detect,
    .encode = encode,
    .trial = trial,
    .program = pmu_perfmon_program,
    .preset = pmu_perfmon_preset,
    .switching = pmu_perfmon_switching,
    .read = pmu_perfmon_read,
    .release = release,
    .arm = pmu_perfmon_arm,
    .overflowed = pmu_perfmon_overflowed,
    .sole = pmu_perfmon_sole,
    .freeze = pmu_perfmon_freeze,
    .thaw = pmu_perfmon_thaw,
    .freeze_end = pmu_perfmon_freeze_end,
    .pebs_plan = pmu_arch_pebs_plan,
    .pebs_arm = pmu_arch_pebs_arm,
    .pebs_stop = pmu_arch_pebs_stop,
    .pebs_again = pmu_perfmon_pebs_again,
    .settings = pmu_perfmon_settings,
    .registers = pmu_arch_registers,
    .n_registers = PMU_ARCH_REGISTERS,
};
