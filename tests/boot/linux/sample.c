/* Sampling: each overflow raises a PMI, which Linux takes as an NMI and turns into a record with the address
 * that it interrupted. */
#include "tests/boot/linux/guest.h"
#include "tests/boot/linux/session.h"
#include "tests/boot/linux/sys.h"

#define FLAGS_REG    9 /* PERF_REG_X86_FLAGS */
#define FLAG_IF      0x200
#define KERNEL_START 0xc0000000u

#define EXACT_PERIOD 10007 /* prime: every instruction of the loop comes up */
#define EXACT_N      200000
#define MUL_PERIOD   1009
#define MUL_N        20000
#define CYCLE_PERIOD 10007
#define CYCLE_CALLS  8000 /* some 600 samples: the share of ring 3 is then within 13 % whatever the phase */

/* A PERF_RECORD_SAMPLE with PERF_SAMPLE_IP and, of PERF_SAMPLE_REGS_INTR, EFLAGS alone. */
struct sample {
    struct perf_event_header header;
    uint64_t ip, abi, flags;
};

/* ---- private ---- */

static void sampled(struct session *s, unsigned cpu, uint64_t config, bool kernel, unsigned period,
                    payload_fn *payload, unsigned n)
{
    struct perf_event_attr attr = {.type = PERF_TYPE_RAW,
                                   .config = config,
                                   .exclude_kernel = !kernel,
                                   .sample_period = period,
                                   .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_REGS_INTR,
                                   .sample_regs_intr = 1u << FLAGS_REG};
    session_run(s, cpu, &attr, payload, n);
}

/* The address of instruction k of ring 3, 0 being the first that counts: EAX, CALL, the loop. */
static uint32_t exact_ip(uint64_t k)
{
    unsigned within = (unsigned)((k - 2) % TEN_ROUND);
    return (uint32_t)(uintptr_t)payload_ten_loop + within; /* each but the last is of one byte */
}

/* Ring 3 only: what runs is known to the instruction, so is where each overflow must be seen: the K-th
 * instruction overflows, and the one behind it is interrupted. */
void sample_exactly(unsigned cpu)
{
    struct session s;
    struct sample x;
    unsigned n = 0, right = 0, in_loop = 0, histogram[TEN_ROUND] = {0}, least = -1u, most = 0;
    const unsigned insns = MEASURED_INSNS + TEN_INSNS(EXACT_N);
    sampled(&s, cpu, 0xc0, false, EXACT_PERIOD, payload_ten, EXACT_N);
    while (session_next(&s, &x, sizeof x)) {
        n++;
        uint32_t offset = (uint32_t)x.ip - (uint32_t)(uintptr_t)payload_ten_loop;
        right += x.ip == exact_ip((uint64_t)n * EXACT_PERIOD);
        if (x.ip >= (uintptr_t)payload_ten_loop && x.ip < (uintptr_t)payload_ten_end) {
            in_loop++;
            if (offset < TEN_ROUND) histogram[offset]++;
        }
    }
    for (unsigned k = 0; k < TEN_ROUND; k++) {
        say("  %s+%u: %u samples\n", "payload_ten", k, histogram[k]);
        if (histogram[k] < least) least = histogram[k];
        if (histogram[k] > most) most = histogram[k];
    }
    check(s.count >= insns && s.count <= insns + pmu->deliveries, "sampled instructions:u = %u, expected %u",
          (unsigned)s.count, insns);
    check(n == insns / EXACT_PERIOD && s.others == 0,
          "a period of %u: %u samples, expected %u; %u other records", EXACT_PERIOD, n, insns / EXACT_PERIOD,
          s.others);
    /* Where deliveries count, too, the loop is known but not the instruction. */
    check(in_loop == n && least > 0 && (pmu->deliveries || most - least <= 1),
          "%u of them in the loop, on each instruction %u to %u", in_loop, least, most);
    if (!pmu->deliveries)
        check(right == n && n > 0, "%u of %u on the very instruction behind the one that overflowed", right,
              n);
    check(n > 0 && s.pmi == n && s.nmi == n, "%u NMIs for them, %u of them PMIs", s.nmi, s.pmi);
    check(s.switches == 0, "%u other tasks ran", s.switches);
    session_end(&s);
}

