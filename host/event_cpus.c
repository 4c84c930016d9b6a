/* What there is comes from the drivers: each is asked about every family and model. What CPUID says of the
 * number of counters is in no table of theirs: counters[] has it. */
#include "host/event_cpus.h"
#include "host/registers.h"
#include "pmu/amd.h"
#include "pmu/arch.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

static const struct pmu_ops *const drivers[] = {&pmu_p5_ops, &pmu_p6_ops, &pmu_netburst_ops, &pmu_arch_ops,
                                                &pmu_amd_ops};
#define DRIVERS (sizeof drivers / sizeof *drivers)

#define MISC_PERFMON (1u << 7) /* IA32_MISC_ENABLE: the counters are available */

/* ---- CPUID of a family, model and stepping ---- */

/* CPUID leaf 0AH with both threads of a core in use: version, general and fixed counters (SDM vol. 3B,
 * chapter 20, and InstLatx64's dumps). The first row that fits: the kernel's table of limits
 * (pmu/arch_cpus.c), and perf's words where kinds of cores share that. Nobody has seen the last three rows'
 * CPUs: as their predecessors. */
static const struct counters {
    enum arch_constraints constraints;
    const struct pmu_words *words; /* NULL: any */
    uint8_t version, general, fixed, events;
} counters[] = {
    {CONSTRAINTS_CORE, NULL, 1, 2, 0, 7},
    {CONSTRAINTS_CORE2, NULL, 2, 2, 3, 7},
    {CONSTRAINTS_NHM, NULL, 3, 4, 3, 7},
    {CONSTRAINTS_WSM, NULL, 3, 4, 3, 7},
    {CONSTRAINTS_SNB, NULL, 3, 4, 3, 7},
    {CONSTRAINTS_IVB, NULL, 3, 4, 3, 7},
    {CONSTRAINTS_HSW, NULL, 3, 4, 3, 7},
    {CONSTRAINTS_BDW, NULL, 3, 4, 3, 7},
    {CONSTRAINTS_SKL, NULL, 4, 4, 3, 7},
    {CONSTRAINTS_ICL, NULL, 5, 8, 4, 8},
    {CONSTRAINTS_GLC, NULL, 5, 8, 4, 8},
    {CONSTRAINTS_GEN, &pmu_words_bonnell, 3, 2, 3, 7},
    {CONSTRAINTS_GEN, &pmu_words_silvermont, 3, 2, 3, 7},
    {CONSTRAINTS_GEN, NULL, 4, 4, 3, 7}, /* Goldmont, Tremont */
    {CONSTRAINTS_GRT, NULL, 5, 6, 3, 7},
    {CONSTRAINTS_LNC, NULL, 6, 10, 4, 8},
    {CONSTRAINTS_UNKNOWN, NULL, 4, 4, 3, 7}, /* Cannon Lake */
    {CONSTRAINTS_ARW, NULL, 6, 8, 3, 8},
    {CONSTRAINTS_PNC, NULL, 6, 10, 4, 8},
};

static void counters_of(struct cpu_id *id)
{
    const struct arch_cpu *cpu = pmu_arch_cpu(id);
    const struct counters *c = counters;
    if (!cpu) return;
    while (c->constraints != cpu->constraints || (c->words && c->words != cpu->words)) c++;
    id->fa.eax = (uint32_t)c->events << 24 | 48u << 16 | (uint32_t)c->general << 8 | c->version;
    id->fa.edx = 48u << 5 | c->fixed;
}

/* The Atom cores of a hybrid part; or its others, if it is one: the table of CPUs has another row for its
 * Atom cores. */
static void core_type(struct cpu_id *id, bool atom)
{
    const struct arch_cpu *core = pmu_arch_cpu(id);
    id->f7_edx |= CPUID_7_EDX_HYBRID;
    id->f1a_eax = 0x20u << 24;
    if (pmu_arch_cpu(id) == core)
        id->f7_edx = id->f1a_eax = 0;
    else if (!atom)
        id->f1a_eax = 0x40u << 24;
}

enum vendor { INTEL, AMD, VENDORS };
static const char *const vendors[VENDORS] = {"GenuineIntel", "AuthenticAMD"};

