/* Driver of AMD's core counters: their number on each CPU. Registers: pmu/perfmon.c. */
#include "pmu/amd.h"
#include "kernel/hw.h"
#include "pmu/decode.h"
#include "pmu/driver.h"
#include "pmu/errata.h"

/* A row applies from its model on; the last row that fits is used. Models: Linux' arch/x86/kernel/cpu/amd.c
 * (bsp_init_amd); databases: the names of libpfm4's PMUs, which splits the K8 by revision; 4.13 ends with Zen
 * 4, Zen 5 and 6 came after it (its repository, lib/pfmlib_amd64.c). */
static const struct amd_cpu {
    uint8_t family, model, models;
    const char *name, *database;
    const struct pmu_words *words;
    bool smis; /* event 2Bh counts SMIs: BKDG of 12h and 15h, PPRs of 17h from model 30h on (LsSmiRx) */
} cpus[] = {
    {0x06, 0x00, AMD_K7, "K7", "amd64_k7", &pmu_words_k7, false},
    {0x0f, 0x00, AMD_K8, "K8", "amd64_k8_revb", &pmu_words_k8_early, false},
    {0x0f, 0x10, AMD_K8, "K8", "amd64_k8_revd", &pmu_words_k8_early, false},
    {0x0f, 0x20, AMD_K8, "K8", "amd64_k8_reve", &pmu_words_k8, false},
    {0x0f, 0x40, AMD_K8, "K8", "amd64_k8_revf", &pmu_words_k8, false},
    {0x0f, 0x60, AMD_K8, "K8", "amd64_k8_revg", &pmu_words_k8, false},
    {0x10, 0x00, AMD_K8, "Fam10h", "amd64_fam10h_barcelona", &pmu_words_k8, false},
    {0x10, 0x04, AMD_K8, "Fam10h", "amd64_fam10h_shanghai", &pmu_words_k8, false},
    {0x10, 0x08, AMD_K8, "Fam10h", "amd64_fam10h_istanbul", &pmu_words_k8, false},
    {0x11, 0x00, AMD_K8, "Fam11h", "amd64_fam11h_turion", &pmu_words_k8, false},
    {0x12, 0x00, AMD_K8, "Fam12h", "amd64_fam12h_llano", &pmu_words_k8, true},
    {0x14, 0x00, AMD_14H, "Fam14h", "amd64_fam14h_bobcat", &pmu_words_bobcat, false},
    {0x15, 0x00, AMD_K8 | AMD_15H, "Fam15h", "amd64_fam15h_interlagos", &pmu_words_bulldozer, true},
    {0x16, 0x00, AMD_16H, "Fam16h", "amd64_fam16h", &pmu_words_jaguar, false},
    {0x17, 0x00, AMD_ZEN, "Zen", "amd64_fam17h_zen1", &pmu_words_zen, false},
    {0x17, 0x30, AMD_ZEN, "Zen 2", "amd64_fam17h_zen2", &pmu_words_zen, true},
    {0x17, 0x50, AMD_ZEN, "Zen", "amd64_fam17h_zen1", &pmu_words_zen, false},
    {0x17, 0x60, AMD_ZEN, "Zen 2", "amd64_fam17h_zen2", &pmu_words_zen, true},
    {0x18, 0x00, AMD_ZEN, "Zen", "amd64_fam17h_zen1", &pmu_words_zen, false}, /* Hygon's */
    {0x19, 0x00, AMD_ZEN, "Zen 3", "amd64_fam19h_zen3", &pmu_words_zen, true},
    {0x19, 0x10, AMD_ZEN | AMD_ZEN4, "Zen 4", "amd64_fam19h_zen4", &pmu_words_zen4, true},
    {0x19, 0x20, AMD_ZEN, "Zen 3", "amd64_fam19h_zen3", &pmu_words_zen, true},
    {0x19, 0x60, AMD_ZEN | AMD_ZEN4, "Zen 4", "amd64_fam19h_zen4", &pmu_words_zen4, true},
    {0x1a, 0x00, AMD_ZEN | AMD_ZEN4, "Zen 5", "amd64_fam1ah_zen5", &pmu_words_zen4, true},
    {0x1a, 0x50, AMD_ZEN | AMD_ZEN4, "Zen 6", "amd64_fam1ah_zen6", &pmu_words_zen4, true},
    {0x1a, 0x60, AMD_ZEN | AMD_ZEN4, "Zen 5", "amd64_fam1ah_zen5", &pmu_words_zen4, true},
    {0x1a, 0x80, AMD_ZEN | AMD_ZEN4, "Zen 6", "amd64_fam1ah_zen6", &pmu_words_zen4, true},
};

