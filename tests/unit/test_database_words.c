/* The event database through event words, to what a driver programs: codes, counters, refusals, and how fast
 * a name is found. */
#include "pmu/amd.h"
#include "pmu/arch.h"
#include "pmu/database.h"
#include "pmu/driver.h"
#include "pmu/perfmon.h"
#include "tests/unit/database_drive.h"
#include "tests/unit/unit.h"
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define EVENT_BITS 0xfffa4ffffull /* 35:32, CMASK, INV, ANY, E, unit mask, event */

/* Counters belong to the code: the raw code of a word has the same. */
static void check_raw(const struct pmu *pmu, const char *word)
{
    const uint32_t counters = code.counters;
    char raw[16];
    snprintf(raw, sizeof raw, "r%llx", (unsigned long long)(code.select & EVENT_BITS));
    if (!parse(pmu, raw)) fail_msg("%s::%s: %s: %s", pmu->database, word, raw, why);
    if (code.counters != counters)
        fail_msg("%s::%s: %x, and %s: %x", pmu->database, word, counters, raw, code.counters);
    if (pmu_select_counters(pmu, code.select & EVENT_BITS) != counters)
        fail_msg("%s::%s: %x, listed %x", pmu->database, word, counters,
                 pmu_select_counters(pmu, code.select & EVENT_BITS));
}

static void check_words(const struct db_pmu *p, const struct db_event *e, const struct db_umask *u,
                        bool intel)
{
    char word[PMU_NAME * 2];
    struct db_pick pick = {.event = e};
    struct pmu pmu = cpu_of(db_text(p->name), intel ? &pmu_arch_ops : &pmu_amd_ops);
    if (u) db_pick_umask(&pick, db_text(u->name & DB_NAME));
    snprintf(word, sizeof word, "%s%s%s", db_text(e->name), u ? ":" : "",
             u ? db_text(u->name & DB_NAME) : "");
    assert_true(strlen(word) < PMU_NAME);
    bool metric = intel && (db_select(&pick) & 0x80ff) == 0x8000; /* of 329h: libraries after 4.13 */
    bool extra = e->extra_msr && db_extra(&pick), pebs = e->extra_msr == 0x3f6 || e->extra_msr == 0x3f7;
    bool programmable = (!extra || pebs) && (u || !(e->flags & DB_WANTS_UMASK)) && !metric;
    if (parse(&pmu, word) != programmable) fail_msg("%s::%s: %s", pmu.database, word, why);
    if (!programmable) return;
    if ((code.select & EVENT_BITS) != (db_select(&pick) & EVENT_BITS))
        fail_msg("%s::%s: %llx", pmu.database, word, (long long)code.select);
    if (code.extra_msr != (extra ? e->extra_msr : 0))
        fail_msg("%s::%s: MSR %x", pmu.database, word, code.extra_msr);
    if (intel) check_raw(&pmu, word);
}

static void check_pmu(const char *name)
{
    const struct db_pmu *p = db_pmu_named(name);
    const struct db_event *e;
    const struct db_umask *u;
    bool intel = name[0] != 'a' || name[1] != 'm';
    struct pmu pmu = cpu_of(name, intel ? &pmu_arch_ops : &pmu_amd_ops);
    for (unsigned k = 0; (e = db_event_at(p, k)); k++) {
        if (pmu_event_named(&pmu, db_text(e->name))) continue; /* the driver's own table comes first */
        check_words(p, e, NULL, intel);
        for (unsigned m = 0; (u = db_umask_at(e, m)); m++) check_words(p, e, u, intel);
    }
}

