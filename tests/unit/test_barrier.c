/* The barrier with threads for processors, and what becomes of one who never comes. The boots hammer it a
 * million times; here a thread may have to wait for the other's share of one processor. */
#include "kernel/barrier.h"
#include "tests/unit/fake_hw.h"
#include "tests/unit/unit.h"
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#define PARTIES 3
#define ROUNDS  300

static struct barrier *b;
static volatile uint32_t said[2][PARTIES];
static unsigned wrong;

/* What each has said before the barrier all others see behind it. The slot of a round is used again in the
 * next but one, which nobody reaches before all have been in between. */
static void *party(void *arg)
{
    const unsigned me = (unsigned)(uintptr_t)arg;
    for (uint32_t round = 1; round <= ROUNDS; round++) {
        said[round & 1][me] = round;
        if (!barrier_wait(b, me)) __atomic_add_fetch(&wrong, 1, __ATOMIC_SEQ_CST);
        for (unsigned i = 0; i < PARTIES; i++)
            if (said[round & 1][i] != round) __atomic_add_fetch(&wrong, 1, __ATOMIC_SEQ_CST);
    }
    return NULL;
}

static struct barrier *new_barrier(unsigned n, uint64_t ticks)
{
    b = aligned_alloc(LINES_APART, barrier_bytes(n));
    assert_non_null(b);
    barrier_init(b, n, ticks);
    return b;
}

TEST(together)
{
    pthread_t thread[PARTIES];
    new_barrier(PARTIES, UINT64_MAX / 2);
    for (uintptr_t i = 0; i < PARTIES; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, party, (void *)i), 0);
    for (unsigned i = 0; i < PARTIES; i++) pthread_join(thread[i], NULL);
    assert_int_equal(wrong, 0);
    assert_int_equal(b->passed, ROUNDS);
    free(b);
}

TEST(alone)
{
    new_barrier(1, 10);
    for (unsigned i = 0; i < 5; i++) assert_true(barrier_wait(b, 0));
    free(b);
}

TEST(one_never_comes)
{
    fake_tsc(0, 1);
    for (unsigned me = 0; me < 2; me++) {
        new_barrier(2, 1000);
        assert_false(barrier_wait(b, me));
        assert_true(b->broken);
        assert_false(barrier_wait(b, !me)); /* comes too late, and does not wait */
        free(b);
    }
    new_barrier(2, UINT64_MAX / 2);
    barrier_break(b);
    assert_false(barrier_wait(b, 1)); /* at once */
    assert_false(barrier_wait(b, 0));
    free(b);
}

/* The counts go round. */
TEST(for_years)
{
    fake_tsc(0, 1);
    new_barrier(2, 1000);
    b->party[0].came = b->party[1].came = b->passed = UINT32_MAX;
    b->party[1].came++;
    assert_true(barrier_wait(b, 0));
    assert_int_equal(b->passed, 0);
    assert_false(barrier_wait(b, 0));
    free(b);
}

TEST(lines)
{
    assert_int_equal(offsetof(struct barrier, passed) % LINES_APART, 0);
    assert_int_equal(offsetof(struct barrier, party) % LINES_APART, 0);
    assert_int_equal(sizeof(struct barrier_party), LINES_APART);
    assert_int_equal(barrier_bytes(2) - barrier_bytes(1), LINES_APART);
}