/* A family that is not in the table is treated like its predecessor: the counters' registers have never
 * changed. */
static const struct amd_cpu *find(const struct cpu_id *id)
{
    const struct amd_cpu *found = NULL;
    for (const struct amd_cpu *c = cpus; c < cpus + sizeof cpus / sizeof cpus[0]; c++)
        if (c->family < id->family || (c->family == id->family && c->model <= id->model)) found = c;
    return found;
}

static void list_counters(const struct cpu_id *id, struct pmu *pmu)
{
    const bool core = id->x1_ecx & CPUID_X1_ECX_PERFCTR_CORE, v2 = id->x22_eax & CPUID_X22_EAX_PERFMON_V2;
    pmu->counters = core ? AMD_EXTENDED : AMD_LEGACY;
    if (v2 && id->x22_ebx & 15) pmu->counters = id->x22_ebx & 15;
    for (unsigned i = 0; i < pmu->counters; i++)
        pmu->counter_msr[i] = core ? MSR_AMD_CTR0 + 2 * i : MSR_AMD_LEGACY_CTR0 + i;
    pmu->perfmon.general = pmu->counters;
    pmu->perfmon.general_width = AMD_WIDTH;
    pmu->perfmon.write_full = true;
    pmu->perfmon.select_offset =
        (int32_t)(core ? MSR_AMD_CTL0 - MSR_AMD_CTR0 : MSR_AMD_LEGACY_CTL0 - MSR_AMD_LEGACY_CTR0);
    if (!v2) return;
    pmu->perfmon.global_ctrl = MSR_AMD_GLOBAL_CTL;
    pmu->perfmon.global_status = MSR_AMD_GLOBAL_STATUS;
    pmu->perfmon.global_ack = MSR_AMD_GLOBAL_STATUS_CLR;
    pmu->perfmon.has_debugctl = pmu->freezes = (id->x22_eax & CPUID_X22_EAX_LBR_FREEZE) != 0;
}

static uint32_t classes(uint32_t models)
{
    return CLASS_AMD | (models & (AMD_K8 | AMD_14H | AMD_16H) ? CLASS_OLD : 0) |
           (models & AMD_K8 ? CLASS_K8 : 0) | (models & (AMD_ZEN | AMD_ZEN4) ? CLASS_ZEN : 0) |
           (models & AMD_ZEN4 ? CLASS_ZEN4 : 0);
}

static bool detect(const struct cpu_id *id, struct pmu *pmu)
{
    uint64_t debugctl;
    const struct amd_cpu *cpu = find(id);
    if (!cpu_is_amd(id) || !cpu) return false;
    pmu->model = cpu->family == id->family ? cpu->name : "newer than Zen 6";
    pmu->database = cpu->family == id->family ? cpu->database : PMU_TOO_NEW;
    pmu->models = cpu->models;
    pmu->words = cpu->words;
    pmu->smi_event = cpu->smis && cpu->family == id->family ? AMD_SMIS : 0;
    pmu->classes = classes(cpu->models);
    pmu->errata = pmu_errata_cpu(id);
    pmu->width = pmu->preset_width = AMD_WIDTH;
    pmu->rdpmc = pmu->user_rdpmc = true;
    pmu->lbr = rdmsr_safe(MSR_DEBUGCTL, &debugctl);
    pmu->ibs = (id->x1_ecx & CPUID_X1_ECX_IBS) != 0;
    list_counters(id, pmu);
    pmu_perfmon_found(pmu);
    return true;
}

