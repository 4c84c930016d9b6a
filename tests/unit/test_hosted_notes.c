/* Notes of a hosted kernel: what the files of /proc and /sys say, and why there are no counters. */
#include "hosted/hosted.h"
#include "hosted/notes.c"
#include "kernel/permits.h"
#include "tests/unit/fake_hw.h"
#include "tests/unit/fake_linux.h"
#include "tests/unit/unit.h"

#define N(a) (sizeof(a) / sizeof(a)[0])

bool hosted_calls_end, hosted_preemption_told;
static int perf_error;
static enum hybrid kind;
int hosted_perf_error(void) { return perf_error; }
enum hybrid hosted_hybrid(void) { return kind; }

static int quiet(void **state)
{
    (void)state;
    fake_reset();
    fake_linux_reset();
    hosted_calls_end = hosted_preemption_told = true;
    perf_error = 0;
    kind = HYBRID_NONE;
    return 0;
}

/* The only note is this one; NULL: there is no note. */
static void expect_note(const char *what, const char *text)
{
    const char *of, *note;
    unsigned i = 0;
    note = machine_note(&i, &of);
    if (!text) {
        if (note) fail_msg("a note: %s: %s", of, note);
    } else {
        assert_non_null(note);
        assert_string_equal(of, what);
        assert_string_equal(note, text);
        assert_null(machine_note(&i, &of));
    }
    assert_int_equal(fake_files_left, 0);
}

TEST_WITH(numbers, quiet, NULL)
{
    fake_file("/a", "Name:\tx\nTracerPid:\t42\nUid:\t7\n");
    fake_file("/number", "10\n");
    fake_file("/empty", "");
    fake_file("/error", NULL);
    assert_int_equal(hosted_number("/a", "TracerPid:"), 42);
    assert_int_equal(hosted_number("/a", "PPid:"), -1);
    assert_int_equal(hosted_number("/number", ""), 10);
    assert_int_equal(hosted_number("/empty", ""), -1);
    assert_int_equal(hosted_number("/error", ""), -1);
    assert_int_equal(hosted_number("/none", ""), -1);
    assert_int_equal(fake_files_left, 0);
}

/* /sys/hypervisor/type, DMI's vendor and product; NULL: there is no such file. */
#define DENIED(name)                                                                             \
    "this seems to be a virtual machine (" name "), although CPUID denies it: times may include" \
    " the hypervisor's work"
static const struct {
    const char *type, *vendor, *product, *note;
} hidden[] = {
    {NULL, NULL, NULL, NULL},
    {NULL, "Dell Inc.\n", "PowerEdge R640\n", NULL},
    {NULL, "QEMU\n", "Standard PC (Q35 + ICH9, 2009)\n", DENIED("QEMU")},
    {NULL, "QEMU\n", NULL, DENIED("QEMU")},
    {NULL, "QEMU\n", "KVM Virtual Machine\n", DENIED("KVM")},
    {NULL, "Red Hat\n", "KVM\n", DENIED("KVM")},
    {NULL, "VMware, Inc.\n", "VMware Virtual Platform\n", DENIED("VMware")},
    {NULL, "VMware, Inc.\n", "VMware7,1\n", DENIED("VMware")},
    {NULL, "VMware, Inc.\n", NULL, DENIED("VMware")},
    {NULL, "innotek GmbH\n", "VirtualBox\n", DENIED("VirtualBox")},
    {NULL, "innotek GmbH\n", NULL, DENIED("VirtualBox")},
    {NULL, "Xen\n", "HVM domU\n", DENIED("Xen")},
    {"xen\n", NULL, NULL, DENIED("Xen")},
    {"none\n", "Dell Inc.\n", "PowerEdge R640\n", NULL},
    {NULL, "Amazon EC2\n", "m5.large\n", DENIED("Amazon EC2")},
    {NULL, "Amazon EC2\n", NULL, DENIED("Amazon EC2")},
    {NULL, "Amazon EC2\n", "c5.metal\n", NULL}, /* no hypervisor */
    {NULL, "Amazon EC2\n", "m7i.metal-24xl\n", NULL},
    {NULL, "Google\n", "Google Compute Engine\n", DENIED("Google Compute Engine")},
    {NULL, "Google\n", "Eve\n", NULL}, /* a laptop */
    {NULL, "Not QEMU\n", "MyKVM\n", NULL},
};

