/* The window of linear addresses: what its tables say, by a walk of its own (SDM vol. 3A figures 4-2, 4-8).
 */
#define _GNU_SOURCE /* MAP_32BIT */
#include "kernel/hw.h"

static void flush(void);
#define hw_flush_tlbs() flush()
#include "kernel/window.c"

#include "tests/unit/unit.h"
#include <string.h>
#include <sys/mman.h>

#define MIB        (1ull << 20)
#define ARENA_SIZE (8 * MIB)

static struct arena arena; /* below 4 GiB, for entries of 32 bits */
static void *root;
static struct window w;
static bool four;

struct seen {
    bool present, user, writable;
    uint64_t phys;
    unsigned bytes_log2, cache; /* cache: bit 0 PWT, bit 1 PCD */
};

/* The TLB: any present entry of the top table may be in it at any time, and no address with both sizes. */
static struct {
    uint32_t cached[1024];
    unsigned clashes;
} tlb;

static void look(void)
{
    const uint32_t *d = root;
    for (unsigned i = 0; i < 1024 && !four; i++) {
        const uint32_t old = tlb.cached[i];
        tlb.clashes += (old & P) && (d[i] & P) && (old & LARGE) != (d[i] & LARGE);
        if (!(old & P)) tlb.cached[i] = d[i];
    }
}

static void flush(void)
{
    look();
    memcpy(tlb.cached, root, sizeof tlb.cached);
}

static struct seen found(uint64_t e, uint64_t at, unsigned log2)
{
    const uint64_t inside = at & ((1ull << log2) - 1);
    return (struct seen){true, e >> 2 & 1, e >> 1 & 1, (e & ~0xfffull) + inside, log2, e >> 3 & 3};
}

static struct seen walk(uint64_t at)
{
    static const struct seen nothing;
    if (four) {
        const uint64_t *t = root;
        for (unsigned shift = 39;; shift -= 9) {
            const uint64_t e = t[at >> shift & 511];
            if (!(e & 1)) return nothing;
            if (shift == 12 || (e & 0x80)) return found(e, at, shift);
            t = (const uint64_t *)(uintptr_t)(e & ~0xfffull);
        }
    }
    const uint32_t *d = root, e = d[at >> 22];
    if (!(e & 1)) return nothing;
    if (e & 0x80) return found(e, at, 22);
    const uint32_t *t = (const uint32_t *)(uintptr_t)(e & ~0xfffu), f = t[at >> 12 & 1023];
    return f & 1 ? found(f, at, 12) : nothing;
}

static void open_it(bool with_four)
{
    four = with_four;
    arena.used = 0;
    root = arena_alloc(&arena, 4096, 4096);
    memset(root, 0x55, 4096); /* present, whatever it is */
    if (four)
        window_open(&w, &paging_four_levels, root, WINDOW_FROM, WINDOW_FROM + (1ull << 39), &arena);
    else
        window_open(&w, &paging_two_levels, root, 0x20000000, 0x20000000 + WINDOW_BYTES_I586, &arena);
}

static uint64_t map(uint64_t phys, uint64_t pages, unsigned level, bool same, enum window_cache cache)
{
    const struct window_pages p = {phys, pages, level, same, cache};
    const char *why;
    return window_map(&w, &p, &why);
}

static void check_pages(void)
{
    const uint64_t a = map(0x500000, 3000, 1, false, WINDOW_CACHED),
                   b = map(0x700000, 2, 1, true, WINDOW_UNCACHED);
    const unsigned large = four ? 21 : 22;
    const uint64_t c = map(0x2000000, 3, 2, false, WINDOW_COMBINING);
    assert_true(a && b && c);
    for (uint64_t i = 0; i < 3000; i++) {
        const struct seen s = walk(a + i * 4096 + 5);
        assert_true(s.present && s.user && s.writable);
        assert_int_equal(s.phys, 0x500005 + i * 4096);
        assert_int_equal(s.bytes_log2, 12);
        assert_int_equal(s.cache, 0);
    }
    assert_false(walk(a - 1).present);
    assert_false(walk(a + 3000 * 4096).present);
    for (uint64_t i = 0; i < 2; i++) {
        assert_int_equal(walk(b + i * 4096).phys, 0x700000);
        assert_int_equal(walk(b + i * 4096).cache, 3); /* UC, not UC- */
    }
    assert_false(walk(b + 2 * 4096).present);
    assert_int_equal(c & ((1u << large) - 1), 0);
    for (uint64_t i = 0; i < 3; i++) {
        const struct seen s = walk(c + (i << large) + 12345);
        assert_int_equal(s.phys, 0x2000000 + (i << large) + 12345);
        assert_int_equal(s.bytes_log2, large);
        assert_int_equal(s.cache, 1); /* PAT entry 1 */
    }
    assert_false(walk(c - 4096).present);
    assert_false(walk(c + (3ull << large)).present);
    /* A gap in the middle, and none of what is not mapped. */
    assert_true(window_unmap(&w, a + 7 * 4096 + 9));
    assert_false(window_unmap(&w, a + 7 * 4096));
    assert_false(walk(a + 7 * 4096).present);
    assert_true(walk(a + 6 * 4096).present && walk(a + 8 * 4096).present);
    assert_true(window_unmap(&w, c + (1u << large)));
    assert_false(walk(c + (1u << large)).present);
    assert_true(walk(c).present && walk(c + (2u << large)).present);
    assert_false(window_unmap(&w, w.from - 1));
    assert_false(window_unmap(&w, w.end));
}