static void test_words(void **state)
{
    (void)state;
    static const char *const pmus[] = {"core",
                                       "nhm",
                                       "snb",
                                       "hsw",
                                       "skl",
                                       "icl",
                                       "spr",
                                       "glm",
                                       "knl",
                                       "amd64_k7",
                                       "amd64_k8_revg",
                                       "amd64_fam10h_istanbul",
                                       "amd64_fam15h_interlagos",
                                       "amd64_fam17h_zen1",
                                       "amd64_fam19h_zen4"};
    /* As the library's version may have them: Debian 12's has none of these. */
    static const char *const newer[] = {
        "emr", "gnr", "adl_glc", "adl_grt", "amd64_fam1ah_zen5", "amd64_fam1ah_zen6"};
    for (unsigned i = 0; i < sizeof pmus / sizeof pmus[0]; i++) {
        assert_non_null(db_pmu_named(pmus[i]));
        check_pmu(pmus[i]);
    }
    for (unsigned i = 0; i < sizeof newer / sizeof newer[0]; i++)
        if (db_pmu_named(newer[i])) check_pmu(newer[i]);
}

/* Facts section 8, found out by hand; and the manuals. */
static void test_known_codes(void **state)
{
    (void)state;
    static const struct {
        const char *database, *word;
        uint32_t select;
    } known[] = {
        {"skl", "uops_retired:all", 0x01c2},
        {"skl", "UOPS_RETIRED.ALL", 0x01c2},
        {"skl", "UOPS_RETIRED.ALL:u:cmask=2", 0x020001c2},
        {"skl", "L1D_PEND_MISS.EDGE:k", 0x01040148},
        {"skl", "skl::uops_retired:all:u", 0x01c2},
        {"skl", "uops_retired:0x02", 0x02c2},
        {"skl", "uops_retired:0xff", 0xffc2},
        {"skl", "l1d_pend_miss:pending_cycles:cmask=1", 0x01000148}, /* its own once more */
        {"skl", "uops_retired:all:cmask=2:inv:edge", 0x028401c2 | 1u << 23},
        {"core", "l2_rqsts:self:mesi", 0x7f2e},
        {"spr", "inst_retired:any_p", 0x00c0},
        {"snb", "l1d_pend_miss:edge", 0x01040148},
        {"hsw", "uops_executed:core_cycles_none", 0x018002b1},
        {"amd64_k7", "cpu_clk_unhalted", 0x76},
        {"amd64_k8_revb", "retired_instructions", 0xc0},
        {"amd64_fam19h_zen4", "retired_instructions:k", 0xc0},
    };
    for (unsigned i = 0; i < sizeof known / sizeof known[0]; i++) {
        struct pmu pmu =
            cpu_of(known[i].database, strncmp(known[i].database, "amd", 3) ? &pmu_arch_ops : &pmu_amd_ops);
        if (!parse(&pmu, known[i].word)) fail_msg("%s: %s", known[i].word, why);
        if ((code.select & EVENT_BITS) != known[i].select)
            fail_msg("%s: %llx", known[i].word, (long long)code.select);
    }
}

static void test_counters(void **state)
{
    (void)state;
    struct pmu pmu = cpu_of("skl", &pmu_arch_ops);
    assert_int_equal(pmu_db_counters(&pmu, 0x01c0), 1 << 1);  /* INST_RETIRED.PREC_DIST */
    assert_int_equal(pmu_db_counters(&pmu, 0x81d0), 0xf);     /* MEM_INST_RETIRED.ALL_LOADS */
    assert_int_equal(pmu_db_counters(&pmu, 0x0300), 1 << 10); /* reference cycles */
    assert_int_equal(pmu_db_counters(&pmu, 0x00c0), 0);       /* wherever it likes */
    pmu.database = "snb";
    assert_int_equal(pmu_db_counters(&pmu, 0x0148), 1 << 2);
    pmu.counters = 7; /* with Hyper-Threading: four and three */
    for (unsigned i = 0; i < 3; i++) pmu.rdpmc_index[4 + i] = 0x40000000u + i;
    pmu.database = "icl";
    assert_int_equal(pmu_db_counters(&pmu, 0x04a3), 0xf); /* of 0-7, those that are there */
    pmu = cpu_of("amd64_fam15h_interlagos", &pmu_amd_ops);
    pmu.counters = 6;
    assert_int_equal(pmu_db_counters(&pmu, 0x0003), 1 << 3);    /* PERF_CTL[3] */
    assert_int_equal(pmu_db_counters(&pmu, 0x1000000c0), 0x38); /* 1C0h: PERF_CTL[5:3] */
    assert_int_equal(pmu_db_counters(&pmu, 0x0f00), 0x38);      /* 000h, one pipe group */
    assert_int_equal(pmu_db_counters(&pmu, 0xff00), 1 << 3);    /* both */
    pmu.database = NULL;
    assert_int_equal(pmu_db_counters(&pmu, 0x0003), 0);
}

