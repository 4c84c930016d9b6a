#include "kernel/hw.h"
#include "measure/bracket.h"

#define MSR_DE_CFG        0xc0011029
#define DE_CFG_LFENCE     (1u << 1)
#define X21_LFENCE_ALWAYS (1u << 2)

static bool always(const struct cpu_id *id)
{
    (void)id;
    return true;
}

/* On AMD, LFENCE serialises by itself on families 0Fh and 11h and where CPUID says so, elsewhere when
 * DE_CFG[1] is set: AMD, "Software Techniques for Managing Speculation on AMD Processors", G-2. */
static bool lfence_usable(const struct cpu_id *id)
{
    uint64_t cfg;
    if (!(id->f1_edx & CPUID_1_EDX_SSE2)) return false;
    if (!cpu_is_amd(id)) return true;
    if (id->family == 0x0f || id->family == 0x11 || id->x21_eax & X21_LFENCE_ALWAYS) return true;
    if (!rdmsr_safe(MSR_DE_CFG, &cfg)) return false;
    if (cfg & DE_CFG_LFENCE) return true;
    return wrmsr_safe(MSR_DE_CFG, cfg | DE_CFG_LFENCE) && rdmsr_safe(MSR_DE_CFG, &cfg) &&
           (cfg & DE_CFG_LFENCE);
}

static bool serialize_usable(const struct cpu_id *id) { return id->f7_edx & CPUID_7_EDX_SERIALIZE; }

const struct serializer serializers[SERIALIZE_COUNT] = {
    [SERIALIZE_CPUID] = {"cpuid", always, {0}, 0},
    [SERIALIZE_LFENCE] = {"lfence", lfence_usable, {0x0f, 0xae, 0xe8}, 3},
    [SERIALIZE_SERIALIZE] = {"serialize", serialize_usable, {0x0f, 0x01, 0xe8}, 3},
};

/* measure/bracket.S */
bracket_fn bracket_cpuid, bracket_lfence, bracket_serialize;
bracket_fn bracket_cpuid_rdpmc1, bracket_cpuid_rdpmc2, bracket_cpuid_rdmsr1, bracket_cpuid_rdmsr2;
#ifdef __x86_64__
#define bracket_cpuid_gate1 NULL /* every CPU with long mode has RDPMC */
#define bracket_cpuid_gate2 NULL
#else
bracket_fn bracket_cpuid_gate1, bracket_cpuid_gate2;
#endif

struct bracket_code bracket_code(enum serialize serialize)
{
    extern const char bracket_cpuid_back[], bracket_lfence_back[], bracket_serialize_back[];
    extern const char bracket_cpuid_end[], bracket_lfence_end[], bracket_serialize_end[];
    static const char *const back[] = {bracket_cpuid_back, bracket_lfence_back, bracket_serialize_back};
    static const char *const end[] = {bracket_cpuid_end, bracket_lfence_end, bracket_serialize_end};
    return (struct bracket_code){(uintptr_t)bracket_find(serialize, READER_NONE, 0),
                                 (uintptr_t)back[serialize], (uintptr_t)end[serialize]};
}

bracket_fn *bracket_find(enum serialize serialize, enum reader reader, unsigned counters)
{
    static bracket_fn *const none[SERIALIZE_COUNT] = {bracket_cpuid, bracket_lfence, bracket_serialize};
    static bracket_fn *const few[READER_COUNT][BRACKET_FEW] = {
        [READER_RDPMC] = {bracket_cpuid_rdpmc1, bracket_cpuid_rdpmc2},
        [READER_RDMSR] = {bracket_cpuid_rdmsr1, bracket_cpuid_rdmsr2},
        [READER_GATE] = {bracket_cpuid_gate1, bracket_cpuid_gate2},
    };
    if (counters == 0) return none[serialize];
    if (serialize == SERIALIZE_CPUID && counters <= BRACKET_FEW) return few[reader][counters - 1];
    return reader == READER_RDPMC && counters <= BRACKET_COUNTERS ? bracket_many : NULL;
}
