/* Payloads around snippets are written and called: what they execute, where it lies, and that nothing of it
 * is left. */
#include "bench/code_payload.h"
#include "tests/unit/unit.h"
#include <string.h>
#include <sys/mman.h>

#define POOL (16u << 20)
#define CODE(text)                             \
    {                                          \
        (const uint8_t *)text, sizeof text - 1 \
    }

static struct arena arena;
static struct code_memory memory;

/* Below 2 GiB, where it may be executed. */
static int given(void **state)
{
    (void)state;
    if (!arena.base)
        arena.base = mmap(NULL, POOL, PROT_READ | PROT_WRITE | PROT_EXEC,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
    assert_ptr_not_equal(arena.base, MAP_FAILED);
    memset(arena.base, 0x55, POOL);
    arena = (struct arena){arena.base, POOL, 0};
    assert_true(code_memory(&memory, CODE_AREA_MAX, &arena));
    return 0;
}

static struct code_payload of(struct module_bytes body, uint32_t copies)
{
    return (struct code_payload){.body = body, .copies = copies, .alignment = 64, .memory = &memory};
}

static void call(const struct code_payload *c)
{
    payload_fn *payload = code_write(c, &arena);
    assert_non_null(payload);
    payload(NULL);
}

static uint64_t word(unsigned i)
{
    uint64_t value;
    memcpy(&value, memory.middle[0] + 8 * i, sizeof value);
    return value;
}

static const struct module_bytes count = CODE("\x49\xff\x06"); /* INC QWORD [R14] */

TEST_WITH(test_copies, given, NULL)
{
    static const struct {
        uint32_t copies, turns, counted;
    } cases[] = {{1, 0, 1}, {7, 0, 7}, {7, 1, 7}, {100, 3, 300}, {0, 5, 0}, {0, 0, 0}, {20000, 2, 40000}};
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        given(NULL);
        struct code_payload c = of(count, cases[i].copies);
        c.turns = cases[i].turns;
        call(&c);
        assert_int_equal(word(0), cases[i].counted);
    }
}

/* init, fence, late init, code: ((1 << 4) + 2) * 3, stored and once more. */
TEST_WITH(test_order, given, NULL)
{
    struct code_payload c = of((struct module_bytes)CODE("\x6b\xc0\x03\x41\x89\x06"), 2);
    c.init = (struct module_bytes)CODE("\xb8\x01\x00\x00\x00");
    c.fence = (struct module_bytes)CODE("\xc1\xe0\x04");
    c.late = (struct module_bytes)CODE("\x83\xc0\x02");
    call(&c);
    assert_int_equal(word(0), ((1 << 4) + 2) * 9);
}

/* MOV [R14 + 8 * i], RDI, RSI, RBP, RSP */
TEST_WITH(test_registers, given, NULL)
{
    const struct code_payload c =
        of((struct module_bytes)CODE("\x49\x89\x7e\x08\x49\x89\x76\x10\x49\x89\x6e\x18\x49\x89\x66\x20"), 1);
    call(&c);
    for (unsigned i = 1; i < CODE_AREAS; i++) {
        assert_int_equal(word(i), (uintptr_t)memory.middle[i]);
        assert_int_equal((uintptr_t)memory.middle[i] % 4096, 0);
        for (unsigned k = 0; k < i; k++) {
            const int64_t apart = memory.middle[i] - memory.middle[k];
            assert_true(apart >= CODE_AREA_MAX || -apart >= CODE_AREA_MAX);
        }
    }
}

TEST_WITH(test_zeroed, given, NULL)
{
    for (unsigned i = 0; i < CODE_AREAS; i++) {
        const uint8_t *first = memory.middle[i] - CODE_ZEROED;
        for (unsigned k = 0; k < 2 * CODE_ZEROED; k++) assert_int_equal(first[k], 0);
        assert_int_equal(first[2 * CODE_ZEROED], 0x55);
        assert_int_equal(*(first - 1), 0x55);
    }
}