/* Which counters a word is given: where a fixed counter has the event, that is the only one to count it, but
 * not with modifiers, whether typed or the unit mask's own. */
static void test_fixed_or_not(void **state)
{
    (void)state;
    static const struct {
        const char *database, *word;
        uint32_t select, counters; /* 8 general, 4 fixed; 0: refused */
    } want[] = {
        {"icl", "inst_retired:prec_dist", 0x0100, 1 << 8},
        {"icl", "inst_retired:stall_cycles", 0x018001c0, 0xff}, /* INV, CMASK 1 */
        {"icl", "inst_retired:stall_cycles:edge", 0x018401c0, 0xff},
        {"icl", "cpu_clk_unhalted:ref_tsc", 0x0300, 1 << 10},
        {"icl", "cpu_clk_unhalted:ref_tsc:cmask=255", 0, 0},
        {"icl", "cpu_clk_unhalted:ref_tsc:edge", 0, 0},
        {"icl", "topdown:slots", 0x0400, 1 << 11},
        {"icl", "topdown:slots:cmask=1", 0, 0},
        {"icl", "topdown:slots:cmask=1:inv", 0, 0},
        /* What the library gives no event, or all slots' */
        {"icl", "topdown:backend_bound_slots", 0x02a4, 0xff},
        {"icl", "mem_load_misc_retired", 0x04d4, 0x0f}, /* by the library a kind of branches */
        {"icx", "mem_load_misc_retired:uc", 0x04d4, 0x0f},
        {"icx", "topdown:br_mispredict_slots", 0x08a4, 0xff},
        {"spr", "topdown:backend_bound_slots", 0x02a4, 0xff},
        {"spr", "topdown:bad_spec_slots", 0x04a4, 1 << 0},
        {"spr", "topdown:br_mispredict_slots", 0x08a4, 1 << 0},
        {"spr", "topdown:memory_bound_slots", 0x10a4, 0xff},
        {"spr", "topdown:slots", 0x0400, 1 << 11},
        {"spr", "mem_trans_retired:store_sample", 0x02cd, 1 << 0}, /* by the library 03CDh */
        {"spr", "cpu_clk_unhalted:thread", 0x003c, 0x2ff},
        {"spr", "cpu_clk_unhalted:thread:cmask=1", 0x0100003c, 0xff},
        {"spr", "cpu_clk_unhalted:thread_p", 0x003c, 0x2ff},
        {"spr", "cpu_clk_unhalted:ref_tsc", 0x0300, 1 << 10},
        {"glm", "cpu_clk_unhalted", 0x003c, 0x2ff},
        {"glm", "cpu_clk_unhalted:core", 0x003c, 0x2ff},
        {"glm", "cpu_clk_unhalted:core_p", 0x003c, 0x2ff},
        {"glm", "cpu_clk_unhalted:ref", 0x013c, 0xff},
        {"glm", "cpu_clk_unhalted:ref_tsc", 0x0300, 1 << 10},
        {"snb", "l1d_pend_miss:pending:cmask=2", 0x02000148, 1 << 2},
    };
    for (unsigned i = 0; i < sizeof want / sizeof want[0]; i++) {
        struct pmu pmu = cpu_of(want[i].database, &pmu_arch_ops);
        bool good = parse(&pmu, want[i].word);
        if (good != (want[i].counters != 0)) fail_msg("%s: %s", want[i].word, why);
        if (!good && !strstr(why, "or none with these modifiers")) fail_msg("%s: %s", want[i].word, why);
        if (good && ((code.select & EVENT_BITS) != want[i].select || code.counters != want[i].counters))
            fail_msg("%s: %llx on %x", want[i].word, (long long)code.select, code.counters);
    }
    struct pmu pmu = cpu_of("icl", &pmu_arch_ops);
    assert_int_equal(pmu_db_counters(&pmu, 0x01c0), 1 << 8); /* as the list has it */
    assert_int_equal(pmu_db_counters(&pmu, 0x018001c0), 0);
}

