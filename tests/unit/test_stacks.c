/* Where stacks lie, of each number of processors and each size: what the tables say, by a walk of its own. */
#define _GNU_SOURCE /* MAP_32BIT */
#include "kernel/stacks.h"

static _Bool four;
#define FOUR_LEVELS four
#undef STACK_MOST
#define STACK_MOST ((four ? 256u : 16u) << 20)
#include "kernel/stacks.c"

#include "tests/unit/unit.h"
#include <string.h>
#include <sys/mman.h>

#define POOL_BYTES (512u << 20)
#define FROM_2     0x20000000u
#define LISTED     65u

static _Alignas(4096) uint8_t root[4096];
static uint8_t *memory;
static struct machine m;
static struct cpu cpu[LISTED];
static unsigned users_own;

uint64_t paging_no_execute(void) { return four ? 1ull << 63 : 0; }
void *paging_root(void) { return root; }
void paging_user(const void *start, size_t len) { (void)start, users_own += len != 0; }
size_t paging_tables(const void *start, size_t len) { return (void)start, len / LARGE + 2; }
void paging_split(const void *start, size_t len, void *tables) { (void)start, (void)len, (void)tables; }
uint8_t *memory_spare(const struct memory *of, size_t *bytes) { return (void)of, *bytes = 0, memory; }
uint32_t linear_find(const struct machine *of) { return (void)of, FROM_2; }

/* Bit 0: present, bit 2: for CPL 3. */
static uint64_t entry(uint64_t at)
{
    if (four) {
        const uint64_t *t = (const uint64_t *)(const void *)root;
        for (unsigned shift = 39;; shift -= 9) {
            const uint64_t e = t[at >> shift & 511];
            if (!(e & 1) || shift == 12) return e;
            t = (const uint64_t *)(uintptr_t)(e & 0xffffffffff000ull);
        }
    }
    const uint32_t *d = (const uint32_t *)(const void *)root, e = d[at >> 22];
    if (!(e & 1)) return 0;
    return ((const uint32_t *)(uintptr_t)(e & ~0xfffu))[at >> 12 & 1023];
}

static void prepare(unsigned listed, size_t pool)
{
    memset(root, 0, sizeof root);
    memset(cpu, 0, sizeof cpu);
    m = (struct machine){
        .paging = true, .memory = {.pool = memory, .pool_bytes = pool}, .found = {.n = listed}};
    for (unsigned i = 0; i < LISTED; i++) cpu[i] = (struct cpu){.machine = &m, .index = i};
    m.cpu[0] = &cpu[0];
    users_own = 0;
}

/* One that has a slot: both views, whole, at their ends, and nothing below for 1 MiB. */
static void check_slot(const struct cpu_stack *s)
{
    const uint64_t top = (uintptr_t)s->top, user = (uintptr_t)s->user_top, all = s->bytes + STACK_KERNEL;
    assert_true(s->from >= m.stacks.from && top <= m.stacks.end);
    for (uint64_t a = top - all; a < top; a += PAGE_SIZE) assert_int_equal(entry(a) & 5, 1);
    for (uint64_t a = user - s->bytes; a < user; a += PAGE_SIZE) assert_int_equal(entry(a) & 5, 5);
    for (uint64_t a = PAGE_SIZE; a <= STACK_HOLE; a += PAGE_SIZE) {
        assert_int_equal(entry(top - all - a) & 1, 0);
        assert_int_equal(entry(user - s->bytes - a) & 1, 0);
    }
    assert_true(s->from <= user - s->bytes - STACK_HOLE && user <= top - all - STACK_HOLE);
    assert_int_equal(entry(top - PAGE_SIZE) & 0xffffff000,
                     (entry(user - PAGE_SIZE) & 0xffffff000) + STACK_KERNEL);
}

static void each_number(unsigned n, size_t bytes)
{
    prepare(n, POOL_BYTES);
    size_t most = 0;
    assert_true(stacks_open(&m, bytes, n, &most));
    uint8_t *at = memory;
    for (unsigned i = 1; i < n; i++, at += stacks_memory(bytes)) stacks_give(&m, &cpu[i], at, bytes);
    for (unsigned i = 0; i < n; i++) {
        const struct cpu_stack *s = &cpu[i].stack;
        assert_int_equal(s->bytes, bytes);
        if (s->from)
            check_slot(s);
        else
            assert_true(s->top && s->user_top == s->top - STACK_KERNEL);
        for (unsigned k = 0; k < i; k++)
            assert_true(!s->from || !cpu[k].stack.from || cpu[k].stack.from + slot_bytes <= s->from);
        /* Up to so many have one. */
        const bool fits = four || bytes <= (1u << 20) - STACK_KERNEL || n <= 4;
        if (fits && i < 64) assert_true(s->from != 0);
    }
}

static void slots(void **state)
{
    static const size_t size[] = {STACK_LEAST, STACK_DEF, 512u << 10, 960u << 10, 2u << 20, 15u << 20};
    (void)state;
    for (unsigned f = 0; f < 2; f++)
        for (unsigned i = 0; i < sizeof size / sizeof *size; i++)
            for (unsigned n = 1; n <= LISTED; n += n < 8 || n > 61 ? 1 : 9) {
                four = f;
                if (n * stacks_memory(size[i]) < POOL_BYTES / 2) each_number(n, size[i]);
            }
}

/* A listed processor that is not started takes no addresses. */
static void those_not_started(void **state)
{
    size_t most;
    (void)state;
    four = false;
    prepare(64, POOL_BYTES);
    assert_true(stacks_open(&m, 8u << 20, 1, &most));
    assert_true(cpu[0].stack.from != 0);
}

/* There is no stack without memory, whether or not one was asked for. */
static void too_little(void **state)
{
    (void)state;
    for (unsigned f = 0; f < 2; f++) {
        size_t most = 1;
        four = f;
        prepare(1, 0);
        assert_false(stacks_open(&m, 2u << 20, 1, &most));
        assert_int_equal(most, 0);
        assert_false(stacks_open(&m, 0, 1, &most));
        assert_null(cpu[0].stack.top);
        prepare(1, SHARE * 32768); /* which STACK_LEAST, the kernel's part and tables do not fit in */
        assert_false(stacks_open(&m, STACK_LEAST, 1, &most));
        prepare(1, SHARE * (1u << 20));
        assert_false(stacks_open(&m, 2u << 20, 1, &most));
        assert_true(most >= STACK_LEAST && most < 1u << 20);
        assert_true(stacks_open(&m, most, 1, &most));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(slots), cmocka_unit_test(those_not_started),
                                       cmocka_unit_test(too_little)};
    memory = mmap(NULL, POOL_BYTES, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_32BIT, -1, 0);
    if (memory == MAP_FAILED) return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