/* Whatever the code leaves in registers and flags. STD; all but RSP are XORed, RSP becomes 8. */
TEST_WITH(test_restored, given, NULL)
{
    static const uint64_t before[] = {1, 2, 3, 4, 5, 6};
    uint64_t after[6], flags, sp[2];
    const struct code_payload c =
        of((struct module_bytes)CODE(
               "\xfd\x31\xdb\x31\xed\x4d\x31\xe4\x4d\x31\xed\x4d\x31\xf6\x4d\x31\xff\xbc\x08\x00\x00\x00"),
           3);
    payload_fn *payload = code_write(&c, &arena);
    __asm__ volatile("push %%rbx\n\tpush %%rbp\n\t"
                     "mov (%[before]), %%rbx\n\tmov 16(%[before]), %%r12\n\tmov 24(%[before]), %%r13\n\t"
                     "mov 32(%[before]), %%r14\n\tmov 40(%[before]), %%r15\n\t"
                     "push %[after]\n\tpush %[before]\n\tpush %[flags]\n\tpush %[sp]\n\t"
                     "mov %%rsp, (%[sp])\n\tmov 8(%[before]), %%rbp\n\t"
                     "call *%%rax\n\t"
                     "mov %%rsp, %%rdx\n\t"
                     "pop %[sp]\n\tpop %[flags]\n\tpop %[before]\n\tpop %[after]\n\t"
                     "mov %%rdx, 8(%[sp])\n\t"
                     "mov %%rbx, (%[after])\n\tmov %%rbp, 8(%[after])\n\tmov %%r12, 16(%[after])\n\t"
                     "mov %%r13, 24(%[after])\n\tmov %%r14, 32(%[after])\n\tmov %%r15, 40(%[after])\n\t"
                     "pushf\n\tpop (%[flags])\n\tcld\n\t"
                     "pop %%rbp\n\tpop %%rbx\n\t"
                     : "+a"(payload)
                     : [before] "S"(before), [after] "D"(after), [flags] "c"(&flags), [sp] "r"(sp)
                     : "rdx", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "memory", "cc");
    assert_memory_equal(after, before, sizeof before);
    assert_int_equal(sp[0], sp[1]);
    assert_int_equal(flags & 0x400, 0);
}

static const uint8_t *first_copy(payload_fn *payload, const struct code_payload *c)
{
    const uint8_t *at = (const uint8_t *)(uintptr_t)payload;
    while (memcmp(at, c->body.at, c->body.n) != 0) at++;
    return at;
}

/* Both lengths begin at the same place of a page, and with the same bytes. */
TEST_WITH(test_places, given, NULL)
{
    static const struct {
        uint32_t alignment, offset;
    } cases[] = {{64, 0}, {64, 1}, {64, 63}, {1, 0}, {1, 4095}, {4096, 0}, {4096, 17}, {8192, 5}, {16, 200}};
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
        for (unsigned n = 0; n < 100; n += 33) {
            uint8_t init[100];
            memset(init, 0x90, sizeof init);
            given(NULL);
            struct code_payload c = of(count, 10);
            c.alignment = cases[i].alignment;
            c.offset = cases[i].offset;
            c.init = (struct module_bytes){init, n};
            payload_fn *shorter = code_write(&c, &arena);
            c.copies = 20;
            payload_fn *longer = code_write(&c, &arena);
            const uint8_t *first = first_copy(longer, &c);
            const size_t head = (size_t)(first - (const uint8_t *)(uintptr_t)longer);
            assert_int_equal((uintptr_t)first % c.alignment, c.offset % c.alignment);
            assert_int_equal(((uintptr_t)longer - (uintptr_t)shorter) % 4096, 0);
            assert_memory_equal((const void *)(uintptr_t)shorter, (const void *)(uintptr_t)longer, head);
            assert_memory_equal(first_copy(shorter, &c) + 30, first + 60, 20 + 64); /* the end, too */
            assert_int_equal(first[60 + 20 + 63], 0xcc);
        }
}

/* As much memory as is said, and not a byte less. */
TEST_WITH(test_room, given, NULL)
{
    struct code_payload c = of(count, 1000);
    const size_t page = (4096 - (uintptr_t)(arena.base + arena.used) % 4096) % 4096;
    const size_t all = (size_t)code_bytes(&c) - 4095;
    struct arena just = {arena.base + arena.used, page + all, 0}, less = {just.base, page + all - 1, 0};
    assert_null(code_write(&c, &less));
    assert_non_null(code_write(&c, &just));
    assert_int_equal(just.used, just.size);
    c.copies = UINT32_MAX; /* more than any arena */
    c.body = (struct module_bytes){memory.middle[0], UINT32_MAX};
    assert_null(code_write(&c, &arena));
    struct arena small = {arena.base, CODE_AREAS * 65536, 0};
    assert_false(code_memory(&memory, 65536, &small));
}

/* ---- counting from inside ---- */

#define STOP  "\x04\x3f\x81\xc2\xb1\x13\xb5\xf0"
#define START "\x04\x3f\x81\xc2\xb1\x13\xb5\xe0"
#define ROOM  "\x04\x3f\x81\xc2\xb1\x13\xb5\xd0"
#define ROOMS ROOM ROOM ROOM ROOM ROOM ROOM ROOM ROOM ROOM ROOM ROOM
#define INC   "\x49\xff\x06" /* INC QWORD [R14] */

