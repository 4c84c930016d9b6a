#include "kernel/health.h"
#include "kernel/hw.h"

#define MSR_SIGNATURE        0x8b /* IA32_BIOS_SIGN_ID; AMD: patch level */
#define MSR_THERM_STATUS     0x19c
#define MSR_CLOCK_MODULATION 0x19a
#define MODULATION_ON        (1u << 4)

static const struct {
    uint32_t log;
    const char *name;
} kinds[] = {{THROTTLE_THERMAL, "thermal"},
             {THROTTLE_PROCHOT, "prochot"},
             {THROTTLE_CRITICAL, "critical temperature"},
             {THROTTLE_POWER_LIMIT, "power limit"},
             {THROTTLE_CURRENT_LIMIT, "current limit"},
             {THROTTLE_CROSS_DOMAIN, "cross domain"}};
#define KINDS (sizeof kinds / sizeof *kinds)

/* The rest is reserved, and with HWP may mean other things. */
#define LOGS_ALWAYS (THROTTLE_THERMAL | THROTTLE_PROCHOT | THROTTLE_CRITICAL)

const char *known_text(enum known k)
{
    return k == KNOWN_UNMODELLED ? "unmodelled" : k == KNOWN_ABSENT ? "absent" : NULL;
}

enum known microcode_read(const struct cpu_id *id, bool emulated, uint32_t *revision)
{
    uint64_t v = 0;
    const bool amd = cpu_is_amd(id);
    *revision = 0;
    if (emulated) return KNOWN_UNMODELLED;
    if (!(amd ? id->family >= 15 : cpu_is_intel(id) && id->family >= 6)) return KNOWN_ABSENT;
    if (!amd) { /* CPUID puts it there, if the register was 0 before */
        wrmsr_safe(MSR_SIGNATURE, 0);
        hw_cpuid(1, 0);
    }
    if (!rdmsr_safe(MSR_SIGNATURE, &v)) return KNOWN_ABSENT;
    *revision = (uint32_t)(amd ? v : v >> 32);
    return KNOWN;
}

/* The log bits that this CPU has. Power limits: CPUID.6:EAX[4]; current and cross-domain limits: [7], HWP. */
static uint32_t logs_of(const struct cpu_id *id)
{
    if (!cpu_is_intel(id) || !(id->f1_edx & CPUID_1_EDX_ACPI)) return 0;
    return LOGS_ALWAYS | (id->f6_eax & CPUID_6_EAX_PLN ? THROTTLE_POWER_LIMIT : 0) |
           (id->f6_eax & CPUID_6_EAX_HWP ? THROTTLE_CURRENT_LIMIT | THROTTLE_CROSS_DOMAIN : 0);
}

enum known throttle_read(const struct cpu_id *id, bool emulated, bool hypervisor, uint32_t *logs)
{
    uint64_t v;
    *logs = 0;
    if (emulated) return KNOWN_UNMODELLED;
    if (hypervisor || !logs_of(id) || !rdmsr_safe(MSR_THERM_STATUS, &v)) return KNOWN_ABSENT;
    *logs = (uint32_t)v & logs_of(id);
    return KNOWN;
}

unsigned clock_modulation_read(const struct cpu_id *id, bool silicon)
{
    uint64_t v;
    if (!silicon || !cpu_is_intel(id) || !(id->f1_edx & CPUID_1_EDX_ACPI)) return 0;
    if (!rdmsr_safe(MSR_CLOCK_MODULATION, &v) || !(v & MODULATION_ON)) return 0;
    return v & (id->f6_eax & CPUID_6_EAX_ECMD ? 15 : 14); /* bit 0 is reserved without CPUID.6:EAX[5] */
}

void throttle_clear(const struct cpu_id *id)
{
    uint64_t v;
    if (rdmsr_safe(MSR_THERM_STATUS, &v)) wrmsr_safe(MSR_THERM_STATUS, v & ~(uint64_t)logs_of(id));
}

const char *throttle_name(uint32_t logs, unsigned i)
{
    for (unsigned k = 0; k < KINDS; k++)
        if (logs & kinds[k].log && i-- == 0) return kinds[k].name;
    return NULL;
}