static struct cpu_id identity(enum vendor vendor, unsigned family, unsigned model, unsigned stepping,
                              bool atom)
{
    struct cpu_id id = {.family = family, .model = model, .stepping = stepping, .f1_edx = CPUID_1_EDX_DS};
    snprintf(id.vendor, sizeof id.vendor, "%s", vendors[vendor]);
    if (vendor == AMD) {
        id.f1_edx = 0;
        if (family >= 0x15) id.x1_ecx = CPUID_X1_ECX_PERFCTR_CORE;
        if (family > 0x19 || (family == 0x19 && ((model >= 0x10 && model < 0x20) || model >= 0x60))) {
            id.x22_eax = CPUID_X22_EAX_PERFMON_V2;
            id.x22_ebx = AMD_EXTENDED;
        }
    } else {
        core_type(&id, atom);
        counters_of(&id);
    }
    return id;
}

/* ---- the drivers' answers ---- */

static bool probe(struct event_cpu *cpu)
{
    struct pmu *pmu = &cpu->pmu;
    memset(pmu, 0, sizeof *pmu);
    for (unsigned i = 0; i < PMU_COUNTERS; i++) pmu->rdpmc_index[i] = i;
    registers_reset();
    registers_set(MSR_ARCH_MISC_ENABLE, MISC_PERFMON);
    for (unsigned k = 0; k < DRIVERS && !pmu->ops; k++)
        if (drivers[k]->detect(&cpu->id, pmu)) pmu->ops = drivers[k];
    if (!pmu->ops || !pmu->counters) return false;
    for (unsigned i = 0; i < pmu->counters; i++) {
        const bool good = !pmu->ops->trial || pmu->ops->trial(pmu, i);
        pmu->state[i] = good ? COUNTER_OK : COUNTER_UNRELIABLE;
        if (good) pmu->usable |= 1u << i;
    }
    return true;
}

/* ---- names ---- */

/* Vendors of the families in sim/models.def. */
enum { OF_p5 = INTEL, OF_p6 = INTEL, OF_netburst = INTEL, OF_arch = INTEL, OF_amd = AMD };

static const struct modelled {
    const char *name;
    enum vendor vendor;
    uint32_t signature;
} modelled[] = {
#define MODEL(name, family, signature, ...) {#name, (enum vendor)OF_##family, signature},
#include "sim/models.def"
#undef MODEL
};
#define MODELLED (sizeof modelled / sizeof *modelled)

/* CPUID.1:EAX (SDM vol. 2A, CPUID, "Version information"). */
static struct cpu_id of_signature(const struct modelled *m)
{
    const unsigned base = m->signature >> 8 & 15, extended = m->signature >> 20 & 0xff;
    const unsigned model = (m->signature >> 4 & 15) | (m->signature >> 12 & 0xf0);
    return identity(m->vendor, base == 15 ? base + extended : base, model, m->signature & 15, false);
}

/* Do they agree but for capitals and what is neither letter nor digit? */
static bool alike(const char *a, const char *b)
{
    for (;; a++, b++) {
        while (*a && !isalnum((unsigned char)*a)) a++;
        while (*b && !isalnum((unsigned char)*b)) b++;
        if (tolower((unsigned char)*a) != tolower((unsigned char)*b)) return false;
        if (!*a) return true;
    }
}

static bool same_pmu(const struct pmu *a, const struct pmu *b)
{
    return a->ops == b->ops && strcmp(a->model, b->model) == 0 && a->core_type == b->core_type &&
           (a->database ? strcmp(a->database, b->database) == 0 : !b->database);
}

static bool has_database(const struct pmu *pmu) { return pmu->database && *pmu->database; }

/* Once each. */
static void add_name(struct event_cpu *cpu, const char *name)
{
    const size_t at = strlen(cpu->names), n = strlen(name);
    for (const char *s = cpu->names; (s = strstr(s, name)) != NULL; s += n)
        if ((s == cpu->names || s[-1] == ' ') && (s[n] == ',' || s[n] == '\0')) return;
    snprintf(cpu->names + at, sizeof cpu->names - at, "%s%s", at ? ", " : "", name);
}

/* "Alder Lake", "Atom" -> "alder-lake-atom" */
static void add_model(struct event_cpu *cpu)
{
    char text[EVENT_CPU_NAMES];
    size_t n = 0;
    const char *parts[] = {cpu->pmu.model, cpu->pmu.core_type ? cpu->pmu.core_type : ""};
    for (unsigned i = 0; i < 2; i++) {
        for (const char *s = parts[i]; *s && n + 2 < sizeof text; s++) {
            const bool begins = n && (s == parts[i] || !isalnum((unsigned char)s[-1]));
            if (isalnum((unsigned char)*s) && begins) text[n++] = '-';
            if (isalnum((unsigned char)*s)) text[n++] = (char)tolower((unsigned char)*s);
        }
    }
    text[n] = '\0';
    add_name(cpu, text);
}

