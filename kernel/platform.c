#include "kernel/platform.h"
#include "kernel/model.h"
#include <stddef.h>
#include <string.h>

/* Bochs shows no hypervisor; its model of a PMU does. */
enum platform platform_by_cpuid(const struct cpu_id *id)
{
    if (strcmp(id->hypervisor, "TCGTCGTCGTCG") == 0) return PLATFORM_QEMU_TCG;
    if (strcmp(id->hypervisor, "KVMKVMKVM") == 0) return PLATFORM_KVM;
    if (id->has_hypervisor) return PLATFORM_HYPERVISOR;
    return model_present() ? PLATFORM_BOCHS : PLATFORM_SILICON;
}

static const struct {
    const char *name;
    enum origin time, counts;
} platforms[] = {
    [PLATFORM_SILICON] = {"silicon", ORIGIN_SILICON, ORIGIN_SILICON},
    [PLATFORM_LINUX] = {"linux", ORIGIN_SILICON, ORIGIN_SILICON},
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
