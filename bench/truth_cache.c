/* Misses that follow from geometry: one access per line after WBINVD, loads after CLFLUSH, lines of twice the
 * size of L1, lines of one set; one access per page. */
#include "bench/truth.h"

#define LINES 64

static bool prepare_lines(struct bench_run *run) { return truth_array(run, LINES * TRUTH_LINE); }

/* From an empty cache to an empty cache: its earlier contents and the bracket's misses afterwards have the
 * same effect on the base, and no modified line is left for others to replace. A whole payload lies in one
 * line, so that program and base have the same code misses. */
#define COLD(what) "wbinvd\n\t" TRUTH_ARG_TO_C what "wbinvd"
#define SWEEP(access)          \
    "movl $64, %edx\n"         \
    "1:\n\t" access "\n\t"     \
    "add $32, " TRUTH_C "\n\t" \
    "dec %edx\n\t"             \
    "jnz 1b\n\t"
TRUTH_PAYLOAD(cold, COLD(""))
TRUTH_PAYLOAD(loads_cold, COLD(SWEEP("movl (" TRUTH_C "), %eax")))
TRUTH_PAYLOAD(stores_cold, COLD(SWEEP("movl %edx, (" TRUTH_C ")")))

#define ALL_64 "64 lines, none in any cache"
#define ALL_32 "32 lines of 64 bytes, none in any cache"
static const struct truth_row loads_rows[] = {
    ON(P5 | CLASS_P6 | CLASS_NOW, "instructions", 257, "1 + 64 x 4"),
    P5("data_read", 64, "64 loads"),
    P5("data_read_miss", 64, ALL_64),
    P5("data_read_miss_or_write_miss", 64, ALL_64),
    P5("data_cache_lines_written_back", 0, "no line was changed"),
    P6("dcu_lines_in", 64, ALL_64),
    P6("dcu_m_lines_in", 0, "no line was written"),
    P6("l2_ld", 64, ALL_64),
    P6("l2_ld:i", 64, ALL_64),
    P6("l2_rqsts", 64, ALL_64),
    P6("l2_lines_in", 64, ALL_64),
    P6("l2_m_lines_inm", 0, "no line was written"),
    P6("bus_tran_brd", 64, ALL_64),
    P6("bus_tran_burst", 64, ALL_64),
    P6("bus_tran_mem", 64, ALL_64),
    P6_LEAST("dcu_miss_outstanding", 64, 5,
             "n x t (Heller): t depends on the board; it is at least the 7 clocks of an L2 access, minus the "
             "2 that "
             "the event omits where L2 misses (SDM)"),
    NB("memory_loads", 64, "64 loads"),
    NB("1stl_cache_load_miss_retired", 32, ALL_32),
    NB("2ndl_cache_load_miss_retired", 32, ALL_32),
    NB("bsq_cache_reference:rd_2ndl_miss", 32, ALL_32),
    ON(ARCH, "cache-references", 32, ALL_32),
    ON(ARCH, "cache-misses", 32, ALL_32),
    ON(LAKE, "r81d0", 64, "64 loads"),
    ON(BRIDGE, "r0151", 32, ALL_32),
    ON(CORE2, "r0f45", 32, ALL_32),
    ON(AMD, "r0040", 64, "64 loads"),
    ON(OLD, "r0141", 32, ALL_32),
    ON(K8, "r037e", 32, ALL_32),
    ON(ZEN, "r8060", 32, ALL_32),
    ON(ZEN, "r0964", 32, ALL_32),
    TRUTH_END,
};
#define AT_END "written back by the WBINVD at the end"
static const struct truth_row stores_rows[] = {
    ON(P5 | CLASS_P6 | CLASS_NOW, "instructions", 257, "1 + 64 x 4"),
    P5("data_write", 64, "64 stores"),
    P5("data_write_miss", 64, "64 lines; a write that misses loads no line"),
    P5("write_hit_to_m_or_e_state_lines", 0, "a write that misses loads no line"),
    P5("data_cache_lines_written_back", 0, "the writes went to memory"),
    P6("dcu_lines_in", 64, ALL_64),
    P6("dcu_m_lines_in", 64, ALL_64),
    P6("dcu_m_lines_out", 64, AT_END),
    P6("l2_st", 64, ALL_64),
    P6("l2_st:i", 64, ALL_64),
    P6("l2_m_lines_inm", 64, ALL_64),
    P6("l2_m_lines_outm", 64, AT_END),
    P6("bus_tran_rfo", 64, ALL_64),
    P6("bus_trans_wb", 64, AT_END),
    NB("memory_stores", 64, "64 stores"),
    NB("memory_loads", 0, "none"),
    NB("bsq_cache_reference:rd_2ndl_miss", 32, ALL_32),
    ON(ARCH, "cache-references", 32, ALL_32),
    ON(ARCH, "cache-misses", 32, ALL_32),
    ON(LAKE, "r82d0", 64, "64 stores"),
    ON(BRIDGE, "r0151", 32, ALL_32),
    ON(CORE2, "r0f45", 32, ALL_32),
    ON(AMD, "r0040", 64, "64 stores"),
    ON(OLD, "r0141", 32, ALL_32),
    ON(K8, "r037e", 32, ALL_32),
    ON(ZEN, "r4060", 32, ALL_32),
    ON(ZEN, "r0964", 32, ALL_32),
    TRUTH_END,
};

