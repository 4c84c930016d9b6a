/* The benchmark pool: the largest free range, around the kernel (1-2 MiB by --defsym) and modules. */
#include "kernel/memory.h"
#include "tests/unit/unit.h"
#include <string.h>

#define MIB  (1ull << 20)
#define POOL (544ull << 10) /* the built-in one */

static struct bootinfo bi;
static struct memory m;

static void range(uint64_t base, uint64_t len, uint32_t type)
{
    bi.map[bi.n_map++] = (struct mem_range){base, len, type};
    bi.map_source = MAP_MMAP;
}

static void choose(uint64_t base, uint64_t bytes)
{
    memory_init(&bi, &m);
    assert_true((uintptr_t)m.pool == base);
    assert_true(m.pool_bytes == bytes);
    assert_false(m.pool_is_builtin);
}

TEST(test_pc)
{
    memset(&bi, 0, sizeof bi);
    range(0, 0x9fc00, 1);
    range(0xf0000, 0x10000, 2);
    range(MIB, 127 * MIB, 1);
    choose(4 * MIB, 124 * MIB); /* behind the kernel, at a large page */
    assert_int_equal(m.total_kib, 0x9fc00 / 1024 + 127 * 1024);
    bi.module[bi.n_modules++] = (struct boot_module){100 * MIB, 101 * MIB, "db"};
    choose(4 * MIB, 96 * MIB); /* below the module */
    bi.module[bi.n_modules++] = (struct boot_module){8 * MIB, 9 * MIB, "x"};
    choose(12 * MIB, 88 * MIB); /* between the two */
}

TEST(test_large)
{
    memset(&bi, 0, sizeof bi);
    range(MIB, 3071 * MIB, 1);
    range(4096 * MIB, 8192 * MIB, 1); /* out of reach */
    choose(4 * MIB, 3068 * MIB);
    memset(&bi, 0, sizeof bi);
    range(MIB, 15 * MIB, 1);
    range(3000 * MIB, 2000 * MIB, 1); /* reaches beyond 4 GiB: cut there */
    choose(3000 * MIB, 1096 * MIB);
}

TEST(test_none)
{
    memset(&bi, 0, sizeof bi);
    memory_init(&bi, &m);
    assert_true(m.pool_is_builtin);
    assert_int_equal(m.pool_bytes, POOL);
    range(MIB, MIB + 64 * 1024, 1); /* 64 KiB behind the kernel: the built-in pool is larger */
    memory_init(&bi, &m);
    assert_true(m.pool_is_builtin);
    range(0xfffffffffffff000, 0x1000, 1); /* nonsense at the end of the address space */
    range(UINT64_MAX, UINT64_MAX, 1);
    memory_init(&bi, &m);
    assert_true(m.pool_is_builtin);
}