/* A guest may have fewer counters than its CPU: an event whose counters are all away is not any counter's. */
static void test_counters_away(void **state)
{
    (void)state;
    struct pmu pmu = cpu_of("icl", &pmu_arch_ops);
    pmu.counters = 8; /* no fixed ones */
    assert_false(parse(&pmu, "inst_retired:prec_dist"));
    assert_string_equal(why, "no counter of this CPU can count inst_retired, or none with these modifiers");
    assert_false(parse(&pmu, "topdown:slots"));
    assert_true(parse(&pmu, "inst_retired:any_p"));
    assert_true(parse(&pmu, "inst_retired:stall_cycles"));
    assert_int_equal(pmu_db_counters(&pmu, 0x0100), PMU_NO_COUNTER);
    assert_int_equal(pmu_select_counters(&pmu, 0x0100), 0);
    pmu = cpu_of("snb", &pmu_arch_ops);
    pmu.counters = pmu.perfmon.general = 2;
    assert_false(parse(&pmu, "l1d_pend_miss:pending")); /* counter 2's */
    assert_false(parse(&pmu, "l1d_pend_miss:pending:edge"));
    assert_true(parse(&pmu, "inst_retired:prec_dist")); /* counter 1's */
    assert_int_equal(code.counters, 1 << 1);
    pmu = cpu_of("amd64_fam15h_interlagos", &pmu_amd_ops);
    pmu.counters = pmu.perfmon.general = 2;
    assert_false(parse(&pmu, "dispatched_fpu_ops:ops_pipe0")); /* 3, 4 and 5's */
}

/* The second registers that PEBS programs: by libpfm4's names with its modifier, and by those of Intel's
 * lists, which the library lacks. */