/* ---- flushed ---- */

/* One line, so that no prefetcher sees a stream; MFENCE, since a load may pass CLFLUSH (SDM vol. 2, CLFLUSH).
 * The base is the same without the loads. */
#define FLUSHED(load)                               \
    TRUTH_ARG_TO_C "movl $32, %edx\n"               \
                   "1:\n\t"                         \
                   "clflush (" TRUTH_C ")\n\t"      \
                   "mfence\n\t" load "dec %edx\n\t" \
                   "jnz 1b"
TRUTH_PAYLOAD_IN(".text.isa.sse2", loads_flushed, FLUSHED("movl (" TRUTH_C "), %eax\n\t"))
TRUTH_PAYLOAD_IN(".text.isa.sse2", flushed, FLUSHED(""))

#define FLUSHED_32 "32 loads, a CLFLUSH of their line before each"
static const struct truth_row flushed_rows[] = {
    ON(NETBURST | CLASS_NOW, "instructions", 32, "32 loads"),
    NB("memory_loads", 32, "32 loads"),
    NB("1stl_cache_load_miss_retired", 32, FLUSHED_32),
    NB("2ndl_cache_load_miss_retired", 32, FLUSHED_32),
    NB("bsq_cache_reference:rd_2ndl_miss", 32, FLUSHED_32),
    ON(ARCH, "cache-references", 32, FLUSHED_32),
    ON(ARCH, "cache-misses", 32, FLUSHED_32),
    ON(LAKE, "r81d0", 32, "32 loads"),
    ON(BRIDGE, "r0151", 32, FLUSHED_32),
    ON(CORE2, "r0f45", 32, FLUSHED_32),
    ON(CORE2, "r0f40", 32, "32 loads"),
    ON(CORE2, "r0140", 32, FLUSHED_32),
    ON(CORE2, "r01cb", 32, FLUSHED_32),
    ON(AMD, "r0040", 32, "32 loads"),
    ON(OLD, "r0141", 32, FLUSHED_32),
    ON(K8, "r037e", 32, FLUSHED_32),
    ON(ZEN, "r8060", 32, FLUSHED_32),
    ON(ZEN, "r0964", 32, FLUSHED_32),
    TRUTH_END,
};

/* The prefetch has loaded the line, or is loading it: the load requests none. */
TRUTH_PAYLOAD_IN(".text.isa.sse2", loads_prefetched,
                 FLUSHED("prefetcht0 (" TRUTH_C ")\n\tmovl (" TRUTH_C "), %eax\n\t"))

