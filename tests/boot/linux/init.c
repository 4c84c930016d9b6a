#include "tests/boot/linux/guest.h"
#include "tests/boot/linux/sys.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOG_BYTES (1u << 18)

static char text[LOG_BYTES];
static struct checks checks;
static unsigned runs;

const struct pmu *pmu;

/* ---- private ---- */

/* K8 to family 15h count exceptions and interrupts as instructions and branches (docs/pmu-model.md). */
static const struct pmu pmus[] = {
    {"Performance Events: p6 PMU driver.", PMU_P6, 2, false, 0, 0x79, 0, -1},
    {" Core events, ", PMU_ARCH, 2, false, 0, 0x3c, 0, -1},
    {" Core2 events, ", PMU_CORE2, 2 + 2, true, 0, 0x3c, 4, 0},
    {" SandyBridge events, ", PMU_ARCH_FIXED, 8 + 2, true, 0, 0x3c, 16, 1},
    {" Haswell events, ", PMU_ARCH_FIXED, 4 + 2, true, 0, 0x3c, 16, 2},
    {" Skylake events, ", PMU_SKYLAKE, 4 + 2, true, 0, 0x3c, 32, 3},
    {" Icelake events, ", PMU_SKYLAKE, 8 + 2, true, 0, 0x3c, 32, 4},
    {"Performance Events: AMD PMU driver.", PMU_AMD, 4, false, 600, 0x76, 0, -1},
    {"Performance Events: Fam15h core perfctr, AMD PMU driver.", PMU_AMD, 6, false, 600, 0x76, 0, -1},
    {"Performance Events: Fam17h+ core perfctr, AMD PMU driver.", PMU_ZEN, 6, false, 0, 0x76, 0, -1},
    {"Performance Events: Fam17h+ 16-deep LBR, core perfctr, AMD PMU driver.", PMU_ZEN, 6, false, 0, 0x76, 16,
     -1},
};

/* The kernel's lines with any of these words are shown. */
static const char *const of_interest[] = {"Linux version",
                                          "smpboot: CPU0:",
                                          "smpboot: Total of",
                                          "Performance Events",
                                          "PMU",
                                          "generic registers",
                                          "bit width",
                                          "NMI",
                                          "perf",
                                          NULL};
/* ... and these mean that it was not content. */
static const char *const complaints[] = {"NMI received for unknown reason",
                                         "irq loop stuck",
                                         "interrupt took too long",
                                         "failed to be enabled",
                                         "no hardware sampling interrupt",
                                         "BIOS corrupt",
                                         "WARNING:",
                                         "Not responding",
                                         "unsynchronized",
                                         NULL};

static const char *any_of(const char *line, const char *const *words)
{
    while (*words && !strstr(line, *words)) words++;
    return *words;
}

/* Lines of the kernel's log, shown or looked for. */
static unsigned log_lines(const char *const *words, bool show)
{
    unsigned n = 0;
    kernel_log(text, sizeof text);
    for (char *line = text, *end; *line; line = end) {
        end = strchr(line, '\n');
        if (end)
            *end++ = 0;
        else
            end = line + strlen(line);
        if (!any_of(line, words)) continue;
        n++;
        if (show) say("  %.150s\n", line);
    }
    return n;
}

/* ---- public ---- */

void check(bool good, const char *format, ...)
{
    char what[400];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    if (good)
        checks.passed++;
    else
        checks.failed++;
    say("%s %s\n", good ? "ok" : "not ok", what);
}

struct checks checks_taken(void)
{
    const struct checks all = checks;
    checks = (struct checks){0, 0};
    return all;
}

void checks_add(struct checks more)
{
    checks.passed += more.passed;
    checks.failed += more.failed;
}

unsigned run(int fd, payload_fn *payload, unsigned n)
{
    measured(fd, payload, n);
    return ++runs;
}

unsigned runs_elsewhere(unsigned n)
{
    const unsigned first = runs + 1;
    runs += n;
    return first;
}

uint32_t interrupts(const char *line, unsigned cpu)
{
    char wanted[16];
    if (!file_text("/proc/interrupts", text, sizeof text)) return 0;
    snprintf(wanted, sizeof wanted, "%s:", line);
    const char *at = strstr(text, wanted);
    if (!at) return 0;
    at += strlen(wanted);
    while (cpu--) strtoul(at, (char **)&at, 10);
    return (uint32_t)strtoul(at, NULL, 10);
}

/* The kernel's command line has only=WHAT, which tools/linux-perf.sh --only puts there. */
static bool only(const char *what)
{
    char word[32];
    snprintf(word, sizeof word, "only=%s", what);
    return file_text("/proc/cmdline", text, sizeof text) && strstr(text, word);
}

void guest_main(void);
void guest_main(void)
{
    mount_proc();
    log_lines(of_interest, true);
    for (unsigned k = 0; k < sizeof pmus / sizeof *pmus && !pmu; k++) {
        const char *const driver[] = {pmus[k].found, NULL};
        if (log_lines(driver, false) == 1) pmu = &pmus[k];
    }
    check(pmu != NULL, "Linux found the PMU with its driver: %s", pmu ? pmu->found : "no");
    if (!pmu) power_off();
    /* perf would lower its sampling rate where handling an interrupt takes long; an emulator's clock is no
     * reason to. */
    check(file_write("/proc/sys/kernel/perf_cpu_time_max_percent", "0"), "perf's time limit is off");
    const unsigned cpus = processors();
    if (only("precise")) {
        precise_all();
    } else if (cpus > 1) {
        several(cpus);
    } else {
        count_all();
        sample_all();
        if (pmu->kind >= PMU_AMD) ibs_all();
        if (pmu->branches) branches_all();
        watchdog(0);
    }
    unsigned complained = log_lines(complaints, true);
    check(complained == 0, "Linux complained of its PMU or NMIs %u times", complained);
    say("linux-perf: %u passed, %u failed, status %u\n", checks.passed, checks.failed, checks.failed != 0);
    power_off();
}
