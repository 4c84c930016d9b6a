/* What the kernel runs on: each emulator and hypervisor as it shows itself, and a real board. */
#include "kernel/platform.h"
#include "tests/unit/fake_hw.h"
#include "tests/unit/unit.h"
#include <string.h>

/* QEMU's firmware configuration device: item 0 is "QEMU", and zeros follow. */
static struct {
    char signature[5];
    unsigned at, selected, reads, writes;
} device;

static uint32_t device_in(void *ctx, uint16_t offset, unsigned width)
{
    (void)ctx;
    assert_int_equal(offset, 1);
    assert_int_equal(width, 1);
    device.reads++;
    return device.selected == 0 && device.at < 4 ? (uint8_t)device.signature[device.at++] : 0;
}

static void device_out(void *ctx, uint16_t offset, uint32_t value, unsigned width)
{
    (void)ctx;
    assert_int_equal(offset, 0);
    assert_int_equal(width, 2);
    device.writes++;
    device.selected = value;
    device.at = 0;
}

static enum platform detect(const char *signature, const char *hypervisor, bool hypervisor_bit, bool tables,
                            const char *oem)
{
    static const struct fake_device ports = {0x510, 2, device_in, device_out, NULL};
    struct cpu_id id = {.has_hypervisor = hypervisor_bit};
    struct acpi_info acpi = {.found = tables};
    fake_reset();
    fake_port(&ports);
    memset(&device, 0, sizeof device);
    strcpy(device.signature, signature);
    device.selected = 5; /* the firmware has left another item, and not at its beginning */
    device.at = 2;
    strcpy(id.hypervisor, hypervisor);
    strcpy(acpi.oem, oem);
    return platform_detect(&id, &acpi);
}

TEST(test_detect)
{
    static const struct {
        const char *signature, *hypervisor;
        bool bit, tables;
        const char *oem;
        enum platform want;
    } rows[] = {
        {"QEMU", "TCGTCGTCGTCG", true, true, "BOCHS ", PLATFORM_QEMU_TCG},
        {"QEMU", "KVMKVMKVM", true, true, "BOCHS ", PLATFORM_KVM},
        {"QEMU", "Microsoft Hv", true, true, "BOCHS ", PLATFORM_HYPERVISOR},
        {"", "VMwareVMware", true, true, "PTLTD ", PLATFORM_HYPERVISOR},
        {"", "", true, false, "", PLATFORM_HYPERVISOR},
        {"QEMU", "", false, true, "BOCHS ", PLATFORM_QEMU_TCG}, /* -cpu ...,-hypervisor */
        {"", "", false, true, "BOCHS ", PLATFORM_BOCHS},
        {"QEM", "", false, true, "BOCHS ", PLATFORM_BOCHS},
        {"EMUQ", "", false, true, "BOCHS ", PLATFORM_BOCHS},
        {"QEMU", "", false, true, "INTEL ", PLATFORM_SILICON},
        {"QEMU", "", false, false, "BOCHS ", PLATFORM_SILICON}, /* tables that are damaged */
        {"", "", false, false, "", PLATFORM_SILICON},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        const enum platform p =
            detect(rows[i].signature, rows[i].hypervisor, rows[i].bit, rows[i].tables, rows[i].oem);
        if (p != rows[i].want) fail_msg("row %u: %s", i, platform_name(p));
    }
}

/* A real board may have another device at 510h. */
TEST(test_ports_left_alone)
{
    detect("QEMU", "", false, true, "INTEL ");
    assert_int_equal(device.reads + device.writes, 0);
    detect("QEMU", "", false, true, "BOCHS ");
    assert_int_equal(device.writes, 1);
    assert_int_equal(device.reads, 4);
}

/* Emulators have no processor's time, and their counts are the model's. */
TEST(test_origins)
{
    static const struct {
        enum platform p;
        const char *name, *time, *counts;
    } rows[] = {
        {PLATFORM_SILICON, "silicon", NULL, NULL},
        {PLATFORM_QEMU_TCG, "qemu-tcg", "emulated", "modelled"},
        {PLATFORM_BOCHS, "bochs", "emulated", "modelled"},
        {PLATFORM_KVM, "kvm", "virtualized", "virtualized"},
        {PLATFORM_HYPERVISOR, "hypervisor", "virtualized", "virtualized"},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *time = origin_flag(platform_time_origin(rows[i].p)),
                   *counts = origin_flag(platform_count_origin(rows[i].p));
        assert_string_equal(platform_name(rows[i].p), rows[i].name);
        assert_string_equal(time ? time : "", rows[i].time ? rows[i].time : "");
        assert_string_equal(counts ? counts : "", rows[i].counts ? rows[i].counts : "");
    }
}
