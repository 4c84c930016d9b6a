/* A payload with every kind of memory access, and relations that hold for any payload: both sides are
 * measured. */
#include "bench/truth.h"
#include <stdio.h>

/* Words of the argument. */
enum { LOADS, STORES, STRIDE, N_STORES, CODE };
#define LOAD_LINES 64
#define CODE_MAX   (128u << 10)

static uint32_t l1_code_bytes(const struct cache_info *caches)
{
    for (unsigned i = 0; i < caches->n; i++)
        if (caches->c[i].level == 1 && (caches->c[i].kind & CACHE_CODE)) return caches->c[i].bytes;
    return 16384;
}

/* The stores go to twice as many lines of one set as L2 has ways, so that modified lines are evicted from L1
 * and L2. The code is twice as large as L1. */
static bool prepare(struct bench_run *run)
{
    const struct cache *l2 = cache_data(run->caches, 2);
    uint32_t ways = l2 && l2->ways && l2->ways <= 16 ? l2->ways : 4;
    uint32_t stride = l2 ? l2->bytes / ways : 65536, code = 2 * l1_code_bytes(run->caches);
    uintptr_t *word = truth_words(run);
    if (code > CODE_MAX) code = CODE_MAX;
    uint8_t *loads = arena_alloc(run->arena, LOAD_LINES * TRUTH_LINE, 4096);
    void *text = truth_chain(run, code / TRUTH_LINE, TRUTH_LINE);
    uint8_t *stores = arena_alloc(run->arena, (size_t)2 * ways * stride, 4096);
    if (!loads || !text || !stores) {
        snprintf(run->error, sizeof run->error, "needs %u bytes of memory", 2 * ways * stride + code + 4096);
        return false;
    }
    word[LOADS] = (uintptr_t)loads;
    word[STORES] = (uintptr_t)stores;
    word[STRIDE] = stride;
    word[N_STORES] = 2 * ways;
    word[CODE] = (uintptr_t)text;
    return true;
}

/* Begins with empty caches and TLBs and ends with empty caches, as the base does. The display's memory is
 * uncached and keeps its value. */
#define FLUSH "wbinvd\n\tmov %cr3, " TRUTH_A "\n\tmov " TRUTH_A ", %cr3\n\t"

#define LOAD_ALL                                             \
    "mov " TRUTH_WORD(0) ", " TRUTH_A "\n\tmovl $64, %edx\n" \
                         "1:\n\ttestl %edx, (" TRUTH_A ")\n\tadd $32, " TRUTH_A "\n\tdec %edx\n\tjnz 1b\n\t"
#define STORE_ALL                                                                        \
    "mov " TRUTH_WORD(1) ", " TRUTH_A                                                    \
                         "\n\tmov " TRUTH_WORD(3) ", " TRUTH_D "\n"                      \
                                                  "2:\n\tmovl %edx, (" TRUTH_A           \
                                                  ")\n\tadd " TRUTH_WORD(2) ", " TRUTH_A \
                                                                            "\n\tdec %edx\n\tjnz 2b\n\t"
#define LOCKED_AND_SPLIT \
    "mov " TRUTH_WORD(0) ", " TRUTH_A "\n\tlock\n\tincl (" TRUTH_A ")\n\tincl 29(" TRUTH_A ")\n\t"
#define UNCACHED ".rept 5\n\torb $0, 0xb8000\n\t.endr\n\t"
#define PORT     ".rept 5\n\tinb $0x61, %al\n\t.endr\n\t"
#define CODE_ALL "call *" TRUTH_WORD(4) "\n\t"

TRUTH_PAYLOAD(flush, FLUSH "wbinvd")
TRUTH_PAYLOAD(everything, FLUSH TRUTH_ARG LOAD_ALL STORE_ALL LOCKED_AND_SPLIT UNCACHED PORT CODE_ALL "wbinvd")

const struct truth_program truth_mixed = {{"mixed",
                                           "loads, stores, write-backs, code, uncached accesses, I/O",
                                           .payload = everything, .prepare = prepare, .before = truth_flush},
                                          flush,
                                          TRUTH_RING0,
                                          NULL};

#define ASKS(left, question, ...)                                      \
    {                                                                  \
        left, CLASS_P6, ASKED, {__VA_ARGS__}, "Heller asks: " question \
    }

