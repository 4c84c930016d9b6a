/* Several processors: each counts and samples what runs on it, and nothing else, alone and at the same time.
 */
#include "tests/boot/linux/guest.h"
#include "tests/boot/linux/rows.h"
#include "tests/boot/linux/sys.h"

#define MOST  8
#define SPINS 100000u

/* What the processes of together() share. */
static struct {
    volatile uint32_t arrived, go;
    volatile uint64_t count[MOST];
    struct checks checks[MOST];
} * shared;

static int open_on(unsigned cpu, bool kernel)
{
    struct perf_event_attr attr = {.type = PERF_TYPE_HARDWARE,
                                   .config = PERF_COUNT_HW_INSTRUCTIONS,
                                   .disabled = 1,
                                   .exclude_kernel = !kernel};
    return perf_open_on(&attr, cpu);
}

/* The manual's name of the event. */
static const char *instructions(void)
{
    unsigned n;
    return rows_of(pmu->kind, &n)[0].event;
}

static uint64_t count_of(int fd)
{
    uint64_t n = 0;
    return file_read(fd, &n, sizeof n) == sizeof n ? n : UINT64_MAX;
}

static bool right(uint64_t count, uint64_t wanted)
{
    return count >= wanted && count - wanted <= pmu->deliveries;
}

/* As perf stat -a: events of all CPUs, while this process runs on one of them. */
static void one_by_one(unsigned cpus)
{
    for (unsigned here = 0; here < cpus; here++) {
        int fd[MOST];
        check(move_to(here), "runs on CPU %u", here);
        for (unsigned k = 0; k < cpus; k++) {
            fd[k] = open_on(k, false);
            if (k != here) file_ioctl(fd[k], PERF_EVENT_IOC_ENABLE, 0);
        }
        const unsigned n = SPINS + here;
        const unsigned number = run(fd[here], payload_spin, n);
        uint64_t elsewhere = 0;
        for (unsigned k = 0; k < cpus; k++)
            if (k != here) elsewhere += count_of(fd[k]);
        const uint64_t count = count_of(fd[here]), wanted = MEASURED_INSNS + SPIN_INSNS(n);
        check(right(count, wanted), "run %u: %s:u of CPU %u = %llu, expected %llu", number, instructions(),
              here, (unsigned long long)count, (unsigned long long)wanted);
        check(elsewhere == 0, "meanwhile the other CPUs have %llu", (unsigned long long)elsewhere);
        for (unsigned k = 0; k < cpus; k++) file_close(fd[k]);
    }
}

/* fn of each CPU, by a process of its own there, all at the same time. */
static void together(unsigned cpus, void fn(unsigned cpu))
{
    long process[MOST] = {0};
    unsigned mine = 0;
    shared->arrived = shared->go = 0;
    for (unsigned k = 1; k < cpus && mine == 0; k++)
        if ((process[k] = fork_process()) == 0) mine = k;
    if (mine) checks_taken(); /* those before are the first one's */
    check(move_to(mine), "a process runs on CPU %u", mine);
    __atomic_fetch_add(&shared->arrived, 1, __ATOMIC_SEQ_CST);
    while (shared->arrived != cpus) null_call();
    fn(mine);
    if (mine) {
        shared->checks[mine] = checks_taken();
        exit_process(0);
    }
    for (unsigned k = 1; k < cpus; k++) {
        wait_process(process[k]);
        checks_add(shared->checks[k]);
    }
}

static unsigned rounds(unsigned cpu) { return SPINS + cpu; }

static void count_here(unsigned cpu)
{
    int fd = open_on(cpu, false);
    measured(fd, payload_spin, rounds(cpu));
    shared->count[cpu] = count_of(fd);
    file_close(fd);
}

static void at_once(unsigned cpus)
{
    uint64_t sum = 0, all = 0;
    together(cpus, count_here);
    const unsigned first = runs_elsewhere(cpus);
    for (unsigned k = 0; k < cpus; k++) {
        const uint64_t wanted = MEASURED_INSNS + SPIN_INSNS(rounds(k));
        check(right(shared->count[k], wanted),
              "run %u to %u: %s:u of CPU %u beside the others = %llu, expected %llu", first, first + cpus - 1,
              instructions(), k, (unsigned long long)shared->count[k], (unsigned long long)wanted);
        sum += shared->count[k];
        all += wanted;
    }
    check(right(sum, all), "all CPUs together have %llu, expected %llu", (unsigned long long)sum,
          (unsigned long long)all);
}

void several(unsigned cpus)
{
    shared = shared_memory(sizeof *shared);
    check(shared != NULL && cpus <= MOST, "memory that processes share, and %u CPUs", cpus);
    if (!shared || cpus > MOST) return;
    int fd = open_on(0, true); /* each path has been called once */
    run(fd, payload_spin, 1);
    file_close(fd);
    one_by_one(cpus);
    at_once(cpus);
    together(cpus, sample_exactly);
    runs_elsewhere(cpus - 1);
    if (move_to(cpus - 1)) watchdog(cpus - 1); /* the first one's: where it is alone */
}
