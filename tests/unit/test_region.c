/* Markers, and what they cost. Their own assembly runs here, on this machine's TSC, whose values say nothing:
 * counts are checked with it, values on made-up machines. What is made of a table: test_region_result.c. */
#include "tests/unit/region_drive.h"
#include "tests/unit/trap_rdpmc.h"
#include <math.h>

/* An extern call keeps the compiler from using the red zone, which the kernel's payloads do not have either.
 */
static __attribute__((noinline)) void not_a_leaf(void) { __asm__ volatile(""); }

static void begin(uint32_t id)
{
    not_a_leaf();
    region_begin(&table, id);
    not_a_leaf();
}

static void end(uint32_t id)
{
    not_a_leaf();
    region_end(&table, id);
    not_a_leaf();
}

TEST(test_counts)
{
    const struct region *g = table.region;
    given(0, 0);
    begin(3);
    for (unsigned i = 0; i < 5; i++) {
        begin(7);
        end(7);
    }
    end(3);
    assert_int_equal(g[3].entered, 1);
    assert_int_equal(g[3].exited, 1);
    assert_int_equal(g[7].entered, 5);
    assert_int_equal(g[7].exited, 5);
    assert_int_equal(g[3].span[0].begins, 5);
    assert_int_equal(g[3].span[0].ends, 5);
    assert_int_equal(g[7].span[0].begins + g[7].span[0].ends, 0);
    assert_int_equal(g[7].span[1].begins + g[7].span[1].ends, 0);
    assert_true(g[3].span[0].sum[0] >= g[7].span[0].sum[0] + g[7].span[1].sum[0]);
    assert_int_equal(g[3].early + g[7].early, 0);
    assert_int_equal(table.used[0], 1 << 3 | 1 << 7);
    for (unsigned i = 0; i <= REGIONS; i++)
        if (i != 3 && i != 7) assert_int_equal(g[i].entered + g[i].exited, 0);
}

TEST(test_overlap)
{
    given(0, 0);
    begin(0);
    begin(1);
    end(0);
    end(1);
    assert_int_equal(table.region[0].span[0].begins, 1); /* 1's begin is in 0, 0's end is in 1 */
    assert_int_equal(table.region[0].span[0].ends, 0);
    assert_int_equal(table.region[1].span[0].begins, 0);
    assert_int_equal(table.region[1].span[0].ends, 1);
}

TEST(test_ids)
{
    static const uint32_t bad[] = {REGIONS, REGIONS + 1, 0x7fffffff, 0x80000000, UINT32_MAX};
    static struct region_table before;
    given(0, 0);
    for (unsigned i = 0; i < 5; i++) begin(bad[i]);
    begin(REGIONS - 1);
    end(REGIONS - 1);
    assert_int_equal(table.region[REGIONS].entered, 5);
    assert_int_equal(table.region[REGIONS - 1].entered, 1);
    regions_gather(&regions);
    assert_int_equal(regions.out_of_range, 5);
    before = table; /* a wrong id changes its own region and the table's own counts, nothing else */
    begin(UINT32_MAX);
    assert_memory_equal(table.region, before.region, REGIONS * sizeof *table.region);
    assert_int_equal(table.region[REGIONS].entered, 6);
    assert_int_equal(table.begins, before.begins + 1);
}

TEST(test_registers)
{
    register uint64_t at __asm__("r12") = (uintptr_t)&table; /* none of those that are given values */
    uint64_t sum = 0;
    given(0, 0);
    not_a_leaf();
    __asm__ volatile("push %%rbx\n\tpush %%rbp\n\t"
                     "mov $1, %%ebx\n\tmov $2, %%ecx\n\tmov $4, %%esi\n\tmov $8, %%edi\n\tmov $16, %%ebp\n\t"
                     "mov $5, %%edx\n\tmov %1, %%rax\n\t"
                     "call *(%%rax)\n\tcall *8(%%rax)\n\t"
                     "sub %1, %%rax\n\t"
                     "add %%rbx, %%rax\n\tadd %%rcx, %%rax\n\tadd %%rsi, %%rax\n\tadd %%rdi, %%rax\n\t"
                     "add %%rbp, %%rax\n\tshl $8, %%rdx\n\tadd %%rdx, %%rax\n\t"
                     "pop %%rbp\n\tpop %%rbx"
                     : "=&a"(sum)
                     : "r"(at)
                     : "rcx", "rdx", "rsi", "rdi", "memory", "cc");
    assert_int_equal(sum, 31 + (5 << 8));
    assert_int_equal(table.region[5].exited, 1);
}