#define PREFETCHED_32 "32 times one line, loaded by the prefetch or by the load, not by both"
static const struct truth_row prefetched_rows[] = {
    ON(NETBURST | CLASS_NOW, "instructions", 64, "32 prefetches and 32 loads"),
    NB("memory_loads", 32, "32 loads; a prefetch does not count as one"),
    NB("1stl_cache_load_miss_retired", 32, "PREFETCHh loads the line into the L2 only"),
    ON(ARCH, "cache-references", 32, PREFETCHED_32),
    ON(ARCH, "cache-misses", 32, PREFETCHED_32),
    ON(LAKE, "r81d0", 64, "32 loads and 32 software prefetches, which this event counts as loads"),
    ON(BRIDGE, "r0151", 32, PREFETCHED_32),
    ON(CORE2, "r0f45", 32, PREFETCHED_32),
    ON(OLD, "r0141", 32, PREFETCHED_32),
    ON(K8, "r037e", 32, PREFETCHED_32),
    ON(ZEN, "r8060", 32, PREFETCHED_32),
    ON(ZEN, "r0964", 32, PREFETCHED_32),
    TRUTH_END,
};

/* ---- L1 missed, L2 hit ---- */

static uint32_t twice_l1(const struct cache_info *caches)
{
    const struct cache *l1 = cache_data(caches, 1);
    return l1 && (l1->line == TRUTH_LINE || l1->line == 2 * TRUTH_LINE) ? 2 * l1->bytes : 0;
}

/* A sweep over twice L1 leaves none of the lines that the next sweep needs first: under LRU and tree
 * pseudo-LRU, as many misses in a set as it has ways replace all of its lines. The base runs the first of two
 * sweeps and jumps over the second, so that its code lies in the same lines. */
static uint64_t l1_misses(const struct cache_info *caches)
{
    return twice_l1(caches) ? twice_l1(caches) / cache_data(caches, 1)->line : TRUTH_UNKNOWN;
}

static bool has_l2(const struct cache_info *caches)
{
    const struct cache *l2 = cache_data(caches, 2);
    return l2 && l2->bytes >= 2 * twice_l1(caches);
}

static uint64_t l2_hits(const struct cache_info *caches)
{
    return has_l2(caches) ? l1_misses(caches) : TRUTH_UNKNOWN;
}

uint64_t truth_expected(const struct truth_row *row, const struct cache_info *caches)
{
    const uint64_t hits = l2_hits(caches);
    switch (row->of) {
    case TRUTH_L1_MISSES:
        return l1_misses(caches);
    case TRUTH_L2_HITS:
        return hits;
    case TRUTH_L2_HIT_CLOCKS:
        return hits == TRUTH_UNKNOWN ? hits : 7 * hits;
    case TRUTH_NO_L2_MISS:
        return hits == TRUTH_UNKNOWN ? hits : 0;
    default:
        return row->expected;
    }
}

static bool prepare_twice_l1(struct bench_run *run)
{
    uint32_t bytes = twice_l1(run->caches);
    if (!truth_array(run, bytes ? bytes : TRUTH_LINE)) return false;
    truth_words(run)[1] = bytes ? bytes / TRUTH_LINE : 1;
    return true;
}

/* Sweeps over as many lines as word 1 says, from word 0 on. The second sweep does not fetch the argument
 * again, since that is no longer in L1.
 */
#define SWEEP_ALL(label) \
#label ":\n\ttestl %edx, (" TRUTH_C ")\n\tadd $32, " TRUTH_C "\n\tdec %edx\n\tjnz " #label "b\n\t"
#define FIRST                                                                                            \
    TRUTH_ARG "mov " TRUTH_WORD(1) ", " TRUTH_A "\n\tmov " TRUTH_WORD(0) ", " TRUTH_C "\n\tmov " TRUTH_A \
                                                                         ", " TRUTH_D "\n" SWEEP_ALL(1)
#define REWIND                                                                                   \
    "shl $5, " TRUTH_A "\n\tsub " TRUTH_A ", " TRUTH_C "\n\tshr $5, " TRUTH_A "\n\tmov " TRUTH_A \
    ", " TRUTH_D "\n"
