/* Misses by geometry: one access a line after WBINVD, in twice the size of L1, in one set; one access a page.
 */
#include "bench/truth.h"

#define LINES 64

static bool prepare_lines(struct bench_run *run) { return truth_array(run, LINES * TRUTH_LINE); }

/* From an empty cache to an empty cache: what stood in it before, and what the bracket misses afterwards, is
 * the same for the base; and no modified line is left for others to replace. All of a payload lies in one
 * line, so that program and base miss alike for code. */
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
static const struct truth_row loads_rows[] = {
    P5("instructions_executed", 257, "1 + 64 x 4"),
    P5("data_read", 64, "64 loads"),
    P5("data_read_miss", 64, ALL_64),
    P5("data_read_miss_or_write_miss", 64, ALL_64),
    P5("data_cache_lines_written_back", 0, "none was changed"),
    P6("inst_retired", 257, "1 + 64 x 4"),
    P6("dcu_lines_in", 64, ALL_64),
    P6("dcu_m_lines_in", 0, "none was stored to"),
    P6("l2_ld", 64, ALL_64),
    P6("l2_ld:i", 64, ALL_64),
    P6("l2_rqsts", 64, ALL_64),
    P6("l2_lines_in", 64, ALL_64),
    P6("l2_m_lines_inm", 0, "none was stored to"),
    P6("bus_tran_brd", 64, ALL_64),
    P6("bus_tran_burst", 64, ALL_64),
    P6("bus_tran_mem", 64, ALL_64),
    TRUTH_END,
};
#define AT_END "written back by the WBINVD at the end"
static const struct truth_row stores_rows[] = {
    P5("instructions_executed", 257, "1 + 64 x 4"),
    P5("data_write", 64, "64 stores"),
    P5("data_write_miss", 64, "64 lines; a write that misses brings none"),
    P5("write_hit_to_m_or_e_state_lines", 0, "a write that misses brings no line"),
    P5("data_cache_lines_written_back", 0, "the writes went out"),
    P6("inst_retired", 257, "1 + 64 x 4"),
    P6("dcu_lines_in", 64, ALL_64),
    P6("dcu_m_lines_in", 64, ALL_64),
    P6("dcu_m_lines_out", 64, AT_END),
    P6("l2_st", 64, ALL_64),
    P6("l2_st:i", 64, ALL_64),
    P6("l2_m_lines_inm", 64, ALL_64),
    P6("l2_m_lines_outm", 64, AT_END),
    P6("bus_tran_rfo", 64, ALL_64),
    P6("bus_trans_wb", 64, AT_END),
    TRUTH_END,
};

/* ---- L1 missed, L2 hit ---- */

static uint32_t twice_l1(const struct cache_info *caches)
{
    const struct cache *l1 = cache_data(caches, 1);
    return l1 && l1->line == TRUTH_LINE ? 2 * l1->bytes : 0;
}

/* One sweep over twice L1 leaves none of the lines that the next one wants first: under LRU, and under the
 * tree of pseudo-LRU, as many misses in a set as it has ways replace all of its lines. The base is the first
 * of two sweeps. */