/* Where ranges and modules end and begin, to the page. Beyond the numbers lies what does not count. */
TEST(test_borders)
{
    enum { PAGE = 4096 };
    static const struct {
        struct mem_range map[3]; /* type 0: none */
        struct boot_module module[2];
        uint64_t base, bytes; /* 0: the built-in pool */
    } cases[] = {
        {{{0, 2 * MIB, 1}}, {{0}}, 0, 0},             /* below 1 MiB is not ours */
        {{{8 * MIB, POOL, 1}}, {{0}}, 8 * MIB, POOL}, /* as large as the built-in pool */
        {{{8 * MIB, POOL - PAGE, 1}}, {{0}}, 0, 0},
        {{{8 * MIB + 1, POOL + 2 * PAGE, 1}}, {{0}}, 8 * MIB + PAGE, POOL + PAGE}, /* whole pages */
        {{{8 * MIB, POOL + 2 * PAGE - 1, 1}}, {{0}}, 8 * MIB, POOL + PAGE},
        {{{9 * MIB, 3 * MIB + POOL, 1}},
         {{0}},
         12 * MIB,
         POOL}, /* at a large page, if as much is left behind */
        {{{9 * MIB, 3 * MIB + POOL - PAGE, 1}}, {{0}}, 9 * MIB, 3 * MIB + POOL - PAGE},
        {{{8 * MIB, 17 * MIB, 1}}, {{0}}, 8 * MIB, 16 * MIB}, /* a large one ends at a large page, too */
        {{{8 * MIB, 16 * MIB - PAGE, 1}}, {{0}}, 8 * MIB, 16 * MIB - PAGE},
        {{{8 * MIB, 12 * MIB, 1}, {32 * MIB, 12 * MIB, 1}},
         {{0}},
         8 * MIB,
         12 * MIB}, /* the first of equal ones */
        {{{8 * MIB, 8 * MIB, 1}, {32 * MIB, 12 * MIB, 1}}, {{0}}, 32 * MIB, 12 * MIB},
        {{{8 * MIB, 16 * MIB, 1}, {20 * MIB, MIB, 2}}, {{0}}, 8 * MIB, 12 * MIB}, /* reserved inside */
        {{{20 * MIB, MIB, 2}, {8 * MIB, 16 * MIB, 1}}, {{0}}, 8 * MIB, 12 * MIB},
        {{{8 * MIB, 16 * MIB, 1}, {12 * MIB, 100 * MIB, 2}}, {{0}}, 8 * MIB, 4 * MIB},
        {{{8 * MIB, 16 * MIB, 1}}, {{10 * MIB, 10 * MIB, ""}}, 8 * MIB, 16 * MIB}, /* an empty module */
        {{{8 * MIB, 16 * MIB, 1}}, {{8 * MIB, 12 * MIB, ""}, {8 * MIB, 9 * MIB, ""}}, 12 * MIB, 12 * MIB},
        {{{8 * MIB, 16 * MIB, 1}}, {{24 * MIB, 25 * MIB, ""}, {7 * MIB, 8 * MIB, ""}}, 8 * MIB, 16 * MIB},
        {{{4096 * MIB - 2 * MIB, 2 * MIB, 1}}, {{0}}, 4094 * MIB, 2 * MIB},
        {{{4096 * MIB, 64 * MIB, 1}}, {{0}}, 0, 0},
    };
    for (unsigned run = 0; run < 2 * sizeof cases / sizeof *cases; run++) {
        const unsigned i = run / 2;
        memset(&bi, 0, sizeof bi);
        for (unsigned r = 0; r < 3 && cases[i].map[r].type; r++)
            range(cases[i].map[r].base, cases[i].map[r].len, cases[i].map[r].type);
        for (unsigned n = 0; n < 2 && cases[i].module[n].end; n++)
            bi.module[bi.n_modules++] = cases[i].module[n];
        bi.map[bi.n_map] = (struct mem_range){9 * MIB, 4000 * MIB, run % 2 + 1};
        bi.module[bi.n_modules] = (struct boot_module){8 * MIB, 4095 * MIB, ""};
        if (cases[i].base) {
            choose(cases[i].base, cases[i].bytes);
        } else {
            memory_init(&bi, &m);
            assert_true(m.pool_is_builtin);
            assert_int_equal(m.pool_bytes, POOL);
        }
    }
}

/* Memory that forgets nothing passes; the built-in pool is real memory on the host, too. */
TEST(test_check)
{
    memset(&bi, 0, sizeof bi);
    memory_init(&bi, &m);
    assert_true(memory_check(&m));
    /* The same page at both ends, as where address lines wrap around: what was written last is read
     * everywhere. */
    for (m.pool_bytes = 8192; m.pool_bytes >= 4096; m.pool_bytes -= 4096) { /* in the middle, too */
        struct memory small = m;
        small.pool_is_builtin = false;
        assert_false(memory_check(&small));
        assert_true(small.pool_is_builtin && small.pool_bytes == POOL);
    }

    /* The first word of its first and its last page, and that in its middle. */
    static uint32_t pool[6][1024];
    memset(pool, 0xee, sizeof pool);
    m = (struct memory){.pool = (uint8_t *)pool, .pool_bytes = sizeof pool};
    assert_true(memory_check(&m));
    assert_ptr_equal(m.pool, pool);
    for (unsigned page = 0; page < 6; page++)
        for (unsigned word = 0; word < 1024; word++)
            assert_true((pool[page][word] != 0xeeeeeeee) ==
                        (word == 0 && (page == 0 || page == 3 || page == 5)));
}