/* Another counter than that of sample_exactly(), and an event that only one instruction of the loop makes,
 * wanted times in all: each sample is at the instruction behind. */
static void apart(const char *event, uint64_t config, unsigned wanted, const char *behind)
{
    struct session s;
    struct sample x;
    unsigned n = 0, right = 0;
    sampled(&s, 0, config, false, MUL_PERIOD, payload_muls, MUL_N);
    while (session_next(&s, &x, sizeof x)) {
        n++;
        right += x.ip == (uintptr_t)behind;
    }
    check(s.count == wanted && n == wanted / MUL_PERIOD && right == n,
          "%s, %u of %u, period %u: %u samples, expected %u; %u right behind it", event, (unsigned)s.count,
          wanted, MUL_PERIOD, n, wanted / MUL_PERIOD, right);
    session_end(&s);
}

static uint64_t cycles_without(bool user, bool kernel)
{
    struct perf_event_attr attr = {.type = PERF_TYPE_RAW,
                                   .config = pmu->cycles,
                                   .disabled = 1,
                                   .exclude_user = !user,
                                   .exclude_kernel = !kernel};
    uint64_t n = 0;
    int fd = perf_open(&attr, -1);
    run(fd, payload_null_calls, CYCLE_CALLS);
    if (file_read(fd, &n, sizeof n) != sizeof n) n = 0;
    file_close(fd);
    return n;
}

/* Both rings: an NMI finds the kernel also where it has interrupts switched off. */
static void cycles(void)
{
    struct session s;
    struct sample x;
    unsigned n = 0, user = 0, kernel = 0, deaf = 0;
    sampled(&s, 0, pmu->cycles, true, CYCLE_PERIOD, payload_null_calls, CYCLE_CALLS);
    while (session_next(&s, &x, sizeof x)) {
        n++;
        if (x.ip >= KERNEL_START) {
            kernel++;
            deaf += !(x.flags & FLAG_IF);
        } else
            user++;
    }
    unsigned wanted = (unsigned)(s.count / CYCLE_PERIOD);
    check(n > 10 && n + 1 >= wanted && n <= wanted + 1 && s.others == 0,
          "cycles of both rings, period %u: %u samples of %u cycles, expected %u; %u other records",
          CYCLE_PERIOD, n, (unsigned)s.count, wanted, s.others);
    /* The kernel's own handling of a sample never lasts a period, so no sample falls into it: they are spread
     * as the cycles are without sampling. */
    uint64_t in_user = cycles_without(true, false), in_both = cycles_without(true, true);
    unsigned share = in_both ? (unsigned)(n * in_user / in_both) : 0;
    check(share > 10 && 5 * user > 4 * share && 5 * user < 6 * share && kernel == n - user && deaf > 0,
          "%u of them in ring 3, expected about %u; %u in ring 0, %u of those with interrupts off", user,
          share, kernel, deaf);
    check(n > 0 && s.pmi == n && s.nmi == n, "%u NMIs for them, %u of them PMIs", s.nmi, s.pmi);
    session_end(&s);
}

/* ---- public ---- */

void sample_all(void)
{
    sample_exactly(0);
    /* MUL is counter 1's (SDM table 19-37). Instructions are on a fixed counter where there is one, branches
     * are not. */
    if (pmu->kind == PMU_P6)
        apart("MUL", 0x12, MUL_N, payload_muls_behind);
    else if (pmu->kind < PMU_AMD)
        apart("branches", 0xc4, MEASURED_BRANCHES + MULS_BRANCHES(MUL_N), payload_muls_loop);
    cycles();
}