TEST(test_wrong_order)
{
    struct region_result res;
    given(0, 0);
    end(1);
    begin(1); /* as often exited as entered, and worth nothing */
    end(2);
    begin(3);
    begin(4);
    end(4);
    regions_gather(&regions);
    assert_true(regions_result(&regions, 1, 0, 95, &res));
    assert_true(res.early && !res.unbalanced && isnan(res.total.least) && isnan(res.entries));
    assert_true(regions_result(&regions, 2, 0, 95, &res));
    assert_true(res.early && res.unbalanced && res.entered == 0 && res.exited == 1 && isnan(res.total.least));
    assert_true(regions_result(&regions, 3, 0, 95, &res));
    assert_true(!res.early && res.unbalanced && isnan(res.total.most) && isnan(res.first.most));
    assert_true(regions_result(&regions, 4, 0, 95, &res));
    assert_true(!res.early && !res.unbalanced && isfinite(res.total.least) && isnan(res.ci));
    assert_false(regions_result(&regions, 5, 0, 95, &res));
}

static unsigned cold; /* a state has been made and not been run in */
static uint8_t lines[4096];
static void jumps(void) { cold = 1; }
static const struct region_states states = {lines, sizeof lines / 2, sizeof lines, jumps};

/* Instants, as RDPMC counts them. */
static void run_payload(const void *ctx, payload_fn *payload, void *arg, uint64_t *raw)
{
    const uint64_t from = trap_rdpmc_now, ticks = __builtin_ia32_rdtsc();
    (void)ctx;
    payload(arg);
    raw[0] = __builtin_ia32_rdtsc() - ticks;
    for (unsigned k = 1; k < regions.events; k++) raw[k] = trap_rdpmc_now - from;
}

static const struct region_runner runner = {NULL, run_payload, &states};

TEST(test_calibration)
{
    const struct region_cost *c = &regions.cost[0];
    given(0, 0);
    regions_calibrate(&regions, &runner);
    assert_true(c->entry.least >= 0 && c->entry.most > c->entry.least);
    assert_true(c->begin.least >= 0 && c->begin.most > c->begin.least);
    assert_true(c->end.least >= 0 && c->end.most > c->end.least);
    for (unsigned i = 0; i < sizeof table.used / sizeof *table.used; i++) assert_int_equal(table.used[i], 0);
}

/* A machine on which a marker takes 100 ticks and counts, of event 1, 10, of event 2, which are fetches of
 * lines, 20 and one more where its call lies in two, of event 3, misses, none when it is warm and else 7, of
 * event 4, hits, 6 or none, and of event 5, misses of what is taken away before each call, 2 where it is the
 * first. */
extern payload_fn region_empty, region_near_begin, region_far_begin, region_near_end, region_far_end;
extern payload_fn region_nothing, region_two_begin, region_three_begin, region_two_end, region_three_end;

static unsigned markers_of(payload_fn *payload)
{
    if (payload == region_three_begin || payload == region_three_end) return 3;
    if (payload == region_two_begin || payload == region_two_end) return 2;
    return payload == region_near_begin || payload == region_near_end || payload == region_far_begin ||
           payload == region_far_end;
}

static unsigned called[5][2]; /* by payload: nothing, near, far, three, empty; warm, or made cold by jumps */

static void count_call(payload_fn *payload)
{
    static payload_fn *const of[] = {region_nothing, region_near_begin, region_far_end, region_three_end,
                                     region_empty};
    for (unsigned i = 0; i < sizeof table.used / sizeof *table.used; i++) assert_int_equal(table.used[i], 0);
    for (unsigned i = 0; i < 5; i++) called[i][cold] += payload == of[i];
}

static void count_payload(const void *ctx, payload_fn *payload, void *arg, uint64_t *raw)
{
    static const uint64_t around[] = {0, 3, 5, 2, 1, 4};
    const bool far = payload == region_far_begin || payload == region_far_end;
    const unsigned markers = markers_of(payload);
    (void)ctx, (void)arg;
    count_call(payload);
    memcpy(raw, around, sizeof around);
    if (markers) {
        raw[0] += 100 * markers;
        raw[1] += 10 * markers;
        raw[2] += 20 * markers + far;
        raw[3] += cold ? 7 : 0;
        raw[4] += 6 * (markers - cold);
        raw[5] += 2;
    }
    if (payload == region_empty) {
        static const uint64_t entry[] = {90, 9, 19, 0, 8, 1};
        for (unsigned k = 0; k < 6; k++) table.many.region[0].span[0].sum[k] = entry[k];
        table.used[0] = 1;
    }
    cold = 0;
}