static void test_second_registers(void **state)
{
    (void)state;
    static const struct {
        const char *database, *word;
        uint32_t code, msr, value;
    } want[] = {
        {"skl", "mem_trans_retired:load_latency", 0x01cd, 0x3f6, 0},
        {"skl", "mem_trans_retired:latency_above_threshold:ldlat=30", 0x01cd, 0x3f6, 30},
        {"skl", "mem_trans_retired:ldlat=0x1f:load_latency:u", 0x01cd, 0x3f6, 31},
        {"skl", "MEM_TRANS_RETIRED.LOAD_LATENCY_GT_32", 0x01cd, 0x3f6, 32},
        {"skl", "mem_trans_retired:load_latency_gt_512:u", 0x01cd, 0x3f6, 512},
        {"icl", "MEM_TRANS_RETIRED.LOAD_LATENCY_GT_4", 0x01cd, 0x3f6, 4},
        {"snb", "MEM_TRANS_RETIRED.LOAD_LATENCY_GT_8", 0x01cd, 0x3f6, 8},
        {"spr", "MEM_TRANS_RETIRED.LOAD_LATENCY_GT_1024", 0x01cd, 0x3f6, 1024},
        {"spr", "mem_trans_retired:store_sample", 0x02cd, 0, 0},
        {"nhm", "mem_inst_retired:latency_above_threshold", 0x100b, 0x3f6, 0},
        {"nhm", "MEM_INST_RETIRED.LATENCY_ABOVE_THRESHOLD_32768", 0x100b, 0x3f6, 32768},
        {"nhm", "mem_inst_retired:loads", 0x010b, 0, 0},
        {"skl", "/event=0xcd,umask=0x1,ldlat=50/u", 0x01cd, 0x3f6, 50},
        {"skl", "r01cd", 0x01cd, 0, 0},
        {"skl", "frontend_retired:l1i_miss", 0x01c6, 0x3f7, 0x12},
        {"skl", "frontend_retired:idq_4_bubbles", 0x01c6, 0x3f7, 0x400106},
        {"icl", "FRONTEND_RETIRED.LATENCY_GE_2_BUBBLES_GE_1", 0x01c6, 0x3f7, 0x100206},
    };
    for (unsigned i = 0; i < sizeof want / sizeof want[0]; i++) {
        struct pmu pmu = cpu_of(want[i].database, &pmu_arch_ops);
        if (!parse(&pmu, want[i].word)) fail_msg("%s: %s", want[i].word, why);
        if ((code.select & 0xffff) != want[i].code || code.extra_msr != want[i].msr ||
            code.extra != want[i].value)
            fail_msg("%s: %llx %x %x", want[i].word, (unsigned long long)code.select, code.extra_msr,
                     (unsigned)code.extra);
        assert_int_equal(pmu_event_by_pebs(&code, why, sizeof why), want[i].msr != 0);
    }
    struct pmu zen = cpu_of("amd64_fam17h_zen2", &pmu_amd_ops);
    zen.models = AMD_ZEN;
    assert_false(parse(&zen, "/event=0xc0,ldlat=50/"));
    /* Two thresholds are two events. */
    struct pmu pmu = cpu_of("skl", &pmu_arch_ops);
    assert_true(parse(&pmu, "mem_trans_retired:load_latency_gt_32"));
    const struct pmu_code first = code;
    assert_true(parse(&pmu, "mem_trans_retired:load_latency_gt_64"));
    assert_false(pmu_code_same(&first, &code));
    assert_true(parse(&pmu, "mem_trans_retired:load_latency:ldlat=32"));
    assert_true(pmu_code_same(&first, &code));
}

static void test_refusals(void **state)
{
    (void)state;
    static const struct {
        const char *word, *part, *near;
    } wrong[] = {
        {"uops_retird", "no event of this name", "uops_retired"},
        {"uops_retired:al", "not \"al\": all, ", ""},
        {"uops_retired:al:u", "needs one of", ""},
        {"mispredicted_branch_retired:x", "has no unit masks", ""},
        {"uops_retired:all:retire_slots", "cannot be combined", ""},
        {"uops_retired:all:0x1", "nothing beside it", ""},
        {"uops_retired:0x1:all", "cannot be combined", ""},
        {"uops_retired:0x100", "0xff", ""},
        {"offcore_response_0:dmnd_data_rd", "MSR 1A6h", ""},
        {"mem_trans_retired:load_latency:ldlat=2", "3 to 65535", ""},
        {"mem_trans_retired:load_latency:ldlat=65536", "3 to 65535", ""},
        {"mem_trans_retired.load_latency_gt_0", "3 to 65535", ""},
        {"mem_trans_retired.load_latency_gt_32:ldlat=32", "ldlat is given twice", ""},
        {"mem_trans_retired:ldlat=32:load_latency_gt_32", "a threshold is given already", ""},
        {"mem_trans_retired.load_latency_gt_", "needs one of its unit masks", ""},
        {"mem_trans_retired.load_latency_gt_3x", "needs one of its unit masks", ""},
        {"mem_load_retired.load_latency_gt_32", "needs one of its unit masks", ""},
        {"l1d_pend_miss:edge:cmask=2", "defined with cmask=1", ""},
        {"l1d_pend_miss:pending_cycles:cmask=0", "defined with cmask=1", ""},
        {"hsw::uops_retired", "are skl::, not hsw::", ""},
        {"uops_retired:all:cmask=x", "takes a number", ""},
    };
    struct pmu zen = cpu_of("amd64_fam17h_zen2", &pmu_amd_ops);
    zen.models = AMD_ZEN;
    assert_false(parse(&zen, "retired_sse_avx_flops"));
    assert_non_null(strstr(why, "can count event 0x3 by itself"));
    struct pmu pmu = cpu_of("skl", &pmu_arch_ops);
    for (unsigned i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        if (parse(&pmu, wrong[i].word)) fail_msg("%s was accepted", wrong[i].word);
        if (!strstr(why, wrong[i].part)) fail_msg("%s: %s", wrong[i].word, why);
        if (strncmp(near, wrong[i].near, strlen(wrong[i].near)) != 0)
            fail_msg("%s: near %s", wrong[i].word, near);
    }
    static const char *const newer[] = {"adl_of_next_year", PMU_TOO_NEW};
    pmu.models = ARCH_EVENTS;
    for (unsigned i = 0; i < 2; i++) {
        pmu.database = newer[i];
        assert_false(parse(&pmu, "uops_retired"));
        assert_non_null(strstr(why, "does not know this CPU: libpfm4 is older than it"));
        assert_true(parse(&pmu, "r01c2"));
        assert_true(parse(&pmu, "arch::instruction_retired"));
    }
}

