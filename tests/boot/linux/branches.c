/* Branch stacks: with each sample Linux records what the processor has of the last branches. */
#include "tests/boot/linux/guest.h"
#include "tests/boot/linux/session.h"
#include "tests/boot/linux/sys.h"
#include <linux/perf_event.h>
#include <string.h>

#define KERNEL_START 0xc0000000u
#define MOST         32

#define PERIOD 1009 /* prime: each of the four branches of a round comes up */
#define N      20000

/* A PERF_RECORD_SAMPLE with PERF_SAMPLE_IP and PERF_SAMPLE_BRANCH_STACK. */
struct sample {
    struct perf_event_header header;
    uint64_t ip, n;
    struct perf_branch_entry entry[MOST];
};

/* The branches of a round, in their order, and the clocks of the model up to each: one for an instruction. */
static const struct branch {
    const char *from, *to;
    unsigned clocks;
} round[] = {{jumps_call, jumps_ret, 1},
             {jumps_ret, jumps_jmp, 1},
             {jumps_jmp, jumps_target, 1},
             {jumps_jnz, jumps_call, 2}};
enum { CALL, RET, JMP, JNZ, ROUND };

/* ---- private ---- */

static uint64_t address(const char *at) { return (uint32_t)(uintptr_t)at; }

static bool is(const struct perf_branch_entry *e, const struct branch *b)
{
    return e->from == address(b->from) && e->to == address(b->to);
}

static bool sampled(struct session *s, uint64_t config, uint64_t filter)
{
    struct perf_event_attr attr = {.type = PERF_TYPE_RAW,
                                   .config = config,
                                   .exclude_kernel = 1,
                                   .sample_period = PERIOD,
                                   .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_BRANCH_STACK,
                                   .branch_sample_type = PERF_SAMPLE_BRANCH_USER | filter};
    session_run(s, 0, &attr, payload_jumps, N);
    return s->page != NULL;
}

static bool next_sample(struct session *s, struct sample *to)
{
    unsigned bytes;
    while ((bytes = session_sample(s, to, sizeof *to)) && bytes != 24 + 24 * to->n) s->others++;
    return bytes != 0;
}

/* Are these the branches before and with this one of a round? Returns from an interrupt may be among them:
 * they end in ring 3. The clocks of what is behind one are the kernel's, too. */
static bool follow(const struct sample *x, unsigned newest, unsigned *returns)
{
    const bool clocks = pmu->kind == PMU_SKYLAKE;
    unsigned k = newest + ROUND;
    bool right = true;
    for (unsigned n = 0; n < x->n; n++) {
        const struct perf_branch_entry *e = &x->entry[n];
        if (e->from >= KERNEL_START) {
            (*returns)++;
            continue;
        }
        const struct branch *b = &round[k % ROUND];
        const bool behind = n + 1 < x->n && x->entry[n + 1].from >= KERNEL_START;
        right = right && is(e, b) && !e->mispred && (behind || e->cycles == (clocks ? b->clocks : 0));
        k = k % ROUND + ROUND - 1;
    }
    return right;
}

/* Whole stacks of all branches of ring 3. The newest is the very branch that overflowed. */
static void all(void)
{
    struct session s;
    struct sample x;
    const bool zen =
        pmu->kind == PMU_ZEN; /* whose branches are counted with interrupts: near returns are not */
    const unsigned wanted = (zen ? N : 4 * N + MEASURED_BRANCHES + 2 - 1) / PERIOD;
    unsigned n = 0, full = 0, newest = 0, right = 0, returns = 0;
    const bool there = sampled(&s, zen ? 0xc8 : 0xc4, PERF_SAMPLE_BRANCH_ANY);
    check(there, "branch stacks of ring 3 can be had");
    if (!there) return;
    while (next_sample(&s, &x)) {
        n++;
        /* The first branch is the CALL of the payload. */
        const unsigned last = zen ? RET : (n * PERIOD + ROUND - 2) % ROUND;
        full += x.n == pmu->branches;
        newest += is(&x.entry[0], &round[last]);
        right += follow(&x, last, &returns);
    }
    check(n == wanted && s.others == 0,
          "branch stacks, period %u of %u: %u samples, expected %u; %u other records", PERIOD,
          (unsigned)s.count, n, wanted, s.others);
    check(n > 0 && full == n, "%u of them of %u branches", full, pmu->branches);
    check(n > 0 && newest == n, "%u with the branch that overflowed as the newest", newest);
    check(n > 0 && right == n,
          "%u in which each branch follows from the next, %u returns from interrupts among them", right,
          returns);
    session_end(&s);
}

/* Of one kind, which the processor chooses: no other takes its place. */
static void filtered(const char *kind, uint64_t filter, unsigned of)
{
    struct session s;
    struct sample x;
    unsigned n = 0, right = 0;
    if (!sampled(&s, pmu->kind == PMU_ZEN ? 0xc8 : 0xc4, filter)) {
        check(false, "branch stacks of %s can be had", kind);
        return;
    }
    while (next_sample(&s, &x)) {
        unsigned good = 0;
        for (unsigned k = 0; k < x.n; k++) good += is(&x.entry[k], &round[of]);
        n++;
        right += good == pmu->branches && x.n == good;
    }
    check(n > 0 && right == n, "branch stacks of %s: %u samples, %u of %u of these", kind, n, right,
          pmu->branches);
    session_end(&s);
}

/* The call stack: the payload's call, and the one within it where the sample is there. */
static void calls(void)
{
    struct session s;
    struct sample x;
    const struct branch outer = {measured_call, (const char *)payload_jumps, 0};
    unsigned n = 0, right = 0, inner = 0;
    if (!sampled(&s, 0xc4, PERF_SAMPLE_BRANCH_CALL_STACK)) {
        check(false, "call stacks can be had");
        return;
    }
    while (next_sample(&s, &x)) {
        const bool within = x.ip == address(jumps_ret);
        n++;
        inner += within;
        right +=
            x.n == 1u + within && is(&x.entry[x.n - 1], &outer) && (!within || is(&x.entry[0], &round[CALL]));
    }
    check(n > 0 && right == n && inner > 0, "call stacks: %u samples, %u right, %u of them of two calls", n,
          right, inner);
    session_end(&s);
}

/* ---- public ---- */

void branches_all(void)
{
    all();
    if (pmu->kind != PMU_CORE2) { /* whose filter is Linux' own */
        filtered("indirect jumps", PERF_SAMPLE_BRANCH_IND_JUMP, JMP);
        filtered("conditional branches", PERF_SAMPLE_BRANCH_COND, JNZ);
        filtered("calls", PERF_SAMPLE_BRANCH_CALL, CALL);
    }
    if (pmu->kind == PMU_SKYLAKE) calls();
}