TRUTH_PAYLOAD(whole_once, FIRST REWIND "jmp 3f\n" SWEEP_ALL(2) "3:")
TRUTH_PAYLOAD(whole_twice, FIRST REWIND SWEEP_ALL(2))

#define WHOLE_RULE "every line of twice L1 misses, with any replacement close to LRU"
#define IN_L2      "L2 has the lines from the sweep before"
static const struct truth_row l1_miss_rows[] = {
    P5_OF("data_read_miss", TRUTH_L1_MISSES, WHOLE_RULE),
    P5("data_cache_lines_written_back", 0, "no line was changed"),
    P6_OF("dcu_lines_in", TRUTH_L1_MISSES, WHOLE_RULE),
    P6_OF("l2_ld", TRUTH_L2_HITS, WHOLE_RULE),
    P6_OF("l2_ld:i", TRUTH_NO_L2_MISS, IN_L2),
    P6_OF("bus_tran_brd", TRUTH_NO_L2_MISS, IN_L2),
    P6_OF("l2_ads", TRUTH_L2_HITS, "one strobe per line"),
    P6_OF("l2_dbus_busy_rd", TRUTH_L2_HIT_CLOCKS, "7 clocks per line: 4-1-1-1 (Heller)"),
    P6_TELL("dcu_miss_outstanding", 0, TRUTH_L2_HIT_CLOCKS,
            "n x t (Heller): each of n misses is outstanding for t = 4-1-1-1 = 7 clocks"),
    NB_OF("1stl_cache_load_miss_retired", TRUTH_L1_MISSES, WHOLE_RULE),
    NB_OF("2ndl_cache_load_miss_retired", TRUTH_NO_L2_MISS, IN_L2),
    ON_OF(ARCH, "cache-misses", TRUTH_NO_L2_MISS, IN_L2),
    ON_OF(CORE2, "r0f45", TRUTH_L1_MISSES, WHOLE_RULE),
    ON_OF(CORE2, "cache-references", TRUTH_L2_HITS, WHOLE_RULE),
    ON_OF(BRIDGE, "r0151", TRUTH_L1_MISSES, WHOLE_RULE),
    ON_OF(BRIDGE, "cache-references", TRUTH_NO_L2_MISS, IN_L2),
    ON_OF(OLD, "r0141", TRUTH_L1_MISSES, WHOLE_RULE),
    ON_OF(K8, "r027d", TRUTH_L2_HITS, WHOLE_RULE),
    ON_OF(K8, "r037e", TRUTH_NO_L2_MISS, IN_L2),
    ON_OF(ZEN, "r8060", TRUTH_L1_MISSES, WHOLE_RULE),
    ON_OF(ZEN, "r4064", TRUTH_L2_HITS, WHOLE_RULE),
    ON_OF(ZEN, "r0964", TRUTH_NO_L2_MISS, IN_L2),
    TRUTH_END,
};

/* ---- one set ---- */

#define IN_SET     8     /* more than the ways of any L1 of these families */
#define SET_STRIDE 16384 /* a multiple of a way's size in each of them */

static bool prepare_set(struct bench_run *run) { return truth_array_apart(run, IN_SET * SET_STRIDE); }

#define CHANGES                   \
    "movl $8, %edx\n"             \
    "1:\n\t"                      \
    "incl (" TRUTH_C ")\n\t"      \
    "add $16384, " TRUTH_C "\n\t" \
    "dec %edx\n\t"                \
    "jnz 1b\n\t"
TRUTH_PAYLOAD(one_set, COLD(CHANGES))

