#include "kernel/lfence.h"
#include "measure/bracket.h"

static bool always(const struct cpu_id *id)
{
    (void)id;
    return true;
}

static bool serialize_usable(const struct cpu_id *id) { return id->f7_edx & CPUID_7_EDX_SERIALIZE; }

const struct serializer serializers[SERIALIZE_COUNT] = {
    [SERIALIZE_CPUID] = {"cpuid", always, {0}, 0},
    [SERIALIZE_LFENCE] = {"lfence", lfence_serializes, {0x0f, 0xae, 0xe8}, 3},
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