/* "Counters" are the time stamp, which any program may read. */
static const uint32_t select_of[CODE_EVENTS] = {1, 2, 3, 4};
static const uint8_t lfence[] = {0x0f, 0xae, 0xe8};
static const struct bench_counters counters = {CODE_EVENTS, select_of, 0x31, lfence, sizeof lfence};
static struct {
    uint64_t sum[1 + CODE_EVENTS];
    uint32_t wrong;
} * counted;

static struct code_payload counting(struct module_bytes body, uint32_t copies)
{
    struct code_payload c = of(body, copies);
    counted = arena_alloc(&arena, sizeof *counted, 64);
    memset(counted, 0, sizeof *counted);
    c.count = (struct code_count){&counters, {lfence, sizeof lfence}, counted->sum, &counted->wrong};
    c.pauses = (uint32_t)code_pauses(body);
    return c;
}

TEST(test_pauses)
{
    static const struct {
        struct module_bytes body;
        int pauses;
    } cases[] = {
        {{NULL, 0}, 0},
        {CODE(INC), 0},
        {CODE(STOP START), 1},
        {CODE(INC STOP INC START INC STOP START), 2},
        {CODE(STOP ROOM INC START ROOM), 1},
        {CODE(STOP), -1},
        {CODE(START), -1},
        {CODE(START STOP), -1},
        {CODE(STOP STOP START START), -1},
        {CODE(STOP START START), -1},
        {{(const uint8_t *)STOP START, 15}, -1},
        {{(const uint8_t *)STOP, 7}, 0},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(code_pauses(cases[i].body), cases[i].pauses);
}

/* The code between two readings of one counter includes those of the counters after it. */
TEST_WITH(test_sums, given, NULL)
{
    struct code_payload c = counting((struct module_bytes)CODE(INC STOP INC START INC), 50);
    c.turns = 3;
    call(&c);
    assert_int_equal(word(0), 450);
    assert_int_equal(counted->wrong, 0);
    for (unsigned i = 0; i <= CODE_EVENTS; i++) {
        assert_in_range(counted->sum[i], 1, 1u << 30);
        if (i) assert_true(counted->sum[i] < counted->sum[i - 1]);
    }
}

/* Pauses of no code stand for the copies that a payload lacks. A copy jumps over its pause, or over half of
 * it. */
TEST_WITH(test_wrong_pauses, given, NULL)
{
    static const struct {
        struct module_bytes body;
        uint32_t copies, copied;
        bool wrong;
    } cases[] = {
        {CODE(STOP START), 5, 0, false},
        {CODE(STOP START), 5, 9, false},
        {CODE(STOP START), 0, 9, false},
        {CODE("\xe9\xc3\x00\x00\x00" STOP ROOMS INC START ROOMS), 5, 0, true},
        {CODE("\xe9\x63\x00\x00\x00" STOP ROOMS INC START ROOMS), 5, 0, true},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        given(NULL);
        struct code_payload c = counting(cases[i].body, cases[i].copies);
        c.copied = cases[i].copied;
        call(&c);
        assert_int_equal(counted->wrong != 0, cases[i].wrong);
    }
}

/* With room a mark and what replaces it are as long, so that the code may jump across; without, the code
 * moves. */
TEST_WITH(test_marks, given, NULL)
{
    const struct code_payload roomy = counting((struct module_bytes)CODE(STOP ROOMS START ROOMS INC), 1);
    const struct code_payload tight = counting((struct module_bytes)CODE(STOP START INC), 1);
    assert_int_equal(code_copy_bytes(&roomy), roomy.body.n);
    assert_in_range(code_copy_bytes(&tight), tight.body.n + 100, roomy.body.n);
    struct code_payload none = tight; /* the bracket counts: no byte is looked at */
    none.count.counters = NULL;
    assert_int_equal(code_copy_bytes(&none), none.body.n);
}

/* As many bytes as are said, with pauses of no code. */
TEST_WITH(test_counting_room, given, NULL)
{
    struct code_payload c = counting((struct module_bytes)CODE(STOP START INC), 7);
    c.copied = 9;
    const size_t page = (4096 - (uintptr_t)(arena.base + arena.used) % 4096) % 4096;
    const size_t all = (size_t)code_bytes(&c) - 4095;
    struct arena just = {arena.base + arena.used, page + all, 0}, less = {just.base, page + all - 1, 0};
    assert_null(code_write(&c, &less));
    payload_fn *payload = code_write(&c, &just);
    assert_non_null(payload);
    assert_int_equal(just.base[just.size - 64], 0xcc);
    assert_int_equal(just.base[just.size - 65], 0xc3); /* RET */
}

TEST(test_areas)
{
    assert_int_equal(code_area_bytes(1u << 30), 1u << 20);
    assert_int_equal(code_area_bytes(8u << 20), 1u << 20);
    assert_int_equal(code_area_bytes((8u << 20) - 1), 1u << 19);
    assert_int_equal(code_area_bytes(1u << 20), 1u << 17);
}
