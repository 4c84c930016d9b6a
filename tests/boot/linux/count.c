/* Counting: known code against what perf_event_open(2) says of it. */
#include "tests/boot/linux/guest.h"
#include "tests/boot/linux/rows.h"
#include "tests/boot/linux/sys.h"

_Static_assert(PERF_ENABLE == PERF_EVENT_IOC_ENABLE && PERF_DISABLE == PERF_EVENT_IOC_DISABLE, "loops.h");

#define REFUSED (-22) /* EINVAL */

/* Loads begin with a line, and none crosses one. */
uint8_t walk_area[WALK_FAR_BYTES] __attribute__((aligned(4096)));

#define MOST_COUNTERS 10

struct reading {
    uint64_t count, enabled, running;
};

/* ---- private ---- */

static int open_event(uint32_t type, uint64_t config, int leader, bool user, bool kernel)
{
    struct perf_event_attr attr = {.type = type,
                                   .config = config,
                                   .disabled = leader < 0,
                                   .exclude_user = !user,
                                   .exclude_kernel = !kernel,
                                   .read_format =
                                       PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING};
    return perf_open(&attr, leader);
}

static bool read_event(int fd, struct reading *r)
{
    *r = (struct reading){0};
    return file_read(fd, r, sizeof *r) == sizeof *r && r->running != 0;
}

static void count_row(const struct row *w)
{
    struct reading r;
    int fd = open_event(w->type, w->config, -1, true, false);
    unsigned number = run(fd, w->payload, w->n);
    bool there = read_event(fd, &r);
    file_close(fd);
    const uint64_t margin = w->margin == DELIVERIES ? pmu->deliveries : w->margin;
    bool good = there && r.running == r.enabled && r.count >= w->least && r.count - w->least <= margin;
    if (margin)
        check(good, "run %u: %s:u of %s x %u = %llu, expected %llu to %llu", number, w->event, w->of, w->n,
              (unsigned long long)r.count, (unsigned long long)w->least,
              (unsigned long long)(w->least + margin));
    else
        check(good, "run %u: %s:u of %s x %u = %llu, expected %llu", number, w->event, w->of, w->n,
              (unsigned long long)r.count, (unsigned long long)w->least);
}

/* Both privilege levels at once, each on its counter, and then both on one counter. */
static void levels(void)
{
    const unsigned n = 1000;
    const uint64_t wanted = MEASURED_INSNS + NULL_CALLS_INSNS(n);
    struct reading user, kernel, both;
    int lead = open_event(HW(INSTRUCTIONS), -1, true, false);
    int member = open_event(HW(INSTRUCTIONS), lead, false, true);
    int all = open_event(HW(INSTRUCTIONS), -1, true, true);
    run(lead, payload_null_calls, n);
    run(all, payload_null_calls, n);
    bool there = read_event(lead, &user) && read_event(member, &kernel) && read_event(all, &both);
    file_close(member);
    file_close(lead);
    file_close(all);
    check(there && user.count >= wanted && user.count <= wanted + pmu->deliveries,
          "%u system calls: %llu instructions in ring 3, expected %llu", n, (unsigned long long)user.count,
          (unsigned long long)wanted);
    uint64_t sum = user.count + kernel.count;
    uint64_t apart = sum > both.count ? sum - both.count : both.count - sum;
    check(there && kernel.count > 10 * n && apart < both.count / 10,
          "%u system calls: %llu instructions in ring 0; with ring 3 %llu, on one counter %llu", n,
          (unsigned long long)kernel.count, (unsigned long long)sum, (unsigned long long)both.count);
}

/* A group with an event for each counter fits, with one more it does not. On fixed counters are one of
 * instructions and one of cycles. */
static void limits(void)
{
    int fd[MOST_COUNTERS + 1];
    unsigned taken = 0;
    for (unsigned k = 0; k <= pmu->counters; k++) {
        const uint64_t config = pmu->fixed && k == pmu->counters - 1 ? PERF_COUNT_HW_CPU_CYCLES
                                : k % 2                              ? PERF_COUNT_HW_BRANCH_INSTRUCTIONS
                                                                     : PERF_COUNT_HW_INSTRUCTIONS;
        fd[k] = open_event(PERF_TYPE_HARDWARE, config, k ? fd[0] : -1, true, false);
        taken += fd[k] >= 0;
    }
    check(taken == pmu->counters && fd[pmu->counters] == REFUSED,
          "a group of %u is refused, of %u is not (%u, %d)", pmu->counters + 1, pmu->counters, taken,
          fd[pmu->counters]);
    for (unsigned k = pmu->counters + 1; k--;) file_close(fd[k]);
}

