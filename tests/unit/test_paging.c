/* kernel/paging.c, whose CR3 is a TLB: no address has ever been in it with two page sizes. */
#include "kernel/percpu.h"
#include "kernel/x86.h"

static struct percpu one;
#define this_cpu() (&one)
static void load_cr3(uintptr_t value);
#undef READ_CR
#undef WRITE_CR
#define READ_CR(n)     ((uintptr_t)0)
#define WRITE_CR(n, v) ((n) == 3 ? load_cr3(v) : (void)(v))
#define rdmsr(msr)     0ull
#define wrmsr(msr, v)  (void)(v)
#include "kernel/paging.c"

#include "tests/unit/unit.h"
#include <stdlib.h>
#include <string.h>

const char kernel_start[1], kernel_text[1], kernel_text_end[1], kernel_data[1], written_code[1],
    written_code_end[1];

static struct {
    pte cached[sizeof boot_pd / sizeof *boot_pd]; /* the entries that the TLB may hold since it was emptied */
    unsigned flushes, clashes;
    const pte *table; /* of filled_before() */
    bool filled;
} tlb;

/* Any present entry may be cached at any time. AMD's revision guide for family 10h (41322), erratum 383. */
static void look(void)
{
    for (size_t i = 0; i < sizeof boot_pd / sizeof *boot_pd; i++) {
        const pte old = tlb.cached[i], new = boot_pd[i];
        tlb.clashes += (old & P) && (new &P) && (old & PS) != (new &PS);
        if (!(old & P)) tlb.cached[i] = new;
    }
}

static void load_cr3(uintptr_t value)
{
    (void)value;
    look();
    memcpy(tlb.cached, boot_pd, sizeof tlb.cached);
    tlb.flushes++;
    if (tlb.table && !(boot_pd[0x40200000 / LARGE] & P)) tlb.filled = tlb.table[0] && tlb.table[511];
}

static const char *const from = (const char *)0x40201000;

/* As boot/entry.S and paging_init() leave the tables. */
static void mapped(void)
{
    memset(boot_pt, 0, sizeof boot_pt);
    for (unsigned t = 0; t < 2; t++) boot_pd[t] = (pte)(uintptr_t)&boot_pt[512 * t] | P | RW;
    for (unsigned i = 2; i < sizeof boot_pd / sizeof *boot_pd; i++) boot_pd[i] = i * LARGE | P | RW | US | PS;
    memcpy(tlb.cached, boot_pd, sizeof tlb.cached);
    tlb.flushes = tlb.clashes = 0;
}

TEST(split_in_order)
{
    const size_t len = 2 * LARGE, tables = paging_tables(from, len);
    assert_int_equal(tables, 3);
    pte *table = aligned_alloc(PAGE_SIZE, tables * PAGE_SIZE);
    mapped();
    no_execute = 1ull << 63;
    paging_split(from, len, table);
    look();
    assert_int_equal(tlb.clashes, 0);
    assert_true(tlb.flushes >= tables);
    for (unsigned i = 0; i < tables; i++)
        assert_int_equal(boot_pd[0x40200000 / LARGE + i], (uintptr_t)&table[512 * i] | P | RW | US);
    /* What lies in the large pages, too, but not between from and its end, stays. */
    assert_int_equal(table[0], 0x40200000 | P | RW | US);
    assert_int_equal(table[1], 0x40201000 | P | RW | no_execute);
    assert_int_equal(table[1024], 0x40600000 | P | RW | no_execute);
    assert_int_equal(table[1025], 0x40601000 | P | RW | US);
    assert_int_equal(boot_pd[0x40800000 / LARGE], 0x40800000 | P | RW | US | PS);
    free(table);
}

/* The table may be in the page that is split, which is not present while the TLB is emptied. */
TEST(filled_before)
{
    pte *table = aligned_alloc(PAGE_SIZE, PAGE_SIZE);
    mapped();
    memset(table, 0, PAGE_SIZE);
    tlb.table = table;
    paging_split(from, PAGE_SIZE, table);
    tlb.table = NULL;
    assert_true(tlb.filled);
    assert_int_equal(boot_pd[0x40200000 / LARGE], (uintptr_t)table | P | RW | US);
    for (unsigned i = 0; i < 512; i++)
        assert_int_equal(table[i] & ~0xfffull & ~no_execute, 0x40200000 + i * 4096);
    free(table);
}

TEST(unmapped_page)
{
    pte *table = aligned_alloc(PAGE_SIZE, PAGE_SIZE);
    mapped();
    paging_split(from, PAGE_SIZE, table);
    paging_unmap(from);
    assert_int_equal(table[1], 0);
    assert_int_not_equal(table[2], 0);
    free(table);
}

/* The kernel runs in the first 4 MiB, whose large pages cannot be taken away: there are none from the start.
 */
TEST(first_pages_are_small)
{
    static struct bootinfo bi;
    mapped();
    fill(&bi);
    load_cr3(0);
    assert_int_equal(tlb.clashes, 0);
    assert_int_equal(boot_pd[0], (uintptr_t)boot_pt | P | RW | US);
    assert_int_equal(boot_pd[1], (uintptr_t)&boot_pt[512] | P | RW | US);
    assert_true(boot_pd[2] & PS);
}

/* Two parts of one large page, one after the other: the first one's table is kept. */
TEST(split_again)
{
    static _Alignas(PAGE_SIZE) pte tables[2][512];
    const uintptr_t first = 0x40240000, second = 0x40210000;
    mapped();
    no_execute = 0;
    paging_split((const void *)first, 2 * PAGE_SIZE, tables[0]);
    const pte linked = boot_pd[first / LARGE];
    paging_split((const void *)second, PAGE_SIZE, tables[1]);
    assert_true(boot_pd[first / LARGE] == linked);
    for (uint64_t a = first & -LARGE; a < (first & -LARGE) + LARGE; a += PAGE_SIZE) {
        const pte e = tables[0][a % LARGE / PAGE_SIZE];
        const bool own = a == second || a == first || a == first + PAGE_SIZE;
        assert_true((e & ~(pte)(PAGE_SIZE - 1)) == a);
        assert_int_equal(e & (P | RW | US), own ? P | RW : P | RW | US);
    }
}

/* Ring 3 may use a part of what was split: that alone, since the rest is the kernel's. */
TEST(users_part)
{
    static _Alignas(PAGE_SIZE) pte table[512];
    mapped();
    no_execute = 1ull << 63;
    paging_split(from, 8 * PAGE_SIZE, table);
    paging_user(from + 2 * PAGE_SIZE, 3 * PAGE_SIZE);
    for (unsigned i = 1; i < 9; i++)
        assert_true((table[i] & (US | no_execute)) == (i >= 3 && i < 6 ? US : no_execute));
    boot_pd[0x41000000 / LARGE] = 0x41000000 | P | RW | PS | no_execute;
    paging_user((const void *)0x41000000, PAGE_SIZE);
    assert_true(boot_pd[0x41000000 / LARGE] == (0x41000000 | P | RW | PS | US));
}
