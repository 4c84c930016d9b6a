#include "kernel/barrier.h"

void barrier_init(struct barrier *b, unsigned n, uint64_t ticks)
{
    b->n = n;
    b->ticks = ticks;
    b->passed = b->broken = 0;
    for (unsigned i = 0; i < n; i++) b->party[i].came = 0;
}

/* Until *count has reached this, modulo 2^32. */
static bool wait_for(struct barrier *b, const volatile uint32_t *count, uint32_t reached)
{
    if ((int32_t)(*count - reached) >= 0) return true;
    const uint64_t begin = hw_rdtsc();
    while ((int32_t)(*count - reached) < 0) {
        if (b->broken) return false;
        if (hw_rdtsc() - begin > b->ticks) {
            b->broken = 1;
            return false;
        }
        SPIN_PAUSE();
    }
    return true;
}

bool barrier_wait(struct barrier *b, unsigned me)
{
    const uint32_t round = b->party[me].came + 1;
    b->party[me].came = round;
    if (me != 0) return wait_for(b, &b->passed, round) && !b->broken;
    for (unsigned i = 1; i < b->n; i++)
        if (!wait_for(b, &b->party[i].came, round)) return false;
    if (b->broken) return false;
    b->passed = round;
    return true;
}
