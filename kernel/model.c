#include "kernel/model.h"
#include "kernel/hw.h"
#include <string.h>

bool model_present(void)
{
    static const uint32_t signature[] = {MODEL_SIGNATURE};
    const struct cpuid_regs r = hw_cpuid(MODEL_LEAF, 0);
    const uint32_t found[] = {r.ebx, r.ecx, r.edx};
    return memcmp(found, signature, sizeof signature) == 0;
}

bool model_lacks(uint32_t n) { return hw_cpuid(MODEL_LEAF_COUNTS, n).eax & MODEL_LACKS; }

bool model_counts_clocks(uint32_t n) { return hw_cpuid(MODEL_LEAF_COUNTS, n).eax & MODEL_CLOCKS; }

static bool answers(uint32_t leaf) { return model_present() && hw_cpuid(MODEL_LEAF, 0).eax >= leaf; }

void model_name(char name[MODEL_NAME_BYTES + 1])
{
    memset(name, 0, MODEL_NAME_BYTES + 1);
    if (!answers(MODEL_LEAF_NAME)) return;
    const struct cpuid_regs r = hw_cpuid(MODEL_LEAF_NAME, 0);
    const uint32_t text[] = {r.eax, r.ebx, r.ecx, r.edx};
    memcpy(name, text, MODEL_NAME_BYTES);
}

uint32_t model_lacks_parts(void) { return answers(MODEL_LEAF_PARTS) ? hw_cpuid(MODEL_LEAF_PARTS, 0).eax : 0; }
