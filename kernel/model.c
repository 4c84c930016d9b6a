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

bool model_lacks(uint32_t n) { return hw_cpuid(MODEL_LEAF_LACKS, n).eax != 0; }

uint32_t model_lacks_parts(void)
{
    return model_present() && hw_cpuid(MODEL_LEAF, 0).eax >= MODEL_LEAF_PARTS
               ? hw_cpuid(MODEL_LEAF_PARTS, 0).eax
               : 0;
}