/* CPUID.1:ECX[31] */
TEST_WITH(hidden_hypervisor, quiet, NULL)
{
    for (unsigned shown = 0; shown < 2; shown++) {
        const struct fake_cpuid leaf[] = {{0, 0, {1, 0, 0, 0}}, {1, 0, {0, 0, shown << 31 | 0x7fffffff, 0}}};
        for (unsigned i = 0; i < N(hidden); i++) {
            quiet(NULL);
            fake_cpuid(leaf, N(leaf));
            if (hidden[i].type) fake_file("/sys/hypervisor/type", hidden[i].type);
            if (hidden[i].vendor) fake_file("/sys/class/dmi/id/sys_vendor", hidden[i].vendor);
            if (hidden[i].product) fake_file("/sys/class/dmi/id/product_name", hidden[i].product);
            expect_note("hypervisor", shown ? NULL : hidden[i].note);
        }
    }
}

TEST_WITH(each_note, quiet, NULL)
{
    expect_note(NULL, NULL);
    fake_file("/proc/self/status", "TracerPid:\t0\n");
    fake_file("/proc/sys/kernel/nmi_watchdog", "0\n");
    expect_note(NULL, NULL);

    quiet(NULL);
    fake_file("/proc/self/status", "TracerPid:\t123\n");
    expect_note("process", "a tracer is attached to this process: it stops the code at each signal");

    quiet(NULL);
    fake_file("/proc/self/smaps_rollup", "Rss: 9 kB\nAnonHugePages:     18432 kB\n");
    expect_note("pages", "18 MiB of this process are in pages of 2 MiB");

    quiet(NULL);
    fake_file("/proc/sys/kernel/nmi_watchdog", "1\n");
    expect_note("counters", "Linux' NMI watchdog uses one of the counters: as root, sysctl "
                            "kernel.nmi_watchdog=0 frees it");
    perf_error = EACCES; /* there are none to be used */
    expect_note(NULL, NULL);

    quiet(NULL);
    kind = HYBRID_ATOM; /* fake_linux.c's getcpu() says 3 */
    expect_note("core",
                "the first processor is CPU 3, an efficiency core; taskset -c N ./run-here.sh chooses "
                "another");
    kind = HYBRID_CORE;
    expect_note("core",
                "the first processor is CPU 3, a performance core; taskset -c N ./run-here.sh chooses "
                "another");

    quiet(NULL);
    hosted_calls_end = false;
    expect_note("system calls", "Linux 5.11 or later ends measured code at a system call; this one executes "
                                "the call");
    quiet(NULL);
    hosted_preemption_told = false;
    expect_note("preemption", "Linux does not report preemption to this process (rseq, Linux 4.18 or later), "
                              "so preempted repetitions have no flag");
}

TEST_WITH(why_no_counters, quiet, NULL)
{
    static const struct {
        int error;
        const char *says;
    } at[] = {
        {EACCES, "as root, sysctl kernel.perf_event_paranoid=2"},
        {EPERM, "as root, sysctl kernel.perf_event_paranoid=2"},
        {ENOSYS, "this Linux has no perf_event_open"},
        {HOSTED_NO_RDPMC, "as root, echo 2 >/sys/bus/event_source/devices/cpu/rdpmc"},
        {ENOENT, "most virtual machines have none"},
        {EOPNOTSUPP, "most virtual machines have none"},
        {0, "most virtual machines have none"},
    };
    for (unsigned i = 0; i < N(at); i++) {
        perf_error = at[i].error;
        const char *why = machine_no_counters();
        if (!strstr(why, at[i].says)) fail_msg("error %d: %s", perf_error, why);
    }
}