static const struct event_cpu *of_database(const char *name);

/* libpfm4's name, where it means this CPU, and those of models; a CPU without them has its driver's. */
static void find_names(struct event_cpu *cpu)
{
    struct event_cpu other;
    const struct event_cpu *means = has_database(&cpu->pmu) ? of_database(cpu->pmu.database) : NULL;
    cpu->names[0] = '\0';
    if (means && same_pmu(&means->pmu, &cpu->pmu)) add_name(cpu, cpu->pmu.database);
    for (unsigned i = 0; i < MODELLED; i++) {
        other.id = of_signature(&modelled[i]);
        if (probe(&other) && same_pmu(&other.pmu, &cpu->pmu)) add_name(cpu, modelled[i].name);
    }
    if (!*cpu->names) add_model(cpu);
    probe(cpu); /* the registers are this one's again */
}

/* ---- all CPUs ---- */

#define CPUS_MAX 128
#define FAMILIES 0x20
#define MODELS   0x100
static const uint8_t steppings[] = {0, 5, 10}; /* from which on some table has another CPU */

static struct event_cpu all[CPUS_MAX];
static unsigned n_all;

static void add(struct cpu_id id)
{
    struct event_cpu cpu = {.id = id};
    if (!probe(&cpu) || (cpu_is_amd(&id) && !has_database(&cpu.pmu)))
        return; /* families that AMD does not have */
    for (unsigned i = 0; i < n_all; i++)
        if (same_pmu(&all[i].pmu, &cpu.pmu)) return;
    if (n_all == CPUS_MAX) abort();
    all[n_all++] = cpu;
}

static void find_all(void)
{
    for (unsigned k = 0; k < VENDORS * FAMILIES * MODELS; k++) {
        const enum vendor vendor = (enum vendor)(k / MODELS / FAMILIES);
        const unsigned family = k / MODELS % FAMILIES, model = k % MODELS;
        for (unsigned s = 0; s < sizeof steppings; s++) {
            add(identity(vendor, family, model, steppings[s], false));
            if (vendor == INTEL) add(identity(vendor, family, model, steppings[s], true));
        }
    }
}

/* The first that has these events of libpfm4's. */
static const struct event_cpu *of_database(const char *name)
{
    if (n_all == 0) find_all();
    for (unsigned i = 0; i < n_all; i++)
        if (has_database(&all[i].pmu) && alike(name, all[i].pmu.database)) return &all[i];
    return NULL;
}

/* ---- public ---- */

void event_cpus(void (*one)(void *ctx, const struct event_cpu *cpu), void *ctx)
{
    if (n_all == 0) find_all();
    for (unsigned i = 0; i < n_all; i++) {
        find_names(&all[i]);
        one(ctx, &all[i]);
    }
}

/* "GenuineIntel-6-9E-A", the stepping may be left out. */
static bool of_cpuid(const char *text, struct cpu_id *id)
{
    unsigned family, model, stepping = 0;
    int end = 0;
    for (unsigned v = 0; v < VENDORS; v++) {
        const size_t n = strlen(vendors[v]);
        if (strncmp(text, vendors[v], n) != 0) continue;
        if (sscanf(text + n, "-%3u-%2x%n-%1x%n", &family, &model, &end, &stepping, &end) < 2 || text[n + end])
            return false;
        *id = identity((enum vendor)v, family, model, stepping, false);
        return true;
    }
    return false;
}

static bool has_name(const struct event_cpu *cpu, const char *name)
{
    char model[64];
    const char *core = cpu->pmu.core_type ? cpu->pmu.core_type : "";
    snprintf(model, sizeof model, "%s %s", cpu->pmu.model, core);
    return alike(name, cpu->pmu.model) || alike(name, model);
}

static bool find(const char *name, struct cpu_id *id)
{
    for (unsigned i = 0; i < MODELLED; i++)
        if (alike(name, modelled[i].name)) return *id = of_signature(&modelled[i]), true;
    if (of_cpuid(name, id)) return true;
    const struct event_cpu *known = of_database(name);
    if (known) return *id = known->id, true;
    for (unsigned i = 0; i < n_all; i++)
        if (has_name(&all[i], name)) return *id = all[i].id, true;
    return false;
}

bool event_cpu_named(const char *name, struct event_cpu *cpu)
{
    if (!find(name, &cpu->id) || !probe(cpu)) return false;
    find_names(cpu);
    return true;
}

bool event_cpu_here(struct event_cpu *cpu)
{
    cpu_identify(&cpu->id);
    if (!probe(cpu)) return false;
    find_names(cpu);
    return true;
}