TEST(test_states)
{
    static const struct region_runner counted = {NULL, count_payload, &states};
    uint32_t select[REGION_COUNTERS] = {0};
    given(0, 0);
    assert_true(regions_arm(&regions, SERIALIZE_CPUID, READER_RDPMC, select, 5, UINT64_MAX));
    memset(table.used, 0, sizeof table.used);
    memset(called, 0, sizeof called);
    cold = 0;
    regions_calibrate(&regions, &counted);
    /* Each 100 times warm, what is evicted also 3 times in each of five states, one of which is warm; before
     * all of them 4 times. */
    static const unsigned warm[] = {104 + 5 * 4 + 100, 104, 104 + 5 * 4 + 100, 104, 104};
    for (unsigned i = 0; i < 5; i++) {
        assert_int_equal(called[i][0], warm[i]);
        assert_int_equal(called[i][1], i == 0 || i == 2 ? 4 * 3 : 0);
    }
    assert_range(regions.cost[0].begin, 100, 100);
    assert_range(regions.cost[0].end, 100, 100);
    assert_range(regions.cost[0].entry, 90, 90);
    assert_range(regions.cost[1].begin, 10, 10);
    assert_range(regions.cost[1].entry, 9, 9);
    assert_range(regions.cost[2].end, 18, 21);   /* 20 without both lines around it; with the second one */
    assert_range(regions.cost[2].entry, 15, 21); /* 19, by as much for each of the two */
    assert_range(regions.cost[3].begin, 0, 7);
    assert_range(regions.cost[3].entry, 0, 14);
    assert_range(regions.cost[4].end, 0, 6);
    assert_range(regions.cost[4].entry, 0, 8);
    assert_range(regions.cost[5].begin, 0, 2);
    assert_range(regions.cost[5].entry, 0, 1);
}

/* Markers that read n counters, where each RDPMC is an instant: what a region costs and what it counts then
 * follow. */
static void count_many(enum serialize serialize, unsigned n)
{
    struct region_result res;
    uint32_t select[REGION_COUNTERS];
    trap_rdpmc_reset();
    given(0, 0);
    for (unsigned i = 0; i < n; i++) select[i] = TRAP_RDPMC_INDEX + 17 - i;
    assert_true(regions_arm(&regions, serialize, READER_RDPMC, select, n, (1ull << 40) - 1));
    memset(table.used, 0xff, sizeof table.used);
    regions_reset(&regions);
    regions_calibrate(&regions, &runner);
    for (unsigned i = 0; i < n; i++) { /* its readings enclose those of the counters behind it */
        const struct region_cost *c = &regions.cost[1 + i];
        assert_range(c->entry, 2 * (n - i) - 1, 2 * (n - i) - 1);
        assert_range(c->begin, n, n);
        assert_range(c->end, n, n);
    }
    trap_rdpmc_reset();
    begin(99);
    trap_rdpmc_now += 3;
    for (unsigned i = 0; i < 5; i++) {
        begin(7);
        trap_rdpmc_now += 1000 + i;
        end(7);
    }
    begin(UINT32_MAX); /* a region of its own, and costs what any does */
    end(99);
    for (unsigned i = 0; i < n; i++) assert_int_equal(trap_rdpmc_index[i], select[i]);
    for (unsigned i = 0; i < n; i++) assert_int_equal(trap_rdpmc_index[3 * n - 1 - i], select[i]);
    regions_gather(&regions);
    assert_int_equal(regions.out_of_range, 1);
    for (unsigned i = 0; i < n; i++) {
        assert_true(regions_result(&regions, 7, 1 + i, 95, &res));
        assert_true(res.entered == 5 && res.exited == 5 && !res.early && !res.unbalanced);
        assert_range(res.total, 5010, 5010);
        assert_true(res.nested == 0);
        assert_true(regions_result(&regions, 99, 1 + i, 95, &res));
        assert_range(res.total, 5013, 5013);
        assert_true(res.nested == 11);
    }
    regions_reset(&regions);
    trap_rdpmc_now += 1ull << 39;
    begin(7);
    trap_rdpmc_now += 77;
    end(7);
    regions_gather_first(&regions);
    assert_true(regions_result(&regions, 7, n, 95, &res));
    assert_range(res.first, 77, 77);
    end(8);
    begin(8);
    regions_gather(&regions);
    assert_true(regions_result(&regions, 8, 1, 95, &res));
    assert_true(res.early && isnan(res.total.least));
}

TEST(test_many)
{
    static const unsigned n[] = {1, 2, 3, 4, 11, 18};
    for (unsigned s = 0; s < SERIALIZE_COUNT; s++)
        for (unsigned i = 0; i < sizeof n / sizeof *n; i++) count_many(s, n[i]);
}

TEST(test_readers)
{
    static const uint32_t select[REGION_COUNTERS] = {1, 2};
    for (unsigned s = 0; s < SERIALIZE_COUNT; s++)
        for (unsigned rd = 0; rd < READER_COUNT; rd++)
            for (unsigned n = 0; n <= REGION_COUNTERS; n++) {
                bool bracket = n == 0 ? rd == READER_NONE : bracket_find(s, rd, n) != NULL;
                struct regions r = {.table = &table};
                assert_int_equal(regions_arm(&r, s, rd, select, n, 0), bracket);
            }
    assert_false(regions_arm(&regions, SERIALIZE_CPUID, READER_RDPMC, select, REGION_COUNTERS + 1, 0));
}
