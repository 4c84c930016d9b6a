/* The i586 kernel's 64-bit division against the host's own. */
#define DIV64(name) test_##name
#include "kernel/div64.c"
#include "tests/unit/unit.h"

static const uint64_t interesting[] = {
    1,
    2,
    3,
    7,
    10,
    0x7fffffff,
    0x80000000,
    0xfffffffe,
    0xffffffff,
    1ull << 32,
    0x100000001,
    0x1ffffffff,
    0x123456789,
    1ull << 62,
    1ull << 63,
    (1ull << 63) + 1,
    UINT64_MAX,
    UINT64_MAX - 1,
    0xffffffff00000000,
    0xffffffff00000001,
    0x8000000000000000 - 1,
    10000000000000000000u,
};
#define N (sizeof interesting / sizeof interesting[0])

static void check(uint64_t n, uint64_t d)
{
    uint64_t r;
    int64_t sn = (int64_t)n, sd = (int64_t)d;
    assert_true(test_udivmoddi4(n, d, &r) == n / d);
    assert_true(r == n % d);
    assert_true(test_udivdi3(n, d) == n / d);
    assert_true(test_umoddi3(n, d) == n % d);
    if (sn == INT64_MIN && sd == -1) return; /* overflows in C */
    assert_true(test_divdi3(sn, sd) == sn / sd);
    assert_true(test_moddi3(sn, sd) == sn % sd);
}

TEST(test_edges)
{
    for (unsigned i = 0; i < N; i++) {
        check(0, interesting[i]);
        for (unsigned j = 0; j < N; j++) check(interesting[i], interesting[j]);
    }
}

/* xorshift64, all magnitudes: fixed seed, so that a failure comes back. */
TEST(test_random)
{
    uint64_t x = 88172645463325252ull;
    for (unsigned i = 0; i < 300000; i++) {
        uint64_t v[2];
        for (unsigned k = 0; k < 2; k++) {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            v[k] = x >> (x >> 40) % 64;
        }
        check(v[0], v[1] ? v[1] : 1);
    }
}