#define EIGHT     "8 lines, none in the cache"
#define WRITTEN_8 "8 lines, replaced by the others or written back by the WBINVD at the end"
static const struct truth_row one_set_rows[] = {
    P5("instructions_executed", 33, "1 + 8 x 4"),
    P5("data_read_miss", 8, EIGHT),
    P5("data_write_miss", 0, "the read has loaded the line"),
    P5("write_hit_to_m_or_e_state_lines", 8, "the read has loaded the line"),
    P5("data_cache_lines_written_back", 8, WRITTEN_8),
    P6("dcu_lines_in", 8, EIGHT),
    P6("dcu_m_lines_in", 0, "the read has loaded the line, exclusive"),
    P6("dcu_m_lines_out", 8, WRITTEN_8),
    P6("l2_m_lines_outm", 8, WRITTEN_8),
    P6("bus_trans_wb", 8, WRITTEN_8),
    NB("memory_loads", 8, "8 INC"),
    NB("memory_stores", 8, "8 INC"),
    NB("1stl_cache_load_miss_retired", 8, EIGHT),
    ON(CORE2, "r0f45", 8, EIGHT),
    ON(BRIDGE, "r0151", 8, EIGHT),
    ON(LAKE, "r81d0", 8, "8 INC"),
    ON(LAKE, "r82d0", 8, "8 INC"),
    ON(AMD, "r0040", 16, "8 INC read and write"),
    ON(OLD, "r0141", 8, EIGHT),
    ON(ZEN, "r8060", 8, EIGHT),
    TRUTH_END,
};

/* ---- pages ---- */

#define PAGES 16

#define FLUSH_TLB TRUTH_ARG_TO_C "mov %cr3, " TRUTH_A "\n\tmov " TRUTH_A ", %cr3\n\t"
TRUTH_PAYLOAD(no_page, FLUSH_TLB)
TRUTH_PAYLOAD(pages, FLUSH_TLB "movl $16, %edx\n"
                               "1:\n\t"
                               "movl (" TRUTH_C "), %eax\n\t"
                               "add $4096, " TRUTH_C "\n\t"
                               "dec %edx\n\t"
                               "jnz 1b")

static const struct truth_row pages_rows[] = {
    P5("data_tlb_miss", PAGES, "pages that the TLB does not have after MOV CR3"),
    P5("data_read", PAGES, "one load per page"),
    P6("data_mem_refs", PAGES, "one load per page; this family has no event for the data TLB"),
    NB("memory_loads", PAGES, "one load per page"),
    NB("dtlb_load_miss_retired", PAGES, "pages that the TLB does not have after MOV CR3"),
    NB("dtlb_store_miss_retired", 0, "none"),
    NB("page_walk_type:dtmiss", PAGES, "pages that the TLB does not have after MOV CR3"),
    ON(LAKE, "r81d0", PAGES, "one load per page"),
    ON(AMD, "r0040", PAGES, "one load per page"),
    TRUTH_END,
};

static const struct truth_program programs[] = {
    {{"loads_cold", "64 loads, one per line, after WBINVD", .payload = loads_cold, .prepare = prepare_lines,
      .before = truth_flush},
     cold,
     TRUTH_RING0,
     loads_rows},
    {{"stores_cold", "64 stores, one per line, after WBINVD", .payload = stores_cold,
      .prepare = prepare_lines, .before = truth_flush},
     cold,
     TRUTH_RING0,
     stores_rows},
    {{"loads_flushed", "32 loads of one line, each after a CLFLUSH", .payload = loads_flushed,
      .prepare = prepare_lines},
     flushed,
     TRUTH_CLFLUSH,
     flushed_rows},
    {{"loads_prefetched", "32 loads of one line, each after a CLFLUSH and a PREFETCHT0",
      .payload = loads_prefetched, .prepare = prepare_lines},
     flushed,
     TRUTH_CLFLUSH,
     prefetched_rows},
    {{"l1_misses", "a load in each line of twice L1", .payload = whole_twice, .prepare = prepare_twice_l1,
      .before = truth_flush},
     whole_once,
     0,
     l1_miss_rows},
    {{"one_set", "8 lines of one set changed, after WBINVD", .payload = one_set, .prepare = prepare_set,
      .before = truth_flush},
     cold,
     TRUTH_RING0,
     one_set_rows},
    {{"data_pages", "a load on each of 16 pages after MOV CR3", .payload = pages,
      .prepare = truth_prepare_pages, .before = truth_flush},
     no_page,
     TRUTH_RING0,
     pages_rows},
};
const struct truth_theme truth_cache = {programs, sizeof programs / sizeof *programs};