static void pages_of_each_form(void **state)
{
    (void)state;
    open_it(true);
    check_pages();
    open_it(false);
    check_pages();
}

/* Pages that are the kernel's alone: the last level forbids, those above allow the others' pages beside them.
 */
static void kernels_own(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        const uint64_t no_execute = i ? 1ull << 63 : 0;
        const struct window_pages own = {.phys = 0x500000, .pages = 2, .level = 1, .kernels = true},
                                  any = {.phys = 0x600000, .pages = 1, .level = 1};
        const char *why;
        open_it(i != 0);
        w.no_execute = no_execute;
        const uint64_t a = window_map(&w, &own, &why), b = window_map(&w, &any, &why);
        const struct seen s = walk(a), u = walk(b);
        assert_true(s.present && s.writable && !s.user);
        assert_true(s.phys == (0x500000 | no_execute));
        assert_true(u.present && u.writable && u.user);
        assert_int_equal(u.phys, 0x600000);
    }
}

static void a_gigabyte(void **state)
{
    (void)state;
    open_it(true);
    assert_int_equal(window_page_bytes(&paging_four_levels, 3), 1ull << 30);
    assert_int_equal(window_page_bytes(&paging_four_levels, 4), 0);
    assert_int_equal(window_page_bytes(&paging_two_levels, 2), 4 * MIB);
    assert_int_equal(window_page_bytes(&paging_two_levels, 3), 0);
    const uint64_t a = map(0x40000000, 2, 3, false, WINDOW_CACHED);
    assert_int_equal(walk(a + 0x54321).phys, 0x40054321);
    assert_int_equal(walk(a + (1ull << 30)).phys, 0x80000000);
    assert_int_equal(walk(a).bytes_log2, 30);
    assert_false(walk(a + (2ull << 30)).present);
}

/* Nothing else of the top table changes, and all of it comes back. */
static void the_rest_stays(void **state)
{
    (void)state;
    for (unsigned f = 0; f < 2; f++) {
        uint8_t before[4096];
        memset(before, 0x55, sizeof before);
        open_it(f);
        const unsigned at = f ? 200 * 8 : 0x20000000 >> 22 << 2, bytes = f ? 8 : 64 * 4;
        const uint8_t *now = root;
        assert_memory_equal(now, before, at);
        for (unsigned i = 0; i < bytes; i++) assert_int_equal(now[at + i], 0);
        assert_memory_equal(now + at + bytes, before, 4096 - at - bytes);
        map(0x500000, 100, 1, true, WINDOW_CACHED);
        window_close(&w);
        assert_memory_equal(now, before, 4096);
    }
}

static void what_does_not_fit(void **state)
{
    const struct window_pages many = {.phys = 0x500000, .pages = WINDOW_BYTES_I586 / 4096, .level = 1},
                              huge = {.phys = 0x500000, .pages = UINT64_MAX / 2, .level = 1};
    const char *why = NULL;
    (void)state;
    open_it(false);
    assert_int_equal(window_map(&w, &many, &why), 0);
    assert_string_equal(why, "the window has not so many free addresses");
    assert_int_equal(window_map(&w, &huge, &why), 0);
    assert_true(map(0x500000, many.pages - 2, 1, false, WINDOW_CACHED) !=
                0); /* with a gap before and behind */
    assert_int_equal(map(0x500000, 1, 1, false, WINDOW_CACHED), 0);
    open_it(true);
    const struct arena all = arena;
    arena.size = arena.used + 2 * 4096;
    assert_int_equal(window_map(&w, &(struct window_pages){0x500000, 1, 1, true, WINDOW_CACHED}, &why), 0);
    assert_string_equal(why, "there is not enough memory for page tables");
    arena = all;
    assert_true(map(0x500000, 1, 1, true, WINDOW_CACHED) != 0);
}

/* AMD's family 10h, erratum 383: large pages come back after the TLB has lost the small ones. */
static void never_two_sizes(void **state)
{
    (void)state;
    four = false;
    arena.used = 0;
    uint32_t *d = root = arena_alloc(&arena, 4096, 4096);
    for (unsigned i = 0; i < 1024; i++) d[i] = i << 22 | P | RW | LARGE;
    memcpy(tlb.cached, d, sizeof tlb.cached);
    tlb.clashes = 0;
    window_open(&w, &paging_two_levels, root, 0x20000000, 0x20000000 + WINDOW_BYTES_I586, &arena);
    assert_true(map(0x500000, 3000, 1, false, WINDOW_CACHED) != 0);
    look();
    window_close(&w);
    look();
    assert_int_equal(tlb.clashes, 0);
    assert_int_equal(d[0x20000000 >> 22], 0x20000000 | P | RW | LARGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_of_each_form), cmocka_unit_test(kernels_own),
        cmocka_unit_test(a_gigabyte),         cmocka_unit_test(the_rest_stays),
        cmocka_unit_test(what_does_not_fit),  cmocka_unit_test(never_two_sizes)};
    arena.base =
        mmap(NULL, ARENA_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
    arena.size = ARENA_SIZE;
    if (arena.base == MAP_FAILED) return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
