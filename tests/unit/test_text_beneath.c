/* The text face: what stands below the row of a result. */
#include "tests/unit/result_records.h"

TEST_WITH(fwq_tells_of_late_quanta, begin, NULL)
{
    struct record *r = result(&(struct result){.bench = "fwq",
                                               .unit = "tsc/quantum",
                                               .n = 10,
                                               .min = 23940,
                                               .median = 23940,
                                               .mean = 23940.04,
                                               .ci = 0.027});
    rec_object(r, "fwq");
    rec_uint(r, "late_min", 7);
    rec_uint(r, "late_10pct", 0);
    rec_uint(r, "detour_max_tsc", 96);
    rec_real(r, "detour_max_us", 0.0401);
    rec_real(r, "lost_share", 1.671e-6);
    rec_close(r);
    record_emit(r);
    expect(HEADING "fwq n=10                 tsc/quantum 23940.0 23940.0 23940.0 +/- 0.0        0\n"
                   "    late quanta: 7 over min, 0 over min + 10 %, of 20; largest detour\n"
                   "    96 tsc (0.0401 us); time lost 0.0001671 %\n");
}

/* Where a tick is no core cycle: within 0.5 % it is one. */
TEST_WITH(core_cycles_below_their_row, begin, NULL)
{
    static const struct {
        double core_per_tsc, core_per_op;
        const char *want;
    } cases[] = {{1.5, 7.5, "    = 7.500 core cycles (1.5 in a tick)\n"},
                 {0.9, 1, "    = 1.000 core cycles (0.9 in a tick)\n"},
                 {1.5, 0, ""},
                 {1.004, 7, ""},
                 {0.996, 7, ""},
                 {-1, 7, ""}};
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        begin(state);
        struct record *r =
            result(&(struct result){.bench = "b", .unit = "u", .min = 1, .median = 1, .mean = 1});
        rec_real(r, "core_per_tsc", cases[i].core_per_tsc);
        rec_real(r, "core_per_op", cases[i].core_per_op);
        record_emit(r);
        assert_string_equal(strchr(strstr(text, " +/- 0 "), '\n') + 1, cases[i].want);
    }
}

/* Of late quanta what is known; a long detour in whole microseconds. */
TEST_WITH(fwq_of_which_little_is_known, begin, NULL)
{
    for (double us = 999; us <= 1000; us++) {
        struct record *r = record_new("result");
        rec_object(r, "fwq");
        rec_real(r, "detour_max_us", us);
        rec_close(r);
        begin(state);
        record_emit(r);
        assert_non_null(strstr(text, us < 1000 ? "\n    0 tsc (999 us); time lost 0 %\n"
                                               : "\n    0 tsc (1000 us); time lost 0 %\n"));
        assert_non_null(strstr(text, "    late quanta: 0 over min, 0 over min + 10 %, of 0; largest detour"));
    }
    struct record *r = record_new("result");
    rec_object(r, "fwq");
    rec_uint(r, "late_min", 1);
    rec_close(r);
    begin(state);
    record_emit(r);
    assert_non_null(strstr(text, "late quanta: 1 over min, 0 over min + 10 %, of 0; largest detour 0 tsc;"));
}

TEST_WITH(doubts_below_their_row, begin, NULL)
{
    RESULT(.bench = "b", .unit = "u", .min = 1, .median = 1, .mean = 1, .flag = "upper-bits", .smi = 1);
    assert_non_null(strstr(text, "\n  ! of 20 repetitions: 1 with an SMI\n"
                                 "    ! read by RDPMC: bits above 31 are wrong on CPUs with erratum N17\n"));
}

TEST_WITH(derived_figures_tell_their_doubt, begin, NULL)
{
    struct record *r = record_new("derived");
    rec_str(r, "name", "IPC");
    rec_str(r, "formula", "instructions / cycles");
    rec_real(r, "value", 1.5);
    rec_array(r, "flags");
    rec_str(r, NULL, "overhead-lowered");
    rec_close(r);
    record_emit(r);
    expect("  = 1.500 IPC (instructions / cycles)\n"
           "    ! a raw count was below the overhead, which was lowered to it\n");
}
