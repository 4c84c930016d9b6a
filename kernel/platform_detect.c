#include "kernel/hw.h"
#include "kernel/platform.h"
#include <string.h>

/* QEMU's firmware configuration device (QEMU docs/specs/fw_cfg): selecting item 0 reads "QEMU". */
#define FW_CFG_SELECT 0x510 /* 16 bits wide */
#define FW_CFG_DATA   0x511

static bool has_fw_cfg(void)
{
    hw_outw(FW_CFG_SELECT, 0);
    for (const char *c = "QEMU"; *c; c++)
        if (hw_inb(FW_CFG_DATA) != (uint8_t)*c) return false;
    return true;
}

enum platform platform_detect(const struct cpu_id *id, const struct acpi_info *acpi)
{
    const enum platform p = platform_by_cpuid(id);
    if (p != PLATFORM_SILICON) return p;
    /* Without its model Bochs shows nothing; its BIOS signs the ACPI tables, as QEMU's does. QEMU's port is
     * read only then: a real board may have another device at 510h. */
    if (!acpi->found || strcmp(acpi->oem, "BOCHS ") != 0) return PLATFORM_SILICON;
    return has_fw_cfg() ? PLATFORM_QEMU_TCG : PLATFORM_BOCHS;
}
