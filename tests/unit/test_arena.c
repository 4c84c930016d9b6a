/* The arena: from both ends, to the last byte and no further. */
#include "kernel/arena.h"
#include "tests/unit/unit.h"
#include <stdbool.h>

static _Alignas(8192) uint8_t memory[8192];

TEST(test_from_start)
{
    struct arena a = {memory + 1, sizeof memory - 1, 0};
    assert_ptr_equal(arena_alloc(&a, 10, 1), memory + 1);
    assert_ptr_equal(arena_alloc(&a, 64, 64), memory + 64);
    assert_null(arena_alloc(&a, 4097, 4096)); /* what it does not fit in stays as it was */
    assert_ptr_equal(arena_alloc(&a, 4096, 4096), memory + 4096);
    assert_int_equal(arena_left(&a), 0);
    assert_null(arena_alloc(&a, 1, 1));
}

TEST(test_from_end)
{
    struct arena a = {memory, sizeof memory - 1, 0};
    assert_ptr_equal(arena_from_end(&a, 100, 64), memory + 8192 - 128);
    assert_int_equal(a.size, 8192 - 128);
    assert_ptr_equal(arena_alloc(&a, 4096, 1), memory); /* addresses at the start are the same with it */
    assert_null(arena_from_end(&a, arena_left(&a) + 1, 1));
    assert_null(
        arena_from_end(&a, arena_left(&a) - 1, 8192)); /* aligned, it would begin before what is in use */
    assert_null(arena_from_end(&a, SIZE_MAX, 64));
    assert_int_equal(a.size, 8192 - 128);
    assert_ptr_equal(arena_from_end(&a, arena_left(&a), 64), memory + 4096);
    assert_int_equal(arena_left(&a), 0);
}