const struct truth_relation truth_relations[] = {
    {"cache-misses", CLASS_ARCH, AT_MOST, {"cache-references"}, "2Eh: 41h in 4Fh"},
    {"r037e", CLASS_K8, AT_MOST, {"r037d"}, "7Eh is the miss of 7Dh"},
    {"r0964", CLASS_ZEN, AT_MOST, {"rf060"}, "64h: what of 60h misses L2"},
#if !defined(__x86_64__) || defined(HOST) /* CPUs without long mode */
    {"l2_rqsts", CLASS_P6, EQUAL, {"l2_ifetch", "l2_ld", "l2_st"}, "Heller: 2Eh = 28h + 29h + 2Ah"},
    {"bus_tran_burst",
     CLASS_P6,
     EQUAL,
     {"bus_tran_brd", "bus_tran_rfo", "bus_trans_wb", "bus_tran_ifetch"},
     "Heller: 6Eh = 65h + 66h + 67h + 68h"},
    {"bus_tran_mem",
     CLASS_P6,
     EQUAL,
     {"bus_tran_burst", "bus_trans_p", "bus_tran_inval"},
     "Heller: 6Fh = 6Eh + 6Bh + 69h"},
    {"bus_tran_any",
     CLASS_P6,
     EQUAL,
     {"bus_trans_io", "bus_tran_mem", "bus_tran_def"},
     "Heller: 70h = 6Ch + 6Fh + 6Dh"},
    {"itlb_miss", CLASS_P6, AT_MOST, {"ifu_ifetch_miss"}, "Heller: 85h in 81h"},
    {"dcu_m_lines_in", CLASS_P6, AT_MOST, {"dcu_lines_in"}, "Heller: 46h in 45h"},
    {"l2_dbus_busy_rd", CLASS_P6, AT_MOST, {"l2_dbus_busy"}, "Heller: 23h in 22h"},
    {"l2_m_lines_inm", CLASS_P6, AT_MOST, {"l2_lines_in"}, "Heller: 25h in 24h"},
    {"l2_m_lines_outm", CLASS_P6, AT_MOST, {"l2_lines_out"}, "Heller: 27h in 26h"},
    {"bus_tran_pwr", CLASS_P6, AT_MOST, {"bus_trans_p"}, "Heller: 6Ah in 6Bh"},
    {"l2_ifetch", CLASS_P6, AT_MOST, {"l2_rqsts"}, "Heller: 28h in 2Eh"},
    {"l2_ld", CLASS_P6, AT_MOST, {"l2_rqsts"}, "Heller: 29h in 2Eh"},
    {"l2_st", CLASS_P6, AT_MOST, {"l2_rqsts"}, "Heller: 2Ah in 2Eh"},
    {"bus_tran_brd", CLASS_P6, AT_MOST, {"bus_tran_burst"}, "Heller: 65h in 6Eh"},
    {"bus_tran_rfo", CLASS_P6, AT_MOST, {"bus_tran_burst"}, "Heller: 66h in 6Eh"},
    {"bus_trans_wb", CLASS_P6, AT_MOST, {"bus_tran_burst"}, "Heller: 67h in 6Eh"},
    {"bus_tran_ifetch", CLASS_P6, AT_MOST, {"bus_tran_burst"}, "Heller: 68h in 6Eh"},
    {"ifu_ifetch_miss", CLASS_P6, AT_MOST, {"ifu_ifetch"}, "Heller: 81h is the miss of 80h"},
    {"dcu_lines_in", CLASS_P6, AT_MOST, {"data_mem_refs"}, "Heller: 45h is the miss of 43h"},
    {"bus_tran_ifetch", CLASS_P6, AT_MOST, {"l2_ifetch"}, "Heller: 68h is the miss of 28h"},
    /* The questions that Heller's notes leave in brackets, as far as sums of counts answer them. */
    ASKS("ifu_ifetch_miss", "81h and 28h: misses of L1I, requests to L2", "l2_ifetch"),
    ASKS("dcu_lines_in", "45h and 29h: lines allocated, loads from L2", "l2_ld"),
    ASKS("dcu_lines_in", "is it always 45h = 46h + 29h?", "dcu_m_lines_in", "l2_ld"),
    ASKS("dcu_m_lines_in", "46h and 47h: modified lines that come and go", "dcu_m_lines_out"),
    ASKS("dcu_m_lines_out", "47h and 2Ah: modified lines that go, stores to L2", "l2_st"),
    ASKS("dcu_m_lines_out", "is it always 47h = 2Ah + 69h?", "l2_st", "bus_tran_inval"),
    ASKS("bus_tran_brd", "65h and 24h: burst reads, lines allocated in L2", "l2_lines_in"),
    ASKS("l2_lines_out", "26h: are unmodified lines written back, too?", "bus_trans_wb"),
    ASKS("br_inst_decoded", "E4h: are these the branches that do not retire?", "br_inst_retired", "br_bogus"),
    {"data_read_or_write",
     CLASS_P5,
     EQUAL,
     {"data_read", "data_write"},
     "Safford, table D.2: 28h = 00h + 01h"},
    {"data_read_miss_or_write_miss",
     CLASS_P5,
     EQUAL,
     {"data_read_miss", "data_write_miss"},
     "Safford, table D.2: 29h = 03h + 04h"},
    {"btb_hits", CLASS_P5, AT_MOST, {"taken_branch_or_btb_hit"}, "Safford, tables D.1 and D.2: 13h in 14h"},
    {"taken_branch_or_btb_hit", CLASS_P5, AT_MOST, {"branches"}, "14h in 12h: both are branches"},
#endif
};
const unsigned truth_n_relations = sizeof truth_relations / sizeof *truth_relations;
