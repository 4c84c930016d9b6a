/* What Linux, a container or a debugger takes from this process, as notes of the session. */
#include "hosted/hosted.h"
#include "hosted/linux.h"
#include "kernel/hw.h"
#include "kernel/permits.h"
#include <asm/errno.h>
#include <linux/fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_BYTES 4096

/* The text of a small file of /proc or /sys; "" if it cannot be read. */
static const char *text_of(const char *path)
{
    static char text[FILE_BYTES + 1];
    const long fd = sys_call(__NR_open, path, (long)O_RDONLY, 0L);
    if (sys_failed(fd)) return "";
    const long n = sys_call(__NR_read, fd, text, (long)FILE_BYTES);
    sys_call(__NR_close, fd);
    text[sys_failed(n) ? 0 : n] = '\0';
    return text;
}

long hosted_number(const char *path, const char *key)
{
    const char *text = text_of(path), *at = strstr(text, key);
    return at && *text ? strtol(at + strlen(key), NULL, 10) : -1;
}

static const char *calls(void)
{
    return hosted_calls_end
               ? NULL
               : "Linux 5.11 or later ends measured code at a system call; this one executes the call";
}

static const char *preemption(void)
{
    return hosted_preemption_told ? NULL
                                  : "Linux does not report preemption to this process (rseq, Linux 4.18 or "
                                    "later), so preempted repetitions have no flag";
}

static const char *tracer(void)
{
    return hosted_number("/proc/self/status", "TracerPid:") > 0
               ? "a tracer is attached to this process: it stops the code at each signal"
               : NULL;
}

static const char *huge_pages(void)
{
    static char text[64];
    const long kib = hosted_number("/proc/self/smaps_rollup", "AnonHugePages:");
    if (kib < 0) return NULL;
    snprintf(text, sizeof text, "%ld MiB of this process are in pages of 2 MiB", kib / 1024);
    return text;
}

static const char *core(void)
{
    static char text[128];
    unsigned cpu = 0;
    if (!hosted_hybrid()) return NULL;
    sys_call(__NR_getcpu, &cpu, 0L, 0L);
    snprintf(text, sizeof text,
             "the first processor is CPU %u, %s core; taskset -c N ./run-here.sh chooses another", cpu,
             hosted_hybrid() == HYBRID_ATOM ? "an efficiency" : "a performance");
    return text;
}

static const char *watchdog(void)
{
    return hosted_perf_error() == 0 && hosted_number("/proc/sys/kernel/nmi_watchdog", "") == 1
               ? "Linux' NMI watchdog uses one of the counters: as root, sysctl kernel.nmi_watchdog=0 frees "
                 "it"
               : NULL;
}

#define DMI     "/sys/class/dmi/id/"
#define PRODUCT DMI "product_name"
#define AMAZON  "Amazon EC2" /* also its machines without a hypervisor: their products have METAL */
#define METAL   ".metal"
#define XEN     "/sys/hypervisor/type"

/* How files that name a virtual machine begin. The product comes first: below QEMU as a vendor, it may be
 * KVM. Not "Google" as a vendor, which also makes laptops. */
static const struct {
    const char *file, *begin, *name;
} machines[] = {
    {XEN, "xen", "Xen"},
    {PRODUCT, "KVM", "KVM"},
    {PRODUCT, "VMware", "VMware"},
    {PRODUCT, "VirtualBox", "VirtualBox"},
    {PRODUCT, "Google Compute Engine", "Google Compute Engine"},
    {DMI "sys_vendor", "QEMU", "QEMU"},
    {DMI "sys_vendor", "VMware", "VMware"},
    {DMI "sys_vendor", "innotek GmbH", "VirtualBox"},
    {DMI "sys_vendor", "Xen", "Xen"},
    {DMI "sys_vendor", AMAZON, AMAZON},
};

static const char *hypervisor(void)
{
    static char text[128];
    if (hw_cpuid(1, 0).ecx >> 31) return NULL; /* the platform and its flags tell that */
    for (unsigned i = 0; i < sizeof machines / sizeof *machines; i++) {
        if (strncmp(text_of(machines[i].file), machines[i].begin, strlen(machines[i].begin)) != 0) continue;
        if (strcmp(machines[i].begin, AMAZON) == 0 && strstr(text_of(PRODUCT), METAL)) continue;
        snprintf(text, sizeof text,
                 "this seems to be a virtual machine (%s), although CPUID denies it: times may include the "
                 "hypervisor's work",
                 machines[i].name);
        return text;
    }
    return NULL;
}

static const struct {
    const char *what;
    const char *(*text)(void);
} notes[] = {
    {"system calls", calls},    {"preemption", preemption}, {"process", tracer},
    {"pages", huge_pages},      {"counters", watchdog},     {"core", core},
    {"hypervisor", hypervisor},
};

const char *machine_note(unsigned *i, const char **what)
{
    while (*i < sizeof notes / sizeof *notes) {
        const char *text = notes[*i].text();
        *what = notes[(*i)++].what;
        if (text) return text;
    }
    return NULL;
}

const char *machine_no_counters(void)
{
    switch (hosted_perf_error()) {
    case EACCES:
    case EPERM:
        return "Linux forbids this process the performance counters: as root, sysctl "
               "kernel.perf_event_paranoid=2";
    case ENOSYS:
        return "this Linux has no perf_event_open";
    case HOSTED_NO_RDPMC:
        return "Linux does not let a process read its counters by RDPMC: as root, echo 2 "
               ">/sys/bus/event_source/devices/cpu/rdpmc";
    default:
        return "Linux has no performance counters for a process on this machine; most virtual machines have "
               "none";
    }
}
