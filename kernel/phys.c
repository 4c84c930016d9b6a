/* Physical memory for the boot-information and ACPI parsers. Both kernels map the low 4 GiB one to one. */
#include "kernel/bootinfo.h"

const void *phys_peek(uint64_t addr, size_t len)
{
    const uint64_t limit = 1ull << 32;
    if (addr == 0 || addr >= limit || len > limit - addr) return NULL;
    return (const void *)(uintptr_t)addr;
}