static uint64_t l1_misses(const struct cache_info *caches)
{
    return twice_l1(caches) ? twice_l1(caches) / TRUTH_LINE : TRUTH_UNKNOWN;
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

static uint64_t l2_hit_clocks(const struct cache_info *caches)
{
    uint64_t n = l2_hits(caches);
    return n == TRUTH_UNKNOWN ? n : 7 * n;
}

static uint64_t no_l2_miss(const struct cache_info *caches)
{
    return l2_hits(caches) == TRUTH_UNKNOWN ? TRUTH_UNKNOWN : 0;
}

static bool prepare_twice_l1(struct bench_run *run)
{
    uint32_t bytes = twice_l1(run->caches);
    if (!truth_array(run, bytes ? bytes : TRUTH_LINE)) return false;
    truth_words(run)[1] = bytes ? bytes / TRUTH_LINE : 1;
    return true;
}

/* Sweeps over word 1 lines from word 0 on. The second one fetches nothing: the argument is no longer in L1.
 */
#define SWEEP_ALL(label) \
#label ":\n\ttestl %edx, (" TRUTH_C ")\n\tadd $32, " TRUTH_C "\n\tdec %edx\n\tjnz " #label "b\n\t"
#define FIRST                                                                                            \
    TRUTH_ARG "mov " TRUTH_WORD(1) ", " TRUTH_A "\n\tmov " TRUTH_WORD(0) ", " TRUTH_C "\n\tmov " TRUTH_A \
                                                                         ", " TRUTH_D "\n" SWEEP_ALL(1)
#define AGAIN                                                                                    \
    "shl $5, " TRUTH_A "\n\tsub " TRUTH_A ", " TRUTH_C "\n\tshr $5, " TRUTH_A "\n\tmov " TRUTH_A \
    ", " TRUTH_D "\n" SWEEP_ALL(2)
TRUTH_PAYLOAD(whole_once, FIRST)
TRUTH_PAYLOAD(whole_twice, FIRST AGAIN)

#define WHOLE_RULE "every line of twice L1 misses, whatever replacement near LRU"
#define IN_L2      "L2 has the lines from the sweep before"
static const struct truth_row l1_miss_rows[] = {
    P5_OF("data_read_miss", l1_misses, WHOLE_RULE),
    P5("data_cache_lines_written_back", 0, "none was changed"),
    P6_OF("dcu_lines_in", l1_misses, WHOLE_RULE),
    P6_OF("l2_ld", l2_hits, WHOLE_RULE),
    P6_OF("l2_ld:i", no_l2_miss, IN_L2),
    P6_OF("bus_tran_brd", no_l2_miss, IN_L2),
    P6_OF("l2_ads", l2_hits, "one strobe a line"),
    P6_OF("l2_dbus_busy_rd", l2_hit_clocks, "7 clocks a line: 4-1-1-1 (Heller)"),
    P6_TELL("dcu_miss_outstanding", 0, l2_hit_clocks,
            "n x t (Heller): each of n misses is outstanding for t = 4-1-1-1 = 7 clocks"),
    TRUTH_END,
};

/* ---- one set ---- */

#define IN_SET     8     /* more than any L1 of these families has ways */
#define SET_STRIDE 16384 /* a multiple of the size of a way of each */

static bool prepare_set(struct bench_run *run)
{
    if (!truth_array(run, IN_SET * SET_STRIDE)) return false;
    truth_words(run)[0] += 2048; /* away from where pages begin, as most data do */
    return true;
}

#define CHANGES                   \
    "movl $8, %edx\n"             \
    "1:\n\t"                      \
    "incl (" TRUTH_C ")\n\t"      \
    "add $16384, " TRUTH_C "\n\t" \
    "dec %edx\n\t"                \
    "jnz 1b\n\t"
TRUTH_PAYLOAD(one_set, COLD(CHANGES))

#define WRITTEN_8 "8 lines, replaced by the others or written back by the WBINVD at the end"
static const struct truth_row one_set_rows[] = {
    P5("instructions_executed", 33, "1 + 8 x 4"),
    P5("data_read_miss", 8, "8 lines, none in the cache"),
    P5("data_write_miss", 0, "the read has brought the line"),
    P5("write_hit_to_m_or_e_state_lines", 8, "the read has brought the line"),
    P5("data_cache_lines_written_back", 8, WRITTEN_8),
    P6("dcu_lines_in", 8, "8 lines, none in the cache"),
    P6("dcu_m_lines_in", 0, "the read has brought the line, exclusive"),
    P6("dcu_m_lines_out", 8, WRITTEN_8),
    P6("l2_m_lines_outm", 8, WRITTEN_8),
    P6("bus_trans_wb", 8, WRITTEN_8),
    TRUTH_END,
};

/* ---- pages ---- */

#define PAGES 16

/* The kernel's own, from 1 MiB on (linker.ld): they are there, and mapped by pages of 4 KiB, as the first 4
 * MiB are wherever there is paging. The pool has large pages. */
static bool prepare_pages(struct bench_run *run)
{
    truth_words(run)[0] = 1u << 20;
    return true;
}

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
    P5("data_read", PAGES, "one load a page"),
    P6("data_mem_refs", PAGES, "one load a page; no event of this family sees the data TLB"),
    TRUTH_END,
};

static const struct truth_program programs[] = {
    {"loads_cold", "64 loads, one a line, behind WBINVD", loads_cold, cold, prepare_lines, true, loads_rows},
    {"stores_cold", "64 stores, one a line, behind WBINVD", stores_cold, cold, prepare_lines, true,
     stores_rows},
    {"l1_misses", "a load in each line of twice L1", whole_twice, whole_once, prepare_twice_l1, false,
     l1_miss_rows},
    {"one_set", "8 lines of one set changed, behind WBINVD", one_set, cold, prepare_set, true, one_set_rows},
    {"data_pages", "a load on each of 16 pages behind MOV CR3", pages, no_page, prepare_pages, true,
     pages_rows},
};
const struct truth_theme truth_cache = {programs, sizeof programs / sizeof *programs};
