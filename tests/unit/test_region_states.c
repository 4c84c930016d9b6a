/* The states in which markers of regions are measured: what is evicted by what, and its room. */
#include "measure/region_cost.h"
#include "tests/unit/unit.h"
#include <string.h>
#include <sys/mman.h>

#define KIB  1024ul
#define PAGE 4096ul

static unsigned jumped;
static void jumps(void) { jumped++; }

/* ---- a machine ---- */

static const struct cache_info unknown,
    pentium = {.c = {{1, CACHE_DATA, 8 * KIB, 32, 2}}, .n = 1},
    p3 = {.c = {{1, CACHE_DATA, 16 * KIB, 32, 4}, {2, CACHE_UNIFIED, 512 * KIB, 32, 4}}, .n = 2},
    most = {.c = {{1, CACHE_DATA, 32 * KIB, 64, 8}, {2, CACHE_UNIFIED, 8192 * KIB, 64, 16}}, .n = 2},
    beyond = {.c = {{1, CACHE_DATA, 32 * KIB, 64, 8}, {2, CACHE_UNIFIED, 16384 * KIB, 64, 16}}, .n = 2};
static const struct {
    const struct cache_info *caches;
    size_t l1, all; /* KiB */
} machines[] = {{&pentium, 16, 16},
                {&p3, 32, 544},
                {&most, 64, 64 + 8192},
                {&beyond, 64, 64 + 8192},
                {&unknown, 128, 640}};

static uint8_t *memory; /* with no page behind it */
static size_t size;
static struct region_states s;

static void prepare(unsigned k)
{
    size = machines[k].all * KIB;
    memory = mmap(NULL, size + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(memory != MAP_FAILED);
    assert_int_equal(mprotect(memory + size, PAGE, PROT_NONE), 0);
    struct arena arena = {memory, size, 0};
    assert_true(region_states_prepare(&s, machines[k].caches, &arena));
    assert_int_equal(arena.used, size);
    assert_int_equal(region_states_kib(&s), size / KIB);
}

static void forget(void) { munmap(memory, size + PAGE); }

/* ---- tests ---- */

TEST(room)
{
    for (unsigned k = 0; k < sizeof machines / sizeof *machines; k++) {
        prepare(k);
        assert_int_equal(s.l1_bytes, machines[k].l1 * KIB);
        assert_int_equal(s.all_bytes, machines[k].all * KIB);
        assert_ptr_equal(s.lines, memory);
        struct arena lines = {memory, size - 1, 0};
        assert_false(region_states_prepare(&s, machines[k].caches, &lines));
        forget();
    }
}

static bool resident(const uint8_t *at)
{
    unsigned char in;
    assert_int_equal(mincore((void *)(uintptr_t)at, PAGE, &in), 0);
    return in & 1;
}

/* Each state's jumps, and the lines that it writes or reads, to the last. (Flushes are nothing on a host.) */
TEST(evictions)
{
    static const struct {
        unsigned jumps;
        char touches; /* w: writes, r: reads */
        bool all;     /* or L1's alone */
    } states[REGION_STATES] = {{0, '-', 0}, {1, '-', 0}, {1, 'w', 1}, {1, 'r', 1}, {1, 'w', 0}};
    assert_null(region_states[0]); /* as warm as it is */
    for (unsigned i = 1; i < REGION_STATES; i++) {
        prepare(1);
        s.lines = memory + size - s.all_bytes; /* behind it is nothing */
        s.jumps = jumps;
        assert_int_equal(madvise(memory, size, MADV_DONTNEED), 0);
        jumped = 0;
        region_states[i](&s);
        assert_int_equal(jumped, states[i].jumps);
        const size_t bytes = states[i].touches == '-' ? 0 : states[i].all ? s.all_bytes : s.l1_bytes;
        for (size_t at = 0; at < s.all_bytes; at += PAGE)
            assert_int_equal(resident(s.lines + at), at < bytes);
        for (size_t at = 0; at < s.all_bytes; at++)
            if (s.lines[at] != (states[i].touches == 'w' && at < bytes && at % 32 == 0))
                fail_msg("state %u: byte %zu is %u", i, at, s.lines[at]);
        forget();
    }
}
