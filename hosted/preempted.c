/* What Linux does inside of a repetition. It tells a thread without a system call: it clears rseq.rseq_cs
 * when the thread has been preempted, moved, or interrupted by a signal (Linux, kernel/rseq.c). That is set
 * to a sequence which nobody executes, and looked at after each repetition. */
#include "hosted/hosted.h"
#include "hosted/linux.h"
#include "kernel/trap.h"
#include <linux/rseq.h>

#define RSEQ_BYTES     32 /* the first version's, which all know */
#define RSEQ_SIGNATURE 0x53053053L

extern const char rseq_abort[];
static _Alignas(32) struct rseq_cs sequence = {.start_ip = 4096, .post_commit_offset = 1};

static struct watched {
    _Alignas(64) uint8_t rseq[64];
    bool told;
    uint32_t times;
} watched[PROCESSORS_MAX];

static struct rseq *rseq_of(struct watched *w) { return (struct rseq *)w->rseq; }

bool hosted_preemption_told;

void hosted_watch_preemption(unsigned index)
{
    struct watched *w = &watched[index];
    sequence.abort_ip = (uintptr_t)rseq_abort;
    w->told = !sys_failed(sys_call(__NR_rseq, w->rseq, (long)RSEQ_BYTES, 0L, RSEQ_SIGNATURE));
    hosted_preemption_told = w->told;
}

/* Preemptions so far happened before the measured code, so they are not in its numbers. */
void hosted_forgive(void)
{
    struct watched *w = &watched[this_cpu()->index];
    if (w->told) rseq_of(w)->rseq_cs = (uintptr_t)&sequence;
}

/* In the place of kernel/strays.c: one more for each time that Linux was in between, however often that was.
 * A signal that came is one, too. */
REPEATED uint32_t strays_so_far(const volatile uint32_t *counted)
{
    const struct percpu *cpu = (const struct percpu *)((uintptr_t)counted - offsetof(struct percpu, strays));
    struct watched *w = &watched[cpu->index];
    if (w->told && !rseq_of(w)->rseq_cs) {
        w->times++;
        rseq_of(w)->rseq_cs = (uintptr_t)&sequence;
    }
    return w->times + *counted;
}
