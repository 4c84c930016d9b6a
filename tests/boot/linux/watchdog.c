/* The NMI watchdog: Linux' own user of a counter that overflows once every watchdog_thresh seconds of cycles.
 */
#include "tests/boot/linux/guest.h"
#include "tests/boot/linux/sys.h"
#include <linux/perf_event.h>

#define WATCHDOG     "/proc/sys/kernel/nmi_watchdog"
#define THRESHOLD    "/proc/sys/kernel/watchdog_thresh"
/* A threshold of 1 s is as many cycles as the TSC has ticks in a second; an iteration is two. */
#define TICKS_HZ     20000000u
#define MOST_MEMBERS 9

static int open_event(uint64_t config, int leader)
{
    struct perf_event_attr attr = {.type = PERF_TYPE_HARDWARE,
                                   .config = config,
                                   .disabled = leader < 0,
                                   .exclude_kernel = 1,
                                   .read_format = PERF_FORMAT_TOTAL_TIME_RUNNING};
    return perf_open(&attr, leader);
}

void watchdog(unsigned cpu)
{
    uint64_t alone[2] = {0}, two[2] = {0};
    bool on = file_write(THRESHOLD, "1") && file_write(WATCHDOG, "1");
    uint32_t before = interrupts("PMI", cpu);
    int fd = open_event(PERF_COUNT_HW_INSTRUCTIONS, -1);
    run(fd, payload_spin, 3 * (TICKS_HZ / 4)); /* one and a half seconds */
    uint32_t pmi = interrupts("PMI", cpu) - before;
    bool there = file_read(fd, alone, sizeof alone) == sizeof alone;
    file_close(fd);
    check(on && pmi >= 1 && pmi <= 2, "NMI watchdog: %u PMIs in 1.5 s of CPU %u's cycles", pmi, cpu);
    const unsigned wanted = MEASURED_INSNS + SPIN_INSNS(3 * (TICKS_HZ / 4));
    check(there && alone[0] >= wanted && alone[0] <= wanted + pmu->deliveries,
          "beside it instructions:u = %u, expected %u", (unsigned)alone[0], wanted);

    /* It keeps one of the counters, so a group that needs all of them gets none. */
    int member[MOST_MEMBERS];
    unsigned members = 0, opened = 0;
    fd = open_event(pmu->fixed ? PERF_COUNT_HW_CPU_CYCLES : PERF_COUNT_HW_INSTRUCTIONS, -1);
    while (members + 1 < pmu->counters && (member[members] = open_event(PERF_COUNT_HW_INSTRUCTIONS, fd)) >= 0)
        members++;
    run(fd, payload_spin, 1000);
    there = file_read(fd, two, sizeof two) == sizeof two;
    while (members) file_close(member[--members]), opened++;
    file_close(fd);
    check(fd >= 0 && opened + 1 == pmu->counters && there && two[1] == 0,
          "beside it a group of %u does not run (%u ns)", pmu->counters, (unsigned)two[1]);
    check(file_write(WATCHDOG, "0"), "NMI watchdog off");
}
