#include "kernel/smi.h"
#include "kernel/hw.h"
#include "kernel/repeated.h"
#include <string.h>

#define MSR_SMI_COUNT 0x34

/* SDM vol. 4: MSR_SMI_COUNT from Nehalem on and from Silvermont on, not on Bonnell and Saltwell (1Ch, 26h,
 * 27h, 35h, 36h), nor on NetBurst (family 15); later families continue family 6 (18, Nova Lake: Linux'
 * intel-family.h). Under a hypervisor its value is the hypervisor's invention. */
bool smi_counter_present(const struct cpu_id *id)
{
    static const uint8_t without[] = {0x1c, 0x1d, 0x26, 0x27, 0x35, 0x36};
    uint64_t v;
    if (!cpu_is_intel(id) || id->has_hypervisor) return false;
    if (id->family == 6 ? id->model < 0x1a || memchr(without, (int)id->model, sizeof without)
                        : id->family <= 15)
        return false;
    return rdmsr_safe(MSR_SMI_COUNT, &v);
}

REPEATED uint32_t smi_counter_read(void)
{
    uint64_t v = 0;
    rdmsr_safe(MSR_SMI_COUNT, &v);
    return (uint32_t)v;
}
