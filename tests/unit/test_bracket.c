/* The brackets that read counters with RDPMC: which they read, in what order, and what they make of it. The
 * host's RDPMC faults and is made up (trap_rdpmc.h). */
#include "measure/bracket.h"
#include "measure/reading.h"
#include "tests/unit/trap_rdpmc.h"
#include "tests/unit/unit.h"
#include <string.h>

#define INSTANTS 1000 /* of the payload */

static struct reading r;
static unsigned calls;
static void *argument;
static uintptr_t frame;

static void payload(void *arg)
{
    calls++;
    argument = arg;
    frame = (uintptr_t)__builtin_frame_address(0);
    trap_rdpmc_now += INSTANTS;
}

/* Counter i of n, in some order that is not the hardware's. */
static uint32_t index_of(unsigned i, unsigned n) { return TRAP_RDPMC_INDEX + (7 * i + n) % 19; }

static void run(enum serialize serialize, unsigned n)
{
    bracket_fn *bracket = bracket_find(serialize, READER_RDPMC, n);
    assert_non_null(bracket);
    trap_rdpmc_reset();
    memset(&r, 0, sizeof r);
    for (unsigned i = 0; i < n; i++) r.select[i] = index_of(i, n);
    if (bracket == bracket_many) slots_prepare(&r.slots, serialize, r.select, n);
    calls = 0;
    bracket(payload, &calls, &r);
}

TEST(test_order)
{
    for (unsigned s = 0; s < SERIALIZE_COUNT; s++)
        for (unsigned n = 1; n <= BRACKET_COUNTERS; n++) {
            run(s, n);
            assert_int_equal(calls, 1);
            assert_ptr_equal(argument, &calls);
            assert_int_equal(trap_rdpmc_count, 2 * n);
            for (unsigned i = 0; i < n; i++) {
                assert_int_equal(trap_rdpmc_index[i], index_of(i, n));
                assert_int_equal(trap_rdpmc_index[2 * n - 1 - i], index_of(i, n));
                /* Both halves, since each goes past 2^32. The readings of counter i enclose those of the
                 * counters behind it and the payload. */
                assert_int_equal(r.end[i] - r.start[i], INSTANTS + 2 * (n - i) - 1);
            }
            for (unsigned i = n; i < BRACKET_COUNTERS; i++) assert_int_equal(r.end[i] | r.start[i], 0);
            assert_true(r.tsc[1] > r.tsc[0]);
            assert_int_equal(frame % 16, 0);
        }
}

/* What the ABI says is kept. */
TEST(test_registers)
{
    uint64_t kept = 0;
    run(SERIALIZE_CPUID, 18);
    memset(r.end, 0, sizeof r.end);
    trap_rdpmc_reset();
    __asm__ volatile(
        "push %%rbx\n\tpush %%rbp\n\tpush %%r15\n\t"
        "mov %%rsp, %%r15\n\tand $-16, %%rsp\n\t"
        "mov $1, %%ebx\n\tmov $2, %%ebp\n\tmov $4, %%r12d\n\tmov $8, %%r13d\n\tmov $16, %%r14d\n\t"
        "call bracket_many\n\t"
        "mov %%r15, %%rsp\n\t"
        "lea (%%rbx, %%rbp), %%rax\n\tadd %%r12, %%rax\n\tadd %%r13, %%rax\n\tadd %%r14, %%rax\n\t"
        "pop %%r15\n\tpop %%rbp\n\tpop %%rbx"
        : "=&a"(kept)
        : "D"(payload), "S"(NULL), "d"(&r)
        : "rcx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "memory", "cc");
    assert_int_equal(kept, 31);
    assert_int_equal(r.end[17] - r.start[17], INSTANTS + 1);
}

TEST(test_none)
{
    for (unsigned s = 0; s < SERIALIZE_COUNT; s++) {
        assert_null(bracket_find(s, READER_RDPMC, BRACKET_COUNTERS + 1));
        assert_null(bracket_find(s, READER_RDMSR, 3));
        assert_null(bracket_find(s, READER_GATE, 3));
    }
    assert_null(bracket_find(SERIALIZE_LFENCE, READER_RDMSR, 1));
}