/* A database of an older library lacks PMUs that the tables of CPUs name; one without the i386 library, the
 * Core Duo. */
static void test_older_library(void **state)
{
    (void)state;
    static const struct {
        const char *database, *part;
    } lack[] = {{"adl_glc", "libpfm4 is older than it"},
                {"amd64_fam1ah_zen5", "libpfm4 is older than it"},
                {"coreduo", "built without the i386 library"}};
    struct db_header *h = (struct db_header *)(void *)file;
    h->n_pmus = 0;
    db_sum(&h->strings, h->size - (uint32_t)offsetof(struct db_header, strings), h->sum);
    assert_true(db_open(file, size, why, sizeof why));
    for (unsigned i = 0; i < sizeof lack / sizeof lack[0]; i++) {
        struct pmu pmu = cpu_of(lack[i].database, lack[i].database[1] == 'm' ? &pmu_amd_ops : &pmu_arch_ops);
        if (!strstr(pmu_db_lack(&pmu), lack[i].part)) fail_msg("%s", pmu_db_lack(&pmu));
        pmu.models = lack[i].database[1] == 'm' ? AMD_ZEN : ARCH_EVENTS;
        assert_true(parse(&pmu, "r00c0"));
        assert_true(parse(&pmu, "instructions"));
    }
}

/* A 50 MIPS machine shall find any name within 1 ms. Cycles of this machine, with the sanitizers' checks, are
 * more than that one's instructions. */
static void test_fast(void **state)
{
    (void)state;
    uint64_t worst = 0;
    const struct db_pmu *p = db_pmu_named("amd64_fam10h_istanbul");
    const struct db_event *e;
    for (unsigned i = 0; (e = db_event_at(p, i)); i++) {
        uint64_t least = UINT64_MAX;
        for (unsigned turn = 0; turn < 20; turn++) {
            uint64_t begin = __builtin_ia32_rdtsc();
            const struct db_event *found =
                db_event_named(db_pmu_named("amd64_fam10h_istanbul"), db_text(e->name));
            uint64_t took = __builtin_ia32_rdtsc() - begin;
            assert_ptr_equal(found, e);
            if (took < least) least = took;
        }
        if (least > worst) worst = least;
    }
    print_message("worst look-up: %u cycles\n", (unsigned)worst);
    assert_true(worst < 50000);
}

int main(int argc, char **argv)
{
    (void)argc;
    find_build(argv[0]);
    const struct CMUnitTest tests[] = {
        OPENED(test_words),        OPENED(test_known_codes),   OPENED(test_counters),
        OPENED(test_fixed_or_not), OPENED(test_counters_away), OPENED(test_second_registers),
        OPENED(test_refusals),     OPENED(test_older_library), OPENED(test_fast),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