/* Family 15h (Linux' amd_get_event_constraints_f15h, after the BKDG's "PERF_CTL[...]" of each event): by bits
 * 7:4 of the code, with exceptions. Events 00h, 04h and 31h also depend on their unit mask: here they have
 * the counters that are always possible. A0h and B0h do not exist; E0h and F0h belong to the northbridge's
 * own counters. */
static const uint8_t group_15h[16] = {0x38, 0x38, 0x3f, 0x3f, 0x3f, 0x3f, 0x07, 0x07,
                                      0x07, 0x07, 0x00, 0x00, 0x3f, 0x07, 0x00, 0x00};
static const struct {
    uint16_t event;
    uint8_t counters;
} otherwise_15h[] = {{0x000, 0x08}, {0x003, 0x08}, {0x004, 0x08}, {0x00b, 0x08}, {0x00d, 0x08},
                     {0x023, 0x07}, {0x02d, 0x08}, {0x02e, 0x09}, {0x031, 0x07}, {0x043, 0x07},
                     {0x045, 0x07}, {0x046, 0x07}, {0x054, 0x07}, {0x055, 0x07}, {0x08f, 0x01},
                     {0x187, 0x01}, {0x188, 0x01}, {0x0db, 0x3f}, {0x0dc, 0x3f}, {0x0dd, 0x3f},
                     {0x0de, 0x3f}, {0x0df, 0x3f}, {0x1c0, 0x38}, {0x1d6, 0x3f}, {0x1d8, 0x3f}};

static uint32_t takers(const struct pmu *pmu, uint32_t event)
{
    if (pmu->models & AMD_ZEN && event == AMD_FLOPS) return 0;
    if (!(pmu->models & AMD_15H)) return (1u << pmu->counters) - 1;
    for (unsigned i = 0; i < sizeof otherwise_15h / sizeof otherwise_15h[0]; i++)
        if (otherwise_15h[i].event == event) return otherwise_15h[i].counters;
    return group_15h[event >> 4 & 15];
}

static bool encode(const struct pmu *pmu, const struct pmu_fields *f, struct pmu_code *out, char *why,
                   size_t cap)
{
    if (!pmu_perfmon_encode(pmu, f, pmu->models & AMD_K7 ? PERFMON_EVENT : AMD_EVENT_MAX, out, why, cap))
        return false;
    out->counters = f->counters ? f->counters : takers(pmu, f->event);
    return out->counters ||
           pmu_refuse(why, cap, "no core counter of this family can count event 0x%x by itself",
                      (unsigned)f->event);
}

static const char *trial(const struct pmu *pmu, unsigned counter)
{
    (void)pmu;
    (void)counter;
    return "r00c0"; /* every counter of every family can count it; family 15h counts cycles on three counters
                       only */
}

const struct pmu_ops pmu_amd_ops = {
    .family = "AMD",
    .detect = detect,
    .encode = encode,
    .trial = trial,
    .program = pmu_perfmon_program,
    .preset = pmu_perfmon_preset,
    .switching = pmu_perfmon_switching,
    .read = pmu_perfmon_read,
    .release = pmu_perfmon_release,
    .arm = pmu_perfmon_arm,
    .overflowed = pmu_perfmon_overflowed,
    .sole = pmu_perfmon_sole,
    .freeze = pmu_perfmon_freeze,
    .thaw = pmu_perfmon_thaw,
    .freeze_end = pmu_perfmon_freeze_end,
    .settings = pmu_perfmon_settings,
    .registers = pmu_amd_registers,
    .n_registers = PMU_AMD_REGISTERS,
};