/* Some events are on one counter only: Linux must know. */
static void p6_limits(void)
{
    int a = open_event(RAW(0xc1), -1, true, false);
    int b = open_event(RAW(0x10), a, true, false);
    int c = open_event(RAW(0x12), a, true, false);
    check(a >= 0 && b == REFUSED && c >= 0,
          "FLOPS and FP_COMP_OPS_EXE, both counter 0 only, are no group; FLOPS and MUL are (%d, %d, %d)", a,
          b, c);
    file_close(c);
    file_close(b);
    file_close(a);
}

/* One event more than there are counters: they take turns. */
static void multiplexed(void)
{
    static const struct turn {
        const char *name;
        uint64_t config, per_round;
    } p6[3] = {{"INST_RETIRED", 0xc0, 2}, {"BR_INST_RETIRED", 0xc4, 1}, {"INST_DECODED", 0xd0, 2}},
      amd[3] = {{"RETIRED_INSTRUCTIONS", 0xc0, 2},
                {"RETIRED_BRANCH_INSTRUCTIONS", 0xc2, 1},
                {"RETIRED_TAKEN_BRANCH_INSTRUCTIONS", 0xc4, 1}},
      arch[3] = {{"INSTRUCTION_RETIRED", 0xc0, 2},
                 {"UNHALTED_CORE_CYCLES", 0x3c, 2},
                 {"BRANCH_INSTRUCTIONS_RETIRED", 0xc4, 1}};
    const struct turn *of = pmu->kind == PMU_P6 ? p6 : pmu->kind >= PMU_AMD ? amd : arch;
    const unsigned n = 1500000, events = pmu->counters + 1;
    int fd[MOST_COUNTERS + 1];
    for (unsigned k = 0; k < events; k++) {
        fd[k] = open_event(RAW(of[k % 3].config), -1, true, false);
        file_ioctl(fd[k], PERF_EVENT_IOC_ENABLE, 0);
    }
    run(-1, payload_spin, n);
    for (unsigned k = 0; k < events; k++) file_ioctl(fd[k], PERF_EVENT_IOC_DISABLE, 0);
    for (unsigned k = 0; k < events; k++) {
        struct reading r;
        bool there = read_event(fd[k], &r);
        unsigned share = there ? (unsigned)(100 * r.running / r.enabled) : 0;
        double scaled = there ? (double)r.count * (double)r.enabled / (double)r.running : 0;
        double wanted = (double)of[k % 3].per_round * n;
        check(there && share >= 40 && share <= 97 && scaled > wanted * 0.85 && scaled < wanted * 1.15,
              "multiplexed %s: ran %u %% of the time, scaled %u, really %u", of[k % 3].name, share,
              (unsigned)scaled, (unsigned)wanted);
        file_close(fd[k]);
    }
}

/* RDPMC in ring 3, which Linux allows for an event that is mapped. */
static void user_rdpmc(void)
{
    const unsigned n = 1000;
    int fd = open_event(HW(INSTRUCTIONS), -1, true, false);
    struct perf_event_mmap_page *page = file_map(fd, 4096);
    file_ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
    if (!page || !page->cap_user_rdpmc || !page->index) {
        check(false, "RDPMC in ring 3 is not offered");
    } else {
        uint32_t moved = rdpmc_around(page->index - 1, payload_spin, n);
        uint32_t more = moved - (RDPMC_INSNS + SPIN_INSNS(n));
        check(more <= pmu->deliveries, "RDPMC in ring 3: %u instructions, expected %u", moved,
              RDPMC_INSNS + SPIN_INSNS(n));
    }
    file_unmap(page, 4096);
    file_close(fd);
}

/* ---- public ---- */

void count_all(void)
{
    /* Pages are mapped, and each path has been called once. */
    for (unsigned k = 0; k < rows_walk_bytes(pmu->kind); k += 4096) walk_area[k] = 1;
    int fd = open_event(HW(INSTRUCTIONS), -1, true, true);
    run(fd, payload_walk, WALK_BYTES / WALK_STEP);
    file_close(fd);
    unsigned n;
    const struct row *row = rows_of(pmu->kind, &n);
    while (n--) count_row(row++);
    levels();
    limits();
    if (pmu->kind == PMU_P6) p6_limits();
    user_rdpmc();
    multiplexed();
}
