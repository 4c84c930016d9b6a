#include "kernel/platform.h"
#include "kernel/hw.h"
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
    if (strcmp(id->hypervisor, "TCGTCGTCGTCG") == 0) return PLATFORM_QEMU_TCG;
    if (strcmp(id->hypervisor, "KVMKVMKVM") == 0) return PLATFORM_KVM;
    if (id->has_hypervisor) return PLATFORM_HYPERVISOR;
    /* Bochs shows no hypervisor bit; its BIOS signs the ACPI tables, as QEMU's does. QEMU's port is read only
     * then: a real board may have another device at 510h. */
    if (!acpi->found || strcmp(acpi->oem, "BOCHS ") != 0) return PLATFORM_SILICON;
    return has_fw_cfg() ? PLATFORM_QEMU_TCG : PLATFORM_BOCHS;
}

static const struct {
    const char *name;
    enum origin time, counts;
} platforms[] = {
    [PLATFORM_SILICON] = {"silicon", ORIGIN_SILICON, ORIGIN_SILICON},
    [PLATFORM_QEMU_TCG] = {"qemu-tcg", ORIGIN_EMULATED, ORIGIN_MODELLED},
    [PLATFORM_BOCHS] = {"bochs", ORIGIN_EMULATED, ORIGIN_MODELLED},
    [PLATFORM_KVM] = {"kvm", ORIGIN_VIRTUALIZED, ORIGIN_VIRTUALIZED},
    [PLATFORM_HYPERVISOR] = {"hypervisor", ORIGIN_VIRTUALIZED, ORIGIN_VIRTUALIZED},
};

const char *platform_name(enum platform p) { return platforms[p].name; }
enum origin platform_time_origin(enum platform p) { return platforms[p].time; }
enum origin platform_count_origin(enum platform p) { return platforms[p].counts; }

const char *origin_flag(enum origin o)
{
    static const char *const flag[] = {NULL, "virtualized", "emulated", "modelled"};
    return flag[o];
}
